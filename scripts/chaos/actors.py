"""Run codectx as others do: commands that may be killed (``Run``), and servers that are asked (``Server``)."""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from codectx.cli import main; sys.exit(main())"
TIDY = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from codectx.stores import place_of
from indexer.lock import locked
place = place_of(Path(sys.argv[1]), "")
with locked(place.lock, 30):
    place.store.tidy()
"""
WAIT = 120.0  # seconds for anything to end


class Run:
    """Hold a process of the command line."""

    def __init__(self, root: Path, environment: Mapping[str, str], *arguments: str, script: str = START) -> None:
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", script, *arguments],
            cwd=root,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )

    def end(self) -> tuple[int, str, str]:
        """Wait for its end; give the exit code and what it wrote."""
        out, err = self.process.communicate(timeout=WAIT)
        return self.process.returncode, out, err

    def kill(self) -> bool:
        """End it as if the power went off; False if it had ended by itself."""
        lived = self.process.poll() is None
        self.process.kill()
        self.process.communicate(timeout=WAIT)
        return lived

    def wait_for_lock(self, lock: Path) -> float | None:
        """Wait until the process holds the lock; give the seconds until then, None if it ended without."""
        mine = str(self.process.pid)
        while self.process.poll() is None:
            with suppress(OSError):
                if lock.read_text(encoding="ascii") == mine:
                    return time.monotonic() - self.begun
            time.sleep(0.002)
        return None


class Server:
    """Hold a server process and speak to it."""

    def __init__(self, root: Path, environment: Mapping[str, str], errors: Path) -> None:
        self.errors = errors
        with errors.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", START, "serve", "--root", str(root)],
                cwd=root.parent,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
            )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._ids = itertools.count(1)
        threading.Thread(target=self._read, daemon=True).start()
        client = {"name": "chaos", "version": "0"}
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def ask(self, tool: str, **arguments: Any) -> str:
        """Call a tool and give its text; an error is text as well."""
        (block,) = self._request("tools/call", {"name": tool, "arguments": arguments})["content"]
        return str(block["text"])

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait(WAIT)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):  # what was not sent is lost
                    stream.close()

    def _request(self, method: str, params: Any) -> Any:
        number = next(self._ids)
        self._send({"id": number, "method": method, "params": params})
        end = time.monotonic() + WAIT
        while True:
            message = json.loads(self._lines.get(timeout=max(0.1, end - time.monotonic())))
            if message.get("id") == number and "method" not in message:
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            for line in self.process.stdout:
                self._lines.put(line)
        except ValueError:  # closed by the killer
            pass
