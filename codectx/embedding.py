"""Hold a project's embedder and vectors: ``Embedding``.

Which embedder there is, is found out when it is first needed, and again after it has failed. Questions never wait for
vectors: they take those that are in memory.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codectx.errors import UserError
from codectx.render import counted
from indexer.errors import IndexerError

if TYPE_CHECKING:
    from codectx.config import Config
    from indexer.embed import Choice
    from indexer.place import IndexPlace
    from indexer.search import Vectors as SearchVectors

TOLD = "vectors.json"  # in the folder of the index
TELL_SECONDS = 60.0  # between two notes of a run, unless it has doubled them: other processes then read all vectors
FEW = 0.1  # of the chunks have vectors: below this it does not pay to load a model for one question
PAUSE_SECONDS = 30.0  # in which an embedder that failed is not asked again
LOOK_SECONDS = 300.0  # after which an embedder is looked for again, where there was none

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Filled:
    """Hold how far the vectors of an index are, after a run.

    Attributes:
        embedder: its name.
        told: all of it in one line.
        embedded: files that got vectors in this run.
        failed: files with a text that the embedder refused.
        files_embedded: files all of whose chunks have vectors, and
        files_not_embedded: the others; both 0 where nothing is embedded.
        error: what ended the run, None if nothing did.
    """

    embedder: str
    told: str
    embedded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    files_embedded: int = 0
    files_not_embedded: int = 0
    error: IndexerError | None = None


@dataclass(frozen=True, slots=True)
class _Note:
    """Hold what is written down of vectors: in one line, and of how many chunks, of how many."""

    told: str = ""
    done: int = 0
    total: int = 0


class Embedding:
    """Hold what turns text into vectors, and the vectors that are there.

    Args:
        config: says which embedder.
        place: of the index.
        read: gives the bytes of a file.
    """

    def __init__(self, config: Config, place: IndexPlace, read: Callable[[str], bytes]) -> None:
        self._config, self._place, self._read = config, place, read
        self._lock = threading.Lock()
        self._choice: Choice | None = None
        self._chosen_at = 0.0
        self._vectors: SearchVectors | None = None
        self._is_loaded = False
        self._failed_at = -PAUSE_SECONDS
        self.trouble: IndexerError | None = None

    @property
    def vectors(self) -> SearchVectors | None:
        """Give the vectors in memory, for a question; None while their embedder does not answer."""
        return self._vectors if time.monotonic() - self._failed_at >= PAUSE_SECONDS else None

    def use(self, vectors: SearchVectors | None) -> None:
        """Answer questions with these vectors from now on."""
        self._vectors = vectors
        self._is_loaded = True

    def loaded(self) -> SearchVectors | None:
        """Give the vectors for a question, taking them from the store first if any process has made enough of them.

        A note tells, as LanceDB and the model take seconds to load.
        """
        if not self._is_loaded and self._is_worth_loading():
            digests = self.load()
            if self._place.store.is_remote and self.trouble is None:
                self._remember_shared(len(digests))
        return self.vectors

    def _is_worth_loading(self) -> bool:
        """Say whether there may be so many vectors that a question gains by them."""
        if self._config.embedder == "none":
            return False
        note = self._note()
        if not self._place.store.is_remote:
            return note.done > 0 and note.done >= FEW * note.total
        return note.done > 0 or not self._is_looked_at()

    def _is_looked_at(self) -> bool:
        """Say whether the vectors of a shared index were counted after the last look at whether it has changed."""
        from indexer.shared import LOOKED

        try:
            folder = self._place.folder
            return (folder / TOLD).stat().st_mtime_ns >= (folder / LOOKED).stat().st_mtime_ns
        except OSError:
            return False

    @property
    def is_configured(self) -> bool:
        """Say whether the user has named an embedder, which then has to work."""
        return self._config.embedder != "auto"

    def choice(self) -> Choice:
        """Give the embedder that can be had.

        Raises:
            IndexerError: backend_down where the one that the user has named cannot be had.
        """
        from indexer.embed import choose

        with self._lock:
            if self._choice is None or self._is_worth_a_new_look(self._choice):
                self._choice = choose(
                    self._config.embedder, url=self._config.ollama_url, model=self._config.embedder_model
                )
                self._chosen_at = time.monotonic()
            return self._choice

    def _is_worth_a_new_look(self, choice: Choice) -> bool:
        """Say whether none was found, and long enough ago for one to have been started."""
        found_none = not self.is_configured and choice.embedder.name == "none"
        return found_none and time.monotonic() - self._chosen_at > LOOK_SECONDS

    def load(self) -> Collection[bytes]:
        """Take the vectors from the store into memory, and give the digests that they are of."""
        from indexer.fill import Vectors
        from indexer.shared import check_last_look

        self._is_loaded = True
        try:
            if self._place.store.is_remote:
                check_last_look(self._place)
            embedder = self.choice().embedder
            digests, matrix = self._place.store.vectors(embedder.model) if embedder.name != "none" else ([], None)
        except IndexerError as error:
            self.trouble = error
            return ()
        self.trouble = None
        self._vectors = None  # without any, no question need be embedded
        if matrix is not None and len(digests):
            self._vectors = Vectors(embedder, digests, matrix, self._failed)
        return digests

    def fill(
        self,
        files: int,
        *,
        wait_seconds: float = 0.0,
        go_on: Callable[[], bool] = lambda: True,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Filled:
        """Embed what has no vector yet, and take the vectors into memory.

        Args:
            files: in the index.
            wait_seconds: for another run that makes vectors.
            go_on: asked before each few texts; False ends the run.
            progress: told how many of how many chunks have vectors.
        """
        from indexer.fill import fill
        from indexer.lock import StoreLockedError, locked

        try:
            embedder = self.choice().embedder
        except IndexerError as error:
            self.trouble = error
            return Filled(self._config.embedder, f"none, {error}", files_not_embedded=files, error=error)
        if embedder.name == "none":
            return Filled("none", f"none ({self.choice().reason})")
        if self._place.store.is_remote and not self._place.store.publishes:
            return self._of_shared(embedder.name, self.load())
        # An embedder that was found by itself may be another one tomorrow; then both keep their vectors.
        try:
            with locked(self._place.folder / "vectors.lock", wait_seconds):
                run = fill(
                    self._place.store,
                    embedder,
                    self._read,
                    keep_others=not self.is_configured,
                    go_on=go_on,
                    progress=progress,
                    kept=self._noting(embedder.name),
                )
        except StoreLockedError as error:  # the other run makes them
            return Filled(embedder.name, f"left to process {error.holder}, which is making them", error=error)
        except OSError as error:
            what = f"vectors cannot be written: {error.strerror or error}"
            raise UserError("unreadable", what, "free space there, or set store.uri to another folder") from error
        self.trouble = run.error
        if run.error is not None:
            self.close()
        missing = len(run.missing)
        told = _told_of(run.done, run.total, embedder.name)
        if run.failed:
            told += f"; {counted(len(run.failed), 'file')} refused by the model: {next(iter(run.failed.values()))}"
        if run.error is not None:
            told += f"; {run.error}"
        self._remember(told, run.done, run.total)
        return Filled(
            embedder.name,
            told,
            tuple(sorted(run.embedded)),
            tuple(sorted(run.failed)),
            files - missing,
            missing,
            run.error,
        )

    def _noting(self, name: str) -> Callable[[int, int], None]:
        """Give what writes down now and then how far a run is, as its process may be ended before it is through."""
        due, next_done = 0.0, 0

        def kept(done: int, total: int) -> None:
            nonlocal due, next_done
            if time.monotonic() >= due or done >= next_done:
                due, next_done = time.monotonic() + TELL_SECONDS, 2 * done
                self._remember(_told_of(done, total, name), done, total)

        return kept

    def _of_shared(self, name: str, digests: Collection[bytes]) -> Filled:
        """Say how many files of the copy of a shared index have all their vectors among some."""
        from indexer import snapshot
        from indexer.fill import NO_TEXT
        from indexer.sync import current, tables_of

        told = _told_of_shared(name, len(digests))
        if self.trouble is None:
            self._remember(told, len(digests))
        have = {NO_TEXT, *digests}
        manifest, rows = current(self._place), snapshot.load(self._place.folder, tables_of(self._place))
        if manifest is None or rows is None:
            return Filled(name, told, error=self.trouble)
        pairs = zip(rows["path"].to_pylist(), rows["chunk_digest"].to_pylist(), strict=True)
        done = sum(path in manifest.files and have.issuperset(wanted) for path, wanted in pairs)
        return Filled(
            name, told, files_embedded=done, files_not_embedded=len(manifest.files) - done, error=self.trouble
        )

    def close(self) -> None:
        """Let go of the embedder; whoever needs it next looks for one again."""
        with self._lock:
            if self._choice is not None:
                self._choice.embedder.close()
                self._choice = None

    @property
    def told(self) -> str:
        """Say what the last run of any process has done, in one line; empty if there was none."""
        told = self._note().told
        if not told and self._place.store.is_remote and self._config.embedder != "none":
            return "in the shared index, read by each question"
        return told

    def _failed(self, error: IndexerError) -> None:
        logger.info("questions are answered by words only for a while: %s", error)
        self._failed_at = time.monotonic()
        self.trouble = error

    def _note(self) -> _Note:
        try:
            note = json.loads((self._place.folder / TOLD).read_bytes())
            return _Note(str(note["vectors"]), int(note.get("done", 0)), int(note.get("total", 0)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return _Note()

    def _remember(self, told: str, done: int, total: int = 0) -> None:
        """Write down what vectors there are; ``total`` is 0 where it is not known."""
        note = json.dumps({"vectors": told, "done": done, "total": total})
        try:
            new = self._place.folder / f"{TOLD}.{os.getpid()}"  # others read it at any time
            new.write_text(note, encoding="utf-8")
            new.replace(self._place.folder / TOLD)
        except OSError as error:
            logger.warning("what vectors there are is not written down: %s", error)

    def _remember_shared(self, count: int) -> None:
        """Write down how many vectors a question has found in a shared index; what is known already, only if none."""
        choice = self.choice()
        told = _told_of_shared(choice.embedder.name, count)
        if choice.embedder.name == "none":
            told = f"none ({choice.reason})"
        if not count or self._note().told != told:
            self._remember(told, count)


def _told_of(done: int, total: int, name: str) -> str:
    return f"{done} of {counted(total, 'chunk')} by {name}"


def _told_of_shared(name: str, count: int) -> str:
    return f"{counted(count, 'chunk')} of the shared index by {name}"
