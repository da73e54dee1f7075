"""Let one process at a time write to an index: ``locked``.

The lock is the system's, on a file that stays: it ends with the process that holds it, however that dies. Who
holds it stands in the file, for messages only.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from indexer.errors import IndexerError

_PAUSE = 0.05  # seconds between two tries


class StoreLockedError(IndexerError):
    """Report that another process writes to the index."""

    category = "store_locked"

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder

    def __str__(self) -> str:
        return f"another run is writing the index{f' (process {self.holder})' if self.holder else ''}"


@contextmanager
def locked(path: Path, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock in a block.

    Raises:
        StoreLockedError: another process, or another block of this one, still holds it after the wait.
        OSError: the file cannot be made.
    """
    file = _held(path, time.monotonic() + wait_seconds)
    try:
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        yield
    finally:
        _leave(file)
        file.close()


def _held(path: Path, deadline: float) -> BinaryIO:
    """Open the file and take its lock."""
    while True:
        file = open(path, "a+b")  # noqa: PTH123, SIM115 - it stays open while the lock is held
        try:
            while not _take(file):
                if time.monotonic() >= deadline:
                    file.seek(0)
                    raise StoreLockedError(file.read(20).decode("ascii", "replace").strip())
                time.sleep(_PAUSE)
            if _is_there(file, path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()  # its name has gone to another file since it was opened, and with it what the lock stands for


def _is_there(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))  # noqa: PTH116
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # the lock is beyond the file's end, so that its content can be read by others

    def _take(file: BinaryIO) -> bool:
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _leave(file: BinaryIO) -> None:
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _leave(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
