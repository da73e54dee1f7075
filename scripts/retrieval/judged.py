"""Measure rankings: ``judged`` keeps of each query what its NDCG depends on, to try weights in a blink."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from retrieval.corpus import Repository

from indexer.search import Index
from indexer.search.question import question_of
from indexer.search.rank import shown_chunk
from indexer.search.signals import Evidence, weigh

Array = npt.NDArray[np.float64]
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """Hold one query's candidates: signals, what is added whatever the weights, and which candidates hit which target.

    Attributes:
        names: of the signals.
        signals: one row a candidate.
        kinds: by ``paths.KINDS``, where the query does not ask for the kind.
        fixed: what candidates earn for being named.
        targets: for each target the places of candidates that hit it.
        paths: of the candidates, for ties.
    """

    repository: str
    language: str
    category: str
    query: str
    names: tuple[str, ...]
    signals: Array
    kinds: Array
    fixed: Array
    targets: tuple[npt.NDArray[np.intp], ...]
    paths: tuple[str, ...]


def judged(index: Index, repository: Repository, weigh_it: Callable[..., Evidence] = weigh) -> list[Judged]:
    """Judge all queries of a repository by an index of it."""
    from indexer.search.paths import kinds_asked

    found = []
    for query in repository.queries:
        question = question_of(index, query["query"], repository.name)
        evidence = weigh_it(index, question, index.live_files)
        places = np.array(sorted(np.flatnonzero(evidence.candidates), key=lambda place: index.paths[place]), np.int64)
        asked = np.array(kinds_asked(query["query"]))
        found.append(
            Judged(
                repository=repository.name,
                language=repository.language,
                category=query["category"],
                query=query["query"],
                names=tuple(evidence.signals),
                signals=np.stack([signal[places] for signal in evidence.signals.values()], axis=1),
                kinds=(index.kinds[places] & ~asked).astype(np.float64),
                fixed=evidence.named.bonus[places],
                targets=tuple(_hitting(index, evidence, places, target) for target in query["relevant"]),
                paths=tuple(index.paths[place] for place in places),
            )
        )
    return found


def _hitting(
    index: Index, evidence: Evidence, places: Iterable[int], target: Mapping[str, object]
) -> npt.NDArray[np.intp]:
    wanted = str(target["path"])
    hits = []
    for number, place in enumerate(places):
        path = index.paths[place]
        if not (path == wanted or path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}")):
            continue
        start, end = target["start"], target["end"]
        if isinstance(start, int) and isinstance(end, int):
            chunk = index.chunk(shown_chunk(index, evidence, int(place)))
            if chunk.start > end or chunk.end < start:
                continue
        hits.append(number)
    return np.array(hits, np.intp)


def ndcg(one: Judged, scores: Array) -> float:
    """Return NDCG@10 of a query, with one chunk a file."""
    order = np.argsort(-np.round(scores, 9), kind="stable")[:DEPTH]
    rank = {int(place): number for number, place in enumerate(order)}
    reached = {min(ranks) for hits in one.targets if (ranks := [rank[int(hit)] for hit in hits if int(hit) in rank])}
    ideal = sum(1 / math.log2(number + 2) for number in range(min(DEPTH, len(one.targets))))
    return sum(1 / math.log2(number + 2) for number in reached) / ideal


def mean_of_repositories(queries: Sequence[Judged], values: Sequence[float]) -> float:
    """Return the mean of the repositories' means."""
    by = defaultdict(list)
    for query, value in zip(queries, values, strict=True):
        by[query.repository].append(value)
    return float(np.mean([np.mean(each) for each in by.values()]))


def by_category(queries: Sequence[Judged], values: Sequence[float]) -> dict[str, float]:
    """Return the mean over repositories for each category."""
    return {
        category: mean_of_repositories(
            *zip(*[(q, v) for q, v in zip(queries, values, strict=True) if q.category == category], strict=True)
        )
        for category in sorted({query.category for query in queries})
    }


def pruned(
    queries: Sequence[Judged], weights: Mapping[str, float], penalties: Sequence[float], keep: int
) -> list[Judged]:
    """Keep of each query the best candidates under some weights, and all that hit a target."""
    found = []
    for query in queries:
        vector = np.array([weights[name] for name in query.names])
        scores = query.signals @ vector + query.fixed - query.kinds @ np.asarray(penalties)
        kept = set(np.argsort(-scores, kind="stable")[:keep].tolist()).union(*(hits.tolist() for hits in query.targets))
        rows = np.array(sorted(kept), np.intp)
        found.append(
            replace(
                query,
                signals=query.signals[rows],
                kinds=query.kinds[rows],
                fixed=query.fixed[rows],
                targets=tuple(np.searchsorted(rows, hits) for hits in query.targets),
                paths=tuple(query.paths[row] for row in rows),
            )
        )
    return found


def without(queries: Sequence[Judged], names: Sequence[str]) -> list[Judged]:
    """Leave signals out."""
    kept = [place for place, name in enumerate(queries[0].names) if name not in names]
    left = tuple(queries[0].names[place] for place in kept)
    return [replace(query, names=left, signals=query.signals[:, kept]) for query in queries]
