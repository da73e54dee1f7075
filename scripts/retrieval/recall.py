"""Tell which share of the wanted places the first five results have: by part of a set, and by the language of comments.

    python scripts/retrieval/recall.py RESULTS.jsonl --queries QUERIES.jsonl --repos REPOS.jsonl

RESULTS.jsonl is what bench_retrieval.py writes. A result hits a target of the same file whose lines it overlaps; a
target without lines is hit by any place of its file. ``file`` is the same without lines. Means are those of queries.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

from retrieval.corpus import lines_of

FIRST = 5


def main() -> None:
    """Print one line for each part of the set, with its halves."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("results", type=Path)
    reader.add_argument("--queries", type=Path, required=True)
    reader.add_argument("--repos", type=Path, required=True)
    given = reader.parse_args()
    answers = {(line["repo"], line["query"]): line["results"] for line in lines_of(given.results) if "query" in line}
    comments = {line["repo"]: line.get("comments", "") for line in lines_of(given.repos)}
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for query in lines_of(given.queries):
        found = answers.get((query["repo"], query["query"]), [])[:FIRST]
        row = recall(found, query["relevant"]), recall(found, ({**each, "start": None} for each in query["relevant"]))
        part, kind = query.get("part", "all"), comments[query["repo"]]
        for name in dict.fromkeys(("all", f"all, {kind} comments", part, f"{part}, {kind} comments")):
            rows[name].append(row)
    for name in sorted(rows):
        places, files = (sum(column) / len(rows[name]) for column in zip(*rows[name], strict=True))
        print(f"{name:32} {len(rows[name]):4}  recall@{FIRST} {places:.3f}  file {files:.3f}")


def recall(results: Iterable[Mapping[str, Any]], targets: Iterable[Mapping[str, Any]]) -> float:
    """Return the share of targets that one of the results hits."""
    results, targets = list(results), list(targets)
    return sum(any(hits(each, target) for each in results) for target in targets) / len(targets)


def hits(result: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
    """Say whether a result is in the target's file and, if that has lines, overlaps them."""
    path, wanted = result["path"], target["path"]
    if not (path == wanted or path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}")):
        return False
    return target["start"] is None or (result["start"] <= target["end"] and result["end"] >= target["start"])


if __name__ == "__main__":
    main()
