"""Which folder is the project's root, and which can be none."""

import os
from pathlib import Path

import pytest

from codectx.errors import UserError
from codectx.roots import find_root, spellings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "users" / "me"
    (home / "project" / "src" / "deep").mkdir(parents=True)
    return home


def root(argument: str | None, home: Path, cwd: Path, **variables: str) -> Path:
    return find_root(argument, {"HOME": str(home), **variables}, cwd)


def refused(argument: str | None, home: Path, cwd: Path, **variables: str) -> UserError:
    with pytest.raises(UserError) as caught:
        root(argument, home, cwd, **variables)
    return caught.value


def test_argument_comes_first(home: Path) -> None:
    project = home / "project"
    elsewhere = {"CLAUDE_PROJECT_DIR": str(home / "other")}
    assert root(str(project), home, home, **elsewhere) == project
    assert root("project", home, home) == project
    assert root("src", home, project) == project / "src"
    assert root(".", home, project) == project


def test_variable_comes_next(home: Path) -> None:
    assert root(None, home, home, CLAUDE_PROJECT_DIR=str(home / "project")) == home / "project"
    error = refused(None, home, home, CLAUDE_PROJECT_DIR=str(home / "gone"))
    assert error.category == "not_found"
    assert "CLAUDE_PROJECT_DIR" in str(error)


@pytest.mark.parametrize("written", ["${workspaceFolder}", "${PWD}/x"])
def test_placeholders_that_a_client_left_in_do_not_count(home: Path, written: str) -> None:
    src = home / "project" / "src"
    assert root(written, home, src) == src
    assert root(None, home, src, CLAUDE_PROJECT_DIR=written) == src


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".git/HEAD", "ref: refs/heads/main"),
        (".git", "gitdir: elsewhere"),
        ("codectx.toml", ""),
        ("pyproject.toml", "[project]\nname = 'x'\n[tool.codectx.limits]\ngrep = 2000\n"),
        ("pyproject.toml", "[tool.codectx]"),
    ],
)
def test_nearest_marked_folder_from_here_upwards(home: Path, name: str, text: str) -> None:
    project = home / "project"
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text, encoding="utf-8")
    assert root(None, home, project / "src" / "deep") == project


@pytest.mark.parametrize("text", ["[project]\nname = 'codectx'\n", "# [tool.codectx]\n", "[tool.codectxy]\n"])
def test_other_settings_are_no_mark(home: Path, text: str) -> None:
    (home / "project" / "pyproject.toml").write_text(text, encoding="utf-8")
    assert root(None, home, home / "project" / "src") == home / "project" / "src"


def test_nearer_one_wins(home: Path) -> None:
    project = home / "project"
    (project / ".git").mkdir()
    (project / "src" / "codectx.toml").write_text("", encoding="utf-8")
    assert root(None, home, project / "src" / "deep") == project / "src"


def test_without_a_mark_it_is_the_folder_itself(home: Path) -> None:
    assert root(None, home, home / "project" / "src") == home / "project" / "src"


def test_home_is_no_project_even_if_it_is_a_repository(home: Path) -> None:
    (home / ".git").mkdir()
    assert root(None, home, home / "project" / "src") == home / "project" / "src"
    for argument, cwd in ((str(home), home), (None, home), ("..", home / "project"), ("~", home / "project")):
        if argument == "~" and Path("~").expanduser() != home:
            continue
        error = refused(argument, home, cwd)
        assert error.category == "unsupported"
        assert "--root DIR" in str(error)
    assert refused(None, home, home, CLAUDE_PROJECT_DIR=str(home)).category == "unsupported"


def test_what_holds_the_home_folder_is_none_either(home: Path) -> None:
    assert refused("/", home, home).category == "unsupported"
    assert refused(str(home.parent), home, home).category == "unsupported"
    assert refused("/", Path("/nonexistent"), home).category == "unsupported"
    assert refused(None, home, Path("/")).category == "unsupported"


def test_links_are_resolved_first(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home / "project")
    (tmp_path / "to-home").symlink_to(home)
    assert root(str(tmp_path / "link"), home, home) == home / "project"
    assert refused(str(tmp_path / "to-home"), home, home).category == "unsupported"


def test_what_is_no_folder(home: Path) -> None:
    (home / "project" / "a.py").write_text("", encoding="utf-8")
    error = refused("no-such-dir", home, home / "project")
    assert error.category == "not_found"
    assert "no-such-dir" in str(error)
    assert refused("a.py", home, home / "project").category == "invalid_argument"
    assert refused("a.py/x", home, home / "project").category == "not_found"
    assert refused("a\0b", home, home / "project").category == "invalid_argument"


def test_fifo_in_place_of_the_settings_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / "project" / "pyproject.toml")
    assert root(None, home, home / "project" / "src") == home / "project" / "src"


def test_a_link_to_a_table_of_ours_outside_is_no_mark(home: Path) -> None:
    (home / "outside.toml").write_text("[tool.codectx]\n", encoding="utf-8")
    (home / "project" / "src" / "pyproject.toml").symlink_to(home / "outside.toml")
    deep = home / "project" / "src" / "deep"
    assert root(None, home, deep) == deep


def test_a_root_is_also_named_as_the_user_came_to_it(home: Path) -> None:
    (home / "short").symlink_to("project")
    project = home / "project"
    assert spellings(project, {}) == (project,)
    assert spellings(project, {"PWD": str(home / "short" / "src")}) == (project, home / "short")
    assert spellings(project, {"CLAUDE_PROJECT_DIR": str(home / "short")}) == (project, home / "short")
    assert spellings(project, {"PWD": f"{home}/other/../short"}) == (project,)
    assert spellings(project, {"PWD": str(home)}) == (project,)
