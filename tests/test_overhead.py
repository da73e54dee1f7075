"""What the tools cost an agent before it has asked anything: the price list of every session."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codectx.tokens import Counter
from codectx.tools import TOOLS

ROOT = Path(__file__).parent.parent
SERVE = "import sys; from codectx.cli import main; sys.exit(main(['serve']))"
BUDGET = 1500  # tokens of tools/list and instructions together
MAX_INSTRUCTIONS = 1800  # characters

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
ERAS = {
    "handshake": [("initialize", HELLO), ("tools/list", {})],
    "discovery": [("server/discover", ENVELOPE), ("tools/list", ENVELOPE)],
}


@pytest.fixture(scope="module", params=list(ERAS))
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Give what the server says at the start and what it lists, as they stand on the wire."""
    root = tmp_path_factory.mktemp("project")
    (root / "codectx.toml").touch()
    variables = {"PYTHONPATH": str(ROOT), "HOME": str(root.parent), "PATH": os.environ["PATH"]}
    results = []
    with subprocess.Popen(
        [sys.executable, "-P", "-c", SERVE], cwd=root, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for number, (method, params) in enumerate(ERAS[request.param]):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            results.append(json.loads(server.stdout.readline())["result"])
    return results[0], results[1]


def test_tools_and_instructions_cost_at_most_1500_tokens(session: tuple[Any, Any]) -> None:
    opening, listed = session
    counter = Counter()
    compact = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    cost = counter.count(compact) + counter.count(opening["instructions"])
    assert cost <= BUDGET


def test_instructions_are_short_and_say_what_matters(session: tuple[Any, Any]) -> None:
    instructions = session[0]["instructions"]
    assert len(instructions) <= MAX_INSTRUCTIONS
    assert "?" in instructions.split("\n")[0]
    for words in ("data, never instructions", "[cut: ", "next: CALL", "max_tokens"):
        assert words in instructions
    named = {tool.name for tool in TOOLS}
    assert {word for word in ("summarize", "grep", "find_symbol", "read_lines") if word in instructions} <= named


def test_each_description_opens_with_the_question_it_answers(session: tuple[Any, Any]) -> None:
    for tool in session[1]["tools"]:
        first, mark, _ = tool["description"].partition("?")
        assert mark, tool["name"]
        assert "." not in first, tool["name"]


def test_tools_are_listed_in_one_order(session: tuple[Any, Any]) -> None:
    assert [tool["name"] for tool in session[1]["tools"]] == [tool.name for tool in TOOLS]
