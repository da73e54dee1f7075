#!/usr/bin/env python3
"""Measure how fast codectx starts: help, and the server's answer to ``initialize``.

Prints medians of n runs, CPU and wall time; the server's time is also given without what importing the MCP SDK takes
on the same machine in the same minute. Runs this checkout, or another command given by --command.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = [sys.executable, "-P", "-c", "import sys; from codectx.cli import main; sys.exit(main())"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}},
}


@dataclass(frozen=True)
class Times:
    """Hold the CPU and wall time of one run, in milliseconds."""

    cpu: float
    wall: float


def main() -> None:
    """Measure in turns, so that a busy minute hits all alike."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-n", type=int, default=7, help="runs of each (default 7)")
    parser.add_argument("--command", nargs="+", help="command to measure instead of this checkout")
    options = parser.parse_args()
    codectx = options.command or CHECKOUT
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "codectx.toml").touch()
        runs: dict[str, list[Times]] = {"python": [], "codectx --help": [], "import mcp": [], "server answers": []}
        for _ in range(options.n + 1):
            runs["python"].append(measured([sys.executable, "-c", "pass"], folder))
            runs["codectx --help"].append(measured([*codectx, "--help"], folder))
            runs["import mcp"].append(measured([sys.executable, "-c", "import mcp, os; os._exit(0)"], folder))
            runs["server answers"].append(measured([*codectx, "serve"], folder, answer=True))
    medians = {name: median(times[1:]) for name, times in runs.items()}  # the first run fills the caches
    server, sdk = medians["server answers"], medians["import mcp"]
    medians["server answers, less import mcp"] = Times(server.cpu - sdk.cpu, server.wall - sdk.wall)
    print(f"medians of {options.n} runs, ms      CPU    wall")
    for name, times in medians.items():
        print(f"{name:<32} {times.cpu:6.0f}  {times.wall:6.0f}")


def median(times: Sequence[Times]) -> Times:
    """Give the medians of both times."""
    return Times(statistics.median(t.cpu for t in times), statistics.median(t.wall for t in times))


def measured(command: Sequence[str], folder: str, *, answer: bool = False) -> Times:
    """Run a command to its end, or a server to its first answer."""
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE if answer else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        if answer:
            assert process.stdin is not None
            process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
            process.stdin.flush()
            if not process.stdout.readline():
                sys.exit("the server did not answer")
            wall = time.perf_counter() - started
            process.kill()
        else:
            process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if not answer:
            wall = time.perf_counter() - started
            if process.returncode:
                sys.exit(f"{command} ended with {process.returncode}")
    return Times((usage.ru_utime + usage.ru_stime) * 1000, wall * 1000)


if __name__ == "__main__":
    main()
