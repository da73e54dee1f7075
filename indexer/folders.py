"""Tell in which folders of a project a file could appear: ``folders_of`` a walk, and those that hold no file yet.

Ignored folders are not among them, nor is anything below them; they are never entered.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from indexer.errors import GitError, IndexerError
from indexer.git import git_root
from indexer.gitdir import git_folders
from indexer.scan import OwnRules
from indexer.tree import Gathering, is_link
from indexer.walk import Walk, git_ignored, list_folder

GIT_SECONDS = 20.0  # for git to say what it ignores

logger = logging.getLogger(__name__)


def folders_of(walked: Walk) -> set[str]:
    """Give the folders of a walk's files and all above them, relative to the root (``""``: the root)."""
    folders = {""}
    for file in walked.files:
        folder = file.path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def folders_below(
    root: str, under: Iterable[str], known: Collection[str], environment: Mapping[str, str] | None = None
) -> set[str]:
    """Give the folders below some that are neither known, nor ignored, nor repositories of their own.

    Args:
        root: real path of the tree.
        under: folders to look in, relative to it.
        known: folders that are not asked about.
        environment: for git, see ``indexer.git.run_git``.
    """
    found: set[str] = set()
    own = OwnRules(Gathering(root))
    level = sorted(under)
    while level:
        inside = [path for folder in level for path in _inside(root, folder) if path not in known and path not in found]
        level = [path for path in _not_ignored(root, inside, environment) if not own.ignores(path, is_dir=True)]
        found.update(level)
    return found


def empty_folders(
    root: str,
    listed: set[str],
    before: set[str],
    appeared: set[str] | None,
    environment: Mapping[str, str] | None = None,
) -> set[str]:
    """Give the folders that hold no listed file, but could.

    Args:
        root: real path of the tree.
        listed: folders of its files.
        before: what this gave when it was last asked.
        appeared: folders that have appeared since; None to look everywhere.
        environment: for git, see ``indexer.git.run_git``.
    """
    if appeared is None:
        return folders_below(root, listed, listed, environment)
    kept = {path for path in before if path not in listed and os.path.isdir(f"{root}/{path}")}  # noqa: PTH112 - raises nothing
    known = listed | kept
    # A new folder with a file in it may have others with none.
    under = {path if path in listed else path.rpartition("/")[0] for path in appeared}
    return kept | folders_below(root, under & known, known, environment)


def git_files(root: str) -> dict[str, Collection[str]]:
    """Give the files of git that decide which files there are, by folder (absolute paths)."""
    top = git_root(Path(root))
    found = git_folders(top) if top is not None else None
    if found is None:
        return {}
    git, common = found
    own, shared = ("HEAD", "index", "config.worktree"), ("config",)
    told = {str(git): own + shared} if git == common else {str(git): own, str(common): shared}
    return {**told, str(common / "info"): ("exclude",)}


def _inside(root: str, folder: str) -> list[str]:
    try:
        with os.scandir(Path(root, folder)) as entries:
            names = [
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
                and entry.name.lower() != ".git"
                and not is_link(entry.stat(follow_symlinks=False))
            ]
    except OSError:  # gone, or closed to us: nothing of it is listed either
        return []
    return [f"{folder}/{name}" if folder else name for name in names]


def _not_ignored(root: str, paths: list[str], environment: Mapping[str, str] | None) -> list[str]:
    paths = [path for path in paths if not os.path.lexists(Path(root, path, ".git"))]
    if not paths:
        return []
    if git_root(Path(root)) is not None:
        try:
            ignored = git_ignored(Path(root), paths, environment, seconds=GIT_SECONDS)
        except GitError as error:
            logger.info("git does not say what it ignores, so each folder is looked at: %s", error)
        else:
            return [path for path in paths if path not in ignored]
    listed: dict[str, set[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder not in listed:
            try:
                listed[folder] = {entry.name for entry in list_folder(Path(root), folder) if entry.is_dir}
            except IndexerError:
                listed[folder] = set()
    return [path for path in paths if path.rpartition("/")[2] in listed[path.rpartition("/")[0]]]
