"""``codectx watch`` keeps an index fresh until it is told to end, beside others that do the same."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from codectx.cli import main
from codectx.commands import watch as command
from codectx.project import Project
from codectx.stores import place_of
from indexer.manifest import load

CODE = "import sys; from codectx.cli import main; sys.exit(main())"
WAIT = 50.0  # seconds


def waits_for(what: Callable[[], Any]) -> Any:
    """Wait until something holds."""
    end = time.monotonic() + WAIT
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def indexed(root: Path) -> set[str]:
    manifest = load(place_of(root, "").manifest)
    return set() if manifest is None or manifest.unfinished else set(manifest.files)


class Running:
    """A command that was started, and the lines that it has written to stderr."""

    def __init__(self, *arguments: str, variables: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, "watch", *arguments],
            env={**os.environ, "PYTHONPATH": str(Path(command.__file__).parents[2]), **(variables or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def says(self, words: str) -> None:
        waits_for(lambda: any(words in line for line in self.lines) or self.process.poll() is not None)
        assert any(words in line for line in self.lines), self.lines

    def ends(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        assert self.process.wait(WAIT) is not None
        self._reader.join()
        assert self.process.stdout.read() == ""
        return self.process.returncode


@pytest.fixture
def started() -> Iterator[Callable[..., Running]]:
    """Give a function that starts the command; what still runs is ended with the test."""
    running: list[Running] = []

    def start(*arguments: str, **options: Any) -> Running:
        running.append(Running(*arguments, **options))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.wait()
        each.process.stdout.close()
        each._reader.join()
        each.process.stderr.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    (made / "old/sub").mkdir(parents=True)
    (made / "old/sub/a.py").write_text("def alpha():\n    pass\n", encoding="utf-8")
    (made / "b.py").write_text("def beta():\n    pass\n", encoding="utf-8")
    return made


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_two_at_once_keep_one_index_fresh_until_they_are_told_to_end(
    root: Path, started: Callable[..., Running]
) -> None:
    first, second = started(str(root)), started("--root", str(root))
    for each in (first, second):
        each.says("2 files, ")
        each.says("watching ")
    assert indexed(root) == {"b.py", "old/sub/a.py"}
    (root / "old").rename(root / "new")
    waits_for(lambda: indexed(root) == {"b.py", "new/sub/a.py"})
    waits_for(lambda: any("removed old/sub/a.py" in line for line in first.lines + second.lines))
    shutil.rmtree(root)
    for each in (first, second):
        each.says("error[not_found]")
    root.mkdir()
    (root / "c.py").write_text("def gamma():\n    pass\n", encoding="utf-8")
    waits_for(lambda: indexed(root) == {"c.py"})
    assert first.ends(signal.SIGTERM) == 0
    assert second.ends(signal.SIGINT) == 130
    for each in (first, second):
        assert sum("error[not_found]" in line for line in each.lines) == 1
        assert "Traceback" not in "".join(each.lines)


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_a_named_embedder_fills_in_vectors_after_each_change(
    root: Path, started: Callable[..., Running], ollama: Any
) -> None:
    variables = {"CODECTX_EMBEDDER_MODEL": "fake-a", "CODECTX_OLLAMA_URL": ollama.url}
    running = started(str(root), "--embedder", "ollama", variables=variables)
    running.says("vectors: 2 of 2 chunks by ollama")
    (root / "c.py").write_text("def gamma():\n    pass\n", encoding="utf-8")
    running.says("read c.py in ")
    running.says("vectors: 3 of 3 chunks by ollama")
    assert running.ends(signal.SIGTERM) == 0


def test_quiet_says_nothing_of_what_it_does(make_project: Any, capsys: pytest.CaptureFixture[str]) -> None:
    watch = command._Watch(make_project({"a.py": "def alpha():\n    pass\n"}), quiet=True)
    assert not watch._look()
    watch.close()
    assert indexed(watch._project.root) == {"a.py"}
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def watched(make_project: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Give a project that is watched by a thread of this process, where the system tells nothing."""

    def refused(_root: str, _listener: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("indexer.watch.open_events", refused)
    monkeypatch.setattr(command, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(command, "POLL_SHARE", 1)
    monkeypatch.setattr(command, "RETRY_SECONDS", 0.02)
    monkeypatch.setattr(command, "LOCK_SECONDS", 0.02)
    project: Project = make_project({"a.py": "def alpha():\n    pass\n"})
    watch = command._Watch(project, quiet=False)
    ended = threading.Event()

    def go_on() -> None:
        with pytest.raises(command._EndedError):
            watch.go_on()
        ended.set()

    def end() -> None:
        raise command._EndedError

    threading.Thread(target=go_on, daemon=True).start()
    yield project
    watch._look = end
    assert ended.wait(WAIT)
    watch.close()


class Told:
    """All that was written to stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys, self._text = capsys, ""

    def so_far(self) -> str:
        self._text += self._capsys.readouterr().err
        return self._text


def test_where_nothing_can_be_watched_it_looks_again_and_again(
    watched: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    waits_for(lambda: indexed(watched.root) == {"a.py"})
    (watched.root / "b.py").write_text("def beta():\n    pass\n", encoding="utf-8")
    waits_for(lambda: indexed(watched.root) == {"a.py", "b.py"})
    lines = Told(capsys)
    waits_for(lambda: "read b.py" in lines.so_far())
    told = lines.so_far()
    assert "1 file, 1 chunk in" in told
    assert "not watching: the system gives no more of them" in told


def test_it_waits_for_another_run_and_says_so_once(watched: Project, capsys: pytest.CaptureFixture[str]) -> None:
    from indexer.lock import locked

    waits_for(lambda: indexed(watched.root) == {"a.py"})
    lines = Told(capsys)
    with locked(watched.index.place.lock, WAIT):
        (watched.root / "b.py").write_text("def beta():\n    pass\n", encoding="utf-8")
        waits_for(lambda: "error[store_locked]" in lines.so_far())
    waits_for(lambda: indexed(watched.root) == {"a.py", "b.py"})
    assert lines.so_far().count("store_locked") == 1


def test_what_cannot_be_begun_fails_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(tmp_path), "--root", str(tmp_path)]) == 2
    assert "given twice" in capsys.readouterr().err
    assert main(["watch", str(tmp_path / "none")]) == 2
    assert "error[" in capsys.readouterr().err
