#!/usr/bin/env python3
"""Learn the weights of ranking, and say what they are worth on languages that they were not learned from.

    python scripts/retrieval/fit.py --checkouts DIR --repos repos.jsonl --queries queries.jsonl [--cache DIR] [--ablate]

Prints NDCG@10 (mean of repositories) under the present weights; crossed: five folds of whole languages, each ranked by
weights learned from the others; and in-sample: under the weights learned from all, which are printed for
indexer/search/weights.py. --ablate leaves out each signal in turn, learns anew, and prints the crossed figures.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent.parent.parent)]

from retrieval.corpus import index_of, repositories
from retrieval.fitting import crossed, fit, value, values
from retrieval.judged import Judged, by_category, judged, mean_of_repositories, pruned, without

from indexer.search.paths import KINDS, PENALTIES
from indexer.search.weights import SIGNALS

KEEP = 80  # candidates a query that learning looks at

# What is left out together, and what it is called.
GROUPS = {
    **{name: (name,) for name in SIGNALS},
    "all of the file's name": ("stem_similarity", "stem_covered"),
    "all of the whole file": ("best_chunks", "mean_chunk", "good_chunks"),
    "all of definitions": ("symbol", "defines", "defines_folded"),
    "all of other files": ("folder", "siblings", "neighbours"),
}


def main() -> None:
    """Judge, learn and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("checkouts", "repos", "queries"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--ablate", action="store_true")
    given = parser.parse_args()
    queries: list[Judged] = []
    for repository in repositories(given.checkouts, given.repos, given.queries):
        queries += judged(index_of(repository, given.cache)[0], repository)
    print(row("present weights", queries, values(queries, PENALTIES, SIGNALS)))
    few = pruned(queries, SIGNALS, PENALTIES, KEEP)
    crossed_values, _ = crossed(few, PENALTIES, SIGNALS)
    print(row("crossed", few, crossed_values))
    learned = fit(few, PENALTIES, SIGNALS)
    print(row("in-sample", queries, values(queries, PENALTIES, learned)))
    print(learned)
    if given.ablate:
        ablate(few)


def ablate(queries: Sequence[Judged]) -> None:
    """Print what each signal, and each penalty, is worth."""
    for label, names in GROUPS.items():
        left = without(queries, names)
        print(row(f"without {label}", left, crossed(left, PENALTIES, SIGNALS)[0]), flush=True)
    for place, kind in enumerate(KINDS):
        penalties = [0.0 if place == other else penalty for other, penalty in enumerate(PENALTIES)]
        print(row(f"without penalty for {kind}", queries, values(queries, penalties, SIGNALS)), "(present weights)")
    none = [0.0] * len(KINDS)
    print(row("without penalties", queries, crossed(queries, none, SIGNALS)[0]))
    print(f"doubled penalties: {value(queries, [2 * each for each in PENALTIES], SIGNALS):.4f} (present weights)")


def row(label: str, queries: Sequence[Judged], found: Sequence[float]) -> str:
    """Write one line of figures."""
    parts = " | ".join(f"{share:.3f}" for share in by_category(queries, found).values())
    return f"| {label} | {mean_of_repositories(queries, found):.4f} | {parts} |"


if __name__ == "__main__":
    main()
