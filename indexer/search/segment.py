"""Hold the postings of some files in memory: ``segment_of`` builds a ``Segment``.

Rows are sorted by term, so all rows of a term are one slice. Places of files, chunks and symbols count from 0 inside
their segment. A segment never changes and knows nothing of files that were replaced since.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from indexer.entry import Chunk
from indexer.search.columns import Bytes, Columns, Crcs, offsets
from indexer.search.paths import KINDS, folders_of, kinds_of, speaking_stem, stem_of
from indexer.search.vocabulary import Ints, Vocabulary
from indexer.terms import Remembered, light_stem, parts, terms_of, words

FIELDS = 6
STEM, FOLDER = 0, 1  # places of a term in a path

# How much a definition of that kind says about its file.
_KIND_WEIGHT = {"function": 0.9, "method": 0.9, "constructor": 0.9, "procedure": 0.9, "macro": 0.85}
_KIND_WEIGHT |= {"constant": 0.85, "variable": 0.85, "heading": 0.6}
_TYPE_WEIGHT = 1.0  # classes, interfaces, modules and the like

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Hold rows sorted by ``key``: ``owner`` is the file, chunk or symbol that has it."""

    key: npt.NDArray[np.generic]
    owner: Ints

    def find(self, key: int) -> slice:
        """Return the rows of one key."""
        same = self.key.dtype.type(key)  # another type would have numpy copy all keys
        return slice(int(self.key.searchsorted(same)), int(self.key.searchsorted(same, "right")))


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Hold files, their chunks, symbols and postings.

    Attributes:
        paths, line_counts: one a file.
        kinds: files by ``paths.KINDS``.
        chunk_starts: where each file's chunks begin, and at last where all end.
        chunk_files: file of each chunk.
        chunks: what a hit shows.
        lengths: terms by field and chunk.
        postings: terms in chunks; ``fields`` and ``counts`` belong to its rows.
        path_terms: terms in files' paths; ``path_places`` (STEM, FOLDER) and ``path_counts`` belong to its rows.
        stem_parts: distinct words of files' speaking stems.
        symbol_chunks, symbol_weights: one a symbol.
        symbol_parts: distinct words of symbols' names.
        symbol_names, symbol_folded: CRC-32 of names, as written and without case and separators.
        identifiers: CRC-32 of all identifiers in files.
        definitions: CRC-32 of the names of more than two characters that files define, distinct.
    """

    paths: tuple[str, ...]
    line_counts: Ints
    kinds: Mask
    chunk_starts: npt.NDArray[np.int64]
    chunk_files: Ints
    chunks: Sequence[Chunk]
    lengths: Ints
    postings: Rows
    fields: Bytes
    counts: Bytes
    path_terms: Rows
    path_places: Bytes
    path_counts: Bytes
    stem_parts: Rows
    symbol_chunks: Ints
    symbol_weights: Floats
    symbol_parts: Rows
    symbol_names: Rows
    symbol_folded: Rows
    identifiers: Rows
    definitions: Rows


def folded(name: str) -> str:
    """Return a name without case and separators, as two spellings of it are compared."""
    return re.sub(r"[\W_]+", "", name).lower()


def checksum(name: str) -> int:
    """Return the CRC-32 by which names are compared."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def segment_of(columns: Columns, vocabulary: Vocabulary) -> Segment:
    """Build a segment; symbols and paths are taken apart here, postings only sorted."""
    files = np.arange(len(columns.paths), dtype=np.int32)
    chunk_starts = offsets(columns.chunk_counts)
    chunk = columns.chunk + np.repeat(chunk_starts[:-1], columns.posting_counts)
    order = order_of(columns.terms)
    lengths = np.zeros((FIELDS, len(columns.chunks)), np.int32)
    for field in range(FIELDS):
        here = columns.field == field
        lengths[field] = np.bincount(chunk[here], columns.count[here], len(columns.chunks))
    chunk_files = np.repeat(files, columns.chunk_counts)
    symbol_chunks = columns.defined_chunks + np.repeat(chunk_starts[:-1], columns.defined_counts)
    names = columns.defined_names
    crcs = np.fromiter(map(checksum, names), np.uint32, len(names))
    long = np.fromiter((len(name) > 2 for name in names), np.bool_, len(names))
    path_terms, path_places, path_counts = _path_rows(columns.paths, vocabulary)
    return Segment(
        paths=tuple(columns.paths),
        line_counts=columns.line_counts,
        kinds=np.array([kinds_of(path) for path in columns.paths], np.bool_).reshape(-1, len(KINDS)),
        chunk_starts=chunk_starts,
        chunk_files=chunk_files,
        chunks=columns.chunks,
        lengths=lengths,
        postings=Rows(columns.terms[order], chunk[order].astype(np.int32)),
        fields=columns.field[order],
        counts=columns.count[order],
        path_terms=path_terms,
        path_places=path_places,
        path_counts=path_counts,
        stem_parts=_word_rows([speaking_stem(path) for path in columns.paths], vocabulary),
        symbol_chunks=symbol_chunks.astype(np.int32),
        symbol_weights=np.array([_KIND_WEIGHT.get(kind, _TYPE_WEIGHT) for kind in columns.defined_kinds], np.float64),
        symbol_parts=_word_rows(names, vocabulary),
        symbol_names=_sorted(crcs, np.arange(len(names), dtype=np.int32)),
        symbol_folded=_sorted(
            np.fromiter((checksum(folded(name)) for name in names), np.uint32, len(names)),
            np.arange(len(names), dtype=np.int32),
        ),
        identifiers=_sorted(columns.identifiers, np.repeat(files, columns.identifier_counts)),
        definitions=_distinct(crcs[long], chunk_files[symbol_chunks[long]] if len(names) else files[:0]),
    )


def order_of(keys: npt.NDArray[np.generic]) -> npt.NDArray[np.intp]:
    """Return the stable order of keys below 2**32; by halves, which numpy sorts by radix and so much faster."""
    wide = keys.astype(np.uint32)
    order = np.argsort(wide.astype(np.uint16), kind="stable")
    return order[np.argsort((wide >> 16).astype(np.uint16)[order], kind="stable")]


def _sorted(keys: npt.NDArray[np.generic], owners: Ints) -> Rows:
    order = order_of(keys)
    return Rows(keys[order], owners[order])


def _distinct(keys: Crcs, owners: Ints) -> Rows:
    both = np.unique(keys.astype(np.uint64) << np.uint64(32) | owners.astype(np.uint64))
    return Rows((both >> np.uint64(32)).astype(np.uint32), (both & np.uint64(0xFFFFFFFF)).astype(np.int32))


def _word_rows(names: Sequence[str], vocabulary: Vocabulary) -> Rows:
    """Return the distinct words of names, by term; the owner is the name's place."""
    stems = Remembered(light_stem)
    known = {name: _distinct_parts(name, stems) for name in set(names)}
    found = [known[name] for name in names]
    numbers = vocabulary.add([word for one in found for word in one])
    owners = np.repeat(np.arange(len(names), dtype=np.int32), [len(one) for one in found])
    return _sorted(numbers, owners)


def _distinct_parts(name: str, stems: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([stems[part] for word in words(name) for part in parts(word)]))


def _path_rows(paths: Iterable[str], vocabulary: Vocabulary) -> tuple[Rows, Bytes, Bytes]:
    """Return the terms of stems and folders, whole words included, with their places and counts."""
    terms: list[str] = []
    owners, places, counts = [], [], []
    for number, path in enumerate(paths):
        for place, text in ((STEM, stem_of(path)), (FOLDER, folders_of(path))):
            seen: dict[str, int] = {}
            for word in words(text):
                for term in terms_of(word):
                    seen[term] = seen.get(term, 0) + 1
            terms += seen
            owners += [number] * len(seen)
            places += [place] * len(seen)
            counts += [min(n, 255) for n in seen.values()]
    keys = vocabulary.add(terms)
    order = order_of(keys)
    rows = Rows(keys[order], np.asarray(owners, np.int32)[order])
    return rows, np.asarray(places, np.uint8)[order], np.asarray(counts, np.uint8)[order]
