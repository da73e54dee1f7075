"""Read comments of any marks as one sentence."""

import pytest

from indexer.comments import DESCRIPTION_LIMIT, clip, description, first_sentence


@pytest.mark.parametrize(
    "raw",
    [
        "// Sums up. More.",
        "/// Sums up. More.",
        "//! Sums up.",
        "# Sums up.",
        "## Sums up.",
        "-- Sums up.",
        "--- Sums up.",
        ";; Sums up.",
        "% Sums up.",
        "/* Sums up. */",
        "/** Sums up. **/",
        "/*! Sums up. */",
        "/**\n * Sums\n * up.\n *\n * More.\n * @param a b\n */",
        "<!-- Sums up. -->",
        "{- | Sums up. -}",
        "--[[ Sums up. ]]",
        "=begin\nSums up.\n=end",
        "(* Sums up. *)",
        '"""Sums up. More."""',
        "'''\n    Sums\n    up.\n\n    More.\n    '''",
        "r'Sums up.'",
        '/// <summary>\n/// Sums up.\n/// </summary>\n/// <param name="a">A.</param>',
        "/**\n * @brief Sums up.\n */",
        "/**\n * @fileoverview Sums up.\n */",
        "/** \\brief Sums up. */",
        "# Copyright 2020 A\n#\n# Sums up.",
        "# pylint: disable=all\n# Sums up.\n# type: ignore",
        "/* eslint no-console: 0 */ ".strip().replace("*/", "\n * Sums up. */"),
        "# TODO: later\n# and later\n#\n# Sums up.",
        "# --------\n# Sums up.",
        "# Author: A\n# Date: today\n# Sums up.",
        "//export Sum\n// Sums up.",
        "// Sums up.\n//extern sum",
        "//line a.go:3:1\n// Sums up.",
        "//sysnb sum(a int) (err error) = libc.sum\n// Sums up.",
    ],
)
def test_marks_and_noise_are_taken_away(raw):
    assert description(raw) == "Sums up."


@pytest.mark.parametrize(
    "raw",
    [
        "# Prettier output for people.",
        "# Flow control of the pump.",
        "# Region of the map.",
        "# Global state of the server.",
        "# Copy rights of users to a new role.",
        "# Licence plates are read here.",
        "# Generated columns of a table.",
        "# Bugs are small animals.",
        "// Go: the game.".replace("Go:", "Go,"),
        "/** @contextmanager turned into a decorator. */",
    ],
)
def test_sentences_that_begin_like_noise_are_kept(raw):
    assert description(raw) == raw.strip("#/* ").strip()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One."),
        ("No end", "No end"),
        ("e.g. this one. Two", "e.g. this one."),
        ("Use f.x, v1.2 and a.py! Then go.", "Use f.x, v1.2 and a.py!"),
        ("Why (really?). So.", "Why (really?)."),
        ("By J. Doe et al. it is. Two", "By J. Doe et al. it is."),
        ("磨粉。第二句。", "磨粉。"),
        ("磨粉！好？", "磨粉！"),
        ("混合 text. 中文。", "混合 text."),
        ('Says "no." Then.', 'Says "no."'),
        ("Etc. etc. and so on. End", "Etc. etc. and so on."),
        ("", ""),
    ],
)
def test_first_sentence(text, sentence):
    assert first_sentence(text) == sentence


@pytest.mark.parametrize(
    "raw", ["//Sums up.", "//export of goods", "//line up the rows.", "// export Sum", "//exports"]
)
def test_what_is_no_directive_is_kept_though_no_space_stands_before_it(raw):
    assert description(raw) == raw.lstrip("/ ")


@pytest.mark.parametrize(
    "raw",
    [
        "// foo(bar);",
        "# x = compute(y)",
        "# self.rows[0] = Row.of(x)",
        "/* pop3_do() */",
        '// print("these are words", a, b(c));',
        "// const y = await load(x);",
        "// if (a) { return b; }",
        "// function f(a, b) {\n//   var c = a + b;\n//   return c;\n// }",
        "// a->b(c);\n// D::e();",
    ],
)
def test_statements_are_no_description(raw):
    assert description(raw) == ""


@pytest.mark.parametrize(
    "raw",
    [
        "# Opens the file (see below)",
        "# Sends it (or not);",
        "# receive_str() should return text (default)",
        "# decode() begins at (4)",
        "# foo(the first of them)",
        "// t1 = u(v'/d1) and v(u'/d1)",
        "// n = number of rows;",
        "// return the value;",
        "// Matches a {",
        "// Calls foo();",
        "// foo(bar)\n// does nothing",
        "// xs == f(ys)",
        "// \u8fd4\u56de foo(\u503c)",
    ],
)
def test_sentences_that_end_like_statements_are_kept(raw):
    assert description(raw) == " ".join(raw.replace("//", "").strip("# ").split())


def test_docstring_about_copyright_is_no_licence():
    raw = '"""Print the copyright notice of a package."""'
    assert description(raw, may_be_licence=False) == "Print the copyright notice of a package."
    assert description(raw) == ""


def test_inline_links_are_text():
    assert description('/** See {@link Store} and <see cref="T:A.B"/>. */') == "See Store and A.B."


def test_descriptions_are_clipped_at_a_word():
    long = description("# " + "word " * 100)
    assert len(long) <= DESCRIPTION_LIMIT
    assert long.endswith("word…")
    assert clip("x" * 50, 10) == "x" * 9 + "…"
    assert clip("short", 10) == "short"


def test_a_sentence_below_statements_is_the_description():
    assert description("// foo(bar);\n//\n// Sums up.") == "Sums up."


def test_huge_comments_take_no_time():
    assert description("/*" + " *" * 500_000 + "*/") == ""
    assert description("# " + "word." * 200_000).startswith("word.")


def test_drawn_letters_and_headlines_are_no_description() -> None:
    assert (
        description(
            "/*\n *  Project    ___| | | |  _ \\| |\n *            / __| | | | |_) | |\n *\n * Sends mail.\n */"
        )
        == "Sends mail."
    )
    assert description("/*** HEADER FILES ****************/") == ""
    assert description("# Reads a/b/c and x|y|z from disk.") == "Reads a/b/c and x|y|z from disk."


def test_prologs_people_and_bare_file_names_are_no_description() -> None:
    assert description('<?xml version="1.0" encoding="utf-8"?>') == ""
    assert description("<!DOCTYPE html>") == ""
    assert description("# :markup: markdown\n# Routes requests.") == "Routes requests."
    assert description("/* Ann Example <ann@example.org> */") == ""
    assert description("/* Ann Example ann@example.org */") == ""
    assert description("# xc-am-iface.m4\n#\n# Finds the interface.") == "Finds the interface."


def test_a_licence_without_the_usual_words_is_no_description() -> None:
    text = "Permission is granted to anyone to use this software for any purpose, and to alter it freely."
    assert description(f"/* {text} */") == ""
    assert description("/* 2. Altered source versions must be plainly marked as such. */") == ""


def test_an_underlined_file_name_is_passed_over() -> None:
    assert description('"""\npkg.auth\n~~~~~~~~\n\nHolds the handlers.\n"""') == "Holds the handlers."


def test_a_docstring_is_never_code():
    assert description('"""foo(a, b)"""') == "foo(a, b)"
    assert description("# foo(a, b)") == ""
