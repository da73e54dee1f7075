#!/usr/bin/env python3
"""Count the tokens that an answer of semantic_search takes against those of grep for the words of the same question.

    python scripts/bench_tokens.py --checkouts DIR --repos repos.jsonl --queries queries.jsonl
        [--sample N] [--seed S] [--repo NAME...]

N questions of each repository (all where it has fewer) are answered with five hits, and searched for in four ways:

- all words: `grep -rniIE 'word|word' .` for the question's words that say something, without a limit, .git left out;
- best word: the same for the one of these words that has the fewest matching lines, which nobody knows beforehand;
- our grep: the tool, with all words and its own limit;
- files: all words, only the names of files (`-l`), which then are still to be read.

Medians over the questions. Questions that the search abstains from count with what it says. Tokens are an estimate.
Output over a million characters is counted by its first million.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

from retrieval.corpus import repositories

from codectx.config import Config
from codectx.dispatch import answer_call
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tools import load
from indexer.lexicon import SOFT_WORDS, STOP_WORDS
from indexer.terms import words

HITS = 5
COUNTED = 1_000_000  # characters of an output; the rest is taken to be like them
COUNTER = Counter()
SEARCH, GREP = load("semantic_search"), load("grep")
WAYS = ("semantic_search", "grep, all words", "grep, best word", "our grep", "grep, files only")


def main() -> int:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=5, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repo", nargs="+", default=(), metavar="NAME")
    given = parser.parse_args()
    chosen = random.Random(given.seed)
    rows: list[tuple[int, ...]] = []
    print(f"{'repository':20}{'questions':>10}" + "".join(f"{way:>18}" for way in WAYS))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for repository in repositories(given.checkouts, given.repos, given.queries, given.repo):
            project = Project(repository.root.resolve(), Config(embedder="none"))
            project.index.sync(project.index.walk())
            questions = [query["query"] for query in repository.queries]
            asked = chosen.sample(questions, min(given.sample, len(questions)))
            found = [row for question in asked if (row := measured(project, question)) is not None]
            rows += found
            print(_line(repository.name, found), flush=True)
    print(_line("all", rows))
    return 0


def measured(project: Project, question: str) -> tuple[int, ...] | None:
    """Count the tokens of each of ``WAYS``; None where no word of the question says anything."""
    said = content_words(question)
    if not said:
        return None
    root = project.root
    pattern = "|".join(said)
    best = min(said, key=lambda word: _matching_lines(root, word) or sys.maxsize)
    asked = {"query": question, "k": HITS}
    searched = answer_call(project, SEARCH, asked)
    grepped = answer_call(project, GREP, {"pattern": pattern, "ignore_case": True})
    texts = (searched.text, _grep(root, pattern), _grep(root, best), grepped.text, _grep(root, pattern, "-l"))
    return tuple(map(_tokens, texts))


def content_words(question: str) -> list[str]:
    """Give the words of a question without those that say little; with them where there are no others."""
    asked = list(dict.fromkeys(word for word in words(question) if word.lower() not in STOP_WORDS and len(word) > 1))
    return [word for word in asked if word.lower() not in SOFT_WORDS] or asked


def _grep(root: Path, pattern: str, *more: str) -> str:
    command = ["grep", "-rniIE", "--exclude-dir=.git", *more, "-e", pattern, "."]
    ended = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if ended.returncode > 1:
        sys.exit(f"grep: {ended.stderr.decode('utf-8', 'replace')}")
    return ended.stdout.decode("utf-8", "replace")


def _matching_lines(root: Path, word: str) -> int:
    return _grep(root, word).count("\n")


def _tokens(text: str) -> int:
    """Count the tokens, of a very long text by its beginning."""
    counted = COUNTER.count(text[:COUNTED])
    return counted if len(text) <= COUNTED else round(counted * len(text) / COUNTED)


def _line(name: str, rows: Sequence[tuple[int, ...]]) -> str:
    medians = [round(statistics.median(column)) for column in zip(*rows, strict=True)]
    return f"{name[:19]:20}{len(rows):10}" + "".join(f"{median:18,}" for median in medians)


if __name__ == "__main__":
    sys.exit(main())
