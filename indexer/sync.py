"""Bring an index in step with the files: ``sync``, the one way in.

Only files whose content changed are parsed. Afterwards the index equals one built from nothing, whatever happened
before: a run that died left whole commits, and the manifest says that it died. Which files there are and how they
are read is the caller's business; vectors are ``indexer.fill``'s.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer import snapshot
from indexer.errors import IndexerError
from indexer.files import MissingFileError
from indexer.indexable import why_not_indexed, why_text_not_indexed
from indexer.lock import locked
from indexer.manifest import Manifest, Seen, digest_of, load, now, save
from indexer.place import IndexPlace
from indexer.tree import Skipped, Walk, WalkedFile
from indexer.versions import FILES

if TYPE_CHECKING:
    from indexer.entry import FileEntry

COMMIT_BYTES = 16_000_000  # of source after which a long run commits, so that little is lost when it dies; and
COMMIT_SECONDS = 10.0  # likewise
SNAPSHOT_VERSIONS = 20  # commits after which the copy of the rows is made anew; or
SNAPSHOT_FILES = 100  # files that are read in one run

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Commit:
    """Tell of one commit: entries put in with the states that their files were read in, and paths taken out."""

    entries: Sequence[FileEntry]
    seen: Mapping[str, Seen]
    removed: Sequence[str]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Hold what one run did.

    Attributes:
        manifest: as it is now.
        reindexed: paths that were read and parsed, sorted.
        removed: paths that were taken out, sorted.
    """

    manifest: Manifest
    reindexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def chunks(self) -> int:
        """Count the chunks in the index."""
        return sum(seen.chunks for seen in self.manifest.files.values())


def pending(manifest: Manifest, walked: Walk, *, sure: bool = True) -> tuple[list[WalkedFile], list[str]]:
    """Give the files that may have changed since a manifest was written, and its paths that are gone.

    Without ``sure`` only those whose size or times differ.
    """
    there = {file.path for file in walked.files}
    left = {each.path: seen for each, seen in manifest.skipped}
    changed = []
    for file in walked.files:
        seen = manifest.files.get(file.path) or left.get(file.path)
        if seen is None or not (manifest.is_sure(seen, file) if sure else seen.is_of(file)):
            changed.append(file)
    return changed, [path for path in (*manifest.files, *left) if path not in there]


def current(place: IndexPlace, *, unfinished: bool = False) -> Manifest | None:
    """Give the manifest of an index that is there and of our version.

    With ``unfinished`` also one that is behind its tables, as a run under way or one that died has left it: whoever
    reads rows by it compares digests.
    """
    manifest = load(place.manifest)
    if manifest is None or manifest.tables != tables_of(place):
        return None
    if manifest.unfinished and not (unfinished and manifest.files):
        return None
    return manifest if place.store.is_there() else None


def sync(
    place: IndexPlace,
    walked: Walk,
    read: Callable[[str], bytes],
    *,
    full: bool = False,
    wait_seconds: float = 0.0,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    committed: Callable[[Commit], None] = lambda _: None,
) -> SyncReport:
    """Read the files that changed and write what they hold.

    Args:
        place: of the index.
        walked: the files to index.
        read: gives the bytes of a file.
        full: parse and write all files, whatever the manifest says.
        wait_seconds: for the lock.
        progress: told how many of how many files are done; what it raises ends the run, and what was done is kept.
        committed: told of each commit.

    Raises:
        StoreLockedError: another run is writing.
        StoreCorruptError: the tables cannot be used; those on this machine, and others with ``full``, only where
            deleting them did not help.
        OSError: the folder cannot be written to.
    """
    started = now()
    manifest = None if full else current(place)
    if manifest is not None and not any(pending(manifest, walked)) and _is_last(place, manifest):
        _tidy_later(place)
        return SyncReport(manifest)
    from indexer.store import StoreCorruptError

    place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(place.lock, wait_seconds), place.store.written_by_us(wait_seconds):
        _clear_up(place)
        manifest = None if full else current(place)
        if manifest is not None and not _is_last(place, manifest):
            manifest = None
        try:
            run = _Run(place, manifest or _recovered(place), read, committed, started, full=full)
            return run.through(walked, progress)
        except StoreCorruptError as error:
            if place.store.is_remote and not full:
                raise
            logger.warning("%s; it is built anew", error)
            place.store.destroy()
            run = _Run(place, _recovered(place), read, committed, started, full=full)
            return run.through(walked, progress)


def _is_last(place: IndexPlace, manifest: Manifest) -> bool:
    """Say whether nobody has written since, which on another machine is not seen here."""
    return not place.store.is_remote or place.store.version() == manifest.version


def _tidy_later(place: IndexPlace) -> None:
    """Clean up what a quick succession of runs has left, when it is over."""
    if place.store.is_left_grown():
        try:
            with locked(place.lock):
                place.store.tidy()
        except (IndexerError, OSError) as error:
            logger.info("the index is not tidied up: %s", error)


def _clear_up(place: IndexPlace) -> None:
    """Delete what runs that died have left half written."""
    for name in (place.manifest.name, snapshot.NAME):
        for path in place.folder.glob(f"{name}?*"):
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Unindexed:
    """Say that a file has no place in the index: why (None where it is gone), and in which state it was seen."""

    skipped: Skipped | None
    seen: Seen


def read_entry(
    file: WalkedFile, read: Callable[[str], bytes], known: Seen | None
) -> tuple[FileEntry, Seen] | Seen | Unindexed:
    """Read one file: give its entry and state, or only its state where it has the content that is ``known``."""
    digest = ""

    def state(chunks: int = 0, masked: tuple[tuple[str, int], ...] = ()) -> Seen:
        return Seen(file.size, file.mtime_ns, file.ctime_ns, digest, chunks, masked)

    reason = why_not_indexed(file.path, file.size)
    if reason:
        return Unindexed(Skipped(file.path, "unsupported", reason), state())
    try:
        data = read(file.path)
        digest = digest_of(data)
        if known is not None and known.digest == digest:
            return state(known.chunks, known.masked if known.size >= 0 else _masked_in(data, file.path))
        from indexer.text import decode

        text = decode(data, file.path).text
    except MissingFileError:
        return Unindexed(None, state())
    except IndexerError as error:
        return Unindexed(Skipped(file.path, error.category, str(error)), state())
    reason = why_text_not_indexed(file.path, text)
    if reason:
        return Unindexed(Skipped(file.path, "unsupported", reason), state())
    from indexer.entries import entry_of
    from indexer.secrets import mask

    try:
        masked = mask(text)
        entry = entry_of(file.path, masked.text, digest, is_masked=True)
    except Exception as bug:  # ours, and it must not cost the other files
        logger.exception("%s could not be indexed", file.path)
        return Unindexed(Skipped(file.path, "unsupported", f"codectx failed on it ({type(bug).__name__})"), state())
    return entry, state(len(entry.chunks), masked.counts)


def _masked_in(data: bytes, path: str) -> tuple[tuple[str, int], ...]:
    """Count the secrets in a file whose manifest was lost, though not its rows."""
    from indexer.secrets import mask
    from indexer.text import decode

    return mask(decode(data, path).text).counts


def tables_of(place: IndexPlace) -> str:
    """Name the version of tables and chunks, and where they are, as the manifest has it."""
    return f"{FILES} in {place.store.shown}"


def _recovered(place: IndexPlace) -> Manifest:
    """Give a manifest made from the tables; what the last one says of a file holds where the content is the same."""
    last = load(place.manifest)
    if last is None or last.tables != tables_of(place):
        last = Manifest(place.root, tables_of(place))
    files: dict[str, Seen] = {}
    table = place.store.read(["path", "digest", "chunk_start"])
    if table is not None:
        rows = zip(*(table[name].to_pylist() for name in ("path", "digest", "chunk_start")), strict=True)
        for path, digest, starts in rows:
            seen = last.files.get(path)
            is_same = seen is not None and seen.digest == digest
            files[path] = seen if seen is not None and is_same else Seen(-1, 0, 0, digest, len(starts))
    return replace(last, version=place.store.version(), unfinished=False, files=files, skipped=())


class _Run:
    """Hold one run's state: what the manifest will say, and what is not committed yet."""

    def __init__(
        self,
        place: IndexPlace,
        manifest: Manifest,
        read: Callable[[str], bytes],
        committed: Callable[[Commit], None],
        started: int,
        *,
        full: bool,
    ) -> None:
        self.place, self.read, self.committed, self.started, self.full = place, read, committed, started, full
        self.old = manifest
        self.version = manifest.version
        self.files = dict(manifest.files)
        self.skipped = {each.path: (each, seen) for each, seen in manifest.skipped}
        self.entries: list[FileEntry] = []
        self.seen: dict[str, Seen] = {}  # of self.entries
        self.gone: list[str] = []
        self.bytes = 0
        self.since = time.monotonic()
        self.commits = 0
        self.reindexed: list[str] = []
        self.removed: list[str] = []

    def through(self, walked: Walk, progress: Callable[[int, int], None]) -> SyncReport:
        """Do the whole of it."""
        changed, gone = pending(self.old, walked)
        if self.full:
            changed = list(walked.files)
        self.remove(gone)
        try:
            for done, file in enumerate(changed):
                progress(done, len(changed))
                self.take(file)
            progress(len(changed), len(changed))
            self.commit()
        except (IndexerError, OSError):  # the store takes nothing more
            raise
        except BaseException:
            self.keep_what_is_done()
            raise
        return self.finish()

    def remove(self, paths: Sequence[str]) -> None:
        """Take out paths."""
        for path in paths:
            self.skipped.pop(path, None)
            if path in self.files:
                self.gone.append(path)

    def take(self, file: WalkedFile) -> None:
        """Read one file, and parse it unless its content is the one that the index holds."""
        self.skipped.pop(file.path, None)
        found = read_entry(file, self.read, None if self.full else self.files.get(file.path))
        if isinstance(found, Seen):
            self.files[file.path] = found
            return
        if isinstance(found, Unindexed):
            self.remove([file.path])
            if found.skipped is not None:
                self.skipped[file.path] = (found.skipped, found.seen)
            return
        entry, self.seen[file.path] = found
        self.entries.append(entry)
        self.bytes += file.size
        if self.bytes > COMMIT_BYTES or time.monotonic() - self.since > COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Write what has come together: first the manifest's mark, then the tables in one commit."""
        if self.entries or self.gone:
            if not self.commits:
                save(self.place.manifest, self.old.marked())
            self.version = self.place.store.write(self.entries, self.gone)
            self.commits += 1
            self.files.update(self.seen)
            for path in self.gone:
                del self.files[path]
            self.reindexed += self.seen
            self.removed += self.gone
            self.committed(Commit(self.entries, self.seen, self.gone))
            self.entries, self.gone, self.seen = [], [], {}
        self.bytes, self.since = 0, time.monotonic()

    def keep_what_is_done(self) -> None:
        """Commit at the end of a run that is broken off; what cannot be kept is found again by the next."""
        try:
            self.commit()
            # Files that were not looked at again are no surer than they were.
            save(self.place.manifest, replace(self._manifest(), written_ns=self.old.written_ns))
        except (IndexerError, OSError) as error:
            logger.warning("what was read last is not kept: %s", error)

    def finish(self) -> SyncReport:
        """Write the manifest and give the report."""
        if not self.commits and not self.place.store.is_there():  # not one file has a place in it
            self.version = self.place.store.write([])
        manifest = self._manifest()
        save(self.place.manifest, manifest)
        try:
            self._tidy()
        except (IndexerError, OSError) as error:
            logger.warning("the index is not tidied up: %s", error)
        return SyncReport(manifest, tuple(sorted(self.reindexed)), tuple(sorted(self.removed)))

    def _tidy(self) -> None:
        """Clean up the tables now and then, and make the copy of the rows anew when it is much behind."""
        if not self.commits:
            if self.place.store.is_left_grown():
                self.place.store.tidy()
            return
        if self.full or self.place.store.is_tidy_due(self.version, self.commits):
            self.place.store.tidy()
            if self.place.store.is_remote:
                self.version = self.place.store.version()
                save(self.place.manifest, self._manifest())
        is_due = self.full or self.version % SNAPSHOT_VERSIONS < self.commits
        if is_due or len(self.reindexed) > SNAPSHOT_FILES or not (self.place.folder / snapshot.NAME).exists():
            rows = self.place.store.read()
            if rows is not None:
                snapshot.save(self.place.folder, rows, self.old.tables)

    def _manifest(self) -> Manifest:
        return Manifest(
            self.old.root,
            self.old.tables,
            version=self.version,
            written_ns=self.started,
            files=self.files,
            skipped=tuple(self.skipped[path] for path in sorted(self.skipped)),
        )
