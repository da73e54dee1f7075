"""Declare a tool: one typed function gives the MCP schema, the command's flags and the help.

``tool(...)`` reads the function's signature: its first parameter is the ``Project``, the others
are the arguments, each ``Annotated[str | int | bool, Param(...)]``. ``Tool.bind`` turns the
arguments of a call into keyword arguments or raises a ``UserError`` of category invalid_argument.
Every tool also takes ``max_tokens``, which the function never sees: cutting is not its business.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

from codectx.errors import invalid_argument

if TYPE_CHECKING:
    from codectx.answer import Answer

MIN_TOKENS = 100  # the smallest answer that can hold a header, a notice and some content
HARD_MAX_TOKENS = 7000  # below the 10,000 tokens at which Claude Code starts to warn
MAX_TEXT = 10_000  # characters of one argument; longer ones are mistakes
_JSON_TYPES = {str: "string", int: "integer", bool: "boolean"}
_MAX_BITS = 63  # of a whole number; beyond it no argument means anything, and printing may fail


@dataclass(frozen=True, slots=True)
class Param:
    """Describe one argument: its help text and its bounds (numbers, or lengths in characters)."""

    description: str = ""
    minimum: int | None = None
    maximum: int | None = None
    min_length: int | None = None
    max_length: int = MAX_TEXT


@dataclass(frozen=True, slots=True)
class Parameter:
    """Hold one argument of a tool as declared: name, type (str, int or bool), default, bounds."""

    name: str
    type: type
    param: Param
    required: bool
    default: Any = None


MAX_TOKENS = Parameter("max_tokens", int, Param(minimum=MIN_TOKENS, maximum=HARD_MAX_TOKENS), required=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """Hold a tool as server, command line, docs and tests see it.

    Attributes:
        name: snake_case; the command is the same with hyphens.
        title: for people, in clients' menus.
        description: what agents read; opens with the question it answers.
        limit: default limit of an answer, in LLM tokens.
        run: the function; takes the project and the bound arguments, gives an ``Answer``.
        parameters: the arguments in order, ``max_tokens`` last.
        meta: the ``_meta`` map of ``tools/list``.
    """

    name: str
    title: str
    description: str
    limit: int
    run: Callable[..., Answer]
    parameters: tuple[Parameter, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments of a call and give them by name, defaults filled in, ``max_tokens`` included.

        Raises:
            UserError: invalid_argument, naming the argument and what it takes.
        """
        known = {p.name: p for p in self.parameters}
        for name in arguments:
            if name not in known:
                near = nearest(str(name), known)
                hint = f"did you mean {near}?" if near else f"it takes {', '.join(known)}"
                raise invalid_argument(f"{self.name} has no argument {_shown(name)}", hint)
        bound: dict[str, Any] = {}
        for parameter in self.parameters:
            value = arguments.get(parameter.name)
            if value is None:
                if parameter.required:
                    raise invalid_argument(f"{self.name} needs {parameter.name}", _takes(parameter))
                bound[parameter.name] = parameter.default
            else:
                bound[parameter.name] = check(parameter, value)
        return bound

    @property
    def own_parameters(self) -> tuple[Parameter, ...]:
        """Give the parameters of the function itself: all but ``max_tokens``."""
        return self.parameters[:-1]

    @property
    def input_schema(self) -> dict[str, Any]:
        """Give the JSON schema of the arguments, without titles."""
        properties: dict[str, Any] = {}
        for p in self.parameters:
            schema: dict[str, Any] = {"type": _JSON_TYPES[p.type]}
            if p.param.description:
                schema["description"] = p.param.description
            if p.param.minimum is not None:
                schema["minimum"] = p.param.minimum
            if p.param.maximum is not None:
                schema["maximum"] = p.param.maximum
            if p.param.min_length is not None:
                schema["minLength"] = p.param.min_length
            if p.default not in (None, "", False) and p.required is False:
                schema["default"] = p.default
            properties[p.name] = schema
        required = [p.name for p in self.parameters if p.required]
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def tool(run: Callable[..., Answer], *, title: str, limit: int, meta: Mapping[str, Any] | None = None) -> Tool:
    """Make a tool of a function; its name and docstring become the tool's.

    Raises:
        TypeError: an argument is declared as something else than text, whole number or truth value.
    """
    hints = get_type_hints(run, include_extras=True)
    parameters = []
    for name, declared in list(inspect.signature(run).parameters.items())[1:]:
        required = declared.default is inspect.Parameter.empty
        hint, param = hints[name], Param()
        if get_origin(hint) is Annotated:
            hint, param = get_args(hint)[:2]
        optional = get_origin(hint) in (Union, UnionType)
        base = next((t for t in (get_args(hint) if optional else (hint,)) if t is not type(None)), None)
        if base not in _JSON_TYPES or not isinstance(param, Param):
            raise TypeError(
                f"{run.__name__}: {name} is declared as {hint}, not Annotated[str | int | bool, Param(...)]"
            )
        parameters.append(Parameter(name, base, param, required, None if required else declared.default))
    description = " ".join((inspect.getdoc(run) or "").split())
    return Tool(run.__name__, title, description, limit, run, (*parameters, MAX_TOKENS), meta or {})


def check(parameter: Parameter, value: Any) -> Any:
    """Give a value as the parameter's type, within its bounds; raises ``UserError`` invalid_argument."""
    checked = _coerce(parameter, value)
    param = parameter.param
    if isinstance(checked, str):
        if param.min_length and len(checked.strip()) < param.min_length:
            raise invalid_argument(f"{parameter.name} is empty", _takes(parameter))
        if len(checked) > param.max_length:
            raise invalid_argument(
                f"{parameter.name} has {len(checked)} characters", f"it takes at most {param.max_length}"
            )
        if "\0" in checked:
            raise invalid_argument(f"{parameter.name} holds a NUL character", "leave it out")
    elif not isinstance(checked, bool) and (
        checked.bit_length() > _MAX_BITS
        or (param.minimum is not None and checked < param.minimum)
        or (param.maximum is not None and checked > param.maximum)
    ):
        raise invalid_argument(f"{parameter.name} is {_shown(checked)}", _takes(parameter))
    return checked


def _coerce(parameter: Parameter, value: Any) -> Any:
    """Accept what agents often send instead: "2" or 2.0 for 2, "true" for true."""
    if parameter.type is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
    elif parameter.type is int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str):
            try:
                return int(value.strip())
            except ValueError:
                pass
    elif isinstance(value, str):
        return value
    raise invalid_argument(f"{parameter.name} is {_shown(value)}", _takes(parameter))


def _takes(parameter: Parameter) -> str:
    kind = {str: "a text", int: "a whole number", bool: "true or false"}[parameter.type]
    low, high = parameter.param.minimum, parameter.param.maximum
    if low is not None and high is not None:
        kind += f" from {low} to {high}"
    elif low is not None:
        kind += f" of at least {low}"
    return f"{parameter.name} takes {kind}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that a mistaken one most likely means, if any is near."""
    import difflib

    matches = difflib.get_close_matches(name[:100], list(known), 1)
    return matches[0] if matches else None


def _shown(value: Any) -> str:
    """Show a value of any JSON type in a few words, however large or deep it is."""
    if isinstance(value, str):
        return f"{value[:40]}..." if len(value) > 40 else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= _MAX_BITS):
        return str(value)
    return {int: "out of range", list: "a list", dict: "an object"}.get(type(value), "something else")
