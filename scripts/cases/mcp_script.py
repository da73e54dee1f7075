"""Send a list of messages to a server over a raw pipe, and keep what comes back byte for byte: ``play``.

Messages go out in order without waiting for answers. After the last one, and the answers that are due, stdin is
closed; a server that does not end then is killed.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cases.reply import Answers, Reply

DUE_SECONDS = 60  # for the answers that are due
EXIT_SECONDS = 30  # for the end of the process after its stdin is closed
PING_SECONDS = 10
SCRIPT_SECONDS = 180  # for all of it
_PING = "still-there"


def play(
    words: Sequence[str],
    cwd: Path,
    root: Path,
    env: Mapping[str, str],
    messages: Sequence[Mapping[str, Any]],
    *,
    ping: bool = False,
) -> Answers:
    """Play a script against one server.

    Args:
        words: the server's command.
        cwd: where it starts.
        root: where its answers belong.
        env: its environment.
        messages: JSON-RPC objects, and ``sleep``, ``raw``, ``raw_hex`` and ``close``.
        ping: whether to see if it is still there after the last one.
    """
    player = _Player(words, cwd, root, env)
    guard = threading.Timer(SCRIPT_SECONDS, player.process.kill)
    guard.start()
    try:
        return player.play(messages, ping=ping)
    finally:
        guard.cancel()


def handshake() -> list[dict[str, Any]]:
    """Give the messages that open a session."""
    client = {"name": "cases", "version": "0"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    return [
        {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]


def request_ids(messages: Sequence[Mapping[str, Any]]) -> set[str]:
    """Give the ids of the requests in a script."""
    return {str(message["id"]) for message in messages if "method" in message and "id" in message}


class _Player:
    def __init__(self, words: Sequence[str], cwd: Path, root: Path, env: Mapping[str, str]) -> None:
        self.began = time.monotonic()
        self.root = root
        self.answers = Answers()
        self.requests: dict[str, tuple[Mapping[str, Any], float]] = {}
        self.stdin_open = True
        self.stdout_wanted = True
        self.process = subprocess.Popen(
            list(words),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.changed = threading.Condition()
        self.writing = threading.Lock()
        self.readers = [
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def play(self, messages: Sequence[Mapping[str, Any]], *, ping: bool) -> Answers:
        for message in messages:
            self._do(message)
        last = time.monotonic()
        cancelled = {
            str(message["params"]["requestId"])
            for message in messages
            if message.get("method") == "notifications/cancelled"
        }
        if self.stdout_wanted:
            self._wait_for(request_ids(messages) - cancelled, DUE_SECONDS)
            if ping and self.stdin_open:
                self._ping()
        self._close_stdin()
        try:
            self.answers.exit_code = self.process.wait(EXIT_SECONDS)
            self.answers.seconds_to_exit = time.monotonic() - last
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for reader in self.readers:
            reader.join(5)
        self.answers.seconds = time.monotonic() - self.began
        return self.answers

    def _do(self, message: Mapping[str, Any]) -> None:
        if "sleep" in message:
            time.sleep(message["sleep"])
        elif message.get("close") == "stdin":
            self._close_stdin()
        elif message.get("close") == "stdout":
            self.stdout_wanted = False
            self.readers[0].join(5)
        elif "raw" in message:
            self._write(message["raw"].encode("utf-8", "surrogatepass"))
        elif "raw_hex" in message:
            self._write(bytes.fromhex(message["raw_hex"]))
        else:
            if "id" in message:
                self.requests[str(message["id"])] = message, time.monotonic()
            self._write(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self.writing:
            if not self.stdin_open:
                return
            try:
                self.process.stdin.write(data)
                self.process.stdin.flush()
            except OSError as error:
                self.answers.crashed = f"the server's stdin is gone: {error}"

    def _close_stdin(self) -> None:
        assert self.process.stdin is not None
        with self.writing:
            self.stdin_open = False
            try:
                self.process.stdin.close()
            except OSError as error:
                self.answers.crashed = self.answers.crashed or f"the server's stdin is gone: {error}"

    def _wait_for(self, ids: set[str], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        with self.changed:
            while not ids <= self.answers.replies.keys() and self.readers[0].is_alive():
                if time.monotonic() > deadline:
                    return
                self.changed.wait(0.05)

    def _ping(self) -> None:
        self._do({"jsonrpc": "2.0", "id": _PING, "method": "ping"})
        self._wait_for({_PING}, PING_SECONDS)
        replies = self.answers.replies.pop(_PING, [])
        self.answers.pinged = bool(replies) and not replies[0].failed

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        descriptor, rest = self.process.stdout.fileno(), b""
        while self.stdout_wanted:
            if not select.select([descriptor], [], [], 0.02)[0]:
                continue
            data = os.read(descriptor, 1 << 16)
            if not data:
                break
            arrived = time.monotonic()
            self.answers.stdout += data
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._take(line, arrived)
        self.process.stdout.close()

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            self.answers.stderr = stream.read().decode("utf-8", "replace")

    def _take(self, line: bytes, arrived: float) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # told by the invariant on stdout
        if not isinstance(message, dict):
            return
        if "method" in message:
            if "id" in message:
                self._write(json.dumps(_our_answer(message)).encode() + b"\n")
            return
        number = str(message.get("id"))
        request, sent = self.requests.get(number, ({}, arrived))
        reply = answer_to(request, message, self.root)
        reply.seconds, reply.line = arrived - sent, line
        with self.changed:
            self.answers.replies.setdefault(number, []).append(reply)
            self.changed.notify_all()


def answer_to(request: Mapping[str, Any], message: Mapping[str, Any], root: Path) -> Reply:
    """Read a JSON-RPC answer as the reply to its request."""
    params = request.get("params") or {}
    tool = str(params.get("name", "")) if request.get("method") == "tools/call" else str(request.get("method", ""))
    given = params.get("arguments") if request.get("method") == "tools/call" else {}
    reply = Reply(tool, given if isinstance(given, dict) else {}, root, "mcp")
    if "error" in message:
        reply.rpc_error, reply.failed = message["error"], True
        reply.answer = json.dumps(message["error"], ensure_ascii=False)
        return reply
    result = message.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    if isinstance(content, list):
        reply.answer = "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
        reply.failed = bool(isinstance(result, dict) and result.get("isError"))
    else:
        reply.answer = json.dumps(result, ensure_ascii=False)
    return reply


def _our_answer(message: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a server's request as a client that can do nothing but be pinged."""
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "ping":
        return {**answer, "result": {}}
    return {**answer, "error": {"code": -32601, "message": "method not found"}}
