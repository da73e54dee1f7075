"""A server hears of changes: every edit is found by the next question, and a question after none looks at no file."""

import logging
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codectx import keeper as keeper_module
from codectx.config import load
from codectx.keeper import Keeper
from codectx.project import Project
from codectx.tools import TOOLS
from indexer import burst
from indexer.sync import current

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere questions look at the files themselves")
WAIT = 30.0  # seconds
ROUNDS = 50


def waits_for(what: Callable[[], Any]) -> Any:
    """Wait until something holds."""
    end = time.monotonic() + WAIT
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


class Served:
    """A project with its keeper, as in a server, and how often its files were listed."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.root = project.root
        self.walks = 0
        listed = project.index._files

        def files() -> Any:
            self.walks += 1
            return listed()

        project.index._files = files
        self.keeper = Keeper(lambda: project)
        project.index.keeper = self.keeper

    def start(self) -> None:
        """Begin, and wait until all is known and watched."""
        self.keeper.start()
        assert self.keeper.ready.wait(WAIT)
        self.settle()

    def settle(self) -> None:
        waits_for(lambda: not self.keeper.doing and self.keeper.watcher.is_quiet(1))

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def stored(self) -> dict[str, Any]:
        manifest = current(self.project.index.place, unfinished=True)
        return {} if manifest is None else dict(manifest.files)


@pytest.fixture
def served(make_project: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(keeper_module, "IDLE_SECONDS", 0.02)
    monkeypatch.setattr(keeper_module, "RETRY_SECONDS", 0.1)
    monkeypatch.setattr(keeper_module, "STORE_SECONDS", 0.05)
    monkeypatch.setattr(burst, "QUIET_SECONDS", 0.05)
    monkeypatch.setattr(burst, "TICK_SECONDS", 0.05)
    made = Served(make_project({"a.py": "def charge(card):\n    return card\n", "pkg/b.py": "def b():\n    pass\n"}))
    yield made
    made.keeper.watcher.close()


def finds(served: Served, ask: Any, word: str) -> bool:
    answer = ask(served.project, "semantic_search", query=word).text
    return f"def {word}" in answer


@linux_only
def test_fifty_edits_are_each_found_by_the_question_that_follows_at_once(
    served: Served, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.start()
    monkeypatch.setattr(burst, "QUIET_SECONDS", 0.4)
    for number in range(ROUNDS):
        name = f"pledge{number}tail"
        kind = number % 5
        if kind == 0:  # a new folder
            served.write(f"fresh{number}/sub/c.py", f"def {name}(card):\n    return card\n")
        elif kind == 1:  # which moves
            (served.root / f"fresh{number - 1}").rename(served.root / name)
            assert f"{name}/sub/c.py" in ask(served.project, "semantic_search", query=f"pledge{number - 1}tail").text
            continue
        elif kind == 2:  # and is gone
            (served.root / f"pledge{number - 1}tail/sub/c.py").unlink()
            assert not finds(served, ask, f"pledge{number - 2}tail"), number
            continue
        else:
            served.write("a.py", f"def {name}(card):\n    return {number}\n")
        assert finds(served, ask, name), number


@linux_only
def test_a_question_after_no_change_lists_no_files(served: Served, ask: Any) -> None:
    served.start()
    assert finds(served, ask, "charge")
    served.settle()
    before = served.walks
    for _ in range(20):
        assert finds(served, ask, "charge")
    assert served.walks == before


@linux_only
def test_one_change_is_looked_for_once_however_many_questions_follow(
    served: Served, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.start()
    monkeypatch.setattr(served.keeper, "wake", lambda: None)
    monkeypatch.setattr(burst, "QUIET_SECONDS", 1000.0)
    monkeypatch.setattr(burst, "MOST_SECONDS", 1000.0)
    before = served.walks
    served.write("c.py", "def pay(card):\n    return card\n")
    for _ in range(10):
        assert finds(served, ask, "pay")
    assert served.walks - before == 1


@linux_only
def test_files_that_are_known_are_looked_at_alone(served: Served, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    served.start()
    monkeypatch.setattr(served.keeper, "wake", lambda: None)
    monkeypatch.setattr(burst, "QUIET_SECONDS", 1000.0)
    monkeypatch.setattr(burst, "MOST_SECONDS", 1000.0)
    before = served.walks
    served.write("a.py", "def pay(card):\n    return card\n")
    assert finds(served, ask, "pay")
    served.write("pkg/b.py~", "def lend(card):\n    return card\n").replace(served.root / "pkg/b.py")  # as editors do
    assert finds(served, ask, "lend")
    (served.root / "a.py").unlink()
    assert not finds(served, ask, "pay")
    assert served.walks == before
    (served.root / "pkg/b.py").unlink()
    served.write("pkg/b.py/c.py", "def owe(card):\n    return card\n")
    assert finds(served, ask, "owe")
    assert not finds(served, ask, "lend")
    assert served.walks > before


@linux_only
@pytest.mark.parametrize("hide", [".gitignore", ".codectxignore"])
def test_a_file_that_becomes_ignored_is_not_found_though_it_is_known(
    hide: str, served: Served, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.start()
    monkeypatch.setattr(served.keeper, "wake", lambda: None)
    monkeypatch.setattr(burst, "QUIET_SECONDS", 1000.0)
    monkeypatch.setattr(burst, "MOST_SECONDS", 1000.0)
    served.write("a.py", "def pay(card):\n    return card\n")
    served.write(hide, "a.py\n")
    assert not finds(served, ask, "pay")


@linux_only
def test_edits_reach_the_store_without_any_question(served: Served) -> None:
    served.start()
    served.write("new/c.py", "def refund(order):\n    return order\n")
    waits_for(lambda: "new/c.py" in served.stored())
    (served.root / "new").rename(served.root / "other")
    waits_for(lambda: {"a.py", "pkg/b.py", "other/c.py"} == set(served.stored()))
    (served.root / "a.py").unlink()
    waits_for(lambda: {"pkg/b.py", "other/c.py"} == set(served.stored()))
    assert "watching" in served.keeper.watching


def test_what_another_process_commits_is_taken_over_without_any_question(served: Served) -> None:
    served.start()
    served.keeper.watcher.close()  # nothing is heard of the files
    served.write("c.py", "def refund(order):\n    return order\n")
    code = "import sys; from codectx.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "index", str(served.root), "--quiet"]
    env = {**os.environ, "PYTHONPATH": str(Path(keeper_module.__file__).parents[1])}
    subprocess.run(command, check=True, env=env)
    version = current(served.project.index.place).version
    waits_for(lambda: served.project.index.live.state.manifest.version == version)
    assert "c.py" in served.project.index.live.state.manifest.files


def test_vectors_that_another_process_makes_are_taken_over(
    served: Served, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {"EMBEDDER": "ollama", "EMBEDDER_MODEL": "fake-a", "OLLAMA_URL": ollama.url}
    environment = {f"CODECTX_{name}": value for name, value in variables.items()}
    config = load(served.root, {tool.name: tool.limit for tool in TOOLS}, environment)
    here, there = Project(served.root, config), Project(served.root, config)
    kept = Keeper(lambda: here)
    monkeypatch.setattr(kept, "_fill", lambda: True)  # it makes none itself
    kept.start()
    waits_for(lambda: kept._looked)
    assert here.index.embedding.vectors is None
    assert there.index.embedding.fill(2).embedded
    waits_for(lambda: here.index.embedding.vectors is not None)
    kept.watcher.close()
    here.index.close()
    there.index.close()


@linux_only
def test_a_change_without_an_event_is_found_after_a_while_and_then_events_are_not_relied_on(
    served: Served, ask: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = served.write("a.py", "def charge(card):\n    return card\n")
    with path.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
    served.start()
    mapped[4:10] = b"settle"  # the system tells nobody
    mapped.flush()
    monkeypatch.setattr(keeper_module, "CHECK_SECONDS", 0.0)
    with served.keeper.call():
        ask(served.project, "semantic_search", query="anything at all")
    waits_for(lambda: "without the system telling" in caplog.text)
    assert "without the system telling" in served.keeper.watching
    mapped[4:10] = b"redeem"
    mapped.flush()
    waits_for(lambda: finds(served, ask, "redeem"))
    mapped.close()


def test_where_nothing_can_be_watched_questions_look_themselves(
    served: Served, ask: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(_root: str, _listener: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("indexer.watch.open_events", refused)
    monkeypatch.setattr("codectx.index.SCAN_SECONDS", 0.0)
    served.keeper.start()
    waits_for(lambda: served.keeper._looked)
    served.write("a.py", "def pay(card):\n    return card\n")
    waits_for(lambda: finds(served, ask, "pay"))
    waits_for(lambda: "max_user_watches" in served.keeper.watching)
    assert [record.levelno for record in caplog.records if "not watched" in record.message] == [logging.WARNING]


@linux_only
def test_a_root_that_is_deleted_and_made_again_is_indexed_again(
    served: Served, ask: Any, caplog: pytest.LogCaptureFixture
) -> None:
    served.start()
    moved = served.root.with_name("gone")
    served.root.rename(moved)
    waits_for(lambda: "not up to date" in caplog.text)
    served.write("z.py", "def reborn(card):\n    return card\n")
    waits_for(lambda: set(served.stored()) == {"z.py"})
    served.settle()
    assert finds(served, ask, "reborn")
    assert not finds(served, ask, "charge")
