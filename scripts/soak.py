#!/usr/bin/env python3
"""Read a whole checkout through the tools and check that every answer keeps its promises.

    python scripts/soak.py DIR [--limit N] [--words N] [--seed N] [--max-bytes N]

For every file of DIR: `summarize` and `read_file`, following each next call to the end; `grep` for words of the
checkout. Checked: no exception, no answer over its limit, every next call goes on and ends, the pages rebuild the
decoded file character for character (masked lines excepted, which must be told), parse problems are told,
every match is found once. Prints each failure and `N passed, N failed`.
"""

import argparse
import random
import re
import sys
import time
from collections import Counter as Tally
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from cases.answer import Parts, split

from codectx.call import Call, parse_call
from codectx.config import load
from codectx.dispatch import answer_call, limit_of
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tools import TOOLS
from indexer.errors import IndexerError
from indexer.secrets import mask

MAX_PAGES = 400  # followed of one file; a longer chain is checked up to there
BY_NAME = {tool.name: tool for tool in TOOLS}
FIRST = {tool.name: tool.parameters[0].name for tool in TOOLS}


class BrokenError(Exception):
    """Report a promise that an answer did not keep."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--limit", type=int, help="max_tokens of every call (default: each tool's own)")
    parser.add_argument("--words", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--max-bytes", type=int, default=400_000, help="larger files are summarised and read for 5 pages"
    )
    given = parser.parse_args()
    soak = Soak(given.directory.resolve(), given.limit)
    walked = soak.project.walk()
    started, passed, failures = time.process_time(), 0, []
    texts: list[str] = []
    for file in walked.files:
        pages = MAX_PAGES if file.size <= given.max_bytes else 5
        for check in (soak.summary, soak.pages):
            try:
                text = check(file.path, pages)
                texts += [text] if text and len(texts) < 400 else []
                passed += 1
            except BrokenError as broken:
                failures.append(f"{check.__name__} {file.path}: {broken}")
                print("FAIL", failures[-1], flush=True)
    for word in words(texts, given.words, given.seed):
        try:
            soak.grep(word)
            passed += 1
        except BrokenError as broken:
            failures.append(f"grep {word!r}: {broken}")
            print("FAIL", failures[-1], flush=True)
    calls, slowest = soak.calls.total(), soak.slowest
    spent = time.process_time() - started
    print(f"{len(walked.files)} files, {calls} calls, {spent:.1f} s CPU, slowest {slowest[0]:.2f} s: {slowest[1]}")
    print(f"{passed} passed, {len(failures)} failed")
    return bool(failures)


def words(texts: list[str], number: int, seed: int) -> list[str]:
    """Choose words of the checkout, common and rare ones."""
    tally = Tally(word for text in texts for word in re.findall(r"\w{3,30}", text))
    ranked = [word for word, _ in tally.most_common()]
    chance = random.Random(seed)
    return ranked[: number // 5] + chance.sample(ranked, min(len(ranked), number - number // 5))


class Soak:
    """Hold the project under test and what was counted."""

    def __init__(self, root: Path, limit: int | None) -> None:
        self.project = Project(root, load(root, {tool.name: tool.limit for tool in TOOLS}, {}))
        self.counter = Counter()
        self.limit = limit
        self.calls: Tally[str] = Tally()
        self.slowest = (0.0, "")

    def ask(self, call: Call) -> str:
        """Make a call; an error or an answer over the limit is a broken promise."""
        arguments = {**call.arguments, **({"max_tokens": self.limit} if self.limit else {})}
        started = time.process_time()
        reply = answer_call(self.project, BY_NAME[call.tool], arguments)
        self.slowest = max(self.slowest, (time.process_time() - started, str(call)[:120]))
        self.calls[call.tool] += 1
        if reply.is_error:
            raise BrokenError(f"{call}: {reply.text}")
        limit = limit_of(self.project.config, BY_NAME[call.tool], arguments)
        if (tokens := self.counter.count(reply.text)) > limit:
            raise BrokenError(f"{call}: {tokens} tokens, limit {limit}")
        return reply.text

    def follow(self, call: Call, pages: int) -> Iterator[tuple[str, Parts]]:
        """Give an answer and all that its next calls lead to; the same call twice is a broken promise."""
        seen = set()
        for _ in range(pages):
            text = self.ask(call)
            parts = split(text)
            yield text, parts
            if parts.cut is None:
                return
            following = parse_call(parts.cut.call, FIRST)
            if call.tool == "summarize" and following.tool != "summarize":
                return  # the rest of a file without a grammar is read, not summarised
            call = following
            if str(call) in seen:
                raise BrokenError(f"the next call does not go on: {call}")
            seen.add(str(call))

    def decoded(self, path: str) -> str | None:
        """Give the file's text, None for what is no text."""
        try:
            return self.project.read(self.project.resolve(path)).text
        except IndexerError:
            return None

    def summary(self, path: str, pages: int) -> str:
        """Follow a summary; check that problems are told and that it is not longer than its source."""
        from indexer.summary import summarize_text

        text = self.decoded(path)
        if text is None:
            return ""
        answers = [answer for answer, _ in self.follow(Call("summarize", {"path": path}), pages)]
        problems = summarize_text(path, mask(text).text).problems
        whole = f"({text.count(chr(10))} line" in answers[0] or split(answers[0]).own == text
        if problems and not whole and "[problems: " not in answers[0]:
            raise BrokenError(f"{len(problems)} problems, and none is told")
        if len(answers) < pages and len(text) > 200:
            spent = sum(map(self.counter.count, answers))
            beside = 80 + self.counter.count(path)  # of a page: header and notices, which name the path once more
            if spent > self.counter.count(text) + beside * len(answers):
                raise BrokenError(f"the summary has {spent} tokens, its source {self.counter.count(text)}")
        return text

    def pages(self, path: str, pages: int) -> str:
        """Follow read_file to the end and compare with the file."""
        text = self.decoded(path)
        if text is None:
            return ""
        rebuilt, done, told = [], False, False
        for answer, parts in self.follow(Call("read_file", {"path": path}), pages):
            rebuilt.append(parts.own)
            told = told or "[masked: " in answer
            done = parts.cut is None
        got = "".join(rebuilt)
        if (got == text) if done else text.startswith(got):
            return ""
        masked = mask(text)
        if told and masked.lines and got.count("\n") == text.count("\n"):
            return ""
        at = next((n for n, (a, b) in enumerate(zip(got, text, strict=False)) if a != b), min(len(got), len(text)))
        here = slice(at, at + 40)
        raise BrokenError(f"pages differ from the file at character {at}: {got[here]!r}, file {text[here]!r}")

    def grep(self, word: str) -> None:
        """Follow a grep; every match of the header's number is given once."""
        seen: list[str] = []
        total = None
        for text, parts in self.follow(Call("grep", {"pattern": word, "fixed": True}), MAX_PAGES):
            if total is None and (told := re.search(r"(\d+) match", parts.head)):
                total = int(told[1])
            path = ""
            for line in parts.content.split("\n"):
                if found := re.match(r"  (\d+): ", line):
                    seen.append(f"{path}:{found[1]}")
                elif line and not line.startswith(" "):
                    path = line
            if not text:
                raise BrokenError("an empty answer")
        if len(seen) != len(set(seen)):
            raise BrokenError("a match is given twice")
        if parts.cut is None and total is not None and len(seen) != total:
            raise BrokenError(f"{total} matches told, {len(seen)} given")


if __name__ == "__main__":
    sys.exit(main())
