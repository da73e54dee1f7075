"""Find out what every line that matches a pattern must hold, so that most lines need not be matched at all.

``needs_of`` reads the parse tree that Python's ``re`` makes of a pattern. Where it is not sure that ``regex``
reads the pattern the same way, it knows nothing, which is always right.
"""

from __future__ import annotations

import re
import re._constants as op  # type: ignore[import-not-found]  # it has no stubs
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# ASCII letters that have partners outside ASCII when case is ignored: dotted I, Kelvin sign, long s.
FOLDING = frozenset("iIkKsS")
MAX_LITERALS = 32  # alternatives beyond this are looked for faster by the pattern itself

# Read otherwise by ``regex``: POSIX classes and set operations.
_OTHERWISE = re.compile(r"\[\[|\[\^\[|\[:|--|&&|~~|\|\|")


@dataclass(frozen=True, slots=True)
class Needs:
    """Hold what is known of the lines that match.

    Attributes:
        literals: each of them holds at least one of these (lower case where ``fold``); empty if none is known.
        fold: whether case is ignored.
    """

    literals: tuple[str, ...] = ()
    fold: bool = False


def needs_of(pattern: str, *, ignore_case: bool) -> Needs:
    """Say what the lines hold that match a pattern; ``Needs()`` where that is not known."""
    tree = parsed(pattern, ignore_case=ignore_case)
    if tree is None:
        return Needs()
    fold = bool(tree.state.flags & re.IGNORECASE)
    reader = _Reader(fold)
    reader.read(tree)
    literals = reader.best()
    return Needs(tuple(literal.lower() for literal in literals) if fold else literals, fold)


def parsed(pattern: str, *, ignore_case: bool) -> Any:
    """Give the parse tree of a pattern; None where ``regex`` may read it otherwise."""
    if _OTHERWISE.search(pattern):
        return None
    try:
        tree = parser.parse(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError):
        return None
    return None if tree.state.flags & (re.VERBOSE | re.LOCALE) else tree


class _Reader:
    """Collect, along one path through a pattern, the sets of literals of which a match holds one each."""

    def __init__(self, fold: bool) -> None:
        self.fold = fold
        self.sets: list[tuple[str, ...]] = []
        self.run = ""

    def read(self, items: Iterable[tuple[Any, Any]]) -> None:
        """Go on along the path by these items."""
        for code, argument in items:
            if code is op.LITERAL and not self._folds_far(argument):
                self.run += chr(argument)
            elif code is op.SUBPATTERN and not (argument[1] | argument[2]) & re.IGNORECASE:
                self.read(argument[3])
            elif code is op.ATOMIC_GROUP:
                self.read(argument)
            elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and argument[0] > 0:
                self.read(argument[2])  # the first time; what follows need not adjoin it
                self.end_run()
            elif code is op.BRANCH:
                self._branch(argument[1])
            elif code not in (op.AT, op.ASSERT, op.ASSERT_NOT):  # these take no characters
                self.end_run()

    def end_run(self) -> None:
        """Close the literal that was being read."""
        if self.run:
            self.sets.append((self.run,))
        self.run = ""

    def best(self) -> tuple[str, ...]:
        """Give the most telling set: the one with the longest shortest literal."""
        self.end_run()
        return max(self.sets, key=lambda literals: (min(map(len, literals)), -len(literals)), default=())

    def _branch(self, alternatives: Iterable[Any]) -> None:
        self.end_run()
        together: dict[str, None] = {}
        for alternative in alternatives:
            reader = _Reader(self.fold)
            reader.read(alternative)
            literals = reader.best()
            if not literals:
                return
            together |= dict.fromkeys(literals)
        if len(together) <= MAX_LITERALS:
            self.sets.append(tuple(together))

    def _folds_far(self, code: int) -> bool:
        """Tell whether a character may match others that lower case does not lead to."""
        return self.fold and (code >= 0x80 or chr(code) in FOLDING)
