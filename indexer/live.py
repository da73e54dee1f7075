"""Hold an index in memory and in step with the files: ``LiveIndex``.

The store is where it starts from; after that it reads changed files itself, so that an edit is found by the next
question, whoever writes the store and when. Safe to use from several threads; questions get an immutable index.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer import snapshot
from indexer.errors import IndexerError
from indexer.indexable import why_not_indexed
from indexer.manifest import Manifest, Seen, now
from indexer.place import IndexPlace
from indexer.sync import Commit, SyncReport, Unindexed, current, pending, read_entry

if TYPE_CHECKING:
    import pyarrow as pa

    from indexer.search.index import Index
    from indexer.tree import Walk, WalkedFile

AT_ONCE_FILES = 200  # changed files that a question reads itself, and
AT_ONCE_BYTES = 1_000_000  # their bytes (about 1 s CPU); with more the writer's run is waited for or the rest is told
UNSURE_FILES = 2000  # files that look unchanged but may not be: they are read, and hardly ever parsed; and
UNSURE_BYTES = 20_000_000  # their bytes

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """Hold an index with what it was made from.

    Attributes:
        index: to be searched.
        manifest: the files' states that it holds.
        behind: paths that changed since and are not in it yet.
    """

    index: Index
    manifest: Manifest
    behind: frozenset[str] = frozenset()


class LiveIndex:
    """Hold the index of one project; ``state`` is None until there is one.

    Args:
        place: of its store.
        read: gives the bytes of a file.
    """

    def __init__(self, place: IndexPlace, read: Callable[[str], bytes]) -> None:
        self.place = place
        self._read = read
        self._lock = threading.RLock()
        self._state: State | None = None
        self._scanned = 0.0  # when the last scan ended, and
        self._scan_seconds = 0.0  # how long it took

    @property
    def state(self) -> State | None:
        """Give what there is now."""
        return self._state

    def load(self) -> State | None:
        """Take the index from the store if there is none in memory; None where there is none to be taken."""
        with self._lock:
            if self._state is None:
                self._state = _loaded(self.place)
            return self._state

    def is_due(self, pause: float) -> bool:
        """Say whether the last scan of the files is longer ago than a pause in seconds, and thrice what it took."""
        return time.monotonic() - self._scanned > max(pause, 3 * self._scan_seconds)

    def refresh(self, walk: Callable[[], Walk], pause: float = 0.0) -> State | None:
        """Scan the files and read those that changed, as far as a question can wait for it.

        Args:
            walk: lists the files.
            pause: seconds after another scan, see ``is_due``, in which there is none.
        """
        with self._lock:
            state = self.load()
            if state is None or (pause and not self.is_due(pause)):
                return state
            begun = time.monotonic()
            started = now()
            walked = walk()
            self._scan_seconds = time.monotonic() - begun
            changed, gone = pending(state.manifest, walked, sure=False)
            if _is_much(_to_read(changed)):
                state = self._reloaded(state)
                changed, gone = pending(state.manifest, walked, sure=False)
            slow = _to_read(changed)
            behind = frozenset(file.path for file in slow) if _is_much(slow) else frozenset()
            at_once = [file for file in pending(state.manifest, walked)[0] if file.path not in behind]
            if _is_much(_to_read(at_once), UNSURE_FILES, UNSURE_BYTES):
                at_once = [] if behind else changed
                started = state.manifest.written_ns  # the others are no surer than they were
            state = self._advance(state, at_once, gone, started)
            self._state = replace(state, behind=behind)
            self._scanned = time.monotonic()
            return self._state

    def read_again(self, files: Sequence[WalkedFile], gone: Collection[str]) -> State | None:
        """Read single files again that were seen to have changed, and forget others."""
        with self._lock:
            if self._state is not None:
                state = self._state
                self._state = self._advance(state, files, gone, state.manifest.written_ns)
            return self._state

    def take(self, commit: Commit) -> None:
        """Take over what a run of this process has committed, files and their states together."""
        with self._lock:
            state = self._state
            if state is None:
                return
            files = dict(state.manifest.files)
            for path in commit.removed:
                files.pop(path, None)
            files.update(commit.seen)
            index = state.index.with_changes(commit.entries, commit.removed)
            self._state = replace(state, index=index, manifest=replace(state.manifest, files=files))

    def settle(self, report: SyncReport) -> None:
        """Take over the manifest of a run of this process, whose commits were taken.

        Files that have been read since the run looked at them stay as they are; so do those of which another process
        has written something else, unless they are many.
        """
        with self._lock:
            state = self._state
            if state is None:
                return
            mine, its = state.manifest, report.manifest
            files = {path: _later(seen, its.files.get(path)) for path, seen in mine.files.items()}
            lacking = [
                path for path, seen in its.files.items() if path not in files or files[path].digest != seen.digest
            ]
            if _is_much([its.files[path] for path in lacking]):
                self._state = _loaded(self.place) or state
                return
            is_same = not lacking and len(files) == len(its.files)
            written_ns = its.written_ns if is_same else min(mine.written_ns, its.written_ns)
            settled = replace(its, files=files, written_ns=written_ns)
            self._state = State(state.index, settled, state.behind.intersection(lacking))

    def _reloaded(self, state: State) -> State:
        """Give what another process has written since, if it has."""
        manifest = current(self.place)
        if manifest is None or manifest.version == state.manifest.version:
            return state
        return _loaded(self.place) or state

    def _advance(self, state: State, files: Iterable[WalkedFile], gone: Iterable[str], started: int) -> State:
        known, left = dict(state.manifest.files), {each.path: (each, seen) for each, seen in state.manifest.skipped}
        entries, removed = [], []
        for path in gone:
            left.pop(path, None)
            if known.pop(path, None) is not None:
                removed.append(path)
        for file in files:
            left.pop(file.path, None)
            found = read_entry(file, self._read, known.get(file.path))
            if isinstance(found, Seen):
                known[file.path] = found
            elif isinstance(found, Unindexed):
                removed += [file.path] if known.pop(file.path, None) is not None else []
                if found.skipped is not None:
                    left[file.path] = (found.skipped, found.seen)
            else:
                entry, known[file.path] = found
                entries.append(entry)
        index = state.index.with_changes(entries, removed) if entries or removed else state.index
        manifest = replace(
            state.manifest, files=known, skipped=tuple(left[path] for path in sorted(left)), written_ns=started
        )
        return State(index, manifest, state.behind)


def _to_read(files: Iterable[WalkedFile]) -> list[WalkedFile]:
    """Give the files that are read to know them: of others the name or the size says that they are left out."""
    return [file for file in files if not why_not_indexed(file.path, file.size)]


def _is_much(files: Sequence[WalkedFile | Seen], count: int = AT_ONCE_FILES, size: int = AT_ONCE_BYTES) -> bool:
    return len(files) > count or sum(file.size for file in files) > size


def _later(mine: Seen, its: Seen | None) -> Seen:
    """Give the state in which a run has seen a file if its content is still the one that was indexed."""
    return its if its is not None and its.digest == mine.digest else mine


def _loaded(place: IndexPlace) -> State | None:
    """Build the index from the copy of the rows, or from the store; what cannot be read is as good as none.

    Rows of files that changed since they were written are left out, and so are the files in the manifest: they count
    as changed then.
    """
    manifest = current(place, unfinished=True)
    if manifest is None:
        return None
    rows = snapshot.load(place.folder, manifest.tables)
    state = _state(rows, manifest) if rows is not None else None
    if state is not None:
        lacking = [seen for path, seen in manifest.files.items() if path not in state.manifest.files]
        if not _is_much(lacking):
            return state
    try:
        rows = place.store.read()
        if rows is None:
            return None
        if not manifest.unfinished:
            snapshot.save(place.folder, rows, manifest.tables)  # the next process has it faster
    except IndexerError as error:
        logger.warning("%s", error)
        return None
    except OSError as error:
        logger.info("no copy of the rows: %s", error)
    return _state(rows, manifest)


def _state(rows: pa.Table, manifest: Manifest) -> State:
    from indexer.search.index import Index

    known = manifest.files
    paths = rows.column("path").to_pylist()
    pairs = zip(paths, rows.column("digest").to_pylist(), strict=True)
    kept = [path in known and known[path].digest == digest for path, digest in pairs]
    if not all(kept):
        rows = rows.filter(kept)
    files = {path: known[path] for path, keep in zip(paths, kept, strict=True) if keep}
    return State(Index.of_table(rows), manifest if len(files) == len(known) else replace(manifest, files=files))
