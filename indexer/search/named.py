"""Find what a question calls by its name: ``named`` looks up definitions, dotted names and paths as written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from indexer.search.index import Index
from indexer.search.question import Question
from indexer.search.segment import Floats, Mask, Rows, checksum, folded
from indexer.search.vocabulary import Ints

_SHORT = 2  # characters; in a sentence such names are rarely meant
_SHORT_FACTOR = 0.3
_CHAIN_BONUS = 0.3  # for the file that defines ``A.b`` where that is asked for
_PATH_BONUS = 1.0  # for the file whose path is in the question


@dataclass(frozen=True, slots=True)
class Named:
    """Hold symbols that a question names, and what files earn for it.

    Attributes:
        symbols: their places, each once.
        exact, folded: for each of these, what its kind says if the name is written so, or so but for case and ``_``.
        exact_kind, folded_kind: the same without the discount for short names.
        bonus: one number a file, for dotted names and paths.
        files: which files are named.
    """

    symbols: Ints
    exact: Floats
    folded: Floats
    exact_kind: Floats
    folded_kind: Floats
    bonus: Floats
    files: Mask


def named(index: Index, question: Question) -> Named:
    """Look up the names of a question."""
    exact: dict[int, float] = {}
    loose: dict[int, float] = {}
    for name in question.names:
        share = 1.0 if len(name) > _SHORT or question.is_name else _SHORT_FACTOR
        for place in _places(index, "symbol_names", name):
            exact[place] = max(exact.get(place, 0.0), share)
        for place in _places(index, "symbol_folded", folded(name)):
            loose[place] = max(loose.get(place, 0.0), share)
    chained = _chained(index, question)
    exact |= dict.fromkeys(chained, 1.0)
    symbols = np.array(sorted({*exact, *loose}), np.int32)
    kind = index.symbol_weights[symbols]
    exact_share = np.array([exact.get(int(place), 0.0) for place in symbols])
    loose_share = np.array([loose.get(int(place), 0.0) for place in symbols])
    bonus = np.zeros(len(index.paths))
    exact_kind, loose_kind = kind * (exact_share > 0), kind * (loose_share > 0)
    for place in chained:
        file = index.chunk_files[index.symbol_chunks[place]]
        bonus[file] = _CHAIN_BONUS
        exact_kind[np.searchsorted(symbols, place)] += _CHAIN_BONUS
    for path in question.paths:
        for file in _files(index, path):
            bonus[file] = _PATH_BONUS
    files = bonus > 0
    files[index.chunk_files[index.symbol_chunks[symbols]]] = True
    return Named(symbols, kind * exact_share, kind * loose_share, exact_kind, loose_kind, bonus, files)


def _places(index: Index, table: str, name: str) -> Iterator[int]:
    if not name:
        return
    for segment, start in zip(index.segments, index.symbol_starts[:-1], strict=True):
        rows: Rows = getattr(segment, table)
        for place in rows.owner[rows.find(checksum(name))]:
            yield int(place + start)


def _chained(index: Index, question: Question) -> list[int]:
    """Return the symbols that a dotted name of the question means; a small container is one chunk with all in it."""
    found = []
    for chain in question.chains:
        container, _, name = chain.rpartition(".")
        for place in _places(index, "symbol_names", name):
            qualified = f".{index.chunk(int(index.symbol_chunks[place])).qualified_name}"
            if qualified.endswith((f".{chain}", f".{container}")):
                found.append(place)
    return found


def _files(index: Index, path: str) -> list[int]:
    """Return the files whose path is, or ends with, the one given, with or without its suffix."""
    ending = f"/{path}"
    return [
        place
        for place in index.places_of_names.get(path.rpartition("/")[2], ())
        if f"/{index.paths[place]}".endswith(ending) or f"/{index.paths[place].rsplit('.', 1)[0]}".endswith(ending)
    ]
