#!/usr/bin/env python3
"""Write the words that are common in code: indexer/search/code_words.txt, from the benchmark's repositories.

    python scripts/retrieval/code_words.py --checkouts DIR --repos repos.jsonl --queries queries.jsonl [--cache DIR]

A word is common if at least two chunks each of at least four repositories have its stem. The gate forgives a question
such a word more easily than one that code hardly ever has.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent.parent.parent)]

from retrieval.corpus import index_of, repositories

CHUNKS, REPOSITORIES, LETTERS = 2, 4, 3
TO = Path(__file__).resolve().parents[2] / "indexer" / "search" / "code_words.txt"


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("checkouts", "repos", "queries"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    seen: Counter[str] = Counter()
    for repository in repositories(given.checkouts, given.repos, given.queries):
        index, _ = index_of(repository, given.cache)
        seen.update(index.vocabulary.term_of(int(term)) for term in np.flatnonzero(index.frequencies >= CHUNKS))
    words = sorted(
        word
        for word, n in seen.items()
        if n >= REPOSITORIES and len(word) >= LETTERS and word.isascii() and word.isalpha()
    )
    head = "# Stems that at least two chunks each of at least four of 31 public repositories have.\n"
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    TO.write_text(head + "\n".join([*lines, line]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
