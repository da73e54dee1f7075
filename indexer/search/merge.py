"""Make one segment of several: ``merged``, without the files that no longer count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.search.columns import Bytes, offsets
from indexer.search.picked import picked
from indexer.search.segment import Mask, Rows, Segment, order_of
from indexer.search.vocabulary import Ints


def merged(segments: Sequence[Segment], live: Sequence[Mask]) -> Segment:
    """Make one segment of several, without the files that are not ``live``."""
    files, chunks, symbols = [], [], []
    for segment, alive in zip(segments, live, strict=True):
        files.append(alive)
        chunks.append(alive[segment.chunk_files])
        symbols.append(chunks[-1][segment.symbol_chunks])
    file_places, chunk_places, symbol_places = _places(files), _places(chunks), _places(symbols)

    def rows(name: str, places: Sequence[Ints], *beside: str) -> tuple[Rows, list[Bytes]]:
        owners = [place[getattr(segment, name).owner] for segment, place in zip(segments, places, strict=True)]
        kept = [owner >= 0 for owner in owners]
        key = np.concatenate([getattr(s, name).key[keep] for s, keep in zip(segments, kept, strict=True)])
        owner = np.concatenate([owner[keep] for owner, keep in zip(owners, kept, strict=True)])
        order = order_of(key)
        others = [
            np.concatenate([getattr(s, other)[k] for s, k in zip(segments, kept, strict=True)]) for other in beside
        ]
        return Rows(key[order], owner[order]), [other[order] for other in others]

    def column(name: str, kept: Sequence[Mask]) -> npt.NDArray[Any]:
        return np.concatenate([getattr(s, name)[..., keep] for s, keep in zip(segments, kept, strict=True)], axis=-1)

    chunk_counts = [np.diff(segment.chunk_starts)[alive] for segment, alive in zip(segments, files, strict=True)]
    postings, (fields, counts) = rows("postings", chunk_places, "fields", "counts")
    path_terms, (path_places, path_counts) = rows("path_terms", file_places, "path_places", "path_counts")
    return Segment(
        paths=tuple(
            path for s, alive in zip(segments, files, strict=True) for path, a in zip(s.paths, alive, strict=True) if a
        ),
        line_counts=column("line_counts", files),
        kinds=np.concatenate([segment.kinds[alive] for segment, alive in zip(segments, files, strict=True)]),
        chunk_starts=offsets(np.concatenate(chunk_counts)),
        chunk_files=np.concatenate(
            [place[s.chunk_files[keep]] for s, place, keep in zip(segments, file_places, chunks, strict=True)]
        ),
        chunks=picked([segment.chunks for segment in segments], chunks),
        lengths=column("lengths", chunks),
        postings=postings,
        fields=fields,
        counts=counts,
        path_terms=path_terms,
        path_places=path_places,
        path_counts=path_counts,
        stem_parts=rows("stem_parts", file_places)[0],
        symbol_chunks=np.concatenate(
            [place[s.symbol_chunks[keep]] for s, place, keep in zip(segments, chunk_places, symbols, strict=True)]
        ),
        symbol_weights=column("symbol_weights", symbols),
        symbol_parts=rows("symbol_parts", symbol_places)[0],
        symbol_names=rows("symbol_names", symbol_places)[0],
        symbol_folded=rows("symbol_folded", symbol_places)[0],
        identifiers=rows("identifiers", file_places)[0],
        definitions=rows("definitions", file_places)[0],
    )


def _places(kept: Sequence[Mask]) -> list[Ints]:
    """Return for each segment the new place of each row, -1 for those that are left out."""
    places, start = [], 0
    for keep in kept:
        place = np.where(keep, np.cumsum(keep) - 1 + start, -1)
        places.append(place.astype(np.int32))
        start += int(keep.sum())
    return places
