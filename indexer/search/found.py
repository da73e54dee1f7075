"""Name what a search gives, ``Found`` with its ``Hit`` values, and what it may be given: ``Vectors``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


class Confidence(StrEnum):
    """Say how far hits answer the question."""

    NONE = "none"  # nothing here answers it; there are no hits
    LOW = "low"
    PARTIAL = "partial"  # the name asked for is nowhere; the hits have parts of it
    NORMAL = "normal"


@dataclass(frozen=True, slots=True)
class Hit:
    """Hold one place that answers a question; see ``indexer.entry.Chunk`` for the names.

    Attributes:
        start: first line of the definition, and
        end: its last line: what an agent should read.
        shown_start: first line of the chunk that answers best, with the comments before it, and
        shown_end: its last line; a long function has several chunks.
        relevance: from 0 to 1, higher is better, comparable between questions.
    """

    path: str
    start: int
    end: int
    shown_start: int
    shown_end: int
    name: str
    qualified_name: str
    kind: str
    signature: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Found:
    """Hold the hits of one question, best first.

    Attributes:
        confidence: see there.
        evidence: from 0 to 1, what the confidence was decided by.
        missing: words of the question that the best place lacks; those that no file has come first.
        unknown: those of them that no file has.
        closest: known terms that resemble the unknown words, only where there are no hits.
        terms: what to look for in the lines of hits: terms as the index has them, with what each is worth.
    """

    hits: tuple[Hit, ...]
    confidence: Confidence
    evidence: float
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    closest: tuple[str, ...]
    terms: Mapping[str, float]


class Vectors(Protocol):
    """Give vectors of unit length of one embedder; what is not there yet is left out, never waited for."""

    def query_vector(self, text: str) -> Vector | None:
        """Return the vector of a question, None if there is none to be had now."""

    def vectors_of(self, digests: Sequence[bytes]) -> Vector:
        """Return one row for each digest of a chunk, NaN where there is none."""

    def nearest(self, vector: Vector, n: int) -> list[tuple[bytes, float]]:
        """Return digests of the nearest chunks and their cosines, best first."""
