"""Hold everything that leaves the server to its limit, whoever made it.

``Guard`` wraps every request of the MCP server, so that no tool, present or future, and no message of the SDK
itself can pass it: answers and errors of ``tools/call`` are clipped to the call's limit, structured copies and
schema titles are taken out, internals never get out. How to cut well was decided before, in ``codectx.fit``;
here nothing is left to cut in a tool that answered through ``codectx.dispatch``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from anyio import to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import BaseModel, ValidationError

from codectx.dispatch import printable
from codectx.errors import UserError, invalid_argument
from codectx.fit import clip
from codectx.tokens import Counter

ERROR_LIMIT = 300  # tokens of an error that belongs to no tool

logger = logging.getLogger(__name__)


class Guard:
    """Guard one server.

    Args:
        limit_of: gives the limit in tokens for the raw parameters of a ``tools/call``.
        counter: counts tokens.
    """

    def __init__(self, limit_of: Callable[[Mapping[str, Any]], int], counter: Counter) -> None:
        self._limit_of = limit_of
        self._counter = counter

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass a message on and guard what comes back; the signature is the SDK's."""
        limit = self._limit_of(ctx.params or {}) if ctx.method == "tools/call" else ERROR_LIMIT
        try:
            result = await call_next(ctx)
        except MCPError as error:
            raise await self._shortened(error.code, error.message, error.data, limit) from error
        except ValidationError as error:
            raise await self._shortened(INVALID_PARAMS, str(_wrong_form(ctx.method)), None, limit) from error
        except Exception as bug:
            logger.exception("%s failed", ctx.method)
            what = UserError("unsupported", f"{ctx.method} failed unexpectedly ({type(bug).__name__})")
            raise await self._shortened(INTERNAL_ERROR, str(what), None, limit) from bug
        if ctx.method == "tools/call":
            return await self._guarded_call(_as_dict(result), limit)
        if ctx.method == "tools/list":
            return _guarded_list(_as_dict(result))
        return result

    async def _guarded_call(self, result: dict[str, Any], limit: int) -> dict[str, Any]:
        """Leave one text of at most ``limit`` tokens: clients drop the text where a structured copy exists."""
        blocks = result.get("content") or []
        text = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
        kept = {key: value for key, value in result.items() if key != "structuredContent"}
        return {**kept, "content": [{"type": "text", "text": await self._clipped(text, limit)}]}

    async def _shortened(self, code: int, message: str, data: Any, limit: int) -> MCPError:
        if data is not None and not self._counter.fits(json.dumps(data, default=str), ERROR_LIMIT):
            data = None
        return MCPError(code, await self._clipped(message, limit), data)

    async def _clipped(self, text: str, limit: int) -> str:
        # In a thread: the first count of all waits for the tokenizer.
        return await to_thread.run_sync(clip, printable(text), limit, self._counter)


def _guarded_list(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out what no agent needs in a schema, and output schemas, which our answers do not have."""
    tools = [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in result.get("tools", ())]
    for tool in tools:
        tool["inputSchema"] = _untitled(tool["inputSchema"])
    return {**result, "tools": tools}


def _untitled(schema: Any) -> Any:
    if isinstance(schema, dict):
        # A parameter may be called title; then the value is its schema.
        return {key: _untitled(value) for key, value in schema.items() if key != "title" or not isinstance(value, str)}
    return [_untitled(part) for part in schema] if isinstance(schema, list) else schema


def _as_dict(result: HandlerResult) -> dict[str, Any]:
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return result or {}


def _wrong_form(method: str) -> UserError:
    if method == "tools/call":
        return invalid_argument("this call has no name, or its arguments are no object", "give both")
    return invalid_argument(f"{method} has parameters of the wrong form")
