r"""Rewrite a pattern for lines so that it finds the same lines in a text of many: ``linewise``.

In the new pattern nothing takes a line break, so a line break is to it what the end of the text is to the old one.
Where that cannot be had or is not certain, there is no new pattern. Nothing is compiled or searched here.
"""

from __future__ import annotations

import re
import re._constants as op  # type: ignore[import-not-found]  # it has no stubs
from collections.abc import Iterable, Iterator
from typing import Any

from indexer.literals import parsed

# What takes a line break, and its other form that does not.
_WITHOUT_BREAK = {"\\s": r"[^\S\n]", "\\W": r"[^\w\n]", "\\D": r"[^\d\n]", ".": r"[^\n]"}
_FLAGS = re.compile(r"\(\?[aimsu]+\)")  # for the whole pattern, at its beginning
_BREAK = ord("\n")
_PLACES = (op.AT_BEGINNING, op.AT_END, op.AT_BOUNDARY)  # they are at a line's ends what they are at a text's
_CATEGORIES = (op.CATEGORY_DIGIT, op.CATEGORY_WORD, op.CATEGORY_NOT_SPACE)  # without the line break


def linewise(pattern: str, *, ignore_case: bool) -> str | None:
    r"""Give a pattern that takes, with ``MULTILINE`` set, each matching line once, from the match to its end.

    Args:
        pattern: an expression that has been compiled.
        ignore_case: whether it will be used so.
    """
    flags = _FLAGS.match(pattern)
    body = pattern[flags.end() :] if flags else pattern
    bound = "".join(_WITHOUT_BREAK.get(token, token) for token in tokens(body))
    tree = parsed((flags[0] if flags else "") + bound, ignore_case=ignore_case)
    if tree is None or not _takes_no_break(tree):
        return None
    return f"{flags[0] if flags else ''}(?:{bound})[^\\n]*\\n?"


def tokens(pattern: str) -> Iterator[str]:
    """Cut an expression into escapes, sets and other characters; negated sets come without the line break."""
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "\\":
            end = at + 2
        elif pattern[at] == "[":
            end = set_end(pattern, end)
        token = pattern[at:end]
        if token.startswith("[^"):
            rest = token[2:]
            # Behind the caret these two have another meaning than elsewhere.
            yield "[^\\n" + ("\\" if rest[:1] in ("]", "-") else "") + rest
        else:
            yield token
        at = end


def set_end(pattern: str, at: int) -> int:
    """Give the position after the set whose first item is at ``at``."""
    at += pattern.startswith("^", at)
    at += pattern.startswith("]", at)
    while at < len(pattern) and pattern[at] != "]":
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) > 0:
            at = end + 2
        else:
            at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _takes_no_break(items: Iterable[tuple[Any, Any]]) -> bool:
    return all(_item_takes_no_break(code, argument) for code, argument in items)


def _item_takes_no_break(code: Any, argument: Any) -> bool:
    if code in (op.LITERAL, op.NOT_LITERAL):
        return bool((argument == _BREAK) == (code is op.NOT_LITERAL))
    if code is op.IN:
        return _set_takes_no_break(argument)
    if code is op.AT:
        return argument in _PLACES
    if code is op.GROUPREF:
        return True
    return all(_takes_no_break(inside) for inside in _inside(code, argument))


def _inside(code: Any, argument: Any) -> list[Any]:
    """Give the sequences inside of an item; one that takes a break where the item is not known."""
    if code is op.SUBPATTERN and not (argument[1] | argument[2]) & (re.DOTALL | re.MULTILINE):
        return [argument[3]]
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [argument[2]]
    if code is op.ATOMIC_GROUP:
        return [argument]
    if code is op.BRANCH:
        return list(argument[1])
    if code in (op.ASSERT, op.ASSERT_NOT):
        return [argument[1]]
    return [[(op.LITERAL, _BREAK)]]


def _set_takes_no_break(members: list[tuple[Any, Any]]) -> bool:
    if members[0][0] is op.NEGATE:
        return (op.LITERAL, _BREAK) in members
    return all(_member_takes_no_break(code, argument) for code, argument in members)


def _member_takes_no_break(code: Any, argument: Any) -> bool:
    if code is op.CATEGORY:
        return argument in _CATEGORIES
    if code is op.RANGE:
        return not argument[0] <= _BREAK <= argument[1]
    return bool(argument != _BREAK)
