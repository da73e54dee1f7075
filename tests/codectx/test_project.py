"""From an agent's words to files: nothing outside the roots, no secret files, errors that help."""

import os
import subprocess
from pathlib import Path

import pytest

from codectx.address import Address
from codectx.config import Config
from codectx.errors import UserError
from codectx.project import SECRET, Located, Project, as_user_error
from indexer.errors import BinaryFileError, GitError, IndexerError, NotRegularFileError, UnreadableFileError
from indexer.text import MissingFileError, OutsideRootError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "case"
    for name in ("src/ui/Card.ts", "src/auth.py", "src/tokens.py", "a.py", "a.py:10", "notes.txt", ".env"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n", encoding="utf-8")
    for name in ("outside/secret.txt", "case-private/secret.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("top secret 4711\n", encoding="utf-8")
    return root


@pytest.fixture
def project(root: Path) -> Project:
    return Project(root, Config())


def refused(project: Project, path: str, *, by: str = "resolve") -> UserError:
    with pytest.raises(UserError) as caught:
        getattr(project, by)(path)
    return caught.value


@pytest.mark.parametrize(
    "path", ["a.py", "./a.py", "src/../a.py", "src//..//./a.py", "{root}/a.py", "{root}/src/../a.py"]
)
def test_paths_inside(project: Project, root: Path, path: str) -> None:
    assert project.resolve(path.format(root=root)) == Located("a.py", root / "a.py")


@pytest.mark.parametrize("path", [".", "", "./", "{root}", "src/.."])
def test_root_itself(project: Project, root: Path, path: str) -> None:
    assert project.folder(path.format(root=root)) == Located(".", root)


def test_backslashes_stand_for_slashes_where_no_file_has_such_a_name(project: Project, root: Path) -> None:
    assert project.file("src\\ui\\Card.ts").path == "src/ui/Card.ts"
    (root / "src\\ui\\Card.ts").write_text("literal", encoding="utf-8")
    assert project.file("src\\ui\\Card.ts").path == "src\\ui\\Card.ts"
    assert refused(project, "..\\outside\\secret.txt").category == "outside_root"
    assert "src/ui/Cart.ts" in str(refused(project, "src\\ui\\Cart.ts"))


@pytest.mark.parametrize(
    "path",
    [
        "../outside/{}",
        "sub/../../outside/{}",
        "./../outside/{}",
        "src/../../outside/{}",
        "{root}/../outside/{}",
        "{parent}/outside/{}",
        "../case-private/{}",
        "{parent}/case-private/{}",
        "link/{}",
        "src/up/outside/{}",
        "a.py/../../outside/{}",
        "no/such/../../../outside/{}",
    ],
)
def test_outside_is_outside_whether_or_not_it_exists(project: Project, root: Path, path: str) -> None:
    (root / "link").symlink_to("../outside")
    (root / "src" / "up").symlink_to("../..")
    named = path.replace("{root}", str(root)).replace("{parent}", str(root.parent))
    there, not_there = (refused(project, named.format(name)) for name in ("secret.txt", "nothing"))
    assert there.category == not_there.category == "outside_root"
    assert str(there).replace("secret.txt", "nothing") == str(not_there)


@pytest.mark.parametrize(
    "path", ["..", "/", "/etc/hostname", "/no/such/file", "../", "~/x/../../..", "/proc/self/root/etc/passwd"]
)
def test_other_places_outside(project: Project, path: str) -> None:
    error = refused(project, path)
    assert error.category in ("outside_root", "not_found")
    assert error.category == "outside_root" or path.startswith("~")


def test_links_to_the_outside_say_no_more_than_that(project: Project, root: Path) -> None:
    (root / "leak.txt").symlink_to("../outside/secret.txt")
    (root / "dangling.txt").symlink_to("../outside/nothing.txt")
    first, second = refused(project, "leak.txt"), refused(project, "dangling.txt")
    assert first.category == second.category == "outside_root"
    assert str(first).replace("leak", "dangling") == str(second)
    assert "4711" not in str(first)


def test_links_inside_lead_to_their_target(project: Project, root: Path) -> None:
    (root / "link.py").symlink_to("src/auth.py")
    (root / "sources").symlink_to("src")
    assert project.file("link.py") == Located("src/auth.py", root / "src" / "auth.py")
    assert project.folder("sources").path == "src"


def test_link_put_in_place_after_the_check_is_found_out(project: Project, root: Path) -> None:
    located = project.file("src/auth.py")
    (root / "src").rename(root / "gone")
    (root / "src").symlink_to("../outside")
    (root.parent / "outside" / "auth.py").write_text("4711", encoding="utf-8")
    with pytest.raises(OutsideRootError):
        project.read(located)
    with pytest.raises(OutsideRootError):
        project.open_text(located)


def test_further_roots(root: Path) -> None:
    other = root.parent / "outside"
    project = Project(root, Config(), (other,))
    path = f"{other}/secret.txt"
    assert project.file(path) == Located(path, other / "secret.txt")
    assert project.read(project.file("../outside/secret.txt")).text == "top secret 4711\n"
    assert [file.path for file in project.walk(str(other)).files] == [path]
    assert [entry.name for entry in project.list_folder(project.folder(str(other)))] == ["secret.txt"]
    assert refused(project, "../case-private/secret.txt").category == "outside_root"
    assert [file.path for file in project.walk().files][:2] == ["a.py", "a.py:10"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("in.txt\0.png", "NUL"),
        ("a\ud800.py", "surrogate"),
        ("x" * 300, "too long"),
        ("x/" * 3000, "too long"),
        ("ü" * 200, "too long"),
    ],
)
def test_what_is_no_path(project: Project, path: str, words: str) -> None:
    error = refused(project, path)
    assert error.category == "invalid_argument"
    assert words in str(error)
    assert len(str(error)) < 400


def test_missing_files_come_with_near_names(project: Project, root: Path) -> None:
    assert str(refused(project, "src/atuh.py")) == ("error[not_found]: there is no src/atuh.py; near: src/auth.py")
    assert "near: src/ui/Card.ts" in str(refused(project, "src/ui/card.tsx"))
    assert "near: src" in str(refused(project, "scr/auth.py"))
    assert 'list_directory("src") shows what is there' in str(refused(project, "src/zzzzzzzz"))
    assert 'list_directory(".")' in str(refused(project, "zzzzzzzz/yyyyyy/x.py"))
    assert refused(project, "a.py/x").category == "not_found"


def test_same_name_elsewhere_is_near(project: Project, root: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True, timeout=30)
    assert "near: src/tokens.py" in str(refused(project, "lib/deep/Tokens.py"))
    (root / "src" / "we[i]rd*.py").write_text("", encoding="utf-8")
    assert "src/we[i]rd*.py" in str(refused(project, "lib/we[i]rd*.py"))


def test_circles_are_told(project: Project, root: Path) -> None:
    (root / "self").symlink_to("self")
    assert refused(project, "self", by="file").category == "unreadable"


def test_folders_and_files_are_told_apart(project: Project, root: Path) -> None:
    assert str(refused(project, "src", by="file")) == (
        'error[not_regular_file]: src is a folder, not a file; list_directory("src")'
    )
    assert str(refused(project, "a.py", by="folder")) == (
        'error[invalid_argument]: a.py is a file, not a folder; read_file("a.py")'
    )
    os.mkfifo(root / "pipe.py")
    with pytest.raises(NotRegularFileError):
        project.read(project.resolve("pipe.py"))
    assert refused(project, "pipe.py", by="file").category == "not_regular_file"


def test_secret_files_are_not_opened(project: Project, root: Path) -> None:
    error = refused(project, ".env", by="file")
    assert error.category == "unreadable"
    assert 'secret file; the user can allow it: [secrets] allow = [".env"]' in str(error)
    (root / "harmless.txt").symlink_to(".env")
    (root / "id_rsa").symlink_to("notes.txt")
    assert refused(project, "harmless.txt", by="file").category == "unreadable"
    assert refused(project, "id_rsa", by="file").category == "unreadable"


def test_secret_files_are_skipped_by_walks(project: Project) -> None:
    walked = project.walk()
    assert ".env" not in [file.path for file in walked.files]
    assert [(skipped.path, skipped.reason, skipped.detail) for skipped in walked.skipped] == [
        (".env", "unreadable", SECRET)
    ]
    assert "secret" in SECRET
    assert project.walk(".env").files == ()


@pytest.mark.parametrize(
    ("allow", "is_open"),
    [((".env",), True), (("*.pem", "/.env"), True), (("*.pem",), False), (("!x",), False), ((".env*", "!.env"), False)],
)
def test_user_may_allow_secret_files(root: Path, allow: tuple[str, ...], is_open: bool) -> None:
    project = Project(root, Config(secrets_allow=allow))
    assert project.is_secret(".env") is not is_open
    assert (".env" in [file.path for file in project.walk().files]) is is_open
    if is_open:
        assert project.read(project.file(".env")).text == ".env\n"


def test_addresses_of_files_with_strange_names(project: Project) -> None:
    assert project.address("a.py:10") == Address("a.py:10")
    assert project.address("a.py:10-24") == Address("a.py", 10, 24)
    assert project.address("../outside/secret.txt:3") == Address("../outside/secret.txt", 3, 3)


def test_text_and_windows(project: Project, root: Path) -> None:
    (root / "a.py").write_bytes("# café\nx = 1".encode("latin-1"))
    located = project.file("a.py")
    assert project.read(located).text == "# café\nx = 1"
    with project.open_text(located) as file:
        assert file.window(2, 0, 9).text == "x = 1"
    located.absolute.unlink()
    with pytest.raises(MissingFileError):
        project.read(located)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BinaryFileError("a.bin", 12), "error[binary]: a.bin is binary (12 bytes); it is not text, leave it out"),
        (
            NotRegularFileError("a folder", "folder"),
            'error[not_regular_file]: a folder is a folder, not a file; list_directory("a folder")',
        ),
        (
            NotRegularFileError("folder.py", "FIFO"),
            "error[not_regular_file]: folder.py is a FIFO, not a file; only regular files are read",
        ),
        (
            UnreadableFileError("a.py", "Permission denied"),
            "error[unreadable]: a.py cannot be read: Permission denied; check its permissions",
        ),
        (
            MissingFileError("a.py", "no such file"),
            "error[not_found]: a.py does not exist; it may have been moved or deleted just now",
        ),
        (
            GitError("ambiguous argument 'x'", "bad_ref"),
            "error[bad_ref]: ambiguous argument 'x'; give a branch, a tag, a commit or A..B",
        ),
        (IndexerError("something else"), "error[unsupported]: something else"),
    ],
)
def test_indexer_errors_are_worded_for_agents(error: IndexerError, text: str) -> None:
    assert str(as_user_error(error)) == text


def test_ways_that_lead_out_and_back_in_are_outside(root: Path, project: Project, monkeypatch) -> None:
    (root.parent / "elsewhere").mkdir()
    (root.parent / "elsewhere" / "back").symlink_to(root)
    way = f"{root.parent}/elsewhere/back/a.py"
    for path in (way, "../elsewhere/back/a.py", f"{root.parent}/elsewhere/back/none.py"):
        assert refused(project, path).category == "outside_root"
    monkeypatch.setenv("PWD", f"{root.parent}/elsewhere/back")  # the user's own name for the root
    assert Project(root, Config()).file(way).path == "a.py"


@pytest.mark.skipif(not Path("/proc/self/root").exists(), reason="only Linux has such a link")
def test_links_of_the_system_are_no_way_in(root: Path, project: Project) -> None:
    for path in (f"/proc/self/root{root}/a.py", f"/proc/self/root{root}/none.py"):
        assert refused(project, path).category == "outside_root"
