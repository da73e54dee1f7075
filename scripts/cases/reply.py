"""Hold what a call gave back, whichever door it came through: ``Reply`` and ``ScriptReply``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cases.answer import Parts, split

_ERROR = re.compile(r"error\[([a-z_]+)\]: ([^\n]+)")


@dataclass
class Reply:
    """Hold one answer.

    Attributes:
        tool: what was called: a tool, ``index``, ``cli`` or ``hook``.
        args: its arguments, in the words of the cases.
        root: the project root it was called on.
        door: ``mcp`` for a server's answer, ``cli`` for a command's.
        answer: what it gave as the answer: a server's text, a command's stdout.
        stderr: a command's other output.
        failed: over MCP ``isError`` or a JSON-RPC error; of a command an exit code of neither 0 nor 1.
        exit_code: of a command.
        rpc_error: the JSON-RPC error, if the answer is one.
        seconds: how long it took.
        line: the bytes written: the response line, or stdout.
        server: name of the server that was asked, empty for the unnamed one.
        first_request: number of requests in the stand-in's log before the call.
        crashed: what became of the connection, if it did not hold.
    """

    tool: str
    args: Mapping[str, Any]
    root: Path
    door: str
    answer: str = ""
    stderr: str = ""
    failed: bool = False
    exit_code: int | None = None
    rpc_error: Mapping[str, Any] | None = None
    seconds: float = 0.0
    line: bytes = b""
    server: str = ""
    first_request: int = 0
    crashed: str = ""
    data: Any = None  # the structured answer, once it was looked for
    json_exit_code: int | None = None  # of the command that gave it

    @property
    def text(self) -> str:
        """Give all that the call printed."""
        return self.answer + ("\n" if self.answer and self.stderr else "") + self.stderr

    @property
    def is_json(self) -> bool:
        """Tell whether the call itself was made with ``--json``."""
        return bool(self.args.get("json"))

    @cached_property
    def parts(self) -> Parts:
        """Give the answer taken apart."""
        return split(self.answer)

    @property
    def exit_codes(self) -> list[int | None]:
        """Give the exit code, as a list of one."""
        return [self.exit_code]

    @property
    def error(self) -> tuple[str, str] | None:
        """Give category and message of the error that the text tells, if it has the right form."""
        lines = self.answer.split("\n")[:1] if self.door == "mcp" else self.stderr.split("\n")
        found = next((match for line in lines if (match := _ERROR.fullmatch(line))), None)
        return (found[1], found[2]) if found else None


@dataclass
class Answers:
    """Hold what one server gave for a message script."""

    replies: dict[str, list[Reply]] = field(default_factory=dict)  # by the id of the request
    stdout: bytes = b""
    stderr: str = ""
    exit_code: int | None = None
    pinged: bool | None = None  # whether it answered a ping after the last message
    seconds: float = 0.0
    seconds_to_exit: float | None = None  # from the last message on; None: it had to be ended
    crashed: str = ""


@dataclass
class ScriptReply:
    """Hold what the servers of a message script gave."""

    root: Path
    servers: list[Answers]
    expected: set[str] = field(default_factory=set)  # ids of the requests that were sent
    seconds: float = 0.0
    first_request: int = 0

    tool = "mcp"
    door = "script"

    @property
    def text(self) -> str:
        """Give all answers and what was said beside them."""
        parts = []
        for server in self.servers:
            parts += [reply.answer for replies in server.replies.values() for reply in replies]
            parts += [line for line in server.stdout.decode("utf-8", "replace").split("\n") if not _is_json(line)]
            parts.append(server.stderr)
        return "\n".join(part for part in parts if part)

    @property
    def failed(self) -> bool:
        """Tell whether a server did not end well."""
        return any(server.exit_code != 0 for server in self.servers)

    @property
    def crashed(self) -> str:
        """Give what became of a connection that did not hold."""
        return next((server.crashed for server in self.servers if server.crashed), "")

    @property
    def exit_codes(self) -> list[int | None]:
        """Give the servers' exit codes."""
        return [server.exit_code for server in self.servers]

    @property
    def error(self) -> tuple[str, str] | None:
        """Give the first error that an answer tells, else the one that a server ended with."""
        replies = [reply for server in self.servers for answers in server.replies.values() for reply in answers]
        told = [reply.error for reply in replies if reply.failed and reply.error]
        told += [(m[1], m[2]) for server in self.servers for m in _ERROR.finditer(server.stderr)]
        return told[0] if told else None

    @property
    def line(self) -> bytes:
        """Give what was written to stdout."""
        return b"".join(server.stdout for server in self.servers)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
