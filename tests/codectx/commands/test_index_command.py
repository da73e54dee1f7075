"""``codectx index``: what it reports, how it ends, and that it can be killed at any moment."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from codectx.cli import main
from codectx.stores import place_of
from indexer.lock import locked
from indexer.rows import entries_of
from indexer.versions import FILES

ROOT = Path(__file__).parents[3]
START = "import sys; from codectx.cli import main; sys.exit(main())"
WAIT = 50  # seconds

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "shop"
    folder.mkdir()
    (folder / "pay.py").write_text("def charge(card):\n    return card\n", encoding="utf-8")
    (folder / "web.js").write_text("function refund(order) {\n  return order;\n}\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return folder


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Give a function that runs a command here, and gives code, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--root", str(root)])
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def indexed(run: Run, *arguments: str, code: int = 0) -> dict[str, Any]:
    ended, out, err = run("index", "--json", *arguments)
    assert ended == code, err
    report: dict[str, Any] = json.loads(out)
    return report


def rows(root: Path) -> list[str]:
    table = place_of(root, "").store.read()
    return sorted(entry.path for entry in entries_of(table)) if table is not None else []


def ollama_set(monkeypatch: pytest.MonkeyPatch, ollama: Any, name: str = "ollama", model: str = "fake-a") -> None:
    monkeypatch.setenv("CODECTX_EMBEDDER", name)
    monkeypatch.setenv("CODECTX_OLLAMA_URL", ollama.url)
    monkeypatch.setenv("CODECTX_EMBEDDER_MODEL", model)


# --- reports


def test_the_report_says_what_was_read_removed_and_left_out(root: Path, run: Run) -> None:
    (root / "yarn.lock").write_text("x\n", encoding="utf-8")
    code, out, err = run("index")
    assert (code, err) == (0, "")
    assert out.startswith("2 files, 2 chunks in ")
    assert "(2 files read)" in out
    (root / ".env").write_text("A=1\n", encoding="utf-8")
    assert "left out: 1 file (1 lock file); `codectx status` names them\n" in out
    told = "left out: 2 files (1 secret file, 1 lock file)"
    assert told in run("index")[1] and f"{told}\n" in run("status")[1]
    assert "vectors: none (set so)" in out
    code, out, _ = run("index")
    assert "(nothing changed)" in out
    (root / "web.js").rename(root / "new.js")
    code, out, _ = run("index")
    assert "(1 file read, 1 file removed)" in out


def test_x43_json_says_which_files(root: Path, run: Run) -> None:
    first = indexed(run)
    assert (first["files"], first["indexed"], first["reindexed"]) == (2, ["pay.py", "web.js"], ["pay.py", "web.js"])
    assert indexed(run)["reindexed"] == []
    (root / "pay.py").unlink()
    again = indexed(run)
    assert (again["indexed"], again["removed"]) == (["web.js"], ["pay.py"])
    assert rows(root) == ["web.js"]
    assert indexed(run, "--full")["reindexed"] == ["web.js"]


def test_quiet_says_nothing(run: Run) -> None:
    assert run("index", "--quiet") == (0, "", "")


def test_extensions_index_only_these_files_in_this_run(root: Path, run: Run) -> None:
    indexed(run)
    assert indexed(run, "--extensions", ".py,ts")["indexed"] == ["pay.py"]
    assert rows(root) == ["pay.py"]
    assert indexed(run)["indexed"] == ["pay.py", "web.js"]


@pytest.mark.parametrize("extensions", ["", ",", "a/b", "../x", "*"])
def test_extensions_that_mean_nothing_are_refused(run: Run, extensions: str) -> None:
    code, out, err = run("index", f"--extensions={extensions}")
    if extensions == "":
        assert code == 0  # as if it were left out
        return
    assert (code, out) == (2, "")
    assert err.startswith("error[invalid_argument]: ")


def test_an_empty_folder_and_one_without_text_are_indexed(root: Path, run: Run) -> None:
    for path in root.iterdir():
        path.unlink()
    assert indexed(run)["files"] == 0
    (root / "x.bin").write_bytes(b"\x00\x01" * 600)
    report = indexed(run)
    assert (report["files"], [entry["reason"] for entry in report["skipped"]]) == (0, ["binary"])


def test_a_search_finds_what_was_indexed(root: Path, run: Run) -> None:
    indexed(run)
    code, out, _ = run("semantic-search", "charge")
    assert code == 0
    assert "pay.py:1-2 charge" in out
    (root / "pay.py").unlink()
    assert "pay.py" not in run("semantic-search", "charge")[1]


# --- embedders


def test_x44_x45_unchanged_chunks_are_not_embedded_again(
    root: Path, run: Run, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ollama_set(monkeypatch, ollama)
    first = indexed(run)
    assert (first["embedder"], first["embedded"], first["files_embedded"]) == ("ollama", ["pay.py", "web.js"], 2)
    count = len(ollama.log)
    assert indexed(run)["embedded"] == []
    assert len(ollama.log) == count
    (root / "pay.py").write_text("def charge(card):\n    return card * 2\n", encoding="utf-8")
    assert indexed(run)["embedded"] == ["pay.py"]
    assert sum(len(request.texts) for request in ollama.log) == 3


def test_files_deleted_while_others_are_embedded_are_not_told_as_indexed(
    root: Path, run: Run, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ollama_set(monkeypatch, ollama)
    ollama.run_line = lambda _: (root / "web.js").unlink()
    ollama.up({**ollama.spec, "on_first_request": "delete"})
    report = indexed(run)
    assert (report["indexed"], report["reindexed"]) == (["pay.py"], ["pay.py"])
    assert (report["embedded"], report["files_embedded"], report["files_not_embedded"]) == (["pay.py"], 1, 0)
    assert rows(root) == ["pay.py"]


def test_x45_with_a_named_embedder_down_the_words_are_indexed_and_the_end_is_2(
    root: Path, run: Run, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ollama_set(monkeypatch, ollama)
    ollama.down()
    code, out, err = run("index")
    assert code == 2
    assert "2 files" in out
    assert err.startswith("error[backend_down]: ")
    assert err.count("\n") == 1
    assert rows(root) == ["pay.py", "web.js"]
    ollama.up()
    assert indexed(run)["embedded"] == ["pay.py", "web.js"]


def test_x45_under_auto_it_is_no_error(run: Run, ollama: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ollama_set(monkeypatch, ollama, "auto")
    ollama.down()
    code, out, err = run("index")
    assert (code, err) == (0, "")
    assert "vectors: " in out


def test_x57_another_model_embeds_all_anew(run: Run, ollama: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ollama_set(monkeypatch, ollama)
    indexed(run)
    ollama_set(monkeypatch, ollama, model="fake-b")
    assert indexed(run)["embedded"] == ["pay.py", "web.js"]
    assert {request.model.partition(":")[0] for request in ollama.log} == {"fake-a", "fake-b"}


def test_broken_stores_and_vectors_are_built_anew(
    root: Path, run: Run, ollama: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ollama_set(monkeypatch, ollama)
    indexed(run)
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(os.urandom(7))
    assert "pay.py:1-2" in run("semantic-search", "charge")[1]
    report = indexed(run, "--full")
    assert (report["reindexed"], report["files_embedded"]) == (["pay.py", "web.js"], 2)
    assert rows(root) == ["pay.py", "web.js"]


# --- locks and errors


def test_x58_another_run_is_waited_for_then_told_with_75(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codectx.commands.index.LOCK_SECONDS", 0.1)
    place = place_of(root, "")
    place.folder.mkdir(parents=True)
    with locked(place.lock):
        code, out, err = run("index")
    assert (code, out) == (75, "")
    assert err.startswith(f"error[store_locked]: another run is writing the index (process {os.getpid()})")
    assert run("index")[0] == 0


def test_a_store_that_cannot_be_written_is_one_line(root: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, out, err = run("index", "--set", f"store.uri={tmp_path / 'file' / 'store'}")
    assert (code, out) == (2, "")
    assert err.startswith("error[unreadable]: the index cannot be written to ")
    assert err.count("\n") == 1


def test_the_root_is_named_once(root: Path, run: Run) -> None:
    code, _, err = run("index", str(root))
    assert code == 2
    assert "the root is given twice" in err


# --- processes


def process(root: Path, *arguments: str, options: Sequence[str] = (), **more: Any) -> subprocess.Popen[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", *options, "-c", START, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    return subprocess.Popen(command, cwd=root, env=variables, **pipes, **more)


def waits_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < end
        time.sleep(0.002)


def many_files(root: Path, count: int) -> None:
    for number in range(count):
        folder = root / f"pkg{number // 100}"
        folder.mkdir(exist_ok=True)
        text = f"def work_{number}(value):\n    return value + {number}\n"
        (folder / f"m{number}.py").write_text(text, encoding="utf-8")


def test_without_changes_nothing_heavy_is_loaded(root: Path, run: Run) -> None:
    many_files(root, 200)
    indexed(run)
    manifest = place_of(root, "").manifest
    data = json.loads(manifest.read_bytes())
    data["written_ns"] += 10**10  # as it is when the files are not fresh
    manifest.write_text(json.dumps(data), encoding="utf-8")
    out, loaded = with_imports(root, "index")
    assert "(nothing changed)" in out
    assert "indexer.sync" in loaded
    heavy = {"lancedb", "pyarrow", "numpy", "tree_sitter", "tiktoken", "regex", "mcp", "charset_normalizer"}
    heavy |= {"indexer.parse", "indexer.languages", "indexer.live", "indexer.entries"}
    assert not loaded & heavy
    out, loaded = with_imports(root, "semantic-search", "work_77")
    assert "pkg0/m77.py:1-2 work_77" in out
    assert "pyarrow" in loaded
    assert not loaded & {"lancedb", "tree_sitter", "mcp"}


def with_imports(root: Path, *arguments: str) -> tuple[str, set[str]]:
    """Give what a command prints, and the modules that it loads."""
    out, err = process(root, *arguments, options=["-X", "importtime"]).communicate(timeout=WAIT)
    return out, {line.rpartition("|")[2].strip() for line in err.split("\n") if line.startswith("import time:")}


@pytest.mark.parametrize("sign", ["lock", "manifest.json", f"{FILES}.lance", f"{FILES}.lance/data/*", "rows.arrow"])
def test_x45_killed_at_any_moment_the_next_run_makes_it_whole(root: Path, run: Run, sign: str) -> None:
    many_files(root, 300)
    folder = place_of(root, "").folder
    killed = process(root, "index", "--quiet")
    waits_for(lambda: any(folder.glob(sign)) or killed.poll() is not None)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=WAIT)
    report = indexed(run)
    assert report["files"] == 302
    assert len(rows(root)) == 302
    assert "pkg2/m299.py:1-2 work_299" in run("semantic-search", "work_299")[1]
    assert indexed(run)["reindexed"] == []


def test_an_interrupt_keeps_what_was_read_and_ends_with_130(root: Path, run: Run) -> None:
    many_files(root, 1000)
    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for what they run behind
    try:
        stopped = process(root, "index", start_new_session=True)
    finally:
        signal.signal(signal.SIGINT, inherited)
    waits_for(place_of(root, "").lock.exists)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=WAIT)
    assert stopped.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in err
    assert "what was read is kept" in err
    report = indexed(run)
    assert report["files"] == 1002
    assert len(rows(root)) == 1002
