"""Judge what is said of a message script as a whole and of single answers in it, beside their text.

``SCRIPT_CHECKS`` and ``ANSWER_CHECKS`` map the keys to functions like those of ``checks_text``; ``answers_for`` picks
out what the expectation for an id is held against.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cases.checks_text import Check, Reasons, shown
from cases.reply import Answers, Reply, ScriptReply
from cases.stage import Stage


def alive_after(_value: bool, _expect: Any, reply: ScriptReply, _stage: Stage) -> Reasons:
    """Hold that each server answered a ping after the last message, and ended with 0."""
    for server in reply.servers:
        if not server.pinged:
            yield f"no answer to a ping after the last message: {shown(server.stderr)}"
        if server.exit_code != 0:
            yield f"the server ended with {server.exit_code} after its stdin was closed"


def exits_within_seconds(value: float, _expect: Any, reply: ScriptReply, _stage: Stage) -> Reasons:
    """Hold that each server was gone so soon after the last message."""
    for server in reply.servers:
        if server.seconds_to_exit is None:
            yield "the server did not end"
        elif server.seconds_to_exit > value:
            yield f"the server ended after {server.seconds_to_exit:.1f} s, more than {value}"


def jsonrpc_error(value: Any, _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the answer is a JSON-RPC error with this code, or one of these."""
    wanted = value if isinstance(value, list) else [value]
    if reply.rpc_error is None:
        yield f"no JSON-RPC error, but {shown(reply.answer)}"
    elif reply.rpc_error.get("code") not in wanted:
        yield f"JSON-RPC error {reply.rpc_error.get('code')}, not {value}"


def answers_count(expect: Mapping[str, Any], number: str, server: Answers) -> str:
    """Give what is wrong with the number of answers to a request, empty for nothing."""
    count = len(server.replies.get(number, []))
    wanted = expect.get("answers", 1)
    low, high = wanted if isinstance(wanted, list) else (wanted, wanted)
    if low <= count <= high:
        return ""
    return f"{count} answers with id {number}, not {wanted}: {shown(server.stderr.strip() or server.crashed)}"


def answers(_value: Any, _expect: Any, _reply: Reply, _stage: Stage) -> Reasons:
    """Hold nothing by itself; ``answers_count`` has judged it."""
    yield from ()


SCRIPT_CHECKS: dict[str, Check] = {"alive_after": alive_after, "exits_within_seconds": exits_within_seconds}
ANSWER_CHECKS: dict[str, Check] = {"jsonrpc_error": jsonrpc_error, "answers": answers}
