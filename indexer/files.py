"""Open a project's file so that nothing blocks, has effects, or lies outside the roots: ``open_file``.

The file is opened first and then judged by what was opened, so it cannot be exchanged in between. What the
bytes mean is ``indexer.text``'s business.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from indexer.errors import IndexerError, NotRegularFileError, UnreadableFileError

# Flags that some systems lack. A FIFO opened with O_NONBLOCK does not wait for a writer.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY", "O_NOINHERIT"):
    _FLAGS |= getattr(os, _name, 0)

_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "FIFO"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


class MissingFileError(UnreadableFileError):
    """Report that a file does not exist, or no longer."""

    category = "not_found"

    def __str__(self) -> str:
        return f"{self.path} does not exist"


class OutsideRootError(IndexerError):
    """Report that an opened file turned out to lie outside the roots."""

    category = "outside_root"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} is outside the project"


def open_file(absolute: Path, path: str, *, roots: Sequence[Path] = ()) -> BinaryIO:
    """Open a regular file for reading.

    Args:
        absolute: where it is.
        path: its name in errors.
        roots: real paths of folders; if given, the opened file must lie in one of them.

    Raises:
        MissingFileError: there is no such file.
        NotRegularFileError: it is a folder, FIFO, device or socket; none of these is read from.
        UnreadableFileError: the system refuses.
        OutsideRootError: it lies outside the roots.
    """
    try:
        # Opening a device can already have effects, so what is seen to be none of ours is not opened at all.
        check_kind(absolute.stat().st_mode, path)
        descriptor = os.open(absolute, _FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        check_kind(os.fstat(descriptor).st_mode, path)
        if roots:
            _check_inside(descriptor, path, roots)
    except BaseException:
        os.close(descriptor)
        raise
    return open(descriptor, "rb")  # noqa: PTH123 - the caller closes it


def read_bytes(absolute: Path, path: str, limit_bytes: int | None = None, *, roots: Sequence[Path] = ()) -> bytes:
    """Read a whole regular file.

    Raises:
        UnreadableFileError: also where it has more than ``limit_bytes``.
        NotRegularFileError, OutsideRootError: see ``open_file``.
    """
    with open_file(absolute, path, roots=roots) as file:
        try:
            data = file.read() if limit_bytes is None else file.read(limit_bytes + 1)
        except OSError as error:
            raise unreadable(path, error) from error
    if limit_bytes is not None and len(data) > limit_bytes:
        raise UnreadableFileError(path, f"it has more than {limit_bytes} bytes")
    return data


def check_kind(mode: int, path: str) -> None:
    """Raise NotRegularFileError for the mode of anything but a regular file."""
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "special file")
        raise NotRegularFileError(path, kind)


def unreadable(path: str, error: Exception) -> UnreadableFileError:
    """Make the error for what the system said about a path."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return MissingFileError(path, "no such file")
    if isinstance(error, OSError):
        if error.errno == errno.ELOOP:
            return UnreadableFileError(path, "its links lead in a circle")
        return UnreadableFileError(path, os.strerror(error.errno) if error.errno else str(error))
    return UnreadableFileError(path, str(error))


def _check_inside(descriptor: int, path: str, roots: Sequence[Path]) -> None:
    opened = _opened_path(descriptor)
    if opened is not None and not any(opened.is_relative_to(root) for root in roots):
        raise OutsideRootError(path)


def _opened_path(descriptor: int) -> Path | None:
    """Give the real path of an open file where the system tells it."""
    if sys.platform == "darwin":
        import fcntl

        found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")
        return Path(os.fsdecode(found))
    try:
        opened = Path(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115 - no Path needed before
    except OSError:
        return None
    return opened if opened.is_absolute() else None
