"""Outline texts that have no grammar."""

import time

from indexer.outline import description_of, outline


def entries(text):
    return [(symbol.qualified_name, symbol.start, symbol.end) for symbol in outline(text)]


def test_sections_are_entries():
    assert entries("; c\n[a]\nx=1\n\n[b.c]\ny=2\n") == [("[a]", 2, 3), ("[b.c]", 5, 6)]


def test_underlined_titles_are_nested_by_their_marks():
    text = "Guide\n=====\n\ntext\n\nFirst\n-----\n\nmore\n\nSecond\n------\n\nLast\n====\nend\n"
    assert entries(text) == [("Guide", 1, 12), ("Guide.First", 6, 9), ("Guide.Second", 11, 12), ("Last", 14, 16)]


def test_indented_blocks_are_entries():
    text = "services:\n  web:\n    image: a\n  db:\n    image: b\n\nvolumes:\n  data:\n"
    assert entries(text) == [("services", 1, 5), ("volumes", 7, 8)]


def test_a_single_outer_block_is_looked_into():
    text = '{\n  "name": "x",\n  "scripts": {\n    "a": 1\n  },\n  "deps": {\n    "b": 2\n  }\n}\n'
    assert [name for name, _, _ in entries(text)] == ['"scripts"', '"deps"']


def test_plain_text_has_no_entries():
    assert entries("Just a few\nlines of text.\n") == []
    assert entries("") == []


def test_comment_at_the_top_is_the_description():
    assert description_of("#!/bin/sh\n# Starts it. More.\necho\n") == "Starts it."
    assert description_of("<!-- Page. -->\n<p>\n") == "Page."
    assert description_of("text\n# not at the top\n") == ""


def test_outlines_are_bounded_in_size_and_time():
    started = time.process_time()
    assert len(outline("a:\n  b\n" * 200_000)) == 400
    outline("x" * 3_000_000)
    outline("  " * 1_000_000)
    assert time.process_time() - started < 5
