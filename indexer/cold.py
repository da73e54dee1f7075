"""Answer a question before there is an index: ``likeliest`` chooses the few files worth parsing for it.

A file is likely by the question's words in its path and its bytes, rare words counting more. The time is bounded,
whatever the size of the tree; what was not looked at is told by the number of files.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexer.errors import IndexerError
from indexer.indexable import why_not_indexed
from indexer.lexicon import STOP_WORDS, english_of
from indexer.names import is_test_path
from indexer.terms import light_stem, parts, words
from indexer.tree import WalkedFile

ALL_BYTES = 600_000  # of a tree that is parsed as a whole: below a second
PARSED_BYTES = 500_000  # of the chosen files of a larger one
PATH_WEIGHT = 3.0  # of a word in the path against one in the text
TEST_WEIGHT = 0.5  # of a file of tests


@dataclass(frozen=True, slots=True)
class Likely:
    """Hold the files to parse, likeliest first, and how many of how many were looked at."""

    files: tuple[WalkedFile, ...]
    looked_at: int
    total: int

    @property
    def is_all(self) -> bool:
        """Say whether nothing was left out."""
        return len(self.files) == self.total


def likeliest(files: Sequence[WalkedFile], question: str, read: Callable[[str], bytes], seconds: float) -> Likely:
    """Choose the files to parse for a question.

    Args:
        files: of the tree.
        question: as asked.
        read: gives the bytes of a file.
        seconds: for reading.
    """
    wanted = [file for file in files if not why_not_indexed(file.path, file.size)]
    if sum(file.size for file in wanted) <= ALL_BYTES:
        return Likely(tuple(wanted), len(wanted), len(wanted))
    encoded = {word: word.encode("utf-8") for word in _wanted(question)}
    in_path = {file.path: [word for word in encoded if word in file.path.lower()] for file in wanted}
    order = sorted(wanted, key=lambda file: (not in_path[file.path], is_test_path(file.path), file.size))
    finder = re.compile(b"|".join(map(re.escape, sorted(encoded.values(), key=len, reverse=True))) or rb"(?!)")
    deadline = time.monotonic() + seconds
    counts: dict[str, Counter[bytes]] = {}
    looked_at = 0
    for file in order:
        if time.monotonic() > deadline:
            break
        looked_at += 1
        try:
            counts[file.path] = Counter(finder.findall(read(file.path).lower()))
        except IndexerError:
            continue  # gone, or not to be read: the run that builds the index tells of it
    frequencies = Counter(word for found in counts.values() for word in found)
    rarity = {word: math.log(1 + max(len(counts), 1) / (1 + frequencies[encoded[word]])) for word in encoded}

    def score(file: WalkedFile) -> float:
        found = counts.get(file.path, Counter())
        inside = sum(rarity[word] * math.log1p(found[data]) for word, data in encoded.items())
        total = inside + PATH_WEIGHT * sum(rarity[word] for word in in_path[file.path])
        return total * (TEST_WEIGHT if is_test_path(file.path) else 1.0)

    scores = {file.path: score(file) for file in order}
    chosen, budget = [], PARSED_BYTES
    for file in sorted(order, key=lambda file: (-scores[file.path], file.path)):
        if scores[file.path] <= 0:
            break
        if file.size <= budget:
            chosen.append(file)
            budget -= file.size
    return Likely(tuple(chosen), looked_at, len(wanted))


def _wanted(question: str) -> dict[str, None]:
    """Give the beginnings of the words that say something, and what Chinese ones are in English."""
    english = [term for _, terms in english_of(question) for term in terms]
    all_words = [part for word in words(" ".join([question, *english])) for part in parts(word)]
    return dict.fromkeys(light_stem(part) for part in all_words if part not in STOP_WORDS)
