"""Check a case against the closed vocabulary: ``problems`` gives every unknown key, token and form.

The vocabulary itself is described in ``tests/cases/README.md``. Nothing is run here.
"""

from __future__ import annotations

from typing import Any

from cases.forms import (
    Form,
    Problems,
    anything,
    below,
    boolean,
    either,
    flag,
    keys,
    list_of,
    map_of,
    no,
    number,
    one_of,
    span,
    text,
    whole,
)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KINDS = _words("encoding extreme syntax comments filesystem mcp truncation search store security precommit")
CATEGORIES = _words(
    "not_found outside_root not_regular_file binary unreadable invalid_argument invalid_range bad_ref unsupported "
    "timeout store_locked store_corrupt dimension_mismatch backend_down"
)
NEEDS = ("not_root", "case_sensitive_fs", "mount")
TOOLS = _words("summarize read_lines read_file grep list_directory git_diff find_symbol semantic_search status")
COMMANDS = [*(name.replace("_", "-") for name in TOOLS), "index", "watch", "config"]
SYMBOL_KINDS = _words(
    "class constructor enum function interface macro method module object procedure record struct table trait "
    "trigger view"
)
BACKEND_MODES = _words("ok slow reject_blank ctx nan_on die_after flaky short_batch refuse")


def problems(case: Any, file_name: str) -> list[str]:
    """Give what is wrong with a case as it was read from the file ``file_name`` (without suffix)."""
    found = [f"{place.removeprefix('.')}: {what}" for place, what in _CASE(case)]
    if not found and case["id"] != file_name:
        found.append(f"id: {case['id']!r} is not the file's name")
    return found


def _late(name: str) -> Form:
    """Refer to a form that is defined further down: expectations and steps hold each other."""
    return lambda value: globals()[name](value)


_PYTHON = keys(("py",), py=text)
_TEXTS = list_of(text)
_COUNT = either(whole, span)

# ---- invariants

BARE_TOKENS = _words(
    "fences_balanced whole_lines_only next_continues pages_rebuild_file text_is_prefix hunks_whole whole_records "
    "valid_utf8 no_fffd_added visible_text_unchanged fence_outlasts_content stdout_jsonrpc_only no_duplicate_rows "
    "store_vectors_sound store_kept one_winner named_commands_exist git_state_unchanged git_env_kept"
)
TOKENS: dict[str, Form] = {
    "pages_find_all": whole,
    "last_line_mod": keys(("divisor", "in"), **{"divisor": whole, "in": list_of(whole, 1)}),
    "long_line_address": keys(("path", "line"), path=text, line=whole),
    "finds_all": keys(("format", "count"), format=text, count=whole),
    "paths_untouched": _TEXTS,
    "schema_bounds": list_of(
        keys(
            ("tool", "arg", "keys"),
            tool=one_of(*TOOLS),
            arg=text,
            keys=list_of(one_of("minimum", "maximum", "minLength", "maxLength"), 1),
        )
    ),
    "notices_lack": _TEXTS,
    "tool_list_mentions": _TEXTS,
    "invisible_told": keys(("line",), line=whole),
    "masked_lines_told": list_of(whole, 1),
    "store_growth_max": number,
    "store_files_max": keys(("glob", "max"), glob=text, max=whole),
}


def _token(value: Any) -> Problems:
    if isinstance(value, str):
        if value not in BARE_TOKENS:
            yield "", f"unknown token {value!r}"
    elif not isinstance(value, dict) or len(value) != 1:
        yield "", "a token is a word or a map with one key"
    else:
        yield from keys(**TOKENS)(value)


# ---- expectations

_SYMBOL = keys(
    ("name", "lines"),
    **dict.fromkeys(("name", "name_alt", "start_text", "end_text", "parent_alt", "receiver"), text),
    **dict.fromkeys(("description_contains", "description_alt"), text),
    **dict.fromkeys(("kind", "kind_alt"), one_of(*SYMBOL_KINDS)),
    **dict.fromkeys(("lines", "lines_without_decorators", "cell_lines", "or_problem"), span),
    **dict.fromkeys(("name_line", "cell"), whole),
    **dict.fromkeys(("params", "calls"), _TEXTS),
    **dict.fromkeys(("exported", "is_async"), boolean),
    **dict.fromkeys(("parent", "description_exact"), either(text, one_of(None))),
    lines_alt=list_of(span, 1),
    optional=flag,
    description_lacks=list_of(text, 1),
)
_MATCH = keys(("path", "line"), path=text, line=whole, text=text, text_contains=text)
_HIT = keys(("path", "name"), path=text, name=text, name_alt=text, parent=either(text, one_of(None)), lines=span)
_HITS = keys(
    count=_COUNT,
    paths_exist=flag,
    **dict.fromkeys(("once", "lack_paths", "lack_names", "only_paths", "have_paths"), _TEXTS),
)
_SKIPS = map_of(one_of(*CATEGORIES))
_INDEX = keys(
    **dict.fromkeys(("indexed", "must_index", "not_indexed", "embedded", "reindexed", "removed"), _TEXTS),
    skipped=_SKIPS,
    skipped_optional=_SKIPS,
    skipped_or_chunks_max=map_of(whole),
    failed=either(_TEXTS, one_of("some")),
    counts_told=flag,
)
_CATEGORY = one_of(*CATEGORIES)
CALL_KEYS: dict[str, Form] = {
    **dict.fromkeys(("ok", "complete", "abstain"), flag),
    **dict.fromkeys(("truncated", "parse_errors"), boolean),
    **dict.fromkeys(("text_exact", "text_starts_with", "path"), text),
    **dict.fromkeys(("text_contains", "text_lacks", "files_named", "files_absent", "absent_symbols"), _TEXTS),
    **dict.fromkeys(("exports", "exports_contain", "exports_lack", "imports"), _TEXTS),
    **dict.fromkeys(("min_tokens", "max_bytes", "min_lines", "status_files"), whole),
    **dict.fromkeys(("total_lines", "total_matches", "total_symbols"), whole),
    "error": either(one_of("any", *CATEGORIES), list_of(_CATEGORY, 1)),
    "exit_code": either(whole, list_of(whole, 1)),
    "mentions": list_of(either(text, list_of(text, 2)), 1),
    "max_tokens": either(whole, one_of("schema_minimum")),
    "max_seconds": number,
    "lines": span,
    "symbols": list_of(_SYMBOL),
    "optional_symbols": list_of(either(text, keys(("name", "lines"), name=text, lines=span))),
    "matches": list_of(_MATCH),
    "hits": _HITS,
    "top1": _HIT,
    "index": _INDEX,
    "entries": keys(("has",), has=_TEXTS, optional=_TEXTS, outside_links=_TEXTS),
    "backend_requests": keys(
        max_chars_per_text=whole, max_texts=whole, no_blank=flag, no_text_twice=flag, lacks=_TEXTS
    ),
    "fence": keys(("opens", "closes", "marker"), opens=whole, closes=whole, marker=text),
    "invariants": list_of(_token, 1),
}
SCRIPT_KEYS: dict[str, Form] = {
    "responses": map_of(_late("_ANSWER")),
    "one_server": map_of(_late("_ANSWER")),
    "alive_after": flag,
    "exits_within_seconds": number,
}
ANSWER_KEYS: dict[str, Form] = {"answers": _COUNT, "jsonrpc_error": anything}
_THEN = list_of(_late("_step"), 1)
_ANSWER = keys(**CALL_KEYS, **ANSWER_KEYS, any_of=list_of(_late("_ANSWER"), 2), then=_THEN)
_EXPECT = keys(**CALL_KEYS, **SCRIPT_KEYS, any_of=list_of(_late("_EXPECT"), 2), then=_THEN)

# ---- calls and steps

_ARGUMENTS: dict[str, Form] = {
    **dict.fromkeys(("path", "pattern", "query", "ref", "name"), text),
    **dict.fromkeys(("start", "end", "k", "max_tokens", "max_results"), whole),
}
TOOL_ARGUMENTS = {
    "index": ("path",),
    "summarize": ("path", "max_tokens"),
    "read_lines": ("path", "start", "end", "max_tokens"),
    "read_file": ("path", "max_tokens"),
    "grep": ("pattern", "path", "max_tokens", "max_results"),
    "list_directory": ("path", "max_tokens"),
    "git_diff": ("ref", "path", "max_tokens"),
    "find_symbol": ("name", "max_tokens"),
    "semantic_search": ("query", "k", "path", "max_tokens"),
    "status": (),
}
_MESSAGE_DOINGS = keys(sleep=number, raw=text, raw_hex=text, close=one_of("stdin", "stdout"))


def _message(value: Any) -> Problems:
    if not isinstance(value, dict):
        yield "", "must be a map"
    elif "jsonrpc" not in value:
        yield from _MESSAGE_DOINGS(value) if len(value) == 1 else no("is one of sleep, raw, raw_hex, close")
    else:
        yield from keys(("method",), jsonrpc=one_of("2.0"), id=either(whole, text), method=text, params=anything)(value)
        if value.get("method") == "tools/call":
            yield from below("params", _tool_params, value.get("params"))


def _tool_params(value: Any) -> Problems:
    yield from keys(("name", "arguments"), name=one_of(*TOOLS, "no_such_tool"), arguments=anything)(value)
    given = value.get("arguments") if isinstance(value, dict) else None
    for name, item in given.items() if isinstance(given, dict) else ():
        if isinstance(item, dict):
            yield from below(f"arguments.{name}", _PYTHON, item)


def _call(value: dict[str, Any]) -> Problems:
    tool, args = value.get("tool"), value.get("args")
    if tool == "cli":
        yield from below("args", keys(("argv",), argv=list_of(text, 1)), args)
        if isinstance(args, dict) and args.get("argv"):
            yield from below("args.argv[0]", one_of(*COMMANDS), args["argv"][0])
    elif tool == "hook":
        yield from below("args", keys(("argv",), argv=_TEXTS), args)
    elif tool == "mcp":
        yield from below("args", keys(("messages",), messages=list_of(_message, 1), root=text, servers=whole), args)
    elif tool in TOOL_ARGUMENTS:
        forms = {name: either(_ARGUMENTS[name], _PYTHON) for name in TOOL_ARGUMENTS[tool]}
        yield from below("args", keys(**forms, json=flag), args)
    else:
        yield ".tool", f"unknown tool {tool!r}"


_SPEC = keys(
    ("mode", "dim"),
    mode=one_of(*BACKEND_MODES),
    dim=whole,
    models=map_of(whole),
    seconds_per_request=number,
    max_chars=whole,
    marker=text,
    requests=whole,
    on_first_request=text,
    log_inputs=flag,
)
_BACKEND = keys(("fake_ollama",), fake_ollama=_SPEC)
SINGLE_STEPS: dict[str, Form] = {
    "sh": text,
    "config": keys(embedding_model=text, include=list_of(text, 1)),
    "backend": either(one_of("up", "down"), _BACKEND),
    "settle_seconds": number,
    "store_schema_version": whole,
    "store_free_kib": either(whole, one_of(None)),
    "restart_servers": flag,
}
_CALL_STEP = keys(
    ("tool", "args"),
    tool=text,
    args=anything,
    expect=_EXPECT,
    root=text,
    server=text,
    background=flag,
    kill=keys(("after_requests", "signals"), after_requests=one_of("each"), signals=list_of(whole, 1)),
)


def _step(value: Any) -> Problems:
    if not isinstance(value, dict):
        yield "", "must be a map"
    elif "tool" in value:
        yield from _CALL_STEP(value)
        yield from _call(value)
    elif "start_server" in value:
        yield from keys(start_server=text, root=text)(value)
    else:
        yield from keys(**SINGLE_STEPS)(value) if len(value) == 1 else no("a step is one thing")


def _action(value: Any) -> Problems:
    yield from keys(("tool", "args"), tool=text, args=anything, server=text)(value)
    if isinstance(value, dict):
        yield from _call(value)


def _files(value: Any) -> Problems:
    if not isinstance(value, dict) or not value:
        yield "", "must be a map"
        return
    for path, item in value.items():
        yield from below(str(path), keys(("py_files",), py_files=text) if path == "*" else _FILE, item)


_FILE = either(text, _PYTHON)
_CASE = keys(
    ("id", "kind", "source", "story", "files", "action", "expect"),
    **dict.fromkeys(("id", "source", "story", "notes", "root"), text),
    kind=one_of(*KINDS),
    needs=list_of(one_of(*NEEDS), 1),
    files=_files,
    env=map_of(text),
    backend=_BACKEND,
    setup=list_of(text, 1),
    before=list_of(_step, 1),
    action=_action,
    expect=_EXPECT,
)
