"""Open, read and tidy up LanceDB tables: ``opened``, ``read``, ``tidied``. The only module that knows LanceDB.

A location is a folder, or a URI that LanceDB takes. Whatever goes wrong becomes one of two errors of ours, in one line
and without credentials; what the system has refused stays an ``OSError``.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.errors import IndexerError
from indexer.locations import is_remote, shown

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.table import Table

T = TypeVar("T")

KEPT = 0.02  # seconds, versions of a table on this machine; who reads an older one reads again
KEPT_REMOTE = 3600.0  # likewise elsewhere, where a read may take long and clocks differ
GROWTH = 1.25  # times its size after the last clean-up, from which a table is cleaned up; and
SLACK = 1.05  # times what it took before, that it is taken to need while fresh versions are left
COMMITS = 40  # versions, from which it is anyway: each is a few small files that a reader has to open
READS = 5  # tries to read a table that is cleaned up meanwhile
PAUSE = 0.05  # seconds between two
NOTE = "tidied.json"  # in a folder of tables: their sizes after the last clean-up
REMOTE_OPTIONS = {"client_max_retries": "2", "client_retry_timeout": "10", "connect_timeout": "5s", "timeout": "60s"}

_OF_SYSTEM = re.compile(r"\(os error (\d+)\)")  # how LanceDB tells of what the system has refused
_OF_SOURCE = re.compile(r",? ?[^\s,()]+\.rs:\d+:\d+")  # where in its own source, which helps nobody here
_NOT_BROKEN = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EFBIG, errno.EMFILE, errno.ENFILE}
)


class StoreCorruptError(IndexerError):
    """Report that the store cannot be read, though it is there."""

    category = "store_corrupt"

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(location, reason)
        self.location = location
        self.reason = reason

    def __str__(self) -> str:
        return f"the index in {shown(self.location)} cannot be used ({self.reason})"


class StoreUnreachableError(IndexerError):
    """Report that a store on another machine does not answer, or refuses: ``denied`` says that it is the latter."""

    category = "backend_down"

    def __init__(self, location: str, reason: str, *, denied: bool = False) -> None:
        super().__init__(location, reason, denied)
        self.location = location
        self.reason = reason
        self.denied = denied

    def __str__(self) -> str:
        return f"the store {shown(self.location)} {self.reason}"


def opened(location: str, name: str, create: pa.Schema | None = None) -> Any:
    """Give a table, made if a schema says of what; None if there is none.

    Raises:
        StoreCorruptError, StoreUnreachableError, OSError: see above; so raises all that follows.
    """
    if not is_remote(location):
        if create is not None:
            Path(location).mkdir(parents=True, exist_ok=True, mode=0o700)
        elif not Path(location).is_dir():
            return None  # to connect would make the folder
    with told(location):
        database = connected(location)
        if create is not None:
            return database.create_table(name, schema=create, exist_ok=True)
        if name not in _names(database):
            return None
        return database.open_table(name)


def read(location: str, name: str, ask: Callable[[Table], T]) -> T | None:
    """Give what ``ask`` reads from a table, None if there is none.

    The files of an older version may be cleaned up while they are read: then the newer one is read.
    """
    for left in reversed(range(2 if is_remote(location) else READS)):
        try:
            table = opened(location, name)
            if table is None:
                return None
            with told(location):
                return ask(table)
        except StoreCorruptError:
            if not left:
                raise
            time.sleep(PAUSE)
    raise AssertionError("the last try has returned or raised")


def names(location: str) -> list[str]:
    """Give the names of all tables."""
    if not is_remote(location) and not Path(location).is_dir():
        return []
    with told(location):
        return _names(connected(location))


def dropped(location: str, name: str) -> None:
    """Drop a table, readable or not."""
    with told(location):
        if is_remote(location):
            database = connected(location)
            if name in _names(database):
                database.drop_table(name)
            return
        from shutil import rmtree

        folder = Path(location, f"{name}.lance")
        if folder.exists():
            rmtree(folder)


def is_there(location: str, name: str) -> bool:
    """Say whether a table is there, without loading LanceDB; of a remote one it is not known, and taken for true."""
    if is_remote(location):
        return True
    versions = Path(location, f"{name}.lance", "_versions")
    return versions.is_dir() and any(versions.iterdir())


def is_grown(location: str, name: str) -> bool:
    """Say whether a table on this machine has grown so much by versions and small files that a clean-up is due."""
    folder = Path(location, f"{name}.lance")
    size = size_of(folder)
    if size > GROWTH * _noted(location).get(name, 0):
        return True
    with suppress(OSError):
        return sum(1 for _ in (folder / "_versions").iterdir()) > COMMITS
    return False


def tidied(location: str, name: str, *, alone: bool) -> None:
    """Join the small files of a table, and delete what only older versions need.

    Args:
        location: of the table.
        name: likewise.
        alone: whether nobody else writes to it now, so that files of no version are left-overs of writers that died.
    """
    from datetime import timedelta

    table = opened(location, name)
    if table is None:
        return
    remote = is_remote(location)
    with told(location):
        kept = timedelta(seconds=KEPT_REMOTE if remote else KEPT)
        table.optimize(cleanup_older_than=kept, delete_unverified=alone and not remote)
        if not remote:  # joining makes versions itself, the first of which still need what was joined
            time.sleep(KEPT)
            table.optimize(cleanup_older_than=kept, delete_unverified=alone)
    if not remote:
        _note_size(location, name)


def size_of(folder: Path) -> int:
    """Give the bytes of all files below a folder; what vanishes meanwhile does not count."""
    total = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    total += size_of(Path(entry.path))
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total


def connected(location: str) -> DBConnection:
    """Connect to a location; to a remote one with few tries, as somebody waits."""
    import lancedb  # which takes seconds

    options = dict(REMOTE_OPTIONS) if is_remote(location) and not location.startswith("db://") else None
    database: DBConnection = lancedb.connect(location, storage_options=options)
    return database


@contextmanager
def told(location: str) -> Iterator[None]:
    """Turn whatever LanceDB raises into one error of ours, but leave what the system has said as it is."""
    try:
        yield
    except IndexerError:
        raise
    except Exception as error:  # its Rust side raises RuntimeError, OSError, ValueError and more for one and the same
        text = str(error)
        if is_remote(location):
            from indexer.locations import why_unreachable

            why = why_unreachable(text)
            if why is not None:
                raise StoreUnreachableError(location, why.reason, denied=why.denied) from None  # it may tell a secret
        said = _OF_SYSTEM.search(text)
        number = int(said[1]) if said else getattr(error, "errno", None) or 0
        if number in _NOT_BROKEN:
            raise OSError(number, os.strerror(number), location) from error
        reason = _OF_SOURCE.sub("", text.strip().split("\n", 1)[0])
        if is_remote(location):
            raise StoreCorruptError(location, shown(reason)[:200]) from None
        raise StoreCorruptError(location, reason[:200] or type(error).__name__) from error


def _names(database: DBConnection) -> list[str]:
    found: list[str] = []
    token = None
    while True:
        page = database.list_tables(page_token=token, limit=1000)
        found += page.tables
        token = page.page_token
        if not token:
            return found


def _note_size(location: str, name: str) -> None:
    """Write down what a table takes after a clean-up; where fresh versions are left, hardly more than before."""
    folder = Path(location, f"{name}.lance")
    there = {path.stem for path in Path(location).glob("*.lance")}
    sizes = {each: size for each, size in _noted(location).items() if each in there}
    size = size_of(folder)
    if name in sizes and sum(1 for _ in (folder / "_versions").iterdir()) > 2:
        size = min(size, int(sizes[name] * SLACK))
    _written(Path(location, NOTE), json.dumps({**sizes, name: size}))


def _noted(location: str) -> dict[str, int]:
    try:
        sizes = json.loads(Path(location, NOTE).read_bytes())
        return {str(name): int(size) for name, size in sizes.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _written(path: Path, text: str) -> None:
    """Write a small file whole; what it says can be found again."""
    with suppress(OSError):
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        new.replace(path)
