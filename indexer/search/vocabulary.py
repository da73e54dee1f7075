"""Number terms: ``Vocabulary`` gives each term an id that never changes, shared by all segments of an index.

It only grows; a term that no file has any more keeps its id and is unknown again because nothing counts it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from indexer.terms import Remembered, heavy_stem

Ints = npt.NDArray[np.int32]

_START = 3  # characters that a heavy stem leaves as they are


class Vocabulary:
    """Map terms to ids and, for alternates, beginnings to the ids of their terms."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._terms: list[str] = []
        self._by_start: dict[str, list[int]] = {}
        self._roots = Remembered(_root)  # heavy stems of terms that were compared
        self._sorted = 0  # terms that are in _by_start already
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._terms)

    def id_of(self, term: str) -> int | None:
        """Return the term's id, None if no file ever had it."""
        return self._ids.get(term)

    def term_of(self, number: int) -> str:
        """Return the term with that id."""
        return self._terms[number]

    def add(self, terms: Sequence[str]) -> Ints:
        """Number terms, new ones included, in the order given."""
        ids = self._ids
        with self._lock:
            for term in terms:
                if term not in ids:
                    self._terms.append(term)
                    ids[term] = len(self._terms) - 1
            return np.fromiter(map(ids.__getitem__, terms), np.int32, len(terms))

    def same_heavy_stem(self, term: str) -> Iterable[int]:
        """List the ids of all terms with the heavy stem of this one."""
        with self._lock:
            for number in range(self._sorted, len(self._terms)):
                self._by_start.setdefault(self._terms[number][:_START], []).append(number)
            self._sorted = len(self._terms)
            alike = tuple(self._by_start.get(term[:_START], ()))
        roots, terms = self._roots, self._terms
        root = roots[term]
        return tuple([number for number in alike if roots[terms[number]] == root])

    def starting_with(self, beginning: str) -> list[str]:
        """List all terms with that beginning."""
        return [term for term in tuple(self._terms) if term.startswith(beginning)]


def _root(term: str) -> str:
    """Return the heavy stem of what has its light one already: the ``s`` of ``pars`` is that of ``parse``."""
    ends_in_se = term.endswith("s") and not term.endswith(("ss", "us", "is"))
    return heavy_stem(f"{term}e" if ends_in_se else term)
