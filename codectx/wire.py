"""Take stdin and stdout for the protocol, before anything else can read or write there.

``claim`` moves both streams to private descriptors; from then on stdin is empty and whatever anybody prints goes
to stderr. ``Incoming`` and ``Outgoing`` give them line by line to an event loop. Reads and writes wait in threads
that are left behind when the server ends: neither an open stdin nor a full stdout can keep it alive.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from codectx.errors import UserError


@dataclass(frozen=True, slots=True)
class Wire:
    """Hold the descriptors of the protocol's two streams."""

    incoming: int
    outgoing: int


def claim() -> Wire:
    """Take both streams; child processes inherit neither.

    Raises:
        UserError: unsupported when one of them is closed.
    """
    if sys.stdin is None or sys.stdout is None:
        raise UserError(
            "unsupported", "serve needs stdin and stdout, and one of them is closed", "connect both to an MCP client"
        )
    wire = Wire(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        os.dup2(null, 1)
    os.close(null)
    sys.stdout = sys.stderr
    for descriptor in (wire.incoming, wire.outgoing):
        with suppress(OSError, AttributeError):  # a client hands its end over as it likes; Windows has no such mode
            os.set_blocking(descriptor, True)
    return wire


class Incoming:
    """Iterate over the messages of stdin; ``at_end`` is called when it ends.

    Lines that are no message are answered on ``outgoing`` and left out: the SDK would leave their senders waiting.
    """

    def __init__(self, descriptor: int, at_end: Callable[[], None], outgoing: Outgoing) -> None:
        self._file = os.fdopen(descriptor, "rb", closefd=False)
        self._at_end = at_end
        self._outgoing = outgoing

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> str:
        from anyio import to_thread

        while line := await to_thread.run_sync(self._file.readline, abandon_on_cancel=True):
            text = line.decode("utf-8", "replace")
            if _is_message(text):
                return text
            if (error := _refusal(text)) is not None:
                await self._outgoing.write(json.dumps(error) + "\n")
                await self._outgoing.flush()
        self._at_end()
        raise StopAsyncIteration


def _is_message(text: str) -> bool:
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return False
    return True


def _refusal(text: str) -> dict[str, Any] | None:
    """Give the JSON-RPC error for a line that is no message; None for one that takes no answer."""
    if not text.strip():
        return None
    code, message, number = -32700, "this line is no JSON, or nested too deeply", None
    try:
        # A number of thousands of digits is an error of Python's; which one it is does not matter here.
        sent = json.loads(text, parse_int=lambda digits: int(digits[:20]))
    except (ValueError, RecursionError):
        sent = None
    else:
        code, message = -32600, "this is no JSON-RPC message, or holds lone surrogates, huge numbers or deep nesting"
    if isinstance(sent, dict):
        number = sent.get("id")
        if "method" not in sent and ("result" in sent or "error" in sent):
            return None
        if "id" not in sent and str(sent.get("method", "")).startswith("notifications/"):
            return None
    fits = isinstance(number, int) and not isinstance(number, bool)
    if not fits and not (isinstance(number, str) and number.isprintable()):  # a lone surrogate is not printable
        number = None
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


class Outgoing:
    """Write to stdout; a message is sent whole at each ``flush``.

    Raises:
        BrokenPipeError: from ``flush``, when nobody reads any more.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""
        self._lock = threading.Lock()  # a long message is sent in parts

    async def write(self, text: str) -> None:
        """Keep a text for the next ``flush``."""
        self._pending += text.encode("utf-8", "replace")

    async def flush(self) -> None:
        """Send everything kept."""
        from anyio import to_thread

        data, self._pending = self._pending, b""
        await to_thread.run_sync(self._send, data, abandon_on_cancel=True)

    def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        with self._lock:
            while rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except BlockingIOError:
                    select.select([], [self._descriptor], [])
