"""Use an index that others write, without writing to it: ``taken_over``.

Its rows are copied to this machine, and the manifest says which of them hold for the files here: those whose content
has the same digest. All other files count as changed, so that whoever answers questions reads them himself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer import snapshot
from indexer.errors import IndexerError
from indexer.files import MissingFileError
from indexer.indexable import why_not_indexed, why_text_not_indexed
from indexer.lock import locked
from indexer.manifest import Manifest, Seen, digest_of, load, now, save
from indexer.place import IndexPlace
from indexer.sync import SyncReport, current, pending, tables_of
from indexer.tables import StoreUnreachableError
from indexer.tree import Skipped

if TYPE_CHECKING:
    import pyarrow as pa

    from indexer.tree import Walk, WalkedFile

LOOK_SECONDS = 60.0  # between two looks at whether others have written it
SLOW_SECONDS = 1.0  # that a look which failed has taken, after which the next waits as long; others are tried at once
LOOKED = "looked"  # a file in the folder of the index, written at each: empty, or why the store cannot be reached


def is_look_due(place: IndexPlace) -> bool:
    """Say whether it is time to look at what others have written."""
    try:
        return time.time() - (place.folder / LOOKED).stat().st_mtime > LOOK_SECONDS
    except OSError:
        return True


def check_last_look(place: IndexPlace) -> None:
    """Spare whoever waits the time that it takes to find out again that the store does not answer.

    Raises:
        StoreUnreachableError: it did not at the last look, and the next is not due.
    """
    if not is_look_due(place):
        with suppress(OSError):
            reason = (place.folder / LOOKED).read_text(encoding="utf-8")
            if reason:
                raise StoreUnreachableError(place.store.location, reason)


def note_look(place: IndexPlace, trouble: str = "") -> None:
    """Write down that the store was looked at, and what was in the way."""
    with suppress(OSError):
        place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (place.folder / LOOKED).write_text(trouble, encoding="utf-8")


def prepare_to_write(place: IndexPlace) -> None:
    """Let a run that writes ask the tables: the manifest of a copy does not name rows of files that are not here."""
    manifest = load(place.manifest) if (place.folder / LOOKED).exists() else None
    if manifest is not None:
        save(place.manifest, manifest.marked())


def note_written(place: IndexPlace) -> None:
    """Write down that the manifest is that of a run that wrote; what was in the way at the last look is so no more."""
    (place.folder / LOOKED).unlink(missing_ok=True)


def taken_over(
    place: IndexPlace,
    walked: Walk,
    read: Callable[[str], bytes],
    *,
    at_once: bool = False,
    wait_seconds: float = 0.0,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> SyncReport:
    """Bring the copy of a shared index in step with it, and say which of its rows hold here.

    Args:
        place: of the index.
        walked: the files of the project.
        read: gives the bytes of a file.
        at_once: look at the store though it is not time to.
        wait_seconds: for another process of this machine that does the same.
        progress: told how many of how many files were compared.

    Raises:
        StoreUnreachableError: the store does not answer, refuses, or has no index of this project.
        StoreCorruptError, StoreLockedError, OSError: as for ``sync``.
    """
    if not at_once and not is_look_due(place):
        check_last_look(place)
        manifest = current(place)
        if manifest is not None:
            return SyncReport(manifest)
    place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(place.lock, wait_seconds):
        started = now()
        old = current(place)
        version = _version(place)
        is_old = old is not None and old.version == version and (place.folder / snapshot.NAME).exists()
        if old is not None and is_old and not any(pending(old, walked)):
            note_look(place)
            return SyncReport(old)
        copied = snapshot.load(place.folder, tables_of(place)) if is_old else None
        rows, version = _rows(place) if copied is None else (copied, version)
        files, skipped = _compared(rows, old or Manifest(place.root, tables_of(place)), walked, read, progress)
        manifest = Manifest(place.root, tables_of(place), version, False, started, files, skipped)
        if copied is None:
            save(place.manifest, replace(manifest, unfinished=True))
            snapshot.save(place.folder, rows, manifest.tables)
        save(place.manifest, manifest)
        note_look(place)
        return SyncReport(manifest)


def _version(place: IndexPlace) -> int:
    begun = time.monotonic()
    try:
        return place.store.version()
    except StoreUnreachableError as error:
        if time.monotonic() - begun >= SLOW_SECONDS:
            note_look(place, error.reason)
        raise


def _rows(place: IndexPlace) -> tuple[pa.Table, int]:
    found = place.store.read_versioned()
    if found is None:
        raise StoreUnreachableError(
            place.store.location,
            "has no index of this project yet; the job that builds it for all has to run first (docs/shared-index.md)",
        )
    return found


def _compared(
    rows: pa.Table, old: Manifest, walked: Walk, read: Callable[[str], bytes], progress: Callable[[int, int], None]
) -> tuple[dict[str, Seen], tuple[tuple[Skipped, Seen], ...]]:
    """Give the files here that are as their rows say, and those that have no place in an index."""
    lists = (rows[name].to_pylist() for name in ("path", "digest", "chunk_start"))
    there = {path: Seen(-1, 0, 0, digest, len(starts)) for path, digest, starts in zip(*lists, strict=True)}
    left = {each.path: (each, seen) for each, seen in old.skipped}
    unsure = {file.path for file in pending(old, walked)[0]}
    files: dict[str, Seen] = {}
    skipped: list[tuple[Skipped, Seen]] = []
    for done, file in enumerate(walked.files):
        progress(done, len(walked.files))
        row = there.get(file.path)
        if file.path in unsure:
            found = _seen_here(file, read, row)
        else:
            found = old.files.get(file.path) or left[file.path]
        if not isinstance(found, Seen):
            skipped += [found] if found is not None else []
        elif row is not None and row.digest == found.digest:
            files[file.path] = found._replace(chunks=row.chunks)
    return files, tuple(skipped)


def _seen_here(file: WalkedFile, read: Callable[[str], bytes], row: Seen | None) -> Seen | tuple[Skipped, Seen] | None:
    """Read a file: give its state, with the reason if it has no place in an index; None if it is gone.

    Secrets are counted only where the row holds: all others are read again by whoever needs them.
    """
    from indexer.secrets import mask
    from indexer.text import decode

    state = Seen(file.size, file.mtime_ns, file.ctime_ns, "")
    reason = why_not_indexed(file.path, file.size)
    if reason:
        return Skipped(file.path, "unsupported", reason), state
    try:
        data = read(file.path)
        state = state._replace(digest=digest_of(data))
        text = decode(data, file.path).text
    except MissingFileError:
        return None
    except IndexerError as error:
        return Skipped(file.path, error.category, str(error)), state
    if row is not None and row.digest == state.digest:
        return state._replace(masked=mask(text).counts)
    reason = why_text_not_indexed(file.path, text)
    return (Skipped(file.path, "unsupported", reason), state) if reason else state
