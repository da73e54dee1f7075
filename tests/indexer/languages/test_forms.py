"""Rarer forms of definitions, imports and exports: each has a row, under the right name, or is told with the file."""

import pytest

from indexer.summary import summarize_text


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", "type A[T] = list[T]", ["A"]),
        ("a.py", "A1 = 1; B1 = 2", ["A1", "B1"]),
        ("a.py", "Y, z, _X = 1, 2, 3", ["Y", "_X"]),
        ("a.py", "class C:\n    A = 1; B = 2\n    D, E = 1, 2\n", ["C"]),
        ("a.js", "defineGetter(req, 'ip', function ip() {});", ["req.ip"]),
        ("a.js", "exports['b'] = function () {}", ["b"]),
        ("a.js", "module.exports = function createApp() {}", ["createApp"]),
        ("a.js", "module.exports = function () {}", ["exports"]),
        ("a.js", "function f() { return function g(a) {} }", ["f", "f.g"]),
        ("a.js", "export default (function wrapped() {})", ["wrapped"]),
        ("a.js", "(function iife() { function q() {} })()", ["iife", "iife.q"]),
        ("a.js", "!function bang() {}()", ["bang"]),
        ("a.js", "foo(class Inline { m() {} })", ["Inline", "Inline.m"]),
        ("a.js", "class A { static h = { onX: function () {} } }", ["A", "A.h.onX"]),
        ("a.js", "class A { f = debounce(function () {}) }", ["A", "A.f"]),
        ("a.ts", "class A { readonly o = { a() {} } }", ["A", "A.o.a"]),
        ("a.ts", "class A { f = debounce(() => 1) }", ["A", "A.f"]),
        (
            "a.cs",
            "class S { int this[int i] { get { return 1; } } int this[string s] => 2; }",
            ["S", "S.this", "S.this"],
        ),
        ("a.php", "<?php const A1 = 1, A2 = 2;", ["A1", "A2"]),
        (
            "a.php",
            "<?php class A { const B = 1, C = 2; } interface I { const E = 1; }",
            ["A", "A.B", "A.C", "I", "I.E"],
        ),
        ("a.php", "<?php return new class extends M { function up() {} };", ["class.up"]),
        ("a.rb", "class ::Q::R\n def z; end\nend", ["Q.R", "Q.R.z"]),
    ],
)
def test_rows(path, text, names):
    assert [symbol.qualified_name for symbol in summarize_text(path, text).symbols] == names


def test_getter_has_its_whole_statement_and_the_comment_above_it():
    text = "/**\n * Gives the protocol.\n */\ndefineGetter(req, 'protocol', function () {\n  return 1;\n});\n"
    (getter,) = summarize_text("a.js", text).symbols
    assert (getter.kind, getter.start, getter.end) == ("method", 4, 6)
    assert getter.description == "Gives the protocol."


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", 'importlib.import_module("a.b")\n__import__("c")\n__import__(f"d.{x}")', ("a.b", "c")),
        ("a.js", "require(`./a`); import(`./b`); require(`./${c}`)", ("./a", "./b")),
        (
            "a.cs",
            "using D = A.Dictionary<string, int>; using L = List<int>;",
            ("A.Dictionary<string, int>", "List<int>"),
        ),
        ("a.c", "#include <a.h>\n", ("a.h",)),
        ("a.php", r"<?php use L\{M, function p, const Q}; use function a\b;", (r"L\M", r"L\p", r"L\Q", r"a\b")),
    ],
)
def test_imports(path, text, names):
    assert summarize_text(path, text).imports == names


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.js", "Object.assign(module.exports, { a, b: () => 1, c() {}, d: e })", ("a", "b", "c", "d")),
        ("a.js", "exports['a'] = 1; x['b'] = 2", ("a",)),
        (
            "a.js",
            "Object.defineProperty(exports, '__esModule', {}); Object.defineProperty(exports, 'a', {})",
            ("a",),
        ),
        ("a.js", "module.exports = function createApp() {}", ("createApp",)),
        ("a.rb", "module A::B\nend\nclass C::D < X\nend", ("A.B", "C.D")),
        ("a.php", "<?php class A { private const B = 1; }\nreturn new class { function up() {} };", ("A",)),
        ("a.rs", "pub use a::b::{C, d as e}; pub(crate) use f::g;", ("C from 'a::b'", "e from 'a::b'")),
        ("a.rs", "pub use a::*; pub use b::{c::D, *};", ("* from 'a'", "D from 'b::c'", "* from 'b'")),
        ("a.rs", "pub struct S;\nimpl Tr for (S, S) { const K: u8 = 1; fn f(&self) {} }", ("S",)),
    ],
)
def test_exports(path, text, names):
    assert summarize_text(path, text).exports == names


@pytest.mark.parametrize(
    ("path", "text", "params"),
    [
        ("a.cs", 'class S(int a, string b = "x") : B(a) {}', ("int a", 'string b = "x"')),
        ("a.cs", "struct S(int a) {}", ("int a",)),
        ("a.rb", "def f(a, (b, c), *)\nend", ("a", "(b, c)", "*")),
        ("a.rb", "def f(*)\nend", ("*",)),
        ("a.py", "def f(a, *, b): pass", ("a", "b")),
    ],
)
def test_parameters(path, text, params):
    assert summarize_text(path, text).symbols[0].params == params


def test_private_constant_of_a_php_class_is_not_exported():
    symbols = summarize_text("a.php", "<?php class A { private const B = 1; const C = 2; }").symbols
    assert [(symbol.name, symbol.exported) for symbol in symbols] == [("A", True), ("B", False), ("C", True)]


def test_attributes_of_rust_call_nothing_and_macros_do_at_every_depth():
    text = (
        "fn f() {\n  #![cfg_attr(all(test), deny(z))]\n  #[cfg(all(not(x), any(y)))]\n"
        "  let _ = vec![a(x)];\n  assert_eq!(b(c(d(e(g(1))))), 2);\n}\n"
        "macro_rules! m { () => { $( h(i(j(1))); )* } }\n"
    )
    function, macro = summarize_text("a.rs", text).symbols
    assert function.calls == ("vec", "a", "assert_eq", "b", "c", "d", "e", "g")
    assert not set(macro.calls) & {"all", "not"}
