"""Cut windows of files where no reader is left inside a definition."""

import pytest

from indexer.breaks import code_breaks

PARTS = "".join(f"def part_{n}(a):\n    b = a + {n}\n    return b\n\n\n" for n in range(5))


def test_whole_definitions_come_first_with_the_blank_lines_below_them():
    best, nested, other = code_breaks("a.py", PARTS)
    assert best == (3, 4, 5, 8, 9, 10, 13, 14, 15, 18, 19, 20)
    assert nested == ()
    assert other == (2, 7, 12, 17, 22)


def test_what_touches_the_end_of_the_window_is_not_whole():
    window = "\n".join(PARTS.split("\n")[:12]) + "\n\n\n"
    best, _, _ = code_breaks("a.py", window)
    assert best == (3, 4, 5, 8, 9, 10)


def test_methods_are_the_second_choice():
    text = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n\n\nx = 1\ny = 2\n"
    best, nested, other = code_breaks("a.py", text)
    assert best == (6, 7, 8)
    assert nested == (3, 4)
    assert other == (9,)


def test_nothing_is_cut_inside_a_statement_or_string():
    text = "x = f(\n    1,\n\n    2,\n)\ns = '''\n\na\n'''\ny = 1\nz = 1\n"
    assert code_breaks("a.py", text) == ((), (), (5, 9, 10))


def test_a_window_may_begin_inside_a_function():
    text = "        return x\n\n    def n(self):\n        return 2\n\n\ndef after():\n    pass\n\nx = 1\n"
    best, nested, _ = code_breaks("a.py", text)
    assert {4, 8} <= set(best) | set(nested)
    text = "    return x;\n  }\n}\n\nfunction g() {\n  return 1;\n}\n\nfunction h() {\n"
    assert 7 in code_breaks("a.js", text)[0]


def test_a_window_may_end_inside_a_string():
    text = 'def a():\n    pass\n\n\nclass B:\n    """Text that\n    goes on\n\n        x = B()\n\n    and on\n'
    assert code_breaks("a.py", text)[0] == (2, 3, 4)


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx"])
def test_javascript_blocks(path):
    text = "import a from 'a';\nexport class A {\n  m() {\n    go();\n    stop();\n  }\n}\n"
    text += "const f = () => {\n};\nlast();\n"
    best, nested, other = code_breaks(path, text)
    assert (best, nested) == ((7, 9), (6,))
    assert {1, 4, 5} <= set(other)


def test_texts_without_grammar_are_cut_at_blank_lines():
    text = "[a]\nx = 1\n\n  y = 2\n\n[b]\n\nz = 3\n"
    assert code_breaks("a.ini", text) == ((5, 7), (3,))
    assert code_breaks("a.ini", "") == ((), ())


def test_numbers_are_lines_of_the_text():
    for text in ("", "\n", "\n\n\n", "x", "x\n", "\n\nx = 1\n\n"):
        for level in code_breaks("a.py", text):
            assert all(1 <= number < max(len(text.split("\n")), 1) for number in level)
