"""Searching files: lines and counts are right in any file, with ripgrep and without."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from indexer.errors import BinaryFileError
from indexer.grep import LEAD_CHARS, LONG_LINE, Wanted, grep
from indexer.matching import Deadline, SearchTimeoutError
from indexer.prefilter import MIN_FILES
from indexer.regexes import compile_pattern
from indexer.text import decode
from indexer.walk import walk

RG = shutil.which("rg")
ALL = Wanted(10_000, 10_000_000)


@pytest.fixture
def search(tmp_path):
    """Give a function that writes files and searches them."""

    def call(files, source, wanted=ALL, *, rg=None, seconds=30.0, **options):
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        root = Path(os.path.realpath(tmp_path))
        return grep(root, walk(root).files, compile_pattern(source, **options), wanted, Deadline(seconds), rg=rg)

    return call


def places(found):
    return [(match.path, match.line, match.lines[match.place].text) for match in found.matches]


def test_dollar_finds_the_end_of_a_line_that_ends_with_cr_lf(search):
    files = {
        "win.py": "total = 0\r\nfor n in range(3):\r\n    total += n\r\n\r\n\r\ndef done():\r\n    return total\r\n"
    }
    assert places(search(files, "return total$")) == [("win.py", 7, "    return total")]
    assert places(search(files, "^$")) == [("win.py", 4, ""), ("win.py", 5, "")]
    assert search(files, r"\r").total == 0


def test_a_match_at_a_line_break_is_not_shown_twice(search):
    files = {"mix.txt": "alpha\r\nbeta\ngamma\r\ndelta"}
    assert places(search(files, "(beta|gamma)")) == [("mix.txt", 2, "beta"), ("mix.txt", 3, "gamma")]
    assert places(search(files, "a$")) == [
        ("mix.txt", n, t) for n, t in [(1, "alpha"), (2, "beta"), (3, "gamma"), (4, "delta")]
    ]


def test_only_line_feeds_end_lines(search):
    files = {"a.txt": "one\x0ctwo\rthree\u2028four\x85five\nsix"}
    assert places(search(files, "six")) == [("a.txt", 2, "six")]
    assert search(files, "^two").total == 0


def test_a_text_file_with_a_nul_is_searched(search):
    files = {
        "src/p.mjs": "function key(t, n) {\n  return `${t}\0${n}`;\n}\n"
        "function abandoned(job) {\n  return key(job.abandoned);\n}\n"
    }
    found = search(files, "abandoned")
    assert [(path, line) for path, line, _ in places(found)] == [("src/p.mjs", 4), ("src/p.mjs", 5)]
    assert found.binary == ()


def test_what_cannot_be_searched_is_told(search):
    found = search({"a.txt": "x\n", "b.bin": b"x\0\1\2\3\4\5\6" * 10, "c.txt": "x\n"}, "x")
    assert (found.binary, found.files, found.total) == (("b.bin",), 2, 2)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(search, tmp_path):
    search({"a.txt": "x\n"}, "x")
    (tmp_path / "a.txt").chmod(0)
    found = search({"b.txt": "x\n"}, "x")
    assert (found.unreadable, found.total) == (("a.txt",), 1)


def test_every_encoding_is_searched_by_its_characters(search):
    text = "# 读取配置 load\n"
    files = {
        "a.py": text,
        "b.py": text.encode("gb18030"),
        "c.cs": text.encode("utf-16"),
        "d.py": "# -*- coding: latin-1 -*-\n# caf\u00e9\n".encode("latin-1"),
    }
    assert [match.path for match in search(files, "读取").matches] == ["a.py", "b.py", "c.cs"]
    assert [match.path for match in search(files, "load").matches] == ["a.py", "b.py", "c.cs"]
    assert [match.path for match in search(files, "caf.$").matches] == ["d.py"]


def test_all_matches_are_counted_but_only_those_wanted_are_kept(search):
    files = {"a.py": "x\n" * 200, "b.py": "y\nx\n"}
    found = search(files, "x", Wanted(50, 10_000))
    assert (found.total, found.counts, len(found.matches)) == (201, (("a.py", 200), ("b.py", 1)), 50)
    assert len(search(files, "x", Wanted(1000, 20)).matches) == 20


def test_a_search_goes_on_after_a_place(search):
    files = {"a.py": "x\n" * 20, "b.py": "y\nx\n", "c.py": "x\n"}
    found = search(files, "x", Wanted(3, 1000, after_path="a.py", after_line=18))
    assert [(match.path, match.line) for match in found.matches] == [("a.py", 19), ("a.py", 20), ("b.py", 2)]
    assert (found.total, found.passed) == (22, 18)
    found = search(files, "x", Wanted(3, 1000, after_path="b", after_line=7))  # no such file
    assert [(match.path, match.line) for match in found.matches] == [("b.py", 2), ("c.py", 1)]
    assert found.passed == 20


def test_a_match_comes_with_the_lines_around_it(search):
    files = {"a.py": "1\n2\n3 x\n4\n5 x\n6"}
    found = search(files, "x", Wanted(10, 1000, context=2))
    assert [[line.number for line in match.lines] for match in found.matches] == [[1, 2, 3, 4, 5], [3, 4, 5, 6]]
    assert [match.lines[match.place].text for match in found.matches] == ["3 x", "5 x"]
    assert [match.lead for match in found.matches] == ["", "1\n2\n"]
    assert [line.text for line in found.matches[1].lines] == ["3 x", "4", "5 x", "6"]


def test_the_first_match_in_the_line_is_given(search):
    (match,) = search({"a.py": "xx needle needle\n"}, "needle").matches
    assert (match.start, match.end) == (3, 9)


def test_of_a_long_line_only_the_part_around_the_match_is_kept(search):
    line = "a" * 100_000 + "needle" + "b" * 100_000
    (match,) = search({"min.js": "first\n" + line + "\nlast"}, "needle", Wanted(10, 1000, context=1)).matches
    kept = match.lines[match.place]
    assert kept.text == line[kept.offset : kept.offset + 2 * LONG_LINE]
    assert kept.more and kept.text[match.start : match.end] == "needle"
    assert [line.text for line in (match.lines[0], match.lines[2])] == ["first", "last"]


def test_the_lead_before_a_match_is_whole_lines_and_not_long(search):
    files = {"a.txt": "".join(f"line {n}\n" for n in range(2000)) + "needle\n", "b.txt": "x" * 9000 + "\nneedle\n"}
    long, none = search(files, "needle").matches
    assert LEAD_CHARS - 20 < len(long.lead) <= LEAD_CHARS
    assert long.lead.startswith("line 1") and long.lead.endswith("line 1999\n")
    assert none.lead == ""


def test_a_pattern_without_end_is_given_up_for_the_whole_call(search):
    with pytest.raises(SearchTimeoutError):
        search({f"{n}.txt": "a" * 28 + "!\n" for n in range(400)}, "(?:a|aa)+$", seconds=0.3)


def test_a_file_that_is_gone_since_the_walk_is_no_error(tmp_path):
    (tmp_path / "a.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("x\n", encoding="utf-8")
    root = Path(os.path.realpath(tmp_path))
    files = walk(root).files
    (tmp_path / "a.txt").unlink()
    found = grep(root, files, compile_pattern("x"), ALL, Deadline(30))
    assert (found.total, found.files, found.unreadable) == (1, 1, ())


@pytest.mark.parametrize("rg", [None, pytest.param(RG, marks=pytest.mark.skipif(RG is None, reason="no ripgrep"))])
@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("load_config", {}),
        ("LOAD_CONFIG", {"ignore_case": True}),
        (r"def \w+\(", {}),
        ("config|password", {}),
        (r"a.c(", {"fixed": True}),
        ("读取 = load", {}),
        ("zzz", {}),
        ("kelvin", {"ignore_case": True}),
    ],
)
def test_ripgrep_changes_nothing(search, rg, source, options):
    files = {f"pkg/m{n:03}.py": f"def load_config_{n}():\n    return {n}\n" for n in range(MIN_FILES)}
    files |= {
        "bin/a.bin": b"\0\1\2\3load_config" * 50,
        "bin/b.bin": b"\0\1\2\3" * 50,
        "utf16.cs": "load_config\npassword\n".encode("utf-16"),
        "gb.py": "# 读取配置\n读取 = load\n".encode("gb18030"),
        "kelvin.txt": "\u212aelvin\n",
        "a.c": "a.c( \n",
        "crlf.py": b"x\r\nload_config\r\n",
    }
    found = search(files, source, rg=Path(rg) if rg else None, **options)
    assert [(match.path, match.line) for match in found.matches] == plainly(files, source, **options)
    assert found == search({}, source, **options)
    assert found.binary == ("bin/a.bin", "bin/b.bin")
    assert (found.total == 0) == (source == "zzz")


def plainly(files, source, **options):
    """Search in the plainest way there is."""
    line_matches = compile_pattern(source, **options).line.search
    found = []
    for path in sorted(files):
        content = files[path] if isinstance(files[path], bytes) else files[path].encode("utf-8")
        try:
            lines = decode(content, path).text.split("\n")
        except BinaryFileError:
            continue
        found += [(path, n) for n, line in enumerate(lines, 1) if line_matches(line.removesuffix("\r"))]
    return found
