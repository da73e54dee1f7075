"""``codectx hook``: it sees what changed, leaves the work to a detached process, and never stops a commit."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codectx import background
from codectx.cli import main
from codectx.commands import hook
from codectx.embedding import Embedding, Filled
from codectx.index import ProjectIndex
from codectx.stores import place_of
from indexer.lock import locked
from indexer.sync import current

ROOT = Path(__file__).parents[2]
START = "import sys; from codectx.cli import main; sys.exit(main())"
WAIT = 50.0  # seconds
GREET = "def greet(name):\n    return name\n"

Git = Callable[..., str]
Said = Callable[..., tuple[str, str]]


@pytest.fixture(autouse=True)
def own_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the priority of this process, which no later test could get back."""
    monkeypatch.setattr(background, "NICENESS", 0)


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Give a function that runs git as nobody's configuration has it."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    settings = ("user.name=T", "user.email=t@example.invalid", "init.defaultBranch=main", "protocol.file.allow=always")
    (tmp_path / "gitconfig").touch()
    for setting in settings:
        name, value = setting.split("=")
        subprocess.run(["git", "config", "--global", name, value], check=True)

    def call(*words: object, cwd: Path | None = None) -> str:
        done = subprocess.run(["git", *map(str, words)], cwd=cwd, capture_output=True, check=True, encoding="utf-8")
        return done.stdout

    return call


@pytest.fixture
def root(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with one commit, the folder that we are in."""
    folder = Path(os.path.realpath(tmp_path)) / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (folder / "a.py").write_text(GREET, encoding="utf-8")
    (folder / "b.py").write_text("def leave():\n    return 0\n", encoding="utf-8")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "1")
    return folder


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Keep what would be started."""
    words: list[list[str]] = []
    monkeypatch.setattr(hook, "start", lambda line, _environment: words.append(list(line)))
    monkeypatch.setattr(hook, "SECONDS", 1e6)  # since the start of the process, which is that of the tests
    return words


@pytest.fixture
def said(root: Path, started: list[list[str]], capfd: pytest.CaptureFixture[str]) -> Said:
    """Give a function that calls the hook, and gives what it said, to stdout and to stderr."""

    def call(*arguments: str) -> tuple[str, str]:
        assert main(["hook", *arguments]) == 0
        told = capfd.readouterr()
        assert "Traceback" not in told.err
        assert told.err.count("\n") <= 1
        return told.out, told.err

    return call


@pytest.fixture
def report(said: Said) -> Callable[..., dict[str, Any]]:
    def call(*arguments: str) -> dict[str, Any]:
        out, err = said("--json", *arguments)
        assert not err
        found: dict[str, Any] = json.loads(out)
        return found

    return call


def catches_up() -> None:
    """Do what the detached process does."""
    assert main(["hook", "--detached"]) == 0


def index_of(folder: Path) -> set[str] | None:
    manifest = current(place_of(folder, ""))
    return None if manifest is None else set(manifest.files)


def waits_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


# --- what changed


def test_without_an_index_it_has_one_built(root: Path, said: Said, started: list[list[str]]) -> None:
    out, err = said()
    assert "no index yet" in out and "working tree" in out and "background" in out
    assert not err
    assert started == [["hook", "--detached"]]
    catches_up()
    assert index_of(root) == {"a.py", "b.py"}


def test_x55_what_changed_is_seen_in_the_files_not_in_the_names(
    root: Path, git: Git, report: Callable[..., dict[str, Any]], said: Said, started: list[list[str]]
) -> None:
    catches_up()
    git("rm", "-q", "b.py")
    told = report("a.py")  # nobody names what was deleted
    assert told == {"state": "background", "in_background": True, "reindexed": [], "removed": ["b.py"]}
    names = ['sub folder/it\'s "so".py', "-dash.py", "ä b.py"]
    (root / "sub folder").mkdir()
    for name in names:
        (root / name).write_text(f"value = {name!r}\n", encoding="utf-8")
    (root / "new\nline.py").touch()  # such a name has no place in any answer
    git("mv", "a.py", "moved.py")
    told = report("no such file", "--", "-dash.py")
    assert told["reindexed"] == sorted([*names, "moved.py"])
    assert told["removed"] == ["a.py", "b.py"]
    assert len(started) == 2
    assert "4 files changed, 2 files gone" in said()[0]
    catches_up()
    assert index_of(root) == {*names, "moved.py"}


def test_names_that_look_like_options_are_not_looked_at(report: Callable[..., dict[str, Any]]) -> None:
    catches_up()
    for names in (("-dash.py",), ("--", "--json", "-x"), ("--weird=1", "a b"), ("",), ("a\nb",)):
        assert not report(*names)["reindexed"]


def test_nothing_is_started_where_nothing_changed(root: Path, said: Said, started: list[list[str]]) -> None:
    for name in ("a.py", "b.py"):
        os.utime(root / name, (1_000_000_000, 1_000_000_000))
    waits_for(lambda: time.time_ns() > (root / "a.py").stat().st_ctime_ns + 2_100_000_000)
    catches_up()
    assert said() == ("codectx: the index is in step with the working tree\n", "")
    assert said("--quiet") == ("", "")
    assert not started
    os.utime(root / "a.py")
    assert "in step" in said()[0]
    assert started  # so that the next look costs no reading


def test_x55_partial_staging_the_working_tree_counts_and_git_is_left_alone(
    root: Path, git: Git, report: Callable[..., dict[str, Any]], said: Said
) -> None:
    catches_up()
    (root / "a.py").write_text("def staged():\n    return 1\n", encoding="utf-8")
    git("add", "a.py")
    (root / "a.py").write_text("def staged():\n    return 1\n\n\ndef unstaged():\n    return 2\n", encoding="utf-8")
    os.utime(root / "b.py")  # git would take down its new time, if it were let
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}
    assert report()["reindexed"] == ["a.py"]
    assert "working tree" in said()[0]
    catches_up()
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()} == before
    rows = place_of(root, "").store.read()
    assert rows is not None and "unstaged" in str(rows.to_pylist())


# --- where


def test_outside_of_a_repository_it_says_so(
    tmp_path: Path, said: Said, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    out, err = said()
    assert not out and "no git working tree" in err
    assert not started


def test_in_a_bare_repository_it_says_so(
    tmp_path: Path, git: Git, said: Said, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "-q", "--bare", ".", tmp_path / "bare.git")
    monkeypatch.chdir(tmp_path / "bare.git")
    monkeypatch.setenv("GIT_DIR", ".")
    assert "no git working tree" in said()[1]
    assert not started


def test_a_worktree_and_a_submodule_have_an_index_of_their_own(
    root: Path, tmp_path: Path, git: Git, report: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    git("worktree", "add", "-q", root / "inside", "-b", "other")
    git("clone", "-q", ".", tmp_path / "library")
    git("submodule", "add", "-q", tmp_path / "library", "library")
    for name in ("inside", "library"):
        monkeypatch.chdir(root / name)
        monkeypatch.setenv("GIT_DIR", str(root / ".git"))  # of the hook of another repository
        monkeypatch.setenv("GIT_INDEX_FILE", str(root / ".git" / "index"))
        assert report()["in_background"]
        catches_up()
        assert index_of(root / name) == {"a.py", "b.py"}
        monkeypatch.delenv("GIT_DIR")
        monkeypatch.delenv("GIT_INDEX_FILE")
    assert index_of(root) is None


def test_a_subfolder_and_an_agents_folder_elsewhere_lead_to_the_repository(
    root: Path, tmp_path: Path, report: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catches_up()
    (root / "deep").mkdir()
    (root / "deep" / "c.py").write_text(GREET, encoding="utf-8")
    monkeypatch.chdir(root / "deep")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    assert report()["reindexed"] == ["deep/c.py"]


# --- what goes wrong


def test_a_lock_that_another_holds_is_told(root: Path, said: Said, started: list[list[str]]) -> None:
    catches_up()
    (root / "a.py").write_text("def other():\n    pass\n", encoding="utf-8")
    with locked(place_of(root, "").lock):
        out, err = said()
        # Said where it was asked for; mostly the other one was started by the hook of the commit before.
        assert said("--quiet") == ("", "")
    assert not out and f"process {os.getpid()}" in err
    assert len(started) == 2  # each waits for the lock


def test_a_corrupt_index_is_told_and_built_anew(root: Path, said: Said) -> None:
    catches_up()
    place = place_of(root, "")
    place.manifest.write_bytes(b"\0garbage")
    assert "no index yet" in said()[0]
    for path in place.folder.rglob("*.lance"):
        for file in (each for each in path.rglob("*") if each.is_file()):
            file.write_bytes(b"garbage")
    catches_up()
    assert index_of(root) == {"a.py", "b.py"}


def test_an_embedder_that_is_down_is_told_by_the_next_call(
    root: Path, said: Said, started: list[list[str]], ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECTX_EMBEDDER", "ollama")
    monkeypatch.setenv("CODECTX_EMBEDDER_MODEL", "fake-a")
    monkeypatch.setenv("CODECTX_OLLAMA_URL", ollama.url)
    ollama.down()
    catches_up()
    assert index_of(root) == {"a.py", "b.py"}
    assert "backend_down" in said()[1]
    assert started
    ollama.up()
    catches_up()
    assert not said()[1]


def test_wrong_settings_are_one_line(root: Path, said: Said, started: list[list[str]]) -> None:
    (root / "codectx.toml").write_text("[index]\nexlude = []\n", encoding="utf-8")
    assert said()[1].startswith("error[invalid_argument]: ")
    (root / "codectx.toml").write_text("not toml at all", encoding="utf-8")
    assert said()[1].startswith("error[")
    assert not started


def test_whatever_is_unexpected_is_one_line(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(hook, "look", broken)
    assert "RuntimeError" in said()[1]
    monkeypatch.setenv("CODECTX_LOG", "loudly")
    assert "CODECTX_LOG" in said()[1]


def test_a_process_that_cannot_be_started_is_one_line(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "launcher", lambda: (str(root / "gone"),))
    assert main(["hook"]) == 0
    assert capfd.readouterr().err.startswith("error[unsupported]: nothing can be started")


def test_what_takes_long_is_left(said: Said, started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()
    monkeypatch.setattr(hook, "look", lambda *_: is_over.wait(WAIT))
    monkeypatch.setattr(hook, "SECONDS", 0.0)
    began = time.monotonic()
    out, _ = said()
    assert time.monotonic() - began < WAIT / 2
    is_over.set()
    assert "takes long" in out and "working tree" in out
    assert started


def test_a_shared_index_is_left_to_its_writers(
    said: Said, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECTX_STORE_URI", "s3://bucket/index")
    assert "shared" in said()[1]
    assert said("--quiet") == ("", "")
    assert not started


def test_a_cache_that_cannot_be_written_is_told_and_nothing_is_started(
    root: Path, tmp_path: Path, said: Said, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    out, err = said()
    assert not out and "cannot be written" in err and str(tmp_path / "cache") in err
    assert json.loads(said("--json")[0])["in_background"] is False
    is_over = threading.Event()
    monkeypatch.setattr(hook, "look", lambda *_: is_over.wait(WAIT))
    monkeypatch.setattr(hook, "LEAST_SECONDS", 1.0)
    monkeypatch.setattr(hook, "SECONDS", 0.0)
    assert "cannot be written" in said()[1]  # though looking is not over
    is_over.set()
    assert not started
    (tmp_path / "cache").unlink()


def test_what_was_unexpected_in_the_background_is_told_by_the_next_call(
    root: Path, said: Said, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catches_up()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("nobody\nthought of this")

    with monkeypatch.context() as patch:
        patch.setattr(ProjectIndex, "sync", broken)
        assert main(["hook", "--detached"]) == 0
    said_of_it = "RuntimeError: nobody thought of this"
    is_over = threading.Event()
    with monkeypatch.context() as patch:
        assert said_of_it not in said("--help")[1]
        assert said_of_it in said()[1]
        patch.setattr(hook, "look", lambda *_: is_over.wait(WAIT))
        patch.setattr(hook, "LEAST_SECONDS", 1.0)
        patch.setattr(hook, "SECONDS", 0.0)
        assert said_of_it in said()[1]  # though looking is not over
        is_over.set()
    catches_up()
    assert not said()[1]


# --- in the background


def test_of_many_one_works_and_one_waits(root: Path) -> None:
    folder = place_of(root, "").folder
    folder.mkdir(parents=True)
    with locked(folder / background._NEXT):
        catches_up()
    assert index_of(root) is None


def test_the_one_that_waits_does_so_without_end_and_vectors_are_left_to_it(
    root: Path, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECTX_EMBEDDER", "ollama")
    monkeypatch.setenv("CODECTX_EMBEDDER_MODEL", "fake-a")
    monkeypatch.setenv("CODECTX_OLLAMA_URL", ollama.url)
    folder = place_of(root, "").folder
    fill, after = Embedding.fill, []
    start = START.replace("sys.exit", "from codectx import background; background.WAIT_SECONDS = 0.0; sys.exit")

    def fill_beside_a_commit(embedding: Embedding, files: int, **options: Any) -> Filled:
        if after:
            return fill(embedding, files, **options)
        assert options["go_on"]()
        (root / "c.py").write_text(GREET, encoding="utf-8")
        words = [sys.executable, "-P", "-c", start, "hook", "--detached"]
        after.append(subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(ROOT)}))
        waits_for(lambda: not options["go_on"]())
        waits_for(lambda: (folder / background._NEXT).read_text(encoding="ascii") == str(after[0].pid))
        filled = fill(embedding, files, **options)

        assert not filled.embedded and filled.error is None
        with pytest.raises(subprocess.TimeoutExpired):  # a wait of no time would be over
            after[0].wait(0.3)
        return filled

    monkeypatch.setattr(Embedding, "fill", fill_beside_a_commit)
    catches_up()
    assert index_of(root) == {"a.py", "b.py"}
    assert after[0].wait(WAIT) == 0
    assert index_of(root) == {"a.py", "b.py", "c.py"}
    assert "3 of 3 chunks" in (folder / "vectors.json").read_text(encoding="utf-8")
    assert not (folder / background.OUTCOME).exists()


@pytest.fixture
def other(git: Git, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "other"
    folder.mkdir()
    git("init", "-q", cwd=folder)
    yield folder
    shutil.rmtree(folder)


def test_the_rest_runs_detached_for_this_repository(root: Path, other: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    environment |= {"GIT_INDEX_FILE": str(other / ".git" / "index"), "GIT_PREFIX": "x/"}
    words = [sys.executable, "-P", "-c", START, "hook", "a.py"]
    # Whoever reads its output sees the end of it, though the work goes on.
    done = subprocess.run(words, env=environment, capture_output=True, timeout=WAIT, check=False, encoding="utf-8")
    assert done.returncode == 0
    assert not done.stderr
    assert "in the background" in done.stdout  # said whether or not looking was over in time
    waits_for(lambda: index_of(root) == {"a.py", "b.py"})
