"""Answer a question from an index: ``search`` gives the best places, or says that there is nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from indexer.search.closest import closest_terms
from indexer.search.found import Confidence, Found, Hit, Vector, Vectors
from indexer.search.gate import Judgement, judge
from indexer.search.index import Index
from indexer.search.nearest import ALSO_FROM, ANSWERS_FROM, RELEVANCE, near_places
from indexer.search.question import Question, question_of
from indexer.search.segment import Floats, Mask
from indexer.search.signals import Evidence, file_scores, weigh

RERANKED_FILES = 12
VECTOR_WEIGHT = 0.4
SHOWN_BY_VECTOR = 0.6  # weight of a cosine beside a chunk's score, when one chunk of a file is chosen
_CHOSEN_FROM = 12  # chunks of a file, the best by words
FILES_FIRST = 10  # answers with one chunk a file before a second chunk of any


def search(
    index: Index, query: str, k: int = 5, path: str = "", vectors: Vectors | None = None, *, project: str = ""
) -> Found:
    """Find the best places for a question.

    Args:
        index: what to search.
        query: a question, a name, a path or a message, in English or Chinese.
        k: hits at most.
        path: only this folder, or this file.
        vectors: of the index's chunks; without them words alone decide.
        project: name of what is searched; as a word of the question it says little.
    """
    question = question_of(index, query, project)
    allowed = _allowed(index, path)
    evidence = weigh(index, question, allowed)
    scores = file_scores(evidence)
    matching = evidence.shown_scores > 0  # by words, as vectors have something for every chunk
    order = _ordered(index, scores, max(k, RERANKED_FILES))
    vector = vectors.query_vector(query) if vectors is not None else None
    if vectors is not None and vector is not None and order:
        order = _reranked(index, vectors, vector, evidence, scores, order)
    verdict = judge(index, question, evidence, order[0] if order else None)
    confidence = verdict.confidence
    hits: tuple[Hit, ...] = ()
    if vectors is not None and vector is not None and confidence in (Confidence.NONE, Confidence.LOW):
        hits = _near_hits(index, vectors, vector, allowed, evidence, scores, order, k, verdict)
        confidence = Confidence.LOW if hits else confidence
    if not hits and confidence is not Confidence.NONE:
        hits = tuple(_hits(index, evidence, matching, scores, order, k, verdict.evidence))
    return Found(
        hits=hits,
        confidence=confidence,
        evidence=verdict.evidence,
        missing=verdict.missing,
        unknown=verdict.unknown,
        closest=() if hits else closest_terms(index, verdict.unknown),
        terms=_terms(index, question, evidence),
    )


def _allowed(index: Index, path: str) -> Mask:
    inside = path.removeprefix("./").strip("/")
    if inside in ("", "."):
        return index.live_files
    return index.live_files & np.array([own == inside or own.startswith(f"{inside}/") for own in index.paths], np.bool_)


def _ordered(index: Index, scores: Floats, most: int) -> list[int]:
    """Return the best candidates, best first, of equal ones by path."""
    found = np.flatnonzero(scores > -np.inf)
    if len(found) > most:
        found = found[scores[found] >= np.partition(scores[found], -most)[-most]]
    return sorted((int(place) for place in found), key=lambda place: (-scores[place], index.paths[place]))[:most]


def _reranked(
    index: Index, vectors: Vectors, vector: Vector, evidence: Evidence, scores: Floats, order: list[int]
) -> list[int]:
    """Order the first files anew by the cosine of their best chunk too; ``scores`` changes with them."""
    first = [file for file in order[:RERANKED_FILES] if _has_chunks(index, file)]
    if not first:
        return order
    _choose_shown(index, vectors, vector, evidence, first)
    digests = [index.chunk(shown_chunk(index, evidence, place)).digest for place in first]
    cosines = np.asarray(vectors.vectors_of(digests), np.float64) @ vector
    known = ~np.isnan(cosines)
    if not known.any():
        return order
    gain = VECTOR_WEIGHT * np.where(known, cosines - cosines[known].mean(), 0.0)
    scores[first] = np.round(scores[first] + gain, 9)
    return (
        sorted(order[:RERANKED_FILES], key=lambda place: (-scores[place], index.paths[place])) + order[RERANKED_FILES:]
    )


def _choose_shown(index: Index, vectors: Vectors, vector: Vector, evidence: Evidence, files: list[int]) -> None:
    """Let cosines speak for the chunks that words find, too: ``shown_scores`` of these changes, and never falls.

    Without a vector a chunk has the mean of others. Of a file that was found by its path alone all chunks are equal,
    and the vectors choose.
    """
    starts, shown = index.first_chunks, evidence.shown_scores
    best = []
    for file in files:
        own = shown[starts[file] : starts[file + 1]]
        chosen = np.argsort(-own, kind="stable")[:_CHOSEN_FROM]
        best.append(starts[file] + (chosen[own[chosen] > 0] if own.any() else chosen))
    places = np.concatenate(best)
    rows = np.asarray(vectors.vectors_of([index.chunk(int(place)).digest for place in places]), np.float64)
    cosines = rows @ vector
    known = ~np.isnan(cosines)
    if known.any():
        shown[places] += SHOWN_BY_VECTOR * np.maximum(np.where(known, cosines, cosines[known].mean()), 0.0)


def _near_hits(
    index: Index,
    vectors: Vectors,
    vector: Vector,
    allowed: Mask,
    evidence: Evidence,
    scores: Floats,
    order: list[int],
    k: int,
    verdict: Judgement,
) -> tuple[Hit, ...]:
    """Answer by vectors first; where words find nothing at all, only by what is near enough."""
    shown = [shown_chunk(index, evidence, file) for file in order[:RERANKED_FILES] if _has_chunks(index, file)]
    found = near_places(index, vectors, vector, allowed, scores, shown, k)
    if verdict.confidence is Confidence.NONE:
        is_near = any(cosine >= ANSWERS_FROM for _, _, cosine in found)
        near = [(place, cosine) for place, _, cosine in found if is_near and cosine >= ALSO_FROM]
        near.sort(key=lambda one: -one[1])
        return tuple(_hit(index, place, RELEVANCE * cosine) for place, cosine in near)
    best = found[0][1] if found else 0.0
    return tuple(_hit(index, place, verdict.evidence * float(np.exp(score - best))) for place, score, _ in found)


def shown_chunk(index: Index, evidence: Evidence, file: int) -> int:
    """Return the chunk of a file that is shown for a question."""
    first, last = index.first_chunks[file], index.first_chunks[file + 1]
    return int(first + np.argmax(np.round(evidence.shown_scores[first:last], 9)))


def _hits(
    index: Index, evidence: Evidence, matching: Mask, scores: Floats, order: list[int], k: int, amount: float
) -> Iterator[Hit]:
    """Give the best chunk of each file, then further ones that match, each with its share of its file's relevance."""
    shown = evidence.shown_scores
    places = [(place, shown_chunk(index, evidence, place), 1.0) for place in order[:k] if _has_chunks(index, place)]
    if len(order) < k:
        chunks = [(place, _chunks(index, evidence, matching, place)) for place in order[:FILES_FIRST]]
        more = [(place, chunk, float(shown[chunk] / shown[own[0]])) for place, own in chunks for chunk in own[1:]]
        more.sort(key=lambda one: -shown[one[1]])
        places += more[: k - len(places)]
    lowest = 1.0
    for place, chunk, share in places:
        lowest = min(lowest, share * float(np.exp(scores[place] - scores[order[0]])))
        yield _hit(index, chunk, min(1.0, amount) * lowest)


def _hit(index: Index, place: int, relevance: float) -> Hit:
    shown = index.chunk(place)
    return Hit(
        path=index.paths[index.chunk_files[place]],
        start=shown.span_start,
        end=shown.span_end,
        shown_start=shown.start,
        shown_end=shown.end,
        name=shown.name,
        qualified_name=shown.qualified_name,
        kind=shown.kind,
        signature=shown.signature,
        relevance=round(relevance, 4),
    )


def _has_chunks(index: Index, file: int) -> bool:
    return bool(index.first_chunks[file] < index.first_chunks[file + 1])


def _chunks(index: Index, evidence: Evidence, matching: Mask, file: int) -> list[int]:
    """Return a file's chunks that match, best first, of each definition one."""
    first, last = int(index.first_chunks[file]), int(index.first_chunks[file + 1])
    shown = np.round(evidence.shown_scores[first:last], 9)
    order = [first + int(place) for place in np.argsort(-shown, kind="stable") if matching[first + place]]
    found: dict[tuple[str, int], int] = {}
    for chunk in order:
        one = index.chunk(chunk)
        found.setdefault((one.qualified_name, one.span_start), chunk)  # parts of one definition have one span
    return list(found.values())


def _terms(index: Index, question: Question, evidence: Evidence) -> dict[str, float]:
    worth: dict[str, float] = {}
    for concept, rarity in zip(question.concepts, evidence.matches.rarities, strict=True):
        for number, weight in concept.alternates:
            term = index.vocabulary.term_of(number)
            worth[term] = max(worth.get(term, 0.0), weight * concept.weight * float(rarity))
    return worth
