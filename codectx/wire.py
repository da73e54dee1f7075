"""Take stdin and stdout for the protocol, before anything else can read or write there.

``claim`` moves both streams to private descriptors; from then on stdin is empty and whatever anybody prints goes
to stderr. ``Incoming`` and ``Outgoing`` give them line by line to an event loop. Reads and writes wait in threads
that are left behind when the server ends: neither an open stdin nor a full stdout can keep it alive.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

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
    """Iterate over the lines of stdin; ``at_end`` is called when it ends."""

    def __init__(self, descriptor: int, at_end: Callable[[], None]) -> None:
        self._file = os.fdopen(descriptor, "rb", closefd=False)
        self._at_end = at_end

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> str:
        from anyio import to_thread

        line = await to_thread.run_sync(self._file.readline, abandon_on_cancel=True)
        if not line:
            self._at_end()
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class Outgoing:
    """Write to stdout; a message is sent whole at each ``flush``.

    Raises:
        BrokenPipeError: from ``flush``, when nobody reads any more.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""

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
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])
