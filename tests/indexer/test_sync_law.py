"""After any sequence of changes, by people and by git, a sync gives the index that is built from nothing."""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from indexer.entry import FileEntry
from indexer.rows import entries_of
from indexer.search import Index, search
from indexer.walk import walk

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from chaos.edits import EDITS, function
from chaos.gitsteps import GIT_STEPS
from chaos.truth import QUERIES, Truth, differences, project_of, rebuilt
from chaos.workspace import Workspace

ENVIRONMENT = {"CODECTX_EMBEDDER": "none"}
CHANGES = {**EDITS, **GIT_STEPS}
STEPS = st.lists(st.tuples(st.sampled_from(sorted({*CHANGES, "sync"})), st.integers(0, 10**6)), min_size=2, max_size=9)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Give a repository with two branches, to be copied."""
    space = Workspace(tmp_path_factory.mktemp("law"))
    chance = Random(1)
    for number in range(9):
        path = space.root / ("", "part", "part/deep")[number % 3] / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(function(chance).lstrip(), encoding="utf-8")
    (space.root / "notes.md").write_text("# Notes\n\nHow to charge.\n", encoding="utf-8")
    space.begin()
    space.git("switch", "--quiet", "--create", "other")
    (space.root / "m0.py").write_text(function(chance), encoding="utf-8")
    (space.root / "only_here.py").write_text(function(chance), encoding="utf-8")
    space.git("add", "--all")
    space.git("commit", "--quiet", "--message", "other")
    space.git("switch", "--quiet", "main")
    return space


def copied(template: Workspace, top: Path) -> Workspace:
    if (top / "repo").exists():
        shutil.rmtree(top)
        top.mkdir()
    shutil.copytree(template.root, top / "repo")
    return Workspace(top)


def parts(space: Workspace, entries: dict[str, FileEntry]) -> set[tuple[str, int, int, str, bytes]]:
    """Give what is in an index as path, span, text, and the digest that its vector is kept by."""
    found = set()
    for path, entry in entries.items():
        lines = (space.root / path).read_bytes().split(b"\n")
        for chunk in entry.chunks:
            text = b"\n".join(lines[chunk.start - 1 : chunk.end]).decode("latin-1")
            found.add((path, chunk.start, chunk.end, text, chunk.digest))
    return found


def in_step(space: Workspace, index: Any) -> None:
    """Compare an index with one built from nothing, in rows and in answers."""
    truth = Truth(space.root, ENVIRONMENT)
    table = index.place.store.read()
    held = {entry.path: entry for entry in entries_of(table)} if table is not None else {}
    fresh = rebuilt(truth)
    assert parts(space, held) == parts(space, fresh)
    assert held == fresh
    assert differences(index.place, truth, fresh) == []
    one, other = Index.of_table(table), Index.of(fresh.values())
    assert len(QUERIES) == 20
    for query in QUERIES:
        assert search(one, query, 10).hits == search(other, query, 10).hits


@pytest.mark.timeout(600)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink so many processes would take minutes
    print_blob=True,
)
@given(steps=STEPS)
def test_x43_after_any_changes_a_sync_equals_a_rebuild(
    template: Workspace, tmp_path: Path, steps: list[tuple[str, int]]
) -> None:
    space = copied(template, tmp_path)
    index = project_of(space.root, ENVIRONMENT).index
    shutil.rmtree(index.place.folder, ignore_errors=True)
    index.sync(index.walk())
    for name, seed in steps:
        if name == "sync":
            index.sync(index.walk())
        else:
            with suppress(OSError):  # then it is left half done
                CHANGES[name](space, Random(seed))
    index.sync(index.walk())
    in_step(space, index)


# --- what belongs to a tree


@pytest.fixture
def space(template: Workspace, tmp_path: Path) -> Workspace:
    return copied(template, tmp_path / "one")


def synced(space: Workspace) -> tuple[str, ...]:
    """Sync, compare with a rebuild, and give the paths in the index."""
    index = project_of(space.root, ENVIRONMENT).index
    report = index.sync(index.walk())
    in_step(space, index)
    return tuple(sorted(report.manifest.files))


def test_x43_a_rename_of_case_only_leaves_the_new_name(space: Workspace) -> None:
    assert "m0.py" in synced(space)
    space.git("mv", "m0.py", "M0.py")
    assert {"M0.py", "m0.py"} & {*synced(space)} == {"M0.py"}


def test_x56_branches_are_followed_there_and_back(space: Workspace) -> None:
    first = synced(space)
    space.git("switch", "--quiet", "other")
    assert {*synced(space)} - {*first} == {"only_here.py"}
    space.git("switch", "--quiet", "main")
    assert synced(space) == first


def test_x56_stash_rebase_and_merge_are_followed(space: Workspace) -> None:
    synced(space)
    (space.root / "new.py").write_text("def brand_new():\n    return 1\n", encoding="utf-8")
    space.git("stash", "push", "--quiet", "--include-untracked")
    assert "new.py" not in synced(space)
    space.git("stash", "pop", "--quiet")
    space.git("add", "--all")
    space.git("commit", "--quiet", "--message", "new")
    space.git("rebase", "--quiet", "other")
    assert {"new.py", "only_here.py"} <= {*synced(space)}
    space.git("reset", "--quiet", "--hard", "HEAD~1")
    assert "new.py" not in synced(space)


@pytest.mark.parametrize("what", ["worktree", "nested", "submodule"])
def test_x41_other_repositories_in_the_tree_come_and_go_without_their_files(space: Workspace, what: str) -> None:
    before = synced(space)
    GIT_STEPS[what](space, Random(2))
    inside = {"worktree": "wt/tree/m0.py", "nested": "nested/own.py", "submodule": "sub/other.py"}[what]
    assert (space.root / inside).is_file()
    assert {*synced(space)} - {*before} <= {".gitmodules"}
    GIT_STEPS[what](space, Random(2))
    shutil.rmtree(space.root / inside.partition("/")[0], ignore_errors=True)
    assert {*synced(space)} - {*before} <= {".gitmodules"}


def test_x41_rules_of_gitignore_take_files_out_and_let_them_in_again(space: Workspace) -> None:
    for number in range(3):
        (space.root / f"made{number}.py").write_text(f"MADE = {number}\n", encoding="utf-8")
    before = {*synced(space)}
    (space.root / ".gitignore").write_text("made*\n!made1.py\n", encoding="utf-8")
    assert {*synced(space)} == before - {"made0.py", "made2.py"} | {".gitignore"}
    (space.root / ".gitignore").unlink()
    assert {*synced(space)} == before


def test_a_change_of_mode_is_no_change_of_content(space: Workspace) -> None:
    synced(space)
    (space.root / "m0.py").chmod(0o755)
    index = project_of(space.root, ENVIRONMENT).index
    assert index.sync(index.walk()).reindexed == ()
    in_step(space, index)


LOOKED: list[str] = []
WATCHED = ["os.scandir", "os.listdir", "open", "os.walk"]


@pytest.fixture(scope="module", autouse=True)
def looked() -> None:
    """Keep what this process opens and lists while a test wants to know; such a hook stays to the end."""
    sys.addaudithook(lambda event, arguments: LOOKED.append(str(arguments[0])) if event in WATCHED and LOOKED else None)


@pytest.mark.parametrize("with_git", [True, False])
def test_x41_ignored_folders_are_never_walked(
    space: Workspace, with_git: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("node_modules/left", "huge"):
        for number in range(50):
            path = space.root / folder / str(number) / "index.js"
            path.parent.mkdir(parents=True)
            path.write_text("let x = 1;\n", encoding="utf-8")
    (space.root / ".gitignore").write_text("huge/\nnode_modules/\n", encoding="utf-8")
    if not with_git:
        shutil.rmtree(space.root / ".git")
    stats: list[str] = []
    lstat, stat = os.lstat, os.stat
    monkeypatch.setattr(os, "lstat", lambda path, **more: (stats.append(os.fspath(path)), lstat(path, **more))[1])
    monkeypatch.setattr(os, "stat", lambda path, **more: (stats.append(str(path)), stat(path, **more))[1])
    LOOKED.append("begin")
    try:
        walked = walk(space.root)
        seen = [*LOOKED, *stats]
    finally:
        LOOKED.clear()
    monkeypatch.undo()
    assert "m0.py" in {file.path for file in walked.files}
    assert any("m0.py" in path for path in seen) or not with_git
    inside = [path for path in seen if "/huge/" in path or "/node_modules/" in path]
    assert inside == []
