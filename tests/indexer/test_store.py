"""The tables: what is written is read, what is gone is gone, what is broken is told in one line."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from indexer.entries import entry_of
from indexer.entry import FileEntry
from indexer.rows import entries_of
from indexer.store import DELETED_AT_ONCE, FILES, Store, StoreCorruptError

ROOT = Path(__file__).parents[2]
AWKWARD = ["it's.py", 'say "hi".py', "a'; DROP TABLE files; --.py", "100%_\\'.py", "说明/文件.py", "a\u00a0b.py"]


def entry(path: str, number: int = 0) -> FileEntry:
    return entry_of(path, f"def work(value):\n    return value + {number}\n", f"{number:032x}")


def paths_in(store: Store) -> list[str]:
    table = store.read(["path"])
    assert table is not None
    return sorted(table["path"].to_pylist())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "s"), str(tmp_path / "v"))


def test_nothing_there_is_asked_without_making_anything(store: Store, tmp_path: Path) -> None:
    assert not store.is_there()
    assert store.version() == 0
    assert store.read() is None
    assert store.vectors("m") == ([], None)
    assert store.embedded("m") == set()
    assert list(tmp_path.iterdir()) == []


def test_x43_the_same_files_written_twice_are_there_once(store: Store) -> None:
    first = store.write([entry("a.py"), entry("b.py")])
    second = store.write([entry("a.py", 1), entry("b.py")])
    assert second > first
    assert store.version() == second
    table = store.read()
    assert table is not None
    assert sorted(entries_of(table), key=lambda each: each.path) == [entry("a.py", 1), entry("b.py")]


def test_x43_names_with_quotes_are_replaced_and_removed_like_others(store: Store) -> None:
    store.write([entry(path) for path in [*AWKWARD, "stays.py"]])
    store.write([entry(AWKWARD[0], 1)], AWKWARD[1:])
    assert paths_in(store) == [AWKWARD[0], "stays.py"]
    store.write([], [AWKWARD[0], "was never there.py"])
    assert paths_in(store) == ["stays.py"]


@pytest.mark.parametrize("changed", [0, 2])
def test_more_are_removed_than_fit_into_one_condition(store: Store, changed: int) -> None:
    gone = [f"d/m{n}'.py" for n in range(DELETED_AT_ONCE + 30)]
    one = entry("x.py")
    store.write([entry("stays.py"), *(FileEntry(path, *_all_but_path(one)) for path in gone)])
    store.write([entry(f"new{n}.py") for n in range(changed)], gone)
    assert paths_in(store) == [*(f"new{n}.py" for n in range(changed)), "stays.py"]


def _all_but_path(each: FileEntry) -> tuple[object, ...]:
    return tuple(getattr(each, name) for name in FileEntry.__slots__ if name != "path")


def test_a_path_that_is_changed_and_removed_in_one_commit_is_there(store: Store) -> None:
    store.write([entry("a.py")])
    store.write([entry("a.py", 1)], ["a.py"])
    assert paths_in(store) == ["a.py"]


def test_tidying_keeps_the_rows_and_drops_tables_of_other_versions(store: Store, tmp_path: Path) -> None:
    import lancedb

    database = lancedb.connect(str(tmp_path / "s"))
    database.create_table("files_0_0", [{"path": "old.py"}])
    for number in range(3):
        store.write([entry("a.py", number)])
    store.tidy()
    assert paths_in(store) == ["a.py"]
    assert not (tmp_path / "s" / "files_0_0.lance").exists()


def test_x57_vectors_of_two_models_are_apart(store: Store) -> None:
    digests = [bytes([n]) * 16 for n in range(3)]
    matrix = np.arange(24, dtype=np.int8).reshape(3, 8)
    store.add_vectors("model:a@1", digests, matrix)
    store.add_vectors("model:a@2", digests[:1], np.ones((1, 4), np.int8))
    store.add_vectors("model:a@1", digests[1:], -matrix[1:])  # those that are there stay
    got, rows = store.vectors("model:a@1")
    assert rows is not None
    assert dict(zip(got, rows.tolist(), strict=True)) == dict(zip(digests, matrix.tolist(), strict=True))
    assert store.embedded("model:a@2") == set(digests[:1])
    store.keep_vectors_of("model:a@2")
    assert store.vectors("model:a@1") == ([], None)
    assert store.embedded("model:a@2") == set(digests[:1])


def test_x57_a_model_that_changed_its_dimension_behind_its_name_begins_anew(store: Store) -> None:
    store.add_vectors("m", [b"a" * 16], np.ones((1, 8), np.int8))
    store.add_vectors("m", [b"b" * 16], np.ones((1, 6), np.int8))
    digests, matrix = store.vectors("m")
    assert digests == [b"b" * 16]
    assert matrix is not None
    assert matrix.shape == (1, 6)


def test_folders_are_the_users_own(store: Store, tmp_path: Path) -> None:
    store.write([entry("a.py")])
    store.add_vectors("m", [b"a" * 16], np.ones((1, 8), np.int8))
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("s", "v")] == [0o700, 0o700]


def test_broken_tables_are_one_error_and_can_be_destroyed_without_the_vectors(store: Store, tmp_path: Path) -> None:
    store.write([entry("a.py")])
    store.add_vectors("m", [b"a" * 16], np.ones((1, 8), np.int8))
    for file in (tmp_path / "s").rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x00broken")
    for ask in (store.version, store.read, lambda: store.write([entry("b.py")])):
        with pytest.raises(StoreCorruptError) as told:
            ask()
        assert "\n" not in str(told.value)
        assert str(tmp_path / "s") in str(told.value)
    store.destroy()
    assert not store.is_there()
    assert store.embedded("m") == {b"a" * 16}
    store.write([entry("b.py")])
    assert paths_in(store) == ["b.py"]


def test_a_folder_that_cannot_be_made_is_the_systems_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="directory") as told:
        Store(str(tmp_path / "file" / "s")).write([entry("a.py")])
    assert not isinstance(told.value, StoreCorruptError)


def test_a_disk_that_takes_nothing_more_is_the_systems_error(tmp_path: Path) -> None:
    script = f"""
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from indexer.entries import entry_of
from indexer.store import Store
store = Store({str(tmp_path / "s")!r})
store.write([])
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
try:
    store.write([entry_of("a.py", "def f():\\n    return 1\\n", "ab")])
except OSError as error:
    sys.exit(error.errno)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=50, check=False
    )
    assert done.returncode == errno.EFBIG
    assert Store(str(tmp_path / "s")).is_there()


def test_the_table_has_its_versions_in_its_name() -> None:
    assert FILES.startswith("files_")
    assert len(FILES.split("_")) == 3
