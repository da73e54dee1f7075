"""Hear that something happened in folders: ``open_events`` gives the system's way to do so, through watchdog.

Only the folders that are named are heard, never what lies below them. Events say that something may have changed
and never what a file holds. On Linux one inotify instance with a watch for each folder; elsewhere the system watches
the whole tree, and what happens in other folders is dropped.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from indexer.inotify import Inotify, Listener, Names

# File systems that others can write to without this machine hearing of it.
_SHARED = {"9p", "afs", "ceph", "cifs", "coda", "drvfs", "fuse", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4"}
_SHARED |= {"ocfs2", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"}


class Events(Protocol):
    """Be one way to hear of events.

    Attributes:
        is_complete: whether ``is_drained`` can tell.
    """

    is_complete: bool

    def watch(self, folders: Mapping[str, Names]) -> bool:
        """Hear these folders (absolute paths) and no others; True if one of them was not heard before.

        Raises:
            OSError: the system gives no more watches.
        """

    def is_drained(self, seconds: float) -> bool:
        """Say whether the listener has been told all that happened before; False if that is not known in time."""

    def close(self) -> None:
        """Hear nothing more."""


def open_events(root: str, listener: Listener) -> Events:
    """Begin to hear what happens in folders of a tree; none at first.

    Raises:
        OSError: the system refuses, or has no such thing.
    """
    try:
        from watchdog.utils import UnsupportedLibcError
    except ImportError as error:
        raise OSError("watchdog is not installed") from error
    try:
        return Inotify(listener) if sys.platform == "linux" else Recursive(root, listener)
    except UnsupportedLibcError as error:
        raise OSError("the C library of this system has no inotify") from error


def worded(error: OSError) -> str:
    """Say why there are no events, and what the user can do."""
    if error.errno == errno.ENOSPC:
        return "the system gives no more watches (raise fs.inotify.max_user_watches)"
    if error.errno == errno.EMFILE:
        return "the system gives no more of them (raise fs.inotify.max_user_instances or the limit of open files)"
    return error.strerror or str(error)


def identity(path: str) -> tuple[int, int] | None:
    """Give what tells a folder from another one of its name; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_shared(path: str) -> bool:
    """Say whether a folder is on a file system that other machines write to, as far as the system tells."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return False
    deepest, kind = "", ""
    for line in lines:
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) > 4 and right:
            mount = fields[4].replace("\\040", " ")
            if len(mount) >= len(deepest) and (path == mount or path.startswith(mount.rstrip("/") + "/")):
                deepest, kind = mount, right.split(" ")[0]
    return kind.partition(".")[0] in _SHARED


class Recursive:
    """Hear a tree where the system does it by itself; whether all was told is never known."""

    is_complete = False

    def __init__(self, root: str, listener: Listener) -> None:
        from watchdog.events import FileClosedNoWriteEvent, FileOpenedEvent, FileSystemEvent, FileSystemEventHandler
        from watchdog.observers import Observer
        from watchdog.observers.polling import PollingObserver

        events = self

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if not isinstance(event, FileOpenedEvent | FileClosedNoWriteEvent):
                    events.take(event)

        self._listener = listener
        self._folders: Mapping[str, Names] = {}
        self._observer: Any = Observer()
        if isinstance(self._observer, PollingObserver):
            raise OSError("the system tells of no changes")
        self._observer.schedule(Handler(), root, recursive=True)
        self._observer.start()

    def watch(self, folders: Mapping[str, Names]) -> bool:
        """See ``Events``."""
        old, self._folders = self._folders, dict(folders)
        return not folders.keys() <= old.keys()

    def is_drained(self, seconds: float) -> bool:  # noqa: ARG002 - see there
        """See ``Events``."""
        return False

    def close(self) -> None:
        """See ``Events``."""
        self._observer.stop()

    def take(self, event: Any) -> None:
        """Tell of an event in a folder that is watched."""
        for path, is_new in ((event.src_path, event.event_type == "created"), (event.dest_path, True)):
            if not path:
                continue
            folder, name = os.path.split(os.fsdecode(path))
            names = self._folders.get(folder, ())
            if names is None or name in names:
                self._listener.heard(os.fsdecode(path), is_dir=event.is_directory, is_new=is_new)
