"""The last guard: whatever handlers and SDK give, what leaves the server keeps to the limit and hides its insides."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from codectx.middleware import ERROR_LIMIT, Guard
from codectx.tokens import Counter

COUNTER = Counter()
LIMIT = 200
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])
LONG = "".join(f"line {n} of a very long answer\n" for n in range(2000))


def text(*parts: str) -> list[types.ContentBlock]:
    return [types.TextContent(type="text", text=part) for part in parts]


async def misbehave(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Do what no tool of ours does, and what some tool will do one day."""
    match params.name:
        case "long":
            return types.CallToolResult(content=text(LONG))
        case "many":
            return types.CallToolResult(content=text(*["a short block\n"] * 1000))
        case "structured":
            return types.CallToolResult(content=text("short"), structured_content={"lines": LONG})
        case "picture":
            picture = types.ImageContent(type="image", data="QUJD" * 5000, mime_type="image/png")
            return types.CallToolResult(content=[*text("before"), picture])
        case "error":
            return types.CallToolResult(content=text("error[timeout]: " + LONG), is_error=True)
        case "raise":
            raise MCPError(-32000, LONG, {"more": LONG})
        case "surrogate":
            return types.CallToolResult(content=text("caf\udce9"))
        case "empty":
            return types.CallToolResult(content=[])
        case _:
            raise KeyError("/home/somebody/secret.txt")


async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
    schema = {
        "title": "LongArguments",
        "type": "object",
        "properties": {
            "title": {"title": "Title", "type": "string"},
            "either": {"anyOf": [{"title": "A", "type": "string"}, {"type": "null"}]},
        },
    }
    return types.ListToolsResult(tools=[types.Tool(name="long", input_schema=schema, output_schema={"type": "object"})])


def limit_of(params: Mapping[str, Any]) -> int:
    return params.get("arguments", {}).get("max_tokens", LIMIT)  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Server[Any]:
    made: Server[Any] = Server("guarded", on_list_tools=list_tools, on_call_tool=misbehave)
    made.middleware = [Guard(limit_of, COUNTER)]
    return made


def call(server: Server[Any], mode: str, name: str, arguments: dict[str, Any] | None = None) -> types.CallToolResult:
    async def run() -> types.CallToolResult:
        async with Client(server, mode=mode) as client:
            return await client.call_tool(name, arguments or {})

    return anyio.run(run)


def refused(server: Server[Any], mode: str, act: Callable[[Client], Awaitable[Any]]) -> MCPError:
    async def run() -> MCPError:
        async with Client(server, mode=mode) as client:
            with pytest.raises(MCPError) as caught:  # inside, where it is not yet one of a group
                await act(client)
        return caught.value

    return anyio.run(run)


def only_text(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@MODES
@pytest.mark.parametrize("name", ["long", "many", "structured", "picture", "error", "surrogate", "empty"])
def test_no_answer_passes_the_limit(server: Server[Any], mode: str, name: str) -> None:
    result = call(server, mode, name)
    assert COUNTER.count(only_text(result)) <= LIMIT
    assert result.structured_content is None
    assert result.is_error is (name == "error")


@MODES
def test_asked_for_limit_is_the_one_that_is_kept(server: Server[Any], mode: str) -> None:
    wide = COUNTER.count(only_text(call(server, mode, "long", {"max_tokens": 1000})))
    narrow = COUNTER.count(only_text(call(server, mode, "long", {"max_tokens": 100})))
    assert narrow <= 100 < 900 < wide <= 1000


@MODES
def test_cut_is_told(server: Server[Any], mode: str) -> None:
    lines = only_text(call(server, mode, "long")).split("\n")
    assert lines[-1] == "[cut: this text is longer than its limit]"
    assert LONG.startswith("\n".join(lines[:-1]) + "\n")


@MODES
def test_short_answer_is_not_touched(server: Server[Any], mode: str) -> None:
    assert only_text(call(server, mode, "structured")) == "short"


@MODES
def test_error_of_the_protocol_is_short(server: Server[Any], mode: str) -> None:
    error = refused(server, mode, lambda client: client.call_tool("raise", {}))
    assert COUNTER.count(error.message) <= LIMIT
    assert error.data is None


@MODES
def test_fault_tells_neither_paths_nor_traceback(
    server: Server[Any], mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    error = refused(server, mode, lambda client: client.call_tool("unknown", {}))
    assert error.message == "error[unsupported]: tools/call failed unexpectedly (KeyError)"
    assert "secret.txt" in caplog.text


@MODES
def test_lone_surrogate_is_replaced(server: Server[Any], mode: str) -> None:
    assert only_text(call(server, mode, "surrogate")) == "caf\ufffd"


@MODES
def test_schema_has_no_titles_and_no_output(server: Server[Any], mode: str) -> None:
    async def run() -> types.ListToolsResult:
        async with Client(server, mode=mode) as client:
            return await client.list_tools()

    (tool,) = anyio.run(run).tools
    assert tool.output_schema is None
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    }


@MODES
def test_unknown_method_stays_an_error_of_the_protocol(server: Server[Any], mode: str) -> None:
    error = refused(server, mode, lambda client: client.list_prompts())
    assert error.code == types.METHOD_NOT_FOUND
    assert COUNTER.count(json.dumps(error.data)) <= ERROR_LIMIT
