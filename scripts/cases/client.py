"""Call tools through a real server process, with the official MCP client: ``Server``.

The client is asynchronous; each server has its own thread with an event loop, and callers wait for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

T = TypeVar("T")
START_SECONDS = 60
CALL_SECONDS = 120


class ServerGoneError(Exception):
    """Report that a server cannot be started, or that its connection broke."""


class Server:
    """Hold a server process and the session with it."""

    def __init__(self, words: Sequence[str], cwd: Path, env: Mapping[str, str], log: Path) -> None:
        self.instructions = ""
        self._session: Any = None
        self._loop = asyncio.new_event_loop()
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._log = log
        self._thread = threading.Thread(target=self._run, args=(list(words), cwd, dict(env)), daemon=True)
        self._thread.start()
        if not self._ready.wait(START_SECONDS) or self._failure is not None:
            self.close()
            raise ServerGoneError(f"the server did not start: {self._last_words()}")

    @property
    def stderr(self) -> str:
        """Give what the server has said beside its answers."""
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool, float]:
        """Call a tool: its text, whether it is an error, and the seconds it took."""
        began = time.monotonic()
        given = self._wait(self._session.call_tool(tool, dict(arguments)))
        seconds = time.monotonic() - began
        return "\n".join(part.text for part in given.content if part.type == "text"), bool(given.is_error), seconds

    def tools(self) -> dict[str, dict[str, Any]]:
        """Give the listed tools by name: their description and input schema."""
        listed = self._wait(self._session.list_tools())
        return {
            tool.name: {"description": tool.description or "", "schema": tool.input_schema} for tool in listed.tools
        }

    def close(self) -> None:
        """Close the server's stdin, and wait for its end."""
        if self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)

    def _last_words(self) -> str:
        return self.stderr.strip().rpartition("\n")[2][-300:] or str(self._failure or "no answer")

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        if not self._thread.is_alive():
            coroutine.close()
            raise ServerGoneError(f"the server has ended: {self._last_words()}")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(CALL_SECONDS)
        except TimeoutError:
            future.cancel()
            raise ServerGoneError(f"no answer within {CALL_SECONDS} s") from None

    def _run(self, words: list[str], cwd: Path, env: dict[str, str]) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            with self._log.open("a", encoding="utf-8") as log:
                self._loop.run_until_complete(self._serve(words, cwd, env, log))
        except BaseException as error:
            self._failure = error
        finally:
            self._ready.set()
            self._loop.close()

    async def _serve(self, words: list[str], cwd: Path, env: dict[str, str], log: TextIO) -> None:
        from mcp import ClientSession, StdioServerParameters, stdio_client

        self._stop = asyncio.Event()
        parameters = StdioServerParameters(command=words[0], args=words[1:], env=env, cwd=cwd)
        async with stdio_client(parameters, errlog=log) as (read, write), ClientSession(read, write) as session:
            begun = await session.initialize()
            self.instructions = begun.instructions or ""
            self._session = session
            self._ready.set()
            await self._stop.wait()
