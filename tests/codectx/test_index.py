"""A project's index: where it lies, what it takes in, what it says when it cannot be written."""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codectx.config import load
from codectx.errors import UserError
from codectx.index import ProjectIndex
from codectx.project import Project
from codectx.stores import cache_folder, place_of
from codectx.tools import TOOLS
from indexer import tables
from indexer.lock import locked
from indexer.vector_tables import table_of_model

Configured = Callable[..., Project]


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    """Give a function that opens a project of two files with settings."""

    def make(**variables: str) -> Project:
        root = tmp_path / "case"
        root.mkdir(exist_ok=True)
        (root / "a.py").write_text("def charge(card):\n    return card\n", encoding="utf-8")
        (root / "b.js").write_text("function refund(order) {\n  return order;\n}\n", encoding="utf-8")
        environment = {"CODECTX_EMBEDDER": "none", **{f"CODECTX_{name}": value for name, value in variables.items()}}
        return Project(root, load(root, {tool.name: tool.limit for tool in TOOLS}, environment))

    return make


# --- where it lies


def test_two_clones_of_one_name_have_an_index_each(tmp_path: Path) -> None:
    places = [place_of(tmp_path / folder / "proj", "") for folder in ("one", "two")]
    assert places[0].folder != places[1].folder
    assert all(place.folder.name.startswith("proj-") for place in places)
    assert all(place.folder.is_relative_to(cache_folder()) for place in places)
    assert place_of(tmp_path / "one" / "proj", "").folder == places[0].folder


def test_an_awkward_name_makes_a_plain_folder(tmp_path: Path) -> None:
    name = place_of(tmp_path / "a b;'\n你好\udcff", "").folder.name
    assert name.isprintable()
    assert not set(name) & set(" ;'\"/\n")


def test_the_cache_follows_the_users_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere" / "codectx"


def test_a_location_that_was_named_holds_the_tables(tmp_path: Path) -> None:
    place = place_of(tmp_path, str(tmp_path / "named"))
    assert place.folder.parent == tmp_path / "named"
    assert place.store.location == str(place.folder)
    assert place_of(tmp_path / "other", str(tmp_path / "named")).folder != place.folder
    remote = place_of(tmp_path, "s3://bucket/index/")
    assert remote.store.location.startswith(f"s3://bucket/index/{tmp_path.name[:40]}-")
    assert remote.store.location != place_of(tmp_path / "other", "s3://bucket/index/").store.location
    assert remote.store.is_remote
    assert remote.folder.is_relative_to(cache_folder())
    assert remote.folder != place_of(tmp_path, "").folder


def test_worktrees_of_a_repository_share_vectors_and_nothing_else(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=tmp_path / "main", check=True, capture_output=True)

    (tmp_path / "main").mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", str(tmp_path / "tree"))
    roots = [Path(os.path.realpath(tmp_path / name)) for name in ("main", "tree")]
    main, tree = (place_of(root, "") for root in roots)
    assert main.folder != tree.folder
    assert main.store._vectors == tree.store._vectors
    assert main.store._vectors != place_of(tmp_path / "other", "").store._vectors


# --- what it takes in


def test_include_and_exclude_take_files_out_when_they_change(configured: Configured) -> None:
    project = configured()
    assert sorted(project.index.sync(project.index.walk()).manifest.files) == ["a.py", "b.js"]
    only = configured(INDEX_INCLUDE="*.py")
    report = only.index.sync(only.index.walk())
    assert (sorted(report.manifest.files), report.removed) == (["a.py"], ("b.js",))
    without = configured(INDEX_EXCLUDE="a.*")
    report = without.index.sync(without.index.walk())
    assert sorted(report.manifest.files) == ["b.js"]
    again = configured()
    assert sorted(again.index.sync(again.index.walk()).manifest.files) == ["a.py", "b.js"]


def test_an_index_that_lies_in_the_project_is_none_of_its_files(configured: Configured) -> None:
    root = configured().root
    project = configured(STORE_URI=str(root / "store"))
    project.index.sync(project.index.walk())
    assert (root / "store").is_dir()
    report = project.index.sync(project.index.walk())
    assert (sorted(report.manifest.files), report.reindexed) == (["a.py", "b.js"], ())
    assert {file.path for file in project.index.walk().files} == {"a.py", "b.js"}


def test_a_pattern_that_means_nothing_is_told(configured: Configured) -> None:
    project = configured(INDEX_INCLUDE="{a,b}" * 14)
    with pytest.raises(UserError, match=r"index\.include"):
        project.index.walk()


def test_nothing_is_made_before_somebody_asks(configured: Configured) -> None:
    project = configured()
    project.index.walk()
    assert not project.index.place.folder.exists()


# --- questions


def test_a_small_project_is_indexed_by_the_first_question(configured: Configured) -> None:
    project = configured()
    state = project.index.state()
    assert state is not None
    assert sorted(state.manifest.files) == ["a.py", "b.js"]
    assert project.index.place.manifest.exists()


def test_a_large_one_is_not(configured: Configured) -> None:
    project = configured()
    for number in range(4):
        (project.root / f"m{number}.py").write_text("value = 1\n" * 20_000, encoding="utf-8")
    assert project.index.state() is None
    assert not project.index.place.folder.exists()


def test_a_question_does_without_where_another_run_holds_the_lock(configured: Configured) -> None:
    project = configured()
    project.index.place.folder.mkdir(parents=True)
    with locked(project.index.place.lock):
        assert project.index.state() is None
    assert project.index.state() is not None


def test_x53_an_edit_is_there_at_the_next_question(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codectx.index.SCAN_SECONDS", 0.0)
    project = configured()
    project.index.state()
    project.index.live._scan_seconds = 0.0
    (project.root / "new.py").write_text("def brand_new():\n    return 1\n", encoding="utf-8")
    state = project.index.state()
    assert state is not None
    assert "new.py" in state.manifest.files


def test_one_index_in_memory_however_many_threads_ask(configured: Configured) -> None:
    project = configured()
    barrier = threading.Barrier(4)
    found: list[Any] = []

    def asks() -> None:
        barrier.wait(10)
        found.append((project.index.live, project.index.embedding))

    threads = [threading.Thread(target=asks) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len({(id(live), id(embedding)) for live, embedding in found}) == 1


# --- what cannot be written


def test_a_folder_that_cannot_be_made_is_one_clear_error(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    project = configured(STORE_URI=str(tmp_path / "file" / "store"))
    with pytest.raises(UserError, match="the index cannot be written to") as told:
        project.index.sync(project.index.walk())
    assert told.value.category == "unreadable"
    assert "store.uri" in told.value.remedy
    assert project.index.state() is None  # a question does without


def test_a_store_deleted_under_a_running_process_comes_back(configured: Configured) -> None:
    project = configured()
    project.index.state()
    shutil.rmtree(project.index.place.folder)
    (project.root / "a.py").write_text("def invoice(card):\n    return card\n", encoding="utf-8")
    report = project.index.sync(project.index.walk())
    assert sorted(report.reindexed) == ["a.py", "b.js"]
    assert project.index.live.state is not None
    assert project.index.live.state.manifest.files == report.manifest.files


# --- embedders


def with_ollama(configured: Configured, ollama: Any, model: str = "fake-a", name: str = "ollama") -> Project:
    return configured(EMBEDDER=name, OLLAMA_URL=ollama.url, EMBEDDER_MODEL=model)


def filled(index: ProjectIndex, files: int = 2, **options: Any) -> Any:
    try:
        return index.embedding.fill(files, **options)
    finally:
        index.close()


def test_x45_vectors_are_made_told_and_taken_into_memory(configured: Configured, ollama: Any) -> None:
    project = with_ollama(configured, ollama)
    project.index.sync(project.index.walk())
    done = filled(project.index)
    assert (done.embedded, done.files_embedded, done.files_not_embedded) == (("a.py", "b.js"), 2, 0)
    assert done.told == project.index.embedding.told
    assert "2 of 2 chunks by ollama" in done.told
    project.index.embedding.load()
    vectors = project.index.embedding.vectors
    assert vectors is not None
    assert len(vectors) == 2
    assert vectors.query_vector("charge a card") is not None
    project.index.close()


def test_x45_an_embedder_that_is_down_is_told_and_what_it_gave_is_kept(configured: Configured, ollama: Any) -> None:
    project = with_ollama(configured, ollama)
    project.index.sync(project.index.walk())
    ollama.down()
    done = filled(project.index)
    assert done.error is not None
    assert done.error.category == "backend_down"
    assert (done.embedded, done.files_not_embedded) == ((), 2)
    assert project.index.embedding.trouble is done.error
    ollama.up()
    assert filled(project.index).error is None
    assert project.index.embedding.trouble is None


def test_x57_vectors_of_another_model_are_not_used(configured: Configured, ollama: Any) -> None:
    first = with_ollama(configured, ollama)
    first.index.sync(first.index.walk())
    filled(first.index)
    second = with_ollama(configured, ollama, "fake-b")
    second.index.embedding.load()
    assert second.index.embedding.vectors is None
    assert filled(second.index).embedded == ("a.py", "b.js")
    second.index.embedding.load()
    vectors = second.index.embedding.vectors
    assert vectors is not None
    assert vectors.vectors_of([b"x" * 16]).shape == (1, 24)
    second.index.close()


@pytest.mark.parametrize(("done", "total", "is_read"), [(0, 40, False), (3, 40, False), (4, 40, True), (2, 2, True)])
def test_a_question_of_the_command_line_loads_vectors_only_where_a_note_says_that_there_are_enough(
    configured: Configured, ollama: Any, monkeypatch: pytest.MonkeyPatch, done: int, total: int, is_read: bool
) -> None:
    project = with_ollama(configured, ollama)
    project.index.sync(project.index.walk())
    filled(project.index)
    fresh = with_ollama(configured, ollama).index
    fresh.embedding._remember("some", done, total)
    asked: list[str] = []
    read = fresh.place.store.vectors
    monkeypatch.setattr(fresh.place.store, "vectors", lambda model: asked.append(model) or read(model))
    assert (fresh.embedding.loaded() is not None) == is_read
    assert bool(asked) == is_read
    fresh.close()


def test_a_table_without_a_vector_asks_nothing_of_the_embedder(configured: Configured, ollama: Any) -> None:
    project = with_ollama(configured, ollama)
    project.index.sync(project.index.walk())
    store, model = project.index.place.store, project.index.embedding.choice().embedder.model
    store.add_vectors(model, [b"x" * 16], np.ones((1, 24), np.int8))
    location = store.vectors_location
    table = tables.opened(location, table_of_model(model))
    table.delete("true")
    assert len(store.vectors(model)[0]) == 0
    project.index.embedding.load()
    assert project.index.embedding.vectors is None
    project.index.close()


def test_a_run_that_is_going_on_writes_down_how_far_it_is(
    configured: Configured, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.fill.AT_ONCE", 1)
    project = with_ollama(configured, ollama)
    project.index.sync(project.index.walk())
    told: list[str] = []
    filled(project.index, progress=lambda _done, _total: told.append(project.index.embedding.told))
    assert told[0] == "1 of 2 chunks by ollama"


def test_x58_one_run_at_a_time_makes_vectors(configured: Configured, ollama: Any) -> None:
    project = with_ollama(configured, ollama)
    project.index.sync(project.index.walk())
    with locked(project.index.place.folder / "vectors.lock"):
        done = filled(project.index)
    assert done.error is not None
    assert done.error.category == "store_locked"
    assert ollama.log == []
    assert filled(project.index).error is None
