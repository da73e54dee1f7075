"""codectx clean: indexes of projects that are gone, and nothing else."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codectx import background
from codectx.cli import main
from codectx.leftovers import LOCKS, Leftover, cleared
from codectx.stores import cache_folder, local_folder, vectors_folder
from indexer.lock import StoreLockedError, locked
from indexer.versions import FILES


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a cache folder for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)
    return cache_folder()


def indexed(top: Path, name: str) -> Path:
    """Make a project with an index and a vector."""
    from indexer.store import Store

    root = Path(os.path.realpath(top)) / name
    root.mkdir()
    (root / "a.py").write_text("def work():\n    return 1\n", encoding="utf-8")
    assert main(["index", str(root), "--quiet"]) == 0
    store = Store(str(local_folder(root, "")), str(vectors_folder(root)))
    store.add_vectors("m", [b"a" * 16], np.ones((1, 8), np.int8))
    store.tidy_vectors("m")
    return root


def clean(capfd: Any, *arguments: str, code: int = 0) -> tuple[str, str]:
    capfd.readouterr()
    assert main(["clean", *arguments]) == code
    done = capfd.readouterr()
    return done.out, done.err


def test_an_index_whose_root_is_gone_is_listed_and_deleted_only_when_told(tmp_path: Path, capfd: Any) -> None:
    here, gone = indexed(tmp_path, "here"), indexed(tmp_path, "gone")
    folder, vectors = local_folder(gone, ""), vectors_folder(gone)
    shutil.rmtree(gone)
    for arguments in ([], ["--dry-run"], ["--dry-run", "--yes"]):
        out, _ = clean(capfd, *arguments)
        assert f"index of {gone}: root not there, " in out
        assert f"  {folder}\n" in out
        assert f"  {vectors}\n" in out
        assert "not mounted" in out
        assert str(local_folder(here, "")) not in out
        assert folder.is_dir()
    out, err = clean(capfd, "--yes")
    assert "deleted: 2 of 2, " in out
    assert err == ""
    assert not folder.exists()
    assert not vectors.exists()
    assert local_folder(here, "").is_dir()
    assert vectors_folder(here).is_dir()
    assert "nothing to clean" in clean(capfd)[0]


def test_the_list_as_json_has_sizes_and_what_was_deleted(tmp_path: Path, capfd: Any) -> None:
    gone = indexed(tmp_path, "gone")
    shutil.rmtree(gone)
    told = json.loads(clean(capfd, "--json")[0])
    assert [(each["kind"], each["root"]) for each in told["found"]] == [("index", str(gone)), ("vectors", "")]
    assert all(each["bytes"] > 1000 for each in told["found"])
    assert told["deleted"] == []
    told = json.loads(clean(capfd, "--json", "--yes")[0])
    assert told["deleted"] == [each["folder"] for each in told["found"]]
    assert told["deleted_bytes"] > 2000
    assert json.loads(clean(capfd, "--json")[0])["found"] == []


@pytest.mark.parametrize("lock", ["lock", "vectors.lock"])
def test_an_index_in_use_is_left_and_named(tmp_path: Path, capfd: Any, lock: str) -> None:
    gone = indexed(tmp_path, "gone")
    shutil.rmtree(gone)
    folder = local_folder(gone, "")
    before = sorted(folder.rglob("*"))
    with locked(folder / lock):
        _, err = clean(capfd, "--yes", code=75)
    assert err.startswith(f"{folder} is in use and was left\n")
    assert [path for path in before if not path.exists() and path.name != lock] == []
    clean(capfd, "--yes")
    assert not folder.exists()


@pytest.mark.parametrize("is_gone", [True, False])
@pytest.mark.parametrize("is_noted", [True, False])
def test_vectors_stay_with_an_index_in_use(tmp_path: Path, capfd: Any, is_gone: bool, is_noted: bool) -> None:
    root = indexed(tmp_path, "root")
    folder, vectors = local_folder(root, ""), vectors_folder(root)
    if not is_noted:
        shutil.rmtree(vectors / "users")
    if is_gone:
        shutil.rmtree(root)
    before = sorted(vectors.rglob("*"))
    with locked(folder / "lock"):
        out, err = clean(capfd, *([] if is_gone else [str(root)]), "--yes", code=75)
    assert "deleted: 0 of 2, 0 B" in out
    assert err == f"{folder} is in use and was left\n{vectors} is in use and was left\n"
    assert sorted(vectors.rglob("*")) == before


@pytest.mark.parametrize("lock", [background._RUNNING, background._NEXT])
def test_an_index_that_is_worked_on_in_the_background_is_in_use(tmp_path: Path, capfd: Any, lock: str) -> None:
    root = indexed(tmp_path, "root")
    with locked(local_folder(root, "") / lock):
        clean(capfd, str(root), "--yes", code=75)
    assert (local_folder(root, "") / "manifest.json").exists()
    clean(capfd, str(root), "--yes")
    assert not local_folder(root, "").exists()


@pytest.mark.skipif(os.name == "nt", reason="no open file is deleted there")
def test_all_locks_are_held_until_their_files_are_gone(
    tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = indexed(tmp_path, "root")
    folder = local_folder(root, "")
    for name in LOCKS:
        (folder / name).unlink(missing_ok=True)
    held: list[str] = []
    unlink = Path.unlink

    def unlink_held(path: Path, *, missing_ok: bool = False) -> None:
        if path.parent == folder:
            held.extend(name for name in LOCKS if (folder / name).exists() and is_held(folder / name))
            assert path.name not in LOCKS or path.name in held[-len(LOCKS) :]
        unlink(path, missing_ok=missing_ok)

    def is_held(path: Path) -> bool:
        try:
            with locked(path):
                return False
        except StoreLockedError:
            return True

    monkeypatch.setattr(Path, "unlink", unlink_held)
    clean(capfd, str(root), "--yes")
    assert set(held) == set(LOCKS)
    assert not folder.exists()


def test_listing_changes_nothing_of_the_vectors(tmp_path: Path, capfd: Any) -> None:
    gone = indexed(tmp_path, "gone")
    shutil.rmtree(gone)
    shutil.rmtree(local_folder(gone, ""))
    before = sorted(cache_folder().rglob("*"))
    assert "no index uses them" in clean(capfd, "--dry-run")[0]
    assert sorted(cache_folder().rglob("*")) == before


def test_a_projects_own_index_goes_and_comes_back(tmp_path: Path, capfd: Any) -> None:
    one, other = indexed(tmp_path, "one"), indexed(tmp_path, "other")
    out, _ = clean(capfd, str(one), "--yes")
    assert "deleted: 2 of 2" in out
    assert not local_folder(one, "").exists()
    assert not vectors_folder(one).exists()
    assert local_folder(other, "").is_dir()
    assert (one / "a.py").exists()
    assert "nothing to clean" in clean(capfd, str(one))[0]
    assert main(["index", str(one), "--quiet"]) == 0
    assert local_folder(one, "").is_dir()


def test_vectors_that_another_worktree_uses_stay(tmp_path: Path, capfd: Any) -> None:
    import subprocess

    main_tree = indexed(tmp_path, "main")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    shutil.rmtree(vectors_folder(main_tree))
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["worktree", "add", "-q", "../tree"]):
        subprocess.run([*git, *arguments], cwd=main_tree, check=True, capture_output=True)
    tree = main_tree.parent / "tree"
    assert main(["index", str(tree), "--quiet"]) == 0
    from indexer.store import Store

    for root in (main_tree, tree):
        store = Store(str(local_folder(root, "")), str(vectors_folder(root)))
        store.add_vectors("m", [b"a" * 16], np.ones((1, 8), np.int8))
        store.tidy_vectors("m")
    clean(capfd, str(tree), "--yes")
    assert not local_folder(tree, "").exists()
    assert vectors_folder(main_tree).is_dir()
    shutil.rmtree(tree)
    assert "nothing to clean" in clean(capfd)[0]


def test_tables_of_older_versions_go_and_those_of_newer_ones_stay(tmp_path: Path, capfd: Any) -> None:
    root = indexed(tmp_path, "root")
    folder = local_folder(root, "")
    for name in ("files_0_3", "files_99_1"):
        shutil.copytree(folder / f"{FILES}.lance", folder / f"{name}.lance")
    out, _ = clean(capfd, "--yes")
    assert "table of " in out
    assert {path.stem for path in folder.glob("*.lance")} == {FILES, "files_99_1"}


def test_an_old_table_is_dropped_by_itself_after_some_time(tmp_path: Path) -> None:
    root = indexed(tmp_path, "root")
    old = local_folder(root, "") / "files_0_3.lance"
    shutil.copytree(local_folder(root, "") / f"{FILES}.lance", old)
    assert main(["index", str(root), "--full", "--quiet"]) == 0
    assert old.exists()  # its codectx may still be running
    past = time.time() - 2 * 86_400
    os.utime(old / "_versions", (past, past))
    assert main(["index", str(root), "--full", "--quiet"]) == 0
    assert not old.exists()


def test_nothing_outside_the_cache_folder_is_touched(tmp_path: Path, capfd: Any) -> None:
    gone = indexed(tmp_path, "gone")
    folder = local_folder(gone, "")
    elsewhere = tmp_path / "elsewhere-0123456789abcdef"
    shutil.move(folder, elsewhere)
    folder.symlink_to(elsewhere)
    (cache_folder() / "stores" / "of somebody else").mkdir()
    (cache_folder() / "stores" / "file-0123456789abcdef").write_text("", encoding="utf-8")
    shutil.rmtree(vectors_folder(gone))
    shutil.rmtree(gone)
    assert "nothing to clean" in clean(capfd, "--yes")[0]
    assert (elsewhere / "manifest.json").exists()
    assert (cache_folder() / "stores" / "of somebody else").is_dir()
    for path in (folder, elsewhere, tmp_path):
        with pytest.raises(ValueError, match="no folder of codectx"):
            cleared(Leftover(path, "index", "", "", 0))


@pytest.mark.parametrize("kind", ["stores", "vectors"])
def test_a_folder_in_which_others_have_put_something_stays(tmp_path: Path, capfd: Any, kind: str) -> None:
    mine = cache_folder() / kind / "mine-0123456789abcdef"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("x", encoding="utf-8")
    assert "nothing to clean" in "".join(clean(capfd, "--yes"))
    assert (mine / "thesis.txt").exists()


def test_a_manifest_that_is_nested_too_deep_is_none(tmp_path: Path, capfd: Any) -> None:
    root = indexed(tmp_path, "shop")
    manifest = local_folder(root, "") / "manifest.json"
    manifest.write_text("[" * 100_000, encoding="ascii")
    clean(capfd, "--dry-run")
    assert main(["index", str(root)]) == 0
    assert manifest.read_text(encoding="utf-8").startswith("{")


def test_a_link_inside_an_index_is_not_followed(tmp_path: Path, capfd: Any) -> None:
    gone = indexed(tmp_path, "gone")
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x", encoding="utf-8")
    (local_folder(gone, "") / "link").symlink_to(tmp_path / "precious")
    shutil.rmtree(gone)
    clean(capfd, "--yes")
    assert (tmp_path / "precious" / "file").exists()


def test_an_index_in_a_named_folder_is_deleted_only_with_its_name(
    tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECTX_STORE_URI", str(tmp_path / "named"))
    root = Path(os.path.realpath(tmp_path)) / "root"
    root.mkdir()
    (root / "a.py").write_text("def work():\n    return 1\n", encoding="utf-8")
    assert main(["index", str(root), "--quiet"]) == 0
    folder = local_folder(root, str(tmp_path / "named"))
    assert (folder / "manifest.json").exists()
    assert "stays; --store" in clean(capfd, str(root), "--yes")[0]
    assert (folder / "manifest.json").exists()
    clean(capfd, str(root), "--yes", "--store", "/another", code=2)
    out, _ = clean(capfd, str(root), "--yes", "--store", str(tmp_path / "named"))
    assert f"deleted: the index in {folder}\n" in out
    assert not folder.exists()
    assert (tmp_path / "named").is_dir()
    assert clean(capfd, str(root), "--store", str(tmp_path / "named"))[0] == "nothing to clean: no index here\n"
    assert main(["index", str(root), "--quiet"]) == 0
    arguments = (str(root), "--store", str(tmp_path / "named"), "--json")
    assert json.loads(clean(capfd, *arguments)[0])["store"] == {"location": str(folder), "deleted": False}
    assert json.loads(clean(capfd, *arguments, "--yes")[0])["store"] == {"location": str(folder), "deleted": True}
    assert not folder.exists()


def test_what_cannot_be_deleted_is_said(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = indexed(tmp_path, "gone")
    shutil.rmtree(gone)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    _, err = clean(capfd, "--yes", code=2)
    assert "error[unreadable]" in err
    assert "Permission denied" in err
