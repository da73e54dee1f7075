"""Give some chunks of several sequences as one, without making any: ``picked``, and ``digests_of`` for all of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from indexer.entry import Chunk
from indexer.search.table import ChunkRows, MadeChunks
from indexer.search.vocabulary import Ints


class Picked(MadeChunks):
    """Hold chunks by the sequence that has them and their places in it."""

    def __init__(self, sources: Sequence[Sequence[Chunk]], source: Ints, place: Ints) -> None:
        self.sources = sources
        self.source = source
        self.place = place

    def __len__(self) -> int:
        return len(self.place)

    def at(self, place: int) -> Chunk:
        """Give the chunk at one place."""
        return self.sources[int(self.source[place])][int(self.place[place])]


def picked(sequences: Sequence[Sequence[Chunk]], kept: Sequence[npt.NDArray[np.bool_]]) -> Picked:
    """Make one sequence of what is kept of several; picks of picks are no deeper, and forget what nobody picked."""
    sources: list[Sequence[Chunk]] = []
    source, place = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for chunks, keep in zip(sequences, kept, strict=True):
        if isinstance(chunks, Picked):
            used, number = np.unique(chunks.source[keep], return_inverse=True)
            source.append((number + len(sources)).astype(np.int32))
            place.append(chunks.place[keep])
            sources += [chunks.sources[each] for each in used]
        else:
            at = np.flatnonzero(keep).astype(np.int32)
            source.append(np.full(len(at), len(sources), np.int32))
            place.append(at)
            sources.append(chunks)
    return Picked(sources, np.concatenate(source), np.concatenate(place))


def digests_of(chunks: Sequence[Chunk]) -> list[bytes]:
    """Return the digests of all chunks of a sequence."""
    if isinstance(chunks, ChunkRows):
        return chunks.digests()
    if isinstance(chunks, Picked):
        known = [digests_of(source) for source in chunks.sources]
        return [known[source][place] for source, place in zip(chunks.source, chunks.place, strict=True)]
    return [chunk.digest for chunk in chunks]
