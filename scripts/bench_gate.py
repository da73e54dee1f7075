#!/usr/bin/env python3
"""Measure when search says that nothing answers: on a benchmark's own queries, and on questions that are off topic.

    python scripts/bench_gate.py --checkouts DIR --repos repos.jsonl --queries queries.jsonl [--cache DIR]
        [--foreign NAME...] [--everyday FILE] [--show N]

False abstentions: the share of a repository's own queries that get no hits. Accepted: the share of everyday questions
(scripts/retrieval/everyday.txt, each asked of every repository) that get some, with normal and with low confidence.
--foreign names repositories that are also asked the queries of repositories in other languages: half of them share at
least two words with the code and many could be answered, so that share is only told, not judged. --show prints the
nearest misses on both sides.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

from retrieval.corpus import Repository, index_of, repositories

from indexer.search import Confidence, Found, Index, search
from indexer.search.question import question_of

EVERYDAY = Path(__file__).resolve().parent / "retrieval" / "everyday.txt"
FOREIGN = ("flask", "gin", "curl")
FOREIGN_QUERIES = 80  # half of them sharing words with the code, as far as there are such
SHARED_WORDS = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold one question and what came of it."""

    repository: str
    query: str
    found: Found


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("checkouts", "repos", "queries"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--everyday", type=Path, default=EVERYDAY)
    parser.add_argument("--foreign", nargs="*", default=FOREIGN, metavar="NAME")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    everyday = [line for line in given.everyday.read_text(encoding="utf-8").split("\n") if line]
    every = repositories(given.checkouts, given.repos, given.queries)
    own: list[Asked] = []
    off: list[Asked] = []
    for repository in every:
        index, _ = index_of(repository, given.cache)
        own += ask(index, repository, (query["query"] for query in repository.queries))
        off += ask(index, repository, everyday)
        if repository.name in given.foreign:
            report_foreign(index, repository, every)
    report("own queries", own)
    report("everyday questions", off)
    report("everyday questions in Chinese", [each for each in off if not each.query.isascii()])
    show("own", sorted(own, key=lambda each: each.found.evidence)[: given.show])
    show("off", sorted(off, key=lambda each: -each.found.evidence)[: given.show])


def show(label: str, asked: Iterable[Asked]) -> None:
    """Print single questions with their evidence."""
    for each in asked:
        unknown = ", ".join(each.found.unknown)
        print(f"  {label} {each.found.evidence:.3f} {each.repository}: {each.query} (unknown: {unknown})")


def ask(index: Index, repository: Repository, queries: Iterable[str]) -> list[Asked]:
    """Ask one repository."""
    return [Asked(repository.name, query, search(index, query, 5, project=repository.name)) for query in queries]


def report_foreign(index: Index, repository: Repository, every: Sequence[Repository]) -> None:
    """Ask a repository what is asked of those in other languages, and print what it accepts."""
    queries = [query["query"] for other in every if other.language != repository.language for query in other.queries]
    random.Random(0).shuffle(queries)
    sharing = [query for query in queries if shared(index, query) >= SHARED_WORDS]
    others = [query for query in queries if shared(index, query) < SHARED_WORDS]
    for label, chosen in ((f"at least {SHARED_WORDS} words shared", sharing), ("fewer words shared", others)):
        report(f"{repository.name}, foreign, {label}", ask(index, repository, chosen[: FOREIGN_QUERIES // 2]))


def shared(index: Index, query: str) -> int:
    """Count the words of a query that the code has."""
    return sum(concept.is_part for concept in question_of(index, query).concepts)


def report(label: str, asked: Sequence[Asked]) -> None:
    """Print how many were answered, and how."""
    counts = Counter(each.found.confidence for each in asked)
    answered = len(asked) - counts[Confidence.NONE]
    share = answered / max(len(asked), 1)
    print(
        f"{label}: {len(asked)} asked, {answered} answered ({share:.2%}), {counts[Confidence.LOW]} of these"
        f" with low confidence, {counts[Confidence.NONE]} abstained ({1 - share:.2%})"
    )


if __name__ == "__main__":
    main()
