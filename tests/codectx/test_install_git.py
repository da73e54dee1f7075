"""``codectx install git`` puts codectx into hooks that go on as before; ``uninstall`` leaves not a byte of it."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codectx import githooks
from codectx.cli import main
from codectx.githooks import HOOKS

SH = "#!/bin/sh\n"
Git = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Give a function that runs git in the repository, as nobody's configuration has it."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    own = "[user]\nname = T\nemail = t@example.invalid\n[init]\ndefaultBranch = main\n"
    (tmp_path / "gitconfig").write_text(own, encoding="utf-8")

    def call(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(["git", *map(str, words)], capture_output=True, check=False, encoding="utf-8")
        assert done.returncode == code, done.stderr
        return done

    return call


@pytest.fixture
def root(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository, the folder that we are in; its hooks would say ``codectx FOLDER WORDS`` in a log."""
    root = Path(os.path.realpath(tmp_path)) / 'it\'s a "shop"'
    root.mkdir()
    monkeypatch.chdir(root)
    git("init", "-q")
    for sample in (root / ".git/hooks").iterdir():
        sample.unlink()
    git("commit", "-q", "--allow-empty", "-m", "1")
    program = tmp_path / "it's codectx"
    program.write_text('#!/bin/sh\ncat >>"$LOG"\necho "codectx $PWD $*" >>"$LOG"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.setattr(githooks, "launcher", lambda: (str(program),))
    return root


@pytest.fixture
def log(tmp_path: Path) -> Callable[[], list[str]]:
    """Give a function that gives the lines of the log since the last time."""

    def lines() -> list[str]:
        path = tmp_path / "log"
        found = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        path.unlink(missing_ok=True)
        return found

    return lines


def state_of(folder: Path) -> dict[str, Any]:
    """Give all there is to know of a folder's entries."""
    if not folder.exists():
        return {}
    return {
        path.name: (stat.filemode(path.lstat().st_mode), path.readlink() if path.is_symlink() else path.read_bytes())
        for path in folder.iterdir()
    }


def put(root: Path, name: str, text: str | bytes, mode: int = 0o755) -> Path:
    path = root / ".git" / "hooks" / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def done(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """Run a command and give what became of each hook."""
    assert main([*words, "--json"]) == 0
    return {change["name"]: change["what"] for change in json.loads(capsys.readouterr().out)["changes"]}


EXITS = f'{SH}set -eu\necho old >>"$LOG"\nexit 3\necho never >>"$LOG"\n'
PYTHON = "#!/usr/bin/env python3\nimport os\nopen(os.environ['LOG'], 'a').write('old\\n')\nraise SystemExit(3)\n"


def test_every_hook_calls_codectx(
    root: Path, git: Git, log: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert done(capsys, "install", "git") == dict.fromkeys(HOOKS, "made")
    called = [f"codectx {root} hook --quiet"]
    git("commit", "-q", "--allow-empty", "-m", "2")
    assert log() == called
    git("checkout", "-q", "-b", "side")
    assert log() == called
    git("commit", "-q", "--allow-empty", "-m", "3")
    git("checkout", "-q", "main")
    log()
    git("merge", "-q", "side")
    assert log() == called
    git("commit", "-q", "--allow-empty", "--amend", "-m", "4")
    assert log() == [*called, *called]  # post-commit and post-rewrite, whose input is not read
    (root / "sub").mkdir()
    os.chdir(root / "sub")
    git("commit", "-q", "--allow-empty", "-m", "5")
    assert log() == called


@pytest.mark.parametrize(
    ("text", "mode", "what", "runs"),
    [
        (EXITS, 0o755, "added", True),
        (EXITS, 0o500, "added", True),
        (EXITS.replace("/bin/sh", "/usr/bin/env -S bash -e"), 0o755, "added", True),
        (f"{SH}echo old >>\"$LOG\"; exec sh -c 'exit 3'", 0o755, "added", True),
        (EXITS.replace("echo never", "echo 'é\xff'").encode("latin-1"), 0o755, "added", True),
        (f"{SH}", 0o755, "added", None),
        ("#!/bin/sh", 0o755, "added", None),
        (PYTHON, 0o755, "put before", True),
        (PYTHON, 0o711, "put before", True),
        (EXITS.removeprefix(SH), 0o755, "put before", True),
        (EXITS, 0o644, "put before", False),
        (b"\x7fELF\0\0garbage", 0o644, "put before", False),
        ("", 0o644, "put before", False),
    ],
    ids=["exit", "mode", "bash", "exec", "latin", "empty", "no-end", "python", "mode-py", "plain", "off", "elf", "nil"],
)
def test_a_hook_that_was_there_goes_on_and_comes_back_as_it_was(
    root: Path,
    git: Git,
    log: Callable[[], list[str]],
    capsys: pytest.CaptureFixture[str],
    text: str | bytes,
    mode: int,
    what: str,
    runs: bool | None,
) -> None:
    hook = put(root, "post-checkout", text, mode)
    before = state_of(root / ".git/hooks")
    assert done(capsys, "install", "git")["post-checkout"] == what
    git("checkout", "-q", "-b", "side", code=1 if runs else 0)  # git's own code where a hook fails
    assert log() == [f"codectx {root} hook --quiet", *(["old"] if runs else [])]
    if os.access(hook, os.X_OK):
        assert subprocess.run([hook], check=False).returncode == (3 if runs else 0)
    installed = state_of(root / ".git/hooks")
    assert done(capsys, "install", "git") == dict.fromkeys(HOOKS, "unchanged")
    assert state_of(root / ".git/hooks") == installed
    taken = done(capsys, "uninstall", "git")
    assert taken["post-checkout"] == ("put back" if what == "put before" else "taken out")
    assert state_of(root / ".git/hooks") == before
    assert done(capsys, "uninstall", "git") == {}
    assert state_of(root / ".git/hooks") == before


def test_the_old_hook_keeps_its_arguments_and_its_input(
    root: Path, git: Git, log: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    text = '#!{}\necho "$0 $*" >>"$LOG"\ncat >>"$LOG"\n'
    put(root, "post-rewrite", text.format("/bin/sh"))
    put(root, "post-checkout", text.format("/usr/bin/env -S sh -u"))
    done(capsys, "install", "git")
    git("commit", "-q", "--allow-empty", "--amend", "-m", "2")
    lines = [line for line in log() if not line.startswith("codectx")]
    assert lines[0] == ".git/hooks/post-rewrite amend"
    assert len(lines[1].split()) == 2  # the old commit and the new one
    git("checkout", "-q", "-b", "side")
    assert [line.split()[0] for line in log()] == ["codectx", ".git/hooks/post-checkout"]


def test_a_link_stays_a_link(
    root: Path, git: Git, log: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "kept").write_text(f'{SH}echo old >>"$LOG"\n', encoding="utf-8")
    (root / "kept").chmod(0o755)
    (root / ".git/hooks/post-commit").symlink_to("../../kept")
    (root / ".git/hooks/post-merge").symlink_to("nowhere")
    before = state_of(root / ".git/hooks")
    done(capsys, "install", "git")
    git("commit", "-q", "--allow-empty", "-m", "2")
    assert log() == [f"codectx {root} hook --quiet", "old"]
    assert done(capsys, "uninstall", "git")["post-merge"] == "put back"
    assert state_of(root / ".git/hooks") == before
    assert (root / "kept").read_text(encoding="utf-8").count("\n") == 2


def test_a_folder_of_hooks_that_was_made_goes_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / ".git/hooks").rmdir()
    done(capsys, "install", "git")
    assert set(state_of(root / ".git/hooks")) == set(HOOKS)
    done(capsys, "uninstall", "git")
    assert not (root / ".git/hooks").exists()


def test_lines_that_others_added_meanwhile_stay(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done(capsys, "install", "git")
    hook = root / ".git/hooks/post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    assert done(capsys, "uninstall", "git")["post-commit"] == "taken out"
    assert state_of(root / ".git/hooks") == {"post-commit": (stat.filemode(0o100755), f"{SH}echo mine\n".encode())}


def test_lines_that_others_added_before_a_program_put_aside_stay_and_so_does_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(root, "post-merge", PYTHON)
    done(capsys, "install", "git")
    hook = root / ".git/hooks/post-merge"
    hook.write_bytes(hook.read_bytes().replace(b"\n", b"\necho theirs\n", 1))
    assert main(["uninstall", "git"]) == 0
    told = capsys.readouterr().out
    assert f"taken out: {hook}\n" in told and f"left aside: {hook}.before-codectx\n" in told
    left = state_of(root / ".git/hooks")
    assert {name: data for name, (_, data) in left.items()} == {
        "post-merge": f"{SH}echo theirs\n".encode(),
        "post-merge.before-codectx": PYTHON.encode(),
    }


def test_hooks_that_another_tool_took_over_are_taken_out_too(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root, "post-merge", PYTHON)
    done(capsys, "install", "git")
    for name in ("post-merge", "post-commit"):
        (root / ".git/hooks" / name).rename(root / ".git/hooks" / f"{name}.legacy")
        put(root, name, f"{SH}echo framework\n")
    done(capsys, "uninstall", "git")
    left = state_of(root / ".git/hooks")
    assert set(left) == {"post-merge", "post-merge.legacy", "post-commit"}
    assert left["post-merge.legacy"][1] == PYTHON.encode()


def test_the_way_to_codectx_is_made_anew_and_a_lost_one_is_no_trouble(
    root: Path,
    git: Git,
    log: Callable[[], list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    put(root, "post-checkout", PYTHON)
    put(root, "post-merge", EXITS)
    before = state_of(root / ".git/hooks")
    with monkeypatch.context() as patch:
        patch.setattr(githooks, "launcher", lambda: (str(tmp_path / "gone"), "-c", "it's"))
        done(capsys, "install", "git")
    found = git("commit", "-q", "--allow-empty", "-m", "2")
    assert (found.stdout, found.stderr, log()) == ("", "", [])
    elsewhere = tmp_path / "bin"
    elsewhere.mkdir()
    (elsewhere / "codectx").symlink_to(tmp_path / "it's codectx")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{elsewhere}:{os.environ['PATH']}")
        git("commit", "-q", "--allow-empty", "-m", "3")
    assert log() == [f"codectx {root} hook --quiet"]
    assert done(capsys, "install", "git") == dict.fromkeys(HOOKS, "renewed")
    git("checkout", "-q", "-b", "side", code=1)
    assert log() == [f"codectx {root} hook --quiet", "old"]
    done(capsys, "uninstall", "git")
    assert state_of(root / ".git/hooks") == before


def test_worktrees_share_the_hooks_of_the_repository(
    root: Path, git: Git, log: Callable[[], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git("worktree", "add", "-q", tmp_path / "tree", "-b", "side")
    (tmp_path / "tree" / "deep").mkdir()
    done(capsys, "install", "git", str(tmp_path / "tree" / "deep"))
    assert set(state_of(root / ".git/hooks")) == set(HOOKS)
    git("worktree", "add", "-q", tmp_path / "new", "-b", "new")
    assert log() == [f"codectx {os.path.realpath(tmp_path / 'new')} hook --quiet"]
    git("clone", "-q", "--bare", ".", tmp_path / "bare.git")
    git("--git-dir", tmp_path / "bare.git", "worktree", "add", "-q", tmp_path / "of bare", "side")
    done(capsys, "install", "git", str(tmp_path / "of bare"))
    assert set(HOOKS) < set(state_of(tmp_path / "bare.git/hooks"))


def test_a_submodule_has_hooks_of_its_own(root: Path, git: Git, capsys: pytest.CaptureFixture[str]) -> None:
    git("clone", "-q", ".", root.parent / "library")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", root.parent / "library", "library")
    done(capsys, "install", "git", "library")
    assert set(HOOKS) < set(state_of(root / ".git/modules/library/hooks"))
    assert not state_of(root / ".git/hooks")


def test_hooks_path_is_heeded_inside_and_refused_outside(
    root: Path, git: Git, log: Callable[[], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "everybody's"
    outside.mkdir()
    git("config", "--global", "core.hooksPath", outside)
    for word in ("install", "uninstall"):
        assert main([word, "git"]) == 2
        told = capsys.readouterr()
        assert told.err.startswith("error[unsupported]: core.hooksPath") and str(outside) in told.err
    assert not state_of(outside) and not state_of(root / ".git/hooks")
    git("config", "core.hooksPath", "own hooks")
    done(capsys, "install", "git")
    git("commit", "-q", "--allow-empty", "-m", "2")
    assert log() == [f"codectx {root} hook --quiet"]
    assert set(state_of(root / "own hooks")) == set(HOOKS)
    done(capsys, "uninstall", "git")
    assert not (root / "own hooks").exists()


def test_hooks_that_git_tracks_or_never_runs_are_left_alone(
    root: Path, git: Git, capsys: pytest.CaptureFixture[str]
) -> None:
    git("config", "core.hooksPath", "shared hooks")
    (root / "shared hooks").mkdir()
    (root / "shared hooks/post-merge").write_text("#!/bin/sh\n", encoding="utf-8")
    git("add", "shared hooks/post-merge")
    assert main(["install", "git"]) == 2
    assert capsys.readouterr().err.startswith("error[unsupported]: shared hooks/post-merge is tracked by git")
    assert set(state_of(root / "shared hooks")) == {"post-merge"}
    git("config", "core.hooksPath", "")
    assert main(["install", "git"]) == 2
    assert "core.hooksPath is set to nothing" in capsys.readouterr().err


def test_a_rebase_calls_it_once_however_many_commits_it_has(
    root: Path, git: Git, log: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(4):
        (root / f"f{number}.py").write_text("x = 1\n", encoding="utf-8")
        git("add", f"f{number}.py")
        git("commit", "-q", "-m", str(number))
    git("checkout", "-q", "-b", "other", "HEAD~4")
    git("commit", "-q", "--allow-empty", "-m", "other")
    git("checkout", "-q", "-")
    done(capsys, "install", "git")
    git("rebase", "-q", "other")
    assert log() == [f"codectx {root} hook --quiet"]
    git("commit", "-q", "--allow-empty", "-m", "after")
    assert len(log()) == 1


def test_what_is_in_the_way_is_left_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root, "post-commit", PYTHON)
    put(root, "post-commit.before-codectx", "precious")
    assert main(["install", "git"]) == 2
    assert "is in the way" in capsys.readouterr().err
    assert set(state_of(root / ".git/hooks")) == {"post-commit", "post-commit.before-codectx"}
    (root / ".git/hooks/post-commit").unlink()
    (root / ".git/hooks/post-commit").mkdir()
    assert main(["install", "git"]) == 2
    assert capsys.readouterr().err.startswith("error[unreadable]: the git hooks in ")


@pytest.mark.parametrize("is_folder", [False, True])
def test_nothing_is_set_where_something_is_in_the_way_of_the_last(
    root: Path, capsys: pytest.CaptureFixture[str], is_folder: bool
) -> None:
    put(root, "post-commit", EXITS)
    put(root, "post-checkout", PYTHON)
    if is_folder:
        (root / ".git/hooks" / HOOKS[-1]).mkdir()
        (root / ".git/hooks" / HOOKS[-1] / "file").touch()
    else:
        put(root, HOOKS[-1], PYTHON)
        put(root, f"{HOOKS[-1]}.before-codectx", "precious")
    before = {path: path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}
    assert main(["install", "git"]) == 2
    capsys.readouterr()
    assert {path: path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()} == before


def test_wrong_calls_are_told(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plain").mkdir()
    for words, category in (
        (["install", "svn"], "invalid_argument"),
        (["install"], "invalid_argument"),
        (["uninstall", "git", "nowhere"], "invalid_argument"),
        (["install", "git", str(tmp_path / "plain")], "not_found"),
    ):
        assert main(words) == 2
        assert capsys.readouterr().err.startswith(f"error[{category}]: ")


def test_it_says_what_it_did(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root, "post-merge", EXITS)
    assert main(["install", "git"]) == 0
    told = capsys.readouterr().out
    assert f"made: {root}/.git/hooks/post-commit\n" in told
    assert f"added: {root}/.git/hooks/post-merge\n" in told
    assert "uninstall git" in told
    assert main(["uninstall", "git"]) == 0
    assert f"taken out: {root}/.git/hooks/post-merge\n" in capsys.readouterr().out
    assert main(["uninstall", "git"]) == 0
    assert capsys.readouterr().out == "there was nothing to take out\n"
