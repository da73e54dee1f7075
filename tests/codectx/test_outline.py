"""The rows of a file's summary: what they say, how they are shortened, and that nothing goes unsaid."""

import re

import pytest

from codectx.outline import ABOVE, DETAILS, LEFT_OUT, SHARE, SHARE_OF_SHORT, file_blocks, without_type
from indexer.summary import summarize_text


def rows(path, source, after=None):
    blocks = file_blocks(summarize_text(path, source), len(source), after)
    return "".join(block.forms[0] for block in blocks)


def dense(functions=30):
    """Give a file of so many short functions that its summary must be told in few words."""
    body = "".join(
        f"    def part_{n}(self, text: str, size: int = {n}, *, quiet: bool = False) -> str:\n"
        f'        """Give part {n} of the whole thing, which is a long story in many words, told again."""\n'
        f"        return self.cut_{n}(len(text), size)\n\n"
        for n in range(functions)
    )
    return f"import os\n\n\nclass Whole:\n{body}" + "\n" * 90


@pytest.mark.parametrize(
    ("language", "param", "shown"),
    [
        ("python", "text: str", "text"),
        ("python", "size: dict[str, int] = {}", "size={}"),
        ("python", "*args: t.Any", "*args"),
        ("python", "self", ""),
        ("python", "mark=':'", "mark=':'"),
        ("typescript", "{ a, b }: Props = {}", "{ a, b }={}"),
        ("typescript", "private readonly store?: Store", "private readonly store?"),
        ("typescript", "done: (a: X) => void", "done"),
        ("rust", "&mut self", "&mut self"),
        ("rust", "path: &'a Path", "path"),
        ("kotlin", "vararg names: String", "vararg names"),
        ("swift", "for key: Key<T> = .all", "for key=.all"),
        ("go", "ctx context.Context", "ctx"),
        ("go", "names ...string", "names..."),
        ("go", "error", "error"),
        ("php", "?array &$rows = null", "&$rows=null"),
        ("php", "string ...$names", "...$names"),
        ("java", "final Map<String, List<X>> by", "by"),
        ("java", "String... names", "...names"),
        ("c", "const char *name", "name"),
        ("c", "char **argv", "argv"),
        ("c", "int rows[4]", "rows[4]"),
        ("c", "void (*done)(int, void *)", "done"),
        ("c", "unsigned int", "unsigned int"),
        ("cpp", "const std::vector<T>&", "const std::vector<T>&"),
        ("cpp", 'std::string name = "a, b"', 'name="a, b"'),
        ("csharp", "ref int count", "ref count"),
        ("csharp", "this string text", "this text"),
        ("ruby", "name: nil", "name: nil"),
        (None, "a: b", "a: b"),
    ],
)
def test_a_parameter_is_shown_without_its_type(language, param, shown):
    assert without_type(param, language) == shown


def test_a_long_default_is_clipped_and_says_so():
    assert without_type("a, b map[string]int", "go") == "a, b"
    assert without_type("a, b ...string", "go") == "a, b..."
    assert without_type("func(int) error", "go") == "func(int) error"
    assert without_type("a: str = 'one two three four five six'", "python") == "a='one two three four..."


def test_a_file_with_little_to_tell_is_told_as_written():
    source = (
        "def f(a: int, *, b: str = 'x') -> int:\n"
        + "    # work\n" * 60
        + "    return self.g(h(a), b)\n"
        + "x = 1\n" * 60
    )
    assert "1-62 f(a: int, *, b: str = 'x') > self.g h\n" in rows("a.py", source)


def test_a_file_with_much_to_tell_leaves_out_types_and_the_own_object():
    text = rows("a.py", dense())
    first = "def part_0"
    assert first not in text
    row = next(line for line in text.split("\n") if "part_0(" in line)
    assert row.endswith(" > .cut_0 len")
    assert "part_0(text, size=0, *, quiet=False): Give part 0 of the whole thing, which is..." in row


def test_a_short_file_may_tell_more_for_its_length():
    source = "def f(a: int) -> int:\n" + "    total = a + 1\n" * 5 + "    return g(total)\n"
    shown = len(rows("a.py", source))
    assert len(source) * SHARE < shown <= len(source) * SHARE_OF_SHORT
    assert "f(a: int)" in rows("a.py", source)
    assert "f(a)" in rows("a.py", source * 20)


def test_calls_that_do_not_fit_are_counted():
    calls = "".join(f"    call_{n}()\n" for n in range(DETAILS[0].calls + 3))
    text = rows("a.py", f"def f():\n{calls}" + "x = 1\n" * 2000)
    assert f" call_{DETAILS[0].calls - 1} +3\n" in text
    assert f"call_{DETAILS[0].calls} " not in text


def crowded(functions=20, calls=10):
    """Give functions of so many calls that some must be left out; the sixth of each is the longest by far."""
    names = [[f"{'long_' * 9 if n == 5 else ''}call_{f}_{n}" for n in range(calls)] for f in range(functions)]
    return "".join(f"def f_{f}():\n" + "".join(f"    {name}()\n" for name in names[f]) for f in range(functions))


def test_a_crowded_file_leaves_out_its_longest_calls_and_keeps_the_order_of_the_others():
    text = rows("a.py", crowded())
    assert "long_" not in text
    for row in text.split("\n")[:-1]:
        name, _, calls = row.partition("> ")
        f = re.search(r"f_(\d+)", name)[1]
        assert calls == " ".join(f"call_{f}_{n}" for n in range(10) if n != 5) + " ..."


def test_at_most_a_tenth_of_a_files_calls_is_left_out():
    for functions, calls in ((20, 10), (7, 9), (1, 19), (3, 3)):
        told = rows("a.py", crowded(functions, calls)).split("\n")[:-1]
        shown = [len(re.findall(r" (?:long_)*call_", row)) for row in told]
        assert sum(shown) >= functions * calls * (1 - LEFT_OUT)
        assert [row.endswith(" ...") for row in told] == [number < calls for number in shown]


def test_calls_listed_last_are_not_repeated_but_on_another_page():
    source = "".join(f"def f_{n}():\n    one_name(two_names())\n\n\n" for n in range(40))
    whole = rows("a.py", source).split("\n")
    assert whole[0] == "1-2 f_0()> one_name two_names"
    assert set(whole[1:-1]) == {f"{4 * n + 1}-{4 * n + 2} f_{n}()> {ABOVE}" for n in range(1, 40)}
    assert rows("a.py", source, after=7).split("\n")[0] == "29-30 f_7()> one_name two_names"


def test_calls_beside_those_listed_last_are_listed_and_a_row_that_lacks_one_lists_its_own():
    bodies = ("first_one(second_one())", "second_one(first_one(third()))", "second_one(other())")
    source = "".join(f"def f_{n}():\n    {bodies[n % 3]}\n" for n in range(30))
    source += "def g():\n" + "".join(f"    call_of_a_long_name_{n}()\n" for n in range(40))
    calls = [row.partition("> ")[2] for row in rows("a.py", source).split("\n")[:3]]
    assert calls == ["first_one second_one", f"{ABOVE} third", "second_one other"]


def test_a_mark_for_listed_calls_says_nothing_of_calls_that_are_only_counted():
    source = "".join(
        f"def f_{f}():\n" + "".join(f"    call_{n}()\n" for n in range(9)) + f"    {'long_' * 9}{f % 2}()\n"
        for f in range(20)
    )
    for row in rows("a.py", source).split("\n")[1:-1]:
        assert row.endswith(f"> {ABOVE} ...")


def test_all_pages_of_a_file_are_told_alike():
    source = dense()
    whole = rows("a.py", source)
    for after in (1, 5, 20):
        page = rows("a.py", source, after=after)
        assert page == "in class Whole 4-123:\n" + "".join(f"{row}\n" for row in whole.split("\n")[1 + after : -1])


def test_what_stands_in_the_one_thing_of_a_file_needs_no_blanks_but_what_ends_before_it_does():
    method = "    def m_{0}(self):\n        one_{0}()\n        two_{0}()\n"
    one = "class A:\n" + "".join(method.format(n) for n in range(20))
    text = rows("a.py", one)
    assert text.startswith("1-61 class A, with all below\n2-4 m_0()> one_0 two_0\n5-7 m_1()")
    text = rows("a.py", one + "def f():\n    three()\n")
    assert text.startswith("1-61 class A\n 2-4 m_0()> one_0 two_0\n 5-7 m_1()")
    assert "\n62-63 f()> three\n" in text


def test_methods_that_stand_outside_of_their_type_keep_their_blanks():
    methods = "".join(f"func (t *T) M{n}() {{\n\tone{n}()\n\ttwo{n}()\n}}\n" for n in range(20))
    assert "\n 3-6 M0()> one0 two0\n" in rows("a.go", "package a\ntype T struct{}\n" + methods)


def test_methods_below_something_else_stand_below_a_line_that_names_their_type():
    bodies = "func {0} {{\n\tcall()\n}}\n"
    heads = ("(t *T) A()", "f()", "(t *T) B()", "(t *T) C()", "g()", "(t *T) D()", "h()")
    source = "package a\ntype T struct{}\n" + "".join(map(bodies.format, heads))
    assert [row.partition(">")[0] for row in rows("a.go", source).split("\n")] == [
        *("2 struct T", " 3-5 A()", "6-8 f()", "in T:", " 9-11 B()", " 12-14 C()"),
        *("15-17 g()", "18-20 T.D()", "21-23 h()", ""),
    ]


def test_what_stands_in_a_method_below_such_a_line_is_indented_below_it():
    source = "class A:\n    def m(self): pass\ndef f(): pass\n"
    swift = "protocol P { func a() }\nclass C {\n  func b() {}\n}\nextension P {\n  func c() {\n    func d() {}\n  }\n"
    assert "in " not in rows("a.py", source)
    told = rows("a.swift", swift + "  func e() {}\n}\n").split("\n")
    assert told[told.index("in P:") :] == ["in P:", " 6-8 c()", "  7 d()", " 9 e()", ""]


def test_every_symbol_has_a_row_with_its_lines():
    source = dense()
    summary = summarize_text("a.py", source)
    lines = [row.strip().split(" ")[0] for row in rows("a.py", source).split("\n") if row.strip()[:1].isdigit()]
    assert lines == [f"{symbol.start}-{symbol.end}" for symbol in summary.symbols]


def test_a_clipped_description_keeps_its_beginning():
    text = rows("a.py", dense())
    described = summarize_text("a.py", dense()).symbols[1].description
    assert described[:40] in text
