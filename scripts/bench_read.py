#!/usr/bin/env python3
"""Measure what reading a large file costs a running server: CPU time and memory beyond rest.

    python scripts/bench_read.py [--megabytes 50] [--repeat 5] [--codectx CMD]

Makes files of source code, of one line, and of Chinese text, asks a real server over stdio to read each, and prints
medians of the server's CPU milliseconds (user and system, from /proc) and the growth of its peak memory. Linux only.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

TICKS = os.sysconf("SC_CLK_TCK")
FORMS = {
    "code.py": lambda n: f"def function_{n}(argument):\n    return argument + {n}\n\n\n",
    "one_line.js": lambda n: f"var a{n}=function(b){{return b+{n}}};",
    "chinese.txt": lambda n: f"第{n}行：这是一个用来测试的中文句子。\n",
    "table.csv": lambda n: f"{n},name {n},2026-01-01,3.14\n",
}


class Server:
    """Talk JSON-RPC to `codectx serve` over its pipes."""

    def __init__(self, command: list[str], root: Path, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*command, "serve", "--root", str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict) -> dict:
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]

    def call(self, tool: str, **arguments: object) -> dict:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / TICKS

    def memory(self, field: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) / 1024 for line in status.split("\n") if line.startswith(field))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--codectx", default="codectx")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, form in FORMS.items():
            write(root / name, form, given.megabytes * 1_000_000)
        (root / "small.py").write_text("x = 1\n" * 4000, encoding="utf-8")
        print(f"{'file':14}{'tool':12}{'CPU ms':>8}{'+RSS MiB':>10}   first line")
        for name in FORMS:
            for tool in ("read_file", "read_lines", "summarize"):
                with Server(shlex.split(given.codectx), root) as server:
                    server.call("read_file", path="small.py")  # loads ranks and grammars
                    server.call("summarize", path="small.py")
                    rest, spent = server.memory("VmRSS"), []
                    for _ in range(given.repeat):
                        before = server.cpu()
                        answer = server.call(tool, path=name)
                        spent.append(server.cpu() - before)
                    more = server.memory("VmHWM") - rest
                head = answer["content"][0]["text"].split("\n", 1)[0][:60]
                print(f"{name:14}{tool:12}{statistics.median(spent):8.0f}{more:10.1f}   {head}", flush=True)


def write(path: Path, form, size: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        written, n = 0, 0
        while written < size:
            part = "".join(form(k) for k in range(n, n + 2000))
            file.write(part)
            written, n = written + len(part.encode()), n + 2000


if __name__ == "__main__":
    sys.exit(main())
