"""Fixtures: projects made of texts, and calls of the real tools on them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from codectx.config import load
from codectx.dispatch import Reply, answer_call
from codectx.project import Project
from codectx.tools import TOOLS

Files = Mapping[str, str | bytes]
MakeProject = Callable[[Files], Project]
Ask = Callable[..., Reply]


@pytest.fixture
def make_project(tmp_path: Path) -> MakeProject:
    """Give a function that writes files below a fresh root and opens it as a project."""

    def make(files: Files) -> Project:
        root = tmp_path / "case"
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return Project(root, load(root, {tool.name: tool.limit for tool in TOOLS}, {}))

    return make


@pytest.fixture
def ask(make_project: MakeProject) -> Ask:
    """Give a function that calls a tool, on a project or on files: ``ask(files, "read_lines", path="a.py")``."""

    def call(where: Project | Files, name: str, /, *, as_json: bool = False, **arguments: object) -> Reply:
        project = where if isinstance(where, Project) else make_project(where)
        tool = next(tool for tool in TOOLS if tool.name == name)
        return answer_call(project, tool, arguments, as_json=as_json)

    return call
