"""Know a project's index: where it lies, which files it holds, how fresh it is: ``ProjectIndex``.

Configuration and the user's folders come in here, ``indexer`` does the work. Nothing is read or built before
somebody asks.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from codectx.errors import UserError
from codectx.progress import report
from codectx.stores import place_of
from indexer.tree import Walk, look_at

if TYPE_CHECKING:
    from codectx.config import Config
    from codectx.embedding import Embedding
    from indexer.live import LiveIndex, State
    from indexer.place import IndexPlace
    from indexer.sync import Commit, SyncReport
    from indexer.watch import Watcher

SCAN_SECONDS = 0.1  # between two scans of the files for questions, where nothing tells that there was no change;
# files that are shown are looked at each time
EVENT_SECONDS = 0.05  # that a question waits to hear of all that has happened before it; else it scans the files
WAIT_SECONDS = 0.1  # between two looks at how far it is
READY_SECONDS = 2.0  # that a call waits for the server's thread to have an index: small ones are built by then
READ_AT_ONCE = 50  # files that differ from a shared index, read while questions wait
AT_ONCE_BYTES = 600_000  # of a tree without index that a single question indexes itself: about a second


class Upkeep(Protocol):
    """Be the part of a server that builds the index and keeps it fresh.

    Attributes:
        ready: set once there is an index in memory, or the first try to have one is over.
        doing: what it is doing, empty while it waits.
        step: how many of how many files it has read.
        watcher: hears of changes, so that questions need not look for them.
    """

    ready: threading.Event
    doing: str
    step: tuple[int, int]

    @property
    def watcher(self) -> Watcher:
        """See above."""

    def wake(self) -> None:
        """Ask for a look at the files."""


class ProjectIndex:
    """Hold what all calls of one project share of its index.

    Args:
        root: real path of the project.
        config: its configuration.
        files: lists the files of the project.

    Attributes:
        keeper: the server's thread that builds the index and keeps it fresh; None on the command line.
        is_read_only: whether a shared store has refused to be written.
        trouble: why the copy of a shared index may be old, empty if it is not.
    """

    def __init__(self, root: Path, config: Config, files: Callable[[], Walk]) -> None:
        self.root = root
        self.config = config
        self.keeper: Upkeep | None = None
        self._files = files
        self._making = threading.Lock()
        self._scanning = threading.Lock()
        self.is_read_only = False
        self.trouble = ""
        self._live: LiveIndex | None = None
        self._embedding: Embedding | None = None
        self._told: object = None  # the index in memory when the keeper was last woken for one

    @cached_property
    def place(self) -> IndexPlace:
        """Give where the index lies."""
        place = place_of(self.root, self.config.store_uri, self.config.store_project)
        place.store.publishes = False  # whoever wants others to have what is indexed here says so
        return place

    @property
    def live(self) -> LiveIndex:
        """Give the index in memory."""
        from indexer.live import LiveIndex

        with self._making:
            if self._live is None:
                self._live = LiveIndex(self.place, self.read)
            return self._live

    @property
    def embedding(self) -> Embedding:
        """Give the embedder and the vectors."""
        from codectx.embedding import Embedding

        with self._making:
            if self._embedding is None:
                self._embedding = Embedding(self.config, self.place, self.read)
            return self._embedding

    def walk(self) -> Walk:
        """List the files that the index is to hold: those of the project, as ``index.include`` and ``exclude`` say.

        An index that lies in the project itself is none of its files.

        Raises:
            UserError: invalid_argument for a pattern that means nothing.
        """
        walked = self._files()
        if self.place.folder.is_relative_to(self.root):
            own = f"{self.place.folder.relative_to(self.root).as_posix()}/"
            walked = Walk(tuple(file for file in walked.files if not file.path.startswith(own)), walked.skipped)
        include, exclude = self.config.index_include, self.config.index_exclude
        if not include and not exclude:
            return walked
        from indexer.globs import GlobError, compile_globs

        try:
            wanted = compile_globs(",".join([*include, *(f"!{pattern}" for pattern in exclude)]))
        except GlobError as error:
            raise UserError("invalid_argument", f"index.include or index.exclude: {error}", "correct it") from None
        return Walk(tuple(file for file in walked.files if wanted.take(file.path)), walked.skipped)

    def read(self, path: str) -> bytes:
        """Read a file of the project.

        Raises:
            IndexerError: unreadable, not_found, not_regular_file, outside_root.
        """
        from indexer.files import read_bytes

        return read_bytes(self.root / path, path, roots=(self.root,))

    def sync(
        self,
        walked: Walk,
        *,
        full: bool = False,
        wait_seconds: float = 0.0,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> SyncReport:
        """Bring the store in step with the files, and with it the index in memory where there is one.

        Raises:
            UserError: unreadable where the store's folder cannot be written to.
            IndexerError: store_locked, store_corrupt.
        """
        from indexer.shared import note_written, prepare_to_write
        from indexer.store import StoreUnreachableError
        from indexer.sync import sync

        store = self.place.store
        if store.is_remote and not store.publishes:
            return self._taken_over(walked, wait_seconds, progress)

        def committed(commit: Commit) -> None:
            if self._live is not None:
                self._live.take(commit)

        try:
            if store.is_remote:
                prepare_to_write(self.place)
            report = sync(
                self.place,
                walked,
                self.read,
                full=full,
                wait_seconds=wait_seconds,
                progress=progress,
                committed=committed,
            )
            if store.is_remote:
                note_written(self.place)
        except StoreUnreachableError as error:
            if not error.denied:
                raise
            self.is_read_only, store.publishes = True, False  # and what is there is used, if it may be read
            return self._taken_over(walked, wait_seconds, progress, at_once=True)
        except OSError as error:
            what = f"the index cannot be written to {self.place.folder}: {error.strerror or error}"
            raise UserError("unreadable", what, "free space there, or set store.uri to another folder") from error
        if self._live is not None:
            self._live.settle(report)
        return report

    def _taken_over(
        self, walked: Walk, wait_seconds: float, progress: Callable[[int, int], None], *, at_once: bool = False
    ) -> SyncReport:
        """Bring this machine's copy of a shared index in step with it; what prevents it is told with each answer."""
        from indexer.errors import IndexerError
        from indexer.shared import taken_over

        try:
            report = taken_over(
                self.place, walked, self.read, at_once=at_once, wait_seconds=wait_seconds, progress=progress
            )
            self.trouble = ""
        except IndexerError as error:
            self.trouble = str(error)
            raise
        except OSError as error:
            what = f"the copy of the shared index cannot be written to {self.place.folder}: {error.strerror or error}"
            told = UserError("unreadable", what, "free space there")
            self.trouble = str(told)
            raise told from error
        if self._live is not None:
            self._live.settle(report)
        if self.keeper is not None:
            self._read_others(walked)
        return report

    def _read_others(self, walked: Walk) -> None:
        """Read all files that a shared index has not as they are here; there may be more than a question waits for."""
        from indexer.sync import pending

        state = self.live.load()
        if state is None:
            return
        changed, gone = pending(state.manifest, walked, sure=False)
        self.live.read_again([], gone)
        for at in range(0, len(changed), READ_AT_ONCE):
            self.live.read_again(changed[at : at + READ_AT_ONCE], ())

    def _look_at_shared(self) -> None:
        """Take over what others have written, if it is time to look."""
        from indexer.errors import IndexerError
        from indexer.shared import check_last_look, is_look_due

        try:
            check_last_look(self.place)
            if is_look_due(self.place):
                self._taken_over(self.walk(), 0.0, lambda _done, _total: None)
        except (IndexerError, UserError) as error:
            self.trouble = str(error)

    def close(self) -> None:
        """Let go of connections."""
        if self._embedding is not None:
            self._embedding.close()

    def state(self) -> State | None:
        """Give the index as fresh as a question can wait for; None where there is none yet.

        A small project without one is indexed at once where nobody else does it.
        """
        if self.keeper is None:
            if self.place.store.is_remote:
                self._look_at_shared()
            state = self.live.load() or self._small()
        else:
            self._wait_for(self.keeper)
            state = self.live.state
        if state is None:
            if self.keeper is not None:
                self.keeper.wake()
            return None
        if self.keeper is None:
            return self.live.refresh(self.walk, SCAN_SECONDS)
        if self.keeper.watcher.is_quiet(EVENT_SECONDS):
            return self.live.state
        return self._scanned(self.keeper)

    def _scanned(self, keeper: Upkeep) -> State | None:
        """Look at all files, once for all questions that wait for it, and wake the keeper if they have changed."""
        watcher = keeper.watcher
        with self._scanning:
            if watcher.is_quiet(EVENT_SECONDS):
                return self.live.state
            fresh = self._looked_at_named(watcher)
            if fresh is not None:
                return fresh
            begun = watcher.glance()
            fresh = self.live.refresh(self.walk, SCAN_SECONDS if begun is None else 0.0)
            if fresh is not None and begun is not None and not fresh.behind:
                watcher.glanced(begun)
        if fresh is not None and (fresh.index is not self._told or fresh.behind):
            self._told = fresh.index
            keeper.wake()
        return fresh

    def _looked_at_named(self, watcher: Watcher) -> State | None:
        """Read only the files that the watcher names; None where all have to be listed, as for one that is new."""
        state, named = self.live.state, watcher.glance_at_files()
        if state is None or state.behind or named is None or len(named[1]) > READ_AT_ONCE:
            return None
        known = state.manifest.files.keys() | {each.path for each, _ in state.manifest.skipped}
        changed, gone = [], []
        for path in named[1]:
            file = look_at(self.root, path)
            if file is not None and path in known:
                changed.append(file)
            elif os.path.lexists(self.root / path):
                return None
            elif path in known:
                gone.append(path)
        if sum(file.size for file in changed) > AT_ONCE_BYTES:
            return None
        fresh = self.live.read_again(changed, gone)
        watcher.glanced(named[0])
        return fresh

    def _wait_for(self, keeper: Upkeep) -> None:
        """Wait for the first index as long as a call can, and tell the caller how far it is."""
        for _ in range(round(READY_SECONDS / WAIT_SECONDS)):
            if keeper.ready.wait(WAIT_SECONDS):
                return
            report(*keeper.step, keeper.doing)

    def _small(self) -> State | None:
        from indexer.errors import IndexerError

        walked = self.walk()
        if self.place.store.is_remote or sum(file.size for file in walked.files) > AT_ONCE_BYTES:
            return None
        try:
            self.sync(walked)
        except (IndexerError, UserError):  # locked or not to be written: the question is answered without
            return None
        return self.live.load()
