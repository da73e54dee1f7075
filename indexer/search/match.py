"""Look a question's concepts up: ``match`` tells how strongly each of them stands in each chunk, path and symbol.

Only chunks and symbols that have anything of the question get a place in what it gives: most have nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from indexer.entry import Field
from indexer.search.index import Index
from indexer.search.question import Concept
from indexer.search.segment import STEM, Floats, Mask
from indexer.search.vocabulary import Ints


@dataclass(frozen=True, slots=True)
class Matches:
    """Hold what was found of concepts, one row a concept.

    Attributes:
        places: the chunks that have any of them and may be found, by place; the columns of ``chunks`` and ``docs``.
        symbols: the symbols that have any of them, by place, whether they count or not; the columns of their arrays.
        rarities: inverse chunk frequency of each concept, all its alternates counted.
        chunks: weighted frequency in each chunk's own text.
        docs: whether it stands in the chunk's documentation.
        stems, folders: weighted frequency in each file's name and folders, also of those that do not count.
        stem_words, symbol_words: weight with which it is a word of each file's speaking stem, each symbol's name.
        stem_cover, symbol_cover: rarities, so weighted, of the words of each that were asked for (no row a concept).
    """

    places: Ints
    symbols: Ints
    rarities: Floats
    chunks: Floats
    docs: Mask
    stems: Floats
    folders: Floats
    stem_words: Floats
    symbol_words: Floats
    stem_cover: Floats
    symbol_cover: Floats


def match(index: Index, concepts: Sequence[Concept], allowed: Mask) -> Matches:
    """Look up concepts in the files that are ``allowed``."""
    chunks = _Columns(index.chunk_starts)
    symbols = _Columns(index.symbol_starts)
    terms = {term for concept in concepts for term, _ in concept.alternates}
    words = {term for concept in concepts if concept.is_part for term, _ in concept.alternates}
    for number, segment in enumerate(index.segments):
        for term in terms:
            chunks.add(number, term, segment.postings.find(term), segment.postings.owner)
        for term in words:
            symbols.add(number, term, segment.symbol_parts.find(term), segment.symbol_parts.owner)
    places = chunks.settle(allowed[index.chunk_files])
    rows, files, named = len(concepts), len(index.paths), symbols.settle()
    found = Matches(
        places=places,
        symbols=named,
        rarities=index.rarity([_frequency(index, concept) for concept in concepts]),
        chunks=np.zeros((rows, len(places))),
        docs=np.zeros((rows, len(places)), np.bool_),
        stems=np.zeros((rows, files)),
        folders=np.zeros((rows, files)),
        stem_words=np.zeros((rows, files)),
        symbol_words=np.zeros((rows, len(named))),
        stem_cover=np.zeros(files),
        symbol_cover=np.zeros(len(named)),
    )
    for row, concept in enumerate(concepts):
        for term, weight in concept.alternates:
            _add_postings(index, chunks, term, weight, found.chunks[row], found.docs[row])
            _add_paths(index, term, weight, found.stems[row], found.folders[row])
            if concept.is_part:
                _add_words(index, symbols, term, weight, found.stem_words[row], found.symbol_words[row])
    _add_covers(index, symbols, concepts, found)
    return found


class _Columns:
    """Give the places that have any term a column each; ``starts`` is where each segment's places begin."""

    def __init__(self, starts: npt.NDArray[np.int64]) -> None:
        self._starts = starts
        self._slices: dict[int, list[tuple[int, slice]]] = {}
        self._touched = np.zeros(int(starts[-1]), np.bool_)
        self._column = np.empty(0, np.int32)

    def add(self, number: int, term: int, rows: slice, owner: Ints) -> None:
        """Take the rows of a term in a segment."""
        if rows.start < rows.stop:
            self._slices.setdefault(term, []).append((number, rows))
            self._touched[owner[rows] + self._starts[number]] = True

    def settle(self, allowed: Mask | None = None) -> Ints:
        """Give the places that got a column."""
        places = np.flatnonzero(self._touched if allowed is None else self._touched & allowed).astype(np.int32)
        self._column = np.full(len(self._touched), -1, np.int32)
        self._column[places] = np.arange(len(places), dtype=np.int32)
        return places

    def rows_of(self, term: int) -> Sequence[tuple[int, slice]]:
        """Give the rows of a term, with the number of their segment."""
        return self._slices.get(term, ())

    def of(self, number: int, owner: Ints) -> Ints:
        """Give the columns of a segment's places, -1 for those without."""
        columns: Ints = self._column[owner + self._starts[number]]
        return columns


def _frequency(index: Index, concept: Concept) -> float:
    total = sum(weight * float(index.frequencies[term]) for term, weight in concept.alternates)
    return min(float(index.chunk_count), total)


def _add_postings(index: Index, columns: _Columns, term: int, weight: float, chunks: Floats, docs: Mask) -> None:
    for number, rows in columns.rows_of(term):
        segment = index.segments[number]
        owner = segment.postings.owner[rows]
        column = columns.of(number, owner)
        if column.min() < 0:
            kept = column >= 0
            owner, column, fields, counts = (
                owner[kept],
                column[kept],
                segment.fields[rows][kept],
                segment.counts[rows][kept],
            )
        else:
            fields, counts = segment.fields[rows], segment.counts[rows]
        counted = counts * index.field_factors[fields, owner + index.chunk_starts[number]]
        np.add.at(chunks, column, weight * counted)
        docs[column[fields == Field.DOC]] = True


def _add_paths(index: Index, term: int, weight: float, stems: Floats, folders: Floats) -> None:
    for segment, start in zip(index.segments, index.file_starts[:-1], strict=True):
        rows = segment.path_terms.find(term)
        owner = segment.path_terms.owner[rows] + start
        counted = weight * segment.path_counts[rows]
        in_stem = segment.path_places[rows] == STEM
        stems[owner[in_stem]] += counted[in_stem]
        folders[owner[~in_stem]] += counted[~in_stem]


def _add_words(index: Index, columns: _Columns, term: int, weight: float, stems: Floats, symbols: Floats) -> None:
    for segment, start in zip(index.segments, index.file_starts[:-1], strict=True):
        stems[segment.stem_parts.owner[segment.stem_parts.find(term)] + start] += weight
    for number, rows in columns.rows_of(term):
        symbols[columns.of(number, index.segments[number].symbol_parts.owner[rows])] += weight


def _add_covers(index: Index, columns: _Columns, concepts: Sequence[Concept], found: Matches) -> None:
    """Add up what was asked for, each term once, however many concepts it stands for."""
    weights: dict[int, float] = {}
    for concept in concepts:
        if concept.is_part:
            for term, weight in concept.alternates:
                weights[term] = max(weights.get(term, 0.0), weight)
    for term, weight in weights.items():
        _add_words(index, columns, term, weight * float(index.rarities[term]), found.stem_cover, found.symbol_cover)
