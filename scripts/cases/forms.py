"""Describe the forms of values: each is a function from a value to the problems found in it.

A problem is a place inside the value (``.args.path``, ``[0]``) and what is wrong there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

Problems = Iterator[tuple[str, str]]
Form = Callable[[Any], Problems]


def flag(value: Any) -> Problems:
    """Take ``true`` only."""
    if value is not True:
        yield "", "must be true"


def boolean(value: Any) -> Problems:
    """Take ``true`` and ``false``."""
    if not isinstance(value, bool):
        yield "", "must be true or false"


def text(value: Any) -> Problems:
    """Take a text."""
    if not isinstance(value, str):
        yield "", "must be a text"


def whole(value: Any) -> Problems:
    """Take a whole number from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        yield "", "must be a whole number"


def number(value: Any) -> Problems:
    """Take a number from 0 on."""
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
        yield "", "must be a number"


def anything(_value: Any) -> Problems:
    """Take anything."""
    yield from ()


def unknown(_value: Any) -> Problems:
    """Take nothing."""
    yield "", "unknown key or token"


def span(value: Any) -> Problems:
    """Take ``[first, last]``."""
    pair = isinstance(value, list) and len(value) == 2
    if not pair or any(problem for part in value for problem in whole(part)) or value[0] > value[1]:
        yield "", "must be [first, last]"


def one_of(*words: Any) -> Form:
    """Take one of these values."""

    def form(value: Any) -> Problems:
        if value not in words:
            yield "", f"{value!r} is none of {', '.join(map(str, words))}"

    return form


def list_of(form: Form, least: int = 0) -> Form:
    """Take a list of such values."""

    def check(value: Any) -> Problems:
        if not isinstance(value, list) or len(value) < least:
            yield "", f"must be a list of at least {least}"
            return
        for number, item in enumerate(value):
            yield from below(f"[{number}]", form, item)

    return check


def map_of(form: Form) -> Form:
    """Take a map from texts to such values."""

    def check(value: Any) -> Problems:
        if not isinstance(value, dict):
            yield "", "must be a map"
            return
        for key, item in value.items():
            yield from below(str(key), form if isinstance(key, str) else text, item if isinstance(key, str) else key)

    return check


def keys(required: Iterable[str] = (), /, **forms: Form) -> Form:
    """Take a map with these keys only."""

    def check(value: Any) -> Problems:
        if not isinstance(value, dict):
            yield "", "must be a map"
            return
        yield from (("", f"key {key!r} is missing") for key in required if key not in value)
        for key, item in value.items():
            yield from below(str(key), forms.get(key, unknown), item)

    return check


def either(*forms: Form) -> Form:
    """Take what any of these forms takes."""

    def check(value: Any) -> Problems:
        wrong = [list(form(value)) for form in forms]
        if all(wrong):
            yield "", " / ".join(f"{found[0][0]} {found[0][1]}".strip() for found in wrong)

    return check


def below(place: str, form: Form, value: Any) -> Problems:
    """Give the problems of a part, with its place in front."""
    for inner, what in form(value):
        yield f"{place if place.startswith('[') else '.' + place}{inner}", what


def no(what: str) -> Problems:
    """Give one problem."""
    yield "", what
