"""Build the index in the background and keep it fresh: ``Keeper``, the server's thread.

It loads what there is, brings the store in step with the files, then fills in vectors, at low priority and only while
no call is running; then it waits for files to change, or for another process to write the index. Calls never wait
for it.
"""

from __future__ import annotations

import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codectx.errors import UserError
from indexer.errors import IndexerError

if TYPE_CHECKING:
    from codectx.index import ProjectIndex
    from codectx.project import Project
    from indexer.live import State
    from indexer.manifest import Manifest
    from indexer.search import Index
    from indexer.watch import Watcher

IDLE_SECONDS = 1.0  # without a call, after which vectors are made
LOCK_SECONDS = 30.0  # to wait for another process that writes the same store
RETRY_SECONDS = 60.0  # after a run that failed
STORE_SECONDS = 0.5  # between two looks at whether another process has written the index
CHECK_SECONDS = 60.0  # after which a call is followed by a look at the files, though nothing was heard of a change
POLITE_SECONDS = 1.0  # that a look at the files waits at most for calls to end, as each would slow the other
TIDY_SECONDS = 400.0  # after a change of the index, when a last look lets it be tidied up
LOW_PRIORITY = 10  # added to the niceness of the thread, where the system has that for threads

logger = logging.getLogger(__name__)


class Keeper:
    """Hold the thread and what it is doing.

    Args:
        project: gives the project as it is now.
    """

    def __init__(self, project: Callable[[], Project]) -> None:
        self._project = project
        self._wanted = threading.Event()
        self._embedded = -1  # version of the tables whose chunks all have vectors, as far as they can have them
        self._fetched: object = None  # state of the note on the last look at a shared store, when its vectors were read
        self._calls = 0
        self._last_call = 0.0
        self._looked = 0.0  # when the last look at the files ended
        self._begun = -1  # how many events there had been when it began
        self._tables: object = None  # state of the manifest, and
        self._vectors: object = None  # of the note on vectors, then
        self._is_anothers = False  # whether the index was written by another process since
        self._has_changed = False  # whether the last look at the files changed the index
        self._lock = threading.Lock()
        self.ready = threading.Event()  # there is an index in memory, or the first try to have one is over
        self.doing = ""  # for status: what it is doing, empty while it waits
        self.step = (0, 0)  # how many of how many files it has read

    @cached_property
    def watcher(self) -> Watcher:
        """Give what hears of changes; it does once there is an index."""
        from indexer.watch import Watcher

        return Watcher(self._project().root, self.wake, environment=os.environ)

    @property
    def watching(self) -> str:
        """Say in a few words whether changes of files are noticed, for status."""
        return self.watcher.told

    def start(self) -> None:
        """Begin to work; called once."""
        threading.Thread(target=self._run, name="keeper", daemon=True).start()

    def wake(self) -> None:
        """Ask for a look at the files."""
        self._wanted.set()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Keep background work small while a call runs."""
        with self._lock:
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                self._last_call = time.monotonic()
            if self._looked and self._last_call - self._looked > CHECK_SECONDS and self.watcher.is_watching:
                self.wake()

    def _run(self) -> None:
        while True:
            self._wanted.clear()
            try:
                self._take_vectors()
                self._wait_for_calls()
                self._sync()
                later = TIDY_SECONDS if self._has_changed else None
                pause = later if self._filled_apart() else RETRY_SECONDS
            except (IndexerError, UserError) as error:
                logger.warning("the index is not up to date: %s", error)
                pause = RETRY_SECONDS
            except Exception:
                logger.exception("the index could not be kept up to date")
                pause = RETRY_SECONDS
            self.doing = ""
            self.ready.set()
            self._looked = time.monotonic()
            self._tables, self._vectors = self._written()
            self._rest(pause)
            if pause is not None:
                time.sleep(IDLE_SECONDS)  # questions ask again and again

    def _rest(self, pause: float | None) -> None:
        """Wait until the files are to be looked at, or another process has written the index or vectors."""
        end = math.inf if pause is None else time.monotonic() + pause
        while not self._wanted.wait(STORE_SECONDS):
            tables, vectors = self._written()
            if tables != self._tables:
                self._tables, self._is_anothers = tables, self._is_other_version()
            if self._is_anothers or vectors != self._vectors or time.monotonic() >= end:
                return

    def _is_other_version(self) -> bool:
        """Say whether the index on disk is another one: that it was confirmed alone calls for nothing.

        One that was deleted and built again may have come to the same number of commits.
        """
        from indexer.sync import current

        index = self._project().index
        manifest, state = current(index.place), index.live.state
        if manifest is None or state is None:
            return manifest is not None
        return manifest.version != state.manifest.version or _digests(manifest) != _digests(state.manifest)

    def _written(self) -> tuple[object, object]:
        """Give what tells that somebody has written the index, and that somebody has made vectors."""
        from codectx.embedding import TOLD

        try:
            place = self._project().index.place
        except UserError:  # told by whoever needs it
            return None, None
        return _state_of(place.manifest), _state_of(place.folder / TOLD)

    def _take_vectors(self) -> None:
        """Take the vectors that another process has made."""
        if self._looked and self._written()[1] != self._vectors:
            self._project().index.embedding.load()

    def _wait_for_calls(self) -> None:
        """Let calls that are running end first, as soon as they need no first index."""
        end = time.monotonic() + POLITE_SECONDS
        while self._calls and self._project().index.live.state is not None and time.monotonic() < end:
            time.sleep(0.02)

    def _sync(self) -> None:
        project = self._project()
        index, watcher = project.index, self.watcher
        self.doing = "looking for changes"
        if index.live.load() is not None:
            self.ready.set()
        is_ours = not self._is_anothers and self._written()[0] == self._tables
        self._is_anothers = False
        begun = watcher.begin()
        walked = index.walk()
        watcher.listed()

        def progress(done: int, total: int) -> None:
            self.doing, self.step = f"reading files, {done} of {total}", (done, total)

        report = index.sync(walked, wait_seconds=LOCK_SECONDS, progress=progress)
        self._has_changed = bool(report.reindexed or report.removed)
        index.live.load()
        state = index.live.refresh(lambda: walked)
        self.ready.set()
        watcher.follow(walked)
        if is_ours and begun == self._begun == watcher.glance() and (report.reindexed or report.removed):
            watcher.distrust("files have changed here without the system telling")
        if state is not None and not state.behind:
            watcher.settle(begun)
            self._begun = begun
        if state is not None:
            _warm_up(state.index)

    def _filled_apart(self) -> bool:
        """Make vectors in a thread of their own, as no thread gets its priority back."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1, "vectors", _lower_priority) as apart:
            return apart.submit(self._fill).result()

    def _fill(self) -> bool:
        """Make vectors, until there are all or a question has seen files change; False if something prevents it."""
        index = self._project().index
        embedding = index.embedding
        state = index.live.state
        if state is None or self._is_filled(index, state) or embedding.choice().embedder.name == "none":
            return True
        self.doing = "making vectors"
        if embedding.vectors is None and not index.place.store.is_remote:
            embedding.load()

        def progress(done: int, total: int) -> None:
            self.doing = f"making vectors, {done} of {total}"

        filled = embedding.fill(len(state.manifest.files), go_on=self._go_on, progress=progress)
        if filled.embedded:
            embedding.load()
        if filled.error is not None:
            logger.info("vectors are made later: %s", filled.error)
            return False
        if filled.files_not_embedded == len(filled.failed):
            self._embedded = state.manifest.version
        return True

    def _is_filled(self, index: ProjectIndex, state: State) -> bool:
        """Say whether there is nothing to be done for vectors: those of a shared index come after it, by and by."""
        from codectx.embedding import TOLD
        from indexer.shared import LOOKED

        if not (index.place.folder / TOLD).exists():  # deleted with the index, whose versions count from 1 again
            self._embedded = -1
        if state.manifest.version == self._embedded:
            return True
        if not index.place.store.is_remote or index.place.store.publishes:
            return False
        before, self._fetched = self._fetched, _state_of(index.place.folder / LOOKED)
        return self._fetched == before

    def _go_on(self) -> bool:
        """Wait while calls are running; False when the files are to be looked at first."""
        while self._calls or time.monotonic() - self._last_call < IDLE_SECONDS:
            time.sleep(0.05)
        return not self._wanted.is_set()


def _warm_up(index: Index) -> None:
    """Do what the first question would have to wait for: an index counts its terms when it is first searched."""
    from codectx.tokens import encoding
    from indexer.search import search

    search(index, "how is this done", 1)
    encoding()


def _digests(manifest: Manifest) -> dict[str, str]:
    return {path: seen.digest for path, seen in manifest.files.items()}


def _state_of(path: Path) -> object:
    """Give what another file of this name would not have; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _lower_priority() -> None:
    """Let everything else on the machine go first; only Linux has a priority for a thread."""
    if sys.platform != "linux":
        return
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
    except OSError as error:
        logger.debug("the priority of background work stays as it is: %s", error)
