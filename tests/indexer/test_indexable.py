"""X41: what is no source stays out of the index, and the reason is told."""

import pytest

from indexer.indexable import MAX_OTHER, MAX_SOURCE, why_not_indexed, why_text_not_indexed


@pytest.mark.parametrize(
    "path",
    ["package-lock.json", "web/package-lock.json", "poetry.lock", "a/Cargo.lock", "go.sum", "pnpm-lock.yaml",
     "ios/Podfile.lock", "bun.lockb", "uv.lock", "yarn.lock"],
)  # fmt: skip
def test_x41_lock_files(path: str) -> None:
    assert why_not_indexed(path, 100) == "lock file"


@pytest.mark.parametrize("path", ["a.min.js.map", "logo.svg", "data/rows.CSV", "po/de.po", "__snapshots__/a.snap"])
def test_x41_data(path: str) -> None:
    assert why_not_indexed(path, 100) == "data, no source"


@pytest.mark.parametrize("path", ["a.py", "lock.py", "locks/block.go", "package.json", "src/lock", "map.ts", "csv.rs"])
def test_source_is_indexed(path: str) -> None:
    assert why_not_indexed(path, 100) == ""


def test_x41_large_files_by_what_they_are() -> None:
    assert why_not_indexed("a.py", MAX_SOURCE) == ""
    assert why_not_indexed("a.py", MAX_SOURCE + 1) == "larger than 1000 kB"
    assert why_not_indexed("notes.txt", MAX_OTHER) == ""
    assert why_not_indexed("notes.txt", MAX_OTHER + 1) == "larger than 200 kB"


def test_x41_minified_source_and_only_that() -> None:
    minified = "var a=function(b){return b+1};" * 2000
    ordinary = "".join(f"function f{n}(b) {{\n  return b + {n};\n}}\n" for n in range(2000))
    assert why_text_not_indexed("vendor/jquery.min.js", minified) == "minified"
    assert why_text_not_indexed("a.js", ordinary) == ""
