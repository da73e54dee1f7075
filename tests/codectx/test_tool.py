"""Tools as declared: schema, binding, and errors that name the argument and what it takes."""

from typing import Annotated, Any

import pytest

from codectx.answer import Answer, Frame
from codectx.errors import UserError
from codectx.tool import HARD_MAX_TOKENS, MIN_TOKENS, Param, tool


def look(
    project: object,
    pattern: Annotated[str, Param("Text to find", min_length=1)],
    path: str = ".",
    context: Annotated[int, Param("Lines around", minimum=0, maximum=20)] = 0,
    start: Annotated[int | None, Param(minimum=1)] = None,
    fixed: bool = False,
) -> Answer:
    """Where is this text? Matches
    by file.

    Nothing else.
    """
    return Answer([], lambda _: Frame(f"{pattern} {path} {context} {start} {fixed}"))


LOOK = tool(look, title="Look", limit=2000, meta={"anthropic/alwaysLoad": True})


def refused(arguments: Any) -> str:
    with pytest.raises(UserError) as caught:
        LOOK.bind(arguments)
    assert caught.value.category == "invalid_argument"
    return str(caught.value)


def test_declaration_comes_from_the_function() -> None:
    assert (LOOK.name, LOOK.title, LOOK.limit) == ("look", "Look", 2000)
    assert LOOK.description == "Where is this text? Matches by file. Nothing else."
    assert [p.name for p in LOOK.parameters] == ["pattern", "path", "context", "start", "fixed", "max_tokens"]
    assert [p.name for p in LOOK.own_parameters] == ["pattern", "path", "context", "start", "fixed"]


def test_schema_has_bounds_and_no_titles() -> None:
    assert LOOK.input_schema == {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "Text to find", "minLength": 1},
            "path": {"type": "string", "default": "."},
            "context": {"type": "integer", "description": "Lines around", "minimum": 0, "maximum": 20},
            "start": {"type": "integer", "minimum": 1},
            "fixed": {"type": "boolean"},
            "max_tokens": {"type": "integer", "minimum": MIN_TOKENS, "maximum": HARD_MAX_TOKENS},
        },
        "required": ["pattern"],
    }


def test_defaults_are_filled_in() -> None:
    bound = {"pattern": "x", "path": ".", "context": 0, "start": None, "fixed": False, "max_tokens": None}
    assert LOOK.bind({"pattern": "x"}) == bound
    assert LOOK.bind({"pattern": "x", "path": None}) == bound


@pytest.mark.parametrize(
    ("name", "sent", "bound"),
    [
        ("context", "2", 2),
        ("context", " 2 ", 2),
        ("context", 2.0, 2),
        ("fixed", "true", True),
        ("fixed", "False", False),
        ("max_tokens", 100, 100),
        ("max_tokens", HARD_MAX_TOKENS, HARD_MAX_TOKENS),
        ("path", "", ""),
    ],
)
def test_what_agents_send_instead_is_understood(name: str, sent: Any, bound: Any) -> None:
    assert LOOK.bind({"pattern": "x", name: sent})[name] == bound


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "look needs pattern; pattern takes a text"),
        ({"pattern": None}, "look needs pattern"),
        ({"pattern": "  "}, "pattern is empty"),
        ({"pattern": ["a"]}, "pattern is a list; pattern takes a text"),
        ({"pattern": {"a": 1}}, "pattern is an object"),
        ({"pattern": 5}, "pattern is 5"),
        ({"pattern": "a\0b"}, "pattern holds a NUL character"),
        ({"pattern": "x" * 10_001}, "pattern has 10001 characters; it takes at most 10000"),
        ({"pattern": "x", "contxt": 1}, "look has no argument contxt; did you mean context?"),
        ({"pattern": "x", "colour": "red"}, "look has no argument colour; it takes pattern, path"),
        ({"pattern": "x", "context": -1}, "context is -1; context takes a whole number from 0 to 20"),
        ({"pattern": "x", "context": 21}, "context is 21"),
        ({"pattern": "x", "context": 1.5}, "context is 1.5"),
        ({"pattern": "x", "context": True}, "context is true"),
        ({"pattern": "x", "context": "many"}, "context is many"),
        ({"pattern": "x", "context": float("nan")}, "context is nan"),
        ({"pattern": "x", "start": 0}, "start takes a whole number of at least 1"),
        ({"pattern": "x", "fixed": "perhaps"}, "fixed takes true or false"),
        ({"pattern": "x", "fixed": 1}, "fixed is 1"),
        ({"pattern": "x", "max_tokens": MIN_TOKENS - 1}, f"from {MIN_TOKENS} to {HARD_MAX_TOKENS}"),
        ({"pattern": "x", "max_tokens": HARD_MAX_TOKENS + 1}, "max_tokens is 7001"),
    ],
)
def test_error_names_argument_and_remedy(arguments: Any, words: str) -> None:
    assert words in refused(arguments)


def nested(depth: int) -> Any:
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", 10**5000),
        ("start", -(10**5000)),
        ("start", 1e300),
        ("start", "9" * 5000),
        ("pattern", 10**5000),
        ("pattern", [10**5000]),
        ("pattern", nested(900)),
        ("x" * 9000, 1),
    ],
    ids=["huge", "huge negative", "huge float", "huge text", "huge for text", "huge in a list", "deep", "long name"],
)
def test_absurd_values_are_refused_in_few_words(name: str, value: Any) -> None:
    assert len(refused({"pattern": "x", name: value})) < 200


def odd(project: object, names: list[str]) -> Answer:
    """Never called."""
    return Answer([], lambda _: Frame(""))


def misplaced(project: object, name: Annotated[str, "no Param"] = "") -> Answer:
    """Never called."""
    return Answer([], lambda _: Frame(""))


@pytest.mark.parametrize("function", [odd, misplaced])
def test_a_declaration_that_has_no_schema_is_refused(function: Any) -> None:
    with pytest.raises(TypeError, match="is declared as"):
        tool(function, title="Odd", limit=100)
