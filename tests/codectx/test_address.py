"""Addresses read back as they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codectx.address import Address, parse
from codectx.errors import UserError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("src/a.py", Address("src/a.py")),
        ("src/a.py:10", Address("src/a.py", 10, 10)),
        ("src/a.py:10-24", Address("src/a.py", 10, 24)),
        ("src/a.py:10-", Address("src/a.py", 10)),
        ("src/a.py:10@4096", Address("src/a.py", 10, 10, 4096)),
        ("src/a.py:10@4096-", Address("src/a.py", 10, None, 4096)),
        ("src/a.py:10@4096-24", Address("src/a.py", 10, 24, 4096)),
        ("a.py#Class.method", Address("a.py", symbol="Class.method")),
        ("a.rs#Type::method", Address("a.rs", symbol="Type.method")),
        ("C:/x/a.py:3", Address("C:/x/a.py", 3, 3)),
        ("文档/说明.md:1-2", Address("文档/说明.md", 1, 2)),
        ("#notes/a b.md", Address("#notes/a b.md")),
        ("a:b", Address("a:b")),
    ],
)
def test_forms(text: str, address: Address) -> None:
    assert parse(text) == address


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6) | st.none())
def test_an_address_reads_back(start: int, offset: int, length: int | None) -> None:
    address = Address("src/a.py", start, None if length is None else start + length, offset)
    assert parse(str(address)) == address


@pytest.mark.parametrize("text", ["a.py:0", "a.py:0-3", "a.py:9-3"])
def test_lines_before_the_first_and_reversed_ranges_are_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"error\[invalid_argument\]"):
        parse(text)


@pytest.mark.parametrize("form", ["a.py:{}", "a.py:1@{}", "a.py:1-{}"])
def test_numbers_that_no_file_has_are_part_of_the_name(form: str) -> None:
    text = form.format("9" * 5000)
    assert parse(text) == Address(text)
