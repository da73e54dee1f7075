"""Which names a ``typedef`` of C++ gives."""

import pytest

from indexer.summary import summarize_text


@pytest.mark.parametrize(
    "declared",
    [
        "std::pair<int, long> name_t",
        "Pair<int> name_t",
        "const int& name_t",
        "typename Some<F>::type name_t",
        "Some::type *name_t",
        "unsigned long name_t[3]",
        "decltype(f()) name_t",
    ],
)
def test_each_form_of_a_typedef_names_a_type(declared):
    [_, symbol] = summarize_text("a.cpp", f"struct A {{\n  typedef {declared};\n}};\n").symbols
    assert (symbol.name, symbol.kind, symbol.start, symbol.signature) == ("name_t", "type", 2, f"typedef {declared}")
