"""Suggest what to ask for instead: ``closest_terms`` finds known terms that resemble unknown words."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from indexer.search.index import Index
from indexer.terms import parts

_MOST = 3
_WORDS = 5  # of the unknown ones that are looked at
_LIKENESS = 0.75


def closest_terms(index: Index, unknown: Sequence[str]) -> tuple[str, ...]:
    """Return a few known terms that are spelt nearly like one of the words."""
    found: dict[str, None] = {}
    for word in unknown[:_WORDS]:
        for part in parts(word):
            if len(part) < 4:
                continue
            known = [
                term
                for term in index.vocabulary.starting_with(part[:1])
                if abs(len(term) - len(part)) <= 2 and index.knows(term)
            ]
            found |= dict.fromkeys(get_close_matches(part, known, 1, _LIKENESS))
    return tuple(found)[:_MOST]
