"""Killed at any moment, a run leaves an index that answers rightly, and the next run makes it whole."""

import shutil
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from codectx.dispatch import answer_call
from codectx.tools import load

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from chaos.actors import TIDY, Run
from chaos.edits import EDITS, function
from chaos.truth import QUERIES, Truth, differences, half_read, project_of, told
from chaos.workspace import Workspace

ENVIRONMENT = {"CODECTX_EMBEDDER": "none"}
COMMANDS = {"index": ["index"], "sync": ["index"], "rebuild": ["index", "--full"], "tidy up": []}


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Give a repository of forty files, with a cache of its own."""
    made = Workspace(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", made.environment["XDG_CACHE_HOME"])
    chance = Random(3)
    for number in range(40):
        path = made.root / f"part{number % 4}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(function(chance) for _ in range(3)).lstrip(), encoding="utf-8")
    made.begin()
    return made


def killed(space: Workspace, index: Any, kind: str, seconds: float) -> None:
    """Kill a run of some kind that has something to do, so long after it began to write."""
    index.sync(index.walk())
    if kind == "index":
        shutil.rmtree(index.place.folder)
    elif kind == "sync":
        for number in range(12):
            EDITS["append"](space, Random(number))
    arguments = [*COMMANDS[kind], "--quiet"] if COMMANDS[kind] else [str(space.root)]
    script = {} if COMMANDS[kind] else {"script": TIDY}
    run = Run(space.root, space.environment, *arguments, **script)
    run.wait_for_lock(index.place.lock)
    end = time.monotonic() + seconds
    while time.monotonic() < end and run.process.poll() is None:
        time.sleep(0.002)
    run.kill()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", COMMANDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_x45_x58_killed_at_a_random_moment(space: Workspace, kind: str, seed: int) -> None:
    chance = Random(f"{kind} {seed}")
    truth = Truth(space.root, ENVIRONMENT)
    seconds = chance.uniform(0.0, 2.0)
    killed(space, project_of(space.root, ENVIRONMENT).index, kind, seconds)
    told_by = f"seed {seed}, killed {seconds:.3f} s after it had the lock"
    entries = truth.entries()
    project = project_of(space.root, ENVIRONMENT)  # as a new process has it
    assert half_read(project.index.place, truth) == [], told_by
    query = chance.choice(QUERIES)
    reply = answer_call(project, load("semantic_search"), {"query": query})
    assert not reply.is_error, told_by
    assert truth.problems(told(reply.text), query, 5, entries) == [], told_by
    index = project_of(space.root, ENVIRONMENT).index
    index.sync(index.walk(), wait_seconds=10.0)
    assert differences(index.place, truth, entries) == [], told_by
    assert index.sync(index.walk()).reindexed == ()
