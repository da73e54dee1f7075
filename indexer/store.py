"""Keep entries and vectors in LanceDB tables: ``Store``. The only module that knows LanceDB.

A store is a folder, or any location that LanceDB takes (``s3://``, ``gs://``, ``az://``, ``db://``). It can be
deleted at any time: it holds nothing that the files do not. Every change of files is one commit, so that a reader
never sees half of it; who may write is settled elsewhere.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.entry import CHUNKER_VERSION, FileEntry
from indexer.errors import IndexerError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.table import Table

SCHEMA_VERSION = 1  # of the tables; an index of another version is built anew
FILES = f"files_{SCHEMA_VERSION}_{CHUNKER_VERSION}"
DELETED_AT_ONCE = 500  # paths in one condition; with more, files that are gone are removed by a commit of their own
KEPT_VERSIONS = timedelta(hours=1)  # a reader that opened the table before has long read it
_NOT_A_NAME = re.compile(r"[^a-z0-9]+")
_OF_SYSTEM = re.compile(r"\(os error (\d+)\)")  # how LanceDB tells of what the system has refused
_NOT_BROKEN = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EFBIG, errno.EMFILE, errno.ENFILE}
)


class StoreCorruptError(IndexerError):
    """Report that the store cannot be read, though it is there."""

    category = "store_corrupt"

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(location, reason)
        self.location = location
        self.reason = reason

    def __str__(self) -> str:
        return f"the index in {self.location} cannot be used ({self.reason})"


class Store:
    """Hold the tables of one project: ``files``, and one of vectors for each model.

    Args:
        location: folder or URI of the tables.
        vectors: the same of the vectors, which several projects may share; ``location`` if left out.
    """

    def __init__(self, location: str, vectors: str = "") -> None:
        self.location = location
        self._vectors = vectors or location

    def is_there(self) -> bool:
        """Say whether there is a table of files, without loading LanceDB; of a remote store it is not known."""
        if self.is_remote:
            return True
        versions = Path(self.location, f"{FILES}.lance", "_versions")
        return versions.is_dir() and any(versions.iterdir())

    @property
    def is_remote(self) -> bool:
        """Say whether the tables are on another machine, where others may read them."""
        return "://" in self.location

    def version(self) -> int:
        """Give the number of the last commit of the files, 0 if there are none."""
        table = self._open(self.location, FILES)
        if table is None:
            return 0
        with _told(self.location):
            return int(table.version)

    def read(self, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Give all rows as ``indexer.rows`` makes them, None if there is no table."""
        table = self._open(self.location, FILES)
        if table is None:
            return None
        with _told(self.location):
            return _rows(table, columns)

    def write(self, changed: Sequence[FileEntry], removed: Sequence[str] = ()) -> int:
        """Put in entries in place of those of the same paths, take out others, and give the new version.

        Raises:
            StoreCorruptError: the table cannot be used.
            OSError: the system does not let it be written.
        """
        from indexer.rows import schema, table_of

        table = self._open(self.location, FILES, create=schema())
        with _told(self.location):
            gone = list(removed)
            now = gone if len(gone) <= DELETED_AT_ONCE else []
            if changed or now:
                merge = table.merge_insert("path").when_matched_update_all().when_not_matched_insert_all()
                if now:
                    merge = merge.when_not_matched_by_source_delete(_any_of("path", now))
                merge.execute(table_of(changed))
            for at in range(0, 0 if now else len(gone), DELETED_AT_ONCE):
                table.delete(_any_of("path", gone[at : at + DELETED_AT_ONCE]))
            return int(table.version)

    def tidy(self) -> None:
        """Join small files and drop versions that nobody reads any more; drop tables of other schemas."""
        with _told(self.location):
            database = _connected(self.location)
            for name in _names(database):
                if name.startswith("files_") and name != FILES:
                    database.drop_table(name)
            table = self._open(self.location, FILES)
            if table is not None:
                table.optimize(cleanup_older_than=KEPT_VERSIONS)

    def vectors(self, model: str) -> tuple[list[bytes], np.ndarray | None]:
        """Give the digests that a model has embedded, and one row of 8-bit numbers for each; None if there are none."""
        table = self._open(self._vectors, _table_of_model(model))
        if table is None:
            return [], None
        with _told(self._vectors):
            rows = _rows(table, ["digest", "vector"])
            column = rows["vector"].combine_chunks()
            flat = column.flatten().to_numpy(zero_copy_only=False)
            return rows["digest"].to_pylist(), flat.reshape(len(rows), column.type.list_size)

    def embedded(self, model: str) -> set[bytes]:
        """Give the digests that have a vector of that model."""
        table = self._open(self._vectors, _table_of_model(model))
        if table is None:
            return set()
        with _told(self._vectors):
            return set(_rows(table, ["digest"])["digest"].to_pylist())

    def add_vectors(self, model: str, digests: Sequence[bytes], vectors: np.ndarray) -> None:
        """Add vectors of 8-bit numbers, one row for each digest; those that are there already stay."""
        import pyarrow as pa

        dimension = int(vectors.shape[1])
        columns = pa.schema(
            [("digest", pa.binary(16)), ("model", pa.string()), ("vector", pa.list_(pa.int8(), dimension))]
        )
        rows = pa.table(
            [
                pa.array(list(digests), pa.binary(16)),
                pa.array([model] * len(digests), pa.string()),
                pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1), pa.int8()), dimension),
            ],
            schema=columns,
        )
        table = self._open(self._vectors, _table_of_model(model))
        if table is not None and table.schema != columns:  # the model has changed behind its name
            self.drop_vectors(model)
            table = None
        if table is None:
            table = self._open(self._vectors, _table_of_model(model), create=columns)
        with _told(self._vectors):
            table.merge_insert("digest").when_not_matched_insert_all().execute(rows)

    def drop_vectors(self, model: str) -> None:
        """Drop the vectors of a model, readable or not."""
        _dropped(self._vectors, _table_of_model(model))

    def keep_vectors_of(self, model: str) -> None:
        """Drop the vectors of all other models, once those of this one are complete."""
        with _told(self._vectors):
            database = _connected(self._vectors)
            for name in _names(database):
                if name.startswith("vectors_") and name != _table_of_model(model):
                    database.drop_table(name)
            table = self._open(self._vectors, _table_of_model(model))
            if table is not None:
                table.optimize(cleanup_older_than=KEPT_VERSIONS)

    def destroy(self) -> None:
        """Delete the table of files, readable or not, so that the next run builds it anew; vectors stay.

        Raises:
            StoreCorruptError, OSError: it cannot be deleted either.
        """
        _dropped(self.location, FILES)

    def _open(self, location: str, name: str, create: pa.Schema | None = None) -> Any:
        if "://" not in location:
            if create is not None:
                Path(location).mkdir(parents=True, exist_ok=True, mode=0o700)
            elif not Path(location).is_dir():
                return None  # to connect would make the folder
        with _told(location):
            database = _connected(location)
            if create is not None:
                return database.create_table(name, schema=create, exist_ok=True)
            if name not in _names(database):
                return None
            return database.open_table(name)


def _dropped(location: str, name: str) -> None:
    with _told(location):
        if "://" in location:
            database = _connected(location)
            if name in _names(database):
                database.drop_table(name)
            return
        from shutil import rmtree

        folder = Path(location, f"{name}.lance")
        if folder.exists():
            rmtree(folder)


def _rows(table: Table, columns: Sequence[str] | None) -> pa.Table:
    return table.to_arrow() if columns is None else table.search().select(list(columns)).limit(None).to_arrow()


def _any_of(column: str, values: Sequence[str]) -> str:
    quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    return f"{column} IN ({quoted})"


def _table_of_model(model: str) -> str:
    """Name a model's table: its name as far as a table may have it, and a digest of the whole."""
    from hashlib import blake2b

    plain = _NOT_A_NAME.sub("_", model.lower()).strip("_")[:40]
    return f"vectors_{plain}_{blake2b(model.encode(), digest_size=4).hexdigest()}"


def _names(database: DBConnection) -> list[str]:
    names: list[str] = []
    token = None
    while True:
        page = database.list_tables(page_token=token, limit=1000)
        names += page.tables
        token = page.page_token
        if not token:
            return names


def _connected(location: str) -> DBConnection:
    import lancedb  # which takes seconds

    database: DBConnection = lancedb.connect(location)
    return database


@contextmanager
def _told(location: str) -> Iterator[None]:
    """Turn whatever LanceDB raises into one error of ours, but leave what the system has said as it is."""
    try:
        yield
    except IndexerError:
        raise
    except Exception as error:  # its Rust side raises RuntimeError, OSError, ValueError and more for one and the same
        said = _OF_SYSTEM.search(str(error))
        number = int(said[1]) if said else getattr(error, "errno", None) or 0
        if number in _NOT_BROKEN:
            raise OSError(number, os.strerror(number), location) from error
        reason = str(error).strip().split("\n", 1)[0][:200] or type(error).__name__
        raise StoreCorruptError(location, reason) from error
