"""Read and write addresses, the one form in which every line is named and asked for.

    src/a.py              a file or folder
    src/a.py:10           line 10
    src/a.py:10-24        lines 10 to 24
    src/a.py:10-          from line 10 on
    src/a.py:10@4096      line 10 from character 4096 (counted from 0) on
    src/a.py:10@4096-24   from there to the end of line 24; with a bare ``-``, to the end of the file
    src/a.py#Class.method the definition of that name

``parse`` is the only reader. A path that itself looks like ``name:12`` is found by the caller asking
whether the whole text exists as a path first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codectx.errors import invalid_argument

_LINES = re.compile(
    r"(?P<path>.+?):(?P<start>\d{1,15})(?:@(?P<offset>\d{1,15}))?(?P<open>-(?P<end>\d{1,15})?)?", re.DOTALL
)
_SYMBOL = re.compile(r"(?P<path>[^#]+)#(?P<symbol>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """Name a file, folder, lines of a file, or a definition in it.

    Attributes:
        path: as given.
        start: first line, None for the whole.
        end: last line, None for open ranges and wholes.
        offset: characters of line ``start`` to leave out.
        symbol: name of a definition (``Class.method``), instead of lines.
    """

    path: str
    start: int | None = None
    end: int | None = None
    offset: int = 0
    symbol: str = ""

    def __str__(self) -> str:
        if self.symbol:
            return f"{self.path}#{self.symbol}"
        if self.start is None:
            return self.path
        offset = f"@{self.offset}" if self.offset else ""
        if self.end == self.start:
            return f"{self.path}:{self.start}{offset}"
        return f"{self.path}:{self.start}{offset}-{'' if self.end is None else self.end}"


def parse(text: str) -> Address:
    """Read an address.

    Raises:
        UserError: invalid_argument for line 0 or a reversed range.
    """
    if lines := _LINES.fullmatch(text):
        start = int(lines["start"])
        end = start if lines["open"] is None else int(lines["end"]) if lines["end"] else None
        check_range(start, end, text)
        return Address(lines["path"], start, end, int(lines["offset"] or 0))
    if symbol := _SYMBOL.fullmatch(text):
        return Address(symbol["path"], symbol=symbol["symbol"].replace("::", ".").strip())
    return Address(text)


def check_range(start: int | None, end: int | None, shown: str) -> None:
    """Refuse lines before 1 and ranges that end before they start."""
    if start is not None and start < 1:
        raise invalid_argument(f"start is {start} in {shown}", "lines count from 1")
    if end is not None and end < (start or 1):
        raise invalid_argument(f"the range {start or 1}-{end} is reversed", f"ask for {end}-{start or 1}")
