"""Check that the queries of ``beyond_queries.jsonl`` share no word with the code that answers them.

A query fails when a part of one of its words is also in the lines of a target or in the target's path: with the light
or the heavy stem, or, from four characters on, inside a longer word. Words that only build sentences do not count. A
target without lines fails as well. Whether the target answers the query is for a reader to judge.

    python scripts/retrieval/check_beyond.py CHECKOUTS
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexer.terms import heavy_stem, light_stem, parts, words

HERE = Path(__file__).resolve().parent
INSIDE = 4  # characters of a stem from which on it must not be inside a longer word either

# Only words that carry no meaning of their own: no plain verbs such as get, make, take, keep.
_BUILDING_WORDS = """
a about after all along already also although always am among an and another any anybody anyone anything are as at be
because been before being below between both but by can cannot could did do does doing during each either else even ever
every everybody everyone everything few for from had has have having he her here him his how however i if in instead
into is it its itself just least less like many may me might more most much must my neither never no nobody none nor not
nothing now of off often on once one ones only onto or other others our out over own perhaps quite rather really several
shall she should since so some somebody someone something somewhere still such than that the their them then there these
they this those though through till to too towards under unless until upon us very was we were what whatever when where
whether which while who whole whom whose why will with within without would yet you your s t
"""
BUILDING_WORDS = frozenset(_BUILDING_WORDS.split())


def main() -> int:
    """Print every word that is shared, and return 1 if there is one."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("checkouts", type=Path, help="folder with one checkout a repository")
    reader.add_argument("--queries", type=Path, default=HERE / "beyond_queries.jsonl")
    chosen = reader.parse_args()
    faults = 0
    queries = list(_lines_of(chosen.queries))
    for query in queries:
        for target in query["relevant"]:
            for fault in faults_of(query["query"], target, chosen.checkouts / query["repo"]):
                faults += 1
                print(f"{query['id']}: {fault}: {query['query']!r} ({target['path']}:{target['start']})")
    print(f"{len(queries)} queries, {faults} faults")
    return 1 if faults else 0


def faults_of(query: str, target: dict[str, Any], root: Path) -> Iterator[str]:
    """Tell what is wrong with one target: no file, no lines, or each word it shares with the query."""
    path = root / target["path"]
    if not path.is_file():
        yield "no such file"
        return
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    start, end = target["start"], target["end"]
    if start is None or end is None or not 1 <= start <= end <= len(lines):
        yield "no such lines"
        return
    text = "\n".join([*lines[start - 1 : end], target["path"]])
    taken, written = stems_of(text), {word.lower() for word in words(text)}
    for word in content_words(query):
        shared = stems_of(word) & taken
        inside = {stem for stem in stems_of(word) if len(stem) >= INSIDE and any(stem in other for other in written)}
        if shared | inside:
            yield f"shares {word!r} ({', '.join(sorted(shared | inside))})"


def content_words(query: str) -> list[str]:
    """List the words of a query that carry meaning."""
    return [word for word in words(query) if word.lower() not in BUILDING_WORDS]


def stems_of(text: str) -> set[str]:
    """Collect the parts of all words of a text, each as it is, with its light stem and with its heavy stem."""
    found = {part for word in words(text) for part in parts(word)}
    return found | {light_stem(part) for part in found} | {heavy_stem(part) for part in found}


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    sys.exit(main())
