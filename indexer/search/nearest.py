"""Answer by meaning where words say little: ``near_places`` ranks chunks by their vectors first, by words second.

Files are not ranked before their chunks here: what shares no word with a question is as often a second place of a
file that has been found as one of another file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from indexer.search.found import Vector, Vectors
from indexer.search.index import Index
from indexer.search.segment import Floats, Mask

# Cosine from which on a chunk answers a question that words do not. With MiniLM 98 of 100 everyday questions stay below
# .27 and nineteen of twenty questions that a project answers are above .37; of those that share no word with their
# answer half are above .34.
ANSWERS_FROM = 0.32
ALSO_FROM = 0.2  # of further chunks, where one is near enough
RELEVANCE = 0.6  # of a hit by a cosine of 1
_LOOKED_AT = 200  # nearest chunks; some may be equal to others or outside of the path
_FILE_SHARE = 0.1  # what a file's score by words counts beside a cosine
_OF_ONE_FILE = 3  # chunks at most


def near_places(
    index: Index,
    vectors: Vectors,
    vector: Vector,
    allowed: Mask,
    scores: Floats,
    shown: Sequence[int],
    k: int,
) -> list[tuple[int, float, float]]:
    """Return places of chunks with their score and cosine, best first; none if nothing has a vector.

    Args:
        index: what to search.
        vectors: of its chunks.
        vector: of the question.
        allowed: files that may be found.
        scores: of files by words.
        shown: chunks that words found; one without a vector counts as the farthest of those looked at.
        k: places at most.
    """
    cosines: dict[int, float] = {}
    for digest, cosine in vectors.nearest(vector, _LOOKED_AT):
        place = index.places_of_digests.get(digest)
        if place is not None and allowed[index.chunk_files[place]]:
            cosines[place] = min(cosine, 1.0)
    if not cosines:
        return []
    farthest = min(cosines.values())
    if shown:
        rows = np.asarray(vectors.vectors_of([index.chunk(place).digest for place in shown]), np.float64)
        for place, cosine in zip(shown, (rows @ vector).tolist(), strict=True):
            cosines.setdefault(place, farthest if np.isnan(cosine) else cosine)
    found = []
    for place, cosine in cosines.items():
        by_words = float(scores[index.chunk_files[place]])
        found.append((place, round(cosine + (_FILE_SHARE * by_words if np.isfinite(by_words) else 0.0), 9), cosine))
    found.sort(key=lambda one: (-one[1], index.paths[index.chunk_files[one[0]]], one[0]))
    return _spread(index, found)[:k]


def _spread(index: Index, found: list[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
    """Leave out further parts of one definition, and what one file has too many of."""
    kept, spans, files = [], set(), Counter[int]()
    for one in found:
        chunk, file = index.chunk(one[0]), int(index.chunk_files[one[0]])
        span = (file, chunk.qualified_name, chunk.span_start)
        if span not in spans and files[file] < _OF_ONE_FILE:
            spans.add(span)
            files[file] += 1
            kept.append(one)
    return kept
