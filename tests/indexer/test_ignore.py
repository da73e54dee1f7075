"""What pattern files cost and how they stack; that they mean what git means is tested in test_walk.py."""

import time

import pytest

from indexer.ignore import IgnoreRules, parse


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a*a*a*a*a*a*a*a*b", "a" * 250),
        ("**/a/**/a/**/a/**/a/**/b", "a/" * 1000 + "c"),
        ("?*?*?*?*?*?*x", "a" * 250),
        ("/".join(["*a*b*c"] * 5), "/".join(["abcabc" * 40] * 5)),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    patterns = parse([pattern])
    start = time.process_time()
    patterns.verdict(path)
    assert time.process_time() - start < 0.2


def test_deeper_files_decide_and_within_one_the_last_line() -> None:
    rules = IgnoreRules().with_lines("", ["*.log", "!b.log", "b.log"]).with_lines("sub", ["!a.log", "*.tmp"])
    assert rules.ignores("a.log")
    assert not rules.ignores("sub/a.log")
    assert rules.ignores("sub/b.log")
    assert rules.ignores("sub/x.tmp")
    assert not rules.ignores("x.tmp")


def test_folders_are_told_from_files() -> None:
    rules = IgnoreRules().with_lines("", ["made/"])
    assert rules.ignores("made", is_dir=True)
    assert not rules.ignores("made")


def test_nothing_but_comments_is_no_layer() -> None:
    assert IgnoreRules().with_lines("", ["# nothing", "", "!", "/"]) == IgnoreRules()
