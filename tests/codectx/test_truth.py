"""No answer shows a range of lines that is not the file's, whatever changed since it was indexed or is changing."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from codectx.dispatch import answer_call
from codectx.project import Project
from codectx.tools import load
from indexer.live import LiveIndex

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from chaos.edits import EDITS, function
from chaos.truth import Told, Truth, project_of, told
from chaos.workspace import Workspace

ENVIRONMENT = {"CODECTX_EMBEDDER": "none"}
QUERIES = (
    "charge the customer",
    "refund_step",
    "rotate the token",
    "session route",
    "upload 5",
    "where is it rendered",
)
SEARCH = load("semantic_search")
EDITED = sorted(EDITS.keys() - {"heap", "ignore"})  # what is ignored since has its lines still


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """Give a repository of a few files."""
    made = Workspace(tmp_path)
    chance = Random(0)
    for number in range(12):
        path = made.root / f"part{number % 3}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(function(chance) for _ in range(4)).lstrip(), encoding="utf-8")
    made.begin()
    return made


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Give a function that says whether every question scans the files first, or none does."""
    return lambda wanted: monkeypatch.setattr(LiveIndex, "is_due", lambda *_: wanted)


def asked(project: Project, query: str, count: int = 5) -> Told:
    reply = answer_call(project, SEARCH, {"query": query, "k": count})
    assert not reply.is_error, reply.text
    return told(reply.text)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scanned", [True, False])
@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_x53_random_edits_between_index_and_question(
    space: Workspace, scans: Callable[[bool], None], seed: int, scanned: bool
) -> None:
    chance = Random(seed)
    truth = Truth(space.root, ENVIRONMENT)
    project = project_of(space.root, ENVIRONMENT)
    scans(True)
    asked(project, QUERIES[0])
    scans(scanned)
    for number in range(50):
        name, of_edit = chance.choice(EDITED), chance.randrange(10**9)
        with suppress(OSError):  # then it is left half done
            EDITS[name](space, Random(of_edit))
        query = chance.choice(QUERIES)
        answer = asked(project, query)
        if not scanned:  # then it knows the files of its hits, and no others
            answer = replace(answer, notices=("[index: not asked]",))
        assert truth.problems(answer, query, 5, truth.entries()) == [], f"seed {seed}, edit {number} {name} {of_edit}"
        if number % 10 == 9:
            project.index.sync(project.index.walk())


CHARGE = 'def charge_customer(card):\n    """Charges the customer."""\n    return card.charge()\n'


@pytest.fixture
def shop(space: Workspace, scans: Callable[[bool], None]) -> Project:
    """Give a project whose index knows a function, and asks no more which files there are."""
    (space.root / "shop.py").write_text(CHARGE, encoding="utf-8")
    project = project_of(space.root, ENVIRONMENT)
    scans(True)
    assert asked(project, "charge_customer").places[0] == ("shop.py", 1, 3)
    scans(False)
    return project


@pytest.mark.parametrize("moment", ["before its lines are read", "after"])
def test_x53_a_file_that_changes_while_the_answer_is_made_is_marked(
    shop: Project, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            (shop.root / "shop.py").write_text("\n\n" + CHARGE, encoding="utf-8")
            return original(*arguments)

        return call

    import indexer.search
    from codectx import searching

    where, what = (searching, "_notices") if moment.startswith("before") else (indexer.search, "best_lines")
    monkeypatch.setattr(where, what, changing(getattr(where, what)))
    answer = asked(shop, "charge_customer")
    assert ("shop.py", 1, 3) in answer.stale
    monkeypatch.undo()
    assert asked(shop, "charge_customer").stale == frozenset()


def test_x53_files_that_vanish_faster_than_they_are_looked_at_are_no_hits(space: Workspace, shop: Project) -> None:
    for path in space.root.glob("part*/*.py"):
        path.unlink()
    answer = asked(shop, "charge refund rotate upload invoice session token cache route render", 8)
    assert {path for path, _, _ in answer.places} <= {"shop.py"}


def test_x53_a_file_that_vanishes_while_the_answer_is_made_is_marked(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codectx import searching

    notices = searching._notices
    monkeypatch.setattr(searching, "_notices", lambda *given: ((shop.root / "shop.py").unlink(), notices(*given))[1])
    assert ("shop.py", 1, 3) in asked(shop, "charge_customer").stale


def test_x53_a_change_that_the_times_of_a_file_do_not_tell_is_seen(shop: Project) -> None:
    changed = "\n\n" + CHARGE.replace("the customer", "customers")[:-2]
    changed += " " * (len(CHARGE) - len(changed))
    (shop.root / "shop.py").write_text(changed, encoding="utf-8")
    info = (shop.root / "shop.py").stat()
    assert info.st_size == len(CHARGE)
    state = shop.index.live.state
    assert state is not None
    # As if the file system had kept the same time for both.
    seen = state.manifest.files["shop.py"]._replace(mtime_ns=info.st_mtime_ns, ctime_ns=info.st_ctime_ns)
    files = {**state.manifest.files, "shop.py": seen}
    shop.index.live._state = replace(state, manifest=replace(state.manifest, files=files))
    assert asked(shop, "charge_customer").places[0][:2] == ("shop.py", 3)


@pytest.fixture
def restless(shop: Project) -> Iterator[None]:
    """Move the function up and down as long as the test runs."""
    end = threading.Event()

    def moves() -> None:
        number = 0
        while not end.wait(0.0005):
            number += 1
            beside = shop.root / ".git" / "beside"
            beside.write_text("\n" * (number % 7) + CHARGE, encoding="utf-8")
            beside.replace(shop.root / "shop.py")

    thread = threading.Thread(target=moves)
    thread.start()
    yield
    end.set()
    thread.join(20)


@pytest.mark.usefixtures("restless")
def test_x53_under_a_file_that_never_rests_a_range_is_right_or_marked(shop: Project) -> None:
    for _ in range(60):
        answer = asked(shop, "charge_customer")
        place = next(place for place in answer.places if place[0] == "shop.py")
        first = next((number for path, number, text in answer.lines if path == "shop.py" and "def " in text), None)
        assert place in answer.stale or (place[1], place[2]) == (first, place[1] + 2), answer.text
