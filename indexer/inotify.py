"""Hear what happens in folders on Linux: ``Inotify``, one inotify instance with a watch for each folder.

It is watchdog's reader, asked for single folders: its own trees would watch ignored ones and pass over those that the
system refuses. That all events were told is known by one of our own that came after them.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from watchdog.observers.inotify_c import InotifyEvent, InotifyFD, Mask, WatchDescriptor

Names = Collection[str] | None  # of entries of a folder that are heard; None for all

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Be told of events, in a thread that is not to be held up."""

    def heard(self, path: str, *, is_dir: bool, is_new: bool) -> None:
        """Take that something happened to a path (absolute)."""

    def lost(self) -> None:
        """Take that events were lost: anything may have changed."""


class Inotify:
    """Hear folders on Linux."""

    is_complete = True

    def __init__(self, listener: Listener) -> None:
        from watchdog.observers.inotify_c import InotifyConstants as On
        from watchdog.observers.inotify_c import InotifyFD

        logging.getLogger("watchdog").setLevel(logging.ERROR)  # of lost events the listener is told
        self.listener = listener
        self._lock = threading.Lock()
        self._draining = threading.Lock()
        self._is_closed = False
        self._folders: dict[str, _Folder] = {}
        changes = On.IN_MODIFY | On.IN_ATTRIB | On.IN_CLOSE_WRITE | On.IN_CREATE | On.IN_DELETE | On.IN_MOVE
        self._mask = changes | On.IN_DELETE_SELF | On.IN_MOVE_SELF | On.IN_ONLYDIR | On.IN_DONT_FOLLOW
        self._mask |= On.IN_EXCL_UNLINK
        self._fd: InotifyFD = InotifyFD()
        self._fd.start()
        try:
            self._barrier = _Barrier(self._fd, listener)
        except OSError:
            self._fd.stop()
            raise

    def watch(self, folders: Mapping[str, Names]) -> bool:
        """See ``file_events.Events``."""
        with self._lock:
            left = [self._folders.pop(path) for path in [*self._folders] if path not in folders]
            new = [path for path in folders if path not in self._folders]
        self._unwatch(left)
        is_new = False
        for path in new:
            folder = _Folder(self, path, folders[path])
            with self._lock:
                self._folders[path] = folder
            try:
                folder.wd = _added(self._fd, path, self._mask, folder)
                is_new = True
            except (FileNotFoundError, NotADirectoryError, PermissionError):  # its own folder's events tell
                self._forget(folder)
        return is_new

    def is_drained(self, seconds: float) -> bool:
        """See ``file_events.Events``: events keep their order, so one of our own that has come is the last of all."""
        with self._draining:
            if self._is_closed:
                return False
            try:
                if self._barrier.is_passed(seconds):
                    return True
                old = self._barrier  # what it would tell later is not to be taken for an answer
                self._barrier = _Barrier(self._fd, self.listener)
                old.close()
            except OSError as error:
                logger.info("whether all events were told is not known: %s", error)
            return False

    def close(self) -> None:
        """See ``file_events.Events``."""
        with self._draining:
            self._is_closed = True
            self._barrier.close()
        with self._lock:
            self._folders.clear()
        self._fd.stop()

    def gone(self, path: str) -> None:
        """Forget a folder that was moved, with those below it: their watches have gone with them."""
        below = path + os.sep
        with self._lock:
            paths = [each for each in self._folders if each == path or each.startswith(below)]
            left = [self._folders.pop(each) for each in paths]
        self._unwatch(left)

    def deleted(self, folder: _Folder) -> None:
        """Forget a folder that is deleted, and tell: there may be another one of its name by now."""
        if self._forget(folder):
            self.listener.heard(folder.path, is_dir=True, is_new=True)

    def _forget(self, folder: _Folder) -> bool:
        with self._lock:
            if self._folders.get(folder.path) is folder:
                del self._folders[folder.path]
                return True
            return False

    def _unwatch(self, folders: Collection[_Folder]) -> None:
        from watchdog.observers.inotify_c import CallbackId

        with suppress(OSError):
            self._fd.remove_callbacks([(folder.wd, CallbackId(id(folder))) for folder in folders if folder.wd >= 0])


class _Folder:
    """Take the events of one folder."""

    __slots__ = ("_events", "_names", "path", "wd")

    def __init__(self, events: Inotify, path: str, names: Names) -> None:
        self._events, self.path, self._names = events, path, names
        self.wd: WatchDescriptor = -1  # type: ignore[assignment]

    def on_event(self, event: InotifyEvent) -> None:
        if event.is_move_self:
            self._events.gone(self.path)
        name = os.fsdecode(event.name)
        if self._names is not None and name and name not in self._names:
            return
        path = f"{self.path}{os.sep}{name}" if name else self.path
        if name and event.is_directory and event.is_moved_from:
            self._events.gone(path)
        is_new = event.is_create or event.is_moved_to
        self._events.listener.heard(path, is_dir=event.is_directory, is_new=is_new)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002 - so watchdog calls it
        self._events.deleted(self)

    def on_queue_overflow(self) -> None:
        pass  # the barrier tells, once


class _Barrier:
    """Be something of our own that an event can be made of at will: a file in memory, whose mode changes."""

    def __init__(self, fd: InotifyFD, listener: Listener) -> None:
        from watchdog.observers.inotify_c import InotifyConstants

        if sys.platform != "linux":
            raise OSError("there are no files in memory")
        self._listener = listener
        self._passed = threading.Event()
        self._mode = 0o600
        self._fd = fd
        self._file = os.memfd_create("codectx")
        self._wd = _added(fd, f"/proc/self/fd/{self._file}", InotifyConstants.IN_ATTRIB, self)

    def is_passed(self, seconds: float) -> bool:
        self._passed.clear()
        self._mode ^= 0o100
        os.chmod(self._file, self._mode)  # noqa: PTH101 - an open file
        return self._passed.wait(seconds)

    def close(self) -> None:
        from watchdog.observers.inotify_c import CallbackId

        with suppress(OSError):
            self._fd.remove_callbacks([(self._wd, CallbackId(id(self)))])
            os.close(self._file)

    def on_event(self, event: InotifyEvent) -> None:  # noqa: ARG002 - so watchdog calls it
        self._passed.set()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        pass

    def on_queue_overflow(self) -> None:
        self._listener.lost()


def _added(fd: InotifyFD, path: str, mask: int, callback: _Folder | _Barrier) -> WatchDescriptor:
    from watchdog.observers.inotify_c import CallbackId

    wanted: Mask = mask  # type: ignore[assignment]
    wd = fd.add_callback(os.fsencode(path), wanted, callback, CallbackId(id(callback)))
    if wd < 0:
        raise PermissionError(path)  # watchdog passes over it
    return wd
