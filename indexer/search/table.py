"""Take columns from a table of rows (``indexer.rows``) as they are: ``columns_of_table``, with no entry made.

Making entries of a large index takes most of the time in which a first question is answered. Chunks are made when they
are shown: ``ChunkRows`` gives them by their place.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
import numpy.typing as npt

from indexer.entry import Chunk
from indexer.rows import CHUNK_COLUMNS
from indexer.search.columns import Columns, Kind, offsets
from indexer.search.vocabulary import Ints, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa


class MadeChunks(Sequence[Chunk]):
    """Be a sequence whose chunks are made when they are asked for, by ``at``."""

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> list[Chunk]: ...
    def __getitem__(self, place: int | slice) -> Chunk | list[Chunk]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        return self.at(place)

    @abstractmethod
    def at(self, place: int) -> Chunk:
        """Make the chunk at one place."""


class ChunkRows(MadeChunks):
    """Hold chunks as columns.

    Args:
        columns: one value a chunk each, by the names of ``Chunk``, in its order.
    """

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        self._columns = columns
        self._digests = columns[CHUNK_COLUMNS.index("digest")]

    def __len__(self) -> int:
        return len(self._digests)

    def at(self, place: int) -> Chunk:
        """Make the chunk at one place."""
        return Chunk(*(column[int(place)].as_py() for column in self._columns))

    def __iter__(self) -> Iterator[Chunk]:
        return map(Chunk, *(column.to_pylist() for column in self._columns))

    def digests(self) -> list[bytes]:
        """Return the digests of all chunks."""
        return cast("list[bytes]", self._digests.to_pylist())


def columns_of_table(table: pa.Table, vocabulary: Vocabulary) -> Columns:
    """Take the columns of a table of rows; their terms get numbers."""
    terms = _column(table, "terms")
    word_counts = _counts(terms)
    encoded = terms.flatten().dictionary_encode()
    numbers = vocabulary.add(encoded.dictionary.to_pylist())
    words = numbers[_numbers(encoded.indices, np.int64)] if len(encoded) else np.zeros(0, np.int32)
    local = _column(table, "posting_term")
    posting_counts = _counts(local)
    first_words = np.repeat(offsets(word_counts)[:-1], posting_counts)
    chunk_counts = _counts(_column(table, "chunk_digest"))
    return Columns(
        paths=_column(table, "path").to_pylist(),
        line_counts=_numbers(_column(table, "line_count"), np.int32),
        chunk_counts=chunk_counts,
        chunks=ChunkRows([_column(table, f"chunk_{name}").flatten() for name in CHUNK_COLUMNS]),
        defined_counts=_counts(_column(table, "defined_name")),
        defined_names=_column(table, "defined_name").flatten().to_pylist(),
        defined_kinds=_column(table, "defined_kind").flatten().to_pylist(),
        defined_chunks=_flat(table, "defined_chunk", np.int64),
        posting_counts=posting_counts,
        terms=words[_numbers(local.flatten(), np.int64) + first_words] if len(words) else np.zeros(0, np.int32),
        chunk=_flat(table, "posting_chunk", np.int32),
        field=_flat(table, "posting_field", np.uint8),
        count=_flat(table, "posting_count", np.uint8),
        identifier_counts=_counts(_column(table, "identifiers")),
        identifiers=_flat(table, "identifiers", np.uint32),
    )


def _column(table: pa.Table, name: str) -> Any:
    """Return a column in one piece."""
    import pyarrow as pa

    column = table.column(name).combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def _counts(lists: Any) -> Ints:
    import pyarrow.compute as pc

    return _numbers(pc.fill_null(pc.list_value_length(lists), 0), np.int32)


def _flat(table: pa.Table, name: str, kind: type[Kind]) -> npt.NDArray[Kind]:
    return _numbers(_column(table, name).flatten(), kind)


def _numbers(values: Any, kind: type[Kind]) -> npt.NDArray[Kind]:
    return np.asarray(values.to_numpy(zero_copy_only=False)).astype(kind, copy=False)
