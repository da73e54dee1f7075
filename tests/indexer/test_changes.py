"""Asking git what differs: refs become commits, files and diffs agree, and nothing takes for ever."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from indexer import changes
from indexer.changes import Comparison, Repository, changed_files, compare, near_refs, patches, untracked_files
from indexer.diff import stretch
from indexer.errors import GitError


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=root, capture_output=True, check=True)
    return done.stdout.decode("utf-8").strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a repository with two commits on main and one on a branch that begins at the first."""
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.email", "t@example.invalid")
    git(tmp_path, "config", "user.name", "T")
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("".join(f"{n}\n" for n in range(40)), encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "branch", "side")
    (tmp_path / "a.txt").write_text("two\n", encoding="utf-8")
    git(tmp_path, "commit", "-qam", "second")
    git(tmp_path, "checkout", "-q", "side")
    (tmp_path / "c.txt").write_text("side\n", encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "on the side")
    git(tmp_path, "checkout", "-q", "main")
    return tmp_path


def asking(root: Path, seconds: float = 30) -> Repository:
    return Repository(root, os.environ, seconds)


def test_a_ref_becomes_the_commit_that_it_stands_for(root):
    first, second, side = (git(root, "rev-parse", name) for name in ("main~1", "main", "side"))
    repository = asking(root)
    assert compare(repository, "") == Comparison(second)
    assert compare(repository, "main~1") == Comparison(first)
    assert compare(repository, first[:8]) == Comparison(first)
    assert compare(repository, "side..main") == Comparison(side, second)
    assert compare(repository, "side...main") == Comparison(first, second)
    assert compare(repository, "..side") == Comparison(second, side)
    assert compare(repository, "side..") == Comparison(side, second)


def test_a_tag_is_looked_through_and_a_tree_is_no_commit(root):
    git(root, "tag", "-a", "v1", "-m", "version one")
    assert compare(asking(root), "v1") == Comparison(git(root, "rev-parse", "main"))
    with pytest.raises(GitError) as caught:
        compare(asking(root), "main^{tree}")
    assert caught.value.category == "bad_ref"


def test_branches_without_common_history_cannot_be_compared_by_it(root):
    git(root, "checkout", "-q", "--orphan", "other")
    git(root, "commit", "-qm", "alone")
    assert compare(asking(root), "main..other").new
    with pytest.raises(GitError, match="no common history"):
        compare(asking(root), "main...other")


def test_before_the_first_commit_everything_is_compared_with_nothing(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    git(tmp_path, "add", "a.txt")
    comparison = compare(asking(tmp_path), "")
    assert comparison.empty
    assert [(file.path, file.status, file.added) for file in changed_files(asking(tmp_path), comparison)] == [
        ("a.txt", "A", 1)
    ]


def test_the_diffs_are_those_of_the_files_that_are_listed(root):
    git(root, "mv", "b.txt", "moved.txt")
    (root / "moved.txt").write_text("".join(f"{n}\n" for n in range(41)), encoding="utf-8")
    (root / "a.txt").write_text("three\n", encoding="utf-8")
    repository = asking(root)
    comparison = compare(repository, "")
    files = changed_files(repository, comparison)
    assert [(file.path, file.old_path, file.status, file.added, file.deleted) for file in files] == [
        ("a.txt", "", "M", 1, 1),
        ("moved.txt", "b.txt", "R", 1, 0),
    ]
    everything = patches(repository, comparison)
    assert list(everything) == ["a.txt", "moved.txt"]
    for file in files:
        (path, section), *others = patches(repository, comparison, only=[file]).items()
        assert not others and path == file.path
        assert stretch(section).text == stretch(everything[path]).text
    assert patches(repository, comparison, only=[]) == {}
    assert list(patches(repository, comparison, "a.txt")) == ["a.txt"]


def test_many_files_are_asked_for_in_batches(root, monkeypatch):
    for n in range(9):
        (root / f"{n}.txt").write_text("x\n", encoding="utf-8")
    git(root, "add", "-A")
    repository = asking(root)
    comparison = compare(repository, "")
    files = changed_files(repository, comparison)
    monkeypatch.setattr(changes, "_MAX_PATHS", 12)
    assert list(patches(repository, comparison, only=files)) == [file.path for file in files]


def test_untracked_files_are_those_that_nobody_ignores(root):
    (root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    for path in ("x.log", "new.py", "d/ü.py"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("x\n", encoding="utf-8")
    assert untracked_files(asking(root)) == (".gitignore", "d/ü.py", "new.py")
    assert untracked_files(asking(root), "d") == ("d/ü.py",)


def test_near_names_come_from_branches_and_tags(root):
    git(root, "tag", "release-1.0")
    assert near_refs(asking(root), "sied") == ("side",)
    assert near_refs(asking(root), "relase-1.0") == ("release-1.0",)
    assert set(near_refs(asking(root), "zzzzzz")) == {"main", "side", "release-1.0"}


def test_outside_of_a_repository_there_is_nothing_to_ask(tmp_path):
    with pytest.raises(GitError) as caught:
        asking(tmp_path)
    assert caught.value.category == "unsupported"


def test_git_is_not_waited_for_beyond_the_time(root):
    with pytest.raises(GitError) as caught:
        compare(asking(root, 0.0), "main")
    assert caught.value.category == "timeout"
