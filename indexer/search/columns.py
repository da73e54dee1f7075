"""Flatten file entries into arrays: ``columns_of`` gives what a segment is built from, without any meaning yet.

``table.columns_of_table`` gives the same of rows of the store, without making entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from indexer.entry import Chunk, FileEntry
from indexer.search.vocabulary import Ints, Vocabulary

Bytes = npt.NDArray[np.uint8]
Kind = TypeVar("Kind", bound=np.generic)
Crcs = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Columns:
    """Hold files one after the other; each array's rows are in the order of the files.

    Attributes:
        paths: one a file.
        line_counts: one a file.
        chunk_counts, posting_counts, identifier_counts: rows that belong to each file.
        chunks: see ``Chunk``; anything that gives one by its place will do.
        defined_counts: names that belong to each file.
        defined_names, defined_kinds, defined_chunks: see ``Defined``.
        terms: the vocabulary's number of each posting's term.
        chunk, field, count: of each posting; ``chunk`` is a place in its file.
        identifiers: CRC-32 of each file's identifiers.
    """

    paths: Sequence[str]
    line_counts: Ints
    chunk_counts: Ints
    chunks: Sequence[Chunk]
    defined_counts: Ints
    defined_names: Sequence[str]
    defined_kinds: Sequence[str]
    defined_chunks: npt.NDArray[np.int64]
    posting_counts: Ints
    terms: Ints
    chunk: Ints
    field: Bytes
    count: Bytes
    identifier_counts: Ints
    identifiers: Crcs


def columns_of(entries: Sequence[FileEntry], vocabulary: Vocabulary) -> Columns:
    """Flatten entries; their terms get numbers."""
    words = vocabulary.add(list(chain.from_iterable(entry.postings.terms for entry in entries)))
    word_starts = offsets([len(entry.postings.terms) for entry in entries])[:-1]
    defined = list(chain.from_iterable(entry.defined for entry in entries))
    posting_counts = _ints([len(entry.postings.term) for entry in entries])
    local = _joined([entry.postings.term for entry in entries], np.int64)
    return Columns(
        paths=[entry.path for entry in entries],
        line_counts=_ints([entry.line_count for entry in entries]),
        chunk_counts=_ints([len(entry.chunks) for entry in entries]),
        chunks=list(chain.from_iterable(entry.chunks for entry in entries)),
        defined_counts=_ints([len(entry.defined) for entry in entries]),
        defined_names=[name.name for name in defined],
        defined_kinds=[name.kind for name in defined],
        defined_chunks=np.fromiter((name.chunk for name in defined), np.int64, len(defined)),
        posting_counts=posting_counts,
        terms=words[local + np.repeat(word_starts, posting_counts)] if len(words) else _ints([]),
        chunk=_joined([entry.postings.chunk for entry in entries], np.int32),
        field=_joined([entry.postings.field for entry in entries], np.uint8),
        count=_joined([entry.postings.count for entry in entries], np.uint8),
        identifier_counts=_ints([len(entry.identifiers) for entry in entries]),
        identifiers=_joined([entry.identifiers for entry in entries], np.uint32),
    )


def offsets(counts: Sequence[int] | Ints) -> npt.NDArray[np.int64]:
    """Return where each file's rows begin, and at last where all end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(counts, np.int64))])


def _ints(values: Sequence[int]) -> Ints:
    return np.asarray(values, np.int32)


def _joined(arrays: Sequence[Sequence[int]], kind: type[Kind]) -> npt.NDArray[Kind]:
    return np.concatenate([np.asarray(part).astype(kind) for part in arrays]) if arrays else np.zeros(0, kind)
