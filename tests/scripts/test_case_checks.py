"""Each key of an expectation is held against an answer that is right and one that is wrong."""

# ruff: noqa: ARG002  (the stage stands in for another and takes what that takes)

import json
from types import SimpleNamespace

import pytest
from cases.checks_lists import INDEX_CHECKS
from cases.judge import CHECKS, PARTS
from cases.reply import Reply
from cases.schema import ANSWER_KEYS, CALL_KEYS, SCRIPT_KEYS
from cases.verdict import UnavailableError

SOURCE = "def f(a):\n    # c\n    return g(a)\n\n\nclass B:\n    pass\n\n@at('d')\ndef d(): pass\n"
SYMBOL = {
    "name": "f",
    "kind": "function",
    "lines": [1, 3],
    "name_line": 1,
    "params": ["a: int = 1"],
    "parent": None,
    "receiver": None,
    "calls": ["g"],
    "description": "Does it.",
    "described": True,
    "exported": True,
    "is_async": False,
}
CLASS = {**SYMBOL, "name": "B", "kind": "class", "lines": [6, 7], "name_line": 6, "params": [], "calls": []}
SUMMARY = {"language": "python", "symbols": [SYMBOL, CLASS], "problems": [], "truncated": False}
HIT = {"path": "a.py", "name": "f", "parent": None, "lines": [1, 3], "text": "def f(a):"}
MATCH = {"path": "a.py", "line": 1, "text": "def f(a):"}
REPORT = {
    "indexed": ["a.py", ".x"],
    "skipped": [{"path": "b.bin", "reason": "binary"}],
    "failed": ["a.py"],
    "embedded": ["a.py"],
    "reindexed": ["a.py"],
    "removed": [],
    "files_embedded": 1,
    "files_not_embedded": 1,
    "chunks": {"a.py": 2},
}


class Stage:
    """Stand in for a running case: answers to further calls are given, not made."""

    def __init__(self, root, further=None, listed=None, log=()):
        self.place = SimpleNamespace(root=root, store=root / "store")
        self.further = further or {}
        self.tools = listed or {}
        self.fake = SimpleNamespace(log=list(log))

    def structured(self, reply):
        if reply.data is None:
            raise UnavailableError("none was given")
        return reply.data

    def tool_again(self, reply, tool, args, *, as_json=False):
        return self.further[tool]

    def listed(self, reply):
        return self.tools

    def raw_line(self, reply):
        return reply.line


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def reply(answer="", *, tool="read_lines", data=None, root=None, **rest):
    return Reply(tool, rest.pop("args", {"path": "a.py"}), root, rest.pop("door", "mcp"), answer, data=data, **rest)


def summary(data=None, **changes):
    full = {**SUMMARY, **(data or {})}
    text = "a.py (python, 7 lines, 2 symbols)\n1-3 f(a: int = 1) - Does it. > g\n6-7 class B\n"
    return {"answer": text, "tool": "summarize", "data": full, **changes}


def changed(answer="f B #f h d", **fields):
    return summary({"symbols": [{**SYMBOL, **fields}, CLASS]}, answer=answer)


def failed(text, **rest):
    return {"answer": text, "failed": True, **rest}


def found(*matches, **rest):
    text = "".join(f"{m['path']}:{m['line']}: {m['text']}\n" for m in matches)
    return {"answer": f"{len(matches)} matches\n{text}", "tool": "grep", "data": {"matches": list(matches)}, **rest}


def searched(*hits, **rest):
    text = "".join(f"{h['path']}:1-3 {h['name']}\n" for h in hits)
    given = {"answer": text or "nothing here", "tool": "semantic_search", "data": {"hits": list(hits)}}
    return {**given, "json_exit_code": 0 if hits else 1, **rest}


def listed(*names, text=None):
    answer = "\n".join(names) if text is None else text
    return {"answer": answer, "tool": "list_directory", "data": {"entries": [{"name": name} for name in names]}}


def reported(**changes):
    return {"answer": "", "tool": "index", "door": "cli", "data": {**REPORT, **changes}}


CUT = 'a.py:1-2 (7 lines)\ndef f(a):\n    # c\n[cut: 2 of 7 lines shown. next: read_lines("a.py", start=3)]'
CUT_DATA = {"truncated": True, "total_tokens": 9, "returned_tokens": 5, "next": {"tool": "read_lines", "args": {}}}
WHOLE = f"a.py:1-7 (7 lines)\n{SOURCE}"
FENCE = {"opens": 2, "closes": 9, "marker": "```"}
S = {"name": "f", "lines": [1, 3]}

# key, expected value, what else is expected, right answers, wrong answers
TABLE = [
    ("ok", True, {}, [{"answer": "x"}], [failed("error[not_found]: x; y"), {"crashed": "gone"}]),
    (
        "error",
        "not_found",
        {},
        [
            failed("error[not_found]: no x; see y"),
            failed("", stderr="error[not_found]: no x; see y\n", door="cli", exit_code=2),
        ],
        [
            {"answer": "fine"},
            failed("error[binary]: no x; see y"),
            failed("error[not_found]: no x"),
            failed("not found"),
            failed("x\nerror[not_found]: no x; see y"),
            failed("", stderr="error[not_found]: no x; see y\n", door="cli", exit_code=1),
            failed("error[not_found]: no x; y\nTraceback (most recent call last)"),
            failed("{}", rpc_error={"code": -32602}),
            failed("error[not_found]: no x; see y", crashed="gone"),
        ],
    ),
    ("error", ["binary", "not_found"], {}, [failed("error[binary]: x; y")], [failed("error[timeout]: x; y")]),
    ("error", "any", {}, [failed("error[binary]: x; y"), failed("", rpc_error={})], [failed("error[odd]: x; y"), {}]),
    (
        "error",
        "store_locked",
        {},
        [failed("", stderr="error[store_locked]: x; y", door="cli", exit_code=75)],
        [failed("", stderr="error[store_locked]: x; y", door="cli", exit_code=2)],
    ),
    ("exit_code", 2, {}, [{"exit_code": 2}], [{"exit_code": 0}, {}]),
    ("exit_code", [0, 75], {}, [{"exit_code": 75}], [{"exit_code": 1}]),
    ("max_seconds", 2, {}, [{"seconds": 1.9}], [{"seconds": 2.1}]),
    ("files_absent", ["gone.txt"], {}, [{}], []),
    ("files_absent", ["a.py"], {}, [], [{}]),
    (
        "mentions",
        ["Foo", ["x", "y"]],
        {},
        [{"answer": "a fOO y"}, {"answer": "foo", "stderr": "Y"}],
        [{"answer": "foo"}],
    ),
    ("text_contains", ["Foo"], {}, [{"answer": "a Foo"}], [{"answer": "a foo"}]),
    ("text_lacks", ["Foo"], {}, [{"answer": "a foo"}], [{"answer": "a Foo"}, {"stderr": "Foo"}]),
    ("text_exact", "a\nb", {}, [{"answer": "h:1-2 (2 lines)\na\nb\n"}], [{"answer": "h:1-2 (2 lines)\na\nb\n\n"}]),
    (
        "text_exact",
        "a\n",
        {},
        [{"answer": "h:1 (1 line)\na\n[masked: line 1]", "tool": "read_file"}],
        [{"answer": "h:1 (1 line, no final newline)\na\n[masked: line 1]", "tool": "read_file"}],
    ),
    ("text_exact", "", {}, [{"answer": "h (0 lines)\n"}], [{"answer": "h (0 lines)\nx"}]),
    ("text_starts_with", "ab", {}, [{"answer": "h\nabc"}], [{"answer": "h\nbabc"}]),
    ("lines", [2, 3], {}, [{"answer": "a.py:2-3 (7 lines)\n"}], [{"answer": "a.py:2 (3 lines)\n"}, {"answer": "x\n"}]),
    ("lines", [3, 3], {}, [{"answer": "a.py:3 (7 lines)\n"}], [{"answer": "a.py:3-4 (7 lines)\n"}]),
    ("min_lines", 2, {}, [{"answer": "h\na\nb\n"}], [{"answer": "h\na\n"}]),
    ("path", "a b.py", {}, [{"answer": "a b.py:1 (1 line)\n"}], [{"answer": "b.py:1 (1 line)\n"}]),
    ("files_named", ["a.py", "b.py"], {}, [{"answer": "a.py b.py"}], [{"answer": "a.py"}]),
    ("max_tokens", 3, {}, [{"answer": "one two"}], [{"answer": "one two three four five"}]),
    ("max_tokens", "schema_minimum", {}, [{"answer": "one two"}], [{"answer": "one " * 50}]),
    ("min_tokens", 3, {}, [{"answer": "one two three four"}], [{"answer": "one"}]),
    ("max_bytes", 3, {}, [{"line": b"abc"}], [{"line": b"abcd"}, {"line": b"ab", "stderr": "cd"}, {"line": b""}]),
    (
        "truncated",
        True,
        {},
        [{"answer": CUT, "data": CUT_DATA}, {"answer": json.dumps(CUT_DATA), "data": CUT_DATA, "args": {"json": True}}],
        [
            {"answer": WHOLE, "data": CUT_DATA},
            {"answer": CUT + "\n[masked: line 1]", "data": CUT_DATA},
            {"answer": CUT.replace("2 of 7", "7 of 7"), "data": CUT_DATA},
            {"answer": CUT.replace("read_lines(", "grep("), "data": CUT_DATA},
            {"answer": CUT.replace('("a.py"', "(a.py"), "data": CUT_DATA},
            {"answer": CUT, "data": {**CUT_DATA, "truncated": False}},
            {"answer": CUT, "data": {**CUT_DATA, "total_tokens": 5}},
            {"answer": CUT, "data": {**CUT_DATA, "next": None}},
            {"answer": CUT, "data": {**CUT_DATA, "next": {"tool": "grep", "args": {}}}},
        ],
    ),
    (
        "truncated",
        False,
        {},
        [{"answer": WHOLE, "data": {"truncated": False}}],
        [{"answer": CUT, "data": {"truncated": False}}, {"answer": WHOLE, "data": CUT_DATA}],
    ),
    (
        "fence",
        FENCE,
        {},
        [
            {"answer": "m:1-3 (9 lines)\na\n```\nb\n``` [added]\n[cut: x]"},
            {"answer": "m:1-3 (9 lines)\na\n> ```\n> b\n> ``` [added]\n"},
            {"answer": "m:1 (9 lines)\na\n"},
            {"answer": "m:1-9 (9 lines)\na\n```\n"},
        ],
        [
            {"answer": "m:1-3 (9 lines)\na\n```\nb\n"},
            {"answer": "m:1-3 (9 lines)\na\n```\nb\n```\n"},
            {"answer": "m:1-3 (9 lines)\na\n```\nb\n~~~ [added]\n"},
            {"answer": "m:1 (9 lines)\na\n``` [added]\n"},
            {"answer": "m (9 lines)\na\n"},
        ],
    ),
    (
        "total_lines",
        7,
        {},
        [{"answer": "a.py:1 (7 lines)\n"}, summary({"total_lines": 7}, answer="x")],
        [{"answer": "a:1 (8 lines)\n7 lines\n", "data": {}}],
    ),
    (
        "total_matches",
        12,
        {},
        [found(data={"total_matches": 12}), {"answer": "12 matches\n"}],
        [found(data={"total_matches": 2})],
    ),
    ("total_symbols", 2, {}, [summary()], [summary(answer="a.py (12 symbols)\n")]),
    # summaries
    (
        "symbols",
        [S],
        {},
        [summary(), summary(answer="x f B", data={**SUMMARY, "truncated": False})],
        [changed(lines=[1, 2]), changed(name="h"), summary(answer="a.py (2 symbols)\n")],
    ),
    ("symbols", [S], {"complete": True}, [summary({"symbols": [SYMBOL]})], [summary()]),
    (
        "symbols",
        [S],
        {"complete": True, "optional_symbols": ["B"]},
        [summary()],
        [summary({"symbols": [SYMBOL, {**CLASS, "name": "C"}]}, answer="f C")],
    ),
    (
        "symbols",
        [S],
        {"complete": True, "optional_symbols": [{"name": "B", "lines": [6, 9]}]},
        [summary()],
        [summary({"symbols": [SYMBOL, {**CLASS, "lines": [5, 7]}]})],
    ),
    (
        "symbols",
        [S],
        {"complete": True, "optional_symbols": ["imp*"]},
        [summary({"symbols": [SYMBOL, {**CLASS, "name": "impl X"}]}, answer="f impl X")],
        [summary()],
    ),
    (
        "symbols",
        [S],
        {"complete": True},
        [summary({"symbols": [SYMBOL, {**CLASS, "kind": "constant"}]})],
        [summary({"symbols": [SYMBOL, SYMBOL]})],
    ),
    ("symbols", [{**S, "kind": "function"}], {}, [summary()], [changed(kind="method")]),
    ("symbols", [{**S, "kind": "method", "kind_alt": "function"}], {}, [summary()], [changed(kind="class")]),
    ("symbols", [{**S, "name": "g", "name_alt": "f"}], {}, [summary()], [changed(name="h")]),
    (
        "symbols",
        [{**S, "name": "A.f"}],
        {},
        [changed(name="A::f"), changed(name="A#f"), changed(name="A.f")],
        [summary(), changed(name="B.f")],
    ),
    ("symbols", [{**S, "name": "A.#f"}], {}, [changed(name="A.#f")], [changed(name="A.f")]),
    ("symbols", [{**S, "parent": "N::A"}], {}, [changed(name="N.A.f", parent="N.A")], [summary(), changed(parent="A")]),
    ("symbols", [{**S, "parent": None}], {}, [summary()], [changed(parent="A")]),
    ("symbols", [{**S, "parent": "A", "parent_alt": "C"}], {}, [changed(parent="C")], [summary()]),
    ("symbols", [{**S, "name_line": 1}], {}, [summary()], [changed(name_line=2)]),
    (
        "symbols",
        [{"name": "d", "lines": [9, 10], "name_line": 10}],
        {},
        [changed(name="d", lines=[9, 10], name_line=10)],
        [changed(name="d", lines=[9, 10], name_line=line) for line in (1, 9, 11)],
    ),
    (
        "symbols",
        [{**S, "params": ["self", "a"]}],
        {},
        [summary(), changed(params=["self", "a"])],
        [changed(params=["b"]), changed(params=[])],
    ),
    (
        "symbols",
        [{**S, "params": ["*a", "**b"]}],
        {},
        [changed(params=["*a", "/", "**b"])],
        [changed(params=["a", "b"])],
    ),
    ("symbols", [{**S, "params": ["{ a, b }"]}], {}, [changed(params=["{a, b}: T"])], [changed(params=["{a}"])]),
    ("symbols", [{**S, "receiver": "*A"}], {}, [changed(receiver="* A")], [changed(receiver="A")]),
    ("symbols", [{**S, "calls": ["g"]}], {}, [summary(), changed(calls=["h", "g"])], [changed(calls=["x.g"])]),
    ("symbols", [{**S, "exported": True}], {}, [summary()], [changed(exported=False)]),
    ("symbols", [{**S, "is_async": True}], {}, [changed(is_async=True)], [summary()]),
    ("symbols", [{**S, "optional": True}], {}, [changed(name="h"), summary()], [changed(lines=[2, 3])]),
    (
        "symbols",
        [{**S, "or_problem": [2, 3]}],
        {},
        [summary({"symbols": [CLASS], "problems": [{"lines": [3, 9]}]})],
        [summary({"symbols": [CLASS], "problems": [{"lines": [4, 9]}]})],
    ),
    ("symbols", [{**S, "lines_alt": [[1, 2]]}], {}, [changed(lines=[1, 2]), summary()], [changed(lines=[2, 3])]),
    (
        "symbols",
        [{**S, "lines_without_decorators": [2, 3]}],
        {},
        [changed(lines=[2, 3]), summary()],
        [changed(lines=[2, 2])],
    ),
    (
        "symbols",
        [{**S, "lines_without_decorators": [2, 3]}, {"name": "B", "lines": [6, 7], "lines_without_decorators": [7, 7]}],
        {},
        [summary(), summary({"symbols": [{**SYMBOL, "lines": [2, 3]}, {**CLASS, "lines": [7, 7]}]})],
        [changed(lines=[2, 3])],
    ),
    ("symbols", [{**S, "start_text": "def f(a):", "end_text": "return g(a)"}], {}, [summary()], []),
    ("symbols", [{**S, "start_text": "def g():"}], {}, [], [summary()]),
    ("symbols", [{**S, "end_text": "def g():"}], {}, [], [summary()]),
    (
        "symbols",
        [{**S, "lines": [9, 9], "cell": 2, "cell_lines": [1, 3]}],
        {},
        [changed(cell=2, cell_lines=[1, 3])],
        [changed(cell=1, cell_lines=[1, 3])],
    ),
    ("symbols", [{**S, "description_exact": "Does  it."}], {}, [summary()], [changed(description="Does it. Really")]),
    (
        "symbols",
        [{**S, "description_exact": "x", "description_alt": "Does it."}],
        {},
        [summary()],
        [changed(description="y")],
    ),
    (
        "symbols",
        [{**S, "description_exact": None}],
        {},
        [
            changed(description=""),
            changed(description="return g(a)", described=False),
            changed(description="# c / return g(a)", described=False),
            changed(description="return g(...", described=False),
        ],
        [summary(), changed(description="Other", described=False)],
    ),
    ("symbols", [{**S, "description_contains": "Does\nit"}], {}, [summary()], [changed(description="")]),
    ("symbols", [{**S, "description_lacks": ["Copyright"]}], {}, [summary()], [changed(description="Copyright 1")]),
    (
        "absent_symbols",
        ["x", "A.y"],
        {},
        [summary(), changed(name="B.y")],
        [changed(name="A.x"), changed(name="N.A.y")],
    ),
    ("optional_symbols", ["x"], {"symbols": []}, [summary()], []),
    ("optional_symbols", ["x"], {}, [], [summary()]),
    ("complete", True, {"symbols": []}, [summary()], []),
    ("complete", True, {}, [], [summary()]),
    (
        "exports",
        ["*", "a"],
        {},
        [summary({"exports": ["a", "* from './b'"]}), summary({"exports": ["* as c from 'd'", "a from './x'"]})],
        [summary({"exports": ["a"]}), summary({"exports": ["a", "*", "b"]})],
    ),
    ("exports_contain", ["a"], {}, [summary({"exports": ["b", "a"]})], [summary({"exports": ["b"]})]),
    ("exports_lack", ["a"], {}, [summary({"exports": ["b"]})], [summary({"exports": ["b", "a"]})]),
    ("imports", ["os"], {}, [summary({"imports": ["os", "re"]})], [summary({"imports": ["os.path"]})]),
    ("parse_errors", True, {}, [summary({"problems": [{"lines": [1, 1]}]})], [summary()]),
    ("parse_errors", False, {}, [summary()], [summary({"problems": [{"lines": [1, 1]}]})]),
    # lists
    (
        "matches",
        [MATCH],
        {},
        [found(MATCH), found(MATCH, {**MATCH, "line": 9})],
        [found(), found({**MATCH, "line": 2}), found({**MATCH, "text": "x"}), found(MATCH, answer="1 match")],
    ),
    (
        "matches",
        [{"path": "a.py", "line": 1, "text_contains": "f("}],
        {},
        [found(MATCH)],
        [found({**MATCH, "text": "x"})],
    ),
    ("matches", [MATCH], {"complete": True}, [found(MATCH)], [found(MATCH, {**MATCH, "line": 9})]),
    ("matches", [], {"complete": True}, [found()], [found(MATCH)]),
    (
        "top1",
        {"path": "a.py", "name": "f", "lines": [1, 3], "parent": None},
        {},
        [searched(HIT, {**HIT, "name": "g"})],
        [
            searched(),
            searched({**HIT, "name": "g"}),
            searched({**HIT, "path": "b.py"}),
            searched({**HIT, "lines": [1, 2]}),
            searched({**HIT, "parent": "A"}),
            searched(HIT, answer="still building the index"),
        ],
    ),
    (
        "top1",
        {"path": "a.py", "name": "A.f", "parent": "A"},
        {},
        [searched({**HIT, "name": "A.f", "parent": "A"})],
        [searched(HIT)],
    ),
    ("abstain", True, {}, [searched()], [searched(HIT), searched(answer=""), searched(json_exit_code=0)]),
    ("hits", {"count": 1}, {}, [searched(HIT), found(MATCH)], [searched(), searched(HIT, HIT), found()]),
    ("hits", {"count": [0, 1]}, {}, [searched(HIT), searched()], [searched(HIT, HIT)]),
    (
        "hits",
        {"once": ["f"]},
        {},
        [searched(HIT, {**HIT, "name": "g"}), searched({**HIT, "name": "A.f"})],
        [searched(HIT, HIT), searched()],
    ),
    ("hits", {"lack_paths": ["a.py"]}, {}, [searched({**HIT, "path": "b.py"})], [searched(HIT)]),
    (
        "hits",
        {"lack_names": ["f"]},
        {},
        [searched({**HIT, "name": "g"})],
        [searched(HIT), searched({**HIT, "name": "A.f"})],
    ),
    ("hits", {"only_paths": ["a.py"]}, {}, [searched(HIT), searched()], [searched(HIT, {**HIT, "path": "b.py"})]),
    ("hits", {"have_paths": ["a.py"]}, {}, [searched(HIT)], [searched()]),
    ("hits", {"paths_exist": True}, {}, [searched(HIT)], [searched({**HIT, "path": "b.py"})]),
    ("entries", {"has": ["a.py", "d"]}, {}, [listed("a.py", "d/")], [listed("a.py"), listed("a.py", "d/", "e")]),
    ("entries", {"has": ["a.py"], "optional": ["b"]}, {}, [listed("a.py"), listed("a.py", "b")], [listed("b")]),
    (
        "entries",
        {"has": [], "outside_links": ["l"]},
        {},
        [listed(), listed("l", text="l -> link to outside")],
        [listed("l", text="l -> link\noutside"), listed("m")],
    ),
    ("index", {"indexed": ["a.py"]}, {}, [reported()], [reported(indexed=[]), reported(indexed=["a.py", "b.py"])]),
    ("index", {"must_index": ["a.py"]}, {}, [reported()], [reported(indexed=["b.py"])]),
    ("index", {"not_indexed": ["b.py"]}, {}, [reported()], [reported(indexed=["b.py"])]),
    (
        "index",
        {"skipped": {"b.bin": "binary"}},
        {},
        [reported()],
        [
            reported(skipped=[]),
            reported(skipped=[{"path": "b.bin", "reason": "unreadable"}]),
            reported(skipped=[*REPORT["skipped"], {"path": "c", "reason": "binary"}]),
        ],
    ),
    (
        "index",
        {"skipped": {}, "skipped_optional": {"b.bin": "binary"}},
        {},
        [reported(), reported(skipped=[])],
        [reported(skipped=[{"path": "b.bin", "reason": "unreadable"}])],
    ),
    (
        "index",
        {"skipped_or_chunks_max": {"a.py": 2, "b.bin": 1}},
        {},
        [reported()],
        [reported(chunks={"a.py": 3}), reported(indexed=[]), reported(skipped=[])],
    ),
    ("index", {"failed": ["a.py"]}, {}, [reported()], [reported(failed=[]), reported(failed=["a.py", "b.py"])]),
    ("index", {"failed": "some"}, {}, [reported()], [reported(failed=[])]),
    ("index", {"embedded": ["a.py"]}, {}, [reported()], [reported(embedded=[])]),
    ("index", {"reindexed": ["a.py"]}, {}, [reported()], [reported(reindexed=["b.py"])]),
    ("index", {"removed": []}, {}, [reported()], [reported(removed=["b.py"])]),
    ("index", {"counts_told": True}, {}, [reported()], [reported(files_embedded=None), reported(files_embedded=5)]),
    (
        "status_files",
        2,
        {},
        [{"answer": "files: 2", "data": {"files": 2}}],
        [{"answer": "files: 2", "data": {"files": 3}}, {"answer": "files: 12", "data": {"files": 2}}],
    ),
    ("backend_requests", {"max_chars_per_text": 5}, {}, [{}], []),
    ("backend_requests", {"max_chars_per_text": 4}, {}, [{"first_request": 2}], [{}]),
    ("backend_requests", {"max_texts": 3}, {}, [{}], []),
    ("backend_requests", {"max_texts": 2}, {}, [{"first_request": 1}], [{}]),
    ("backend_requests", {"no_blank": True}, {}, [{"first_request": 2}], [{}]),
    ("backend_requests", {"lacks": ["ell"]}, {}, [{"first_request": 1}], [{}]),
    ("backend_requests", {"no_text_twice": True}, {}, [{}], []),
    # message scripts
    (
        "jsonrpc_error",
        -32602,
        {},
        [failed("{}", rpc_error={"code": -32602})],
        [failed("{}", rpc_error={"code": 1}), {}],
    ),
    ("answers", 1, {}, [{}], []),
]

LOG = [
    SimpleNamespace(model="m", texts=["hello"], answered=True),
    SimpleNamespace(model="m", texts=[" "], answered=True),
    SimpleNamespace(model="m", texts=["x"], answered=True),
]
FURTHER = {
    "read_lines": Reply("read_lines", {}, None, "mcp", "fine"),
    "grep": Reply("grep", {}, None, "mcp", failed=True),
}
TOOLS = {"tools": {"read_lines": {"schema": {"properties": {"max_tokens": {"minimum": 20}}}}}}


def reasons(key, value, more, given, root):
    stage = Stage(root, FURTHER, TOOLS, LOG)
    return list(CHECKS[key](value, {key: value, **more}, reply(root=root, **given), stage))


@pytest.mark.parametrize(("key", "value", "more", "right", "wrong"), TABLE, ids=lambda value: str(value)[:40])
def test_a_key_holds_for_what_is_right_and_fails_for_what_is_wrong(key, value, more, right, wrong, root):
    assert right or wrong
    for given in right:
        assert reasons(key, value, more, given, root) == []
    for given in wrong:
        assert reasons(key, value, more, given, root) != [], given


def test_a_text_that_was_answered_is_not_to_be_sent_again(root):
    again = [*LOG, SimpleNamespace(model="m", texts=["x"], answered=True)]
    found = list(CHECKS["backend_requests"]({"no_text_twice": True}, {}, reply(root=root), Stage(root, log=again)))
    assert len(found) == 1
    other_model = [*LOG, SimpleNamespace(model="n", texts=["x"], answered=True)]
    assert not list(CHECKS["backend_requests"]({"no_text_twice": True}, {}, reply(), Stage(root, log=other_model)))


def test_every_key_of_the_form_has_a_check_and_every_check_is_tried_both_ways():
    assert {*CALL_KEYS, *SCRIPT_KEYS, *ANSWER_KEYS} == {*CHECKS, *PARTS} - {"any_of", "then"}
    tried = {
        (key, both) for key, _, _, right, wrong in TABLE for both in ("right" * bool(right), "wrong" * bool(wrong))
    }
    alone = {"alive_after", "exits_within_seconds"}  # of whole scripts: in test_run_cases
    assert {key for key in CHECKS if (key, "right") not in tried} == alone
    assert {key for key in CHECKS if (key, "wrong") not in tried} == alone | {"answers"}
    parts = {part for key, value, *_ in TABLE if key == "index" for part in value}
    assert {*INDEX_CHECKS, "skipped", "skipped_optional"} == parts


@pytest.mark.parametrize("key", sorted({"symbols", "matches", "top1", "index", "exports", "entries", "status_files"}))
def test_a_missing_structured_answer_is_told(key, root):
    with pytest.raises((UnavailableError, KeyError)):
        list(CHECKS[key]({"has": []}, {}, reply(root=root), Stage(root)))
