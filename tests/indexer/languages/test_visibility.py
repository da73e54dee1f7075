"""Which definitions other files can use, where a language says so with more than a word before each."""

import pytest

from indexer.summary import summarize_text


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("a.rb", "class A\n private\n def a; end\n public\n def b; end\nend", ["A", "A.b"]),
        ("a.rb", "class A\n private\n some_dsl\n def a; end\n public\n def b; end\nend", ["A", "A.b"]),
        (
            "a.rb",
            "class A\n private\n def self.a; end\n class B\n  def c; end\n end\nend",
            ["A", "A.a", "A.B", "A.B.c"],
        ),
        ("a.rb", "class A\n class << self\n  private\n  def a; end\n end\n def b; end\nend", ["A", "A.b"]),
        ("a.rb", "class A\n def a; end\n def b; end\n private :a\nend", ["A", "A.b"]),
        ("a.rb", "class A\n private def a; end\n protected def b; end\n def c; end\nend", ["A", "A.c"]),
        ("a.rb", "class A\n def self.a; end\n private_class_method :a\nend", ["A"]),
        ("a.lua", "local M = {}\nlocal H = {}\nfunction M.a() end\nfunction H.b() end\nreturn M", ["M.a"]),
        ("a.lua", "local function a() end\nlocal b = function() end\nreturn { c = a }", ["a"]),
        ("a.lua", "local function a() end\nfunction b() end", ["b"]),
        ("a.hs", "module A (f, T(..)) where\nf = 1\ng = 2\ndata T = T\ndata U = U", ["f", "T"]),
        ("a.hs", "module A where\nf = 1\ndata T = T", ["f", "T"]),
        ("a.ex", "defmodule A do\n def a, do: 1\n defp b, do: 2\n defmacrop c(x), do: x\nend", ["A", "A.a"]),
        ("a.zig", "pub fn a() void {}\nfn b() void {}\nconst S = struct { pub fn c() void {} };", ["a"]),
        ("a.php", "<?php class A { private function a() {} function b() {} protected function c() {} }", ["A", "A.b"]),
    ],
)
def test_exported(path, text, shown):
    symbols = summarize_text(path, text).symbols
    assert [symbol.qualified_name for symbol in symbols if symbol.exported] == shown


def test_clauses_are_one_definition_only_in_their_container():
    text = "instance Show A where\n  show A = a\n  show B = b\ninstance Show B where\n  show C = c\n"
    symbols = summarize_text("a.hs", text).symbols
    assert [(symbol.qualified_name, symbol.start, symbol.end) for symbol in symbols] == [
        ("Show.A.show", 2, 3),
        ("Show.B.show", 5, 5),
    ]


def test_functions_of_other_arity_are_others():
    text = "defmodule A do\n  def a(x), do: x\n  def a(0), do: 0\n  def a(x, y), do: {x, y}\nend\n"
    assert [symbol.start for symbol in summarize_text("a.ex", text).symbols] == [1, 2, 4]


def test_semicolons_in_expansions_do_not_lose_what_follows():
    text = 'a() {\n  echo "${x:+${x};}1"\n}\nb() { :; }\n'
    summary = summarize_text("a.sh", text)
    assert [symbol.name for symbol in summary.symbols] == ["a", "b"]
    assert not summary.problems


@pytest.mark.parametrize(
    ("text", "exports"),
    [
        ("pub use a::{f::*};", ["* from 'a::f'"]),
        ("pub use a::{b::{c as d, e}, f};", ["d from 'a::b'", "e from 'a::b'", "f from 'a'"]),
        ("pub use m::{n::o as q, p};", ["q from 'm::n'", "p from 'm'"]),
        ("pub use x::a::{self, b};", ["a from 'x'", "b from 'x::a'"]),
        ("pub use a::{b::{self, c}};", ["b from 'a'", "c from 'a::b'"]),
    ],
)
def test_re_exports_of_rust_are_told_with_all_that_stands_before_them(text, exports):
    assert list(summarize_text("a.rs", text + "\n").exports) == exports
