"""Name what every embedder does: ``Embedder``, and the ``Batch`` in which its vectors come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Refused:
    """Say that the text at ``position`` gets no vector, and why."""

    position: int
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Hold the vectors of some of the texts; what has come is final and can be stored.

    Attributes:
        positions: places in the list of texts, ascending.
        vectors: one row of length 1 (float32) for each position; none holds NaN or infinity.
        refused: texts that get none.
    """

    positions: tuple[int, ...]
    vectors: NDArray[np.float32]
    refused: tuple[Refused, ...] = ()


class Embedder(Protocol):
    """Turn texts into vectors that are near where the meaning is near. Calls from several threads are safe."""

    @property
    def name(self) -> str:
        """Give ``minilm``, ``ollama`` or ``none``."""

    @property
    def model(self) -> str:
        """Give the model with all else that decides the vectors (version, preparation of texts).

        Vectors may be compared, and stored ones be used again, exactly if name, model and dimension are equal.
        """

    @property
    def dimension(self) -> int | None:
        """Give the length of the vectors; None while it is not known."""

    def embed_texts(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Yield the texts' vectors in batches, each text in exactly one.

        A text's vector does not depend on the texts beside it.

        Raises:
            EmbedderUnavailableError: no more will come; batches yielded before are good.
            DimensionMismatchError: the vectors' length has changed on the way.
        """

    def embed_query(self, text: str) -> NDArray[np.float32] | None:
        """Give the vector that finds texts answering this question, None if there is none.

        Raises:
            EmbedderUnavailableError, DimensionMismatchError: as above.
        """

    def close(self) -> None:
        """Give back memory and connections; the next call takes them again."""
