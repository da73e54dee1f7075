"""The index in memory is in step with the files at each question, whoever writes the store."""

import shutil
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer import live as live_module
from indexer import snapshot
from indexer.entry import FileEntry
from indexer.live import LiveIndex, State
from indexer.manifest import load, save
from indexer.search import search
from indexer.search.index import Index
from indexer.tree import WalkedFile
from indexer.versions import FILES

WORDS = ("charge", "refund", "rotate", "upload", "parse", "render")


def source(word: str, number: int = 0) -> str:
    return f"def {word}(value):\n    return {word}_all(value, {number})\n"


def file_of(word: str) -> str:
    return f"m{WORDS.index(word)}.py"


@pytest.fixture
def shop(tree: Any) -> Any:
    """A tree of a file for each word, indexed."""
    for word in WORDS:
        tree.write(file_of(word), source(word))
    tree.sync()
    return tree


def live_of(tree: Any) -> LiveIndex:
    return LiveIndex(tree.place, tree.read)


def hits(state: State | None, question: str) -> list[tuple[str, int, int]]:
    assert state is not None
    return [(hit.path, hit.start, hit.end) for hit in search(state.index, question, 5).hits]


def paths(state: State | None, question: str) -> list[str]:
    return [path for path, _, _ in hits(state, question)]


def in_step(tree: Any, state: State | None) -> bool:
    """Say whether an index holds the files as they are, and its manifest says the same."""
    assert state is not None
    walked = tree.walk().files
    return (
        state.index.file_count == len(walked)
        and all(state.index.place_of(file.path) is not None for file in walked)
        and all(state.manifest.files[file.path].is_of(file) for file in walked)
        and len(state.manifest.files) == len(walked)
    )


def test_none_is_there_until_there_is_one(tree: Any) -> None:
    live = live_of(tree)
    assert live.load() is None
    assert live.refresh(tree.walk) is None
    tree.write("a.py", source("charge"))
    tree.sync()
    assert paths(live.load(), "charge") == ["a.py"]


def test_x53_edits_renames_and_deletions_are_found_at_the_next_question(shop: Any) -> None:
    live = live_of(shop)
    assert paths(live.refresh(shop.walk), "charge") == ["m0.py"]
    shop.write("m0.py", "\n\n" + source("invoice"))
    (shop.root / "m1.py").unlink()
    (shop.root / "m2.py").rename(shop.root / "turn.py")
    shop.write("new.py", source("brand_new"))
    state = live.refresh(shop.walk)
    assert hits(state, "invoice")[0] == ("m0.py", 3, 4)
    assert "m1.py" not in paths(state, "refund")
    assert paths(state, "rotate")[0] == "turn.py"
    assert paths(state, "brand new")[0] == "new.py"
    assert in_step(shop, state)
    assert load(shop.place.manifest).files.keys() == {file_of(word) for word in WORDS}  # nothing is written


def test_a_fresh_edit_of_the_same_size_is_found(shop: Any) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    shop.write("m0.py", source("coffee"))
    assert paths(live.refresh(shop.walk), "coffee") == ["m0.py"]
    shop.write("m0.py", source("hotels"))
    assert paths(live.refresh(shop.walk), "hotels") == ["m0.py"]


def test_a_single_file_is_read_again_without_a_scan(shop: Any) -> None:
    live = live_of(shop)
    before = live.refresh(shop.walk)
    shop.write("m0.py", source("invoice"))
    info = (shop.root / "m0.py").stat()
    state = live.read_again([WalkedFile("m0.py", info.st_size, info.st_mtime_ns, info.st_ctime_ns)], ["m1.py"])
    assert paths(state, "invoice") == ["m0.py"]
    assert state is not None
    assert before is not None
    assert "m1.py" not in state.manifest.files
    assert state.manifest.written_ns == before.manifest.written_ns  # the others are no surer now


def test_fresh_files_are_read_again_but_not_told_as_changed(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module._is_much, "__defaults__", (2, 10**6))
    state = live_of(shop).refresh(shop.walk)
    assert state is not None
    assert not state.behind
    assert in_step(shop, state)


def test_many_changes_are_told_until_a_run_has_read_them(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module._is_much, "__defaults__", (2, 10**6))
    live = live_of(shop)
    live.refresh(shop.walk)
    for word in WORDS[:4]:
        shop.write(file_of(word), source(word, 10))
    state = live.refresh(shop.walk)
    assert state is not None
    assert state.behind == {file_of(word) for word in WORDS[:4]}
    report = shop.sync(committed=live.take)
    live.settle(report)
    assert live.state is not None
    assert not live.state.behind
    assert in_step(shop, live.state)
    assert live.state.manifest.version == report.manifest.version


@pytest.mark.parametrize("many", [False, True])
def test_what_another_process_has_written_is_taken_over(shop: Any, many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    for word in WORDS:
        shop.write(file_of(word), source(f"new_{word}"))
    shop.sync()  # without telling the index in memory
    if many:
        monkeypatch.setattr(live_module._is_much, "__defaults__", (2, 10**6))
        shop.reads.clear()
    state = live.refresh(shop.walk)
    assert in_step(shop, state)
    assert paths(state, "new charge")[0] == "m0.py"
    assert not state.behind


def test_a_run_with_nothing_to_do_does_not_hide_what_another_process_has_written(
    shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module._is_much, "__defaults__", (2, 10**6))
    live = live_of(shop)
    live.refresh(shop.walk)
    for word in WORDS:
        shop.write(file_of(word), source(f"new_{word}"))
    shop.sync()
    live.settle(shop.sync(committed=live.take))
    assert in_step(shop, live.state)
    assert paths(live.state, "new charge")[0] == "m0.py"


def test_a_run_does_not_undo_what_a_question_has_read_meanwhile(shop: Any) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    shop.write("m1.py", source("refund", 5))

    def meanwhile(done: int, _total: int) -> None:
        if done == 0:
            shop.write("m0.py", source("invoice"))
            assert paths(live.refresh(shop.walk), "invoice")[0] == "m0.py"

    report = shop.sync(committed=live.take, progress=meanwhile)
    shop.write("m0.py", source("charge"))  # as it was when the run looked at it
    live.settle(report)
    state = live.refresh(shop.walk)
    assert in_step(shop, state)
    assert paths(state, "charge")[0] == "m0.py"
    assert "m0.py" not in paths(state, "invoice")


def test_files_and_states_are_taken_together(shop: Any) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    shop.write("m0.py", source("invoice"))
    (shop.root / "m1.py").unlink()
    seen: list[bool] = []
    shop.sync(committed=lambda commit: (live.take(commit), seen.append(in_step(shop, live.state))))
    assert seen == [True]


def test_a_path_that_becomes_a_folder_is_gone_and_its_files_are_there(shop: Any) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    (shop.root / "m0.py").unlink()
    shop.write("m0.py/inner.py", source("inner"))
    info = (shop.root / "m0.py").stat()
    live.read_again([WalkedFile("m0.py", info.st_size, info.st_mtime_ns, info.st_ctime_ns)], [])
    state = live.refresh(shop.walk)
    assert in_step(shop, state)
    assert paths(state, "inner") == ["m0.py/inner.py"]


@pytest.mark.parametrize("gone", ["folder", "tables", "snapshot", "broken"])
def test_an_index_in_memory_outlives_its_store(shop: Any, gone: str) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    match gone:
        case "folder":
            shutil.rmtree(shop.place.folder)
        case "tables":
            shutil.rmtree(shop.place.folder / f"{FILES}.lance")
        case "snapshot":
            (shop.place.folder / snapshot.NAME).unlink()
        case "broken":
            for path in shop.place.folder.rglob("*"):
                if path.is_file():
                    path.write_bytes(b"broken!")
    shop.write("m0.py", source("invoice"))
    state = live.refresh(shop.walk)
    assert paths(state, "invoice")[0] == "m0.py"
    live.settle(shop.sync(committed=live.take))
    assert in_step(shop, live.state)
    again = live_of(shop).refresh(shop.walk)
    assert in_step(shop, again)
    assert paths(again, "invoice")[0] == "m0.py"


def test_a_file_that_is_left_out_for_its_size_is_not_waited_for(shop: Any) -> None:
    shop.sync()
    live = LiveIndex(shop.place, shop.read)
    shop.write("big.py", "# x\n" * 600_000)
    state = live.refresh(shop.walk)
    assert state is not None and not state.behind
    assert "big.py" in {each.path for each, _ in state.manifest.skipped}


def test_a_copy_of_the_rows_that_is_behind_is_corrected(shop: Any) -> None:
    shutil.copy(shop.place.folder / snapshot.NAME, shop.root.parent / "kept")
    shop.write("m0.py", source("invoice"))
    (shop.root / "m1.py").unlink()
    shop.sync()
    shutil.copy(shop.root.parent / "kept", shop.place.folder / snapshot.NAME)
    state = live_of(shop).refresh(shop.walk)
    assert in_step(shop, state)
    assert "m0.py" not in paths(state, "charge")
    assert paths(state, "invoice")[0] == "m0.py"


def test_a_copy_that_is_much_behind_is_made_anew(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module._is_much, "__defaults__", (2, 10**6))
    shutil.copy(shop.place.folder / snapshot.NAME, shop.root.parent / "kept")
    for word in WORDS:
        shop.write(file_of(word), source(f"new_{word}"))
    manifest = shop.sync().manifest
    shutil.copy(shop.root.parent / "kept", shop.place.folder / snapshot.NAME)
    assert in_step(shop, live_of(shop).load())
    table = snapshot.load(shop.place.folder, manifest.tables)
    assert table is not None
    assert set(table["digest"].to_pylist()) == {seen.digest for seen in manifest.files.values()}


def test_x58_while_another_run_writes_the_last_whole_state_is_read(shop: Any) -> None:
    manifest = load(shop.place.manifest)
    assert manifest is not None
    shop.write("m0.py", source("invoice"))
    shop.sync()
    save(shop.place.manifest, manifest.marked())  # as that run leaves it until its end
    state = live_of(shop).refresh(shop.walk)
    assert in_step(shop, state)
    assert paths(state, "invoice")[0] == "m0.py"


def test_questions_and_runs_from_several_threads(shop: Any) -> None:
    live = live_of(shop)
    live.refresh(shop.walk)
    failures: list[BaseException] = []

    def asks() -> None:
        try:
            for _ in range(6):
                assert paths(live.refresh(shop.walk), "upload")[0] == "m3.py"
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=asks) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(4):
        shop.write("m0.py", source("charge", number))
        live.settle(shop.sync(committed=live.take))
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert in_step(shop, live.refresh(shop.walk))


def test_a_scan_is_due_after_a_pause(shop: Any) -> None:
    live = live_of(shop)
    assert live.is_due(60)
    state = live.refresh(shop.walk)
    assert not live.is_due(60)
    shop.write("m0.py", source("invoice"))
    assert live.refresh(shop.walk, 60) is state
    assert live.refresh(shop.walk) is not state


PATHS = ("a.py", "d/b.py", "d/it's.py")
CHANGES = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(WORDS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.sampled_from(["refresh", "sync", "sync elsewhere", "reload"]), st.just(""), st.just("")),
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=st.lists(CHANGES, max_size=12))
def test_after_any_changes_it_finds_what_an_index_built_from_nothing_finds(
    tree: Any, changes: list[tuple[str, str, str]]
) -> None:
    shutil.rmtree(tree.root)
    tree.root.mkdir()
    tree.write("stays.py", source("parse"))
    tree.sync()
    live = live_of(tree)
    for what, path, other in changes:
        target = tree.root / path
        match what:
            case "write":
                tree.write(path, source(other))
            case "delete":
                target.unlink(missing_ok=True)
            case "rename" if target.exists():
                (tree.root / other).parent.mkdir(exist_ok=True)
                target.replace(tree.root / other)
            case "refresh":
                live.refresh(tree.walk)
            case "sync":
                live.settle(tree.sync(committed=live.take))
            case "sync elsewhere":
                tree.sync()
            case "reload":
                live = live_of(tree)
    state = live.refresh(tree.walk)
    assert in_step(tree, state)
    fresh = Index.of(entries_now(tree))
    for word in WORDS:
        assert hits(state, f"{word}") == [(hit.path, hit.start, hit.end) for hit in search(fresh, f"{word}", 5).hits]


def entries_now(tree: Any) -> list[FileEntry]:
    tree.sync()
    return list(tree.rows().values())
