"""Decide whether an index answers a question at all: ``judge`` looks at absolute evidence, never at ranks.

Evidence is the share of the question's words that stand together in one chunk, by count and by rarity, and their
share in the names of the best file. A word that no file has counts as rarer than any, unless it is one that code
often has: then the question only says otherwise what the code does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from indexer.entry import Field
from indexer.lexicon import ABBREVIATIONS, CODE_GLOSSARY, SYNONYMS
from indexer.search.chinese import RUN
from indexer.search.found import Confidence
from indexer.search.index import Index
from indexer.search.question import Concept, Question
from indexer.search.segment import Floats, Mask, checksum
from indexer.search.signals import Evidence
from indexer.search.vocabulary import Ints
from indexer.terms import heavy_stem, light_stem, parts, terms_of, whole, words

# Measured, see scripts/bench_gate.py.
ABSTAIN_BELOW = 0.31
LOW_BELOW = 0.50
_LOOKED_AT = 0.2  # of the best chunk's score; what has many of the words is not far below it
_NAMES = 0.5  # weight of the names beside the two shares of words
_CODE_WORD = 0.3  # weight of an unknown word that code often has
_OTHER_WORD = 2.5
_UNKNOWN_PAIR = 1.4  # of Chinese characters: many are no words, so less follows from one


@dataclass(frozen=True, slots=True)
class Judgement:
    """Hold how well a question is answered; ``missing`` and ``unknown`` as in ``Found``."""

    confidence: Confidence
    evidence: float
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


def judge(index: Index, question: Question, evidence: Evidence, best_file: int | None) -> Judgement:
    """Judge a question by the evidence for it; ``best_file`` is the place of the file that ranks first."""
    unknown = tuple(dict.fromkeys(concept.word for concept in question.unknown))
    asked = [row for row, concept in enumerate(question.concepts) if concept.is_part]
    if best_file is None or not asked:
        is_named = best_file is not None and evidence.named.bonus[best_file] > 0
        return Judgement(Confidence.NORMAL if is_named else Confidence.NONE, float(is_named), unknown, unknown)
    files_of, standing = _standing(index, evidence, asked)
    lost = sum(_loss(concept) for concept in question.unknown)
    weights = np.array([question.concepts[row].weight for row in asked])
    mass = evidence.mass[asked]
    total = max(float(mass.sum()) + lost * float(index.rarity(0)), 1e-9)
    counted = weights @ standing / (float(weights.sum()) + lost)
    weighed = mass @ standing / total
    by_name = float(mass @ _named(index, question, evidence, best_file, asked)) / total
    amount = (float(counted.max(initial=0.0)) + float(weighed.max(initial=0.0)) + _NAMES * by_name) / (2 + _NAMES)
    if _is_called_by_name(question, evidence, best_file):
        amount = 1.0
    best = int(np.argmax(np.round(weighed, 9) + (files_of == best_file)))
    absent = [question.concepts[row].word for row, here in zip(asked, standing[:, best], strict=True) if not here]
    missing = tuple(dict.fromkeys((*unknown, *absent)))
    return Judgement(_confidence(index, question, evidence, amount), round(amount, 6), missing, unknown)


def _loss(concept: Concept) -> float:
    """Return what an unknown word counts against the question."""
    if RUN.fullmatch(concept.word) and concept.word not in CODE_GLOSSARY:
        return concept.weight * _UNKNOWN_PAIR
    stems = [light_stem(part) for part in parts(concept.word)]
    known = concept.word in CODE_GLOSSARY or any(
        stem in _code_words() or heavy_stem(stem) in _code_words() for stem in stems
    )
    return concept.weight * (_CODE_WORD if known else _OTHER_WORD)


@cache
def _code_words() -> frozenset[str]:
    """Return stems that code often has, light and heavy."""
    found = set(_listed("code_words.txt"))
    for line in (_listed("design_words.txt"), *ABBREVIATIONS, *SYNONYMS, *CODE_GLOSSARY.values()):
        found.update(term for phrase in line for word in words(phrase) for term in terms_of(word))
    return frozenset(found | {heavy_stem(word) for word in found})


def _listed(name: str) -> list[str]:
    text = files("indexer.search").joinpath(name).read_text(encoding="utf-8")
    return [word for line in text.split("\n") if not line.startswith("#") for word in line.split()]


def _is_called_by_name(question: Question, evidence: Evidence, file: int) -> bool:
    if evidence.named.bonus[file] > 0:
        return True
    return question.is_name and bool(evidence.signals["defines"][file] > 0)


def _confidence(index: Index, question: Question, evidence: Evidence, amount: float) -> Confidence:
    if amount < ABSTAIN_BELOW:
        return Confidence.NONE
    if _is_name_missing(index, question, evidence):
        return Confidence.PARTIAL
    return Confidence.LOW if amount < LOW_BELOW else Confidence.NORMAL


def _standing(index: Index, evidence: Evidence, asked: list[int]) -> tuple[Ints, Mask]:
    """Say which concepts stand in each of the better chunks, or in the name of its file; its file comes first."""
    scores = evidence.chunk_scores
    places = np.flatnonzero(scores > max(_LOOKED_AT * float(scores.max(initial=0.0)), 0.0))
    files = index.chunk_files[evidence.matches.places[places]]
    found = [(evidence.matches.chunks[row][places] > 0) | (evidence.matches.stems[row] > 0)[files] for row in asked]
    if not len(places):
        return np.full(1, -1, np.int32), np.zeros((len(asked), 1), np.bool_)
    return files, np.stack(found)


def _named(index: Index, question: Question, evidence: Evidence, file: int, asked: list[int]) -> Floats:
    """Say which concepts stand in the path, names or signatures of a file."""
    first, last = index.first_chunks[file], index.first_chunks[file + 1]
    found = np.zeros(len(asked))
    for place, row in enumerate(asked):
        in_path = evidence.matches.stems[row][file] > 0 or evidence.matches.folders[row][file] > 0
        terms = [term for term, _ in question.concepts[row].alternates]
        found[place] = in_path or any(_is_in_names(index, term, int(first), int(last)) for term in terms)
    return found


def _is_in_names(index: Index, term: int, first: int, last: int) -> bool:
    for segment, start in zip(index.segments, index.chunk_starts[:-1], strict=True):
        rows = segment.postings.find(term)
        bounds = np.array([first - start, last - start], np.int64).clip(0).astype(np.int32)
        left, right = np.searchsorted(segment.postings.owner[rows], bounds)
        fields = segment.fields[rows][left:right]
        if ((fields == Field.NAME) | (fields == Field.SIGNATURE)).any():
            return True
    return False


def _is_name_missing(index: Index, question: Question, evidence: Evidence) -> bool:
    """Say whether one compound name is asked for that no file defines or uses."""
    if not question.is_name or len(question.names) != 1 or not whole(question.names[0]) or question.paths:
        return False
    if index.live_files[index.chunk_files[index.symbol_chunks[evidence.named.symbols]]].any():
        return False
    name = checksum(question.names[0])
    return not any(
        live[rows.owner[rows.find(name)]].any()
        for segment, live in zip(index.segments, index.live, strict=True)
        for rows in (segment.identifiers, segment.definitions)
    )
