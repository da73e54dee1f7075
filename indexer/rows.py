"""Turn entries into rows of the store and back: ``table_of``, ``entries_of``; one row holds one file.

Rows are flat lists of plain values, so that a whole index is read into arrays without a loop over its chunks. Knows
pyarrow, and neither LanceDB nor where anything lies.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from indexer.entry import Chunk, Defined, FileEntry, Postings

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK_COLUMNS = (
    "name",
    "qualified_name",
    "kind",
    "parent",
    "start",
    "end",
    "part",
    "signature",
    "digest",
    "span_start",
    "span_end",
)
_DEFINED = ("name", "kind", "chunk")
_POSTING = ("term", "chunk", "field", "count")

Made = TypeVar("Made")


@cache
def schema() -> pa.Schema:
    """Give the columns of the table ``files``; list columns with one prefix have one length in each row."""
    import pyarrow as pa

    text, u8, u32 = pa.string(), pa.uint8(), pa.uint32()
    of_chunk = dict.fromkeys(("start", "end", "part", "span_start", "span_end"), u32) | {"digest": pa.binary(16)}
    of_posting = {"term": u32, "chunk": u32, "field": u8, "count": u8}
    return pa.schema(
        [
            pa.field("path", text, nullable=False),
            pa.field("digest", text, nullable=False),
            pa.field("language", text),
            pa.field("line_count", u32, nullable=False),
            *(pa.field(f"chunk_{name}", pa.list_(of_chunk.get(name, text))) for name in CHUNK_COLUMNS),
            *(pa.field(f"defined_{name}", pa.list_(u32 if name == "chunk" else text)) for name in _DEFINED),
            pa.field("terms", pa.list_(text)),
            *(pa.field(f"posting_{name}", pa.list_(of_posting[name])) for name in _POSTING),
            pa.field("identifiers", pa.list_(u32)),
        ]
    )


def table_of(entries: Sequence[FileEntry]) -> pa.Table:
    """Make the rows of some entries."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        "path": [entry.path for entry in entries],
        "digest": [entry.digest for entry in entries],
        "language": [entry.language for entry in entries],
        "line_count": [entry.line_count for entry in entries],
        "terms": _joined([entry.postings.terms for entry in entries]),
        "identifiers": _lists(entry.identifiers for entry in entries),
    }
    offsets, chunks = _joined([entry.chunks for entry in entries])
    for name in CHUNK_COLUMNS:
        columns[f"chunk_{name}"] = offsets, list(map(attrgetter(name), chunks))
    offsets, defined = _joined([entry.defined for entry in entries])
    for name in _DEFINED:
        columns[f"defined_{name}"] = offsets, list(map(attrgetter(name), defined))
    for name in _POSTING:
        columns[f"posting_{name}"] = _lists(getattr(entry.postings, name) for entry in entries)
    fields = schema()
    return pa.table([_column(columns[field.name], field.type) for field in fields], schema=fields)


def entries_of(table: pa.Table) -> Iterator[FileEntry]:
    """Give the entries of some rows, in their order."""
    for batch in table.select(schema().names).to_batches():
        columns = {field.name: _values(batch.column(field.name), field.type) for field in schema()}
        chunks = map(_chunks, zip(*(columns[f"chunk_{name}"] for name in CHUNK_COLUMNS), strict=True))
        defined = map(_defined, zip(*(columns[f"defined_{name}"] for name in _DEFINED), strict=True))
        postings = map(Postings, map(tuple, columns["terms"]), *(columns[f"posting_{name}"] for name in _POSTING))
        plain = (columns[name] for name in ("path", "digest", "language", "line_count"))
        yield from map(FileEntry, *plain, chunks, defined, postings, columns["identifiers"])


def _chunks(columns: Sequence[Iterable[Any]]) -> tuple[Chunk, ...]:
    return tuple(map(Chunk, *columns))


def _defined(columns: Sequence[Iterable[Any]]) -> tuple[Defined, ...]:
    return tuple(map(Defined, *columns))


def _values(column: Any, kind: pa.DataType) -> Iterable[Any]:
    """Give the value of each row: plain, a list, or an array where the numbers of all rows are one block of memory."""
    import pyarrow as pa

    if not pa.types.is_list(kind):
        return cast("list[Any]", column.to_pylist())
    offsets = column.offsets.to_pylist()
    flat = column.values.slice(offsets[0], offsets[-1] - offsets[0])
    bounds = [offset - offsets[0] for offset in offsets]
    rows = pairwise(bounds)
    if kind.value_type in (pa.uint8(), pa.uint32()) and not flat.null_count:
        numbers = flat.to_numpy()
        whole = array("B" if kind.value_type == pa.uint8() else "I", numbers.tobytes())
        return [whole[start:end] for start, end in rows]
    values = flat.to_pylist()
    return [values[start:end] for start, end in rows]


def _joined(lists: Sequence[Sequence[Made]]) -> tuple[list[int], list[Made]]:
    """Join lists into one, with the places where each begins and the last ends."""
    return [0, *accumulate(map(len, lists))], list(chain.from_iterable(lists))


def _lists(arrays: Iterable[array[int]]) -> tuple[list[int], array[int]]:
    """Join arrays likewise."""
    offsets, joined = [0], None
    for each in arrays:
        if joined is None:
            joined = array(each.typecode)
        joined.extend(each)
        offsets.append(len(joined))
    return offsets, joined if joined is not None else array("I")


def _column(values: Any, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if not isinstance(values, tuple):
        return pa.array(values, kind)
    offsets, joined = values
    if isinstance(joined, array):
        flat = pa.Array.from_buffers(_OF_TYPECODE()[joined.typecode], len(joined), [None, pa.py_buffer(joined)])
        flat = flat.cast(kind.value_type)
    else:
        flat = pa.array(joined, kind.value_type)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat)


@cache
def _OF_TYPECODE() -> dict[str, pa.DataType]:  # noqa: N802 - a constant that needs pyarrow
    import pyarrow as pa

    return {"B": pa.uint8(), "H": pa.uint16(), "I": pa.uint32()}
