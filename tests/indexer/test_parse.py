"""Bytes, nesting and errors: what a syntax tree may look like."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer.breaks import code_breaks
from indexer.languages import language_of
from indexer.nesting import nest
from indexer.parse import leaves_named, parse, statements
from indexer.summary import summarize_text, symbols_of
from indexer.syntax import Syntax, tree_of

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden" / "outline"


def parsed(path, text):
    return parse(language_of(path), text)


def test_offsets_are_bytes_and_rows_are_zero_based():
    text = "# 🚀 é\nklass = 1\ndef 名前(x): pass\n"
    found = parsed("a.py", text)
    [definition] = found.definitions
    assert found.text(definition.name_start, definition.name_end) == "名前"
    assert (definition.row, definition.end_row) == (2, 2)


def test_lone_surrogates_and_nul_are_no_errors_of_ours():
    found = parsed("a.js", "const s = `a\0b\ud800`;\nfunction f() {}\n")
    assert [found.text(d.name_start, d.name_end) for d in found.definitions] == ["f"]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.js", "var deep = " + "[" * 5000 + "]" * 5000 + ";\nfunction after(a) {}\n", ["after"]),
        ("a.js", "f(" * 5000 + ")" * 5000 + ";\nfunction after(a) {}\n", ["after"]),
        ("a.ts", "x" + "\n.f()" * 5000 + ";\nfunction after(a) {}\n", ["after"]),
        ("a.py", "x = " + "(" * 3000 + ")" * 3000 + "\ndef after(a): pass\n", ["after"]),
        ("a.c", "int f(void)\n{\n" + "{" * 16384 + "\n" + "}" * 16384 + "\n}\nint g(int a) { return 0; }", ["f", "g"]),
        ("a.js", "const a = " + "{ b: " * 4000 + "() => 1" + " }" * 4000 + ";\nfunction after() {}\n", ["after"]),
    ],
    ids=["arrays", "calls", "chain", "parentheses", "braces", "objects"],
)  # fmt: skip
def test_deep_nesting_needs_no_recursion_and_little_time(path, text, names):
    started = time.process_time()
    summary = summarize_text(path, text)
    assert time.process_time() - started < 10
    found = [symbol.name for symbol in summary.symbols]
    assert [name for name in names if name in found] == names


def test_functions_nested_beyond_the_limit_are_left_to_their_ancestor():
    depth = 3000
    text = "".join(f"function f{n}() {{ g{n}();\n" for n in range(depth)) + "}" * depth + "\nfunction after() {}\n"
    symbols = symbols_of("a.js", text)
    assert symbols[-1].qualified_name == "after"
    assert len(symbols) < 70
    assert "g2000" in summarize_text("a.js", text).symbols[-2].calls


def test_ten_thousand_functions_take_seconds_at_most():
    text = "".join(f"def f_{n}(x):\n    return x + {n}\n\n" for n in range(10_000))
    started = time.process_time()
    summary = summarize_text("gen.py", text)
    assert time.process_time() - started < 15
    assert len(summary.symbols) == 10_000
    last = summary.symbols[-1]
    assert (last.name, last.start, last.end) == ("f_9999", 29998, 29999)


def test_errors_are_told_once_each_and_outermost():
    found = parsed("a.py", "def broken(a:\n    return a\n\n\ndef fine(b):\n    return b\n")
    assert found.errors
    assert all(error.row <= error.end_row <= 2 for error in found.errors)
    assert parsed("a.py", "def fine(b):\n    return b\n").errors == []


def test_missing_token_is_named():
    [error] = parsed("a.js", "function f() { g(1; }\n").errors
    assert error.missing == ")"


def test_number_of_errors_is_bounded():
    assert len(parsed("a.js", "] ) } =\n" * 500).errors) <= 20


def test_leaves_are_whole_identifiers():
    text = "add = 1\n# add\n'add'\nx.add(add_more, add)\n"
    found = leaves_named(Syntax(language_of("a.py"), text), "add")
    assert [piece.row for piece in found] == [0, 3, 3]


def test_statements_are_found_at_every_depth():
    text = "import a\nif a:\n    b()\n    for c in d:\n        e()\n"
    rows = [(piece.row, piece.end_row) for piece in statements(Syntax(language_of("a.py"), text))]
    assert rows == [(0, 0), (1, 4), (2, 2), (3, 4), (4, 4)]


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.go", "a.rs", "a.c", "a.cs", "a.rb", "a.py", "a.java"])
def test_brackets_that_nobody_closes_are_not_parsed(path: str) -> None:
    text = "x=" + "[" * 100_000
    started = time.process_time()
    summary = summarize_text(path, text)
    assert code_breaks(path, text) == ((), ())
    assert time.process_time() - started < 2
    assert not summary.exact
    assert "100,000 brackets" in summary.problems[0].message


@pytest.mark.parametrize(("path", "text"), [("a.sh", "x=a" + "()" * 60_000), ("a.rb", "x=a" + "()" * 60_000)])
def test_what_a_grammar_takes_too_long_for_is_given_up(path: str, text: str) -> None:
    started = time.process_time()
    summary = summarize_text(path, text)
    assert time.process_time() - started < 5
    assert not summary.exact
    assert summary.problems[0].message == "not parsed: it takes too long"


@pytest.mark.parametrize("file", [file for file in sorted(GOLDEN.glob("*/*")) if file.suffix not in (".txt", ".md")])
def test_chunks_get_the_same_definitions_and_comments_but_no_calls_or_exports(file):
    language = language_of(file.name)
    text = language.code(file.read_text(encoding="utf-8"))
    whole, lean = parse(language, text), parse(language, text, for_chunks=True)
    names = [each.qualified_name for each in nest(whole, language)]
    assert names == [each.qualified_name for each in nest(lean, language)] != []
    bare = [[{**vars(each), "params": (), "params_at": None} for each in found.definitions] for found in (lean, whole)]
    assert bare[0] == bare[1]
    assert lean.comments == whole.comments
    assert (lean.docs, lean.docs_of, lean.file_docs) == (whole.docs, whole.docs_of, whole.file_docs)
    assert whole.calls or language.name == "sql"
    assert language.reader is not None or (lean.calls, lean.imports, lean.sections) == ([], [], [])


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (
            '(a: int | None = None, b: list[str] = "x y", *, c=-1)',
            ["a: int | None = None", 'b: list[str] = "x y"', "c=-1"],
        ),
        ('(a: dict[str, int], b="x,y")', ["a: dict[str, int]", 'b="x,y"']),
        ("(a,  # the first, of two\n   b)", ["a", "b"]),
    ],
)
def test_parameters_are_parted_at_the_commas_between_them_only(params, expected):
    found = parsed("a.py", f"def f{params}: pass\n")
    assert [found.text(*each) for each in found.definitions[0].params] == expected


def test_a_word_that_exports_is_seen_wherever_it_stands():
    assert summarize_text("a.py", "def f(): pass\ndef g(): pass\n").exports == ("f", "g")
    assert summarize_text("a.py", "def f(): pass\ndef g(): pass\nif 1:\n    __all__ = ['g']\n").exports == ("g",)
    assert summarize_text("a.py", "def f(): pass\ndef g(): pass\n# __all__\n").exports == ("f", "g")


def test_characters_far_beyond_the_first_plane_end_no_process():
    suffixes = (".sh", ".rb", ".py", ".lua", ".swift", ".kt", ".scala", ".php", ".hs", ".ex")
    start = (
        "from indexer.summary import summarize_text\n"
        "for far in (chr(0xD1319), chr(0x10FFFF), chr(0x1F642)):\n"
        f"    for suffix in {suffixes}: print(summarize_text('a' + suffix, '{{' + far).line_count)"
    )
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout.split()) == (0, [b"1"] * 3 * len(suffixes))


class InterruptedTestError(BaseException):
    """Stand for Ctrl-C."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_interrupt_within_a_parse_is_raised_as_itself():
    text, language = b"def f(a, b):\n    return g(a) + b\n" * 20_000, language_of("a.py")

    def interrupt(*_: object) -> None:
        raise InterruptedTestError

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for milliseconds in range(5, 25):
            with pytest.raises(InterruptedTestError):
                signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
                while True:
                    tree_of(language, text)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def seconds(path: str, text: str) -> float:
    def once() -> float:
        started = time.process_time()
        summarize_text(path, text)
        return time.process_time() - started

    once()  # with its query compiled
    return min(once() for _ in range(3))


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.sql", "-- a table\nCREATE TABLE t{n} (a int); -- end\n"),
        ("a.lua", "local v{n} = 1\nfunction f{n}() end\n"),
        ("a.rb", "def f{n}; end\nprivate :f{n}\n"),
        (
            "a.php",
            "<?php class A{n} {{ private const B = 1; private function f() {{}} public function g() {{}} }} ?>\n",
        ),
        ("a.ex", 'defmodule A{n} do\n  @moduledoc "Count."\n  def f(a), do: g(a)\nend\n'),
        ("a.rs", "pub use b::c{n};\npub mod a{n} {{ fn g() {{}} }}\n"),
        ("a.py", "def f{n}():\n    'One ' \\\n    'two.'\n"),
        ("a.vue", "<script "),
        ("b.vue", '<script a="'),
        ("c.vue", "<!-- <script>"),
        ("a.cpp", "class A{n} {{\npublic:\n  int f();\nprivate:\n  int g();\n}};\n"),
    ],
)
def test_time_is_linear(path: str, unit: str) -> None:
    texts = ("".join(unit.format(n=n) for n in range(count)) for count in (200, 1600))
    few, many = (seconds(path, text) for text in texts)
    assert many < 24 * few  # eight times as much; were all compared with all, it would be sixty-four
