"""Judge what must hold beside an answer's text: the store, git, the server's face, other processes.

``INVARIANTS`` maps the tokens to functions that give the reasons why one does not hold.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cases import observe, product
from cases.checks_text import AnyReply, Reasons, shown
from cases.command import LONGEST_SECONDS, run
from cases.invariants_text import Invariant
from cases.reply import Reply, ScriptReply
from cases.stage import Stage


def whole_records(_value: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that each record of the structured answer has all its fields."""
    data = stage.structured(reply)
    keys = [key for key in product.RECORDS if key in data]
    if not keys:
        yield f"no records in the structured answer: {sorted(data)}"
    for key in keys:
        for record in data[key]:
            missing = [name for name in product.fields_of(key, record) if record.get(name) is None]
            if missing:
                yield f"one of the {key} has no {', '.join(missing)}: {shown(str(record))}"
                break


def stdout_jsonrpc_only(_value: Any, reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that every line on a server's stdout is a JSON-RPC message."""
    if isinstance(reply, ScriptReply):
        streams = [server.stdout for server in reply.servers]
    else:
        streams = [stage.raw_line(reply) + b"\n"]
    for line in (line for stream in streams for line in _lines(stream)):
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        kinds = ("method", "result", "error")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not any(k in message for k in kinds):
            yield f"on stdout: {shown(line.decode('utf-8', 'replace'))}"


def tool_list_mentions(value: Sequence[str], reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the instructions or this tool's description have each word."""
    listed = stage.listed(reply)
    text = (listed["instructions"] + "\n" + listed["tools"].get(reply.tool, {}).get("description", "")).casefold()
    yield from (f"neither instructions nor description say {word!r}" for word in value if word.casefold() not in text)


def schema_bounds(value: Sequence[Mapping[str, Any]], reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the input schema of an argument has these keys."""
    tools = stage.listed(reply)["tools"]
    for wanted in value:
        schema = tools.get(wanted["tool"], {}).get("schema", {}).get("properties", {}).get(wanted["arg"], {})
        for key in wanted["keys"]:
            if not _bounded(schema, key):
                yield f"{wanted['tool']}: the schema of {wanted['arg']} has no {key}"


def paths_untouched(value: Sequence[str], _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the product's own processes looked at nothing below these folders."""
    accesses, watched = observe.touched(stage.place)
    if not watched:
        yield "no process could be watched: PYTHONPATH is not heeded"
    if accesses:
        yield f"{len(accesses)} accesses below {', '.join(value)}, the first {accesses[0]}"


def finds_all(value: Mapping[str, Any], _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that each symbol of a series is the first hit for its own name."""
    missed = []
    for number in range(value["count"]):
        name = value["format"] % number
        step = {"tool": "semantic_search", "args": {"query": name, "k": 1}}
        found = stage.call(step)
        if found.failed:
            yield f"the search for {name} fails: {shown(found.text)}"
            return
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", product.first_hit(found.text)):
            missed.append(name)
    if missed:
        yield f"{len(missed)} of {value['count']} are not the first hit: {', '.join(missed[:5])}"


def no_duplicate_rows(_value: Any, _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that no two rows of the store have the same path, name and range."""
    found = [row for row in product.store_rows(stage.place.store) if "path" in row]
    rows = Counter((row["path"], row.get("name"), row["lines"]) for row in found)
    double = [key for key, count in rows.items() if count > 1]
    if double:
        yield f"{len(double)} rows come twice, as {double[0]}"
    if not rows:
        yield "the store has no rows"


def store_vectors_sound(_value: Any, _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that all vectors come from one model, have one length, and hold numbers only."""
    rows = [row for row in product.store_rows(stage.place.store) if row.get("vector") is not None]
    models = {row.get("model") for row in rows}
    lengths = {len(row["vector"]) for row in rows}
    if len(models) > 1 or len(lengths) > 1:
        yield f"vectors of models {sorted(map(str, models))}, of lengths {sorted(lengths)}"
    if not all(math.isfinite(number) for row in rows for number in row["vector"]):
        yield "a vector holds NaN or infinity"


def store_kept(_value: Any, _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the store's files from before are still there, unchanged."""
    before = stage.kept.store or {}
    now = observe.digests(stage.place.store)
    if not before:
        yield "broken case: there was no store before"
    changed = [path for path, digest in before.items() if now.get(path) != digest]
    if changed:
        yield f"{len(changed)} files of the store are gone or changed, as {changed[0]}"


def store_growth_max(value: float, _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the store has at most so many times its first size."""
    first, now = stage.first_index_size, observe.size_of(stage.place.store)
    if not first:
        yield "broken case: no `index` has run, or it left no store"
    elif now > value * first:
        yield f"the store has {now} bytes, {now / first:.1f} times the first {first}"


def store_files_max(value: Mapping[str, Any], _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that at most so many files of the store match a pattern."""
    count = sum(path.is_file() for path in stage.place.store.rglob(value["glob"]))
    if count > value["max"]:
        yield f"{count} files match {value['glob']}, more than {value['max']}"


def one_winner(_value: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that of the calls at the same time one ends well, and the others do or say that they were locked out."""
    ends = [(reply.exit_code, reply.answer + reply.stderr)]
    for running in stage.background:
        done = running.wait(LONGEST_SECONDS)
        ends.append((done.exit_code, done.stdout.decode("utf-8", "replace") + done.stderr))
    codes = [code for code, _ in ends]
    if 0 not in codes or not set(codes) <= {0, product.EXIT_LOCKED}:
        yield f"the exit codes are {codes}"
    for code, text in ends:
        lines = [line for line in text.split("\n") if line]
        if code == product.EXIT_LOCKED and not (len(lines) == 1 and lines[0].startswith("error[store_locked]: ")):
            yield f"the one that was locked out printed {shown(text)}"


def named_commands_exist(_value: Any, reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that each ``codectx WORD`` in the text is a command."""
    for word in dict.fromkeys(re.findall(r"\bcodectx ([a-z][a-z-]*)", reply.text)):
        done = run([stage.command, word, "--help"], stage.place.root, stage.place.env)
        if done.exit_code != 0:
            yield f"`codectx {word}` is named, and `codectx {word} --help` ends with {done.exit_code}"


def git_state_unchanged(_value: Any, reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the call changed no file of the working tree, no staged content and no ref."""
    before = stage.kept.git or {}
    now = observe.git_state(reply.root)
    yield from (f"git's {name} changed" for name, state in now.items() if before.get(name) != state)


def git_env_kept(_value: Any, _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that git sees the case's index inside the root, and none of its variables elsewhere."""
    own = {name: stage.place.env[name] for name in stage.case.get("env", {}) if name.startswith("GIT_")}
    home = observe.repository_of(stage.place.root)
    for call in observe.git_calls(stage.place):
        index = call.variables.get("GIT_INDEX_FILE")
        if observe.repository_of(call.folder) == home:
            if index != own.get("GIT_INDEX_FILE"):
                yield f"git {' '.join(call.words)} saw GIT_INDEX_FILE {index}"
        elif leaked := sorted(own.keys() & call.variables.keys()):
            yield f"git {' '.join(call.words)} in {call.folder} saw {', '.join(leaked)}"


def _bounded(schema: Mapping[str, Any], key: str) -> bool:
    return key in schema or any(_bounded(part, key) for part in schema.get("anyOf", ()) if isinstance(part, dict))


def _lines(stream: bytes) -> list[bytes]:
    lines = stream.split(b"\n")
    return lines if lines[-1] else lines[:-1]


INVARIANTS: dict[str, Invariant] = {
    function.__name__: function
    for function in (
        whole_records,
        stdout_jsonrpc_only,
        tool_list_mentions,
        schema_bounds,
        paths_untouched,
        finds_all,
        no_duplicate_rows,
        store_vectors_sound,
        store_kept,
        store_growth_max,
        store_files_max,
        one_winner,
        named_commands_exist,
        git_state_unchanged,
        git_env_kept,
    )
}
