"""Notice that files of a tree may have changed, and ask for a look at them: ``Watcher``.

It is a trigger, never the truth: whoever looks lists the files itself. A burst of events is one call. Where every
event is known to arrive, ``is_quiet`` says that nothing has changed since the last look; where that is not known,
or nothing can be watched, it never does.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.burst import Burst
from indexer.file_events import Events, identity, is_shared, open_events, worded
from indexer.folders import empty_folders, folders_of, git_files

if TYPE_CHECKING:
    from indexer.inotify import Names
    from indexer.tree import Walk

REST = 10  # times what listing the files takes, between two looks, so that constant changes cost little; and
REST_SECONDS = 5.0  # at most
DRAIN_SECONDS = 0.2  # that a look waits for events of what happened before it
REMEMBERED = 10_000  # paths; with more, all is looked at
_RULES = frozenset({".gitignore", ".codectxignore", "exclude"})

logger = logging.getLogger(__name__)


class Watcher:
    """Hold what is watched and what has happened.

    A look is: ``begin``, list the files, read what changed, ``follow`` the list, ``settle``.

    Args:
        root: of the tree.
        changed: called, in a thread of the watcher, when the files are to be looked at.
        environment: for git, see ``indexer.git.run_git``.

    Attributes:
        folders: how many are watched.
        trouble: why nothing is watched, or not everything is heard; empty if all is well.
    """

    def __init__(
        self, root: Path, changed: Callable[[], None], *, environment: Mapping[str, str] | None = None
    ) -> None:
        self.folders = 0
        self.trouble = ""
        self._root = os.path.realpath(root)
        self._changed, self._environment = changed, environment
        self._lock = threading.RLock()
        self._burst: Burst | None = None
        self._events: Events | None = None
        self._is_closed = self._is_trusted = False
        self._is_following = False
        self._count = 0  # of events, and
        self._settled = -1  # how many of them the last look has seen
        self._begun = 0.0
        self._named: dict[str, int] = {}  # files, by how many events there had been at the last one that names them
        self._unnamed = 0  # likewise, of the last one that names no single file
        self._paths: set[str] = set()  # that something happened to, since the last look began
        self._looked_at: set[str] = set()  # likewise, until it began
        self._ignored: set[str] = set()  # files in watched folders that belong to no walk, so their changes are none
        self._is_thorough = True  # folders without files are to be found anew
        self._listed: set[str] = set()  # folders with files, and
        self._empty: set[str] = set()  # others where they could appear
        self._git: frozenset[str] = frozenset()  # git's folders
        self._identity: tuple[int, int] | None = None  # of the root when it was last followed, and
        self._root_now: tuple[int, int] | None = None  # when it was last looked at

    @property
    def is_watching(self) -> bool:
        """Say whether changes are heard at all."""
        return self._events is not None

    @property
    def is_sure(self) -> bool:
        """Say whether all changes are heard, as far as is known."""
        return self._events is not None and self._events.is_complete and self._is_trusted

    @property
    def told(self) -> str:
        """Say in a few words whether changes are noticed, and why not."""
        if self._events is not None:
            return f"watching {self.folders} folders" + (f", {self.trouble}" if self.trouble else "")
        return f"not watching: {self.trouble}" if self.trouble else "not watching yet"

    def begin(self) -> int:
        """Begin a look, before the files are listed; gives what ``settle`` takes."""
        if self._events is not None:
            self._events.is_drained(DRAIN_SECONDS)  # else what comes late asks for another look
        with self._lock:
            self._begun = time.monotonic()
            self._looked_at |= self._paths
            self._paths = set()
            return self._count

    def listed(self) -> None:
        """Take that the files of a look have been listed, so that looks take no more than their share of time."""
        if self._burst is not None:
            self._burst.rest(min(REST_SECONDS, REST * (time.monotonic() - self._begun)))

    def follow(self, walked: Walk) -> None:
        """Watch the folders of a walk, and those where files could appear; others no more."""
        if self._is_closed or (self._events is None and not self._opened()):
            return
        with self._lock:
            self._is_following = True
            is_thorough, self._is_thorough = self._is_thorough, False
            looked_at, self._looked_at = self._looked_at, set()
        try:
            self._find_empty(walked, None if is_thorough else looked_at)
            self._find_ignored(walked, looked_at)
            if self._watch():  # something may have appeared in them before they were watched
                self._happened()
        except OSError as error:
            self._give_up(error)
        finally:
            self._is_following = False

    def settle(self, begun: int) -> None:
        """End a look: what was seen by it is what there is, but for what happened since it began."""
        with self._lock:
            self._settled = max(self._settled, begun)
            self._named = {path: count for path, count in self._named.items() if count > self._settled}

    def glance(self) -> int | None:
        """Begin a look that follows nothing; gives what ``glanced`` takes, None where events are not sure to come."""
        events = self._events
        if events is None or not self._is_trusted or not events.is_drained(DRAIN_SECONDS):
            return None
        return self._count

    def glanced(self, begun: int) -> None:
        """End such a look; it counts where no folder has appeared, which would have to be watched first."""
        with self._lock:
            is_new = self._is_thorough or any(path.endswith("/") for path in (*self._paths, *self._looked_at))
            if not is_new and not self._is_following:
                self.settle(begun)

    def glance_at_files(self) -> tuple[int, frozenset[str]] | None:
        """Begin such a look at single files, those that something happened to since the last look.

        Gives what ``glanced`` takes, and their paths; None where more may have changed than they.
        """
        begun = self.glance()
        if begun is None or self._identity is None or identity(self._root) != self._identity:
            return None
        with self._lock:
            if self._is_thorough or self._unnamed > self._settled:
                return None
            if any(path in self._listed or path in self._empty for path in self._named):
                return None  # the folder itself is meant
            return begun, frozenset(self._named)

    def distrust(self, reason: str) -> None:
        """Take that a change came without an event: be a trigger only, from now on."""
        if self._is_trusted:
            self._is_trusted = False
            self.trouble = reason
            logger.warning("%s: questions look at all files themselves", reason)

    def is_quiet(self, seconds: float) -> bool:
        """Say whether certainly nothing has changed since the last look; waits so long at most to be sure."""
        events = self._events
        if events is None or not self._is_trusted or self._settled != self._count:
            return False
        if not events.is_drained(seconds) or self._identity is None or identity(self._root) != self._identity:
            return False
        return self._settled == self._count

    def close(self) -> None:
        """Watch nothing more."""
        with self._lock:
            self._is_closed = True
            events, self._events = self._events, None
            burst, self._burst = self._burst, None
        if burst is not None:
            burst.close()
        if events is not None:
            events.close()

    def heard(self, path: str, *, is_dir: bool, is_new: bool) -> None:
        """Take an event; called by what hears them."""
        folder, _, name = path.rpartition(os.sep)
        relative = self._relative(path)
        with self._lock:
            if relative in self._ignored:
                if not is_new:
                    return
                self._ignored.discard(relative)
            if name in _RULES:
                self._is_thorough = True
            if name in _RULES or folder in self._git:
                self._ignored.clear()
            if len(self._paths) < REMEMBERED:
                self._paths.add(relative + "/" if is_dir and is_new else relative)
            else:
                self._is_thorough = True
            is_file = not is_dir and name not in _RULES and folder not in self._git
            self._happened(relative if is_file and len(self._named) < REMEMBERED else None)

    def lost(self) -> None:
        """Take that events were lost; called by what hears them."""
        logger.info("so much has happened that events were lost; all files are looked at")
        with self._lock:
            self._is_thorough = True
            self._ignored.clear()
            self._happened()

    def _happened(self, file: str | None = None) -> None:
        with self._lock:
            self._count += 1
            if file is None:
                self._unnamed = self._count
            else:
                self._named[file] = self._count
        if self._burst is not None:
            self._burst.happened()

    def _opened(self) -> bool:
        if self.trouble:  # it has been tried
            return False
        try:
            self._events = open_events(self._root, self)
        except OSError as error:
            self._give_up(error)
            return False
        self._is_trusted = not is_shared(self._root)
        if not self._is_trusted:
            self.trouble = "on a shared file system, where not all changes are told"
        self._root_now = identity(self._root)
        self._burst = Burst(self._changed, self._look_at_root)
        return True

    def _give_up(self, error: OSError) -> None:
        self.trouble = worded(error)
        logger.warning("changes of files are not watched, but looked for when asked: %s", self.trouble)
        self.folders = 0
        self.close()

    def _look_at_root(self) -> None:
        """Ask for a look when the root has come back, or another one has come in its place."""
        before, self._root_now = self._root_now, identity(self._root)
        if self._root_now is not None and self._root_now != before:
            with self._lock:
                self._is_thorough = True
                self._happened()

    def _watch(self) -> bool:
        git = git_files(self._root)
        self._git, self._identity = frozenset(git), identity(self._root)
        names: dict[str, Names] = {self._absolute(folder): None for folder in self._listed | self._empty}
        names |= git
        self.folders = len(names)
        return self._events is not None and self._events.watch(names)

    def _find_empty(self, walked: Walk, looked_at: set[str] | None) -> None:
        """Find the folders where files are, and those where they could appear."""
        self._listed = folders_of(walked)
        appeared = None if looked_at is None else {path[:-1] for path in looked_at if path.endswith("/")}
        self._empty = empty_folders(self._root, self._listed, self._empty, appeared, self._environment)

    def _find_ignored(self, walked: Walk, looked_at: set[str]) -> None:
        """Remember files that something happened to though no walk lists them: a log, a database."""
        if not looked_at and not self._ignored:
            return
        there = {file.path for file in walked.files} | {skipped.path for skipped in walked.skipped}
        new = {path for path in looked_at - there if os.path.isfile(self._absolute(path))}  # noqa: PTH113
        with self._lock:
            self._ignored -= there
            if not self._is_thorough and len(self._ignored) + len(new) <= REMEMBERED:
                self._ignored |= new - self._paths

    def _absolute(self, path: str) -> str:
        return f"{self._root}{os.sep}{path.replace('/', os.sep)}" if path else self._root

    def _relative(self, path: str) -> str:
        inside = path.startswith(self._root + os.sep)
        return path[len(self._root) + 1 :].replace(os.sep, "/") if inside else path
