"""Find the root of the project that is meant, without asking: ``find_root``.

The home folder, what lies above it, and ``/`` are no projects: they hold everything that the user owns.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from codectx.errors import UserError
from indexer.errors import IndexerError
from indexer.files import open_file

PROJECT_FILE = "codectx.toml"
VARIABLE = "CLAUDE_PROJECT_DIR"  # set by Claude Code for the servers it starts

_CHOOSE = "start in a project, or give --root DIR"
_PLACEHOLDER = re.compile(r"\$\{\w+\}")  # left in by a client that does not know the variable
_OWN_TABLE = re.compile(rb"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*codectx[ \t]*[.\]]", re.MULTILINE)
_MAX_FILE = 256_000  # bytes of a pyproject.toml


def find_root(argument: str | None, environment: Mapping[str, str], cwd: Path) -> Path:
    """Give the real path of the project's root.

    Args:
        argument: the root as the user gave it.
        environment: looked at for ``CLAUDE_PROJECT_DIR`` where there is no argument, and for the home folder.
        cwd: else the nearest folder from here upwards with ``.git`` or a codectx configuration, else this one.

    Raises:
        UserError: not_found where there is no such folder, invalid_argument for a file, unsupported for the home
            folder, a folder above it, or ``/``.
    """
    homes = _homes(environment)
    if argument is not None and not _PLACEHOLDER.search(argument):
        return _checked(argument, cwd, homes, "give an existing folder")
    named = environment.get(VARIABLE, "")
    if named and not _PLACEHOLDER.search(named):
        return _checked(named, cwd, homes, f"correct {VARIABLE}, or give --root DIR")
    start = Path(os.path.realpath(cwd))
    marked = (folder for folder in (start, *start.parents) if not _is_refused(folder, homes) and _is_marked(folder))
    return _checked(str(next(marked, start)), cwd, homes, _CHOOSE)


def spellings(root: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Give the paths by which the user may name a root: its real one, and those through the links he came by."""
    found = {root: None}
    for name in ("PWD", VARIABLE):
        value = Path(environment.get(name, ""))
        if value.is_absolute() and ".." not in value.parts:
            found |= {folder: None for folder in (value, *value.parents) if os.path.realpath(folder) == str(root)}
    return tuple(found)


def _checked(given: str, cwd: Path, homes: tuple[Path, ...], remedy: str) -> Path:
    if "\0" in given:
        raise UserError("invalid_argument", "the root holds a NUL character", remedy)
    root = Path(os.path.realpath(cwd / Path(given).expanduser()))
    try:
        is_folder = stat.S_ISDIR(root.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError("not_found", f"there is no folder {given}", remedy) from None
    except OSError as error:
        raise UserError("unreadable", f"the root {given} cannot be looked at: {error.strerror}", remedy) from None
    if not is_folder:
        raise UserError("invalid_argument", f"{given} is a file, not a folder", remedy)
    if _is_refused(root, homes):
        whole = "the whole file system" if root == root.parent else "the home folder, or what holds it,"
        raise UserError("unsupported", f"{whole} is no project: {root}", _CHOOSE)
    return root


def _homes(environment: Mapping[str, str]) -> tuple[Path, ...]:
    named = {environment.get("HOME", ""), environment.get("USERPROFILE", ""), str(Path("~").expanduser())}
    return tuple(Path(os.path.realpath(home)) for home in named if Path(home).is_absolute())


def _is_refused(folder: Path, homes: tuple[Path, ...]) -> bool:
    return folder == folder.parent or any(home.is_relative_to(folder) for home in homes)


def _is_marked(folder: Path) -> bool:
    """Tell whether a folder is the top of a project by what lies in it."""
    try:
        if (folder / ".git").exists() or (folder / PROJECT_FILE).is_file():
            return True
        with open_file(folder / "pyproject.toml", "pyproject.toml", roots=(folder,)) as file:
            return _OWN_TABLE.search(file.read(_MAX_FILE)) is not None
    except (OSError, IndexerError):
        return False
