"""Find indexes in the cache folder that nobody needs any more, and delete them: ``leftovers``, ``cleared``.

Needed is an index whose root is there, and the vectors that one of these may use. Nothing outside the cache folder is
looked at or deleted, links are never followed, and what another process is writing is left alone.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codectx.errors import UserError
from codectx.stores import cache_folder, vectors_folder
from indexer.locations import is_remote
from indexer.lock import locked
from indexer.tables import size_of

# Held while an index, its vectors, or shared ones are written, and by those in the background that work and wait.
LOCKS = ("lock", "vectors.lock", "lock.vectors", "background.lock", "background-next.lock")
_OURS = re.compile(r".+-[0-9a-f]{16}")  # a folder's name, see codectx.stores
_ENTRY = re.compile(  # likewise, of what is in it
    r"(?:manifest|vectors|background|tidied|swept)\.json.*|rows\.arrow.*|looked|users|.+\.(?:lance|used|lock)"
)
_NO_ROOT = "root not there"


@dataclass(frozen=True, slots=True)
class Leftover:
    """Hold one thing that could be deleted.

    Attributes:
        folder: what would be deleted, a folder below the cache folder.
        kind: ``index``, ``vectors``, or ``table`` for one that an older version of codectx has left.
        root: of the project, empty where it is not known.
        why: why nobody needs it, in words.
        size: bytes.
        remote: where tables lie that are not deleted with it; empty for none.
        users: of vectors, the folders of indexes that have to be deleted first.
    """

    folder: Path
    kind: str
    root: str
    why: str
    size: int
    remote: str = ""
    users: frozenset[Path] = frozenset()


def leftovers() -> list[Leftover]:
    """Give what could be deleted, by name."""
    found: list[Leftover] = []
    needed: set[str] = set()  # folders of vectors
    for folder in _folders("stores"):
        root, remote = told_by(folder)
        if root and Path(root).is_dir():
            needed.add(vectors_folder(Path(root)).name)
            found += _old_tables(folder, root)
        elif _is_all_ours(folder):
            why = _NO_ROOT if root else "no manifest tells whose it is"
            found.append(Leftover(folder, "index", root, why, size_of(folder), remote))
    from indexer.vector_tables import VectorTables

    gone = [each for each in found if each.kind == "index"]
    for folder in _folders("vectors"):
        if folder.name in needed or not _is_all_ours(folder):
            continue
        # An index that has begun to make them has not noted that it uses them.
        users = {each.folder for each in gone if each.root and vectors_folder(Path(each.root)).name == folder.name}
        users |= set(map(Path, VectorTables(str(folder)).users()))
        if users <= {each.folder for each in gone}:
            size = size_of(folder)
            found.append(Leftover(folder, "vectors", "", "no index uses them", size, users=frozenset(users)))
    return found


def told_by(folder: Path) -> tuple[str, str]:
    """Give the root that an index's folder is for, empty if it does not tell, and where its tables are if remote."""
    import json

    try:
        data = json.loads((folder / "manifest.json").read_bytes())
        root, location = str(data["root"]), str(data["tables"]).partition(" in ")[2]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "", ""
    return root, location if is_remote(location) else ""


def cleared(leftover: Leftover) -> None:
    """Delete it, unless it is being written to.

    Raises:
        StoreLockedError: another process writes to it.
        OSError: it cannot be deleted.
        ValueError: it is not a folder of ours in the cache folder.
    """
    top = leftover.folder.parent if leftover.kind == "table" else leftover.folder
    if top.is_symlink() or leftover.folder.is_symlink() or top.parent.parent != cache_folder():
        raise ValueError(f"{leftover.folder} is no folder of codectx")
    if leftover.kind == "table":
        with locked(top / LOCKS[0]):
            shutil.rmtree(leftover.folder)
        return
    delete_store(leftover.folder)


def delete_store(folder: Path) -> None:
    """Delete a folder with an index or vectors; raises as ``cleared`` does."""
    from contextlib import ExitStack

    with ExitStack() as held:
        for name in LOCKS:
            held.enter_context(locked(folder / name))
        for path in folder.iterdir():
            if path.name in LOCKS:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        if sys.platform != "win32":  # while they are ours: a lock that another has taken may not lose its file
            _delete_locks(folder)
    if sys.platform == "win32":  # where no file goes that is open, be it here or with another who has taken it
        with suppress(PermissionError):
            _delete_locks(folder)
    with suppress(OSError):  # somebody has begun a new one
        folder.rmdir()


def _delete_locks(folder: Path) -> None:
    for name in LOCKS:
        (folder / name).unlink(missing_ok=True)


def _folders(name: str) -> Iterator[Path]:
    top = cache_folder() / name
    if top.is_symlink() or not top.is_dir():
        return
    try:
        inside = sorted(top.iterdir())
    except OSError as error:
        raise UserError("unreadable", f"{top}: {error.strerror or error}", "check the permissions there") from error
    for folder in inside:
        if folder.is_dir() and not folder.is_symlink() and _OURS.fullmatch(folder.name):
            yield folder


def _is_all_ours(folder: Path) -> bool:
    """Say whether nothing is in a folder that others have put there."""
    return all(path.name in LOCKS or _ENTRY.fullmatch(path.name) for path in folder.iterdir())


def _old_tables(folder: Path, root: str) -> Iterator[Leftover]:
    from indexer.store import is_older

    for table in sorted(folder.glob("files_*.lance")):
        if is_older(table.stem) and table.is_dir() and not table.is_symlink():
            yield Leftover(table, "table", root, "an older version of codectx made it", size_of(table))
