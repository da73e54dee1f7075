"""Calls in notices: what is written can be read back, stays on one line, and hides nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codectx.call import Call, parse_call

FIRST = {"grep": "pattern", "read_lines": "path", "status": "max_tokens"}
NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1).filter(lambda name: name != "pattern")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = TEXTS | st.integers() | st.booleans() | st.none()


def test_first_argument_stands_without_its_name() -> None:
    call = Call("grep", {"pattern": 'a"b', "path": "src", "context": 2, "fixed": True, "after": None})
    assert str(call) == 'grep("a\\"b", path="src", context=2, fixed=true, after=null)'


def test_a_call_without_arguments() -> None:
    assert str(Call("status")) == "status()"
    assert parse_call("status()", FIRST) == Call("status")


@given(VALUES, st.dictionaries(NAMES, VALUES, max_size=4))
def test_what_is_written_is_read_back(first: str | int | None, others: dict[str, str | int | None]) -> None:
    call = Call("grep", {"pattern": first, **others})
    assert parse_call(str(call), FIRST) == call


@given(TEXTS)
def test_a_call_is_one_line_and_shows_every_character(text: str) -> None:
    written = str(Call("grep", {"pattern": text}))
    assert "\n" not in written
    hidden = {"Cc", "Cf", "Zl", "Zp"}
    assert not [char for char in written if unicodedata.category(char) in hidden and ord(char) not in VISIBLE_FORMATS]


# Format characters that have a shape of their own (Arabic and Brahmic number signs, music, shorthand).
VISIBLE_FORMATS = {
    *range(0x600, 0x606),
    *(0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD),
    *range(0x13430, 0x13460),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
}


def test_chinese_is_not_escaped() -> None:
    assert str(Call("grep", {"pattern": "令牌刷新"})) == 'grep("令牌刷新")'


@pytest.mark.parametrize(
    "text",
    [
        "grep",
        'grep("x"',
        'gerp("x")',
        'grep("x" path="y")',
        'grep("x", "y")',
        'grep(path="x", path="y")',
        "grep(x)",
        'grep("x")) and more()',
        "",
    ],
)
def test_what_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_call(text, FIRST)
