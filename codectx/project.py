"""Be the one way from an agent's words to a project's files: ``Project``.

Every path of a call comes through here. Nothing outside the roots is read, listed or said to exist; files that are
made to hold secrets are not opened unless the user allows it. What is in a file is not looked at.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from codectx.address import Address, parse
from codectx.errors import UserError, invalid_argument
from codectx.index import ProjectIndex
from codectx.ledger import Ledger
from codectx.roots import find_root, spellings
from indexer.errors import IndexerError, NotRegularFileError
from indexer.secrets import is_secret_path

if TYPE_CHECKING:
    from codectx.config import Config
    from indexer.text import SourceText, TextFile
    from indexer.walk import FolderEntry, Skipped, Walk, WalkedFile

    _Entry = TypeVar("_Entry", WalkedFile, Skipped)

__all__ = ["SECRET", "Located", "Project", "as_user_error", "find_root"]

SECRET = "secret file; [secrets] allow in codectx.toml opens it"  # noqa: S105 - what is said of such files

MAX_PATH = 4096  # characters; what no system takes is no path
MAX_NAME = 255  # bytes of one component, as on Linux, macOS and Windows alike
MAX_COMPARED = 5000  # entries of a folder that a mistaken name is compared with
NEAR_SECONDS = 2.0  # for git to find files of the same name elsewhere


@dataclass(frozen=True, slots=True)
class Located:
    """Hold an existing path inside a root.

    Attributes:
        path: as agents name it: POSIX, relative to the project's root ("." for itself); absolute in another root.
        absolute: its real path, all links resolved.
    """

    path: str
    absolute: Path


class Project:
    """Hold one project: where its files are, how it is configured, what was delivered of it.

    Args:
        root: real path of its top folder.
        config: its configuration.
        extra_roots: real paths of further folders that may be read, as the client offers them.
        ledger: to go on with; a new one if left out.
        index: likewise.
    """

    def __init__(
        self,
        root: Path,
        config: Config,
        extra_roots: Sequence[Path] = (),
        ledger: Ledger | None = None,
        index: ProjectIndex | None = None,
    ) -> None:
        self.root = root
        self.config = config
        self.roots = (root, *extra_roots)
        self.ledger = ledger or Ledger()
        self.index = index or ProjectIndex(root, config, self.walk)
        self._spelled = tuple(path for folder in self.roots for path in spellings(folder, os.environ))

    def address(self, text: str) -> Address:
        """Read an address; a text that is the name of an existing file is that file, whatever it looks like."""
        try:
            exists = os.path.lexists(self._locate(text).absolute)
        except UserError:
            exists = False
        return Address(text) if exists else parse(text)

    def resolve(self, path: str) -> Located:
        """Find a file or folder.

        Args:
            path: relative to the root, or absolute inside one; backslashes are taken for slashes where no file
                has that very name.

        Raises:
            UserError: outside_root, said whether or not anything is there; not_found with near names;
                invalid_argument for what is no path.
        """
        found = self._locate(path)
        if not os.path.lexists(found.absolute):
            if "\\" in path:
                return self.resolve(path.replace("\\", "/"))
            raise self._missing(found)
        return found

    def file(self, path: str) -> Located:
        """Find a regular file that may be read.

        Raises:
            UserError: as for ``resolve``; not_regular_file; unreadable for a file made to hold secrets.
        """
        from indexer.files import check_kind

        found = self.resolve(path)
        try:
            check_kind(_mode(found), found.path)
        except NotRegularFileError as error:
            raise as_user_error(error) from None
        # Of a link, both its own name and its target's may be that of a secret file.
        named = Path(os.path.normpath(self.root / path.replace("\\", "/")))
        if self.is_secret(found.path) or self.is_secret(self._shown(named)):
            raise UserError("unreadable", f"{found.path} is not shown: it looks like a secret file", _allow(found.path))
        return found

    def folder(self, path: str) -> Located:
        """Find a folder.

        Raises:
            UserError: as for ``resolve``; invalid_argument for a file.
        """
        found = self.resolve(path)
        if not stat.S_ISDIR(_mode(found)):
            raise invalid_argument(f"{found.path} is a file, not a folder", f'read_file("{found.path}")')
        return found

    def is_secret(self, path: str) -> bool:
        """Tell whether a path names a file made to hold secrets that the user has not allowed."""
        if not is_secret_path(path):
            return False
        if not self.config.secrets_allow:
            return True
        from indexer.globs import compile_globs

        allowed = compile_globs(",".join(self.config.secrets_allow))
        return allowed.otherwise or not allowed.take(path)  # "otherwise" holds where nothing but exceptions is listed

    def read(self, located: Located) -> SourceText:
        """Read a whole file as text.

        Raises:
            IndexerError: binary, unreadable, not_found, not_regular_file, outside_root.
        """
        from indexer.text import read_text

        return read_text(located.absolute, located.path, roots=self.roots)

    def open_text(self, located: Located) -> TextFile:
        """Open a file for reading windows of its text; raises as ``read`` does."""
        from indexer.text import TextFile

        return TextFile(located.absolute, located.path, roots=self.roots)

    def walk(self, under: str = ".") -> Walk:
        """List the files below a path; those made to hold secrets are among the skipped, with ``SECRET``."""
        from indexer.walk import Skipped, Walk, walk

        root, relative = self._split(under)
        walked = walk(root, relative, environment=os.environ)
        files = tuple(self._named(walked.files, root))
        secret = {file.path for file in files if is_secret_path(file.path) and self.is_secret(file.path)}
        skipped = [*self._named(walked.skipped, root), *(Skipped(path, "unreadable", SECRET) for path in secret)]
        left = tuple(file for file in files if file.path not in secret) if secret else files
        return Walk(left, tuple(sorted(skipped, key=lambda entry: entry.path)))

    def list_folder(self, located: Located) -> tuple[FolderEntry, ...]:
        """List one folder's entries, without those that are ignored.

        Raises:
            IndexerError: unreadable, not_found, not_regular_file.
        """
        from indexer.walk import list_folder

        root, relative = self._split(located.path)
        return list_folder(root, relative, environment=os.environ)

    def count_unusable(self, located: Located) -> int:
        """Count a folder's entries whose names cannot be shown; raises as ``list_folder`` does."""
        from indexer.walk import count_unusable

        root, relative = self._split(located.path)
        return count_unusable(root, relative, environment=os.environ)

    def _locate(self, path: str) -> Located:
        """Find where a path leads; that it is inside a root is checked before anything is said of it."""
        shown = path if len(path) <= 200 else f"{path[:200]}..."
        parts = re.split(r"[/\\]", path) if os.name == "nt" else path.split("/")
        if "\0" in path:
            raise invalid_argument("the path holds a NUL character", "leave it out")
        try:
            too_long = len(path) > MAX_PATH or any(len(part.encode()) > MAX_NAME for part in parts)
        except UnicodeEncodeError:
            raise invalid_argument("the path holds half of a surrogate pair", "write the whole character") from None
        if too_long:
            raise invalid_argument(f"{shown} is too long for a path", "give a path in the project")
        absolute = Path(os.path.realpath(self.root / path))
        # As written, too: else a way that leads out and back in would tell of the links out there.
        written = Path(os.path.normpath(self.root / path))
        if any(absolute.is_relative_to(root) for root in self.roots) and any(
            written.is_relative_to(spelled) for spelled in self._spelled
        ):
            return Located(self._shown(absolute), absolute)
        raise UserError("outside_root", f"{shown} is outside the project", _INSIDE)

    def _shown(self, absolute: Path) -> str:
        inside = absolute.is_relative_to(self.root)
        return absolute.relative_to(self.root).as_posix() if inside else absolute.as_posix()

    def _split(self, path: str) -> tuple[Path, str]:
        """Give the root that a path lies in, and the path from there."""
        absolute = self.root / path
        root = next(root for root in self.roots if absolute.is_relative_to(root))
        return root, absolute.relative_to(root).as_posix()

    def _named(self, entries: Sequence[_Entry], root: Path) -> Sequence[_Entry]:
        if root == self.root:
            return entries
        return [entry._replace(path=(root / entry.path).as_posix()) for entry in entries]

    def _missing(self, found: Located) -> UserError:
        """Say that nothing is there, with the nearest names in the nearest folder and the same name elsewhere."""
        folder, wanted = found.absolute.parent, found.absolute.name
        while folder not in self.roots and not folder.is_dir():
            folder, wanted = folder.parent, folder.name
        near = [self._shown(folder / name) for name in _near_names(folder, wanted)]
        near += [path for path in self._same_name(found.absolute.name) if path not in near][: 4 - len(near)]
        where = self._shown(folder)
        remedy = f"near: {', '.join(near)}" if near else f'list_directory("{where}") shows what is there'
        return UserError("not_found", f"there is no {found.path}", remedy)

    def _same_name(self, name: str) -> list[str]:
        """Give files of that name anywhere in the project, if git can tell quickly."""
        from indexer.errors import GitError
        from indexer.git import git_root, run_git

        if git_root(self.root) is None:
            return []
        pattern = ":(icase,glob)**/" + re.sub(r"([*?[\\])", r"\\\1", name)
        args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", pattern]
        try:
            out = run_git(self.root, args, timeout=NEAR_SECONDS, environment=os.environ, pathspec_magic=True)
        except GitError:
            return []  # it was only to help
        return sorted(part.decode("utf-8", "replace") for part in out.split(b"\0") if part)


_INSIDE = "give a path inside the project's root"
_REMEDIES = {
    "binary": "it is not text, leave it out",
    "not_regular_file": "only regular files are read",
    "not_found": "it may have been moved or deleted just now",
    "unreadable": "check its permissions",
    "outside_root": _INSIDE,
    "bad_ref": "give a branch, a tag, a commit or A..B",
    "timeout": "ask for less, or again",
    "store_locked": "try again when it is done",
    "store_corrupt": "`codectx index --full` builds it anew",
}


def as_user_error(error: IndexerError) -> UserError:
    """Word what the indexer met for an agent, with what to do instead."""
    remedy = _REMEDIES.get(error.category, "")
    if isinstance(error, NotRegularFileError) and error.what == "folder":
        remedy = f'list_directory("{error.path}")'
    return UserError(error.category, str(error), remedy)


def _allow(path: str) -> str:
    return f'the user can allow it: [secrets] allow = ["{path}"] in codectx.toml'


def _mode(found: Located) -> int:
    from indexer.files import unreadable

    try:
        return found.absolute.stat().st_mode
    except OSError as error:
        raise as_user_error(unreadable(found.path, error)) from None


def _near_names(folder: Path, wanted: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for _, entry in zip(range(MAX_COMPARED), entries, strict=False)]
    except OSError:
        return []
    lowered = {name.lower(): name for name in names if name.isprintable()}
    from difflib import get_close_matches

    return [lowered[name] for name in get_close_matches(wanted.lower(), lowered, 3, 0.6)]
