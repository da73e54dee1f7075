"""Find the terms that stand for a word of a question: ``alternates_of`` adds same stems and abbreviations."""

from __future__ import annotations

from functools import cache

from indexer.lexicon import ABBREVIATIONS
from indexer.search.index import Index
from indexer.search.weights import ABBREVIATION, SAME_STEM
from indexer.terms import light_stem


def alternates_of(index: Index, term: str) -> tuple[tuple[int, float], ...]:
    """List the numbers of known terms that stand for a term, with their weights, itself first."""
    vocabulary = index.vocabulary
    found: dict[str, float] = {}
    for number in vocabulary.same_heavy_stem(term):
        found[vocabulary.term_of(number)] = SAME_STEM
    for other in _abbreviations().get(term, ()):
        found[other] = max(found.get(other, 0.0), ABBREVIATION)
    found[term] = 1.0
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tuple((vocabulary.id_of(word) or 0, weight) for word, weight in ordered if index.knows(word))


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    """Return for each stem those on the other side of its groups: a short form and its long ones."""
    found: dict[str, set[str]] = {}
    for short, *long in ABBREVIATIONS:
        for word in long:
            found.setdefault(light_stem(short), set()).add(light_stem(word))
            found.setdefault(light_stem(word), set()).add(light_stem(short))
    return {word: frozenset(others) for word, others in found.items()}
