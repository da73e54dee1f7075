"""One writer at a time: what comes between two changes of the lock's row costs nobody the lease."""

import logging
from pathlib import Path
from typing import Any

import pytest

from indexer import lease as lease_module
from indexer import tables
from indexer.lease import NAME, Lease, StoreLeasedError, leased


@pytest.fixture
def location(tmp_path: Path) -> str:
    """Give a folder, which the lease does not tell from a bucket."""
    return str(tmp_path)


def version_of(location: str) -> int:
    return int(tables.opened(location, NAME).version)


def refuse(monkeypatch: pytest.MonkeyPatch, lease: Lease, times: int) -> None:
    """Let some changes fail as they do when another commit came between."""
    left = [times]
    table_of = lease._table

    class Refusing:
        def __init__(self, table: Any) -> None:
            self.table = table

        def __getattr__(self, name: str) -> Any:
            return getattr(self.table, name)

        def update(self, **words: Any) -> Any:
            if left[0]:
                left[0] -= 1
                raise RuntimeError("Retryable commit conflict for version 3")
            return self.table.update(**words)

    monkeypatch.setattr(lease, "_table", lambda: Refusing(table_of()))
    monkeypatch.setattr(lease_module, "PAUSE", 0.0)


def test_a_commit_that_comes_between_costs_no_lease(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, other = Lease(location), Lease(location)
    assert ours.take()
    refuse(monkeypatch, ours, 2)
    ours.renew()
    assert not other.take()
    refuse(monkeypatch, ours, 2)
    ours.leave()
    assert other.take()
    refuse(monkeypatch, ours, 2)
    with pytest.raises(StoreLeasedError):
        ours.renew()


def test_waiting_for_a_lease_commits_nothing(location: str) -> None:
    ours, other = Lease(location), Lease(location)
    assert ours.take()
    before = version_of(location)
    assert not other.take()
    assert version_of(location) == before


def test_a_lease_is_given_back_though_its_table_cannot_be_tidied_up(
    location: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tidied = []

    def fails(*_: object, **__: object) -> None:
        tidied.append(True)
        raise tables.StoreCorruptError(location, "no clean-up today")

    monkeypatch.setattr(lease_module, "TIDY_VERSIONS", 2)
    monkeypatch.setattr(tables, "tidied", fails)
    with caplog.at_level(logging.WARNING), leased(location) as lease:
        lease.renew()
        lease.renew()
        assert not tidied
    assert tidied
    assert "not tidied up" in caplog.text
    assert "stays until" not in caplog.text
    assert Lease(location).take()
