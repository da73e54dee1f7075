"""The comparison of summaries with another witness tells what differs, and only that."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from witness import ctags, grammar, python_ast
from witness.compare import Definition, Tally, compare, outcome, plain
from witness.known import KNOWN, Known, whole_name

from indexer.model import Symbol, SymbolKind

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

PYTHON = "import os\n\n@cache\ndef f(a):\n    return g(a)\n\nclass A:\n    def m(self): ...\n"


def symbol(name, line, start=None, end=None):
    return Symbol(name, name, SymbolKind.FUNCTION, start or line, end or line, line)


def tallied(language, text, definitions, symbols, **how):
    tally = Tally(language)
    compare(tally, "a.x", text, definitions, symbols, **{"ranges": False, "rules": (), **how})
    return tally


def tag(**fields):
    return json.dumps({"_type": "tag", "path": "./a.js", "language": "JavaScript", **fields}).encode()


def test_tags_are_read_by_path_with_name_line_and_end():
    lines = [
        tag(name="f", line=3, kind="function", end=7),
        b"",
        b'{"_type": "ptag", "name": "JSON_OUTPUT_VERSION", "path": "0.0"}',
        tag(name="x", line=4, kind="variable"),
        tag(name="AnonymousFunction01", line=5, kind="function", extras="anonymous"),
        tag(name="G", line=6, kind="class", extras="fileScope,reference"),
        tag(name="h", line=9, kind="function", language="RSpec"),
        tag(name="", line=9, kind="function"),
    ]
    found = ctags.read_tags(lines, "JavaScript", frozenset(("function", "class")))
    assert found == {"a.js": [Definition("function", "f", 3, end=7), Definition("class", "G", 6)]}


def test_tags_in_another_encoding_do_not_stop_the_reading():
    line = '{"_type": "tag", "name": "größe", "path": "ä.py", "line": 1, "kind": "function"}'.encode("latin-1")
    found = ctags.read_tags([line], "Python", frozenset(("function",)))
    assert [definition.line for definitions in found.values() for definition in definitions] == [1]


def test_same_name_on_same_line_is_found():
    tally = tallied("python", "a\nb\n", [Definition("function", "f", 2)], [symbol("f", 2)])
    assert (tally.files, tally.definitions, tally.found, tally.differences, tally.extra) == (1, 1, 1, [], [])
    assert tally.good


def test_a_name_that_is_nowhere_is_missing():
    tally = tallied("python", "def f(): pass\n", [Definition("function", "f", 1)], [symbol("g", 1)])
    (difference,) = tally.differences
    assert (difference.sort, difference.path, difference.source) == ("missing", "a.x", "def f(): pass")
    assert tally.extra == ["a.x:1 function g"]
    assert not tally.good


def test_a_name_on_another_line_is_told_with_that_line():
    tally = tallied("python", "\n" * 9, [Definition("function", "f", 4)], [symbol("f", 9), symbol("f", 6, 5, 8)])
    assert [(each.sort, each.ours) for each in tally.differences] == [("line", "name on 6, range 5-8")]


def test_a_symbol_that_belongs_to_another_definition_does_not_stand_in():
    expected = [Definition("method", "f", 2), Definition("method", "f", 5)]
    tally = tallied("python", "\n" * 9, expected, [symbol("f", 2)])
    assert [(each.sort, each.definition.line) for each in tally.differences] == [("missing", 5)]
    assert tally.found == 1


def test_the_same_name_on_the_same_line_counts_once():
    expected = [Definition("function", "f", 2), Definition("class", "f", 2)]
    assert tallied("javascript", "\n\n", expected, []).definitions == 1


@pytest.mark.parametrize(("start", "end"), [(3, 7), (2, 6), (4, 7)])
def test_another_range_is_a_difference_where_ranges_count(start, end):
    expected = [Definition("function", "f", 4, 2, 7)]
    exact = tallied("python", "\n" * 9, expected, [symbol("f", 4, 2, 7)], ranges=True)
    assert (exact.found, exact.differences) == (1, [])
    tally = tallied("python", "\n" * 9, expected, [symbol("f", 4, start, end)], ranges=True)
    assert [(each.sort, each.ours) for each in tally.differences] == [("range", f"range {start}-{end}, not 2-7")]
    assert tally.found == 0


def test_another_end_is_only_noted_where_ranges_do_not_count():
    tally = tallied("go", "\n" * 9, [Definition("func", "f", 4, end=7)], [symbol("f", 4, 3, 8)])
    assert (tally.found, tally.differences) == (1, [])
    assert [each.ours for each in tally.ends] == ["range 3-8, not 4-7"]


@pytest.mark.parametrize(("language", "found"), [("elixir", 2), ("haskell", 2), ("python", 1)])
def test_clauses_of_one_function_are_found_in_its_symbol(language, found):
    expected = [Definition("function", "f", 2), Definition("function", "f", 3)]
    assert tallied(language, "\n" * 9, expected, [symbol("f", 2, 2, 4)]).found == found


def test_a_type_that_c_names_twice_is_found_in_one_symbol():
    expected = [Definition("struct", "s", 2), Definition("typedef", "s", 4), Definition("function", "s", 3)]
    tally = tallied("c", "\n" * 9, expected, [symbol("s", 4, 2, 4)])
    assert tally.found == 2
    assert [each.definition.kind for each in tally.differences] == ["function"]


def test_a_clause_beyond_its_symbol_is_not_found():
    tally = tallied("elixir", "\n" * 9, [Definition("function", "f", 3, 3, 6)], [symbol("f", 2, 2, 4)], ranges=True)
    assert [each.sort for each in tally.differences] == ["range"]


@pytest.mark.parametrize(
    ("language", "theirs", "ours"),
    [
        ("lua", "H.apply", "apply"),
        ("lua", "M:draw", "draw"),
        ("lua", "T['a b'].c['d']", "d"),
        ("lua", "T['f()']['respects `opts.sort`']", "respects `opts.sort`"),
        ("lua", "T[\"with 'quotes'\"]", "with 'quotes'"),
        ("lua", "rows[2]", "2"),
        ("lua", "M.operator", "operator"),
        ("javascript", "a.operatorName", "operatorName"),
        ("cpp", "A::operatorName", "operatorName"),
        ("cpp", "A::operator bool", "operator bool"),
        ("csharp", "operator +", "operator+"),
        ("ruby", "Sinatra::Base", "Base"),
        ("elixir", "Phoenix.Channel", "Channel"),
        ("elixir", "save!", "save!"),
        ("kotlin", "`a b`", "a b"),
        ("cpp", "operator ==", "operator=="),
        ("cpp", "~Node", "Node"),
        ("javascript", "'text/html'", "text/html"),
        ("javascript", "#secret", "secret"),
        ("csharp", "IList.Add", "Add"),
        ("haskell", "(<+>)", "<+>"),
        ("haskell", "f'", "f'"),
        ("python", "a", "a"),
    ],
)
def test_names_are_compared_without_what_one_side_adds(language, theirs, ours):
    assert plain(language, theirs) == plain(language, ours)
    assert plain(language, theirs) != plain(language, ours + "x")


@pytest.mark.parametrize(
    ("name", "source", "whole"),
    [
        ("b']", "T['a b'] = function()", "T['a b']"),
        ('one"]', 'local T["x"]["last one"] = function(a)', 'T["x"]["last one"]'),
        ("T['a']", "T['a'] = function()", "T['a']"),
        ("b']", "T['a b'] = 1", "b']"),
        ("f", "M.f = function()", "f"),
    ],
)
def test_a_name_that_ctags_cut_is_compared_whole(name, source, whole):
    assert whole_name("lua", name, source) == whole
    assert whole_name("ruby", name, source) == name


def test_a_cut_name_that_the_summary_has_not_is_missed_all_the_same():
    text = "T['a b'] = function()\nend\n"
    expected = [Definition("function", "b']", 1)]
    assert tallied("lua", text, expected, [symbol("a b", 1)]).found == 1
    tally = tallied("lua", text, expected, [symbol("b", 1)])
    assert [each.definition.name for each in tally.differences] == ["T['a b']"]


def test_a_record_has_counts_and_samples_beside_those_of_other_witnesses(tmp_path):
    root = tmp_path / "code"
    root.mkdir()
    (root / "a.py").write_text(PYTHON, encoding="utf-8")
    out = tmp_path / "outcome.json"
    out.write_text('{"ctags": {"go": {"files": 1}}}', encoding="utf-8")
    command = [sys.executable, str(SCRIPTS / "compare_ctags.py"), str(root), "--ast", "--record", str(out)]
    subprocess.run(command, capture_output=True, check=True)
    assert json.loads(out.read_text(encoding="utf-8")) == {
        "ast": {"python": {"files": 1, "definitions": 3, "found": 3, "known": [], "left_out": [], "missed": []}},
        "ctags": {"go": {"files": 1}},
    }


def test_an_outcome_samples_the_whole_of_each_sort():
    expected = [Definition("function", f"f{n}", n) for n in range(1, 21)]
    (group,) = outcome(tallied("go", "\n" * 30, expected, []))["missed"]
    assert (group["rule"], group["kind"], group["count"]) == ("missing", "function", 20)
    assert group["samples"] == ["a.x:1 f1", "a.x:5 f5", "a.x:9 f9", "a.x:13 f13", "a.x:17 f17"]


RULE = Known("macro", ("c",), ("function",), "a macro", source=r"^NAME\(", defined="[A-Z]+")


def test_a_known_difference_is_counted_apart():
    expected = [Definition("function", name, n) for n, name in enumerate(["ABC", "abc", "f"], 1)]
    tally = tallied("c", "ABC(x)\nabc(x)\nvoid f(void)\n", expected, [symbol("f", 3)], rules=(RULE,))
    assert [(each.known, each.definition.name) for each in tally.known] == [("macro", "ABC")]
    assert [each.definition.name for each in tally.differences] == ["abc"]
    assert (tally.definitions, tally.found) == (3, 1)
    assert tally.record()["known"] == {"macro": 1}


def test_a_rule_is_asked_only_where_the_two_differ():
    tally = tallied("c", "ABC(x)\n", [Definition("function", "ABC", 1)], [symbol("ABC", 1)], rules=(RULE,))
    assert (tally.found, tally.known) == (1, [])


def test_what_is_made_up_is_left_out_found_or_not():
    rule = Known("list", ("typescript",), ("alias",), "an import", source=r"^import\b", counted=False)
    text = "import {type A, type B}\ntype C = 1\n"
    expected = [Definition("alias", "A", 1), Definition("alias", "B", 1), Definition("alias", "C", 2)]
    tally = tallied("typescript", text, expected, [symbol("A", 1), symbol("C", 2)], rules=(rule,))
    assert (tally.definitions, tally.found, len(tally.left_out)) == (1, 1, 2)
    assert tally.extra == ["a.x:1 function A"]


def test_text_of_strings_is_left_out_only_there():
    rule = Known("text", ("ruby",), (), "a heredoc", in_text=True, counted=False)
    text = "x = <<~R\n  def f; end\nR\ndef g; end\n"
    lines = grammar.text_lines("ruby", text)
    expected = [Definition("method", "f", 2), Definition("method", "g", 4)]
    tally = tallied("ruby", text, expected, [symbol("g", 4)], in_text=lines, rules=(rule,))
    assert [each.definition.name for each in tally.left_out] == ["f"]
    assert tally.found == 1


@pytest.mark.parametrize(
    ("definitions", "missing", "known", "good"),
    [(100, 1, 0, True), (100, 2, 0, False), (100, 0, 1, True), (100, 0, 2, False), (100, 1, 1, True), (0, 0, 0, True)],
)
def test_a_language_is_good_at_99_percent_with_1_percent_known(definitions, missing, known, good):
    names = ["f"] * (definitions - missing - known) + ["f"] * missing + ["K"] * known
    expected = [Definition("function", name, n) for n, name in enumerate(names, 1)]
    symbols = [symbol("f", n) for n in range(1, definitions - missing - known + 1)]
    text = "".join(f"{name}(\n" for name in names)
    tally = tallied("c", text, expected, symbols, rules=(RULE,))
    assert (tally.definitions, len(tally.differences), len(tally.known)) == (definitions, missing, known)
    assert tally.good is good


def test_rules_have_names_of_their_own_and_say_why():
    names = [rule.name for rule in KNOWN]
    assert len(names) == len(set(names))
    assert [rule.name for rule in KNOWN if len(rule.why.split()) < 4] == []
    assert [rule.name for rule in KNOWN if not (rule.source or rule.unlike or rule.defined or rule.in_text)] == []


@pytest.mark.parametrize(
    ("language", "kind", "name", "source", "rule"),
    [
        ("typescript", "alias", "Post", "import { addPost, type Post } from './a';", "type in a list"),
        ("typescript", "alias", "Post", "export type Post = { id: string };", ""),
        ("typescript", "alias", "Post", "type Post =", ""),
        ("typescript", "alias", "as", "type A as B,", "type in a list"),
        ("typescript", "method", "if", "if (ctx.common.async) {", "keyword as name"),
        ("typescript", "method", "of", "of(value: T): List<T> {", ""),
        ("typescript", "enum", "as", "f((a.enum as any).D)", "keyword as type"),
        ("javascript", "class", "users", "var users = {", "object as class"),
        ("javascript", "method", "events", "Connection.prototype.events = {", "object literal"),
        ("javascript", "method", "timeout", "this.timeout(5000)", "call of a method"),
        ("javascript", "method", "run", "this.run = function() {", ""),
        ("javascript", "class", "_A", "var A = class _A {", "second name of a function"),
        ("typescript", "alias", "ZodNull", "} else if (type instanceof ZodNull) {", "operand as type"),
        ("javascript", "class", "User", "class User extends Base {", ""),
        ("javascript", "class", "View", "function View(name) {", ""),
        ("javascript", "function", "onBlur", "_onBlur: function onBlur() {", "second name of a function"),
        ("javascript", "function", "handle", "app.handle = function handle(req) {", ""),
        ("javascript", "function", "render", "module.exports = function render(name) {", ""),
        ("javascript", "function", "res", "res.get = function(field){", "object of an assignment"),
        ("lua", "function", "x", "local x = map(function(y) return y end)", "callback as function"),
        ("lua", "function", "[[_G.f", "child.lua([[_G.f = function()", "code in a string"),
        ("lua", "function", "H.f", "H.f = function(y) return y end", ""),
        ("lua", "function", "M.f", "function M.f(y)", ""),
        ("bash", "function", "FILES=", "FILES=()", "array as function"),
        ("bash", "function", "f", "f() {", ""),
        ("c", "function", "TEST_BEGIN", "TEST_BEGIN(test_zero) {", "macro as function"),
        ("c", "function", "CRC", "int CRC(int a) {", ""),
        ("ruby", "singletonMethod", "obj", "def obj.run; end", "receiver as name"),
        ("ruby", "singletonMethod", "run", "def self.run", ""),
    ],
)
def test_rules_are_about_what_they_say(language, kind, name, source, rule):
    assert next((each.name for each in KNOWN if each.holds(language, kind, name, source)), "") == rule


def test_the_parser_of_python_gives_ranges_with_decorators():
    assert python_ast.definitions_of(PYTHON) == [
        Definition("function", "f", 4, 3, 5),
        Definition("class", "A", 7, 7, 8),
        Definition("function", "m", 8, 8, 8),
    ]
    assert python_ast.definitions_of("def f(:\n") is None


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", PYTHON, [("f", 4, 3, 5), ("A", 7, 7, 8), ("m", 8, 8, 8)]),
        (
            "tsx",
            "export const V =\n  () => <b/>;\nlet a, f = function() {};\nclass C {\n  @d()\n  // why\n  m() {}\n}\n",
            [("V", 1, 1, 2), ("f", 3, 3, 3), ("C", 4, 4, 8), ("m", 7, 5, 7)],
        ),
        ("rust", "#[a]\n// b\n#[c]\npub fn f() {}\n\nfn g() {}\n", [("f", 4, 1, 4), ("g", 6, 6, 6)]),
        ("c", "static int\n*f(int a)\n{\n}\nstruct s;\n", [("f", 2, 1, 4)]),
        (
            "cpp",
            "template<class T>\nint A<T>::f() { }\nstruct S { ~S() {} };\n",
            [("f", 2, 1, 2), ("S", 3, 3, 3), ("~S", 3, 3, 3)],
        ),
        ("kotlin", "@A\nclass B {\n  fun c() = 1\n}\n", [("B", 2, 1, 4), ("c", 3, 3, 3)]),
        ("swift", "extension A {\n  func f() {}\n  init() {}\n}\n", [("f", 2, 2, 2), ("init", 3, 3, 3)]),
        ("elixir", "defmodule A.B do\n  def f(x) when x > 1, do: 1\nend\n", [("A.B", 1, 1, 3), ("f", 2, 2, 2)]),
        ("haskell", "f :: Int\nf = g\n  where g = 1\n", [("f", 2, 2, 3)]),
        ("zig", "const A = struct {\n  fn f() void {}\n};\nconst x = 1;\n", [("A", 1, 1, 3), ("f", 2, 2, 2)]),
        ("lua", "local M = {}\nM.f = function() end\nfunction M:g() end\n", [("f", 2, 2, 2), ("g", 3, 3, 3)]),
    ],
)
def test_the_walk_of_the_tree_gives_names_and_ranges(language, text, expected):
    found = grammar.definitions_of(language, language, text)
    assert [(each.name, each.line, each.start, each.end) for each in found] == expected


def test_the_walk_reaches_what_is_nested_deeply():
    text = "".join(f"{' ' * n}def f{n}():\n" for n in range(90)) + " " * 90 + "pass\n"
    assert len(grammar.definitions_of("python", "python", text)) == 90


def test_every_shape_is_made_of_types_that_its_grammar_has():
    from tree_sitter_language_pack import get_language

    strange = []
    for language, shape in grammar.SHAPES.items():
        known = get_language(language)
        types = {*shape.types, *shape.wrappers, *shape.before}
        strange += [f"{language}: {each}" for each in types if known.id_for_node_kind(each, True) is None]
    assert strange == []


def test_the_command_compares_a_folder(tmp_path):
    root = tmp_path / "code"
    root.mkdir()
    (root / "a.py").write_text(PYTHON, encoding="utf-8")
    (root / "b.bin").write_bytes(b"\0\1\2")
    out = tmp_path / "out.json"
    command = [sys.executable, str(SCRIPTS / "compare_ctags.py"), str(root), "--ast", "--json", str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    (row,) = json.loads(out.read_text(encoding="utf-8"))
    assert (row["language"], row["definitions"], row["found"], row["good"]) == ("python", 3, 3, True)


def test_another_ctags_is_refused(tmp_path):
    fake = tmp_path / "ctags"
    fake.write_text("#!/bin/sh\necho Exuberant Ctags 5.8\n", encoding="utf-8")
    fake.chmod(0o755)
    with pytest.raises(ctags.NoCtagsError, match="is not Universal Ctags"):
        ctags.check(str(fake))
    with pytest.raises(ctags.NoCtagsError, match="cannot be run"):
        ctags.check(str(tmp_path / "none"))
