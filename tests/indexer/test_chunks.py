"""Part files of every kind into chunks that cover each line once."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.chunk_lines import LONGEST
from indexer.chunks import LONG_LINE, chunked
from indexer.entries import entry_of
from indexer.entry import FileEntry
from indexer.summary import summarize_text
from indexer.terms import words

GOLDEN = Path(__file__).parents[1] / "golden" / "outline"
SAMPLES = sorted(path for path in GOLDEN.glob("*/*") if path.suffix != ".txt")
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in SAMPLES}
LANGUAGES = 25


def entry(path: str, text: str) -> FileEntry:
    return entry_of(path, text, "digest")


def shape(path: str, text: str) -> list[tuple[int, int, str, str]]:
    return [(chunk.start, chunk.end, chunk.kind, chunk.qualified_name) for chunk in entry(path, text).chunks]


def assert_covered(made: FileEntry, text: str) -> None:
    """Assert that each line that is not blank is in exactly one chunk, and that chunks are in order and short."""
    lines = text.split("\n")
    times = Counter(row for chunk in made.chunks for row in range(chunk.start, chunk.end + 1))
    assert set(times.values()) <= {1}
    assert [number for number, line in enumerate(lines, 1) if line.strip() and not times[number]] == []
    assert all(1 <= chunk.start <= chunk.end <= made.line_count for chunk in made.chunks)
    assert [chunk.start for chunk in made.chunks] == sorted(chunk.start for chunk in made.chunks)
    assert all(chunk.end - chunk.start < LONGEST for chunk in made.chunks)
    assert all(0 <= found.chunk < len(made.chunks) for found in made.defined)


def test_samples_are_of_all_languages():
    assert len({path.parent.name for path in SAMPLES}) >= LANGUAGES


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_x46_every_line_of_a_sample_is_in_one_chunk(path):
    text = TEXTS[path.name]
    assert_covered(entry(path.name, text), text)
    assert_covered(entry(path.name, text.replace("\n", "\r\n")), text)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_x46_every_line_of_any_part_of_a_sample_is_in_one_chunk(name, data):
    text = TEXTS[name]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    part = text[start:end]
    assert_covered(entry(name, part), part)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.integers(2, 6), st.integers(0, 400))
def test_x46_every_line_of_long_and_broken_samples_is_in_one_chunk(name, times, hole):
    text = (TEXTS[name][hole:] + TEXTS[name][: hole // 2]) * times
    assert_covered(entry(name, text), text)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["", "  ", "a: 1", "# T", "## U", "```", "text", "- x", "[t]", "\t}", "==="]), max_size=150
    ),
    st.sampled_from(["a.md", "a.yaml", "a.txt", "a.toml", "a", "a.py", "a.ipynb", "a.vue", "a.sql"]),
)
def test_x46_every_line_of_any_text_is_in_one_chunk(lines, path):
    text = "\n".join(lines)
    assert_covered(entry(path, text), text)


PYTHON = '''"""About."""
import os

LIMIT = 3


# Leads a.
@route("/a")
def a(x):
    """Says a."""
    return x


class Big:
    """Says Big."""

    size = 1

    # Leads m.
    def m(self):
        def inner():
            return 1

        return inner

    def n(self):
        return 2


class Small:
    def m(self):
        return 1
'''


def test_functions_with_what_leads_them_heads_of_classes_and_module_code():
    assert shape("a.py", PYTHON) == [
        (1, 4, "module", ""),
        (7, 11, "function", "a"),
        (14, 17, "class", "Big"),
        (19, 24, "method", "Big.m"),
        (26, 27, "method", "Big.n"),
        (30, 32, "class", "Small"),
    ]


def test_what_is_defined_is_booked_on_its_chunk():
    made = entry("a.py", PYTHON)
    assert [(each.name, each.kind, each.chunk) for each in made.defined] == [
        ("LIMIT", "constant", 0),
        ("a", "function", 1),
        ("Big", "class", 2),
        ("m", "method", 3),
        ("inner", "function", 3),
        ("n", "method", 4),
        ("Small", "class", 5),
        ("m", "method", 5),
    ]


def test_signatures_and_parents_are_told():
    chunks = entry("a.py", PYTHON).chunks
    assert [chunk.signature for chunk in chunks] == [
        "",
        "def a(x)",
        "class Big",
        "def m(self)",
        "def n(self)",
        "class Small",
    ]
    assert [chunk.parent for chunk in chunks] == [None, None, None, "Big", "Big", None]


def test_x42_same_names_are_different_chunks():
    methods = "".join(f"    def run(self):\n        return {n}\n\n" for n in range(5))
    text = f"class A:\n{methods}\nclass B:\n{methods}\ndef run():\n    return 9\n"
    made = entry("a.py", text)
    runs = [chunk for chunk in made.chunks if chunk.name == "run"]
    assert len(runs) == 11
    assert len({(chunk.start, chunk.end) for chunk in runs}) == 11
    assert len({chunk.digest for chunk in runs}) == 11
    assert [chunk.qualified_name for chunk in runs] == ["A.run"] * 5 + ["B.run"] * 5 + ["run"]


def long_function(name: str, lines: int, indent: str = "") -> str:
    body = "".join(f"{indent}    call_{n}(\n{indent}        {n},\n{indent}    )\n" for n in range(lines // 3))
    return f"{indent}def {name}(x):\n{body}"


def test_x49_long_functions_are_cut_at_statements_and_keep_their_name():
    text = long_function("f", 210)
    made = entry("a.py", text)
    lines = text.split("\n")
    assert [chunk.part for chunk in made.chunks] == [1, 2, 3, 4, 5][: len(made.chunks)]
    assert len(made.chunks) > 3
    assert {(chunk.name, chunk.signature) for chunk in made.chunks} == {("f", "def f(x)")}
    assert all(lines[chunk.start - 1].startswith("    call_") for chunk in made.chunks[1:])
    assert_covered(made, text)


def test_functions_of_just_the_limit_are_whole():
    text = "def f():\n" + "    a = 1\n" * (LONGEST - 1)
    assert shape("a.py", text) == [(1, LONGEST, "function", "f")]
    assert len(shape("a.py", text + "    a = 1\n")) == 2


def test_strings_and_comments_are_not_cut():
    comment = "/*\n" + "x\n" * 30 + "*/\n"
    text = f"int f(void) {{\n{comment}{'  a();' + chr(10)}{comment}  b();\n{comment}}}\n"
    starts = {chunk.start for chunk in entry("a.c", text).chunks}
    lines = text.split("\n")
    assert not any(lines[start - 1] in ("x", "*/") for start in starts)


def test_large_functions_in_a_long_one_are_chunks_of_their_own():
    inner = long_function("inner", 30, "    ")
    text = f"def outer():\n    a = 1\n{inner}" + "    b = 1\n" * 40 + "    def tiny():\n        return 1\n"
    names = [(chunk.qualified_name, chunk.part) for chunk in entry("a.py", text).chunks]
    assert names == [("outer", 1), ("outer.inner", 0), ("outer", 2)]
    short = f"def outer():\n    a = 1\n{inner}    return inner\n"
    assert [chunk.qualified_name for chunk in entry("a.py", short).chunks] == ["outer"]


def test_what_only_closes_a_type_is_no_part_of_a_method():
    body = "".join(f"  int get{n}() {{\n    return {n};\n  }}\n\n" for n in range(4))
    chunks = shape("A.java", f"class A {{\n  int x;\n\n{body}}}\n")
    assert chunks[0] == (1, 2, "class", "A")
    assert chunks[4] == (16, 18, "method", "A.get3")
    assert chunks[5] == (20, 20, "module", "")
    assert entry("A.java", f"class A {{\n  int x;\n\n{body}}}\n").chunks[0].part == 0


def test_haskell_signatures_belong_to_their_function():
    text = "module A where\n\nimport B\n\n-- | Adds.\nadd :: Int -> Int\nadd 0 = 1\nadd n = n\n"
    assert shape("A.hs", text)[-1] == (5, 8, "function", "add")


SERVER = """/*!
 * Copyright (c) 2024 A
 */

'use strict';

/**
 * Module dependencies.
 * @private
 */

var a = require('a');

/**
 * Walks the tides.
 *
 * @public
 */

app.all = function all(path) {
  return path;
};

/** Gauges the harbour. */

get(app, 'depth', function depth() {
  return 1;
});
"""


def test_a_doc_comment_beyond_a_blank_line_belongs_to_its_function():
    assert shape("a.js", SERVER) == [
        (1, 12, "module", ""),
        (14, 22, "method", "app.all"),
        (24, 28, "function", "depth"),
    ]
    docs = [fields.doc.decode() for fields in chunked("a.js", SERVER).fields]
    assert "Walks the tides." in docs[1]
    assert "Gauges the harbour." in docs[2]


@pytest.mark.parametrize(
    ("path", "before", "code", "name"),
    [
        ("a.ts", "a();\n", "export function f() {\n  return 1;\n}\n", "f"),
        ("a.ts", "a();\n", "@dec()\nexport class F {\n  x = 1;\n}\n", "F"),
        ("a.php", "<?php\na();\n", "function f() {\n  return 1;\n}\n", "f"),
        ("a.c", "#include <a.h>\n", "int f(void) {\n  return 1;\n}\n", "f"),
        ("a.kt", "package a\n", "fun f(): Int {\n  return 1\n}\n", "f"),
        ("A.java", "package a;\n", "class F {\n  int x;\n}\n", "F"),
        ("a.swift", "import A\n", "func f() -> Int {\n  return 1\n}\n", "f"),
    ],
)
def test_summaries_and_chunks_take_the_same_comment_beyond_a_blank_line(path, before, code, name):
    text = f"{before}\n/** Does it. */\n\n{code}"
    assert [each.description for each in summarize_text(path, text).symbols if each.name == name] == ["Does it."]
    start, end, _, found = shape(path, text)[-1]
    assert (start, end, found) == (before.count("\n") + 2, text.count("\n"), name)
    assert chunked(path, text).fields[-1].doc == b"/** Does it. */"


@pytest.mark.parametrize(
    "above",
    [
        "/** Does it. */\n\n",  # too far
        "/*********\n * Helpers\n *********/\n",
        "/** ------ Helpers ------ */\n",
        "/** Copyright (c) 2024 A. All rights reserved. */\n",
        "/* Does it. */\n",
        "// Does it.\n",
        "/**/\n",
        "a(); /** Does it. */\n",
        "/** Does it. */ var b = 1;\n",
        "  /** Does it. */\n",  # of what stands deeper
    ],
)
def test_banners_and_licences_and_comments_of_others_stay_apart(above):
    text = f"a();\n\n{above}\nfunction f() {{\n  return 1;\n}}\n"
    assert shape("a.js", text)[-1] == (text.count("\n") - 2, text.count("\n"), "function", "f")
    assert [each.description for each in summarize_text("a.js", text).symbols if each.name == "f"] == ["return 1;"]


def test_a_comment_at_the_top_of_a_file_is_the_files():
    assert shape("a.js", "/** Sells things. */\n\nfunction f() {\n  return 1;\n}\n") == [
        (1, 1, "module", ""),
        (3, 5, "function", "f"),
    ]


def test_members_and_long_functions_have_their_doc_comment_beyond_a_blank_line():
    members = "".join(f"  /** Says {n}. */\n\n  get{n}() {{\n    return {n};\n  }}\n\n" for n in range(3))
    assert shape("a.js", f"class A {{\n  x = 1;\n\n{members}}}\n")[1:4] == [
        (4, 8, "method", "A.get0"),
        (10, 14, "method", "A.get1"),
        (16, 20, "method", "A.get2"),
    ]
    doc = "/**\n" + " * Walks the tides.\n" * 20 + " */\n\n"
    text = f"a();\n\n{doc}function f() {{\n" + "  a();\n" * 55 + "}\n"
    made = entry("a.js", text)
    assert [(chunk.name, chunk.part) for chunk in made.chunks] == [("", 0), ("f", 1), ("f", 2)]
    assert made.chunks[1].signature == "function f()"
    assert_covered(made, text)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_line_of_a_sample_with_blank_lines_below_its_comments_is_in_one_chunk(path):
    text = TEXTS[path.name].replace("*/\n", "*/\n\n")
    assert_covered(entry(path.name, text), text)


def test_elixir_docs_and_specs_belong_to_their_function():
    text = (
        'defmodule A do\n  use B\n\n  @doc "Adds."\n  @spec add(integer) :: integer\n  def add(a) do\n    a\n  end\n\n'
    )
    text += "".join(f"  def f{n}(a) do\n    a\n  end\n\n" for n in range(3)) + "end\n"
    assert (4, 8, "function", "A.add") in shape("a.ex", text)


def test_definitions_on_one_line_share_a_chunk():
    made = entry("a.js", "function a() { return 1 } function b() { return 2 }\n")
    assert len(made.chunks) == 1
    assert [each.name for each in made.defined] == ["a", "b"]


def test_x46_constants_types_settings_and_statements_can_be_hits():
    table = 'CODES = {\n    "a": 1,\n    "b": 2,\n    "c": 3,\n}\n'
    assert shape("a.py", f"import os\n\n{table}") == [(1, 1, "module", ""), (3, 7, "constant", "CODES")]
    assert shape("a.sql", "CREATE TABLE a (\n  id int\n);\n\nINSERT INTO a VALUES (1);\n") == [
        (1, 3, "table", "a"),
        (5, 5, "module", ""),
    ]
    assert shape("a.toml", "[a]\nx = 1\n\n[b]\ny = 2\n") == [(1, 5, "section", "")]


MARKDOWN = """intro

# Install

## From source

Clone it.

```sh
# no heading

make
```

## 安装

用包管理器安装。
"""


def test_markdown_is_parted_by_its_headings():
    assert shape("a.md", MARKDOWN) == [
        (1, 1, "section", ""),
        (3, 13, "section", "Install / From source"),
        (15, 17, "section", "Install / 安装"),
    ]
    chunk = entry("a.md", MARKDOWN).chunks[1]
    assert (chunk.name, chunk.parent, chunk.signature) == ("From source", "Install", "## From source")


def test_long_sections_are_cut_outside_of_code_blocks():
    block = "```\n" + "a\n\n" * 20 + "```\n"
    text = "# T\n\n" + (block + "\ntext\n\n") * 4
    made = entry("a.md", text)
    assert {chunk.name for chunk in made.chunks} == {"T"}
    assert [chunk.part for chunk in made.chunks] == list(range(1, len(made.chunks) + 1))
    lines = text.split("\n")
    for chunk in made.chunks:
        assert lines[chunk.start - 1 : chunk.end].count("```") % 2 == 0


def test_x7_chinese_prose_is_parted_by_lines():
    text = "".join(f"第{n}行说明缓存的用法。\n" for n in range(100))
    made = entry("说明.txt", text)
    assert_covered(made, text)
    assert len(made.chunks) >= 2
    assert "缓存" in made.postings.terms


def test_notebooks_are_parted_by_cells():
    def cell(kind: str, source: list[str]) -> dict[str, object]:
        return {"cell_type": kind, "metadata": {}, "source": source}

    lines = [f"value_{n} = {n}\n" for n in range(30)]
    book = {
        "cells": [
            cell("markdown", ["# 标题\n", "About tides"]),
            cell("code", lines),
            cell("code", ["def f():\n", "    return 1"]),
        ]
    }
    text = json.dumps(book, indent=1, ensure_ascii=False)
    made = entry("a.ipynb", text)
    assert_covered(made, text)
    assert [chunk.name for chunk in made.chunks if chunk.name] == ["f"]
    cells = [number for number, line in enumerate(text.split("\n"), 1) if '"cell_type"' in line]
    assert cells[1] in {chunk.start for chunk in made.chunks}
    assert {"tide", "标题", "value29"} <= set(made.postings.terms)
    assert "celltyp" not in made.postings.terms


def test_components_keep_their_line_numbers_and_templates():
    text = "<template>\n  <save-button/>\n</template>\n\n<script>\nexport function send() {\n  return 1\n}\n</script>\n"
    made = entry("A.vue", text)
    assert (6, 8, "function", "send") in shape("A.vue", text)
    assert {"button", "save", "send"} <= set(made.postings.terms)
    assert_covered(made, text)


def test_minified_and_deep_files_are_cut_by_lines():
    minified = "var a=1;" * 5000 + "function zz(){}\n"
    made = entry("a.min.js", minified)
    assert [(chunk.start, chunk.end) for chunk in made.chunks] == [(1, 1)]
    deep = "x = " + "[\n" * 30_000
    made = entry("a.py", deep)
    assert made.defined == ()
    assert_covered(made, deep)


def test_only_the_beginning_of_a_long_line_gives_terms():
    far = "y" * LONG_LINE
    made = entry("a.py", f'def early():\n    return "{far} late"\n')
    assert "earli" in made.postings.terms
    assert "late" not in made.postings.terms
    assert [(chunk.start, chunk.end) for chunk in made.chunks] == [(1, 2)]
    assert "late" not in entry("a.txt", f"early {far} late\n").postings.terms


@pytest.mark.parametrize("text", ["", "\n", "  \n\n\t\n", "\ufeff\n", "\x00", "a\x01b\n", "\ud800"])
@pytest.mark.parametrize("path", ["a.py", "a.md", "a.txt", "a.ipynb"])
def test_empty_and_strange_texts_have_entries(path, text):
    made = entry(path, text)
    assert_covered(made, text)
    assert made.line_count == text.count("\n") + (text != "" and not text.endswith("\n"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_each_word_of_a_file_is_in_one_field(path):
    text = TEXTS[path.name]
    made = chunked(path.name, text)
    kept = "\n".join(part.decode() for fields in made.fields for part in fields[:4])
    if path.suffix == ".ipynb":  # what is said in its JSON beside the cells is left out
        assert Counter(words(kept)) <= Counter(words(text.replace("\\n", " ")))
    elif path.suffix in (".vue", ".svelte"):  # a tag and code on one line
        assert {*words(text)} - {*words(kept)} <= {"script"}
    else:
        assert Counter(words(kept)) == Counter(words(text))
