"""Build the index in the background and keep it fresh: ``Keeper``, the server's thread.

It loads what there is, brings the store in step with the files, then fills in vectors, at low priority and only while
no call is running. Calls never wait for it.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codectx.errors import UserError
from indexer.errors import IndexerError

if TYPE_CHECKING:
    from codectx.project import Project

IDLE_SECONDS = 1.0  # without a call, after which vectors are made
LOCK_SECONDS = 30.0  # to wait for another process that writes the same store
RETRY_SECONDS = 60.0  # after a run that failed
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
        self._calls = 0
        self._last_call = 0.0
        self._lock = threading.Lock()
        self.ready = threading.Event()  # there is an index in memory, or the first try to have one is over
        self.doing = ""  # for status: what it is doing, empty while it waits
        self.step = (0, 0)  # how many of how many files it has read

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

    def _run(self) -> None:
        while True:
            self._wanted.clear()
            try:
                self._sync()
                pause = None if self._filled_apart() else RETRY_SECONDS
            except (IndexerError, UserError) as error:
                logger.warning("the index is not up to date: %s", error)
                pause = RETRY_SECONDS
            except Exception:
                logger.exception("the index could not be kept up to date")
                pause = RETRY_SECONDS
            self.doing = ""
            self.ready.set()
            self._wanted.wait(pause)
            if pause is not None:
                time.sleep(IDLE_SECONDS)  # questions ask again and again

    def _sync(self) -> None:
        project = self._project()
        index = project.index
        self.doing = "looking for changes"
        if index.live.load() is not None:
            self.ready.set()
        walked = index.walk()

        def progress(done: int, total: int) -> None:
            self.doing, self.step = f"reading files, {done} of {total}", (done, total)

        index.sync(walked, wait_seconds=LOCK_SECONDS, progress=progress)
        index.live.load()
        self.ready.set()

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
        if state is None or state.manifest.version == self._embedded or embedding.choice().embedder.name == "none":
            return True
        self.doing = "making vectors"
        if embedding.vectors is None:
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

    def _go_on(self) -> bool:
        """Wait while calls are running; False when the files are to be looked at first."""
        while self._calls or time.monotonic() - self._last_call < IDLE_SECONDS:
            time.sleep(0.05)
        return not self._wanted.is_set()


def _lower_priority() -> None:
    """Let everything else on the machine go first; only Linux has a priority for a thread."""
    if sys.platform != "linux":
        return
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
    except OSError as error:
        logger.debug("the priority of background work stays as it is: %s", error)
