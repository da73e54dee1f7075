"""Keep vectors in LanceDB tables, one for each model: ``VectorTables``.

A vector stands for the digest of a text and depends on nothing else, so the worktrees of a repository share a folder
of them. What no index of these holds any more stays for a while, since branches come and go, but not without bound.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer import tables
from indexer.locations import is_remote
from indexer.lock import locked

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

LOCK_SECONDS = 30.0  # that a writer waits for another one, which commits within a second
OTHER_MODELS_DAYS = 14  # that the vectors of another model stay after their last use, where worktrees share them
ORPHAN_DAYS = 30  # that a vector stays which no index holds; at most
ORPHANS = 1.0  # times as many of those as of the others (those of a whole other branch),
OLD_ORPHANS = 0.4  # times as many that have been so for a while, or
FEW_ORPHANS = 20  # this many
WHILE = 600.0  # seconds
SWEEP_DAYS = 1  # between two looks for orphans
GROWTH = 1.25  # times the rows that there were after the last one, which make it due earlier; and
FEW_ROWS = 20  # at least so many more
DAY = 86_400.0

_NOT_A_NAME = re.compile(r"[^a-z0-9]+")
_SWEPT = "swept.json"
_USERS = "users"


class VectorTables:
    """Hold the vectors in a location.

    Args:
        location: folder or URI.
    """

    def __init__(self, location: str) -> None:
        self.location = location

    def read(self, model: str) -> tuple[list[bytes], np.ndarray | None]:
        """Give the digests that a model has embedded, and one row of 8-bit numbers for each; None if there are none."""

        def ask(table: Any) -> tuple[list[bytes], np.ndarray | None]:
            rows = table.search().select(["digest", "vector"]).limit(None).to_arrow()
            column = rows["vector"].combine_chunks()
            flat = column.flatten().to_numpy(zero_copy_only=False)
            return rows["digest"].to_pylist(), flat.reshape(len(rows), column.type.list_size)

        return tables.read(self.location, table_of_model(model), ask) or ([], None)

    def embedded(self, model: str) -> set[bytes]:
        """Give the digests that have a vector of that model."""

        def ask(table: Any) -> set[bytes]:
            return set(table.search().select(["digest"]).limit(None).to_arrow()["digest"].to_pylist())

        return tables.read(self.location, table_of_model(model), ask) or set()

    def add(self, model: str, digests: Sequence[bytes], vectors: np.ndarray) -> None:
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
        with self._alone():
            name = table_of_model(model)
            table = tables.opened(self.location, name)
            if table is not None and table.schema != columns:  # the model has changed behind its name
                tables.dropped(self.location, name)
                table = None
            if table is None:
                table = tables.opened(self.location, name, create=columns)
            with tables.told(self.location):
                table.merge_insert("digest").when_not_matched_insert_all().execute(rows)
            if not is_remote(self.location) and tables.is_grown(self.location, name):
                tables.tidied(self.location, name, alone=True)

    def drop(self, model: str) -> None:
        """Drop the vectors of a model, readable or not."""
        tables.dropped(self.location, table_of_model(model))

    def drop_others(self, model: str) -> None:
        """Drop the vectors of all other models; of those that worktrees share only what is not used any more."""
        kept = table_of_model(model)
        shared = len(self.users()) > 1
        before = time.time() - OTHER_MODELS_DAYS * DAY
        with self._alone():
            for name in tables.names(self.location):
                if name.startswith("vectors_") and name != kept and not (shared and self._used(name) > before):
                    tables.dropped(self.location, name)

    def note_use(self, model: str, user: str) -> None:
        """Remember that the index in ``user``, a folder, uses the vectors of a model; of remote ones nothing is."""
        folder = Path(self.location)
        if is_remote(self.location) or not folder.is_dir():
            return
        with suppress(OSError):
            (folder / f"{table_of_model(model)}.used").touch()
            (folder / _USERS).mkdir(exist_ok=True, mode=0o700)
            name = blake2b(user.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
            path = folder / _USERS / name
            if not path.exists():
                path.write_text(user, encoding="utf-8", errors="surrogateescape")

    def users(self) -> list[str]:
        """Give the folders of the indexes that use these vectors and are still there."""
        if is_remote(self.location):
            return []
        found = []
        with suppress(OSError):
            for path in (Path(self.location) / _USERS).iterdir():
                user = path.read_text(encoding="utf-8", errors="surrogateescape")
                if Path(user).is_dir():
                    found.append(user)
        return found

    def tidy(self, model: str) -> None:
        """Clean up the table of a model if that is due; of a remote one each time."""
        name = table_of_model(model)
        if is_remote(self.location):
            tables.tidied(self.location, name, alone=False)
        elif tables.is_there(self.location, name) and tables.is_grown(self.location, name):
            with self._alone():
                tables.tidied(self.location, name, alone=True)

    def is_sweep_due(self, model: str) -> bool:
        """Say whether it is time to look for vectors that no index holds; of remote ones it is not known."""
        if is_remote(self.location):
            return False
        swept = self._swept(model)
        age = time.time() - swept["at"]
        many = len(swept["orphans"]) > max(OLD_ORPHANS * (swept["rows"] - len(swept["orphans"])), FEW_ORPHANS)
        if age > (WHILE if many else SWEEP_DAYS * DAY):
            return True
        rows = tables.read(self.location, table_of_model(model), lambda table: int(table.count_rows())) or 0
        return bool(rows > max(GROWTH * swept["rows"], swept["rows"] + FEW_ROWS))

    def sweep(self, model: str, live: set[bytes]) -> int:
        """Delete vectors that no index holds: those found so long ago, and the oldest of too many.

        Args:
            model: whose vectors.
            live: digests in any index that uses them.

        Returns:
            How many were deleted.
        """
        name = table_of_model(model)
        with self._alone():
            rows = tables.read(self.location, name, lambda table: table.to_arrow())
            if rows is None:
                return 0
            digests: list[bytes] = rows["digest"].to_pylist()
            now = time.time()
            since = self._swept(model)["orphans"]
            orphans = {digest: since.get(digest.hex(), now) for digest in digests if digest not in live}
            old = {digest for digest, first in orphans.items() if now - first > ORPHAN_DAYS * DAY}
            for share, seconds in ((ORPHANS, 0.0), (OLD_ORPHANS, WHILE)):
                allowed = max(int(share * (len(digests) - len(orphans))), FEW_ORPHANS)
                left = [digest for digest in orphans if digest not in old]  # the first were added first
                too_many = left[: max(0, len(left) - allowed)]
                old.update(digest for digest in too_many if now - orphans[digest] >= seconds)
            if old:
                self._replace(name, rows.filter([digest not in old for digest in digests]))
            kept = {digest.hex(): first for digest, first in orphans.items() if digest not in old}
            self._note(model, {"at": now, "rows": len(digests) - len(old), "orphans": kept})
            return len(old)

    def _replace(self, name: str, rows: pa.Table) -> None:
        with tables.told(self.location):
            tables.connected(self.location).create_table(name, rows, mode="overwrite")
        tables.tidied(self.location, name, alone=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of all who write to these vectors; of a remote location it is somebody else's business."""
        if is_remote(self.location):
            yield
            return
        folder = Path(self.location)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(folder / "lock.vectors", LOCK_SECONDS):
            yield

    def _used(self, name: str) -> float:
        with suppress(OSError):
            return (Path(self.location) / f"{name}.used").stat().st_mtime
        return 0.0

    def _swept(self, model: str) -> dict[str, Any]:
        try:
            noted = json.loads((Path(self.location) / _SWEPT).read_bytes())[table_of_model(model)]
            return {"at": float(noted["at"]), "rows": int(noted["rows"]), "orphans": dict(noted["orphans"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {"at": 0.0, "rows": 0, "orphans": {}}

    def _note(self, model: str, noted: dict[str, Any]) -> None:
        """Write down the sweep of one model; notes of tables that are gone go, too."""
        path = Path(self.location) / _SWEPT
        try:
            others = json.loads(path.read_bytes())
        except (OSError, ValueError):
            others = {}
        there = {name: each for name, each in others.items() if Path(self.location, f"{name}.lance").is_dir()}
        with suppress(OSError):
            new = path.with_name(f"{_SWEPT}.new")
            new.write_text(json.dumps({**there, table_of_model(model): noted}), encoding="utf-8")
            new.replace(path)


def table_of_model(model: str) -> str:
    """Name a model's table: its name as far as a table may have it, and a digest of the whole."""
    plain = _NOT_A_NAME.sub("_", model.lower()).strip("_")[:40]
    return f"vectors_{plain}_{blake2b(model.encode(), digest_size=4).hexdigest()}"


def live_digests(lists: Iterable[Sequence[bytes]]) -> set[bytes]:
    """Give all digests of the rows of an index, of which each has a list."""
    return {digest for digests in lists for digest in digests or ()}
