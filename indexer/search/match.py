"""Look a question's concepts up: ``match`` tells how strongly each of them stands in each chunk, path and symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indexer.entry import Field
from indexer.search.index import Index
from indexer.search.question import Concept
from indexer.search.segment import STEM, Floats, Mask


@dataclass(frozen=True, slots=True)
class Matches:
    """Hold what was found of concepts, one row a concept; rows of files that do not count are filled as well.

    Attributes:
        rarities: inverse chunk frequency of each concept, all its alternates counted.
        chunks: weighted frequency in each chunk's own text.
        docs: whether it stands in the chunk's documentation.
        stems, folders: weighted frequency in each file's name and folders.
        stem_words, symbol_words: weight with which it is a word of each file's speaking stem, each symbol's name.
        stem_cover, symbol_cover: rarities, so weighted, of the words of each that were asked for (no row a concept).
    """

    rarities: Floats
    chunks: Floats
    docs: Mask
    stems: Floats
    folders: Floats
    stem_words: Floats
    symbol_words: Floats
    stem_cover: Floats
    symbol_cover: Floats


def match(index: Index, concepts: Sequence[Concept]) -> Matches:
    """Look up concepts."""
    rows, files, symbols = len(concepts), len(index.paths), len(index.symbol_chunks)
    found = Matches(
        rarities=index.rarity([_frequency(index, concept) for concept in concepts]),
        chunks=np.zeros((rows, len(index.chunk_files))),
        docs=np.zeros((rows, len(index.chunk_files)), np.bool_),
        stems=np.zeros((rows, files)),
        folders=np.zeros((rows, files)),
        stem_words=np.zeros((rows, files)),
        symbol_words=np.zeros((rows, symbols)),
        stem_cover=np.zeros(files),
        symbol_cover=np.zeros(symbols),
    )
    for row, concept in enumerate(concepts):
        for term, weight in concept.alternates:
            _add_postings(index, term, weight, found.chunks[row], found.docs[row])
            _add_paths(index, term, weight, found.stems[row], found.folders[row])
            if concept.is_part:
                _add_words(index, term, weight, found.stem_words[row], found.symbol_words[row])
    _add_covers(index, concepts, found)
    return found


def _frequency(index: Index, concept: Concept) -> float:
    total = sum(weight * float(index.frequencies[term]) for term, weight in concept.alternates)
    return min(float(index.chunk_count), total)


def _add_postings(index: Index, term: int, weight: float, chunks: Floats, docs: Mask) -> None:
    for segment, start in zip(index.segments, index.chunk_starts[:-1], strict=True):
        rows = segment.postings.find(term)
        if rows.start == rows.stop:
            continue
        owner = segment.postings.owner[rows]
        fields = segment.fields[rows]
        counted = segment.counts[rows] * index.field_factors[fields, owner + start]
        np.add.at(chunks, owner + start, weight * counted)
        docs[owner[fields == Field.DOC] + start] = True


def _add_paths(index: Index, term: int, weight: float, stems: Floats, folders: Floats) -> None:
    for segment, start in zip(index.segments, index.file_starts[:-1], strict=True):
        rows = segment.path_terms.find(term)
        owner = segment.path_terms.owner[rows] + start
        counted = weight * segment.path_counts[rows]
        in_stem = segment.path_places[rows] == STEM
        stems[owner[in_stem]] += counted[in_stem]
        folders[owner[~in_stem]] += counted[~in_stem]


def _add_words(index: Index, term: int, weight: float, stems: Floats, symbols: Floats) -> None:
    for number, segment in enumerate(index.segments):
        found = segment.stem_parts.find(term)
        stems[segment.stem_parts.owner[found] + index.file_starts[number]] += weight
        found = segment.symbol_parts.find(term)
        symbols[segment.symbol_parts.owner[found] + index.symbol_starts[number]] += weight


def _add_covers(index: Index, concepts: Sequence[Concept], found: Matches) -> None:
    """Add up what was asked for, each term once, however many concepts it stands for."""
    weights: dict[int, float] = {}
    for concept in concepts:
        if concept.is_part:
            for term, weight in concept.alternates:
                weights[term] = max(weights.get(term, 0.0), weight)
    for term, weight in weights.items():
        _add_words(index, term, weight * float(index.rarities[term]), found.stem_cover, found.symbol_cover)
