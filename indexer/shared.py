"""Use an index that others write, without writing to it: ``taken_over``.

Its rows are copied to this machine, and the manifest says which of them hold for the files here: those whose content
has the same digest. All other files count as changed, so that whoever answers questions reads them himself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from indexer import snapshot
from indexer.errors import IndexerError
from indexer.indexable import why_not_indexed
from indexer.lock import locked
from indexer.manifest import Manifest, Seen, now, save
from indexer.place import IndexPlace
from indexer.sync import SyncReport, current, pending, tables_of

if TYPE_CHECKING:
    import pyarrow as pa

    from indexer.tree import Walk, WalkedFile

LOOK_SECONDS = 60.0  # between two looks at whether others have written it
LOOKED = "looked"  # a file in the folder of the index, touched at each


def is_look_due(place: IndexPlace) -> bool:
    """Say whether it is time to look at what others have written."""
    try:
        return time.time() - (place.folder / LOOKED).stat().st_mtime > LOOK_SECONDS
    except OSError:
        return True


def taken_over(
    place: IndexPlace,
    walked: Walk,
    read: Callable[[str], bytes],
    *,
    wait_seconds: float = 0.0,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> SyncReport:
    """Bring the copy of a shared index in step with it, and say which of its rows hold here.

    Args:
        place: of the index.
        walked: the files of the project.
        read: gives the bytes of a file.
        wait_seconds: for another process of this machine that does the same.
        progress: told how many of how many files were compared.

    Raises:
        StoreUnreachableError: the store does not answer, refuses, or has no index of this project.
        StoreCorruptError, StoreLockedError, OSError: as for ``sync``.
    """
    if not is_look_due(place):
        manifest = current(place)
        if manifest is not None:
            return SyncReport(manifest)
    place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(place.lock, wait_seconds):
        started = now()
        old = current(place)
        version = place.store.version()
        if old is not None and old.version == version and (place.folder / snapshot.NAME).exists():
            _note_look(place)
            return SyncReport(old)
        rows, version = _rows(place)
        digests = dict(zip(rows["path"].to_pylist(), rows["digest"].to_pylist(), strict=True))
        counts = dict(zip(rows["path"].to_pylist(), map(len, rows["chunk_start"].to_pylist()), strict=True))
        unsure = {file.path for file in (pending(old, walked)[0] if old is not None else walked.files)}
        files: dict[str, Seen] = {}
        for done, file in enumerate(walked.files):
            progress(done, len(walked.files))
            digest = digests.get(file.path)
            if digest is None or why_not_indexed(file.path, file.size):
                continue
            if file.path not in unsure and old is not None and file.path in old.files:
                here = old.files[file.path].digest
            else:
                here = _digest(file, read)
            if here == digest:
                files[file.path] = Seen(file.size, file.mtime_ns, file.ctime_ns, digest, counts[file.path])
        manifest = Manifest(place.root, tables_of(place), version=version, written_ns=started, files=files)
        save(place.manifest, replace(manifest, unfinished=True))
        snapshot.save(place.folder, rows, manifest.tables)
        save(place.manifest, manifest)
        _note_look(place)
        return SyncReport(manifest)


def _rows(place: IndexPlace) -> tuple[pa.Table, int]:
    found = place.store.read_versioned()
    if found is None:
        from indexer.store import StoreUnreachableError

        raise StoreUnreachableError(place.store.location, "has no index of this project yet; `codectx index` makes it")
    return found


def _digest(file: WalkedFile, read: Callable[[str], bytes]) -> str:
    try:
        return blake2b(read(file.path), digest_size=16).hexdigest()
    except IndexerError:  # whoever reads it again is told
        return ""


def _note_look(place: IndexPlace) -> None:
    with suppress(OSError):
        (place.folder / LOOKED).touch()
