"""Keep a copy of an index's rows that is read without LanceDB: ``save`` and ``load``.

Loading LanceDB takes two seconds, the copy a tenth of one. It may be behind the tables: each row has the digest of its
file, so whoever loads it sees which rows still hold. Like all of the store it can be deleted at any time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "rows.arrow"


def save(folder: Path, table: pa.Table, tables: str) -> None:
    """Write rows as a whole or not at all.

    Args:
        folder: to write to.
        table: the rows.
        tables: names the version of the tables, as in the manifest.

    Raises:
        OSError: the folder cannot be written to.
    """
    import pyarrow as pa
    from pyarrow import ipc

    marked = table.replace_schema_metadata({"tables": tables})
    with tempfile.NamedTemporaryFile(dir=folder, prefix=NAME, delete=False) as file:
        written = Path(file.name)
    try:
        options = ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(str(written), "wb") as sink, ipc.new_file(sink, marked.schema, options=options) as writer:
            writer.write_table(marked)
        written.replace(folder / NAME)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def load(folder: Path, tables: str) -> pa.Table | None:
    """Read the rows; None if there are none, or none of that version that can be read."""
    import pyarrow as pa
    from pyarrow import ipc

    from indexer.rows import schema

    try:
        with pa.OSFile(str(folder / NAME), "rb") as source:
            table = ipc.open_file(source).read_all()
    except (OSError, pa.ArrowException):
        return None
    if (table.schema.metadata or {}).get(b"tables") != tables.encode() or table.schema.names != schema().names:
        return None
    return table
