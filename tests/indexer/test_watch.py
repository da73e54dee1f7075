"""What happens to files of a tree is noticed, whatever does it; where that is not possible, it is said."""

import logging
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer import burst, file_events
from indexer import watch as watch_module
from indexer.file_events import Recursive, is_shared
from indexer.walk import walk
from indexer.watch import Watcher

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is not known that all events have come")
WAIT = 20.0  # seconds
SURE = 5.0  # seconds that an event of our own may take


def waits_for(what: Callable[[], Any]) -> Any:
    """Wait until something holds."""
    end = time.monotonic() + WAIT
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.005)
    return found


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


class Tree:
    """A tree that is watched."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.calls = 0
        self.watcher = Watcher(root, self.called)

    def called(self) -> None:
        self.calls += 1

    def look(self) -> None:
        begun = self.watcher.begin()
        walked = walk(self.root)
        self.watcher.listed()
        self.watcher.follow(walked)
        self.watcher.settle(begun)

    def settle(self) -> None:
        """Look until all is known."""
        waits_for(lambda: self.look() or self.is_quiet())

    def is_quiet(self) -> bool:
        return self.watcher.is_quiet(SURE)

    def named(self) -> frozenset[str] | None:
        """Give the files that something happened to."""
        told = self.watcher.glance_at_files()
        return None if told is None else told[1]

    def write(self, path: str, text: str = "x = 1\n") -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    monkeypatch.setattr(burst, "QUIET_SECONDS", 0.05)
    monkeypatch.setattr(burst, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(burst, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(watch_module, "DRAIN_SECONDS", SURE)
    made = Tree(tmp_path / "case")
    made.root.mkdir()
    git(made.root, "init", "-q")
    made.write(".gitignore", "*.log\nnode_modules/\n")
    made.write("a.py")
    made.write("pkg/sub/b.py")
    yield made
    made.watcher.close()


def test_a_burst_of_changes_asks_for_few_looks(tree: Tree) -> None:
    tree.look()
    waits_for(lambda: tree.calls)  # its folders are new
    tree.look()
    before = tree.calls
    for number in range(300):
        tree.write(f"pkg/m{number}.py")
    waits_for(lambda: tree.calls > before)
    waits_for(lambda: tree.look() or tree.watcher._settled == tree.watcher._count)
    assert tree.calls - before <= 10


@linux_only
def test_no_edit_is_missed_however_soon_it_is_asked_for(tree: Tree) -> None:
    tree.settle()
    for number in range(60):
        tree.write("a.py", f"x = {number}\n")
        assert not tree.is_quiet()
        tree.look()
        assert tree.is_quiet()


def _as_vim(path: Path) -> None:
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    path.write_text("y = 2\n", encoding="utf-8")
    backup.unlink()


def _atomically(path: Path) -> None:
    new = path.with_name(".tmp123")
    new.write_text("y = 2\n", encoding="utf-8")
    new.replace(path)


def _from_outside(path: Path) -> None:
    new = path.parents[1] / "outside.tmp"
    new.write_text("y = 2\n", encoding="utf-8")
    new.replace(path)


def _anew(path: Path) -> None:
    path.unlink()
    path.write_text("y = 2\n", encoding="utf-8")


def _without_closing(path: Path) -> None:
    file = path.open("a", encoding="utf-8")
    file.write("y = 2\n")
    file.flush()
    path.with_name("kept-open").touch()
    file.close()


@linux_only
@pytest.mark.parametrize(
    "save", [_as_vim, _atomically, _from_outside, _anew, _without_closing, Path.unlink, lambda path: path.chmod(0o600)]
)
def test_however_an_editor_saves_it_is_noticed_and_so_is_what_follows(tree: Tree, save: Callable[[Path], None]) -> None:
    tree.settle()
    for _ in range(2):
        save(tree.root / "a.py")
        assert not tree.is_quiet()
        tree.settle()
        tree.write("a.py", "z = 3\n")
        assert not tree.is_quiet()
        tree.settle()


@linux_only
def test_ignored_folders_are_not_watched_nor_heard(tree: Tree) -> None:
    for number in range(50):
        tree.write(f"node_modules/p{number}/index.js")
    tree.settle()
    before = tree.watcher.folders
    assert before < 10
    tree.write("node_modules/p1/index.js", "changed")
    tree.write("node_modules/p1/new/index.js")
    assert tree.is_quiet()
    shutil.rmtree(tree.root / "node_modules")
    tree.settle()
    for number in range(50):
        tree.write(f"node_modules/p{number}/index.js")
    tree.settle()
    assert tree.watcher.folders == before
    tree.write("node_modules/p1/index.js", "changed")
    assert tree.is_quiet()


@linux_only
def test_an_ignored_file_that_changes_all_the_time_is_noticed_once(tree: Tree) -> None:
    tree.settle()
    log = tree.write("server.log", "a")
    assert not tree.is_quiet()
    tree.settle()
    with log.open("a", encoding="utf-8") as file:
        file.write("b")
    assert tree.is_quiet()
    tree.write(".gitignore", "node_modules/\n")
    tree.settle()
    log.write_text("c", encoding="utf-8")
    assert not tree.is_quiet()


@linux_only
def test_a_file_that_was_ignored_and_is_added_by_force_is_heard_again(tree: Tree) -> None:
    tree.settle()
    tree.write("kept.log", "a")
    tree.settle()
    tree.write("kept.log", "b")
    assert tree.is_quiet()
    git(tree.root, "add", "-f", "kept.log")
    assert not tree.is_quiet()
    tree.settle()
    tree.write("kept.log", "c")
    assert not tree.is_quiet()


@linux_only
def test_new_folders_are_watched_empty_ones_too(tree: Tree) -> None:
    (tree.root / "old/empty").mkdir(parents=True)
    tree.settle()
    tree.write("old/empty/a.py")
    assert not tree.is_quiet()
    tree.settle()
    (tree.root / "pkg/n1/n2/n3").mkdir(parents=True)
    tree.settle()
    tree.write("pkg/n1/n2/n3/c.py")
    assert not tree.is_quiet()
    tree.settle()
    tree.write("pkg/n1/n2/n3/c.py", "changed")
    assert not tree.is_quiet()


@linux_only
def test_a_folder_that_is_moved_is_watched_under_both_names(tree: Tree) -> None:
    tree.settle()
    (tree.root / "pkg").rename(tree.root / "moved")
    tree.settle()
    tree.write("moved/sub/b.py", "changed")
    assert not tree.is_quiet()
    tree.settle()
    tree.write("pkg/sub/b.py")
    tree.settle()
    for path in ("pkg/sub/b.py", "moved/sub/b.py", "pkg/sub/c.py", "moved/sub/c.py"):
        tree.write(path, "once more")
        assert not tree.is_quiet(), path
        tree.settle()


@linux_only
def test_a_tree_without_git_is_watched_the_same(tmp_path: Path, tree: Tree) -> None:
    shutil.rmtree(tree.root / ".git")
    tree.write("node_modules/p/index.js")
    tree.settle()
    (tree.root / "pkg/n1/n2").mkdir(parents=True)
    tree.settle()
    tree.write("pkg/n1/n2/c.py")
    assert not tree.is_quiet()
    tree.settle()
    tree.write("node_modules/p/index.js", "changed")
    assert tree.is_quiet()


@linux_only
def test_reading_files_is_no_change(tree: Tree) -> None:
    tree.settle()
    for path in tree.root.rglob("*.py"):
        path.read_bytes()
    walk(tree.root)
    assert tree.is_quiet()


@linux_only
def test_a_branch_switch_of_many_files_is_a_few_looks(tree: Tree) -> None:
    for number in range(600):
        tree.write(f"m{number % 50}/f{number}.py")
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "one")
    git(tree.root, "checkout", "-qb", "other")
    for number in range(600):
        tree.write(f"m{number % 50}/f{number}.py", f"y = {number}\n")
    git(tree.root, "commit", "-qam", "two")
    tree.settle()
    before = tree.calls
    git(tree.root, "checkout", "-q", "-")
    assert not tree.is_quiet()
    waits_for(lambda: tree.calls > before)
    tree.settle()
    assert tree.calls - before <= 30


@linux_only
def test_lost_events_ask_for_a_look_at_everything(tree: Tree, caplog: pytest.LogCaptureFixture) -> None:
    tree.settle()
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    if most > 100_000:
        pytest.skip("so many events would take long to make")
    caplog.set_level(logging.INFO, "indexer.watch")
    with tree.watcher._lock:  # what hears events has to wait
        for number in range(most // 2 + 1000):
            (tree.root / "a.py").chmod(0o600 + number % 2)
            (tree.root / "pkg/sub/b.py").chmod(0o600 + number % 2)
        tree.write("pkg/late/c.py")
    waits_for(lambda: "events were lost" in caplog.text)
    assert not tree.is_quiet()
    tree.settle()
    tree.write("pkg/late/c.py", "changed")
    assert not tree.is_quiet()


@linux_only
def test_what_happens_to_files_is_told_by_name(tree: Tree) -> None:
    tree.settle()
    assert tree.named() == set()
    tree.write("a.py", "changed")
    (tree.root / "pkg/sub/b.py").unlink()
    assert tree.named() == {"a.py", "pkg/sub/b.py"}
    begun = tree.watcher.glance()
    assert begun is not None
    tree.write("c.py")
    tree.watcher.glanced(begun)
    assert tree.named() == {"c.py"}
    tree.settle()
    assert tree.named() == set()


@linux_only
@pytest.mark.parametrize("what", ["folder", "moved", "rules", "commit", "root", "mode"])
def test_what_may_concern_other_files_is_not_told_by_name(what: str, tree: Tree) -> None:
    tree.settle()
    tree.write("a.py", "changed")
    assert tree.named() == {"a.py"}
    match what:
        case "folder":
            (tree.root / "new").mkdir()
        case "moved":
            (tree.root / "pkg/sub").rename(tree.root.parent / "elsewhere")
        case "rules":
            tree.write("pkg/.gitignore", "b.py\n")
        case "commit":
            git(tree.root, "add", "-A")
        case "root":
            tree.root.rename(tree.root.parent / "other")
            tree.root.mkdir()
        case "mode":
            (tree.root / "pkg").chmod(0o700)
    assert tree.named() is None


@linux_only
def test_rules_that_worktrees_share_are_watched_in_each(tree: Tree, tmp_path: Path) -> None:
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "one")
    git(tree.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Tree(tmp_path / "linked")
    linked.settle()
    (tree.root / ".git/info/exclude").write_text("a.py\n", encoding="utf-8")
    assert not linked.is_quiet()
    linked.settle()
    git(linked.root, "config", "core.excludesFile", "/nowhere")
    assert not linked.is_quiet()
    linked.watcher.close()


@linux_only
def test_a_file_that_was_ignored_is_heard_once_a_look_has_listed_it(tree: Tree, tmp_path: Path) -> None:
    rules = tmp_path / "rules"  # of the user, which nobody watches
    rules.write_text("*.tmp\n", encoding="utf-8")
    git(tree.root, "config", "core.excludesFile", str(rules))
    tree.settle()
    tree.write("b.tmp")
    tree.settle()
    tree.write("b.tmp", "changed")
    assert tree.is_quiet()
    rules.write_text("", encoding="utf-8")
    tree.look()
    tree.write("b.tmp", "changed again")
    assert not tree.is_quiet()


@linux_only
def test_a_root_that_is_deleted_and_made_again_is_watched_again(tree: Tree) -> None:
    tree.settle()
    shutil.rmtree(tree.root)
    assert not tree.is_quiet()
    waits_for(lambda: tree.watcher._root_now is None)
    before = tree.calls
    tree.write("a.py", "new")
    waits_for(lambda: tree.calls > before)
    tree.settle()
    tree.write("a.py", "newer")
    assert not tree.is_quiet()


@linux_only
def test_a_root_that_is_moved_away_is_not_taken_for_the_one_in_its_place(tree: Tree) -> None:
    above = tree.root.parent
    tree.settle()
    tree.root.rename(above / "elsewhere")
    shutil.copytree(above / "elsewhere", tree.root)
    assert not tree.is_quiet()
    tree.settle()
    tree.write("pkg/sub/b.py", "changed")
    assert not tree.is_quiet()
    tree.settle()
    (above / "elsewhere/a.py").write_text("not ours", encoding="utf-8")
    assert tree.is_quiet()


@linux_only
def test_with_no_file_left_to_open_nothing_is_watched_and_that_is_said_once(
    tree: Tree, caplog: pytest.LogCaptureFixture
) -> None:
    tree.write("warm-up")
    file_events.open_events(str(tree.root), tree.watcher).close()  # so that all is imported
    walked = walk(tree.root)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        tree.watcher.follow(walked)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    tree.look()
    assert not tree.watcher.is_watching
    assert not tree.is_quiet()
    assert "max_user_instances" in tree.watcher.told
    assert caplog.text.count("changes of files are not watched") == 1


_FEW_WATCHES = """
import os, sys
from pathlib import Path
Path("/proc/sys/user/max_inotify_watches").write_text("5")
from indexer.walk import walk
from indexer.watch import Watcher
root = Path(sys.argv[1])
watcher = Watcher(root, lambda: None)
watcher.follow(walk(root))
print(watcher.is_watching, watcher.told)
"""


@linux_only
def test_with_too_few_watches_for_all_folders_none_is_kept(tree: Tree) -> None:
    for number in range(20):
        tree.write(f"m{number}/a.py")
    command = ["unshare", "--user", "--map-root-user", sys.executable, "-c", _FEW_WATCHES, str(tree.root)]
    if not shutil.which("unshare") or subprocess.run([*command[:3], "true"], check=False).returncode:
        pytest.skip("no user namespace can be had")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, check=False, env=env, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    told = "False not watching: the system gives no more watches (raise fs.inotify.max_user_watches)\n"
    assert done.stdout == told
    assert done.stderr.count("not watched") == 1


def test_a_shared_file_system_is_watched_but_not_relied_on(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "is_shared", lambda _path: True)
    tree.look()
    tree.look()
    assert tree.watcher.is_watching
    assert not tree.watcher.is_sure
    assert not tree.is_quiet()
    assert tree.watcher.glance() is None
    assert "shared file system" in tree.watcher.told
    before = tree.calls
    tree.write("a.py", "changed")
    waits_for(lambda: tree.calls > before)


def test_the_file_system_of_the_tests_is_no_shared_one(tmp_path: Path) -> None:
    assert not is_shared(str(tmp_path))


@linux_only
def test_a_glance_counts_unless_a_folder_has_appeared(tree: Tree) -> None:
    tree.settle()
    tree.write("a.py", "changed")
    begun = tree.watcher.glance()
    assert begun is not None
    tree.watcher.glanced(begun)
    assert tree.is_quiet()
    (tree.root / "new").mkdir()
    begun = tree.watcher.glance()
    assert begun is not None
    tree.watcher.glanced(begun)
    assert not tree.is_quiet()


def test_whoever_is_not_relied_on_is_never_quiet_again(tree: Tree, caplog: pytest.LogCaptureFixture) -> None:
    tree.settle()
    tree.watcher.distrust("files change in secret")
    tree.watcher.distrust("files change in secret")
    assert not tree.is_quiet()
    assert tree.watcher.told.endswith("files change in secret")
    assert caplog.text.count("in secret") == 1


def test_a_watcher_that_is_closed_hears_nothing_and_ends_its_threads(tree: Tree) -> None:
    others = set(threading.enumerate())
    tree.settle()
    tree.watcher.close()
    before = tree.calls
    tree.write("a.py", "changed")
    tree.look()
    assert not tree.watcher.is_watching
    assert not tree.is_quiet()
    waits_for(lambda: not any(thread.name == "burst" for thread in {*threading.enumerate()} - others))
    assert tree.calls == before


class Heard:
    """What was told of a tree."""

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def heard(self, path: str, **_: bool) -> None:
        self.paths.add(path)

    def lost(self) -> None:
        raise AssertionError


def test_where_the_system_watches_whole_trees_only_folders_that_are_named_are_heard(tree: Tree) -> None:
    tree.write("node_modules/p/index.js")
    told = Heard()
    events = Recursive(str(tree.root), told)
    assert events.watch({str(tree.root): None, str(tree.root / "pkg/sub"): ("b.py",)})
    assert not events.watch({str(tree.root): None, str(tree.root / "pkg/sub"): ("b.py",)})
    tree.write("node_modules/p/index.js", "changed")
    tree.write("pkg/sub/other.py")
    tree.write("pkg/sub/b.py", "changed")
    (tree.root / "a.py").rename(tree.root / "c.py")
    expected = {str(tree.root / path) for path in ("pkg/sub/b.py", "a.py", "c.py")}
    waits_for(lambda: expected <= told.paths)
    assert not any("node_modules/" in path or "other" in path for path in told.paths)
    assert not events.is_drained(0.1)
    assert not events.is_complete
    events.close()
