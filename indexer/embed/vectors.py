"""Judge and scale vectors: ``unit`` gives a vector of length 1, or says what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.embed.protocol import Batch, Refused

_SMALLEST = 1e-9  # a vector this short points nowhere


def unit(numbers: Sequence[float] | NDArray[np.float32]) -> NDArray[np.float32] | str:
    """Scale to length 1; give the reason, in words, where that makes no sense."""
    wide = np.asarray(numbers, dtype=np.float64)
    if wide.ndim != 1 or not wide.size:
        return "the model gave no vector"
    if not np.isfinite(wide).all():
        return "the model gave a vector with NaN or infinity"
    largest = float(np.abs(wide).max())
    if largest < _SMALLEST:
        return "the model gave a vector of zeros"
    wide /= largest  # squares of huge numbers would be infinite
    return (wide / np.linalg.norm(wide)).astype(np.float32)


def batch_of(found: dict[int, NDArray[np.float32]], refused: list[Refused], dimension: int) -> Batch:
    """Put vectors by position, and refusals, into a batch."""
    positions = tuple(sorted(found))
    rows = np.empty((len(positions), dimension), dtype=np.float32)
    for row, position in enumerate(positions):
        rows[row] = found[position]
    return Batch(positions, rows, tuple(sorted(refused, key=lambda each: each.position)))
