"""Leaving out files: ripgrep and we ourselves leave out the same, and never one that holds a match."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.prefilter import may_hold, narrow

RG = shutil.which("rg")
needs_rg = pytest.mark.skipif(RG is None, reason="ripgrep is not installed")

CONTENTS = {
    "plain.py": b"def load_config(path):\n",
    "upper.py": b"LOAD_CONFIG = 1\n",
    "none.py": b"nothing here\n",
    "empty.py": b"",
    "utf16.cs": "load_config".encode("utf-16"),
    "utf16_none.cs": "nothing".encode("utf-16-le"),
    "utf32.txt": "load_config".encode("utf-32"),
    "latin.py": "# é\nload_config()\n".encode("latin-1"),
    "gb.py": "# 读取配置\nload_config\n".encode("gb18030"),
    "iso2022.txt": "日本 load_config".encode("iso2022_jp"),
    "bom.py": b"\xef\xbb\xbfload_config\n",
    "binary.bin": b"\x00\x01load\xff\xfe",
    "high.bin": bytes(range(128, 256)),
    "long.js": b"x" * 300_000 + b"load_config",
    "crlf.py": b"a\r\nload_config\r\n",
    "split.py": b"load_\nconfig\n",
    ".hidden/a.py": b"load_config\n",
    "ignored/b.py": b"load_config\n",
    "-e.py": b"load_config\n",
    "a b/ü.py": b"load_config\n",
    "kelvin.py": "load_\u212aonfig".encode(),
    "-": b"load_config\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, content in CONTENTS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    (tmp_path / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    (tmp_path / ".ignore").write_text("*.py\n", encoding="utf-8")
    return tmp_path


def narrowed(root: Path, literals: list[str], *, fold: bool = False, paths=tuple(CONTENTS), seconds: float = 20):
    assert RG is not None
    return narrow(root, list(paths), literals, fold=fold, rg=Path(RG), seconds=seconds)


@needs_rg
@pytest.mark.parametrize("fold", [False, True])
@pytest.mark.parametrize(
    "literals", [["load_config"], ["def load", "nothing"], ["x"], ["("], ["#"], ["onfig"], ["-"], ["\\"], ["zz"]]
)
def test_ripgrep_leaves_out_what_we_leave_out(tree, literals, fold):
    expected = {path for path, content in CONTENTS.items() if may_hold(content, literals, fold=fold)}
    assert narrowed(tree, literals, fold=fold) == expected


@needs_rg
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.booleans())
def test_any_bytes_and_any_literal(tmp_path, data, fold):
    alphabet = "aB1_.^$*[](){}|\\\"'#/-~ <"
    literals = data.draw(st.lists(st.text(alphabet, min_size=1, max_size=3), min_size=1, max_size=3))
    literals = [literal.lower() for literal in literals] if fold else literals
    pieces = st.sampled_from(
        [*alphabet.encode().split(b"x"), b"a", b"A", b"b", b"\n", b"\r\n", b"\xff", b"\xfe", b"\x1b", b"\x00", b"\xe4"]
    )
    for n in range(4):
        (tmp_path / f"{n}.txt").write_bytes(
            b"".join(data.draw(st.lists(pieces | st.sampled_from([c.encode() for c in alphabet]), max_size=8)))
        )
    paths = [f"{n}.txt" for n in range(4)]
    expected = {path for path in paths if may_hold((tmp_path / path).read_bytes(), literals, fold=fold)}
    assert narrowed(tmp_path, literals, fold=fold, paths=paths) == expected


@needs_rg
def test_many_files_are_asked_for_in_batches(tmp_path):
    paths = [f"{'d' * 100}/{n:04}.txt" for n in range(1500)]
    (tmp_path / ("d" * 100)).mkdir()
    for n, path in enumerate(paths):
        (tmp_path / path).write_bytes(b"yes" if n % 7 == 0 else b"no")
    assert narrowed(tmp_path, ["yes"], paths=paths) == set(paths[::7])


@needs_rg
def test_ripgrep_gives_no_answer_if_anything_is_odd(tree, monkeypatch):
    assert narrowed(tree, ["load_config"], paths=("plain.py", "missing.py")) is None
    assert narrowed(tree, ["load_config"], seconds=0.0001) is None
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tree / "rc"))
    (tree / "rc").write_text("--invert-match\n", encoding="utf-8")
    assert narrowed(tree, ["load_config"], paths=("plain.py", "none.py")) == {"plain.py"}


def test_a_program_that_is_none_gives_no_answer(tree):
    (tree / "rg").write_text("not a program", encoding="utf-8")
    assert narrow(tree, ["plain.py"], ["x"], fold=False, rg=tree / "rg", seconds=5) is None
    assert narrow(tree, ["plain.py"], ["x"], fold=False, rg=tree / "missing", seconds=5) is None
    for other in ("false", "true", "cat"):  # programs that end as ripgrep does where it finds nothing
        program = shutil.which(other)
        assert program is None or narrow(tree, ["plain.py"], ["x"], fold=False, rg=Path(program), seconds=5) is None


@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-32",
        "latin-1",
        "gb18030",
        "big5",
        "cp932",
        "euc_jp",
        "iso2022_jp",
        "euc_kr",
    ],
)
def test_no_encoding_hides_a_literal(encoding):
    text = "# comment 日本\nvalue = load_config(1)\n"
    data = text.encode(encoding, "ignore")
    assert may_hold(data, ["load_config("], fold=False)
    assert may_hold(data.upper() if encoding == "utf-8" else data, ["load_config("], fold=True)


def test_files_without_the_literals_are_left_out():
    assert not may_hold(b"nothing", ["load", "config"], fold=False)
    assert not may_hold(b"LOAD", ["load"], fold=False)
    assert may_hold(b"LOAD", ["load"], fold=True)
