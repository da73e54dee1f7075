"""Keep entries and vectors in LanceDB tables: ``Store``.

A store is a folder, or any location that LanceDB takes (``s3://``, ``gs://``, ``az://``, ``db://``). It can be
deleted at any time: it holds nothing that the files do not. A file's row goes in and out whole, so that a reader never
sees half of one; who may write is settled elsewhere. How tables are opened and tidied up is ``indexer.tables``'.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer import tables
from indexer.locations import is_remote, shown
from indexer.tables import StoreCorruptError, StoreUnreachableError
from indexer.vector_tables import VectorTables, live_digests
from indexer.versions import CHUNKER_VERSION, FILES, SCHEMA_VERSION

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from indexer.entry import FileEntry
    from indexer.lease import Lease

__all__ = ["FILES", "Store", "StoreCorruptError", "StoreUnreachableError"]

DELETED_AT_ONCE = 500  # paths in one condition; with more, files that are gone are removed by a commit of their own
OLD_SECONDS = 86_400.0  # without a commit, after which a table of an older version is dropped: its codectx is gone
LATER_SECONDS = 300.0  # after the last commit, when nobody reads an older version any more
TIDY_VERSIONS = 20  # commits between two clean-ups of a remote store, whose size would take many requests


class Store:
    """Hold the tables of one project: ``files``, and one of vectors for each model.

    Args:
        location: folder or URI of the tables.
        vectors: the same of the vectors, which several projects may share; ``location`` if left out.

    Attributes:
        publishes: whether what is indexed here is written to a remote store; else that is only read.
    """

    def __init__(self, location: str, vectors: str = "") -> None:
        self.location = location
        self._vectors = vectors or location
        self._tables = VectorTables(self._vectors)
        self._lease: Lease | None = None
        self.publishes = True

    @property
    def shown(self) -> str:
        """Give the location as it may be shown, without credentials."""
        return shown(self.location)

    @property
    def vectors_location(self) -> str:
        """Give where the vectors lie."""
        return self._vectors

    def is_there(self) -> bool:
        """Say whether there is a table of files, without loading LanceDB; of a remote store it is not known."""
        return tables.is_there(self.location, FILES)

    @property
    def is_remote(self) -> bool:
        """Say whether the tables are on another machine, where others may read them."""
        return is_remote(self.location)

    def version(self) -> int:
        """Give the number of the last commit of the files, 0 if there are none."""
        return tables.read(self.location, FILES, lambda table: int(table.version)) or 0

    def read(self, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Give all rows as ``indexer.rows`` makes them, None if there is no table."""
        return tables.read(self.location, FILES, lambda table: _rows(table, columns))

    def read_versioned(self) -> tuple[pa.Table, int] | None:
        """Give all rows with the number of the commit that they are of, None if there is no table."""
        return tables.read(self.location, FILES, lambda table: (_rows(table, None), int(table.version)))

    @contextmanager
    def written_by_us(self, wait_seconds: float = 0.0) -> Iterator[None]:
        """Keep other machines from writing to a remote store in a block; a local one has its own lock.

        Raises:
            StoreLockedError: another machine is writing, still after the wait.
        """
        if not self.is_remote:
            yield
            return
        from indexer.lease import leased

        with leased(self.location, wait_seconds) as lease:
            self._lease = lease
            try:
                yield
            finally:
                self._lease = None

    def write(self, changed: Sequence[FileEntry], removed: Sequence[str] = ()) -> int:
        """Put in entries in place of those of the same paths, take out others, and give the new version.

        Raises:
            StoreCorruptError: the table cannot be used.
            StoreUnreachableError: it is remote and does not answer, or may not be written.
            OSError: the system does not let it be written.
        """
        from indexer.rows import schema, table_of

        if self._lease is not None:
            self._lease.renew()
        table = tables.opened(self.location, FILES, create=schema())
        with tables.told(self.location):
            gone = list(removed)
            now = gone if len(gone) <= DELETED_AT_ONCE else []
            if changed and not now and table.count_rows() == 0:  # nothing to compare with, which saves time
                table.add(table_of(changed))
            elif changed or now:
                merge = table.merge_insert("path").when_matched_update_all().when_not_matched_insert_all()
                if now:
                    merge = merge.when_not_matched_by_source_delete(_any_of("path", now))
                merge.execute(table_of(changed))
            for at in range(0, 0 if now else len(gone), DELETED_AT_ONCE):
                table.delete(_any_of("path", gone[at : at + DELETED_AT_ONCE]))
            return int(table.version)

    def is_tidy_due(self, version: int, commits: int) -> bool:
        """Say whether a clean-up is due.

        Args:
            version: of the last commit.
            commits: those of the run that has just ended.
        """
        if self.is_remote:
            return version % TIDY_VERSIONS < commits
        return tables.is_grown(self.location, FILES)

    def is_left_grown(self) -> bool:
        """Say whether a clean-up is due though the last commit is some time ago; costs next to nothing."""
        versions = Path(self.location, f"{FILES}.lance", "_versions")
        if self.is_remote or not versions.is_dir():
            return False
        return time.time() - versions.stat().st_mtime > LATER_SECONDS and tables.is_grown(self.location, FILES)

    def tidy(self) -> None:
        """Join small files and drop versions that nobody reads any more; drop old tables of older versions of codectx.

        Called by whoever holds the writers' lock.
        """
        for name in [] if self.is_remote else tables.names(self.location):
            if is_older(name) and self._is_left(name):
                tables.dropped(self.location, name)
        tables.tidied(self.location, FILES, alone=True)

    def _is_left(self, name: str) -> bool:
        versions = Path(self.location, f"{name}.lance", "_versions")
        return not versions.is_dir() or time.time() - versions.stat().st_mtime > OLD_SECONDS

    def vectors(self, model: str) -> tuple[list[bytes], np.ndarray | None]:
        """Give the digests that a model has embedded, and one row of 8-bit numbers for each; None if there are none."""
        return self._tables.read(model)

    def embedded(self, model: str) -> set[bytes]:
        """Give the digests that have a vector of that model."""
        return self._tables.embedded(model)

    def add_vectors(self, model: str, digests: Sequence[bytes], vectors: np.ndarray) -> None:
        """Add vectors of 8-bit numbers, one row for each digest; those that are there already stay."""
        self._tables.add(model, digests, vectors)

    def drop_vectors(self, model: str) -> None:
        """Drop the vectors of a model, readable or not."""
        self._tables.drop(model)

    def keep_vectors_of(self, model: str) -> None:
        """Drop the vectors of all other models, once those of this one are complete.

        Where worktrees share them, others stay as long as one of these has used them not long ago.
        """
        self._tables.drop_others(model)
        if self.is_remote:
            self._tables.tidy(model)

    def tidy_vectors(self, model: str) -> int:
        """Note that this index uses a model's vectors, delete now and then those that no index holds: give how many.

        An index of the same repository that cannot be read now keeps all of them.
        """
        self._tables.note_use(model, self.location)
        if not self.is_remote:
            self._tables.tidy(model)
        if not self._tables.is_sweep_due(model):
            return 0
        live: set[bytes] = set()
        for location in {self.location, *self._tables.users()}:
            rows = tables.read(location, FILES, lambda table: _rows(table, ["chunk_digest"]))
            live |= live_digests(rows["chunk_digest"].to_pylist()) if rows is not None else set()
        return self._tables.sweep(model, live)

    def destroy(self) -> None:
        """Delete the table of files, readable or not, so that the next run builds it anew; vectors stay.

        Raises:
            StoreCorruptError, OSError: it cannot be deleted either.
        """
        tables.dropped(self.location, FILES)

    def drop_all(self) -> None:
        """Delete all tables at this location but the lock's, which whoever calls this holds."""
        for name in tables.names(self.location):
            if name.startswith(("files_", "vectors_")):
                tables.dropped(self.location, name)

    def size(self) -> int:
        """Give the bytes of the tables of files and what lies beside them; 0 of a remote store."""
        return 0 if self.is_remote else tables.size_of(Path(self.location))

    def vectors_size(self) -> int:
        """Give the bytes of the vectors where they lie apart, 0 otherwise."""
        return 0 if self._vectors == self.location or is_remote(self._vectors) else tables.size_of(Path(self._vectors))


def is_older(name: str) -> bool:
    """Say whether a table holds files for an older version of codectx; one of a newer version is left to that."""
    kind, _, version = name.partition("_")
    try:
        return kind == "files" and tuple(map(int, version.split("_"))) < (SCHEMA_VERSION, CHUNKER_VERSION)
    except ValueError:
        return False


def _rows(table: Any, columns: Sequence[str] | None) -> pa.Table:
    rows: pa.Table = (
        table.to_arrow() if columns is None else table.search().select(list(columns)).limit(None).to_arrow()
    )
    return rows


def _any_of(column: str, values: Sequence[str]) -> str:
    quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    return f"{column} IN ({quoted})"
