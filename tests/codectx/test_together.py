"""Servers, commands and readers work on one index at once: nobody sees half of it, and all come to the same."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from indexer.errors import IndexerError

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from chaos.actors import Run, Server
from chaos.edits import function
from chaos.truth import Truth, differences, half_read, project_of, told
from chaos.workspace import Workspace

from codectx.stores import place_of

ENVIRONMENT = {"CODECTX_EMBEDDER": "none"}
FILES = 30


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Give a repository with a cache of its own."""
    made = Workspace(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", made.environment["XDG_CACHE_HOME"])
    made.root.mkdir()
    for number in range(FILES):
        write(made, number, 0)
    made.begin()
    return made


def write(space: Workspace, number: int, version: int) -> None:
    text = f"def step_{number}_of_{version}(value):\n    return value\n" + function(Random(number * 1000 + version))
    (space.root / f"m{number}.py").write_text(text, encoding="utf-8")


@pytest.fixture
def servers(space: Workspace) -> Iterator[list[Server]]:
    started = [Server(space.root, space.environment, space.top / f"errors{number}.txt") for number in range(2)]
    yield started
    for server in started:
        server.kill()


def ended_well(run: Run) -> bool:
    """Say whether a run had its turn; the other end that is allowed is that another one writes for too long."""
    code, out, err = run.end()
    assert code in (0, 75), out + err
    assert "Traceback" not in err
    return code == 0


def indexed(space: Workspace) -> None:
    """Run until it is no server's turn."""
    assert any(ended_well(Run(space.root, space.environment, "index", "--quiet")) for _ in range(10))


@pytest.mark.timeout(300)
def test_x58_two_servers_two_commands_and_a_reader_at_once(space: Workspace, servers: list[Server]) -> None:
    place, truth = place_of(space.root, ""), Truth(space.root, ENVIRONMENT)
    truth.entries()
    problems: list[str] = []
    end = threading.Event()

    def reads() -> None:
        while not end.wait(0.05):
            try:
                problems.extend(half_read(place, truth))
            except IndexerError as error:
                problems.append(str(error))

    reader = threading.Thread(target=reads)
    reader.start()
    try:
        for version in range(1, 4):
            runs = [Run(space.root, space.environment, "index", "--quiet") for _ in range(2)]
            for number in range(0, FILES, 2):
                write(space, number, version)
            entries = truth.entries()
            for server in servers:
                query = f"step_2_of_{version}"
                answer = told(server.ask("semantic_search", query=query))
                assert truth.problems(answer, query, 5, entries) == []
            for run in runs:
                ended_well(run)
    finally:
        end.set()
        reader.join(30)
    assert problems == []
    indexed(space)
    assert settled(space, truth) == []


def settled(space: Workspace, truth: Truth) -> list[str]:
    """Give what an index differs in from one built from nothing, once the servers have looked as well."""
    place, entries = place_of(space.root, ""), truth.entries()
    end = time.monotonic() + 30
    while found := differences(place, truth, entries):
        if time.monotonic() > end:
            return found
        time.sleep(0.1)
    return []


@pytest.mark.timeout(300)
def test_x58_a_dead_holder_is_no_hindrance(space: Workspace) -> None:
    index = project_of(space.root, ENVIRONMENT).index
    for _ in range(3):
        write(space, 0, 9)
        run = Run(space.root, space.environment, "index", "--full", "--quiet")
        assert run.wait_for_lock(index.place.lock) is not None
        run.kill()
        index.sync(index.walk())  # without any wait
        assert settled(space, Truth(space.root, ENVIRONMENT)) == []


@pytest.mark.timeout(300)
def test_x58_a_server_sees_within_a_second_what_another_process_has_written(
    space: Workspace, servers: list[Server]
) -> None:
    server = servers[0]
    while "[index: " in server.ask("semantic_search", query="step_1_of_0"):
        time.sleep(0.05)
    for number in range(FILES, FILES + 250):  # more than a question reads itself
        write(space, number, 0)
    indexed(space)
    time.sleep(1.0)  # the promise
    answer = told(server.ask("semantic_search", query=f"step_{FILES + 249}_of_0"))
    assert answer.places[0][0] == f"m{FILES + 249}.py"
    assert answer.is_whole, answer.text
