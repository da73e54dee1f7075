"""List the files that belong to a project: ``walk`` for a whole tree, ``list_folder`` for one folder.

In a git repository git says which files there are (tracked, and untracked but not ignored); elsewhere, or where
git fails, the tree is scanned. ``.codectxignore`` counts in both. Symbolic links are not followed: a target inside
the root is listed itself. Repositories inside of a repository are projects of their own and left out, and told.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from indexer.errors import GitError, NotRegularFileError
from indexer.files import unreadable
from indexer.git import GitOutput, git_output, git_root
from indexer.scan import OwnRules, rules_above, rules_in, scan
from indexer.tree import FolderEntry, Gathering, Skipped, Walk, WalkedFile, is_link, is_usable, leads_outside

__all__ = ["FolderEntry", "Skipped", "Walk", "WalkedFile", "count_unusable", "list_folder", "walk"]

GIT_SECONDS = 60.0  # for git to list a tree; beyond it the tree is scanned

_COULD_NOT_OPEN = re.compile(r"^warning: could not open directory '(.*)/': (.*)$", re.MULTILINE)

logger = logging.getLogger(__name__)


def walk(root: Path, under: str = "", *, environment: Mapping[str, str] | None = None) -> Walk:
    """List the files of a tree, sorted by path.

    A folder that is ignored is walked if ``under`` names it, or one in it: whoever asks for it wants it.
    What ``.codectxignore`` hides stays hidden.

    Args:
        root: the project's root.
        under: path of a folder or file, relative to the root, to list only what lies there.
        environment: for git, see ``indexer.git.run_git``.

    Raises:
        UnreadableFileError: there is no such root or ``under``, or it cannot be looked at.
    """
    under = _relative(under)
    gathering = Gathering(os.path.realpath(root))
    own = OwnRules(gathering)
    start = Path(gathering.root, under)
    try:
        info = start.lstat()
    except OSError as error:
        raise unreadable(under or ".", error) from error
    if under and own.ignores(under, is_dir=stat.S_ISDIR(info.st_mode)):
        return gathering.walk()
    if not stat.S_ISDIR(info.st_mode):
        gathering.take(under, info)
        return gathering.walk()
    listed = _listed_by_git(start, environment)
    if listed is None:
        scan(gathering, under, own)
    else:
        _take_listed(gathering, under, own, listed)
    return gathering.walk()


def list_folder(root: Path, path: str = "", *, environment: Mapping[str, str] | None = None) -> tuple[FolderEntry, ...]:
    """List one folder's entries by name, without those that are ignored, and without looking below it.

    Entries whose names cannot be shown are left out; ``count_unusable`` counts them.

    Raises:
        NotRegularFileError: it is no folder.
        UnreadableFileError: it does not exist, or cannot be read.
    """
    return _entries(root, path, environment, usable=True)


def count_unusable(root: Path, path: str = "", *, environment: Mapping[str, str] | None = None) -> int:
    """Count the entries that ``list_folder`` leaves out for their names; raises as it does."""
    return len(_entries(root, path, environment, usable=False))


def _entries(root: Path, path: str, environment: Mapping[str, str] | None, *, usable: bool) -> tuple[FolderEntry, ...]:
    path = _relative(path)
    gathering = Gathering(os.path.realpath(root))
    own = OwnRules(gathering)
    folder = Path(gathering.root, path)
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise NotRegularFileError(path, "file, not a folder")
        with os.scandir(folder) as found:
            names = sorted(
                entry.name for entry in found if entry.name.lower() != ".git" and is_usable(entry.name) == usable
            )
    except OSError as error:
        raise unreadable(path or ".", error) from error
    if not names:
        return ()
    prefix = f"{path}/" if path else ""
    entries = []
    ignored = _ignored_by_git(folder, names, environment)
    rules = rules_in(gathering, path, rules_above(gathering, path)) if ignored is None else None
    for name in names:
        entry = _entry(gathering.root, prefix + name)
        if entry is None or own.ignores(prefix + name, is_dir=entry.is_dir):
            continue
        if rules.ignores(prefix + name, is_dir=entry.is_dir) if rules else name in (ignored or ()):
            continue
        entries.append(entry)
    return tuple(entries)


def _relative(path: str) -> str:
    parts = PurePosixPath(path).parts
    if ".." in parts or PurePosixPath(path).is_absolute():
        raise ValueError(f"not a path inside the root: {path!r}")
    return "/".join(parts)


def _listed_by_git(start: Path, environment: Mapping[str, str] | None) -> GitOutput | None:
    """Let git list the files below a folder; None where it is in no repository, ignored, or git fails."""
    top = git_root(start)
    if top is None:
        return None
    try:
        if top != start and _is_ignored(top, start, environment):
            return None
        args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        return git_output(start, args, timeout=GIT_SECONDS, environment=environment)
    except GitError as error:
        logger.info("git does not list %s, so it is scanned: %s", start, error)
        return None


def _is_ignored(top: Path, start: Path, environment: Mapping[str, str] | None) -> bool:
    args = ["check-ignore", "--quiet", "--", f"./{start.relative_to(top).as_posix()}"]
    # check-ignore knows no literal paths, but "./" leaves no room for magic.
    done = git_output(top, args, timeout=GIT_SECONDS, environment=environment, pathspec_magic=True, codes=(0, 1))
    return done.code == 0


def _ignored_by_git(folder: Path, names: list[str], environment: Mapping[str, str] | None) -> set[str] | None:
    """Give those of a folder's entries that git ignores; None where git cannot tell."""
    top = git_root(folder)
    if top is None:
        return None
    try:
        if top != folder and _is_ignored(top, folder, environment):
            return None
        return git_ignored(folder, names, environment)
    except GitError as error:
        logger.info("git does not say what it ignores in %s: %s", folder, error)
        return None


def git_ignored(
    folder: Path, names: Sequence[str], environment: Mapping[str, str] | None, *, seconds: float = GIT_SECONDS
) -> set[str]:
    """Give those of some paths below a folder that git ignores.

    Raises:
        GitError: git cannot tell.
    """
    done = git_output(
        folder,
        ["check-ignore", "-z", "--stdin"],
        timeout=seconds,
        environment=environment,
        pathspec_magic=True,
        codes=(0, 1),
        stdin=b"".join(b"./" + os.fsencode(name) + b"\0" for name in names),
    )
    return {os.fsdecode(name).removeprefix("./") for name in done.out.split(b"\0") if name}


def _take_listed(gathering: Gathering, under: str, own: OwnRules, listed: GitOutput) -> None:
    text = listed.out.decode("utf-8", "surrogateescape")
    all_usable = is_usable(text)
    prefix = f"{under}/" if under else ""
    base = f"{gathering.root}{os.sep}"
    for name in dict.fromkeys(text.split("\0")):  # a file in conflict is listed more than once
        path = prefix + name
        if not name or own.ignores(path.rstrip("/"), is_dir=name.endswith("/")):
            continue
        if not all_usable and not is_usable(name):
            gathering.skip_unusable(path)
            continue
        try:
            info = os.lstat(base + path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # deleted, but still in git's index
        except OSError as error:
            gathering.skip(path.rpartition("/")[0] or path, "unreadable", unreadable(path, error).reason)
            continue
        if not stat.S_ISDIR(info.st_mode):
            gathering.take(path, info)
        elif os.path.lexists(f"{base}{path}/.git"):
            gathering.skip(path.rstrip("/"), "unsupported", "a repository of its own")
    _take_warnings(gathering, under, own, listed.warnings)


def _take_warnings(gathering: Gathering, under: str, own: OwnRules, warnings: str) -> None:
    top = git_root(Path(gathering.root, under))
    for name, reason in _COULD_NOT_OPEN.findall(warnings) if top else ():
        folder = Path(top or "", name)
        if folder.is_relative_to(gathering.root):
            path = folder.relative_to(gathering.root).as_posix()
            if not own.ignores(path, is_dir=True):
                gathering.skip(path, "unreadable", reason)


def _entry(root: str, path: str) -> FolderEntry | None:
    name = path.rpartition("/")[2]
    try:
        info = Path(root, path).lstat()
    except OSError:  # deleted since; or its folder can be read but not entered
        return None
    if is_link(info):
        return FolderEntry(name, is_dir=False, is_link=True, outside=leads_outside(root, path), size=0)
    is_dir = stat.S_ISDIR(info.st_mode)
    return FolderEntry(
        name, is_dir, is_link=False, outside=False, size=info.st_size if stat.S_ISREG(info.st_mode) else 0
    )
