"""Let one machine at a time write to a store that several use: ``leased``.

No system has a lock for all of them, so the lock is a table of one row in the store itself, changed on condition that
nobody has it; of two changes at once the store's commit refuses one. Whoever dies without giving it back loses it when
its time is over, and whoever has lost it finds out before the next commit. Clocks may differ by a few minutes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from indexer import tables
from indexer.errors import IndexerError
from indexer.lock import StoreLockedError

NAME = "writer_1"
SECONDS = 600.0  # that a lease lasts; it is prolonged by each commit
PAUSE = 1.0  # between two tries
TRIES = 5  # to change a row that is ours, where other commits come between; and to open a table that is being made
TIDY_VERSIONS = 100  # changes of the row between two clean-ups of its table

logger = logging.getLogger(__name__)


class StoreLeasedError(StoreLockedError):
    """Report that another run, on whatever machine, writes to a shared store."""

    def __init__(self) -> None:
        super().__init__("")

    def __str__(self) -> str:
        return "another run is writing the shared index"


class Lease:
    """Hold the right to write to a store.

    Args:
        location: of the store.
    """

    def __init__(self, location: str) -> None:
        self._location = location
        self._me = uuid4().hex
        self._version = 0  # of the row's table when it was taken

    def renew(self) -> None:
        """Prolong the lease.

        Raises:
            StoreLeasedError: it was over, and somebody else has it.
        """
        if not self._change_ours(self._me, time.time() + SECONDS):
            raise StoreLeasedError

    def take(self) -> bool:
        """Take the lease if nobody has it."""
        holder, until = self._row()  # first, as a change of no row is a commit, too
        if holder and until >= time.time():
            return False
        free = f"holder = '' OR until < {time.time():.3f}"
        self._version = self._change(free, self._me, time.time() + SECONDS) or 0
        return bool(self._version)

    def leave(self) -> None:
        """Give it back, if it is still ours, and clean up its table now and then."""
        version = self._change_ours("", 0.0)
        if version // TIDY_VERSIONS > self._version // TIDY_VERSIONS:
            try:
                tables.tidied(self._location, NAME, alone=False)
            except (IndexerError, OSError) as error:
                logger.warning("the lock of the shared store is not tidied up: %s", error)

    def _change_ours(self, holder: str, until: float) -> int:
        """Change the row if it is ours and give the new version; 0 if somebody else has it."""
        for _ in range(TRIES):
            version = self._change(f"holder = '{self._me}'", holder, until)
            if version is not None:
                return version
            if self._row()[0] != self._me:
                return 0
            time.sleep(PAUSE)
        raise tables.StoreUnreachableError(
            self._location, "has too many commits at once to be written; try again later"
        )

    def _change(self, where: str, holder: str, until: float) -> int | None:
        """Change the row where that holds and give the new version; 0 if it does not, None if a commit came between."""
        table = self._table()
        with tables.told(self._location):
            try:
                changed = table.update(where=where, values={"holder": holder, "until": until})
            except Exception as error:
                if "conflict" in str(error).lower():
                    return None
                raise
            return int(changed.version) if changed.rows_updated == 1 else 0

    def _row(self) -> tuple[str, float]:
        table = self._table()
        with tables.told(self._location):
            row = table.to_arrow().to_pylist()[0]
            return str(row["holder"]), float(row["until"])

    def _table(self) -> Any:
        for _ in range(TRIES - 1):
            try:
                return tables.opened(self._location, NAME) or self._made()
            except tables.StoreCorruptError:  # while another makes it, it has its name before it can be opened
                time.sleep(PAUSE)
        return tables.opened(self._location, NAME) or self._made()

    def _made(self) -> Any:
        import pyarrow as pa

        columns = pa.schema([("holder", pa.string()), ("until", pa.float64())])
        row = pa.table({"holder": [""], "until": [0.0]}, schema=columns)
        with tables.told(self._location):
            return tables.connected(self._location).create_table(NAME, row, exist_ok=True)


@contextmanager
def leased(location: str, wait_seconds: float = 0.0) -> Iterator[Lease]:
    """Hold the lease in a block.

    Raises:
        StoreLeasedError: somebody else still has it after the wait.
        StoreUnreachableError: the store does not answer, or may not be written.
    """
    lease = Lease(location)
    deadline = time.monotonic() + wait_seconds
    while not lease.take():
        if time.monotonic() >= deadline:
            raise StoreLeasedError
        time.sleep(PAUSE)
    try:
        yield lease
    finally:
        try:
            lease.leave()
        except (IndexerError, OSError) as error:
            logger.warning("the lock of the shared store stays until its time is over: %s", error)
