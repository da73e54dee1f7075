"""Tell whether a folder's ``.git`` is its own: ``is_own``, and whether all its objects are: ``has_own_objects``.

A ``.git`` that is a file or a link, its ``commondir``, links inside of it and borrowed objects could show the content
of a repository that lies elsewhere. Worktrees and submodules lie elsewhere, too, but their repository knows them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from indexer.errors import IndexerError
from indexer.files import read_bytes

_MAX_FILE = 100_000  # bytes of such a file that are looked at
_MAX_DEPTH = 5  # of repositories that borrow from each other, as in git
_WORKTREE = re.compile(r"""^[ \t]*worktree[ \t]*=[ \t]*("?)(.*?)\1[ \t]*\r?$""", re.IGNORECASE | re.MULTILINE)


def is_own(top: Path) -> bool:
    """Tell whether the repository that ``top/.git`` stands for is that of ``top``."""
    try:
        found = _folders(top)
        if found is None:
            return False
        git, common = found
        inside = (Path(os.path.realpath(top)), git, common)
        return all(_stays(folder, inside) for folder in {git, common})
    except (OSError, ValueError):
        return False


def has_own_objects(top: Path) -> bool:
    """Tell whether the objects of a repository that ``is_own`` lie in it or in ``top``."""
    try:
        found = _folders(top)
        if found is None:
            return False
        inside = (Path(os.path.realpath(top)), *found)
        return _keeps(found[1] / "objects", inside, _MAX_DEPTH)
    except (OSError, ValueError):
        return False


def common_folder(top: Path) -> Path | None:
    """Give the real path of the git folder that all worktrees of a repository share; None where it is not their own."""
    found = git_folders(top)
    return found[1] if found is not None else None


def git_folders(top: Path) -> tuple[Path, Path] | None:
    """Give the real paths of the git folder and of what worktrees share; None where they are not its own."""
    try:
        return _folders(top)
    except (OSError, ValueError):
        return None


def _folders(top: Path) -> tuple[Path, Path] | None:
    """Give the real paths of the git folder and of what worktrees share; None where they are not those of ``top``."""
    top = Path(os.path.realpath(top))
    named = top / ".git"
    git = Path(os.path.realpath(named))
    if git.is_file():
        line = _text(git)
        if not line.startswith("gitdir: "):
            return None
        git = Path(os.path.realpath(git.parent / line.removeprefix("gitdir: ").rstrip("\r\n")))
    common = git
    if os.path.lexists(git / "commondir"):
        common = Path(os.path.realpath(git / _text(git / "commondir").rstrip("\r\n")))
    if git.is_relative_to(top):
        return (git, common) if common.is_relative_to(top) else None
    if _is_worktree(git, common, named) or (common == git and _is_submodule(git, top)):
        return git, common
    return None


def _is_worktree(git: Path, common: Path, named: Path) -> bool:
    if git.parent != common / "worktrees":
        return False
    back = git / _text(git / "gitdir").rstrip("\r\n")
    return Path(os.path.realpath(back.parent)) / back.name == named


def _is_submodule(git: Path, top: Path) -> bool:
    if "modules" not in git.parts:
        return False
    for above in top.parents:
        if os.path.lexists(above / ".git"):
            if git == Path(os.path.realpath(above / ".git")) / "modules" / top.relative_to(above):
                return True
            break
    named = _WORKTREE.findall(_text(git / "config"))
    return bool(named) and Path(os.path.realpath(git / named[-1][1])) == top


def _stays(folder: Path, inside: tuple[Path, ...]) -> bool:
    """Tell whether no link directly in a folder leads away."""
    with os.scandir(folder) as entries:
        return all(not entry.is_symlink() or _is_inside(Path(entry.path), inside) for entry in entries)


def _keeps(objects: Path, inside: tuple[Path, ...], depth: int) -> bool:
    if depth == 0 or not _is_inside(objects, inside):
        return False
    if not all(_stays(folder, inside) for folder in (objects, objects / "pack", objects / "info") if folder.is_dir()):
        return False
    return all(_keeps(other, inside, depth - 1) for other in _borrowed(objects))


def _borrowed(objects: Path) -> Iterator[Path]:
    file = objects / "info" / "alternates"
    if not os.path.lexists(file):
        return
    for line in _text(file).split("\n"):
        if line.startswith('"'):
            raise ValueError("quoted paths are not read")  # git writes none
        if line and not line.startswith("#"):
            yield objects / line


def _is_inside(path: Path, inside: tuple[Path, ...]) -> bool:
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(folder) for folder in inside)


def _text(path: Path) -> str:
    try:
        return os.fsdecode(read_bytes(path, path.name, _MAX_FILE))
    except IndexerError as error:
        raise ValueError(str(error)) from error
