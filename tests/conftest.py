"""Fixtures: projects made of texts, and calls of the real tools on them."""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from codectx.config import load
from codectx.dispatch import Reply, answer_call
from codectx.project import Project
from codectx.tools import TOOLS

SCRIPTS = Path(__file__).parents[1] / "scripts"  # the stand-in for an Ollama server lies there

Files = Mapping[str, str | bytes]
MakeProject = Callable[[Files], Project]
Ask = Callable[..., Reply]
NO_VECTORS = {"CODECTX_EMBEDDER": "none"}
LONGEST = "test_shared_store.py"  # begun last, it would keep one core busy long after the others have ended


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the file first that takes longest; all others stay in order."""
    items.sort(key=lambda item: item.path.name != LONGEST)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep every index in a folder of this run, and embed nothing unless a test says otherwise."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv("CODECTX_EMBEDDER", "none")
        patch.delenv("CODECTX_STORE_URI", raising=False)
        yield folder


@pytest.fixture
def ollama() -> Iterator[object]:
    """Give a stand-in for an Ollama server that has two models, ``fake-a`` and ``fake-b``."""
    if str(SCRIPTS) not in sys.path:
        sys.path.insert(0, str(SCRIPTS))
    from cases.ollama import FakeOllama

    fake = FakeOllama({"mode": "ok", "models": {"fake-a": 16, "fake-b": 24}}, lambda _: None)
    fake.up()
    yield fake
    fake.down()


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
        return Project(root, load(root, {tool.name: tool.limit for tool in TOOLS}, NO_VECTORS))

    return make


@pytest.fixture
def ask(make_project: MakeProject) -> Ask:
    """Give a function that calls a tool, on a project or on files: ``ask(files, "read_lines", path="a.py")``."""

    def call(where: Project | Files, name: str, /, *, as_json: bool = False, **arguments: object) -> Reply:
        project = where if isinstance(where, Project) else make_project(where)
        tool = next(tool for tool in TOOLS if tool.name == name)
        return answer_call(project, tool, arguments, as_json=as_json)

    return call
