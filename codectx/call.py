"""Write and read the calls that notices name: ``read_lines("a.py", start=24, end=80)``.

The first argument stands without its name; strings are JSON strings, so a call survives any
pattern or path, stays on one line and hides nothing: invisible characters are escaped.
``parse_call`` is the inverse of ``str(call)``; scripts follow notices with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_NAME = re.compile(r"[a-z_]+")
_KEYWORD = re.compile(r"\s*([a-z_]+)\s*=\s*")
_DECODER = json.JSONDecoder()
# What JSON leaves as it is and no reader can see: controls, marks of direction, joiners, separators, tags.
_INVISIBLE = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Call:
    """Name a tool and the arguments of one call; the first argument is the tool's first parameter."""

    tool: str
    arguments: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [
            _written(value) if n == 0 else f"{name}={_written(value)}"
            for n, (name, value) in enumerate(self.arguments.items())
        ]
        return f"{self.tool}({', '.join(parts)})"


def parse_call(text: str, first: Mapping[str, str]) -> Call:
    """Read a call back from a notice.

    Args:
        text: the call, as ``str(call)`` wrote it.
        first: for each tool the name of its first parameter.

    Raises:
        ValueError: the text is not of that form, or names a tool that ``first`` lacks.
    """
    name = _NAME.match(text)
    if name is None or text[name.end() : name.end() + 1] != "(" or not text.endswith(")"):
        raise ValueError(f"not a call: {text!r}")
    if name[0] not in first:
        raise ValueError(f"no such tool: {name[0]!r}")
    arguments: dict[str, Value] = {}
    at, end = name.end() + 1, len(text) - 1
    while at < end:
        keyword = _KEYWORD.match(text, at)
        key = keyword[1] if keyword else first[name[0]]
        at = keyword.end() if keyword else at
        value, at = _DECODER.raw_decode(text, at)
        if key in arguments:
            raise ValueError(f"{key!r} is given twice: {text!r}")
        arguments[key] = value
        if text.startswith(", ", at):
            at += 2
        elif at != end:
            raise ValueError(f"not a call: {text!r}")
    return Call(name[0], arguments)


def _written(value: Value) -> str:
    return _INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], json.dumps(value, ensure_ascii=False))
