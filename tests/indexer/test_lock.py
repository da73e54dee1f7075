"""One process at a time holds the lock, and no process that is dead."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer.lock import StoreLockedError, locked

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from indexer.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def held_elsewhere(path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-c", HOLD, str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate(timeout=20)


def test_x58_another_process_waits_is_told_who_holds_it_and_gets_it_when_that_dies(tmp_path: Path) -> None:
    other = held_elsewhere(tmp_path / "lock")
    begun = time.monotonic()
    with pytest.raises(StoreLockedError, match=f"process {other.pid}") as told, locked(tmp_path / "lock", 0.15):
        pass
    assert time.monotonic() - begun >= 0.15
    assert told.value.category == "store_locked"
    ended(other)
    with locked(tmp_path / "lock"):
        assert (tmp_path / "lock").read_text(encoding="ascii") == str(os.getpid())


def test_the_same_process_cannot_hold_it_twice(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"):
        with pytest.raises(StoreLockedError), locked(tmp_path / "lock"):
            pass
        with pytest.raises(StoreLockedError), locked(tmp_path / "lock"):
            pass
    with locked(tmp_path / "lock"):
        pass


def test_it_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), locked(tmp_path / "lock"):
        raise ValueError("inside")
    with locked(tmp_path / "lock"):
        pass


def test_a_lock_whose_file_was_deleted_counts_for_nothing(tmp_path: Path) -> None:
    other = held_elsewhere(tmp_path / "lock")
    (tmp_path / "lock").unlink()
    with locked(tmp_path / "lock"), pytest.raises(StoreLockedError), locked(tmp_path / "lock"):
        pass
    ended(other)


def test_the_wait_ends_in_time_although_the_file_is_replaced(tmp_path: Path) -> None:
    other = held_elsewhere(tmp_path / "lock")
    (tmp_path / "new").write_text("", encoding="ascii")
    (tmp_path / "new").replace(tmp_path / "lock")
    with locked(tmp_path / "lock", 5):
        pass
    ended(other)


def test_a_folder_that_is_not_there_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(tmp_path / "missing" / "lock"):
        pass
