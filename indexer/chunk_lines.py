"""Cut stretches of lines where they are cut well: ``windows`` for what is too long, ``is_closing`` for what ends it.

Judges by the look of the lines alone, so it serves code of any language and text of none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

LONGEST = 62  # lines of one chunk
WINDOW = 50  # lines after which a longer stretch is cut, about
SHORTEST = 25  # lines of a part of a longer stretch, at least

_CLOSING = re.compile(r"\s*(?:[\])}]+|end|fi|done|esac|\*/|-\})[;,.)\]}]*\s*$")
# Lines that go on with what the line before began.
_GOES_ON = re.compile(
    r"\s*(?:[\])}.,?:&|]|(?:else|elif|elsif|elseif|except|rescue|ensure|finally|catch|then|do|end|fi|done|esac|until"
    r"|and|or)\b|#\s*(?:else|elif|endif)\b)"
)
_BELONGS_BELOW = re.compile(r"\s*(?:#(?!\s*(?:endif|include)\b)|//|--\s|\*/|@\w)")
_NEVER = 1_000  # of indentation, worse than any
_BEST_JOIN = -2.5  # below a blank line


def windows(lines: Sequence[str], start: int, end: int, unbroken: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """Part rows ``start`` to ``end`` (0-based, inclusive) into stretches of at most ``LONGEST`` rows.

    A stretch ends before the least indented row that begins something, best after a blank row, near ``WINDOW``.
    ``unbroken`` are rows before which no stretch may end where that can be helped.
    """
    while (rest := end - start + 1) > LONGEST:
        cut = _best_cut(lines, start, WINDOW if rest >= WINDOW + SHORTEST else rest // 2, unbroken)
        yield start, cut - 1
        start = cut
    yield start, end


def stripped(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Leave out the blank rows at both ends; the end is before the start where all are blank."""
    while start <= end and not lines[start].strip():
        start += 1
    while end >= start and not lines[end].strip():
        end -= 1
    return start, end


def is_closing(lines: Sequence[str], start: int, end: int) -> bool:
    """Say whether rows hold nothing but what closes the blocks around them."""
    return all(not lines[row].strip() or _CLOSING.match(lines[row]) for row in range(start, end + 1))


def _best_cut(lines: Sequence[str], start: int, aim: int, unbroken: Collection[int]) -> int:
    best, least = start, (True, float("inf"))
    for row in range(start + SHORTEST, start + LONGEST + 1):
        line, distance, is_inside = lines[row], abs(row - start - aim) / 10, row in unbroken
        badness: float = _NEVER
        if line.strip():
            indent = indentation(line)
            if (is_inside, indent + _BEST_JOIN + distance) >= least:
                continue  # whatever the expressions would say
            badness = (_NEVER if _GOES_ON.match(line) else indent) + _join(lines[row - 1]) + distance
        if (is_inside, badness) < least:
            best, least = row, (is_inside, badness)
    return best


def _join(above: str) -> float:
    """Say how bad it is to cut below a line."""
    if _BELONGS_BELOW.match(above):
        return 4
    return 0 if above.strip() else _BEST_JOIN


def indentation(line: str) -> int:
    """Give the columns before the first character of a line, tabs being 4 wide."""
    expanded = line.expandtabs(4) if "\t" in line else line
    return len(expanded) - len(expanded.lstrip())
