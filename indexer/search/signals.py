"""Weigh the evidence for each file: ``weigh`` gives scores of chunks, and the signals of ``weights.SIGNALS``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from indexer.search.index import Index
from indexer.search.match import Matches, match
from indexer.search.named import Named, named
from indexer.search.paths import PENALTIES, kinds_asked
from indexer.search.question import Question
from indexer.search.segment import Floats, Mask
from indexer.search.vocabulary import Ints
from indexer.search.weights import (
    DEFINITION_BONUS,
    FOLDED_BONUS,
    FOLDER_WEIGHT,
    SATURATION,
    SIGNALS,
    STEM_WEIGHT,
    SYMBOL_BONUS,
)

_WHOLE = 0.95  # share of a name's words from which on it is asked for as a whole
_TINY = 1e-9
_BEST_CHUNKS = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hold what speaks for files and chunks.

    Attributes:
        signals: by name, one number a file.
        penalties: of each file, for being a test, an example and so on.
        candidates: files that have anything of what was asked for, and count.
        chunk_scores: of the text alone, one for each of ``matches.places``.
        shown_scores: which chunk of its file is the one to show; only comparable inside a file.
        matches: what this was made of.
        mass: weight times rarity of each concept that is a part of the question's words, 0 of others.
        named: what the question calls by its name.
    """

    signals: Mapping[str, Floats]
    penalties: Floats
    candidates: Mask
    chunk_scores: Floats
    shown_scores: Floats
    matches: Matches
    mass: Floats
    named: Named


def weigh(index: Index, question: Question, allowed: Mask) -> Evidence:
    """Weigh the evidence for all files that are ``allowed``."""
    concepts = question.concepts
    matches = match(index, concepts, allowed)
    weights = np.array([concept.weight for concept in concepts]) * matches.rarities
    mass = weights * np.array([concept.is_part for concept in concepts], np.bool_)
    calls = named(index, question)
    files = index.chunk_files[matches.places]
    scores = _chunk_scores(matches, weights, files)
    best = max(float(scores.max(initial=0.0)), _TINY)
    total = max(float(mass.sum()), _TINY)
    per_file = _PerFile(index, files)
    ranked = per_file.ranked(scores)
    stem_answers = _sum(mass, matches.stem_words) / total
    stem_covered = matches.stem_cover / np.maximum(index.stem_rarities, _TINY)
    symbol_covered = matches.symbol_cover / np.maximum(index.symbol_rarities[matches.symbols], _TINY)
    symbol_answers = _sum(mass, matches.symbol_words) / total * index.symbol_weights[matches.symbols]
    symbol_chunks = index.symbol_chunks[matches.symbols]
    called_chunks = index.symbol_chunks[calls.symbols]
    called_files = index.chunk_files[called_chunks]
    signals = {
        "best_chunk": ranked[0] / best,
        "best_chunks": _by_best(np.sum([part * 0.5**place for place, part in enumerate(ranked)], axis=0), allowed),
        "mean_chunk": _by_best(per_file.total(scores) / (per_file.sizes + 3), allowed),
        "good_chunks": np.log1p(per_file.total((scores > 0.5 * best).astype(np.float64))),
        "documentation": per_file.largest_of(files, _sum(mass, matches.docs) * (scores > 0) / total),
        "stem_similarity": np.sqrt(stem_covered * stem_answers),
        "stem_covered": stem_covered,
        "symbol": per_file.largest_of(index.chunk_files[symbol_chunks], (symbol_covered > _WHOLE) * symbol_answers),
        "defines": per_file.largest_of(called_files, calls.exact),
        "defines_folded": per_file.largest_of(called_files, calls.folded),
        "size": np.log1p(index.line_counts) / 5,
        "folder": _by_best(per_file.mean_of(index.folders, ranked[0], 1), allowed),
        "siblings": _by_best(per_file.mean_beside(index.own_folders, ranked[0] * allowed), allowed),
        "neighbours": _by_best(per_file.mean_of(index.uses, ranked[0], 3), allowed),
    }
    shown = np.zeros(len(index.chunk_files))  # at first what names earn
    np.maximum.at(shown, symbol_chunks, SYMBOL_BONUS * (symbol_covered * symbol_answers))
    definition = np.maximum(DEFINITION_BONUS * calls.exact_kind, FOLDED_BONUS * calls.folded_kind)
    np.maximum.at(shown, called_chunks, definition)
    shown[matches.places] += scores / best
    in_path = (matches.stems > 0).any(axis=0) | (matches.folders > 0).any(axis=0) if concepts else allowed & False
    return Evidence(
        signals=signals,
        penalties=index.kinds @ (np.array(PENALTIES) * ~np.array(kinds_asked(question.text))),
        candidates=allowed & (in_path | (ranked[0] > 0) | calls.files),
        chunk_scores=scores,
        shown_scores=shown,
        matches=matches,
        mass=mass,
        named=calls,
    )


def file_scores(evidence: Evidence, weights: Mapping[str, float] = SIGNALS) -> Floats:
    """Add signals up; files that are no candidates get minus infinity."""
    total = sum(weights[name] * signal for name, signal in evidence.signals.items())
    total = total + evidence.named.bonus - evidence.penalties
    return np.where(evidence.candidates, np.round(total, 9), -np.inf)


def _chunk_scores(matches: Matches, weights: Floats, files: Ints) -> Floats:
    scores = np.zeros(len(matches.places))
    for row, weight in enumerate(weights):
        frequency = matches.chunks[row]
        path = STEM_WEIGHT * matches.stems[row] + FOLDER_WEIGHT * np.minimum(matches.folders[row], 1)
        if path.any():
            frequency = frequency + path[files]
        there = np.flatnonzero(frequency)
        frequency = frequency[there]
        scores[there] += weight * (frequency * (SATURATION + 1) / (frequency + SATURATION))
    return scores


def _sum(mass: Floats, rows: Floats | Mask) -> Floats:
    """Add up the mass of what stands in each column, by how much of it does; only parts of words have any."""
    total = np.zeros(rows.shape[1])
    for share, row in zip(mass, rows, strict=True):
        if share:
            there = np.flatnonzero(row)
            total[there] += share * np.minimum(row[there], 1)
    return total


def _by_best(values: Floats, allowed: Mask) -> Floats:
    return values / max(float(values[allowed].max(initial=0.0)), _TINY)


class _PerFile:
    """Add up and compare values of chunks file by file; ``files`` are those of the chunks, in order."""

    def __init__(self, index: Index, files: Ints) -> None:
        self._files = files
        self._count = len(index.paths)
        self.sizes = np.diff(index.first_chunks)
        self._counted = index.live_files * 1.0

    def total(self, values: Floats) -> Floats:
        return np.bincount(self._files, values, self._count).astype(np.float64)

    def largest_of(self, files: Ints, values: Floats) -> Floats:
        found = np.zeros(self._count)
        positive = values > 0
        np.maximum.at(found, files[positive], values[positive])
        return found

    def mean_of(self, pairs: tuple[Ints, Ints], values: Floats, extra: int) -> Floats:
        """Return for the first file of each pair the mean value of the second ones, as if of so many more."""
        first, second = pairs
        return np.bincount(first, values[second], self._count) / (np.bincount(first, minlength=self._count) + extra)

    def mean_beside(self, folders: Ints, values: Floats) -> Floats:
        """Return the mean value of the files in each file's folder, as if of three more."""
        total = np.bincount(folders, values)
        return (total / (np.bincount(folders, self._counted) + 3))[folders]

    def ranked(self, values: Floats) -> list[Floats]:
        """Return the best, second best, … value of each file."""
        places = np.flatnonzero(values > 0)
        left, files = values[places], self._files[places]
        if not len(places):
            return [np.zeros(self._count)] * _BEST_CHUNKS
        is_first = np.ones(len(places), np.bool_)
        is_first[1:] = files[1:] != files[:-1]
        starts = np.flatnonzero(is_first)
        group = np.cumsum(is_first) - 1
        found = []
        for _ in range(_BEST_CHUNKS):
            most = np.maximum.reduceat(left, starts)
            best = np.zeros(self._count)
            best[files[starts]] = most
            found.append(best)
            equal = np.flatnonzero(left == most[group])
            first = np.ones(len(equal), np.bool_)
            first[1:] = group[equal[1:]] != group[equal[:-1]]
            left[equal[first]] = 0.0
        return found
