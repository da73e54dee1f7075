"""Git is asked with nothing of the repository's being run, and nothing of the environment's leaking in."""

import os
import subprocess
from pathlib import Path

import pytest

from indexer.errors import GitError
from indexer.git import git_root, run_git
from indexer.walk import walk


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "T",
        "GIT_AUTHOR_EMAIL": "t@example.invalid",
        "GIT_COMMITTER_NAME": "T",
        "GIT_COMMITTER_EMAIL": "t@example.invalid",
    }


@pytest.fixture
def repository(tmp_path: Path, environment: dict[str, str]) -> Path:
    root = tmp_path / "case"
    root.mkdir()
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    git(root, environment, "init", "-q", "-b", "main", ".")
    git(root, environment, "add", "-A")
    git(root, environment, "commit", "-qm", "1")
    return root


def git(root: Path, environment: dict[str, str], *args: str) -> None:
    subprocess.run(["git", *args], cwd=root, env=environment, check=True, timeout=30)


def test_output_is_given(repository: Path, environment: dict[str, str]) -> None:
    assert run_git(repository, ["ls-files", "-z"], timeout=10, environment=environment) == b"a.txt\0"
    assert run_git(repository, ["ls-files", "-z"], timeout=10) == b"a.txt\0"


def test_errors_have_git_s_first_line_and_a_category(repository: Path, environment: dict[str, str]) -> None:
    with pytest.raises(GitError, match="Needed a single revision") as caught:
        run_git(repository, ["rev-parse", "--verify", "--end-of-options", "nope"], timeout=10, environment=environment)
    assert caught.value.category == "bad_ref"
    with pytest.raises(GitError) as caught:
        run_git(repository, ["diff", "no-such-ref", "--"], timeout=10, environment=environment)
    assert caught.value.category == "bad_ref"
    assert "\n" not in str(caught.value)
    with pytest.raises(GitError, match="is not a git command") as caught:
        run_git(repository, ["no-such-command"], timeout=10, environment=environment)
    assert caught.value.category == "unsupported"
    with pytest.raises(GitError, match="could not be started"):
        run_git(repository, ["log", "a\0b"], timeout=10, environment=environment)


def test_outside_of_a_repository_git_says_so(tmp_path: Path, environment: dict[str, str]) -> None:
    environment["GIT_CEILING_DIRECTORIES"] = str(tmp_path.parent)
    with pytest.raises(GitError, match="not a git repository"):
        run_git(tmp_path, ["status"], timeout=10, environment=environment)


def test_missing_git_is_told(repository: Path) -> None:
    with pytest.raises(GitError, match="not installed"):
        run_git(repository, ["status"], timeout=10, environment={"PATH": str(repository)})


def test_git_that_hangs_is_ended(repository: Path, environment: dict[str, str]) -> None:
    with pytest.raises(GitError, match=r"more than 0\.2 seconds") as caught:
        # without an end of its input
        run_git(repository, ["-c", "alias.hang=!sleep 5", "hang"], timeout=0.2, environment=environment)
    assert caught.value.category == "timeout"


def test_exit_codes_may_be_an_answer(repository: Path, environment: dict[str, str]) -> None:
    args = ["diff", "--quiet"]
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    assert run_git(repository, args, timeout=10, environment=environment, codes=(0, 1)) == b""
    with pytest.raises(GitError, match="git ended with 1"):
        run_git(repository, args, timeout=10, environment=environment)


def test_input_is_handed_over(repository: Path, environment: dict[str, str]) -> None:
    blob = run_git(repository, ["hash-object", "--stdin"], timeout=10, environment=environment, stdin=b"one\n")
    assert blob.strip() == run_git(repository, ["rev-parse", "HEAD:a.txt"], timeout=10, environment=environment).strip()


def test_variables_of_a_surrounding_hook_are_dropped_unless_wanted(
    tmp_path: Path, repository: Path, environment: dict[str, str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, environment, "init", "-q", ".")
    inside_hook = {**environment, "GIT_DIR": str(repository / ".git"), "GIT_INDEX_FILE": str(tmp_path / "index")}
    args = ["rev-parse", "--git-path", "index"]
    assert run_git(other, args, timeout=10, environment=inside_hook).strip() == b".git/index"
    kept = run_git(repository, args, timeout=10, environment=inside_hook, keep_env=True).strip()
    assert kept == os.fsencode(tmp_path / "index")


def test_variables_that_start_programs_are_dropped(repository: Path, environment: dict[str, str]) -> None:
    ran = repository.parent / "ran"
    environment |= {"GIT_EXTERNAL_DIFF": f"touch {ran};", "GIT_PAGER": f"touch {ran};", "GIT_TRACE": str(ran)}
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    assert b"+two" in run_git(repository, ["diff"], timeout=10, environment=environment, keep_env=True)
    assert not ran.exists()


def test_programs_of_the_repository_are_not_run(repository: Path, environment: dict[str, str]) -> None:
    ran = repository.parent / "ran"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    hooks = repository / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(program)
    (repository / ".git" / "info" / "attributes").write_text(
        "*.txt filter=evil diff=evil\n*.p filter=long\n*.lfs filter=evil.with.dots\n", encoding="utf-8"
    )
    for setting in (
        "core.fsmonitor",
        "core.pager",
        "pager.diff",
        "pager.log",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.long.process",
        "filter.evil.with.dots.clean",
        "core.sshCommand",
        "gpg.program",
    ):
        git(repository, environment, "config", setting, str(program))
    for setting, value in (
        ("core.hooksPath", str(hooks)),
        ("filter.evil.required", "true"),
        ("filter.long.required", "true"),
        ("log.showSignature", "true"),
    ):
        git(repository, environment, "config", setting, value)
    for name in ("a.txt", "b.p", "c.lfs"):
        (repository / name).write_text("two\n", encoding="utf-8")
    index = {**environment, "GIT_INDEX_FILE": str(repository.parent / "index")}
    ran.unlink(missing_ok=True)
    for args in (
        ["ls-files", "-co", "--exclude-standard"],
        ["diff", "HEAD"],
        ["diff", "--stat"],
        ["log", "-p", "-1"],
        ["show", "HEAD"],
        ["status", "--porcelain"],
    ):
        run_git(repository, args, timeout=10, environment=environment)
    assert b"+two" in run_git(repository, ["diff", "HEAD"], timeout=10, environment=environment)
    assert not ran.exists()
    # the trap works
    git(repository, index, "diff", "HEAD", "--stat")
    assert ran.exists()


@pytest.mark.parametrize(
    ("section", "attribute"),
    [("a=b", "a=b"), ("", ""), ("a.b=c.clean", "a.b=c.clean"), ("A b]", None), ("\u00e4", "\u00e4")],
)
def test_filters_of_any_name_are_not_run(
    repository: Path, environment: dict[str, str], section: str, attribute: str | None
) -> None:
    ran = repository.parent / "ran"
    with (repository / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f'[filter "{section}"]\n\tclean = touch {ran}; cat\n\trequired = true\n')
    (repository / ".gitattributes").write_text(
        f"*.txt filter={'none' if attribute is None else attribute}\n", encoding="utf-8"
    )
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    assert b"+two" in run_git(repository, ["diff"], timeout=10, environment=environment)
    assert not ran.exists()
    git(repository, {**environment, "GIT_INDEX_FILE": str(repository.parent / "index")}, "add", "a.txt")
    assert ran.exists() == (attribute is not None)  # the trap works


def test_filters_of_the_user_are_kept(repository: Path, environment: dict[str, str]) -> None:
    """Without the user's own filters (large files kept elsewhere, say) every such file would seem changed."""
    git(repository, environment, "config", "--global", "filter.upper.clean", "tr a-z A-Z")
    (repository / ".git" / "info" / "attributes").write_text("*.txt filter=upper\n", encoding="utf-8")
    (repository / "a.txt").write_text("three\n", encoding="utf-8")
    assert b"+THREE" in run_git(repository, ["diff"], timeout=10, environment=environment)


def test_submodules_are_not_entered(tmp_path: Path, repository: Path, environment: dict[str, str]) -> None:
    ran = tmp_path / "ran"
    inner = repository / "inner"
    inner.mkdir()
    (inner / "a.txt").write_text("one\n", encoding="utf-8")
    git(inner, environment, "init", "-q", ".")
    git(inner, environment, "add", "-A")
    git(inner, environment, "commit", "-qm", "1")
    git(repository, environment, "-c", "advice.addEmbeddedRepo=false", "add", "inner")
    (inner / ".git" / "info" / "attributes").write_text("* filter=evil\n", encoding="utf-8")
    git(inner, environment, "config", "filter.evil.clean", f"touch {ran}; cat")
    (inner / "a.txt").write_text("two\n", encoding="utf-8")
    run_git(repository, ["diff"], timeout=10, environment=environment)
    run_git(repository, ["status", "--porcelain"], timeout=10, environment=environment)
    assert not ran.exists()


def test_work_tree_is_where_the_repository_lies(tmp_path: Path, repository: Path, environment: dict[str, str]) -> None:
    """A configuration that names another folder as work tree would show us its files."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("top secret 4711\n", encoding="utf-8")
    git(repository, environment, "config", "core.worktree", str(outside))
    assert b"4711" not in run_git(repository, ["diff"], timeout=10, environment=environment)
    assert run_git(repository, ["ls-files", "-co"], timeout=10, environment=environment) == b"a.txt\n"


def test_worktrees_and_subfolders_work(tmp_path: Path, repository: Path, environment: dict[str, str]) -> None:
    git(repository, environment, "worktree", "add", "-q", str(tmp_path / "w1"), "-b", "w1")
    assert run_git(tmp_path / "w1", ["ls-files"], timeout=10, environment=environment) == b"a.txt\n"
    (repository / "sub").mkdir()
    (repository / "sub" / "b.txt").write_text("b", encoding="utf-8")
    assert run_git(repository / "sub", ["ls-files", "-o"], timeout=10, environment=environment) == b"b.txt\n"
    assert git_root(tmp_path / "w1") == tmp_path / "w1"
    assert git_root(repository / "sub") == repository


def test_paths_are_taken_literally_unless_asked(repository: Path, environment: dict[str, str]) -> None:
    (repository / ":(top)x").write_text("", encoding="utf-8")
    args = ["ls-files", "-o", "--", ":(top)x"]
    assert run_git(repository, args, timeout=10, environment=environment) == b":(top)x\n"
    args = ["ls-files", "-c", "--", ":(glob)*.txt"]
    assert run_git(repository, args, timeout=10, environment=environment) == b""
    assert run_git(repository, args, timeout=10, environment=environment, pathspec_magic=True) == b"a.txt\n"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_repository_of_another_user_can_be_read(repository: Path, environment: dict[str, str]) -> None:
    """As in containers, where the mounted project belongs to the user outside."""
    for path in (repository, *repository.rglob("*")):
        os.chown(path, 65534, 65534)
    refused = subprocess.run(["git", "ls-files"], cwd=repository, env=environment, capture_output=True, check=False)
    assert b"dubious ownership" in refused.stderr
    assert run_git(repository, ["ls-files"], timeout=10, environment=environment) == b"a.txt\n"


def test_index_is_not_written(repository: Path, environment: dict[str, str]) -> None:
    os.utime(repository / "a.txt", (1, 1))  # git would refresh what it knows of the file
    before = (repository / ".git" / "index").read_bytes()
    run_git(repository, ["status"], timeout=10, environment=environment)
    run_git(repository, ["ls-files", "-co"], timeout=10, environment=environment)
    assert (repository / ".git" / "index").read_bytes() == before


@pytest.fixture
def private(tmp_path: Path, environment: dict[str, str]) -> Path:
    """Give a repository that is nobody's business, beside the one that is asked about."""
    root = tmp_path / "private"
    root.mkdir()
    (root / "secret.txt").write_text("top secret 4711\n", encoding="utf-8")
    git(root, environment, "init", "-q", "-b", "main", ".")
    git(root, environment, "add", "-A")
    git(root, environment, "commit", "-qm", "1")
    return root


def refused(root: Path, environment: dict[str, str]) -> str:
    with pytest.raises(GitError) as caught:
        run_git(root, ["diff", "HEAD"], timeout=10, environment=environment)
    assert caught.value.category == "unsupported"
    return str(caught.value)


@pytest.mark.parametrize("how", ["file", "absolute file", "link", "link to a file", "commondir", "linked parts"])
def test_repository_of_another_folder_is_not_read(
    tmp_path: Path, private: Path, environment: dict[str, str], how: str
) -> None:
    root = tmp_path / "case"
    root.mkdir()
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    own = root / ".git"
    if how == "file":
        own.write_text("gitdir: ../private/.git\n", encoding="utf-8")
    elif how == "absolute file":
        own.write_text(f"gitdir: {private}/.git\n", encoding="utf-8")
    elif how == "link":
        own.symlink_to("../private/.git")
    elif how == "link to a file":
        git(private, environment, "worktree", "add", "-q", str(tmp_path / "w1"), "-b", "w1")
        own.symlink_to("../w1/.git")
    else:
        own.mkdir()
        (own / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        if how == "commondir":
            (own / "commondir").write_text("../../private/.git\n", encoding="utf-8")
        else:
            for part in ("objects", "refs"):
                (own / part).symlink_to(private / ".git" / part)
    message = refused(root, environment)
    assert "4711" not in message
    assert "private" not in message
    assert git_root(root) is None
    assert [file.path for file in walk(root, environment=environment).files] == ["a.txt"]


@pytest.mark.parametrize("how", ["alternates", "relative alternates", "linked pack folder"])
def test_objects_from_elsewhere_are_not_shown(
    repository: Path, private: Path, environment: dict[str, str], how: str
) -> None:
    objects = repository / ".git" / "objects"
    if how == "linked pack folder":
        git(private, environment, "gc", "-q")
        (objects / "pack").rmdir()
        (objects / "pack").symlink_to(private / ".git" / "objects" / "pack")
    else:
        borrowed = private / ".git" / "objects"
        named = os.path.relpath(borrowed, objects) if how.startswith("relative") else str(borrowed)
        (objects / "info" / "alternates").write_text(f"{named}\n", encoding="utf-8")
    assert "private" not in refused(repository, environment)
    assert [file.path for file in walk(repository, environment=environment).files] == ["a.txt"]


def test_objects_borrowed_inside_the_root_are_shown(repository: Path, environment: dict[str, str]) -> None:
    git(repository, environment, "clone", "-q", "--bare", ".", "store.git")
    (repository / ".git" / "objects" / "info" / "alternates").write_text("../../store.git/objects\n", encoding="utf-8")
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    assert b"+two" in run_git(repository, ["diff", "HEAD"], timeout=10, environment=environment)


def test_submodules_can_be_read(tmp_path: Path, private: Path, repository: Path, environment: dict[str, str]) -> None:
    git(repository, environment, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(private), "lib/sub")
    sub = repository / "lib" / "sub"
    (sub / "secret.txt").write_text("two\n", encoding="utf-8")
    assert (sub / ".git").is_file()
    assert b"+two" in run_git(sub, ["diff", "HEAD"], timeout=10, environment=environment)
    git(sub, environment, "config", "--unset", "core.worktree")
    assert git_root(sub) == sub  # it lies where the outer repository keeps those of this path
    other = repository / "other"
    other.mkdir()
    (other / ".git").write_text((sub / ".git").read_text(encoding="utf-8").replace("../../", "../"), encoding="utf-8")
    assert git_root(other) is None


def test_worktrees_show_their_changes(tmp_path: Path, repository: Path, environment: dict[str, str]) -> None:
    git(repository, environment, "worktree", "add", "-q", str(tmp_path / "w1"), "-b", "w1")
    (tmp_path / "w1" / "a.txt").write_text("two\n", encoding="utf-8")
    assert b"+two" in run_git(tmp_path / "w1", ["diff", "HEAD"], timeout=10, environment=environment)


def test_paths_elsewhere_are_not_named_in_errors(repository: Path, environment: dict[str, str]) -> None:
    config = repository / ".git" / "config"
    plain = config.read_text(encoding="utf-8")
    for path in ("/etc/passwd", "../../../../../../../../etc/passwd", "~/../../etc/passwd"):
        config.write_text(f"{plain}[include]\n\tpath = {path}\n", encoding="utf-8")
        with pytest.raises(GitError) as caught:
            run_git(repository, ["ls-files"], timeout=10, environment={**environment, "HOME": "/root"})
        assert str(caught.value) == "git cannot read this repository or its configuration"


@pytest.mark.parametrize("damage", ["garbage", "empty"])
def test_damaged_repository_is_called_damaged(repository: Path, environment: dict[str, str], damage: str) -> None:
    git(repository.parent, environment, "init", "-q", ".")  # must not be taken in its place
    if damage == "garbage":
        (repository / ".git" / "HEAD").write_text("garbage\n", encoding="utf-8")
    else:
        (repository / ".git").rename(repository.parent / "was")
        (repository / ".git").mkdir()
    assert refused(repository, environment) == "the git repository here is damaged"
