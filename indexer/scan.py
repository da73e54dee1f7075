"""List a tree's files without git: ``scan`` reads folder after folder and applies the ignore files itself.

Ignored folders are never entered, links never followed. ``OwnRules`` are the ones of ``.codectxignore``, which
count beside git's, too.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from indexer.errors import IndexerError
from indexer.files import MissingFileError, read_bytes, unreadable
from indexer.ignore import GIT_FILE, OWN_FILE, IgnoreRules, default_rules
from indexer.tree import Gathering, is_link, is_usable

# A folder with one of these was made by a tool and can be made again: virtual environments, caches, build trees.
_MADE = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})


class OwnRules:
    """Answer for any path whether ``.codectxignore`` files hide it; what cannot be read is told to the gathering."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._folders: dict[str, IgnoreRules | None] = {}  # None for ignored ones

    def ignores(self, path: str, *, is_dir: bool = False) -> bool:
        """Say whether a path, or a folder that it lies in, is hidden."""
        folder = path.rpartition("/")[0]
        rules = self._folders[folder] if folder in self._folders else self._of(folder)  # asked for every file
        return rules is None or (bool(rules.layers) and rules.ignores(path, is_dir=is_dir))

    def _of(self, folder: str) -> IgnoreRules | None:
        if folder not in self._folders:
            hidden = folder != "" and self.ignores(folder, is_dir=True)
            above = IgnoreRules() if folder == "" else self._of(folder.rpartition("/")[0])
            self._folders[folder] = (
                None if hidden or above is None else _added(above, self._gathering, folder, OWN_FILE)
            )
        return self._folders[folder]


def scan(gathering: Gathering, under: str, own: OwnRules) -> None:
    """Gather the files below the folder ``under`` (``""``: the root)."""
    waiting = [(under, rules_above(gathering, under))]
    while waiting:
        folder, rules = waiting.pop()
        try:
            with os.scandir(Path(gathering.root, folder)) as found:
                entries = {entry.name: entry for entry in found}
        except OSError as error:
            gathering.skip(folder or ".", "unreadable", unreadable(folder, error).reason)
            continue
        if folder != under and (_MADE & entries.keys() or (".git" in entries and _is_copy(gathering.root, folder))):
            continue
        rules = rules_in(gathering, folder, rules)
        for name in sorted(entries, reverse=True):
            if name.lower() == ".git":
                continue
            path = f"{folder}/{name}" if folder else name
            if not is_usable(name):
                gathering.skip_unusable(path)
                continue
            is_dir = _is_folder(entries[name])
            if rules.ignores(path, is_dir=is_dir) or own.ignores(path, is_dir=is_dir):
                continue
            if is_dir:
                waiting.append((path, rules))
            else:
                _take(gathering, path, entries[name])


def rules_above(gathering: Gathering, under: str) -> IgnoreRules:
    """Give the rules that the folders above ``under`` set; none if they ignore it, as it was asked for itself."""
    rules = default_rules()
    folder = ""
    for part in PurePosixPath(under).parts:
        rules = _added(rules, gathering, folder, GIT_FILE)
        folder = f"{folder}/{part}" if folder else part
        if rules.ignores(folder, is_dir=True):
            return default_rules()
    return rules


def rules_in(gathering: Gathering, folder: str, rules: IgnoreRules) -> IgnoreRules:
    """Add the rules that a folder sets itself."""
    rules = _added(rules, gathering, folder, ".git/info/exclude")
    return _added(rules, gathering, folder, GIT_FILE)


def _added(rules: IgnoreRules, gathering: Gathering, folder: str, name: str) -> IgnoreRules:
    path = f"{folder}/{name}" if folder else name
    absolute = Path(gathering.root, path)
    if not os.path.lexists(absolute):
        return rules
    try:
        return rules.with_file(folder, absolute, path)
    except IndexerError as error:
        gathering.skip(path, error.category, str(error))
        return rules


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        # On Windows a junction, which may lead anywhere, passes for a folder.
        return entry.is_dir(follow_symlinks=False) and not (
            os.name == "nt" and is_link(entry.stat(follow_symlinks=False))
        )
    except OSError:
        return False  # what is wrong with it is told when it is taken


def _take(gathering: Gathering, path: str, entry: os.DirEntry[str]) -> None:
    try:
        gathering.take(path, entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        pass  # deleted since the folder was read
    except OSError as error:
        gathering.skip(path, "unreadable", unreadable(path, error).reason)


def _is_copy(root: str, folder: str) -> bool:
    """Say whether a folder is a worktree of a repository that lies in the same tree, so all its files are copies."""
    path = Path(root, folder, ".git")
    try:
        text = read_bytes(path, f"{folder}/.git", 4096).decode("utf-8", "replace")
    except (MissingFileError, IndexerError):
        return False
    _, _, target = text.partition("gitdir:")
    parts = Path(path.parent, target.strip())
    main = parts.parent.parent  # .git/worktrees/NAME
    return parts.parent.name == "worktrees" and main.name == ".git" and main.resolve().is_relative_to(root)
