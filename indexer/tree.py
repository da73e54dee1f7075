"""Hold what a walk finds: files, and what was left out with its reason.

``Gathering`` collects entries for one ``Walk``; the types are what callers of ``indexer.walk`` see. What is
ignored never gets here.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

# Names that cannot be shown on a line of text, or not be written as UTF-8 at all.
_UNUSABLE = re.compile("[\x01-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_JUNCTION = 0xA0000003  # Windows: IO_REPARSE_TAG_MOUNT_POINT


class WalkedFile(NamedTuple):  # a tuple, as every look makes one for every file
    """Hold a regular file.

    Attributes:
        path: relative to the root.
        size: in bytes.
        mtime_ns: when its content was last changed, as the file says.
        ctime_ns: when the system last changed anything of it, which no program can set back (Windows: its creation).
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0


class Skipped(NamedTuple):
    r"""Hold a path that was left out though nobody ignored it.

    Attributes:
        path: relative to the root; what cannot be shown is written as ``\xff``.
        reason: the error category that reading it would have (``unreadable``, ``not_regular_file``).
        detail: why, in words.
    """

    path: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Walk:
    """Hold the files of a tree, and what was left out, each sorted by path."""

    files: tuple[WalkedFile, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """Hold one entry of a folder.

    Attributes:
        name: without the folder.
        is_dir: whether it is a folder itself (False for a link to one).
        is_link: whether it is a symbolic link, or a junction on Windows.
        outside: whether it is a link that leads out of the root.
        size: bytes of a regular file, else 0.
    """

    name: str
    is_dir: bool
    is_link: bool
    outside: bool
    size: int


class Gathering:
    """Collect the entries of a tree whose root has the real path ``root``."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._files: list[WalkedFile] = []
        self._skipped: dict[str, Skipped] = {}

    def take(self, path: str, info: os.stat_result) -> None:
        """Add what is no folder, by what it is; links count for what is wrong with them only."""
        if stat.S_ISREG(info.st_mode):
            self._files.append(WalkedFile(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns))
        elif is_link(info):
            if leads_outside(self.root, path):
                self.skip(path, "outside_root", "link to outside the project")
        elif not stat.S_ISDIR(info.st_mode):
            kind = "FIFO" if stat.S_ISFIFO(info.st_mode) else "socket" if stat.S_ISSOCK(info.st_mode) else "device"
            self.skip(path, "not_regular_file", kind)

    def skip(self, path: str, reason: str, detail: str) -> None:
        """Say that a path is left out; the first reason counts."""
        self._skipped.setdefault(path, Skipped(path, reason, detail))

    def skip_unusable(self, path: str) -> None:
        """Leave out a path whose name is not usable."""
        not_utf8 = re.search("[\ud800-\udfff]", path)
        shown = _UNUSABLE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", path)
        self.skip(shown, "unsupported", "its name is not UTF-8" if not_utf8 else "its name has control characters")

    def walk(self) -> Walk:
        """Give what was gathered."""
        by_path = sorted(self._files, key=lambda file: file.path)
        return Walk(tuple(by_path), tuple(self._skipped[path] for path in sorted(self._skipped)))


def look_at(root: Path, path: str) -> WalkedFile | None:
    """Give one file as it is now; None where there is no regular file of this name."""
    try:
        info = os.lstat(root / path)
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode):
        return None
    return WalkedFile(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def is_usable(names: str) -> bool:
    """Say whether a name (or many, joined by NULs) can be shown and written as UTF-8."""
    return _UNUSABLE.search(names) is None


def is_link(info: os.stat_result) -> bool:
    """Say whether an entry, as ``lstat`` sees it, is a link of any kind."""
    return stat.S_ISLNK(info.st_mode) or getattr(info, "st_reparse_tag", 0) == _JUNCTION


def leads_outside(root: str, path: str) -> bool:
    """Say whether a link ends outside the root; whether anything is there is not looked at."""
    target = os.path.realpath(Path(root, path))
    try:
        return os.path.commonpath([root, target]) != root
    except ValueError:  # another drive
        return True
