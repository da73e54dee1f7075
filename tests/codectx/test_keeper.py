"""The server's thread has the index ready, keeps it fresh, and starts again after a failure."""

import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from codectx import keeper as keeper_module
from codectx.config import load
from codectx.keeper import Keeper
from codectx.project import Project
from indexer.lock import locked
from indexer.sync import current

WAIT = 20.0  # seconds


def waits_for(what: Callable[[], Any]) -> Any:
    """Wait until something holds."""
    end = time.monotonic() + WAIT
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@pytest.fixture
def project(make_project: Any, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(keeper_module, "IDLE_SECONDS", 0.02)
    monkeypatch.setattr(keeper_module, "RETRY_SECONDS", 0.1)
    monkeypatch.setattr(keeper_module, "LOCK_SECONDS", 0.05)
    made: Project = make_project({"a.py": "def charge(card):\n    return card\n"})
    return made


def started(project: Project) -> Keeper:
    kept = Keeper(lambda: project)
    project.index.keeper = kept
    kept.start()
    return kept


def files(project: Project) -> set[str]:
    state = project.index.live.state
    return set() if state is None else set(state.manifest.files)


def test_it_builds_the_index_and_takes_up_changes_that_a_question_has_seen(project: Project) -> None:
    kept = started(project)
    assert kept.ready.wait(WAIT)
    waits_for(lambda: files(project) == {"a.py"} and not kept.doing)
    first = project.index.live.state.manifest.version
    (project.root / "b.py").write_text("def refund(order):\n    return order\n", encoding="utf-8")
    waits_for(lambda: "b.py" in project.index.state().manifest.files)
    waits_for(lambda: project.index.live.state.manifest.version > first)
    assert set(current(project.index.place).files) == {"a.py", "b.py"}


def test_a_question_is_answered_by_what_is_ready_and_waits_for_little(project: Project) -> None:
    kept = started(project)
    state = waits_for(lambda: project.index.state())
    assert state.index.file_count == 1
    with kept.call():
        assert kept._calls == 1
    assert kept._calls == 0


def test_it_tries_again_after_another_run_held_the_lock(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    project.index.place.folder.mkdir(parents=True)
    with locked(project.index.place.lock):
        kept = started(project)
        assert kept.ready.wait(WAIT)
        assert files(project) == set()
        waits_for(lambda: "another run is writing" in caplog.text)
    waits_for(lambda: files(project) == {"a.py"})


def test_a_store_deleted_under_it_is_built_again_with_the_next_change(project: Project) -> None:
    kept = started(project)
    waits_for(lambda: files(project) == {"a.py"} and not kept.doing)
    shutil.rmtree(project.index.place.folder)
    (project.root / "b.py").write_text("def refund(order):\n    return order\n", encoding="utf-8")
    waits_for(lambda: "b.py" in project.index.state().manifest.files)
    waits_for(project.index.place.manifest.exists)


def test_vectors_are_made_again_for_a_store_that_came_to_the_same_version(
    project: Project, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = {"CODECTX_EMBEDDER": "ollama", "CODECTX_OLLAMA_URL": ollama.url, "CODECTX_EMBEDDER_MODEL": "fake-a"}
    project = Project(project.root, load(project.root, {}, named))
    kept = started(project)
    first = waits_for(lambda: kept._embedded > 0 and kept._embedded)
    place = project.index.place
    waits_for(lambda: not kept.doing)
    shutil.rmtree(place.folder)
    (project.root / "b.py").write_text("def refund(order):\n    return order\n", encoding="utf-8")
    waits_for(lambda: "b.py" in project.index.state().manifest.files)
    kept.wake()
    manifest = waits_for(lambda: current(place))
    assert (manifest.version, set(manifest.files)) == (first, {"a.py", "b.py"})
    model = project.index.embedding.choice().embedder.model
    waits_for(lambda: len(place.store.embedded(model)) == 2)
    project.index.close()


def test_an_index_that_was_built_again_is_another_one_though_it_came_to_the_same_version(project: Project) -> None:
    kept = Keeper(lambda: project)
    project.index.sync(project.index.walk())
    state = project.index.live.load()
    assert not kept._is_other_version()
    shutil.rmtree(project.index.place.folder)
    (project.root / "b.py").write_text("def refund(order):\n    return order\n", encoding="utf-8")
    another = Project(project.root, project.config)
    report = another.index.sync(another.index.walk())
    assert report.manifest.version == state.manifest.version
    assert kept._is_other_version()


def test_no_vectors_are_made_while_a_call_runs_or_files_wait(project: Project) -> None:
    kept = Keeper(lambda: project)
    assert kept._go_on()
    kept.wake()
    assert not kept._go_on()


def test_what_changes_leave_behind_is_tidied_up_without_a_call(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper_module, "TIDY_SECONDS", 0.1)
    kept = started(project)
    assert kept.ready.wait(WAIT)
    waits_for(lambda: not kept.doing)
    tidied = []
    store = type(project.index.place.store)
    monkeypatch.setattr(store, "is_left_grown", lambda _: not tidied)
    monkeypatch.setattr(store, "tidy", lambda _: tidied.append(True))
    (project.root / "b.py").write_text("def refund(order):\n    return order\n", encoding="utf-8")
    kept.wake()
    waits_for(lambda: tidied)
