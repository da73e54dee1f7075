#!/usr/bin/env python3
"""Measure what it costs to keep an index in step with a repository of 10,000 files.

    python scripts/bench_sync.py [--files N] [--rounds N] [--seed S]

The repository is made in a temporary folder. Measured, each as the median of some rounds: `codectx index` from nothing
(with the peak of its memory), and when nothing changed, process included; a question after an edit of one file against
one without, in a running server and in a new process; and how many texts are embedded when `git switch` goes back and
forth between two branches that were indexed before, by a stand-in for an Ollama server. Beside each figure stands what
it must not exceed. Exits with 1 if one does; wall times on a busy machine say little, so those only warn.
"""

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from cases.ollama import FakeOllama
from chaos.actors import START, Server
from chaos.workspace import Workspace

PER_FOLDER = 100  # files
FRESH_SECONDS = 2.5  # in which a file that was changed is read again by every run
BRANCH_FILES = 300
QUESTION = "retry the upload of an invoice"
WORDS = (
    "account", "batch", "cache", "charge", "client", "close", "commit", "config", "connect", "count", "create",
    "cursor", "decode", "delete", "deliver", "digest", "encode", "event", "export", "fetch", "field", "filter",
    "flush", "format", "frame", "group", "handle", "header", "import", "index", "invoice", "issue", "join", "limit",
    "list", "load", "lock", "merge", "message", "notify", "open", "order", "page", "parse", "patch", "path", "plan",
    "price", "queue", "read", "record", "refund", "render", "report", "request", "reset", "retry", "rotate",
    "route", "save", "scan", "schedule", "send", "session", "sign", "split", "store", "stream", "sync", "table",
    "tenant", "token", "track", "trace", "update", "upload", "user", "validate", "value", "verify", "version",
    "watch", "window", "worker", "write",
)  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """Hold what a process took: seconds of wall and CPU, bytes of memory at its peak, and what it printed."""

    wall: float
    cpu: float
    peak: int
    out: str


class Table:
    """Print figures beside what they must not exceed, and remember whether one did."""

    def __init__(self) -> None:
        self.failed = False

    def row(self, what: str, value: float, unit: str, most: float | None = None, *, is_wall: bool = False) -> None:
        """Print one figure."""
        if most is None:
            print(f"{what:52}{value:10.2f} {unit}", flush=True)
            return
        verdict = "ok" if value <= most else "SLOW (wall)" if is_wall else "OVER"
        self.failed |= verdict == "OVER"
        print(f"{what:52}{value:10.2f} {unit:3}{most:9.2f}  {verdict}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory(prefix="bench") as top:
        space = Workspace(Path(top))
        os.environ.update(space.environment)
        made = _made(space, given.files, random.Random(given.seed))
        print(f"{given.files} files, {made / 1e6:.1f} MB, seed {given.seed}")
        print(f"{'':52}{'median':>10} {'':3}{'at most':>9}", flush=True)
        _index(space, table, given.rounds)
        _edits(space, table, given.rounds)
    with tempfile.TemporaryDirectory(prefix="bench") as top:
        space = Workspace(Path(top))
        os.environ.update(space.environment)
        _made(space, BRANCH_FILES, random.Random(given.seed))
        _branches(space, table)
    return table.failed


def _made(space: Workspace, files: int, chance: random.Random) -> int:
    """Make a repository; give its size in bytes."""
    size = 0
    for number in range(files):
        folder = space.root / f"{WORDS[number // PER_FOLDER % len(WORDS)]}_{number // PER_FOLDER}"
        folder.mkdir(parents=True, exist_ok=True)
        text = _module(number, chance)
        (folder / f"{chance.choice(WORDS)}_{number}.py").write_text(text, encoding="utf-8")
        size += len(text)
    (space.root / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    space.begin()
    return size


def _module(number: int, chance: random.Random) -> str:
    parts = [f'"""Keeps the {chance.choice(WORDS)} of each {chance.choice(WORDS)}."""\n\nimport os\n']
    for _ in range(chance.randrange(2, 7)):
        one, other = chance.choice(WORDS), chance.choice(WORDS)
        body = "".join(
            "    {} = {}_{}(value, {})\n".format(*chance.choices(WORDS, k=3), chance.randrange(99))
            for _ in range(chance.randrange(3, 12))
        )
        parts.append(
            f'def {one}_{other}_{number}(value):\n    """{one.title()} the {other} first."""\n{body}    return value\n'
        )
    return "\n\n".join(parts)


def _index(space: Workspace, table: Table, rounds: int) -> None:
    time.sleep(FRESH_SECONDS)
    first = _command(space, "index")
    table.row("index from nothing: CPU", first.cpu, "s")
    table.row("index from nothing: peak memory", first.peak / 2**20, "MB", 1000)
    time.sleep(FRESH_SECONDS)
    again = [_command(space, "index") for _ in range(rounds)]
    assert "nothing changed" in again[0].out, again[0].out
    table.row("no change: wall", statistics.median(cost.wall for cost in again), "s", 1.0, is_wall=True)
    table.row("no change: CPU, git's included", statistics.median(cost.cpu for cost in again), "s", 0.4)
    table.row("no change: heavy libraries loaded", len(_loaded(space, "index")), "", 0)


def _edits(space: Workspace, table: Table, rounds: int) -> None:
    names = space.files()
    edited = space.root / next(name for name in names if name.endswith(".py"))

    def in_new_process(question: str) -> tuple[float, float, str]:
        cost = _command(space, "semantic-search", question)
        return cost.wall, cost.cpu, cost.out

    without, after = _pairs(edited, rounds, in_new_process)
    table.row("question in a new process: CPU", without[1], "s")
    table.row("the same after an edit: CPU more", max(0.0, after[1] - without[1]) * 1000, "ms", 150)
    server = Server(space.root, space.environment, space.top / "errors.txt")
    try:
        while "[index: " in server.ask("semantic_search", query=QUESTION):
            time.sleep(0.2)
        pid = server.process.pid

        def in_server(question: str) -> tuple[float, float, str]:
            cpu, begun = _cpu_of(pid), time.perf_counter()
            out = server.ask("semantic_search", query=question)
            wall = time.perf_counter() - begun
            return wall, _cpu_of(pid) - cpu, out

        without, after = _pairs(edited, rounds, in_server, 3.0)
        table.row("question in a running server: wall", without[0] * 1000, "ms")
        table.row("the same after an edit: wall more", max(0.0, after[0] - without[0]) * 1000, "ms", 150, is_wall=True)
        table.row("the same after an edit: CPU more", max(0.0, after[1] - without[1]) * 1000, "ms", 150)
    finally:
        server.kill()


def _pairs(
    edited: Path, rounds: int, ask: Callable[[str], tuple[float, float, str]], pause: float = 0.0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ask without and after an edit by turns; give the medians of wall and CPU of each.

    The pause before each edit lets a server end what it does by itself; the question follows the edit at once.
    """
    without, after = [], []
    ask(QUESTION)
    for number in range(rounds):
        name = f"brand_new_{time.monotonic_ns()}_{number}"
        time.sleep(pause)
        with edited.open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef {name}(value):\n    return value\n")
        after.append(ask(name))
        time.sleep(pause)
        ask(QUESTION)  # the first one of an index that the server has made since
        without.append(ask(name))
        if f"{edited.name}:" not in after[-1][2] or name not in after[-1][2]:
            raise SystemExit(f"an edit was not found by the next question:\n{after[-1][2]}")
    medians = [tuple(statistics.median(each[at] for each in kind) for at in (0, 1)) for kind in (without, after)]
    return (medians[0][0], medians[0][1]), (medians[1][0], medians[1][1])


def _branches(space: Workspace, table: Table) -> None:
    ollama = FakeOllama({"mode": "ok", "models": {"fake-a": 32}}, lambda _: None)
    ollama.up()
    named = {"CODECTX_EMBEDDER": "ollama", "CODECTX_OLLAMA_URL": ollama.url, "CODECTX_EMBEDDER_MODEL": "fake-a"}
    with_vectors = {**space.environment, **named}
    try:
        space.git("switch", "--quiet", "--create", "other")
        chance = random.Random(2)
        for number, name in enumerate(space.files()):
            if name.endswith(".py") and number % 2:
                (space.root / name).write_text(_module(number, chance), encoding="utf-8")
        space.git("commit", "--quiet", "--all", "--message", "other")
        for branch in ("other", "main"):
            space.git("switch", "--quiet", branch)
            _command(space, "index", environment=with_vectors)
        before = sum(len(request.texts) for request in ollama.log)
        costs = []
        for branch in ("other", "main", "other", "main"):
            space.git("switch", "--quiet", branch)
            costs.append(_command(space, "index", environment=with_vectors))
            assert "nothing changed" not in costs[-1].out, costs[-1].out
        texts = sum(len(request.texts) for request in ollama.log) - before
        table.row(f"texts embedded for two branches of {BRANCH_FILES} files", before, "")
        table.row("texts embedded by switching between them", texts, "", 0)
        table.row("index after a switch: CPU", statistics.median(cost.cpu for cost in costs), "s")
    finally:
        ollama.down()


def _command(space: Workspace, *arguments: str, environment: dict[str, str] | None = None) -> Cost:
    """Run a command to its end; what its own processes take counts."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, *arguments],
            cwd=space.root,
            env=environment or space.environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begun
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}:\n{text}")
    return Cost(wall, used.ru_utime + used.ru_stime, _bytes(used), text)


def _bytes(used: resource.struct_rusage) -> int:
    return used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024


def _loaded(space: Workspace, *arguments: str) -> set[str]:
    """Give the heavy libraries that a command loads."""
    heavy = {"lancedb", "pyarrow", "numpy", "tree_sitter", "tiktoken", "mcp", "watchdog"}
    command = [sys.executable, "-P", "-X", "importtime", "-c", START, *arguments]
    done = subprocess.run(
        command, cwd=space.root, env=space.environment, capture_output=True, encoding="utf-8", check=True
    )
    names = {line.rpartition("|")[2].strip() for line in done.stderr.split("\n") if line.startswith("import time:")}
    return names & heavy


def _cpu_of(pid: int) -> float:
    """Give the CPU seconds of a process and its children that have ended; 0 where the system does not tell so."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
