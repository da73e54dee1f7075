"""Globs: the syntax of ignore files, commas, braces, and which one decides."""

from __future__ import annotations

import time

import pytest

from indexer.globs import GlobError, compile_globs

PATHS = ["a.py", "src/a.py", "src/a.ts", "src/ui/b.tsx", "src/gen/c.ts", "tests/t.py", "#x.py", "docs/src/d.ts"]


def taken(text, base=""):
    globs = compile_globs(text)
    return [path for path in PATHS if globs.take(path, base)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*.py", ["a.py", "src/a.py", "tests/t.py", "#x.py"]),
        ("/*.py", ["a.py", "#x.py"]),
        ("src/**/*.ts", ["src/a.ts", "src/gen/c.ts"]),
        ("src/*.ts", ["src/a.ts"]),
        ("**/src/*.ts", ["src/a.ts", "docs/src/d.ts"]),
        ("src", ["src/a.py", "src/a.ts", "src/ui/b.tsx", "src/gen/c.ts", "docs/src/d.ts"]),
        ("/src/", ["src/a.py", "src/a.ts", "src/ui/b.tsx", "src/gen/c.ts"]),
        ("*.py, !tests/**", ["a.py", "src/a.py", "#x.py"]),
        ("*.py,!tests/", ["a.py", "src/a.py", "#x.py"]),
        ("!tests/**,*.py", ["a.py", "src/a.py", "tests/t.py", "#x.py"]),
        ("!*.py", ["src/a.ts", "src/ui/b.tsx", "src/gen/c.ts", "docs/src/d.ts"]),
        ("*.{ts,tsx},!src/gen/", ["src/a.ts", "src/ui/b.tsx", "docs/src/d.ts"]),
        ("src/{ui,gen}/*.{ts,tsx}", ["src/ui/b.tsx", "src/gen/c.ts"]),
        ("{a.py,src/{a.py,a.ts}}", ["a.py", "src/a.py", "src/a.ts"]),
        ("./src/a.py", ["src/a.py"]),
        ("#x.py", ["#x.py"]),
        ("*.go", []),
    ],
)
def test_which_files_are_taken(text, expected):
    assert taken(text) == expected


def test_a_glob_may_be_relative_to_the_folder_asked_for():
    assert taken("gen/*.ts", base="src") == ["src/gen/c.ts"]
    assert taken("!gen/", base="src") == [path for path in PATHS if path != "src/gen/c.ts"]


@pytest.mark.parametrize("text", ["", " , ", "!", "/", "*.py,!", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])
def test_what_is_no_glob_is_refused(text):
    with pytest.raises(GlobError):
        compile_globs(text)


def test_a_brace_that_nobody_closes_is_a_character():
    assert compile_globs("a{b,c").take("c") and compile_globs("a{b,c").take("a{b")


def test_no_glob_takes_long():
    start = time.perf_counter()
    assert not compile_globs("**/*" + "a*" * 40 + "b").take("/".join(["a" * 100] * 20))
    assert time.perf_counter() - start < 2
