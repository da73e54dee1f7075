"""The tables: what is written is read, what is gone is gone, what is broken is told in one line."""

import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from indexer import tables, vector_tables
from indexer.entries import entry_of
from indexer.entry import FileEntry
from indexer.rows import entries_of
from indexer.store import DELETED_AT_ONCE, OLD_SECONDS, Store, StoreCorruptError
from indexer.vector_tables import DAY, VectorTables, table_of_model
from indexer.versions import FILES

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
    database.create_table("files_999_1", [{"path": "of a newer codectx.py"}])
    store.tidy()
    assert (tmp_path / "s" / "files_0_0.lance").exists()  # it may be in use
    past = time.time() - OLD_SECONDS - 1
    for name in ("files_0_0", "files_999_1"):
        os.utime(tmp_path / "s" / f"{name}.lance" / "_versions", (past, past))
    store.tidy()
    assert paths_in(store) == ["a.py"]
    assert not (tmp_path / "s" / "files_0_0.lance").exists()
    assert (tmp_path / "s" / "files_999_1.lance").exists()


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


# --- what it takes on disk


def test_many_commits_leave_few_files_and_little_more_than_one(store: Store, tmp_path: Path) -> None:
    store.write([entry(f"m{number}.py") for number in range(40)])
    store.tidy()
    fresh, most = store.size(), 0
    for number in range(60):
        version = store.write([entry(f"m{number % 40}.py", number)])
        if store.is_tidy_due(version, 1):
            store.tidy()
        most = max(most, store.size())
    assert most <= 3 * fresh
    past = time.time() - 600
    os.utime(tmp_path / "s" / f"{FILES}.lance" / "_versions", (past, past))
    if store.is_left_grown():
        store.tidy()
    assert store.size() <= 1.5 * fresh
    assert sum(1 for path in (tmp_path / "s").rglob("*") if path.is_file()) < 3 * tables.COMMITS
    assert len(paths_in(store)) == 40


def test_a_reader_is_not_disturbed_by_a_clean_up(store: Store) -> None:
    store.write([entry(f"m{number}.py") for number in range(20)])
    over = threading.Event()
    failed: list[BaseException] = []
    counts: set[int] = set()

    def reads() -> None:
        try:
            while not over.is_set():
                table = store.read()
                assert table is not None
                counts.add(len(table))
        except BaseException as error:
            failed.append(error)

    reader = threading.Thread(target=reads)
    reader.start()
    for number in range(40):
        store.write([entry(f"m{number % 20}.py", number)])
        store.tidy()
    over.set()
    reader.join(30)
    assert failed == []
    assert counts == {20}


def test_what_writers_that_died_have_left_is_cleaned_up(store: Store, tmp_path: Path) -> None:
    store.write([entry("a.py")])
    left = tmp_path / "s" / f"{FILES}.lance" / "data" / "0123.lance"
    left.write_bytes(b"half a file")
    store.write([entry("b.py")])
    store.tidy()
    assert not left.exists()
    assert paths_in(store) == ["a.py", "b.py"]


# --- vectors that nobody needs


def add_vectors(store: Store, model: str, digests: list[bytes]) -> None:
    store.add_vectors(model, digests, np.ones((len(digests), 8), np.int8))


def digests_in(store: Store) -> list[bytes]:
    table = store.read(["chunk_digest"])
    assert table is not None
    return [digest for digests in table["chunk_digest"].to_pylist() for digest in digests]


def strange(count: int, first: int = 0) -> list[bytes]:
    """Give digests of chunks that are in no index."""
    return [number.to_bytes(16, "big") for number in range(first, first + count)]


def pass_days(tmp_path: Path, days: float) -> None:
    """Let the notes on vectors be so much older."""
    import json

    path = tmp_path / "v" / "swept.json"
    notes = json.loads(path.read_text(encoding="utf-8"))
    for note in notes.values():
        note["at"] -= days * DAY
        note["orphans"] = {digest: at - days * DAY for digest, at in note["orphans"].items()}
    path.write_text(json.dumps(notes), encoding="utf-8")


def test_vectors_in_no_index_stay_for_a_while_and_go_then(store: Store, tmp_path: Path) -> None:
    store.write([entry(f"m{number}.py", number) for number in range(10)])
    live = digests_in(store)
    add_vectors(store, "m", [*live, *strange(5)])
    assert store.tidy_vectors("m") == 0  # another branch may bring them back
    assert store.embedded("m") == {*live, *strange(5)}
    pass_days(tmp_path, vector_tables.ORPHAN_DAYS + 1)
    assert store.tidy_vectors("m") == 5
    assert store.embedded("m") == set(live)
    assert store.tidy_vectors("m") == 0


def test_more_of_them_than_another_branch_could_have_go_at_once_the_oldest_first(store: Store, tmp_path: Path) -> None:
    store.write([entry(f"m{number}.py", number) for number in range(30)])
    live = digests_in(store)
    for at in range(0, 200, 20):
        add_vectors(store, "m", strange(20, at))
    add_vectors(store, "m", live)
    assert store.tidy_vectors("m") == 200 - len(live)
    assert store.embedded("m") == {*live, *strange(len(live), 200 - len(live))}
    pass_days(tmp_path, 0.01)  # a quarter of an hour later fewer are enough
    store.tidy_vectors("m")
    left = max(vector_tables.FEW_ORPHANS, int(vector_tables.OLD_ORPHANS * len(live)))
    assert store.embedded("m") == {*live, *strange(left, 200 - left)}


def test_vectors_of_another_worktree_stay(tmp_path: Path) -> None:
    one, two = (Store(str(tmp_path / name), str(tmp_path / "v")) for name in ("one", "two"))
    for store, number in ((one, 1), (two, 2)):
        store.write([entry("a.py", number)])
        add_vectors(store, "m", digests_in(store))
        store.tidy_vectors("m")
    add_vectors(one, "m", strange(3))
    pass_days(tmp_path, 2)
    one.tidy_vectors("m")
    pass_days(tmp_path, vector_tables.ORPHAN_DAYS + 1)
    assert one.tidy_vectors("m") == 3
    assert one.embedded("m") == {*digests_in(one), *digests_in(two)}


def test_x57_vectors_of_another_model_stay_while_another_worktree_uses_them(tmp_path: Path) -> None:
    one, two = (Store(str(tmp_path / name), str(tmp_path / "v")) for name in ("one", "two"))
    for store, model in ((one, "a"), (two, "b")):
        store.write([entry("a.py")])
        add_vectors(store, model, digests_in(store))
        store.tidy_vectors(model)
    one.keep_vectors_of("a")
    assert two.embedded("b") == set(digests_in(two))
    past = time.time() - (vector_tables.OTHER_MODELS_DAYS + 1) * DAY
    os.utime(tmp_path / "v" / f"{table_of_model('b')}.used", (past, past))
    one.keep_vectors_of("a")
    assert two.embedded("b") == set()
    assert one.embedded("a") == set(digests_in(one))


def test_an_index_that_is_gone_uses_no_vectors(tmp_path: Path) -> None:
    import shutil

    one, two = (Store(str(tmp_path / name), str(tmp_path / "v")) for name in ("one", "two"))
    for store in (one, two):
        store.write([entry("a.py")])
        add_vectors(store, "m", digests_in(store))
        store.tidy_vectors("m")
    assert sorted(VectorTables(str(tmp_path / "v")).users()) == [one.location, two.location]
    shutil.rmtree(tmp_path / "two")
    assert VectorTables(str(tmp_path / "v")).users() == [one.location]


def test_vectors_keep_their_size_while_they_are_added_one_by_one(store: Store, tmp_path: Path) -> None:
    store.write([entry(f"m{number}.py", number) for number in range(30)])
    add_vectors(store, "m", [*digests_in(store), *strange(400)])
    fresh = store.vectors_size()
    for number in range(40):
        add_vectors(store, "m", strange(1, 1000 + number))
    assert store.vectors_size() <= 3 * fresh
    assert len(store.embedded("m")) == len(digests_in(store)) + 440
