"""What of a notebook is code: cells of Python, on the lines of the file; nothing that was printed."""

import json

import pytest

from indexer.references import references
from indexer.summary import summarize_text, symbols_of


def notebook(*cells, kernel="python", indent=1):
    made = [{"cell_type": kind, "metadata": {}, "outputs": [], "source": source} for kind, source in cells]
    return json.dumps({"cells": made, "metadata": {"language_info": {"name": kernel}}}, indent=indent)


def test_pictures_do_not_make_it_minified_and_are_not_read():
    cell = {
        "cell_type": "code",
        "outputs": [{"data": {"image/png": "iVBOR" * 100_000, "text/plain": ["def printed(): pass"]}}],
        "source": ["def f():\n", "    return 1\n"],
    }
    summary = summarize_text("a.ipynb", json.dumps({"cells": [cell]}, indent=1))
    assert [(symbol.name, symbol.start, symbol.end) for symbol in summary.symbols] == [("f", 16, 17)]
    assert summary.exact
    assert "iVBOR" not in repr(summary)


def test_order_of_keys_does_not_matter():
    text = json.dumps({"cells": [{"source": ["def f(): pass"], "cell_type": "code"}]}, indent=1)
    assert [symbol.name for symbol in symbols_of("a.ipynb", text)] == ["f"]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("%matplotlib inline\n", True),
        ("%%time\n", True),
        ("%%bash\n", False),
        ("!pip install x\n", True),
        ("?print\n", True),
        ("print?\n", True),
    ],
)
def test_magic_lines_are_no_code_and_other_languages_take_the_cell(line, kept):
    summary = summarize_text("a.ipynb", notebook(("code", [line, "def f():\n", "    pass"])))
    assert [symbol.name for symbol in summary.symbols] == ["f"] * kept
    assert not summary.problems


def test_cells_of_other_kernels_and_kinds_are_left_out():
    assert symbols_of("a.ipynb", notebook(("code", ["def f(): pass"]), kernel="julia")) == ()
    assert symbols_of("a.ipynb", notebook(("raw", ["def f(): pass"]))) == ()


def test_first_text_cell_is_the_description():
    text = notebook(("markdown", ["## Tides of the sea\n"]), ("code", ["x = 1"]), ("markdown", ["# Later\n"]))
    assert summarize_text("a.ipynb", text).description == "Tides of the sea"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cells": [{"source": "\\x"}]}', '{"cells": [1, "a", ["source"]]}', "]}"]
)
def test_what_is_no_notebook_has_no_symbols(text):
    assert symbols_of("a.ipynb", text) == ()


CODE = """%time
LIMIT = 3

def f(a,
      b):
    'Add.'
    return g(a)

class A:
    def m(self):
        f()
"""


@pytest.mark.parametrize(("indent", "row", "last"), [(1, 13, 20), (None, 1, 1)])
def test_cell_that_is_one_string_is_read_and_all_of_it_is_on_its_line(indent, row, last):
    text = notebook(("markdown", "# Tides\n\nof the sea"), ("code", CODE), ("code", ["k = 1"]), indent=indent)
    text = text.replace("k = 1", "def k(): pass")
    summary = summarize_text("a.ipynb", text)
    assert [(symbol.qualified_name, symbol.start, symbol.end) for symbol in summary.symbols[:-1]] == [
        (name, row, row) for name in ("LIMIT", "f", "A", "A.m")
    ]
    assert (summary.symbols[-1].name, summary.symbols[-1].start) == ("k", last)
    assert summary.symbols[1].params == ("a", "b")
    assert (summary.symbols[1].description, summary.symbols[1].calls) == ("Add.", ("g",))
    assert summary.description == "Tides"
    assert not summary.problems


def test_broken_cell_that_is_one_string_is_a_problem_of_its_line():
    summary = summarize_text("a.ipynb", notebook(("code", "x = 1\ndef f(:\n    pass\n")))
    assert {(problem.start, problem.end) for problem in summary.problems} == {(7, 7)}


def test_uses_in_a_cell_that_is_one_string_are_on_its_line():
    assert {use.line for use in references("a.ipynb", notebook(("code", CODE)), "f")} == {7}


def test_uses_are_found_on_the_lines_of_the_file():
    text = notebook(("code", ["def f():\n", '    """f"""\n', "f()"]))
    assert [use.text for use in references("a.ipynb", text, "f")] == ['"def f():\\n",', '"f()"']


def test_comments_and_lines_of_a_cell_that_is_one_string_are_those_of_its_code():
    code = "# Set up.\nimport os\n\n# Add two.\ndef f(a, b):\n    return a + b\n\n"
    code += "def g(d):\n    e = d\n    return e\nN = 1\n"
    symbols = summarize_text("a.ipynb", notebook(("code", code), indent=None)).symbols
    assert [(each.name, each.description) for each in symbols] == [
        ("f", "Add two."),
        ("g", "e = d / return e"),
        ("N", ""),
    ]
