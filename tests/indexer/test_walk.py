"""Which files belong to a project, with git and without."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.errors import NotRegularFileError, UnreadableFileError
from indexer.walk import FolderEntry, Skipped, count_unusable, list_folder, walk


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "case"
    root.mkdir()
    return root


def write(root: Path, *names: str, **texts: str) -> None:
    for name, text in {**dict.fromkeys(names, "x\n"), **texts}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def ignore(root: Path, *lines: str, name: str = ".gitignore") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def git(root: Path, environment: dict[str, str], *args: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "advice.addEmbeddedRepo=false")
    subprocess.run(["git", *identity, *args], cwd=root, env=environment, check=True, timeout=30)


def walked(root: Path, environment: dict[str, str], under: str = "") -> list[str]:
    """Give the files that are no ignore files themselves."""
    return [file.path for file in walk(root, under, environment=environment).files if "ignore" not in file.path]


@pytest.fixture(params=["git", "no git"])
def prepared(request: pytest.FixtureRequest, root: Path, environment: dict[str, str]) -> Path:
    """Give a root in a repository, then one outside of any."""
    if request.param == "git":
        git(root, environment, "init", "-q", ".")
    return root


def test_negated_patterns(prepared: Path, environment: dict[str, str]) -> None:
    ignore(prepared, "*.gen.py", "!keep.gen.py", "build/", "!build/wanted.py", "/docs/*", "!/docs/api")
    write(prepared, "a.py", "x.gen.py", "keep.gen.py", "build/wanted.py", "docs/top.py", "docs/api/in.py")
    assert walked(prepared, environment) == ["a.py", "docs/api/in.py", "keep.gen.py"]


def test_nested_and_anchored_patterns(prepared: Path, environment: dict[str, str]) -> None:
    ignore(prepared, "/coverage")
    ignore(prepared / "web", ".output", "local.js")
    write(prepared, "coverage/lcov.js", "src/routes/coverage/page.js", "web/.output/bundle.js", "web/local.js")
    write(prepared, "web/sub/local.js", "local.js", "web/.hidden/a.js")
    assert walked(prepared, environment) == ["local.js", "src/routes/coverage/page.js", "web/.hidden/a.js"]


def test_own_ignore_files_count_on_top(prepared: Path, environment: dict[str, str]) -> None:
    ignore(prepared, "*.log")
    ignore(prepared, "generated/", "*.min.js", "!keep.log", name=".codectxignore")
    ignore(prepared / "web", "!app.min.js", "local.js", name=".codectxignore")
    write(prepared, "a.py", "keep.log", "generated/a.py", "b.min.js", "web/app.min.js", "web/local.js")
    assert walked(prepared, environment) == ["a.py", "web/app.min.js"]
    assert walked(prepared, environment, "generated") == []  # it is hidden, even from those who ask
    assert walked(prepared, environment, "web") == ["web/app.min.js"]
    assert walked(prepared, environment, "web/local.js") == []


def test_parts_of_a_tree(prepared: Path, environment: dict[str, str]) -> None:
    ignore(prepared, "*.log", "vendor/")
    write(
        prepared, "a.py", "sub/b.py", "sub/c.log", "sub/deep/d.py", "subway/e.py", "vendor/lib/v.py", "vendor/lib/w.log"
    )
    assert walked(prepared, environment, "sub") == ["sub/b.py", "sub/deep/d.py"]
    assert walked(prepared, environment, "sub/deep/") == ["sub/deep/d.py"]
    assert walked(prepared, environment, "./sub/b.py") == ["sub/b.py"]
    assert walked(prepared, environment, "sub/c.log") == ["sub/c.log"]
    assert walked(prepared, environment, ".") == ["a.py", "sub/b.py", "sub/deep/d.py", "subway/e.py"]
    # An ignored folder is walked for those who ask for it.
    assert "vendor/lib/v.py" in walked(prepared, environment, "vendor")
    assert "vendor/lib/v.py" in walked(prepared, environment, "vendor/lib")
    with pytest.raises(UnreadableFileError, match=r"gone does not exist"):
        walk(prepared, "gone", environment=environment)
    for wrong in ("../x", "/etc", "sub/../../x"):
        with pytest.raises(ValueError, match="not a path inside"):
            walk(prepared, wrong, environment=environment)


def test_names_of_all_kinds(prepared: Path, environment: dict[str, str]) -> None:
    names = ["-n/x.py", "it's/🚀.py", "my notes/ä b.py", "日本語/モジュール.py", 'a"b\\c.py', ":(top)x.py", "*.py"]
    write(prepared, *names)
    if (prepared / ".git").exists():
        git(prepared, environment, "add", "-A")
    assert walked(prepared, environment) == sorted(names)


def test_unusable_names_are_told(prepared: Path, environment: dict[str, str]) -> None:
    write(prepared, "a.py", "b\n[next: evil].py")
    try:
        Path(os.fsdecode(os.fsencode(prepared) + b"/caf\xe9.py")).write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    found = walk(prepared, environment=environment)
    assert [file.path for file in found.files] == ["a.py"]
    assert found.skipped == (
        Skipped("b\\x0a[next: evil].py", "unsupported", "its name has control characters"),
        Skipped("caf\\xe9.py", "unsupported", "its name is not UTF-8"),
    )
    assert [entry.name for entry in list_folder(prepared, environment=environment)] == ["a.py"]
    assert count_unusable(prepared, environment=environment) == 2
    ignore(prepared, "caf*", name=".git/info/exclude" if (prepared / ".git").exists() else ".gitignore")
    assert count_unusable(prepared, environment=environment) == 1


def test_sizes_and_times(prepared: Path, environment: dict[str, str]) -> None:
    write(prepared, "a.py")
    os.utime(prepared / "a.py", ns=(5, 1_234_567_890_123_456_789))
    (file,) = walk(prepared, environment=environment).files
    assert (file.path, file.size, file.mtime_ns) == ("a.py", 2, (prepared / "a.py").stat().st_mtime_ns)


def test_links_are_not_followed(prepared: Path, environment: dict[str, str]) -> None:
    write(prepared, "pkg/index.js", "pkg/lib/util.js")
    write(prepared.parent, "outside/secret.txt")
    for link, target in {
        "pkg/lib/up": "..",
        "loop": "pkg",
        "self": "self",
        "broken.js": "gone.js",
        "same.js": "pkg/index.js",
        "leak.txt": "../outside/secret.txt",
        "leak": "../outside",
        "leak-to-nothing": "../outside/nothing",
        "absolute": "/etc",
    }.items():
        (prepared / link).symlink_to(target)
    found = walk(prepared, environment=environment)
    assert [file.path for file in found.files] == ["pkg/index.js", "pkg/lib/util.js"]
    assert [(skipped.path, skipped.reason) for skipped in found.skipped] == [
        ("absolute", "outside_root"),
        ("leak", "outside_root"),
        ("leak-to-nothing", "outside_root"),
        ("leak.txt", "outside_root"),
    ]


def test_root_may_be_named_by_a_link(prepared: Path, environment: dict[str, str]) -> None:
    write(prepared, "a.py")
    (prepared.parent / "link").symlink_to("case")
    assert walked(prepared.parent / "link", environment) == ["a.py"]


def test_special_files_are_told_and_never_opened(root: Path, environment: dict[str, str]) -> None:
    write(root, "real.py")
    os.mkfifo(root / "pipe.py")
    (root / "sub").mkdir()
    os.mkfifo(root / "sub" / ".gitignore")
    os.mkfifo(root / "sub" / ".codectxignore")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(root / "s"))
    with listening:
        found = walk(root, environment=environment)
    assert [file.path for file in found.files] == ["real.py"]
    assert {skipped.path: skipped.reason for skipped in found.skipped} == dict.fromkeys(
        ["pipe.py", "s", "sub/.codectxignore", "sub/.gitignore"], "not_regular_file"
    )


def test_deleted_but_tracked_files_are_left_out(root: Path, environment: dict[str, str]) -> None:
    write(root, "a.py", "b.py", "folder/c.py")
    git(root, environment, "init", "-q", ".")
    git(root, environment, "add", "-A")
    (root / "b.py").unlink()
    shutil.rmtree(root / "folder")
    (root / "folder").write_text("now a file", encoding="utf-8")
    assert walked(root, environment) == ["a.py", "folder"]


def test_files_in_conflict_are_listed_once(root: Path, environment: dict[str, str]) -> None:
    git(root, environment, "init", "-q", "-b", "main", ".")
    for branch, text in (("main", "1"), ("other", "2"), ("main", "3")):
        if branch == "other":
            git(root, environment, "checkout", "-q", "-b", "other")
        elif text == "3":
            git(root, environment, "checkout", "-q", "main")
        write(root, **{"a.py": text})
        git(root, environment, "add", "-A")
        git(root, environment, "commit", "-qm", text)
    with pytest.raises(subprocess.CalledProcessError):
        git(root, environment, "merge", "-q", "other")
    assert walked(root, environment) == ["a.py"]


def test_tracked_files_count_though_ignored(root: Path, environment: dict[str, str]) -> None:
    git(root, environment, "init", "-q", ".")
    ignore(root, "*.log", "build/")
    write(root, "a.log", "build/kept.py", "build/made.py")
    git(root, environment, "add", "-f", "a.log", "build/kept.py")
    assert walked(root, environment) == ["a.log", "build/kept.py"]
    assert [entry.name for entry in list_folder(root, environment=environment)] == [".gitignore", "a.log", "build"]


def test_exclude_files_of_repository_and_user(root: Path, environment: dict[str, str], tmp_path: Path) -> None:
    git(root, environment, "init", "-q", ".")
    write(root, "in.py", "sandboxes/w1/in.py", "notes.mine")
    (root / ".git" / "info" / "exclude").write_text("sandboxes/\n", encoding="utf-8")
    home = tmp_path / "home"
    write(home, **{".config/git/ignore": "*.mine\n"})
    assert walked(root, {**environment, "HOME": str(home)}) == ["in.py"]
    without_git = {"PATH": str(home)}
    assert walked(root, without_git) == ["in.py", "notes.mine"]


def test_worktrees_and_repositories_inside_are_left_out(root: Path, environment: dict[str, str]) -> None:
    git(root, environment, "init", "-q", "-b", "main", ".")
    write(root, "app.py")
    git(root, environment, "add", "-A")
    git(root, environment, "commit", "-qm", "one")
    git(root, environment, "worktree", "add", "-q", ".claude/worktrees/w1", "-b", "w1")
    write(root, "clone/c.py", "module/m.py")
    for name in ("clone", "module"):
        git(root / name, environment, "init", "-q", ".")
        git(root / name, environment, "add", "-A")
        git(root / name, environment, "commit", "-qm", "one")
    git(root, environment, "add", "module")
    found = walk(root, environment=environment)
    assert [file.path for file in found.files] == ["app.py"]
    assert [(skipped.path, skipped.detail) for skipped in found.skipped] == [
        (path, "a repository of its own") for path in (".claude/worktrees/w1", "clone", "module")
    ]
    assert walked(root, environment, ".claude/worktrees/w1") == [".claude/worktrees/w1/app.py"]
    assert walked(root, environment, "clone") == ["clone/c.py"]
    # Without git, worktrees of the same repository are still known as copies.
    assert walked(root, {"PATH": "/nowhere"}) == ["app.py", "clone/c.py", "module/m.py"]


def test_ignored_folders_are_not_entered(prepared: Path, environment: dict[str, str]) -> None:
    ignore(prepared, "node_modules/", ".venv/")
    write(prepared, "main.py", "node_modules/p/lib/i.js")
    ignore(prepared / "node_modules" / "p", "!lib")
    seen = strace(prepared, environment)
    assert "main.py" in seen
    assert "node_modules/p" not in seen


def strace(root: Path, environment: dict[str, str]) -> str:
    """Give the system calls about files of a process that walks, but not of git."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    code = f"from pathlib import Path; from indexer.walk import walk; walk(Path({str(root)!r}))"
    command = ["strace", "-e", "trace=%file", sys.executable, "-c", code]
    variables = {**environment, "PYTHONPATH": str(Path(__file__).parents[2])}
    traced = subprocess.run(command, env=variables, capture_output=True, check=True, timeout=60)
    return traced.stderr.decode("utf-8", "replace")


def test_defaults_without_git(root: Path, environment: dict[str, str]) -> None:
    write(root, "a.py", "node_modules/x.js", "sub/__pycache__/y.pyc", ".venv/z.py", "dist/w.js", "build/kept.py")
    write(root, "env/pyvenv.cfg", "env/lib/q.py", "target/CACHEDIR.TAG", "target/r.o", ".hidden/h.py")
    assert walked(root, environment) == [".hidden/h.py", "a.py", "build/kept.py"]
    ignore(root, "!dist/")
    assert walked(root, environment) == [".hidden/h.py", "a.py", "build/kept.py", "dist/w.js"]
    assert walked(root, environment, "node_modules") == ["node_modules/x.js"]
    assert walked(root, environment, "env") == ["env/lib/q.py", "env/pyvenv.cfg"]


def test_repository_that_ignores_the_root(root: Path, environment: dict[str, str]) -> None:
    """Whoever serves an ignored folder wants its files."""
    git(root, environment, "init", "-q", ".")
    ignore(root, "scratch/")
    write(root, "scratch/a.py", "scratch/sub/b.py")
    ignore(root / "scratch", "*.log")
    write(root, "scratch/c.log")
    assert walked(root / "scratch", environment) == ["a.py", "sub/b.py"]
    assert [entry.name for entry in list_folder(root / "scratch", environment=environment)] == [
        ".gitignore",
        "a.py",
        "sub",
    ]


def test_broken_repository_is_scanned(root: Path, environment: dict[str, str]) -> None:
    (root / ".git").mkdir()
    ignore(root, "*.log")
    write(root, "a.py", "b.log")
    assert walked(root, environment) == ["a.py"]
    assert [entry.name for entry in list_folder(root, environment=environment)] == [".gitignore", "a.py"]


@contextlib.contextmanager
def open_to_all() -> Iterator[Path]:
    """Give a folder that any user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Lose root's right to read everything."""
    if os.name != "posix":
        pytest.skip("permissions of POSIX")
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("with_git", [True, False])
def test_unreadable_folders_are_told_and_the_walk_goes_on(environment: dict[str, str], with_git: bool) -> None:
    with open_to_all() as root:
        write(root, "a/alpha.py", "b/beta.py", "b/locked/secret.py", "b/tracked/secret.py")
        if with_git:
            git(root, environment, "init", "-q", ".")
            git(root, environment, "add", "b/tracked")
        for name in ("locked", "tracked"):
            (root / "b" / name).chmod(0)
        with as_nobody():
            found = walk(root, environment=environment)
            part = walk(root, "b", environment=environment)
            with pytest.raises(UnreadableFileError, match="Permission denied"):
                list_folder(root, "b/locked", environment=environment)
        for name in ("locked", "tracked"):
            (root / "b" / name).chmod(0o755)
    assert [file.path for file in found.files] == ["a/alpha.py", "b/beta.py"]
    assert [file.path for file in part.files] == ["b/beta.py"]
    told = tuple(Skipped(f"b/{name}", "unreadable", "Permission denied") for name in ("locked", "tracked"))
    assert found.skipped == part.skipped == told


def test_one_folder(prepared: Path, environment: dict[str, str]) -> None:
    ignore(prepared, "*.log", "/made/")
    ignore(prepared / "sub", "local.*", "!deep.log")
    ignore(prepared, "hidden.py", name=".codectxignore")
    write(prepared, "a.py", "b.log", "made/x.py", "hidden.py", "sub/local.py", "sub/deep.log", "sub/made/y.py")
    (prepared / "empty").mkdir()
    (prepared / "inside").symlink_to("sub")
    (prepared / "outside").symlink_to("..")
    assert list_folder(prepared, environment=environment) == (
        FolderEntry(".codectxignore", is_dir=False, is_link=False, outside=False, size=10),
        FolderEntry(".gitignore", is_dir=False, is_link=False, outside=False, size=13),
        FolderEntry("a.py", is_dir=False, is_link=False, outside=False, size=2),
        FolderEntry("empty", is_dir=True, is_link=False, outside=False, size=0),
        FolderEntry("inside", is_dir=False, is_link=True, outside=False, size=0),
        FolderEntry("outside", is_dir=False, is_link=True, outside=True, size=0),
        FolderEntry("sub", is_dir=True, is_link=False, outside=False, size=0),
    )
    assert [e.name for e in list_folder(prepared, "sub", environment=environment)] == [".gitignore", "deep.log", "made"]
    assert [e.name for e in list_folder(prepared, "made", environment=environment)] == ["x.py"]
    with pytest.raises(NotRegularFileError, match="not a folder"):
        list_folder(prepared, "a.py", environment=environment)
    with pytest.raises(UnreadableFileError, match="does not exist"):
        list_folder(prepared, "gone", environment=environment)


def test_one_folder_costs_nothing_below_it(root: Path, environment: dict[str, str]) -> None:
    write(root, "a/b/c.py", "d.py")
    (root / "a" / "b").chmod(0)
    assert [entry.name for entry in list_folder(root, environment=environment)] == ["a", "d.py"]


NAMES = ["a", "b", "ab", "b.c", "doc", "x y", "[z]", "a.log"]
PATTERNS = """a|/a|a/|/a/|b*|*.c|!a|!/a|!b|!*.c|doc/*|/doc/*|!/doc/a|**/a|a/**|**/b/|/a/b|a/b|*|!*/|*/|/*|!doc|#a|\\#a
\\!a|x y|x\\ y|[ab]|a*b|?|[!a]|*.log|!*.log|\\[z\\]|doc/**/a|/**/a|!a/b/|*b*|b/ ||a/*/b|**|!**/a|doc//a|./a|a/.|[z]|\\*
[[:alpha:]]*|[a-b]|[]x]|[^[:alpha:]]|a\\|[a-|***|x**y|**b|a/***|[\\]x]|**/**/a|a/**/**/b|?*/a|[b-a]|[!b-a]|[[:foo:]]
[a-\\b]|[a\\-b]|a[/]b|[a-]|[-a]|[]-a]|\\ |a\\ """.replace("\n", "|").split("|")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
RULES = st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    paths=st.lists(PATHS, min_size=1, max_size=12),
    rules=st.dictionaries(st.just("") | PATHS, RULES, min_size=1, max_size=3),
    end=st.sampled_from(["", "\n", "\r\n"]),
)
def test_scan_finds_what_git_finds(
    tmp_path_factory: pytest.TempPathFactory,
    environment: dict[str, str],
    paths: list[str],
    rules: dict[str, list[str]],
    end: str,
) -> None:
    root = tmp_path_factory.mktemp("tree")
    for path in paths:
        with contextlib.suppress(OSError):  # one's file is another's folder
            write(root, path)
    for folder, lines in rules.items():
        with contextlib.suppress(OSError):
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / ".gitignore").write_text("\n".join(lines) + end, encoding="utf-8", newline="")
    scanned = [file.path for file in walk(root, environment=environment).files]
    folders = ["", *(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_dir())]
    listed = {folder: list_folder(root, folder, environment=environment) for folder in folders}
    git(root, environment, "init", "-q", ".")
    args = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    out = subprocess.run(args, cwd=root, env=environment, check=True, capture_output=True, timeout=30).stdout
    by_git = sorted(name for name in out.decode("utf-8").split("\0") if name)
    assert scanned == by_git
    assert [file.path for file in walk(root, environment=environment).files] == by_git
    visible = {folder for path in by_git for folder in ("", *map(str, Path(path).parents)) if folder != "."}
    for folder in visible:
        assert list_folder(root, folder, environment=environment) == listed[folder]
