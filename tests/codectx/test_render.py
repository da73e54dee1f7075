"""Small things are written the same way everywhere."""

import pytest

from codectx.render import clipped, grouped, is_prose, left_out_told, purpose

README = """\
<!-- badges -->
[![build](https://example.org/b.svg)](https://example.org)

# Mill

> Note: moved.

You may be looking for:

- the guide

We're proud of release 3.

Mill is a [fast][1] tool that grinds corn. It has stones.

[1]: https://example.org
"""


@pytest.mark.parametrize(
    ("names", "length", "shown"),
    [
        (["os", "re"], 100, "os, re"),
        (["java.util.List", "a.B", "java.util.Map"], 100, "java.util.{List, Map}, a.B"),
        (["net/http", "io", "net/url"], 100, "net/{http, url}, io"),
        (["A\\B\\C", "A\\B\\D"], 100, "A\\B\\{C, D}"),
        (["std::fmt", "std::io"], 100, "std::{fmt, io}"),
        ([".a", ".b"], 100, ".a, .b"),
        (["one.two", "three"], 4, "one.two, +1 more"),
        (["pack.one", "pack.two", "pack.three", "x"], 16, "pack.{one, two}, +2 more"),
        ([], 10, ""),
    ],
)
def test_names_of_one_origin_stand_together_and_all_are_counted(names, length, shown):
    assert grouped(names, length) == shown


def test_a_text_is_clipped_after_a_word_that_leaves_enough():
    assert clipped("one two three four", 12) == "one two..."
    assert clipped("one two three four", 12, least=9) == "one two t..."
    assert clipped("one two", 12) == "one two"


def test_a_readme_says_what_it_is():
    assert purpose(README, surely=True) == "Mill is a fast tool that grinds corn."


@pytest.mark.parametrize(
    "text", ["# A\n\nFast corn grinder for all of us.\n", "# A\n\nThis is a Node.js module, get it.\n"]
)
def test_a_readme_without_such_a_sentence_gives_its_first_or_none(text):
    assert purpose(text, surely=True) == ""
    assert purpose(text, surely=False) == text.split("\n")[2]


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Grind corn and keep the books.", True),
        ("处理登录令牌的刷新，失败时重试。", True),
        ("Project ___| | | | _ \\| |", False),
        (":markup: markdown", False),
        ("Copyright (C) somebody", False),
        ("", False),
    ],
)
def test_banners_and_licences_are_no_prose(text, prose):
    assert is_prose(text) is prose


def test_what_is_left_out_is_counted_by_reason_in_the_same_words_everywhere():
    secret = ("unreadable", "secret file; something opens it")
    large = ("unsupported", "larger than 200 kB")
    lock = ("unsupported", "lock file")
    closed = ("unreadable", "a.py cannot be read: Permission denied")
    assert left_out_told([]) == ""
    assert left_out_told([secret]) == "left out: 1 file (1 secret file)"
    told = left_out_told([lock, closed, secret, large, lock, secret, large, large])
    assert told == "left out: 8 files (3 larger than 200 kB, 2 lock files, 2 secret files, 1 unreadable)"
