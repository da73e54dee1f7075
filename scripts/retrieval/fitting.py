"""Learn weights of signals from judged queries, ``fit``, and what they are worth where not learned, ``crossed``."""

from collections.abc import Mapping, Sequence

import numpy as np
from retrieval.judged import Array, Judged, mean_of_repositories, ndcg

SHARPNESS = 8.0  # of the softmax over a query's candidates
SHRINK = 0.02
STEPS = 250
RATE = 0.02
GRID = 0.05
FOLDS = 5


class Batch:
    """Hold the candidates of many queries one below the other."""

    def __init__(self, queries: Sequence[Judged], penalties: Sequence[float]) -> None:
        usable = [query for query in queries if any(map(len, query.targets))]
        self.signals = np.concatenate([query.signals for query in usable])
        self.fixed = np.concatenate([query.fixed - query.kinds @ np.asarray(penalties) for query in usable])
        sizes = [len(query.signals) for query in usable]
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.query = np.repeat(np.arange(len(usable)), sizes)
        per = {name: sum(query.repository == name for query in usable) for name in {q.repository for q in usable}}
        self.target = np.zeros(len(self.fixed))
        for start, query in zip(self.starts, usable, strict=True):
            reached = [hits for hits in query.targets if len(hits)]
            for hits in reached:
                self.target[start + hits[0]] += 1 / len(reached) / per[query.repository] / len(per)

    def gradient(self, weights: Array) -> Array:
        """Return the gradient of the mean log likelihood of the targets."""
        scores = SHARPNESS * (self.signals @ weights + self.fixed)
        scores = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.query])
        share = scores / np.add.reduceat(scores, self.starts)[self.query]
        of_query = np.add.reduceat(self.target, self.starts)[self.query]
        return np.asarray(SHARPNESS * (self.target - of_query * share) @ self.signals)


def fit(queries: Sequence[Judged], penalties: Sequence[float], begin: Mapping[str, float]) -> dict[str, float]:
    """Learn weights, none negative, rounded to the grid; ``begin`` is where to begin and what to shrink to half of."""
    batch = Batch(queries, penalties)
    names = queries[0].names
    first = np.array([begin[name] for name in names])
    weights, speed, square = first.copy(), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, STEPS + 1):
        slope = batch.gradient(weights) - SHRINK * SHARPNESS * weights
        speed = 0.9 * speed + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        weights = weights + RATE * (speed / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8) * (
            1 - step / STEPS
        )
        weights = np.maximum(weights, 0.0)
    return {name: float(round(weight / GRID) * GRID) for name, weight in zip(names, weights, strict=True)}


def climb(
    queries: Sequence[Judged], penalties: Sequence[float], begin: Mapping[str, float], least: float = 5e-4
) -> dict[str, float]:
    """Move one weight at a time by grid steps as long as NDCG itself rises by at least so much."""
    best = dict(begin)
    top = value(queries, penalties, best)
    moved = True
    while moved:
        moved = False
        for name in best:
            for change in (GRID, -GRID):
                tried = {**best, name: round(max(0.0, best[name] + change), 2)}
                if tried == best:
                    continue
                now = value(queries, penalties, tried)
                if now > top + least:
                    best, top, moved = tried, now, True
                    break
    return best


def value(queries: Sequence[Judged], penalties: Sequence[float], weights: Mapping[str, float]) -> float:
    """Return NDCG@10, mean of repositories, under some weights."""
    return mean_of_repositories(queries, values(queries, penalties, weights))


def values(queries: Sequence[Judged], penalties: Sequence[float], weights: Mapping[str, float]) -> list[float]:
    """Return NDCG@10 of each query under some weights."""
    vector = np.array([weights[name] for name in queries[0].names])
    kinds = np.asarray(penalties)
    return [ndcg(query, query.signals @ vector + query.fixed - query.kinds @ kinds) for query in queries]


def folds(queries: Sequence[Judged]) -> list[frozenset[str]]:
    """Part the languages so that each fold has about as many queries."""
    count: dict[str, int] = {}
    for query in queries:
        count[query.language] = count.get(query.language, 0) + 1
    parts: list[set[str]] = [set() for _ in range(FOLDS)]
    for language in sorted(count, key=lambda name: (-count[name], name)):
        min(parts, key=lambda part: sum(count[name] for name in part)).add(language)
    return [frozenset(part) for part in parts]


def crossed(
    queries: Sequence[Judged], penalties: Sequence[float], begin: Mapping[str, float], climbing: bool = False
) -> tuple[list[float], list[dict[str, float]]]:
    """Return NDCG@10 of each query under weights learned without its language, and the weights of each fold."""
    found, learned = dict[int, float](), []
    for left_out in folds(queries):
        seen = [query for query in queries if query.language not in left_out]
        weights = fit(seen, penalties, begin)
        if climbing:
            weights = climb(seen, penalties, weights)
        learned.append(weights)
        places = [place for place, query in enumerate(queries) if query.language in left_out]
        found |= dict(zip(places, values([queries[place] for place in places], penalties, weights), strict=True))
    return [found[place] for place in range(len(queries))], learned
