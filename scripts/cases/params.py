"""Reduce parameters as written to their names, in any of the supported languages: ``names_of``."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RECEIVERS = re.compile(r"self|cls|&(?:'\w+ )?(?:mut )?self|(?:mut )?self(?::.*)?|this")
_WORD = r"[^\W\d][\w$]*"
_MARK = re.compile(r"\*\*|\*|\.\.\.|&")
_NAME_FIRST = ("go", "sql")  # ``kg int``; elsewhere a type stands before the name


def names_of(params: Sequence[str], language: str | None) -> list[str]:
    """Give the names in order, with ``*``, ``**``, ``...`` and ``&`` as written; no receiver, no bare marker."""
    names = [_name(" ".join(param.split()), language) for param in params]
    left_out = ("*", "/", *(("void",) if language in ("c", "cpp") else ()))
    return [name for name in names if name not in left_out and not _RECEIVERS.fullmatch(name)]


def same(found: str, wanted: str) -> bool:
    """Compare two names; destructured ones loosely, by the words in them, and unnamed ones not at all."""
    if wanted[:1] in ("{", "[", "("):
        return found[:1] == wanted[:1] and re.findall(_WORD, found) == re.findall(_WORD, wanted)
    return found == wanted or (not wanted and " " not in found)


def _name(param: str, language: str | None) -> str:
    if _RECEIVERS.fullmatch(param):
        return param
    param = _before(param, "=")
    if param[:1] in ("{", "[", "("):
        return _before(param, ":")
    if found := re.search(r"&?(?:\.\.\.)?\$\w+", param):  # PHP
        return found[0]
    mark = _MARK.match(param)
    lead = mark[0] if mark else ""
    return lead + _bare(param[len(lead) :].strip(), language)


def _bare(param: str, language: str | None) -> str:
    before_type = _before(param, ":")
    if before_type != param:
        return _last_word(before_type)
    if language in _NAME_FIRST:
        return re.sub(r"^(?:IN|OUT|INOUT) ", "", param).split(" ")[0]
    if found := re.search(rf"\(\s*[*^&]\s*({_WORD})", param):  # a pointer to a function
        return found[1]
    return _last_word(re.sub(r"(?:\[[^\]]*\])+$", "", param))


def _before(param: str, mark: str) -> str:
    """Give what stands before a mark that is in no brackets; ``::``, ``=>`` and ``==`` are other marks."""
    depth = 0
    for at, char in enumerate(param):
        depth += (char in "([{<") - (char in ")]}>" and param[at - 1 : at] not in ("-", "="))
        double = param[at : at + 2] in ("::", "=>", "==") or param[max(at - 1, 0) : at + 1] in ("::", "==")
        if char == mark and depth == 0 and not double:
            return param[:at].strip()
    return param


def _last_word(text: str) -> str:
    """Give the name at the end: after modifiers (``private readonly``) or a type."""
    found = re.search(rf"{_WORD}$", text.rstrip("?").strip())
    return found[0] if found else text
