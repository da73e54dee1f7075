"""The copy of the rows is read as it was written, or not at all."""

from pathlib import Path

import pyarrow as pa
import pytest

from indexer import snapshot
from indexer.entries import entry_of
from indexer.rows import entries_of, table_of

ENTRIES = [entry_of(f"m{n}.py", f"def work_{n}(value):\n    return value + {n}\n", f"{n:032x}") for n in range(3)]


def test_comes_back_as_it_was(tmp_path: Path) -> None:
    snapshot.save(tmp_path, table_of(ENTRIES), "files_1_1 in here")
    table = snapshot.load(tmp_path, "files_1_1 in here")
    assert table is not None
    assert list(entries_of(table)) == ENTRIES
    assert [path.name for path in tmp_path.iterdir()] == [snapshot.NAME]
    assert (tmp_path / snapshot.NAME).stat().st_mode & 0o777 == 0o600


def test_one_of_other_tables_is_none(tmp_path: Path) -> None:
    snapshot.save(tmp_path, table_of(ENTRIES), "files_1_1 in here")
    assert snapshot.load(tmp_path, "files_1_2 in here") is None
    snapshot.save(tmp_path, pa.table({"path": ["a"]}), "files_1_2 in here")
    assert snapshot.load(tmp_path, "files_1_2 in here") is None


@pytest.mark.parametrize("kept", [0, 7, 100, -20])
def test_one_that_is_cut_off_or_not_there_is_none(tmp_path: Path, kept: int) -> None:
    assert snapshot.load(tmp_path, "t") is None
    snapshot.save(tmp_path, table_of(ENTRIES), "t")
    data = (tmp_path / snapshot.NAME).read_bytes()
    (tmp_path / snapshot.NAME).write_bytes(data[:kept])
    assert snapshot.load(tmp_path, "t") is None


def test_a_save_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / snapshot.NAME).mkdir()
    with pytest.raises(OSError, match=snapshot.NAME):
        snapshot.save(tmp_path, table_of(ENTRIES), "t")
    assert [path.name for path in tmp_path.iterdir()] == [snapshot.NAME]
    with pytest.raises(OSError, match="missing"):
        snapshot.save(tmp_path / "missing", table_of(ENTRIES), "t")
