"""Lines that match: the same by every way of finding them, within a time, and without stopping other threads."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import matching
from indexer.matching import Deadline, SearchTimeoutError, matching_lines, search_line
from indexer.regexes import compile_pattern

SLOW = r"(?:a|aa)+$"  # takes twice as long for every two letters before something that is no a
SLOW_LINE = "a" * 60 + "!"


def one_by_one(text, pattern):
    """Find matching lines in the plainest way there is."""
    starts, at = [], 0
    lines = text.split("\n")
    for line in lines[:-1] if text.endswith("\n") else lines if text else []:
        if pattern.line.search(line):
            starts.append(at)
        at += len(line) + 1
    return starts


def found(text, source, **options):
    return list(matching_lines(text, compile_pattern(source, **options), Deadline(30)))


PATTERNS = [
    "ab",
    "a",
    "a|b1",
    "^$",
    "^",
    "$",
    "",
    r"\s",
    r"^\s*$",
    r"a\s+b",
    r"\d+",
    r"[ab]{2}",
    r"[^a]",
    r"[^a]b",
    "(?s)a.b",
    "a(?!b)",
    "(?<=a)b",
    r"(?<!\s)b",
    r"\Aa",
    r"b\Z",
    "a++b",
    r"\bb",
    "(?i)A1",
    r"\x0c",
    "\u2028",
    r"a\nb",
    r"\n",
    "\r",
]


@pytest.mark.parametrize("source", PATTERNS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet="ab1 \n\n\r\x0c\u2028", max_size=40), window=st.integers(1, 12))
def test_every_way_finds_the_lines_that_match_one_by_one(source, text, window):
    pattern = compile_pattern(source)
    expected = one_by_one(text, pattern)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "WINDOW_CHARS", window)
        for sparse in (0, 1, 10**9):  # always by literals; if there are few; never
            patch.setattr(matching, "_SPARSE_CHARS", sparse)
            assert list(matching_lines(text, pattern, Deadline(30))) == expected


def test_a_text_without_lines_has_no_match():
    assert found("", "^") == []
    assert found("\n", "^$") == [0]
    assert found("\n\n", "^$") == [0, 1]
    assert found("a", "^$") == []


def test_case_is_ignored_in_all_letters():
    text = "x\nKELVIN \u212a\nstra\u00dfe\nLong \u017f\n\u0130stanbul\nИмя\n"
    assert found(text, "kelvin k", ignore_case=True) == [2]
    assert found(text, "long s", ignore_case=True) == [18]
    assert found(text, "stanbul", ignore_case=True) == [25]
    assert found(text, "имя", ignore_case=True) == [34]


def test_a_pattern_without_end_ends_in_time():
    start = time.monotonic()
    with pytest.raises(SearchTimeoutError) as caught:
        found(SLOW_LINE, SLOW)
    assert caught.value.category == "timeout"
    assert time.monotonic() - start < 5 * matching.LINE_SECONDS


@pytest.mark.parametrize("source", [SLOW, r"(?:a|aa)+(?!.)", "x|(?:a|aa)+$"])
def test_many_slow_lines_end_in_time(source):
    line = "a" * 26 + "!\n"  # some milliseconds each
    start = time.monotonic()
    with pytest.raises(SearchTimeoutError):
        list(matching_lines(line * 100_000, compile_pattern(source), Deadline(0.5)))
    assert time.monotonic() - start < 3


def test_where_candidates_take_long_the_lines_still_come_out():
    # Over many lines the run of blanks is looked at anew from each of them.
    text = "\n" * 30_000 + "end\n"
    assert found(text, r"\s+[xyz]|e\Dd") == [30_000]


def test_other_threads_run_while_a_line_takes_long():
    done = threading.Event()
    beats = 0

    def count():
        nonlocal beats
        while not done.wait(0.01):
            beats += 1

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(SearchTimeoutError):
        search_line(SLOW_LINE, compile_pattern(SLOW), Deadline(0.5))
    done.set()
    thread.join()
    assert beats > 5


def test_a_search_that_nobody_wants_any_more_ends():
    class GoneError(Exception):
        pass

    def check():
        nonlocal calls
        calls += 1
        if calls > 3:
            raise GoneError

    calls = 0
    with pytest.raises(GoneError):
        list(matching_lines("ab\n" * 100_000, compile_pattern(r"\w"), Deadline(30, check)))
