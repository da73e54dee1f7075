"""What a summary of a file says: every form of definition, what is imported and exported, who calls whom."""

import ast
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.languages import LANGUAGES
from indexer.nesting import MAX_DEPTH
from indexer.summary import summarize_text, symbols_of
from indexer.symbols import PARAM_LIMIT, SIGNATURE_LIMIT

SUFFIXES = [*sorted({suffix for language in LANGUAGES for suffix in language.suffixes}), ".txt", ""]


def names(path, text):
    return [symbol.qualified_name for symbol in summarize_text(path, text).symbols]


def one(path, text, name):
    [found] = [symbol for symbol in summarize_text(path, text).symbols if symbol.qualified_name == name]
    return found


def calls(path, text, name):
    return list(one(path, text, name).calls)


# Forms of definitions


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("class A { m() {} }", "A.m", "method"),
        ("const f = () => 1;", "f", "function"),
        ("let f = async function () {};", "f", "function"),
        ("var f = function* named(n) { yield n; };", "f", "function"),
        ("f = x => x;", "f", "function"),
        ("function* gen() {}", "gen", "function"),
        ("class A { f = (n) => n; }", "A.f", "method"),
        ("class A { #p() {} }", "A.#p", "method"),
        ("class A { get g() { return 1; } }", "A.g", "method"),
        ("class A { set g(v) {} }", "A.g", "method"),
        ("class A { static async s() {} }", "A.s", "method"),
        ("class A { ['odd-name']() {} }", "A.odd-name", "method"),
        ("const A = class { m() {} };", "A.m", "method"),
        ("const api = { list() {} };", "api.list", "method"),
        ("const api = { list: () => [] };", "api.list", "method"),
        ("const api = { sub: { deep: function () {} } };", "api.sub.deep", "method"),
        ("export default { data() {} };", "default.data", "method"),
        ("function A() { this.m = () => {}; }", "A.m", "method"),
        ("class A { constructor() { this.m = function () {}; } }", "A.m", "method"),
        ("A.prototype.m = function () {};", "A.m", "method"),
        ("A.prototype = { m() {} };", "A.m", "method"),
        ("A.m = function () {};", "A.m", "method"),
        ("exports.f = () => {};", "f", "function"),
        ("module.exports.f = function () {};", "f", "function"),
        ("module.exports = function () {};", "exports", "function"),
        ("const F = React.memo((props) => null);", "F", "function"),
        ("app.use(function logger(req) {});", "logger", "function"),
        ("function f() { return { m() {} }; }", "f.m", "method"),
    ],
)
@pytest.mark.parametrize("suffix", [".js", ".ts", ".tsx"])
def test_x1_methods_arrows_and_fields_are_found(text, name, kind, suffix):
    assert one("a" + suffix, text, name).kind == kind


def test_x1_inline_callbacks_are_no_definitions():
    text = "[1].map((v) => v);\nf(function () {}, { done() {} });\nfunction g() { run({ done() {}, ok: () => 1 }); }\n"
    assert [name for name in names("a.js", text) if name != "done"] == ["g"]


def test_x1_values_are_no_symbols_unless_they_are_constants_of_the_module():
    text = "const five = 5;\nconst { p, q } = x;\nconst LIMIT = 1;\nfunction f() { const LOCAL = 2; }\n"
    assert names("a.js", text) == ["LIMIT", "f"]
    assert names("a.py", "five = 5\nLIMIT = 1\n_DEBUG = True\nclass A:\n    SIZE = 1\n") == ["LIMIT", "_DEBUG", "A"]


@pytest.mark.parametrize("text", ["export default function () {}", "export default () => 1", "export default class {}"])
def test_x2_anonymous_default_export_is_named_default(text):
    summary = summarize_text("a.js", text)
    assert [(symbol.name, symbol.exported) for symbol in summary.symbols] == [("default", True)]
    assert summary.exports == ("default",)


def test_x3_parameters_are_shown_as_written():
    text = "function f({a, b},\n  c = 1, [d] = [], ...r) {}"
    assert one("a.js", text, "f").params == ("{a, b}", "c = 1", "[d] = []", "...r")
    text = "def f(self, a: int = 3, /, *args, k, **kw): pass"
    assert one("a.py", text, "f").params == ("self", "a: int = 3", "*args", "k", "**kw")
    text = "const f = <T,>(a: T, b?: number, ...c: T[]): T => a;"
    assert one("a.tsx", text, "f").params == ("a: T", "b?: number", "...c: T[]")
    assert one("a.js", "const f = x => x", "f").params == ("x",)


def test_x3_comments_and_marks_between_parameters_are_no_parameters():
    assert one("a.py", "def f(a,  # first\n      /, b, *, c): pass", "f").params == ("a", "b", "c")
    assert one("a.js", "function f(/* none */) {}", "f").params == ()
    assert one("a.c", "int f(void) { return 1; }", "f").params == ()


# Exports and imports


@pytest.mark.parametrize(
    ("path", "text", "exports"),
    [
        ("a.js", "export const a = 1, b = 2;", ("a", "b")),
        ("a.js", "export const { a, x: b } = c;", ("a", "b")),
        ("a.js", "const a = 1; export { a as b };", ("b",)),
        ("a.js", "export function f() {}\nexport class A {}\nexport async function* g() {}", ("f", "A", "g")),
        ("a.js", "export * from './x';", ("* from './x'",)),
        ("a.js", 'export * as ns from "./x";', ("ns from './x'",)),
        ("a.js", "export { a as b, c } from './x';", ("b from './x'", "c from './x'")),
        ("a.js", "export { default } from './x';", ("default from './x'",)),
        ("a.js", "const A = 1; export default A;", ("default",)),
        ("a.js", "export default f(1);", ("default",)),
        ("a.js", "export default function named() {}", ("default",)),
        ("a.js", "module.exports = { f, g: h, i() {}, n: 1 };", ("f", "g", "i", "n")),
        ("a.js", "module.exports = main;", ("main",)),
        ("a.js", "module.exports = class A {};", ("A",)),
        ("a.js", "module.exports = () => 1;", ("module.exports",)),
        ("a.js", "module.exports = require('./lib');", ("module.exports from './lib'",)),
        ("a.js", "exports = module.exports = create;\nexports.a = 1;", ("create", "a")),
        ("a.ts", "export type A = string;\nexport interface B {}\nexport enum C {}", ("A", "B", "C")),
        ("a.ts", "export declare const x: number;\nexport declare function f(): void;", ("x", "f")),
        ("a.ts", "export abstract class A {}\nexport namespace N { export const hidden = 1; }", ("A", "N")),
        ("a.ts", "export = main;", ("main",)),
        ("a.ts", "export type { T } from './t';", ("T from './t'",)),
        ("a.py", "__all__ = ['a', 'b']\n__all__ += ('c',)\n__all__.append('d')\n__all__.extend(['e'])", tuple("abcde")),
        ("a.py", "__all__ = x.__all__ + ['a']", ("a",)),
        ("a.py", "__all__ = []\ndef f(): pass", ()),
        ("a.py", "LIMIT = 1\ndef f(): pass\ndef _g(): pass\nclass A:\n    def m(self): pass", ("LIMIT", "f", "A")),
    ],
)
def test_x4_exports_of_every_form_with_their_sources(path, text, exports):
    assert summarize_text(path, text).exports == exports


def test_x4_exported_symbols_are_marked():
    text = "function Dao() { this.m = () => {}; }\nfunction hidden() {}\nexport { Dao as default };"
    assert {s.qualified_name: s.exported for s in summarize_text("a.js", text).symbols} == {
        "Dao": True,
        "Dao.m": True,
        "hidden": False,
    }
    text = "export class A {\n  private p() {}\n  q() { const inner = () => 1; }\n  #r() {}\n}\n"
    assert [s.exported for s in summarize_text("a.ts", text).symbols] == [True, False, True, False, False]
    text = "class A:\n    def m(self): pass\n    def _n(self): pass\n    def __len__(self): pass\n"
    text += "class _B:\n    def m(self): pass\n"
    assert [s.exported for s in summarize_text("a.py", text).symbols] == [True, True, False, True, False, False]


@pytest.mark.parametrize(
    ("path", "text", "imports"),
    [
        ("a.js", "import a, { b as c } from './a';\nimport './b';\nimport * as d from \"d\";", ("./a", "./b", "d")),
        ("a.js", "const a = require('a');\nfunction f() { require(\"./b\").c(); }", ("a", "./b")),
        ("a.js", "const f = async () => (await import('./lazy')).default;", ("./lazy",)),
        ("a.js", "export { a } from './a';\nexport * from './b';\nimport './a';", ("./a", "./b")),
        ("a.ts", "import type { A } from './a';\nimport b = require('./b');", ("./a", "./b")),
        ("a.py", "import os.path as p, sys\nfrom . import a\nfrom ..b.c import d\nfrom __future__ import e",
         ("os.path", "sys", ".", "..b.c", "__future__")),
        ("a.py", "def f():\n    from x import y\ntry:\n    import z\nexcept ImportError: pass", ("x", "z")),
        ("a.c", '#include <stdio.h>\n#include "x/y.h"', ("stdio.h", "x/y.h")),
    ],
)  # fmt: skip
def test_x5_imports_of_every_form_in_order_and_once(path, text, imports):
    assert summarize_text(path, text).imports == imports


# Calls


def test_x6_calls_are_bare_or_dotted_in_order_and_once():
    text = "function f(t) {\n  validate(t);\n  const x = jwt.verify(t, key());\n  validate(x);\n  new Map(check(x));\n}"
    assert calls("a.js", text, "f") == ["validate", "jwt.verify", "key", "Map", "check"]


def test_x6_nested_definitions_keep_their_calls_and_callbacks_do_not():
    text = "function f() {\n  const g = () => inner();\n  list.map((v) => deep(v));\n}\nouter();\n"
    assert calls("a.js", text, "f") == ["list.map", "deep"]
    assert calls("a.js", text, "f.g") == ["inner"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "requests.get(url).then(a).catch(b)", ["requests.get", "then", "catch"]),
        ("a.js", "a?.b?.(c); this.#p(1); super.m(); x[0](); x[0].run(); (() => {})(); `${t()}`",
         ["a.b", "this.#p", "super.m", "run", "t"]),
        ("a.js", "very\n    .long\n    .chain()", ["very.long.chain"]),
        ("a.ts", "make<T>(1)!.go(); (a as B).c(); obj!.method()", ["make", "go", "c", "obj.method"]),
        ("a.tsx", "return <Row.Cell x={f()}><div><Item /></div></Row.Cell>", ["Row.Cell", "f", "Item"]),
    ],
)  # fmt: skip
def test_x6_calls_in_chains_have_the_name_that_is_called(path, text, expected):
    assert calls(path, f"function f() {{\n  {text}\n}}", "f") == expected


def test_x6_decorators_and_defaults_are_called_outside():
    text = "def outer():\n    @app.get('/x')\n    def inner(a=make()):\n        return run(a)\n"
    assert calls("a.py", text, "outer") == ["app.get", "make"]
    assert calls("a.py", text, "outer.inner") == ["run"]


# Descriptions


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.js", "// Does it.\nexport function f() {}", "f"),
        ("a.js", "// Does it.\nexport default function f() {}", "f"),
        ("a.js", "/* Does it. */\nexport const f = () => 1;", "f"),
        ("a.ts", "// Does it.\n@dec()\nexport class f {}", "f"),
        ("a.ts", "class A {\n  // Does it.\n  @dec({\n    a: 1,\n  })\n  private async f() {}\n}", "A.f"),
        ("a.py", "# Does it.\n@one\n@two(\n    3,\n)\ndef f(): pass", "f"),
        ("a.py", "@one\n# Does it.\ndef f(): pass", "f"),
        ("a.js", "const api = {\n  // Does it.\n  f() {},\n};", "api.f"),
        ("a.js", "/** Does it. */ function f() {}", "f"),
        ("a.js", "/**\n * Does it.\n */\n\nA.f = function () {};".replace("/**", "a();\n/**", 1), "A.f"),
    ],
)  # fmt: skip
def test_x7_comment_is_found_through_export_and_decorators(path, text, name):
    symbol = one(path, text, name)
    assert (symbol.description, symbol.described) == ("Does it.", True)


@pytest.mark.parametrize(
    "comment",
    [
        "/*\n * Copyright 2024 The Authors.\n * SPDX-License-Identifier: MIT\n */",
        "// Copyright (c) 2024 A. All rights reserved.\n// Licensed under the Apache License, Version 2.0;\n// you may",
        "/* Permission is hereby granted, free of charge, to any person */",
        "/* eslint-disable no-console */",
        "// eslint-disable-next-line no-unused-vars, no-console",
        "// @ts-ignore",
        "// prettier-ignore",
        "/* istanbul ignore next */",
        "#!/usr/bin/env node",
        "// TODO: describe this one day.\n// And that.",
        "// FIXME(me) broken",
        "// ------------------------------",
        "/* ============ helpers ============ */",
        "// #region helpers",
        "/* global window, document */",
        "/** @type {import('x').Y} */",
        "// This software is licensed as described in the file COPYING.\n// You may opt to use, copy and modify it.",
        "/** @jest-environment node */",
        "// $FlowFixMe",
        "// stylua: ignore start",
        "//@diagnostic disable:cast-local-type",
        "// swift-tools-version: 6.3",
        "// <auto-generated/>",
        "// fallthrough",
        "//===- FuzzerMain.cpp - main() function and flags ----===//",
        "//  __| | __| |  | |  Something drawn\n// |__   |  |   | |  version 3",
        "/// - Parameter x: y",
        "/**\n * @param {number} a the number\n * @returns {number} it\n */",
        "//",
    ],
)
def test_x8_licences_directives_todos_and_banners_describe_nothing(comment):
    symbol = one("a.js", f"{comment}\nfunction f(a) {{\n  return a;\n}}\n", "f")
    assert (symbol.description, symbol.described) == ("return a;", False)


def test_x8_a_real_comment_is_found_between_noise():
    text = "/** Sums up. */\n// eslint-disable-next-line\nfunction f() {}\n"
    assert one("a.js", text, "f").description == "Sums up."
    text = "# -*- coding: utf-8 -*-\n# Copyright 2020 B\n#\n# Sums up.\n# noqa: D103\ndef f(): pass\n"
    assert one("a.py", text, "f").description == "Sums up."


def test_x8_docstring_comes_before_comment():
    assert one("a.py", "# Comment.\ndef f():\n    '''Docstring. More.'''\n", "f").description == "Docstring."
    assert one("a.py", 'class A:\n    r"""\n    Raw.\n    """', "A").description == "Raw."


@pytest.mark.parametrize("body", ['f"""no {1}"""', 'b"""no"""', 'x = 1\n    """no"""', '# """no"""\n    pass'])
def test_x8_other_strings_are_no_docstrings(body):
    assert one("a.py", f"def f():\n    {body}\n", "f").described is False


def test_x8_comment_that_touches_nothing_describes_nothing():
    assert one("a.py", "# cut off\n\ndef f(): pass", "f").described is False
    assert one("a.c", "int a(void) { return 1; } // one\nint b(void) { return 2; }", "b").described is False
    assert one("a.py", "def a():\n    pass\n    # inner\ndef b():\n    pass", "b").described is False


def test_without_description_the_first_body_lines_stand_in():
    text = "function f() {\n  // why\n\n  a();\n  b(\n    1,\n  );\n  c();\n}\n"
    assert one("a.js", text, "f").description == "a(); / b( / 1,"
    text = "class A:\n    # fields\n    x: int = 1\n\n    def m(self): pass\n    y = 2\n"
    assert one("a.py", text, "A").description == "x: int = 1 / y = 2"


# Lines and ranges


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a;", 1), ("a;\n", 1), ("a;\n\n", 2), ("a\r\nb", 2), ("a\rb\u2028c\x0c", 1)]
)
def test_x9_lines_are_counted_by_their_ends(text, lines):
    assert summarize_text("a.js", text).line_count == lines
    assert summarize_text("a.txt", text).line_count == lines


def test_x10_a_syntax_error_costs_no_more_than_its_lines():
    summary = summarize_text("a.py", "def broken(a:\n    return a\n\n\ndef fine(b):\n    return b\n")
    assert "fine" in [symbol.name for symbol in summary.symbols]
    assert [problem.start for problem in summary.problems] == [1]
    assert summary.exact


def test_x10_type_assertions_of_typescript_are_no_errors():
    assert summarize_text("a.ts", "const f = (x: unknown) => <string>x;").problems == ()
    assert summarize_text("a.tsx", "const f = (x: unknown) => <b>{x as string}</b>;").problems == ()


def test_x11_nested_functions_have_qualified_names_and_parents():
    text = "def a():\n    class B:\n        def c(self):\n            def d(): pass\n"
    found = [(s.qualified_name, s.parent, s.kind) for s in summarize_text("a.py", text).symbols]
    assert found == [
        ("a", None, "function"),
        ("a.B", "a", "class"),
        ("a.B.c", "a.B", "method"),
        ("a.B.c.d", "a.B.c", "function"),
    ]


def test_x11_equal_names_are_all_kept():
    text = "if a:\n    def f(): return 1\nelse:\n    def f(): return 2\n\ndef f(): return 3\n"
    assert [(s.name, s.start) for s in summarize_text("a.py", text).symbols] == [("f", 2), ("f", 4), ("f", 6)]


def test_x11_depth_is_limited():
    text = "".join("    " * n + f"def f{n}():\n" for n in range(60)) + "    " * 60 + "pass\n"
    assert len(summarize_text("a.py", text).symbols) == MAX_DEPTH


def test_x12_typescript_types_and_overloads_are_symbols():
    text = (
        "interface I { m(): void; x: number }\ntype T = string;\nenum E { A }\n"
        "abstract class C { abstract n(): void }\nfunction o(a: string): string;\nfunction o(a: any) { return a; }\n"
        "namespace N { function g() {} }\nconst UP = 1;\n"
    )
    assert [(s.qualified_name, str(s.kind)) for s in summarize_text("a.ts", text).symbols] == [
        ("I", "interface"),
        ("I.m", "method"),
        ("T", "type"),
        ("E", "enum"),
        ("C", "class"),
        ("C.n", "method"),
        ("o", "function"),
        ("o", "function"),
        ("N", "module"),
        ("N.g", "function"),
        ("UP", "constant"),
    ]


@pytest.mark.parametrize(
    ("path", "text", "lines", "name_line"),
    [
        ("a.py", "@a\n# c\n@b(\n  1)\nasync def f():\n    pass\n\n\n", (1, 6), 5),
        ("a.py", "def f():\n    pass\n    # trailing\n\nx = 1\n", (1, 2), 1),
        ("a.js", "x;\nexport const f =\n  () => {\n  };\n", (2, 4), 2),
        ("a.js", "exports.f = function () {\n}\n", (1, 2), 1),
        ("a.ts", "@a\n@b()\nexport class f {\n}\n", (1, 4), 3),
        ("a.ts", "export default\nfunction f() {\n}\n", (1, 3), 2),
        ("a.cs", "[A]\npublic\nclass f\n{\n}\n", (1, 5), 3),
        ("a.c", "#define f(a) \\\n  (a)\n\nint x;\n", (1, 2), 1),
    ],
)
def test_x13_ranges_begin_at_the_first_decorator_and_end_with_the_last_token(path, text, lines, name_line):
    symbol = one(path, text, "f")
    assert (symbol.start, symbol.end, symbol.name_line) == (*lines, name_line)


def test_x13_python_ranges_are_those_of_the_interpreter():
    compared = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py")):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = {(s.qualified_name, s.start, s.end) for s in symbols_of(path.name, text)}
        expected = set(defined(ast.parse(text)))
        assert expected <= found, path
        compared += len(expected)
    assert compared > 1000


def defined(tree, prefix=""):
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            start = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield prefix + child.name, start, child.end_lineno
            yield from defined(child, f"{prefix}{child.name}.")
        else:
            yield from defined(child, prefix)


def test_x15_every_field_is_clipped():
    text = f"def f(a={'x' * 2000!r}, b=1):\n    {'y' * 3000}.{'z' * 500}()\n"
    symbol = one("a.py", text, "f")
    assert len(symbol.params[0]) == PARAM_LIMIT
    assert symbol.params[1] == "b=1"
    assert len(symbol.signature) <= SIGNATURE_LIMIT
    assert max(map(len, symbol.calls)) <= 80
    assert len(symbol.description) <= 160
    long = f"import {'m' * 500}\n# {'w' * 5000}\nclass {'C' * 400}: pass\n"
    summary = summarize_text("a.py", long)
    assert max(len(text) for text in (*summary.imports, summary.symbols[0].name, summary.symbols[0].description)) <= 160


# Files of every sort


def test_x16_a_file_of_no_known_language_gets_an_outline():
    summary = summarize_text("conf.toml", "# Settings of the mill.\n[mill]\nx = 1\n\n[mill.stones]\ny = 2\n")
    assert (summary.language, summary.exact, summary.description) == (None, False, "Settings of the mill.")
    assert [(s.name, s.start, s.end) for s in summary.symbols] == [("[mill]", 2, 3), ("[mill.stones]", 5, 6)]
    assert summary.problems == ()


def test_x17_crlf_changes_no_name_and_no_line():
    text = "# One.\r\ndef f(a,\r\n      b):\r\n    '''Does\r\n    it.'''\r\n    return g(a)\r\n"
    symbol = one("a.py", text, "f")
    assert (symbol.start, symbol.end, symbol.params, symbol.description) == (2, 6, ("a", "b"), "Does it.")
    assert symbol.signature == "def f(a, b)"


def test_x17_nul_and_form_feed_cost_no_definition():
    text = "function key(a) {\n  return `${a}\0`;\n}\nfunction after() {}\n"
    assert names("a.js", text) == ["key", "after"]
    assert names("a.py", "import os\n\x0c\ndef f(): return 'a\u2028b\x85c'\n\x0c\ndef g(): pass\n") == ["f", "g"]


def test_x17_minified_files_are_told_and_not_listed():
    text = "!function(){" + "".join(f"var a{n}=function(b){{return b+{n}}};" for n in range(3000)) + "}();"
    summary = summarize_text("app.min.js", text)
    assert (summary.symbols, summary.exact, summary.line_count, summary.language) == ((), False, 1, "javascript")
    assert "minified" in summary.problems[0].message
    assert symbols_of("app.min.js", text) == ()


def test_x17_one_long_line_of_data_hides_no_function():
    text = "const data = '" + "x" * 100_000 + "';\n" + "".join(f"function f{n}() {{}}\n" for n in range(100))
    assert len(summarize_text("a.js", text).symbols) == 100


@pytest.mark.parametrize(
    "text", ["// Code generated by protoc. DO NOT EDIT.\n\n", "/* @generated */\n", "# DO NOT EDIT\n"]
)
@pytest.mark.parametrize("path", ["a.js", "a.txt"])
def test_x17_generated_files_are_told(path, text):
    assert summarize_text(path, text + "const A = 1;\n").description.startswith("Generated file.")
    assert not summarize_text(path, "// Do not edit the list in place.\n").description.startswith("Generated file.")


def test_empty_file_has_an_empty_summary():
    for path in ("a.py", "a.js", "a.md", "a.txt"):
        summary = summarize_text(path, "")
        assert (summary.line_count, summary.symbols, summary.imports, summary.exports) == (0, (), (), ())
        assert (summary.description, summary.problems) == ("", ())


def test_file_description_is_no_licence_and_not_the_first_functions():
    assert summarize_text("a.py", '# Copyright 2020\n"""Mill. More."""\n').description == "Mill."
    assert (
        summarize_text("a.js", "/* Copyright 2020 A */\n\n// Sells things.\n\nimport 'a';").description
        == "Sells things."
    )
    assert summarize_text("a.js", "// Does it.\nfunction f() {}\n").description == ""
    assert summarize_text("a.js", "/**\n * Whole file.\n */\n\nfunction f() {}\n").description == "Whole file."


def test_symbols_of_gives_the_same_definitions():
    text = "class A:\n    '''Doc.'''\n    @p\n    def m(self, a=1): return f(a)\n"
    full = [
        (s.qualified_name, s.kind, s.start, s.end, s.params, s.signature) for s in summarize_text("a.py", text).symbols
    ]
    short = [(s.qualified_name, s.kind, s.start, s.end, s.params, s.signature) for s in symbols_of("a.py", text)]
    assert short == full


PIECES = st.sampled_from(
    ["class A", "def f(a):", "function f(", "{", "}", "(", ")", "=>", "export default ", "import x", "'''", '"', "`",
     "/*", "*/", "//", "#", "@x", "\n", "\r\n", "\r", "    ", "\t", "\0", "\ud800", "\ufeff", "🙂", "é", "\u2028",
     "```", "# H", "- ", "> ", "const A = ", "async ", ";", ",", "…", "。"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SUFFIXES), st.lists(PIECES | st.text(max_size=5), max_size=40))
def test_no_text_is_too_strange(suffix, pieces):
    text = "".join(pieces)
    summary = summarize_text("a" + suffix, text)
    for symbol in summary.symbols:
        assert 1 <= symbol.start <= symbol.name_line <= symbol.end <= summary.line_count
        assert "\n" not in symbol.name + symbol.signature + symbol.description
    for problem in summary.problems:
        assert 1 <= problem.start <= problem.end <= summary.line_count


def test_of_a_long_name_that_is_called_the_end_is_kept():
    name = ".".join(f"alpha{n}" for n in range(20)) + ".called"
    (call,) = one("a.py", f"def f():\n    {name}()\n", "f").calls
    assert call.endswith("alpha19.called")


def test_carriage_returns_do_not_make_a_definition_longer():
    text = "class A {\n  def a: Int =\n    f(1)\n\n  // Section\n\n  def b = 2\n}\n"
    expected = [("A", 1, 8), ("a", 2, 3), ("b", 7, 7)]
    for written in (text, text.replace("\n", "\r\n")):
        assert [(each.name, each.start, each.end) for each in summarize_text("a.scala", written).symbols] == expected
