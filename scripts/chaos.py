#!/usr/bin/env python3
"""Tear at a repository and its index from all sides, and check that the index never lies.

    python scripts/chaos.py [--minutes N] [--seed S] [--repo DIR]
    python scripts/chaos.py --kills N [--seed S] [--repo DIR]

A copy of DIR (this checkout if left out) is edited, committed, rebased, stashed, merged, has worktrees and repositories
put into it, while two servers answer, runs of `codectx index` come and go, and some are killed. Each answer is compared
with one from an index built from nothing, and so is the store after every run: rows, manifest, vectors, and the top 10
of 20 questions. With --kills only runs (index, sync, rebuild, tidying up) are killed, N times at random moments, each
followed by a question and a sync. The seed is printed; the same seed makes the same steps, though not at the same
microseconds. Exits with 1 at the first lie, after printing the steps that led to it.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from cases.ollama import FakeOllama
from chaos.actors import TIDY, Run, Server
from chaos.edits import EDITS
from chaos.gitsteps import GIT_STEPS
from chaos.truth import QUERIES, Truth, differences, half_read, rebuilt, told
from chaos.workspace import Workspace

from codectx.stores import place_of
from indexer.errors import IndexerError

MODEL = "fake-a"
REBUILD_EVERY = 8  # comparisons with what each file says, to one with an index that is really built from nothing
PAUSE = 1.0  # seconds between two questions to one server, after which it has to know of every change
ACTIONS = {
    "edit": 40, "git": 22, "ask_server": 14, "ask_command": 4, "index": 5, "background": 5, "kill": 5, "kill_full": 1,
    "kill_tidy": 1, "kill_vectors": 2, "vectors": 2, "kill_server": 1, "delete_store": 0.5, "delete_part": 0.5,
}  # fmt: skip


class Lie(Exception):  # noqa: N818 - what it is
    """Report what an index said or held that is not so."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--kills", type=int, default=0, help="kill so many runs, and nothing else")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--repo", type=Path, default=ROOT)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}, repository {given.repo}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos") as top:
        space = Workspace(Path(top))
        os.environ.update(space.environment)
        space.copy(given.repo.resolve())
        chaos = Chaos(space, random.Random(seed))
        try:
            if given.kills:
                chaos.kills(given.kills)
            else:
                chaos.play(given.minutes * 60)
        except Lie as lie:
            print(f"\nLIE after {len(chaos.steps)} steps, seed {seed}: {lie}\nsteps:", flush=True)
            print("\n".join(chaos.steps[-80:]), flush=True)
            return 1
        finally:
            chaos.close()
    print(f"clean, seed {seed}: " + ", ".join(f"{count} {what}" for what, count in sorted(chaos.done.items())))
    return 0


class Chaos:
    """Hold a run: the copy, who works on it, and what was done."""

    def __init__(self, space: Workspace, chance: random.Random) -> None:
        self.space, self.chance = space, chance
        self.place = place_of(space.root, "")
        self.truth = Truth(space.root, space.environment)
        self.steps: list[str] = []
        self.done: Counter[str] = Counter()
        self.ollama = FakeOllama({"mode": "ok", "models": {MODEL: 32}}, lambda _: None)
        self.ollama.up()
        embedder = {"CODECTX_OLLAMA_URL": self.ollama.url, "CODECTX_EMBEDDER_MODEL": MODEL}
        self.with_vectors = {**space.environment, **embedder, "CODECTX_EMBEDDER": "ollama"}
        self.servers: list[Server] = []
        self.asked: dict[int, float] = {}
        self.background_runs: list[Run] = []
        self.was_deleted = False
        self.seconds = 3.0  # that a run took last, from its start
        self.reader = Reader(self)

    def close(self) -> None:
        """End everything that was started."""
        self.reader.stop()
        for server in self.servers:
            server.kill()
        for run in self.background_runs:
            run.kill()
        self.ollama.down()

    # --- everything at once

    def play(self, seconds: float) -> None:
        """Take steps until the time is over, then look once more."""
        end = time.monotonic() + seconds
        self.servers = [self._server() for _ in range(2)]
        self.reader.start()
        self.index()
        while time.monotonic() < end:
            (name,) = self.chance.choices(list(ACTIONS), list(ACTIONS.values()))
            self.done[name] += 1
            getattr(self, name)()
            if self.reader.problems:
                raise Lie(f"a reader saw: {self.reader.problems[:3]}")
            if len(self.steps) % 50 == 0:
                print(f"{len(self.steps)} steps, {dict(self.done)}", flush=True)
        self.index()

    def edit(self) -> None:
        """Change files."""
        self._change(EDITS)

    def git(self) -> None:
        """Let git change files."""
        self._change(GIT_STEPS)
        if not self.space.files():  # else nothing would happen any more
            self.space.git("checkout", "--quiet", "--force", "main")

    def ask_server(self) -> None:
        """Ask a server, and compare its answer with the files."""
        number = self.chance.randrange(len(self.servers))
        query, count = self.chance.choice(QUERIES), self.chance.choice([3, 5, 8])
        time.sleep(max(0.0, self.asked.get(number, 0.0) + PAUSE - time.monotonic()))
        self._note(f"ask server {number} {query!r} k={count}")
        text = self.servers[number].ask("semantic_search", query=query, k=count)
        self.asked[number] = time.monotonic()
        self._check(text, query, count)

    def ask_command(self) -> None:
        """Ask in a new process."""
        query = self.chance.choice(QUERIES)
        self._note(f"ask command {query!r}")
        code, out, err = Run(self.space.root, self.space.environment, "semantic-search", query).end()
        if code not in (0, 1) or err:
            raise Lie(f"semantic-search ended with {code}: {err}")
        self._check(out, query, 5)

    def index(self) -> None:
        """Bring the index in step with the files, and compare it with one built from nothing."""
        self._note("index and compare")
        self._wait_for_background()
        self._indexed(self.space.environment)
        self._compare()

    def vectors(self) -> None:
        """Make the vectors, too; every chunk has one then."""
        self._note("index with vectors and compare")
        self._wait_for_background()
        self._indexed(self.with_vectors, "--embedder", "ollama")
        self._compare()
        from indexer.fill import NO_TEXT

        wanted = {chunk.digest for entry in self.truth.entries().values() for chunk in entry.chunks} - {NO_TEXT}
        if lacking := wanted - self.place.store.embedded(self._model()):
            raise Lie(f"{len(lacking)} chunks of {len(wanted)} have no vector")

    def background(self) -> None:
        """Start a run and do not wait for it."""
        self._note("index in the background")
        full = ["--full"] if self.chance.random() < 0.2 else []
        self.background_runs.append(Run(self.space.root, self.space.environment, "index", "--quiet", *full))
        if len(self.background_runs) > 3:
            self._wait_for_background()

    def kill(self) -> None:
        """Kill a run at any moment."""
        self._killed("index")

    def kill_full(self) -> None:
        """Kill a run that reads all anew."""
        self._killed("index", "--full")

    def kill_vectors(self) -> None:
        """Kill a run that makes vectors."""
        self._killed("index", "--embedder", "ollama", environment=self.with_vectors)

    def kill_tidy(self) -> None:
        """Kill a run that tidies up the tables."""
        self._killed(str(self.space.root), script=TIDY)

    def kill_server(self) -> None:
        """Kill a server and start another."""
        number = self.chance.randrange(len(self.servers))
        self._note(f"kill server {number}")
        self.servers[number].kill()
        self.servers[number] = self._server()

    def delete_store(self) -> None:
        """Delete the whole index under the running servers."""
        self._note("delete the store")
        self._wait_for_background()
        self.was_deleted = True
        shutil.rmtree(self.place.folder, ignore_errors=True)

    def delete_part(self) -> None:
        """Delete what is beside the tables."""
        name = self.chance.choice(["manifest.json", "rows.arrow"])
        self._note(f"delete {name}")
        (self.place.folder / name).unlink(missing_ok=True)

    # --- kills alone

    def kills(self, count: int) -> None:
        """Kill runs of each kind; after each, a question and a sync are right."""
        kinds = ("index", "sync", "rebuild", "tidy")
        self._indexed(self.space.environment)
        took = {kind: self._took(kind) for kind in kinds}
        print("seconds from the lock to the end: " + ", ".join(f"{k} {s:.2f}" for k, s in took.items()), flush=True)
        for number in range(count):
            kind = kinds[number % len(kinds)]
            run = self._started(kind)
            moment = self.chance.uniform(0, took[kind] * 1.05)
            from_start = self.chance.random() < 0.15
            if not from_start:
                run.wait_for_lock(self.place.lock)
            _sleep_while(run, moment)
            self.done[f"{kind} {'killed' if run.kill() else 'ended before'}"] += 1
            self._note(f"kill {kind} {moment:.3f} s after {'its start' if from_start else 'it had the lock'}")
            query = self.chance.choice(QUERIES)
            self._check(self._ask_here(query), query, 5)
            if problems := half_read(self.place, self.truth):
                raise Lie(str(problems))
            self._indexed(self.space.environment)
            self._compare()
            if number % 10 == 9:
                print(f"{number + 1} kills, {dict(self.done)}", flush=True)

    def _took(self, kind: str) -> float:
        run = self._started(kind)
        before = run.wait_for_lock(self.place.lock)
        run.end()
        return max(0.2, time.monotonic() - run.begun - (before or 0.0))

    def _started(self, kind: str) -> Run:
        """Start a run that has something to do."""
        if kind == "index":
            shutil.rmtree(self.place.folder, ignore_errors=True)
        elif kind != "rebuild":
            for _ in range(self.chance.choice([1, 5, 30])):
                self._change(EDITS, quiet=True)
        if kind == "tidy":
            self._indexed(self.space.environment)
            return Run(self.space.root, self.space.environment, str(self.space.root), script=TIDY)
        full = ["--full"] if kind == "rebuild" else []
        return Run(self.space.root, self.space.environment, "index", "--quiet", *full)

    def _ask_here(self, query: str) -> str:
        """Ask as a new process would, without the wait for one."""
        from chaos.truth import project_of

        from codectx.dispatch import answer_call
        from codectx.tools import load

        project = project_of(self.space.root, self.space.environment)
        return answer_call(project, load("semantic_search"), {"query": query}).text

    # --- parts

    def _change(self, changes: object, *, quiet: bool = False) -> None:
        assert isinstance(changes, dict)
        name = self.chance.choice(list(changes))
        seed = self.chance.randrange(10**9)
        self._note(f"{name} {seed}", quiet=quiet)
        try:
            changes[name](self.space, random.Random(seed))
        except OSError as error:
            self._note(f"  not done: {error}", quiet=quiet)

    def _killed(self, *arguments: str, script: str | None = None, environment: object = None) -> None:
        options = {"script": script} if script else {}
        where = environment if isinstance(environment, dict) else self.space.environment
        run = Run(self.space.root, where, *arguments, **options)
        moment = self.chance.uniform(0.2, self.seconds * 1.3)
        if self.chance.random() < 0.5:
            run.wait_for_lock(self.place.lock)
            moment /= 2
        _sleep_while(run, moment)
        lived = run.kill()
        self._note(
            f"kill {arguments[0][:20]} {' '.join(arguments[1:])} after {moment:.2f} s: {'died' if lived else 'over'}"
        )

    def _indexed(self, environment: dict[str, str], *options: str) -> None:
        """Run `codectx index` until it was nobody else's turn."""
        for _ in range(20):
            run = Run(self.space.root, environment, "index", "--quiet", *options)
            code, out, err = run.end()
            self.seconds = max(1.0, time.monotonic() - run.begun)
            if code == 0 and "Traceback" not in err:
                return
            if code != 75 and not (code == 2 and self.was_deleted):
                raise Lie(f"index ended with {code}: {out}{err}")
            self._note(f"  index: {code} {err.strip()[:200]}")
        raise Lie("twenty runs of index did not get their turn")

    def _compare(self) -> None:
        self.done["compared"] += 1
        entries = self.truth.entries()
        problems = ["not looked"]
        for _ in range(100):  # a server may be writing the same just now
            try:
                problems = differences(self.place, self.truth, entries)
            except IndexerError as error:
                problems = [str(error)]
            if not problems:
                break
            time.sleep(0.1)
        if problems:
            raise Lie("; ".join(problems[:5]))
        self.was_deleted = False
        if self.done["compared"] % REBUILD_EVERY == 0 and rebuilt(self.truth) != entries:
            raise Lie("an index that is really built from nothing is another one")

    def _check(self, text: str, query: str, count: int) -> None:
        answer = told(text)
        if text.startswith("error"):
            raise Lie(text)
        problems = self.truth.problems(answer, query, count, self.truth.entries())
        self.done["whole answers" if answer.is_whole else "marked answers"] += 1
        if problems:
            raise Lie(f"{query!r}: {'; '.join(problems[:5])}\n{text}")

    def _wait_for_background(self) -> None:
        runs, self.background_runs = self.background_runs, []
        for run in runs:
            code, out, err = run.end()
            if "Traceback" in err or code not in ((0, 2, 75) if self.was_deleted else (0, 75)):
                raise Lie(f"a run in the background ended with {code}: {out}{err}")

    def _model(self) -> str:
        """Name the model as the store does."""
        from indexer.embed import choose

        return choose("ollama", url=self.ollama.url, model=MODEL).embedder.model

    def _server(self) -> Server:
        return Server(self.space.root, self.space.environment, self.space.top / "servers.txt")

    def _note(self, step: str, *, quiet: bool = False) -> None:
        if not quiet:
            self.steps.append(step)


class Reader(threading.Thread):
    """Read the store all the time, as another process does, and look for what is half."""

    def __init__(self, chaos: Chaos) -> None:
        super().__init__(daemon=True)
        self._chaos = chaos
        self._end = threading.Event()
        self.problems: list[str] = []

    def run(self) -> None:
        """Read until told to stop."""
        while not self._end.wait(0.5):
            try:
                self.problems += half_read(self._chaos.place, self._chaos.truth)
            except IndexerError as error:
                if not self._chaos.was_deleted:
                    self.problems.append(f"{type(error).__name__}: {error}")
            self._chaos.done["reads while others write"] += 1

    def stop(self) -> None:
        """End it."""
        self._end.set()
        if self.is_alive():
            self.join(30)


def _sleep_while(run: Run, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and run.process.poll() is None:
        time.sleep(min(0.005, max(0.0, end - time.monotonic())))


if __name__ == "__main__":
    sys.exit(main())
