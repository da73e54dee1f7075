r"""Turn a search pattern into what grep needs: a checked expression, and what every matching line must hold.

``compile_pattern`` is the main function. Patterns mean what they mean to Python's ``re``, with the additions of
the ``regex`` module (``\p{L}``, ``[[:alpha:]]``) but without its approximate matching, and are matched against
single lines. Nothing is searched here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.errors import IndexerError
from indexer.linewise import linewise, set_end
from indexer.literals import Needs, needs_of

if TYPE_CHECKING:
    import regex

MAX_WIDTH = 20_000  # characters that a match has at least; 1,000,000 cost a second and hundreds of megabytes to compile

_COUNT = re.compile(r"\{(?:(\d+)(?:,\d*)?|,\d*)\}")
_MAX_DIGITS = 9  # of a count that is read as a number
_NAMED = "pPN"  # escapes that may be followed by a name in braces
_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_ASCII_RUN = re.compile(r"[\x20-\x7e]+")


class PatternError(IndexerError):
    """Report a pattern that is no regular expression, or one that must not be compiled."""

    category = "invalid_argument"

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason, position)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        return self.reason if self.position is None else f"{self.reason} at position {self.position}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Hold a pattern ready for use.

    Attributes:
        line: decides whether a line, given without its line break, matches.
        text: takes each such line once, from the match to its end, in a text of many lines; None where no such
            expression is known.
        literals: each matching line holds at least one of them (lower case where ``fold``); empty if none is known.
        fold: whether ``literals`` are to be looked for regardless of case.
        plain: whether a line matches just if it holds the one literal.
    """

    line: regex.Pattern[str]
    text: regex.Pattern[str] | None = None
    literals: tuple[str, ...] = ()
    fold: bool = False
    plain: bool = False

    @property
    def ascii_literals(self) -> tuple[str, ...]:
        """Give the parts of ``literals`` that any encoding in use leaves as they are; empty if one has none."""
        runs = [max(_ASCII_RUN.findall(literal), key=len, default="") for literal in self.literals]
        return tuple(runs) if all(runs) else ()


def compile_pattern(source: str, *, fixed: bool = False, ignore_case: bool = False) -> Pattern:
    """Check and compile a pattern.

    Args:
        source: the pattern as somebody typed it.
        fixed: take it literally.
        ignore_case: match regardless of case.

    Raises:
        PatternError: it is no regular expression, repeats too much, or nests too deeply.
    """
    import regex

    expression, added = (re.escape(source), []) if fixed else _literal_braces(source)
    flags = regex.VERSION0 | (regex.IGNORECASE if ignore_case else 0)
    if not fixed and _width(expression) > MAX_WIDTH:
        raise PatternError(f"it repeats too often: a match has more than {MAX_WIDTH} characters")
    try:
        line = regex.compile(expression, flags)
        needs = needs_of(expression, ignore_case=ignore_case)
        bound = linewise(expression, ignore_case=ignore_case)
        text = None if bound is None else regex.compile(bound, flags | regex.MULTILINE)
    except regex.error as error:
        raise PatternError(*_explained(error, added)) from None
    except ValueError:  # only flags are told so
        raise PatternError("its flags contradict each other, or (?V1) is among them, which is not supported") from None
    except (RecursionError, OverflowError, MemoryError):
        raise PatternError("it is too deeply nested or too large") from None
    plain = needs == Needs((source,)) and "\n" not in source and (fixed or not has_metacharacters(source))
    return Pattern(line, text, needs.literals, needs.fold, plain)


def has_metacharacters(source: str) -> bool:
    """Tell whether a pattern means anything else than its own text."""
    return _META.search(source) is not None


def _literal_braces(source: str) -> tuple[str, list[int]]:
    """Escape each brace that opens no count, and give where; ``regex`` would read ``x{i}`` as an approximate match."""
    parts: list[str] = []
    added: list[int] = []
    at = length = 0
    while at < len(source):
        end = at + 1
        if source[at] == "\\":
            end = at + 2
            if source[at + 1 : at + 2] and source[at + 1] in _NAMED and source.startswith("{", end):
                end = source.find("}", end) + 1 or len(source)
        elif source[at] == "{":
            count = _COUNT.match(source, at)
            if count is None:
                parts.append("\\")
                added.append(length)
                length += 1
            else:
                end = count.end()
        parts.append(source[at:end])
        length += end - at
        at = end
    return "".join(parts), added


def _width(expression: str) -> int:
    """Estimate how many characters a match has at least; alternatives count as if they followed each other."""
    totals, last, at = [0], 0, 0
    while at < len(expression):
        char = expression[at]
        if count := _COUNT.match(expression, at):
            least = int((count[1] or "0")[:_MAX_DIGITS])
            totals[-1] += last * (least - 1) if least else 0
            last *= max(least, 1)
            at = count.end()
            continue
        at += 2 if char == "\\" else 1
        if char == "(":
            totals.append(0)
        elif char == ")" and len(totals) > 1:
            last = totals.pop()
            totals[-1] += last
        elif char not in "*+?|^$":
            if char == "[":
                at = set_end(expression, at)
            last = 1
            totals[-1] += 1
        if totals[-1] > MAX_WIDTH:
            break
    return max(totals)


def _explained(error: Any, added: list[int]) -> tuple[str, int | None]:
    """Give the reason and the position in the pattern as it was typed."""
    if error.pos is None:
        return str(error.msg), None
    return str(error.msg), error.pos - sum(1 for position in added if position < error.pos)
