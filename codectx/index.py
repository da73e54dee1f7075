"""Know a project's index: where it lies, which files it holds, how fresh it is: ``ProjectIndex``.

Configuration and the user's folders come in here, ``indexer`` does the work. Nothing is read or built before
somebody asks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from codectx.errors import UserError
from codectx.progress import report
from codectx.stores import place_of
from indexer.tree import Walk

if TYPE_CHECKING:
    from codectx.config import Config
    from codectx.embedding import Embedding
    from indexer.live import LiveIndex, State
    from indexer.sync import Commit, IndexPlace, SyncReport

SCAN_SECONDS = 0.1  # between two scans of the files for questions; files that are shown are looked at each time
WAIT_SECONDS = 0.1  # between two looks at how far it is
READY_SECONDS = 2.0  # that a call waits for the server's thread to have an index: small ones are built by then
AT_ONCE_BYTES = 600_000  # of a tree without index that a single question indexes itself: about a second


class Upkeep(Protocol):
    """Be the part of a server that builds the index and keeps it fresh.

    Attributes:
        ready: set once there is an index in memory, or the first try to have one is over.
        doing: what it is doing, empty while it waits.
        step: how many of how many files it has read.
    """

    ready: threading.Event
    doing: str
    step: tuple[int, int]

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
    """

    def __init__(self, root: Path, config: Config, files: Callable[[], Walk]) -> None:
        self.root = root
        self.config = config
        self.keeper: Upkeep | None = None
        self._files = files
        self._making = threading.Lock()
        self._live: LiveIndex | None = None
        self._embedding: Embedding | None = None
        self._told: object = None  # the index in memory when the keeper was last woken for one

    @cached_property
    def place(self) -> IndexPlace:
        """Give where the index lies."""
        return place_of(self.root, self.config.store_uri)

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

        Raises:
            UserError: invalid_argument for a pattern that means nothing.
        """
        walked = self._files()
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
        from indexer.sync import sync

        def committed(commit: Commit) -> None:
            if self._live is not None:
                self._live.take(commit)

        try:
            report = sync(
                self.place,
                walked,
                self.read,
                full=full,
                wait_seconds=wait_seconds,
                progress=progress,
                committed=committed,
            )
        except OSError as error:
            what = f"the index cannot be written to {self.place.folder}: {error.strerror or error}"
            raise UserError("unreadable", what, "free space there, or set store.uri to another folder") from error
        if self._live is not None:
            self._live.settle(report)
        return report

    def close(self) -> None:
        """Let go of connections."""
        if self._embedding is not None:
            self._embedding.close()

    def state(self) -> State | None:
        """Give the index as fresh as a question can wait for; None where there is none yet.

        A small project without one is indexed at once where nobody else does it.
        """
        if self.keeper is None:
            state = self.live.load() or self._small()
        else:
            self._wait_for(self.keeper)
            state = self.live.state
        if state is None:
            if self.keeper is not None:
                self.keeper.wake()
            return None
        if not self.live.is_due(SCAN_SECONDS):
            return state
        fresh = self.live.refresh(self.walk, SCAN_SECONDS)
        if self.keeper is not None and fresh is not None and (fresh.index is not self._told or fresh.behind):
            self._told = fresh.index
            self.keeper.wake()
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
        if sum(file.size for file in walked.files) > AT_ONCE_BYTES:
            return None
        try:
            self.sync(walked)
        except (IndexerError, UserError):  # locked or not to be written: the question is answered without
            return None
        return self.live.load()
