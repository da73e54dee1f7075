"""What single grammars would otherwise make of definitions: parameters, clauses, second names, broken code."""

import pytest

from indexer.summary import summarize_text


def symbols(path: str, text: str) -> dict[str, tuple[str, ...]]:
    return {symbol.qualified_name: symbol.params for symbol in summarize_text(path, text).symbols}


@pytest.mark.parametrize("before", ["", " private constructor", " @Inject internal constructor"])
def test_words_before_the_parameters_of_a_kotlin_class_are_none(before):
    assert symbols("a.kt", f"class V{before}(private val x: Int, y: Int = f(1, 2))\n") == {
        "V": ("private val x: Int", "y: Int = f(1, 2)")
    }


def test_a_kotlin_import_ends_with_its_line():
    text = "import a.b.D // why\nimport x.*\n\n/**\n * Doc. More.\n */\nclass V\n"
    summary = summarize_text("a.kt", text)
    assert summary.imports == ("a.b.D", "x.*")
    assert summary.symbols[0].description == "Doc."


def test_the_head_of_clauses_gives_their_parameters():
    text = "defmodule A do\n  def f(a, opts \\\\ [])\n  def f(0, _), do: 1\n  def f(a, b), do: a + b\nend\n"
    assert symbols("a.ex", text)["A.f"] == ("a", "opts \\\\ []")


def test_a_haskell_signature_leaves_the_parameters_to_the_first_clause():
    assert symbols("a.hs", "add :: Int -> Int -> Int\nadd a 0 = a\nadd a b = a + b\n")["add"] == ("a", "0")


def test_the_names_of_one_typedef_stand_beside_each_other():
    text = "typedef struct node { int a; } node_t, *node_p;\ntypedef unsigned long ulong_t, arr_t[3];\n"
    assert list(symbols("a.c", text)) == ["node_t", "node_p", "node", "ulong_t", "arr_t"]
    assert {"node_t", "node_p", "arr_t"} <= set(summarize_text("a.c", text).exports)


def test_a_function_begins_at_its_name_where_the_grammar_puts_broken_code_before_it():
    broken = (
        "template <typename T> struct A {\n  static constexpr type mapped =\n"
        + "   * text (but no code) is here\n" * 70
    )
    text = broken + "    clear();\n    args = {};\n  }\n  void reserve(size_t size) {\n  }\n"
    found = {symbol.qualified_name: symbol for symbol in summarize_text("a.hpp", text).symbols}
    assert (found["reserve"].start, found["reserve"].end, found["reserve"].params) == (76, 77, ("size_t size",))
    assert found["A"].start == 1


def test_what_lua_declares_as_local_before_it_is_defined_is_not_exported():
    text = "local fwd, other\nfunction fwd() end\nother = function() end\nfunction shown() end\n"
    summary = summarize_text("a.lua", text)
    assert summary.exports == ("shown",)
    assert [symbol.exported for symbol in summary.symbols] == [False, False, True]


def test_an_inline_namespace_has_its_bare_name():
    assert list(symbols("a.cpp", "namespace a::b::inline v1 {\nstruct Foo { int x; };\n}\n")) == [
        "a.b.v1",
        "a.b.v1.Foo",
    ]


def test_operators_of_csharp_are_named_as_they_are_declared():
    text = (
        "public struct S {\n  public static S operator +(S a, S b) { return f(a); }\n"
        "  public static explicit operator List<int>(S s) { return g(); }\n  ~S() { h(); }\n}\n"
    )
    _, plus, conversion, end = summarize_text("a.cs", text).symbols
    assert (plus.qualified_name, plus.params, plus.calls) == ("S.operator +", ("S a", "S b"), ("f",))
    assert (conversion.qualified_name, conversion.start, conversion.exported) == ("S.operator List<int>", 3, True)
    assert (end.name, end.exported) == ("~S", False)


def test_what_ruby_opens_from_the_top_is_in_nothing_around_it():
    text = "class Outer\n  class ::Top\n    def run; end\n  end\n  module ::A::B::C\n  end\n  class D::E\n  end\nend\n"
    summary = summarize_text("a.rb", text)
    found = {symbol.qualified_name: symbol.parent for symbol in summary.symbols}
    assert found == {"Outer": None, "Top": None, "Top.run": "Top", "A.B.C": "A.B", "Outer.D.E": "Outer.D"}
    assert summary.exports == ("Outer", "Top")


@pytest.mark.parametrize("path", ["a.c", "a.cpp"])
def test_types_between_parameters_and_body_are_part_of_the_function(path):
    text = (
        "/* Sorts. */\nstatic void\nsort(base, n, cmp)\n    char *base; /* where; it is moved */\n"
        "    int n, (*cmp)();\n{\n    swap(n);\n}\nint main(argc) int argc; {\n  return 0;\n}\n"
    )
    summary = summarize_text(path, text)
    sort, main = summary.symbols
    assert (sort.name, sort.start, sort.end, sort.params) == ("sort", 2, 8, ("base", "n", "cmp"))
    assert sort.signature == "static void sort(base, n, cmp) char *base; int n, (*cmp)()"
    assert (sort.calls, sort.description, sort.exported) == (("swap",), "Sorts.", False)
    assert (main.name, main.start, main.end, main.params) == ("main", 9, 11, ("argc",))
    assert summary.problems == ()


def test_the_operands_of_a_haskell_operator_are_its_parameters():
    text = (
        "x `plus` y = x\n(<+>) :: A -> A -> A\n(Just a) <+> (b, c) = a\n_ <+> b = b\n"
        "instance Eq A where\n  A x == A y = x\n"
    )
    assert symbols("a.hs", text) == {
        "plus": ("x", "y"),
        "<+>": ("(Just a)", "(b, c)"),
        "Eq.A.==": ("A x", "A y"),
    }


def test_strings_side_by_side_are_one_docstring():
    text = (
        '"Holds " \'it.\'\n\ndef f():\n    "One " "two."\n\ndef g():\n    r"It\'s " \\\n        """one. """ "Two."\n\n'
        'def h():\n    "One " f"{two}."\n\ndef i():\n    """Gives "a" "b" or \'\'."""\n'
    )
    summary = summarize_text("a.py", text)
    assert summary.description == "Holds it."
    described = [symbol.description if symbol.described else "" for symbol in summary.symbols]
    assert described == ["One two.", "It's one.", "", 'Gives "a" "b" or \'\'.']


def test_methods_that_are_defined_on_an_object_are_listed():
    text = "def f(c)\n  c.define_singleton_method(:close) { |a| g(a) }\n  define_method(:open) { h }\nend\n"
    assert [(each.name, each.params) for each in summarize_text("a.rb", text).symbols[1:]] == [
        ("close", ("a",)),
        ("open", ()),
    ]
