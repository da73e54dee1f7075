"""Find who uses a file: ``uses_of`` lists the other files that mention a name which only it, or few, define."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from indexer.search.segment import Mask, Segment
from indexer.search.vocabulary import Ints

_MOST_DEFINERS = 3  # a name that more files define says nothing
_LOW = np.uint64(32)


def uses_of(segments: Sequence[Segment], live: Sequence[Mask], starts: npt.NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Return pairs (definer, user) of files, each once; a file that defines the same name is no user."""
    definers = _definers(segments, live, starts)
    names, first, counts = np.unique(definers >> _LOW, return_index=True, return_counts=True)
    few = counts <= _MOST_DEFINERS
    names, first, counts = names[few].astype(np.uint32), first[few], counts[few]
    pairs = []
    for segment, mask, start in zip(segments, live, starts[:-1], strict=True):
        rows = segment.identifiers
        left = np.asarray(np.searchsorted(rows.key, names))
        right = np.asarray(np.searchsorted(rows.key, names, "right"))
        which, place = _ranges(left, right)
        used = mask[rows.owner[place]]
        which, user = which[used], rows.owner[place[used]].astype(np.int64) + start
        pairs.append(np.stack([which, user]))
    which, user = np.concatenate(pairs, axis=1) if pairs else np.zeros((2, 0), np.int64)
    foreign = ~_is_in(names[which].astype(np.uint64) << _LOW | user.astype(np.uint64), definers)
    which, user = which[foreign], user[foreign]
    again, place = _ranges(first[which], (first + counts)[which])
    definer = definers[place] & np.uint64(0xFFFFFFFF)
    both = np.unique(definer << _LOW | user[again].astype(np.uint64))
    return (both >> _LOW).astype(np.int32), (both & np.uint64(0xFFFFFFFF)).astype(np.int32)


def _definers(
    segments: Sequence[Segment], live: Sequence[Mask], starts: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """Return (name, file) pairs as one number each, sorted."""
    parts = []
    for segment, mask, start in zip(segments, live, starts[:-1], strict=True):
        rows = segment.definitions
        kept = mask[rows.owner]
        files = rows.owner[kept].astype(np.uint64) + np.uint64(start)
        parts.append(rows.key[kept].astype(np.uint64) << _LOW | files)
    return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.uint64)


def _ranges(
    left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Write ranges out: for each number in one of them, which range it is of, and the number."""
    sizes = right - left
    which = np.repeat(np.arange(len(left)), sizes)
    before = np.cumsum(sizes) - sizes
    return which, np.arange(len(which)) - before[which] + left[which]


def _is_in(values: npt.NDArray[np.uint64], ordered: npt.NDArray[np.uint64]) -> Mask:
    if not len(ordered):
        return np.zeros(len(values), np.bool_)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[place] == values)
