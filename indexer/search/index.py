"""Hold everything that can be searched: ``Index.of`` and ``with_changes``.

An index is immutable: a base segment, some small ones with later versions of files, and for each segment the files
that still count. Statistics (averages, frequencies) are of the files that count only, so what a question finds does
not depend on how the index came about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from indexer.entry import Chunk, FileEntry
from indexer.search.columns import Columns, columns_of
from indexer.search.merge import merged
from indexer.search.paths import KINDS, NO_CODE, own_folder
from indexer.search.picked import digests_of
from indexer.search.segment import Floats, Mask, Segment, segment_of
from indexer.search.usage import uses_of
from indexer.search.vocabulary import Ints, Vocabulary
from indexer.search.weights import FIELD_WEIGHTS, LENGTH_SHARES

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SEGMENTS = 8
DEAD_SHARE = 0.25  # of all chunks; with more of them replaced the segments are merged


@dataclass(frozen=True, eq=False, repr=False)
class Index:
    """Hold segments and, for each, which of its files count.

    Places of files, chunks and symbols are given over all segments, one after the other.
    """

    vocabulary: Vocabulary
    segments: tuple[Segment, ...]
    live: tuple[Mask, ...]
    _where: dict[str, int]  # place of each file that counts

    @classmethod
    def of(cls, entries: Iterable[FileEntry]) -> Index:
        """Build an index from nothing."""
        vocabulary = Vocabulary()
        return cls.of_columns(columns_of(list(entries), vocabulary), vocabulary)

    @classmethod
    def of_table(cls, table: pa.Table) -> Index:
        """Build an index from nothing, of rows of the store (``indexer.rows``)."""
        from indexer.search.table import columns_of_table

        vocabulary = Vocabulary()
        return cls.of_columns(columns_of_table(table, vocabulary), vocabulary)

    @classmethod
    def of_columns(cls, columns: Columns, vocabulary: Vocabulary) -> Index:
        """Build an index from nothing, of flat arrays."""
        return cls._of_segment(segment_of(columns, vocabulary), vocabulary)

    @classmethod
    def _of_segment(cls, segment: Segment, vocabulary: Vocabulary) -> Index:
        where = {path: place for place, path in enumerate(segment.paths)}
        return cls(vocabulary, (segment,), (np.ones(len(segment.paths), np.bool_),), where)

    def with_changes(self, changed: Iterable[FileEntry], removed: Iterable[str] = ()) -> Index:
        """Return an index with these files replaced or added, and those left out; unknown paths are fine."""
        entries = list({entry.path: entry for entry in changed}.values())
        where = dict(self._where)
        live = [mask.copy() for mask in self.live]
        starts = self.file_starts
        for path in {*removed, *(entry.path for entry in entries)}:
            place = where.pop(path, None)
            if place is not None:
                number = int(np.searchsorted(starts, place, "right")) - 1
                live[number][place - starts[number]] = False
        segments = list(self.segments)
        if entries:
            segment = segment_of(columns_of(entries, self.vocabulary), self.vocabulary)
            where |= {path: int(starts[-1]) + place for place, path in enumerate(segment.paths)}
            segments.append(segment)
            live.append(np.ones(len(entries), np.bool_))
        index = Index(self.vocabulary, tuple(segments), tuple(live), where)
        return index.merged() if index._is_scattered() else index

    def _is_scattered(self) -> bool:
        dead = len(self.live_chunks) - int(self.live_chunks.sum())
        return len(self.segments) > MOST_SEGMENTS or dead > DEAD_SHARE * len(self.live_chunks)

    def merged(self) -> Index:
        """Return the same index in one segment."""
        return self._of_segment(merged(self.segments, self.live), self.vocabulary)

    @property
    def file_count(self) -> int:
        """Files that count."""
        return len(self._where)

    @cached_property
    def chunk_count(self) -> int:
        """Chunks that count."""
        return int(self.live_chunks.sum())

    def place_of(self, path: str) -> int | None:
        """Return the place of a file that counts."""
        return self._where.get(path)

    @cached_property
    def file_starts(self) -> npt.NDArray[np.int64]:
        """Where each segment's files begin, and at last where all end."""
        return _starts([len(segment.paths) for segment in self.segments])

    @cached_property
    def chunk_starts(self) -> npt.NDArray[np.int64]:
        """Where each segment's chunks begin, and at last where all end."""
        return _starts([len(segment.chunk_files) for segment in self.segments])

    @cached_property
    def symbol_starts(self) -> npt.NDArray[np.int64]:
        """Where each segment's symbols begin, and at last where all end."""
        return _starts([len(segment.symbol_chunks) for segment in self.segments])

    @cached_property
    def paths(self) -> list[str]:
        """Paths of all files, also of those that do not count."""
        return [path for segment in self.segments for path in segment.paths]

    @cached_property
    def places_of_names(self) -> dict[str, list[int]]:
        """Places of the files that count, by their name with and without its suffix."""
        found: dict[str, list[int]] = {}
        for path, place in self._where.items():
            name = path.rpartition("/")[2]
            for key in {name, name.rsplit(".", 1)[0]}:
                found.setdefault(key, []).append(place)
        return found

    @cached_property
    def live_files(self) -> Mask:
        """Which files count."""
        return np.concatenate(self.live)

    @cached_property
    def live_chunks(self) -> Mask:
        """Which chunks count."""
        return np.concatenate(
            [mask[segment.chunk_files] for segment, mask in zip(self.segments, self.live, strict=True)]
        )

    @cached_property
    def chunk_files(self) -> Ints:
        """File of each chunk."""
        return _moved([segment.chunk_files for segment in self.segments], self.file_starts)

    @cached_property
    def symbol_chunks(self) -> Ints:
        """Chunk of each symbol."""
        return _moved([segment.symbol_chunks for segment in self.segments], self.chunk_starts)

    @cached_property
    def symbol_weights(self) -> Floats:
        """What each symbol's kind says of its file."""
        return np.concatenate([segment.symbol_weights for segment in self.segments])

    @cached_property
    def first_chunks(self) -> npt.NDArray[np.int64]:
        """Where each file's chunks begin, and at last where all end."""
        counts = [np.diff(segment.chunk_starts) for segment in self.segments]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])

    @cached_property
    def line_counts(self) -> Ints:
        """Lines of each file."""
        return np.concatenate([segment.line_counts for segment in self.segments])

    @cached_property
    def kinds(self) -> Mask:
        """Files by ``paths.KINDS``."""
        return np.concatenate([segment.kinds for segment in self.segments])

    @cached_property
    def lengths(self) -> Ints:
        """Terms by field and chunk."""
        return np.concatenate([segment.lengths for segment in self.segments], axis=1)

    @cached_property
    def average_lengths(self) -> Floats:
        """Mean terms of the chunks that count, by field."""
        total = self.lengths[:, self.live_chunks].sum(axis=1, dtype=np.int64)
        return np.asarray(total / max(self.chunk_count, 1), np.float64)

    @cached_property
    def term_count(self) -> int:
        """Terms that have a number; later versions of the index may add some, which this one does not know."""
        return len(self.vocabulary)

    @cached_property
    def frequencies(self) -> npt.NDArray[np.int64]:
        """Chunks that have each term."""
        total = np.zeros(self.term_count, np.int64)
        for segment, mask in zip(self.segments, self.live, strict=True):
            key, owner = segment.postings.key, segment.postings.owner
            if len(key):
                first = np.ones(len(key), np.bool_)
                first[1:] = (key[1:] != key[:-1]) | (owner[1:] != owner[:-1])
                if not mask.all():
                    first &= mask[segment.chunk_files][owner]
                total += np.bincount(key[first], minlength=len(total))
        return total

    @cached_property
    def path_frequencies(self) -> npt.NDArray[np.int64]:
        """Files that have each term in their path."""
        total = np.zeros(self.term_count, np.int64)
        for segment, mask in zip(self.segments, self.live, strict=True):
            rows = segment.path_terms
            total += np.bincount(rows.key[mask[rows.owner]], minlength=len(total))
        return total

    @cached_property
    def rarities(self) -> Floats:
        """Inverse chunk frequency of each term."""
        return self.rarity(self.frequencies)

    @cached_property
    def field_factors(self) -> Floats:
        """What one occurrence counts, by field and chunk: the field's weight, less in chunks with a long one."""
        shares = np.asarray(LENGTH_SHARES)[:, None]
        relative = self.lengths / np.maximum(self.average_lengths, 1e-6)[:, None]
        return np.asarray(np.asarray(FIELD_WEIGHTS)[:, None] / (1 - shares + shares * relative))

    def knows(self, term: str) -> bool:
        """Say whether a file that counts has the term, in its text or its path."""
        number = self.vocabulary.id_of(term)
        return (
            number is not None
            and number < self.term_count
            and bool(self.frequencies[number] or self.path_frequencies[number])
        )

    def rarity(self, frequency: npt.ArrayLike) -> Floats:
        """Return the inverse chunk frequency of what stands in so many chunks."""
        frequency = np.asarray(frequency, np.float64)
        return np.asarray(np.log(1 + (self.chunk_count - frequency + 0.5) / (frequency + 0.5)))

    @cached_property
    def stem_rarities(self) -> Floats:
        """Sum of the rarities of each file's stem words."""
        return self._owned([segment.stem_parts for segment in self.segments], [len(s.paths) for s in self.segments])

    @cached_property
    def symbol_rarities(self) -> Floats:
        """Sum of the rarities of each symbol's words."""
        return self._owned(
            [segment.symbol_parts for segment in self.segments], [len(s.symbol_chunks) for s in self.segments]
        )

    def _owned(self, tables: Sequence[object], sizes: Sequence[int]) -> Floats:
        return np.concatenate(
            [
                np.bincount(rows.owner, self.rarities[rows.key], size)  # type: ignore[attr-defined]
                for rows, size in zip(tables, sizes, strict=True)
            ]
        )

    @cached_property
    def uses(self) -> tuple[Ints, Ints]:
        """Pairs of files of code, the first of which defines what the second uses; see ``usage.uses_of``."""
        definer, user = uses_of(self.segments, self.live, self.file_starts)
        is_code = np.asarray(~self.kinds[:, [KINDS.index(kind) for kind in NO_CODE]].any(axis=1))
        both = is_code[definer] & is_code[user]
        return definer[both], user[both]

    @cached_property
    def own_folders(self) -> Ints:
        """A number for each file's folder."""
        numbers: dict[str, int] = {}
        places = [numbers.setdefault(path.rpartition("/")[0], len(numbers)) for path in self.paths]
        return np.array(places, np.int32)

    @cached_property
    def folders(self) -> tuple[Ints, Ints]:
        """Pairs of files, the second of which lies in the folder that the first stands for (``a/b.rs``: ``a/b/``)."""
        inside: dict[str, list[int]] = {}
        for place, path in enumerate(self.paths):
            if self.live_files[place]:
                inside.setdefault(path.rpartition("/")[0], []).append(place)
        pairs = [
            (place, other)
            for place, path in enumerate(self.paths)
            if self.live_files[place]
            for other in inside.get(own_folder(path), ())
            if other != place
        ]
        both = np.array(pairs, np.int32).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    @cached_property
    def places_of_digests(self) -> dict[bytes, int]:
        """Place of a chunk that counts, by its digest; of equal ones the first by path."""
        digests = [digest for segment in self.segments for digest in digests_of(segment.chunks)]
        files = self.chunk_files.tolist()
        places = np.flatnonzero(self.live_chunks).tolist()
        places.sort(key=lambda place: self.paths[files[place]], reverse=True)
        return {digests[place]: place for place in places}

    def chunk(self, place: int) -> Chunk:
        """Return what a hit shows of a chunk."""
        number = int(np.searchsorted(self.chunk_starts, place, "right")) - 1
        return self.segments[number].chunks[place - int(self.chunk_starts[number])]


def _starts(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(sizes, np.int64))])


def _moved(parts: Sequence[Ints], starts: npt.NDArray[np.int64]) -> Ints:
    return np.concatenate([part + np.int32(start) for part, start in zip(parts, starts[:-1], strict=True)])
