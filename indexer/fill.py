"""Fill in the vectors of an index: ``fill``, as far as the embedder gives them and nobody wants the machine.

Vectors are kept by the digest of the text that they stand for, so what did not change is never embedded again, and
what was embedded is kept whatever happens next. ``Vectors`` is what a question reads.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from indexer.embed.errors import DimensionMismatchError
from indexer.errors import IndexerError
from indexer.manifest import digest_of
from indexer.text import decode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexer.embed import Embedder
    from indexer.entry import FileEntry
    from indexer.store import Store

AT_ONCE = 16  # texts given to the embedder between two looks at whether to stop
COMMIT_VECTORS = 512  # in one commit of the store
COMMIT_SECONDS = 5.0  # after the last one, from which fewer are committed: whoever makes them may be ended at any time
COMMIT_SECONDS_REMOTE = 60.0  # likewise to a remote store, which is tidied up at the end only
COMMIT_SHARE = 20  # times what the last commit took, that pass before the next
NO_TEXT = blake2b(b"", digest_size=16).digest()  # of chunks without words, which are not embedded
_SCALE = 127  # of the largest number of a vector, kept in eight bits: cosines change by less than 0.01

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Filling:
    """Hold how far the vectors of an index are.

    Attributes:
        total: chunks in the index that have a text to embed.
        done: those that have a vector.
        embedded: files that got vectors in this run.
        failed: files with a text that the embedder refuses, with the reason.
        missing: files with a chunk that has no vector.
        error: what ended the run before its end, None if nothing did.
    """

    total: int = 0
    done: int = 0
    embedded: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    error: IndexerError | None = None


def fill(
    store: Store,
    embedder: Embedder,
    read: Callable[[str], bytes],
    *,
    keep_others: bool = False,
    go_on: Callable[[], bool] = lambda: True,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    kept: Callable[[int, int], None] = lambda _done, _total: None,
) -> Filling:
    """Embed the chunks of an index that have no vector yet.

    Args:
        store: of the index.
        embedder: to be asked.
        read: gives the bytes of a file; one that changed since is left to the next run.
        keep_others: whether the vectors of other models stay when these are complete.
        go_on: asked before each few texts; False ends the run.
        progress: told how many of how many chunks have a vector; what it raises ends the run, what is done is kept.
        kept: told the same when they are in the store.
    """
    from indexer.rows import entries_of

    table = store.read()
    entries = list(entries_of(table)) if table is not None else []
    have = _embedded(store, embedder.model)
    run = _Run(store, embedder, have, kept)
    lacks = {entry.path: sum(chunk.digest not in run.have for chunk in entry.chunks) for entry in entries}
    run.filling.total = sum(chunk.digest != NO_TEXT for entry in entries for chunk in entry.chunks)
    run.filling.done = run.filling.total - sum(lacks.values())
    run.filling.missing = {path for path, count in lacks.items() if count}
    try:
        run.through([entry for entry in entries if lacks[entry.path]], read, go_on, progress)
        if not keep_others and not run.filling.missing - set(run.filling.failed):
            store.keep_vectors_of(embedder.model)
        _tidied(store, embedder.model)
    except IndexerError as error:
        run.filling.error = error
    return run.filling


def _tidied(store: Store, model: str) -> None:
    """Delete vectors that have long been in no index; what cannot be tidied up now is left to the next run."""
    from indexer.lock import StoreLockedError
    from indexer.store import StoreCorruptError

    try:
        count = store.tidy_vectors(model)
    except (StoreCorruptError, StoreLockedError, OSError) as error:
        logger.warning("vectors are not tidied up: %s", error)
        return
    if count:
        logger.info("%d vectors of chunks that are in no index any more were deleted", count)


def _embedded(store: Store, model: str) -> set[bytes]:
    """Give the digests that have a vector; vectors that cannot be read are made anew."""
    from indexer.store import StoreCorruptError

    try:
        return store.embedded(model)
    except StoreCorruptError as error:
        if store.is_remote:
            raise
        logger.warning("%s; the vectors are made anew", error)
        store.drop_vectors(model)
        return set()


class _Run:
    """Hold what waits to be embedded, and what waits to be committed."""

    def __init__(self, store: Store, embedder: Embedder, have: set[bytes], kept: Callable[[int, int], None]) -> None:
        self.store, self.embedder, self.have = store, embedder, {*have, NO_TEXT}
        self.filling = Filling()
        self.waiting: list[tuple[bytes, str]] = []  # digest and text
        self._asked: set[bytes] = set()
        self._wanted: dict[bytes, list[str]] = {}  # files that wait for a digest
        self._left: dict[str, int] = {}  # digests that a file waits for
        self._reasons: dict[bytes, str] = {}  # of texts that were embedded: empty; or refused: why
        self._new: list[tuple[bytes, NDArray[np.float32]]] = []
        self._kept = kept
        self._pause = COMMIT_SECONDS_REMOTE if store.is_remote else COMMIT_SECONDS
        self._due = time.monotonic()  # the first few are kept at once, as many a run is short

    def through(
        self,
        entries: Sequence[FileEntry],
        read: Callable[[str], bytes],
        go_on: Callable[[], bool],
        progress: Callable[[int, int], None],
    ) -> None:
        """Embed what the files lack; whatever ends it, what has come is kept."""
        try:
            for entry in entries:
                if not go_on():
                    break
                self.take(entry, read)
                while self.is_full and go_on():
                    self.embed()
                    progress(self.filling.done, self.filling.total)
            while self.waiting and go_on():
                self.embed()
                progress(self.filling.done, self.filling.total)
        finally:
            self.commit()

    @property
    def is_full(self) -> bool:
        """Say whether there is enough for the embedder."""
        return len(self.waiting) >= AT_ONCE

    def take(self, entry: FileEntry, read: Callable[[str], bytes]) -> None:
        """Add the texts of a file that have no vector."""
        from indexer.entries import texts_to_embed

        try:
            data = read(entry.path)
            if digest_of(data) != entry.digest:
                return
            texts = texts_to_embed(entry.path, decode(data, entry.path).text, entry)
        except IndexerError as error:
            logger.debug("%s is embedded later: %s", entry.path, error)
            return
        lacked = [(chunk.digest, text) for chunk, text in zip(entry.chunks, texts, strict=True)]
        lacked = [(digest, text) for digest, text in lacked if digest not in self.have]
        self._left[entry.path] = len(lacked)
        for digest, text in lacked:
            self._wanted.setdefault(digest, []).append(entry.path)
            if digest in self._reasons:
                self._settle(digest)
            elif digest not in self._asked:
                self._asked.add(digest)
                self.waiting.append((digest, text))

    def embed(self) -> None:
        """Embed the first few texts; vectors that came before an error are kept."""
        batch, self.waiting = self.waiting[:AT_ONCE], self.waiting[AT_ONCE:]
        for given in self.embedder.embed_texts([text for _, text in batch]):
            for position, vector in zip(given.positions, given.vectors, strict=True):
                self._new.append((batch[position][0], vector))
                self._settle(batch[position][0])
            for refused in given.refused:
                self._settle(batch[refused.position][0], refused.reason)
        if len(self._new) >= COMMIT_VECTORS or time.monotonic() >= self._due:
            self.commit()

    def commit(self) -> None:
        """Write the vectors that have come."""
        if self._new:
            import numpy as np

            new, self._new = self._new, []
            begun = time.monotonic()
            self.store.add_vectors(
                self.embedder.model, [digest for digest, _ in new], packed(np.stack([vector for _, vector in new]))
            )
            self._due = time.monotonic() + max(self._pause, COMMIT_SHARE * (time.monotonic() - begun))
            self._kept(self.filling.done, self.filling.total)

    def _settle(self, digest: bytes, refused: str = "") -> None:
        """Tell the files that wait for a text what has become of it."""
        reason = self._reasons.setdefault(digest, refused)
        for path in self._wanted.pop(digest, ()):
            if reason:
                self.filling.failed[path] = reason
                continue
            self.filling.done += 1
            self._left[path] -= 1
            if not self._left[path] and path not in self.filling.failed:
                self.filling.embedded.append(path)
                self.filling.missing.discard(path)


def packed(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Give vectors in eight bits a number, each scaled to its largest."""
    import numpy as np

    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-12)
    return np.asarray(np.rint(vectors * (_SCALE / largest)), np.int8)


class Vectors:
    """Hold the vectors of one model in memory, for questions.

    Args:
        embedder: that made them, and embeds questions.
        digests: what they stand for.
        matrix: 8-bit numbers, one row for each digest.
        failed: told why a question could not be embedded.
    """

    def __init__(
        self,
        embedder: Embedder,
        digests: Sequence[bytes],
        matrix: NDArray[np.int8],
        failed: Callable[[IndexerError], None],
    ) -> None:
        import numpy as np

        self._embedder = embedder
        self._failed = failed
        self._last: tuple[str, NDArray[np.float32] | None] = ("", None)
        self._places = {digest: place for place, digest in enumerate(digests)}
        self._digests = digests
        self._matrix = matrix
        squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.int64)
        self._lengths = np.sqrt(np.maximum(squares, 1)).astype(np.float32)

    def __len__(self) -> int:
        return len(self._digests)

    def query_vector(self, text: str) -> NDArray[np.float32] | None:
        """Give the vector of a question; None if it has none, or it cannot be had now."""
        if self._last[0] != text:
            try:
                self._last = text, self._fitting(self._embedder.embed_query(text))
            except IndexerError as error:
                self._failed(error)
                return None
        return self._last[1]

    def _fitting(self, vector: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
        if vector is not None and len(vector) != self._matrix.shape[1]:
            raise DimensionMismatchError(self._embedder.model, self._matrix.shape[1], len(vector))
        return vector

    def vectors_of(self, digests: Sequence[bytes]) -> NDArray[np.float32]:
        """Give a row of length 1 for each digest, of NaN where there is no vector."""
        import numpy as np

        places = np.array([self._places.get(digest, -1) for digest in digests], np.int64)
        found = np.full((len(digests), self._matrix.shape[1]), np.nan, np.float32)
        known = places >= 0
        found[known] = self._matrix[places[known]] / self._lengths[places[known], None]
        return found

    def nearest(self, vector: NDArray[np.float32], count: int) -> list[tuple[bytes, float]]:
        """Give the digests of the vectors nearest to one, with the cosine, nearest first."""
        import numpy as np

        if not len(self._digests):
            return []
        cosines = np.concatenate([part @ vector for part in self._parts()]) / self._lengths
        count = min(count, len(cosines))
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.lexsort((best, -cosines[best]))]
        return [(self._digests[place], float(cosines[place])) for place in best]

    def _parts(self) -> Iterator[NDArray[np.float32]]:
        """Give the matrix in parts as floats, so that never all of it is there twice."""
        import numpy as np

        for at in range(0, len(self._matrix), 8192):
            yield self._matrix[at : at + 8192].astype(np.float32)
