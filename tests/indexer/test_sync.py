"""An index after any changes is the index built from nothing; what did not change is not read."""

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer import snapshot
from indexer import sync as sync_module
from indexer.entry import FileEntry
from indexer.languages import LANGUAGES
from indexer.lock import StoreLockedError, locked
from indexer.manifest import load, save
from indexer.rows import entries_of
from indexer.sync import current, pending
from indexer.versions import FILES

TWO_RUNS = "\n\n".join(
    f"class {name}:\n    def run(self):\n" + "".join(f"        self.{name}_{n} = {n}\n" for n in range(40))
    for name in ("till", "bank")
)


def built_from_nothing(tree: Any) -> dict[str, FileEntry]:
    """Give the entries that an index of the same files has in a place of its own."""
    with TemporaryDirectory() as folder:
        fresh = type(tree)(Path(folder))
        shutil.copytree(tree.root, fresh.root, dirs_exist_ok=True)
        fresh.sync()
        rows: dict[str, FileEntry] = fresh.rows()
        return rows


# --- what is in it


def test_x42_two_methods_of_one_name_are_two_chunks(tree: Any) -> None:
    tree.write("a.py", TWO_RUNS)
    tree.sync()
    chunks = tree.rows()["a.py"].chunks
    assert {(chunk.qualified_name, chunk.start) for chunk in chunks if chunk.name == "run" and chunk.part < 2} == {
        ("till.run", 2),
        ("bank.run", 46),
    }
    assert len({chunk.digest for chunk in chunks}) == len(chunks)


def test_x43_indexing_twice_gives_the_same_rows_and_reads_nothing(tree: Any) -> None:
    for name in ("a", "b", "c"):
        tree.write(f"{name}.py", f"def {name}():\n    return 1\n")
    first = tree.sync()
    rows = tree.rows()
    assert first.reindexed == ("a.py", "b.py", "c.py")
    assert first.chunks == sum(len(entry.chunks) for entry in rows.values())
    second = tree.sync()
    assert (second.reindexed, second.removed) == ((), ())
    assert tree.rows() == rows
    assert second.manifest.version == first.manifest.version


def test_x43_deleting_and_renaming_leave_no_rows_of_the_old_path(tree: Any) -> None:
    for name in ("a.py", "old.py", "d/it's.py"):
        tree.write(name, f"NAME = {name!r}\n")
    tree.sync()
    (tree.root / "a.py").unlink()
    (tree.root / "old.py").rename(tree.root / "new.py")
    shutil.rmtree(tree.root / "d")
    report = tree.sync()
    assert (report.reindexed, report.removed) == (("new.py",), ("a.py", "d/it's.py", "old.py"))
    assert list(tree.rows()) == ["new.py"]
    assert tree.rows() == built_from_nothing(tree)


def test_only_the_file_that_changed_is_read(tree: Any) -> None:
    for number in range(5):
        tree.write(f"m{number}.py", f"VALUE = {number}\n")
    tree.sync()
    tree.grow_old()
    tree.write("m3.py", "VALUE = 33\n")
    assert tree.sync().reindexed == ("m3.py",)
    assert tree.reads == ["m3.py"]


def test_an_edit_of_the_same_size_and_times_is_found_if_it_is_fresh(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    info = (tree.root / "a.py").stat()
    report = tree.sync()
    with (tree.root / "a.py").open("r+b") as file:
        file.write(b"VALUE = 2\n")
    # As if the file system had kept the same time for both.
    changed = (tree.root / "a.py").stat()
    seen = report.manifest.files["a.py"]._replace(mtime_ns=changed.st_mtime_ns, ctime_ns=changed.st_ctime_ns)
    save(tree.place.manifest, replace(report.manifest, files={"a.py": seen}))
    assert changed.st_size == info.st_size
    assert tree.sync().reindexed == ("a.py",)
    assert tree.rows() == built_from_nothing(tree)


def test_a_file_touched_but_not_changed_is_read_and_not_written(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    version = tree.sync().manifest.version
    tree.touch("a.py")
    report = tree.sync()
    assert report.reindexed == ()
    assert tree.reads == ["a.py"]
    assert report.manifest.version == version


def test_x41_files_without_a_place_are_told_with_the_reason(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("package-lock.json", "{}\n")
    tree.write("big.txt", "word " * 50_000)
    tree.write("jquery.min.js", "var a=function(b){return b+1};" * 2000)
    tree.write("data.bin", b"\x00\x01\x02" * 500)
    report = tree.sync()
    assert list(tree.rows()) == ["a.py"]
    assert {each.path: each.reason for each, _ in report.manifest.skipped} == {
        "big.txt": "unsupported",
        "data.bin": "binary",
        "jquery.min.js": "unsupported",
        "package-lock.json": "unsupported",
    }
    tree.write("data.bin", "VALUE = 'now text'\n")
    (tree.root / "big.txt").unlink()
    report = tree.sync()
    assert [each.path for each, _ in report.manifest.skipped] == ["jquery.min.js", "package-lock.json"]
    assert list(tree.rows()) == ["a.py", "data.bin"]
    tree.write("a.py", b"\x00\x01\x02" * 500)
    assert tree.sync().removed == ("a.py",)


def test_files_no_longer_wanted_are_taken_out(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("b.js", "let value = 1;\n")
    tree.sync()
    walked = tree.walk()
    only = replace(walked, files=tuple(file for file in walked.files if file.path.endswith(".py")))
    assert sync_module.sync(tree.place, only, tree.read).removed == ("b.js",)
    assert list(tree.rows()) == ["a.py"]
    assert tree.sync().reindexed == ("b.js",)


def test_a_path_that_becomes_a_folder_and_a_folder_that_becomes_a_file(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("d/b.py", "VALUE = 2\n")
    tree.sync()
    (tree.root / "a.py").unlink()
    shutil.rmtree(tree.root / "d")
    tree.write("a.py/inner.py", "VALUE = 3\n")
    tree.write("d", "VALUE = 4\n")
    tree.sync()
    assert sorted(tree.rows()) == ["a.py/inner.py", "d"]


def test_a_link_is_not_indexed_beside_its_target(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    (tree.root / "link.py").symlink_to("a.py")
    tree.sync()
    assert list(tree.rows()) == ["a.py"]
    (tree.root / "a.py").rename(tree.root / "b.py")
    (tree.root / "a.py").symlink_to("b.py")
    tree.sync()
    assert list(tree.rows()) == ["b.py"]


def test_a_file_gone_between_listing_and_reading_is_not_in_it(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("b.py", "VALUE = 2\n")
    tree.sync()
    tree.write("a.py", "VALUE = 11\n")
    walked = tree.walk()
    (tree.root / "a.py").unlink()
    assert sync_module.sync(tree.place, walked, tree.read).removed == ("a.py",)
    assert list(tree.rows()) == ["b.py"]


def test_a_file_unreadable_for_a_while_comes_back(tree: Any) -> None:
    from indexer.errors import UnreadableFileError

    tree.write("a.py", "VALUE = 1\n")
    tree.write("b.py", "VALUE = 2\n")
    tree.sync()
    tree.write("a.py", "VALUE = 11\n")

    def refuses(path: str) -> bytes:
        if path == "a.py":
            raise UnreadableFileError(path, "permission denied")
        return bytes(tree.read(path))

    report = sync_module.sync(tree.place, tree.walk(), refuses)
    assert [(each.path, each.reason) for each, _ in report.manifest.skipped] == [("a.py", "unreadable")]
    assert list(tree.rows()) == ["b.py"]
    tree.touch("a.py")  # as a change of its permissions would, this changes its times
    assert tree.sync().reindexed == ("a.py",)


def test_no_files_and_no_text_are_an_index_too(tree: Any) -> None:
    assert tree.sync().manifest.files == {}
    assert current(tree.place) is not None
    tree.write("data.bin", b"\x00\x01" * 500)
    assert tree.sync().manifest.files == {}
    assert current(tree.place) is not None
    tree.write("a.py", "VALUE = 1\n")
    assert tree.sync().reindexed == ("a.py",)


# --- the store is wrong, away, or somebody else's


def test_full_reads_and_writes_all(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("gone.py", "VALUE = 2\n")
    tree.sync()
    (tree.root / "gone.py").unlink()
    report = tree.sync(full=True)
    assert (report.reindexed, report.removed) == (("a.py",), ("gone.py",))
    assert tree.rows() == built_from_nothing(tree)


@pytest.mark.parametrize("what", ["manifest", "tables", "everything", "snapshot"])
def test_what_was_deleted_is_made_again(tree: Any, what: str) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("gone.py", "VALUE = 2\n")
    tree.sync()
    (tree.root / "gone.py").unlink()
    match what:
        case "manifest":
            tree.place.manifest.unlink()
        case "tables":
            shutil.rmtree(tree.place.folder / f"{FILES}.lance")
        case "everything":
            shutil.rmtree(tree.place.folder)
        case "snapshot":
            (tree.place.folder / snapshot.NAME).unlink()
    tree.sync()
    assert tree.rows() == built_from_nothing(tree)
    assert tree.sync().reindexed == ()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("keep_manifest", [False, True])
def test_broken_tables_are_built_anew(tree: Any, full: bool, keep_manifest: bool) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("b.py", "VALUE = 2\n")
    tree.sync()
    for path in tree.place.folder.rglob("*"):
        if path.is_file() and (not keep_manifest or path != tree.place.manifest):
            path.write_bytes(b"broken!")
    tree.write("b.py", "VALUE = 22\n")
    tree.sync(full=full)
    assert tree.rows() == built_from_nothing(tree)
    assert tree.sync().reindexed == ()


def test_a_manifest_that_disagrees_with_the_tables_and_says_so_is_not_believed(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("b.py", "VALUE = 2\n")
    report = tree.sync()
    tree.place.store.write([], ["a.py"])
    save(tree.place.manifest, report.manifest.marked())
    assert current(tree.place) is None
    assert tree.sync().reindexed == ("a.py",)
    assert tree.rows() == built_from_nothing(tree)


def test_after_a_run_that_died_only_what_it_may_have_changed_is_read_again(tree: Any) -> None:
    for number in range(5):
        tree.write(f"m{number}.py", f"VALUE = {number}\n")
    tree.sync()
    tree.grow_old()
    manifest = load(tree.place.manifest)
    assert manifest is not None
    tree.write("m3.py", "VALUE = 33\n")
    tree.sync()
    save(tree.place.manifest, manifest.marked())  # as it is after that run's commit, and before its end
    assert tree.sync().reindexed == ()
    assert tree.reads == ["m3.py"]
    assert tree.rows() == built_from_nothing(tree)


def test_while_all_is_read_anew_questions_still_know_which_files_are_as_they_were(tree: Any) -> None:
    for number in range(3):
        tree.write(f"m{number}.py", f"VALUE = {number}\n")
    tree.sync()
    seen: list[Any] = []

    def looks(done: int, _total: int) -> None:
        seen.append(current(tree.place, unfinished=True))

    tree.sync(full=True, progress=looks, committed=lambda _: looks(0, 0))
    assert all(manifest is not None and pending(manifest, tree.walk(), sure=False) == ([], []) for manifest in seen)
    assert seen[-1].unfinished


def test_what_runs_that_died_left_behind_is_cleared_up(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.sync()
    for name in ("manifest.jsonabc", "rows.arrowdef"):
        (tree.place.folder / name).write_bytes(b"half")
    tree.write("a.py", "VALUE = 2\n")
    tree.sync()
    assert sorted(path.name for path in tree.place.folder.iterdir()) == [
        f"{FILES}.lance", "lock", "manifest.json", snapshot.NAME, "tidied.json",
    ]  # fmt: skip


def test_x58_a_second_run_is_refused_unless_there_is_nothing_to_do(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.sync()
    tree.grow_old()
    with locked(tree.place.lock):
        assert tree.sync().reindexed == ()
        tree.write("a.py", "VALUE = 2\n")
        with pytest.raises(StoreLockedError):
            tree.sync()
    assert tree.sync().reindexed == ("a.py",)


@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_run_broken_off_keeps_what_it_did_and_the_next_goes_on(tree: Any, at: int) -> None:
    for number in range(4):
        tree.write(f"m{number}.py", f"VALUE = {number}\n")

    def stops(done: int, _total: int) -> None:
        if done == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tree.sync(progress=stops)
    assert len(tree.rows()) == at
    assert len(tree.sync().reindexed) == 4 - at
    assert tree.rows() == built_from_nothing(tree)


def test_a_run_broken_off_makes_nothing_surer_than_it_was(tree: Any) -> None:
    tree.write("a.py", "VALUE = 1\n")
    tree.write("b.py", "VALUE = 2\n")
    before = tree.sync().manifest
    tree.write("a.py", "VALUE = 11\n")

    def stops(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tree.sync(progress=stops)
    after = load(tree.place.manifest)
    assert after is not None
    assert after.written_ns == before.written_ns
    assert after.files["b.py"] == before.files["b.py"]


def test_long_runs_commit_now_and_then(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_module, "COMMIT_BYTES", 30)
    for number in range(6):
        tree.write(f"m{number}.py", f"VALUE = {number}\n")
    commits: list[int] = []
    tree.sync(committed=lambda commit: commits.append(len(commit.entries)))
    assert commits == [4, 2]
    assert len(tree.rows()) == 6


def test_the_copy_of_the_rows_is_the_rows(tree: Any) -> None:
    tree.write("a.py", TWO_RUNS)
    report = tree.sync()
    table = snapshot.load(tree.place.folder, report.manifest.tables)
    assert table is not None
    assert {entry.path: entry for entry in entries_of(table)} == tree.rows()


# --- any changes

PATHS = ("a.py", "b.js", "d/a.py", "d/it's.md", "e/x.bin")
TEXTS = (
    "VALUE = 1\n",
    "VALUE = 2\n",
    "def go():\n    return 1\n",
    "",
    "\x00\x01\x02" * 99,
    TWO_RUNS,
    "# 标题\n\n你好\n",
)
CHANGES = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("sync"), st.just(""), st.just("")),
)


def change(tree: Any, what: str, path: str, other: str) -> None:
    target = tree.root / path
    match what:
        case "write":
            tree.write(path, other)
        case "delete":
            target.unlink(missing_ok=True)
        case "rename" if target.exists():
            (tree.root / other).parent.mkdir(exist_ok=True)
            target.replace(tree.root / other)
        case "sync":
            tree.sync()


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=st.lists(CHANGES, max_size=12))
def test_after_any_changes_it_equals_one_built_from_nothing(tree: Any, changes: list[tuple[str, str, str]]) -> None:
    shutil.rmtree(tree.root)
    tree.root.mkdir()
    for each in changes:
        change(tree, *each)
    tree.sync()
    assert tree.rows() == built_from_nothing(tree)
    manifest = current(tree.place)
    assert manifest is not None
    assert {path: seen.digest for path, seen in manifest.files.items()} == {
        path: entry.digest for path, entry in tree.rows().items()
    }
    assert pending(manifest, tree.walk(), sure=False) == ([], [])


def test_x40_a_file_of_every_language_is_indexed_as_such(tree: Any) -> None:
    """One table of languages serves listing, index and summaries alike."""
    expected = {}
    for language in LANGUAGES:
        for suffix in language.suffixes:
            expected[f"{language.name}/file{suffix}"] = language.name
            tree.write(f"{language.name}/file{suffix}", "alpha beta\n")
    tree.sync()
    rows = tree.rows()
    assert {path: rows[path].language for path in expected} == expected
