"""Blank out what keeps the grammar of C and C++ from reading a file: ``without_macros``.

The grammar knows nothing of the preprocessor. A line that is only ``Q_OBJECT`` or ``MY_API(2)`` is no code to it, and
where the branches of an ``#if`` each open a brace that is closed once below, nothing fits. Spaces take the place of
such lines, and of all branches but the first, so that nothing moves. Macros are not expanded.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

MAX_NESTED = 32  # conditions within conditions that are looked at

# All begin with a line break, which is found fast; one is put before the first line.
_WORD = re.compile(
    rb"\n[ \t]*([A-Z][A-Z0-9_]{2,80}(?:\((?:[^(){};\n]|\([^(){};\n]*\))*\)|[ \t]*:)?)[ \t]*(?://[^\n]*)?\r?(?=\n|\Z)"
)
_WORDS = re.compile(
    rb"\n[ \t]*(?=[A-Zsicvef])(?:(?:static|inline|constexpr|virtual|explicit|friend|extern)[ \t]+)*"
    rb"(?=[A-Z][A-Z0-9_]*(?:\([^()\n]*\))?[ \t]+[A-Za-z_~])"  # rules most lines out before the slow part
    rb"((?:[A-Z][A-Z0-9_]{0,40}(?:INLINE|CONSTE|API|EXPORT|IMPORT|EXTERN|STATIC|DEPRECATED|NODISCARD|NORETURN|"
    rb"EXPLICIT|VISIB|VARIABLE|ATTR|UNUSED|CALL)[A-Z0-9_]{0,40}(?:\([^()\n]*\))?[ \t]+|"
    rb"(?:INLINE|STATIC|EXTERN|EXPORT|API)[ \t]+)+)(?=[A-Za-z_~])"
)
# One expression for each word: what begins with a word is found far faster than what begins with one of several.
_OF_TYPE = tuple(
    re.compile(word + rb"[ \t]+([A-Z][A-Z0-9_]{2,80}(?:\([^()\n]*\))?)(?=[ \t]+\w+[ \t\r\n]*[:{f<])")
    for word in (b"class", b"struct", b"union")
)
# What is said of a function behind its parameters: ``int f() REQUIRES(lock) {``.
_BEHIND = re.compile(
    rb"\)(?:[ \t\r\n]+(?:const|override|final|noexcept))*[ \t\r\n]+"
    rb"([A-Z][A-Z0-9_]{2,80}\((?:[^(){};\n]|\([^(){};\n]*\))*\))"
    rb"(?=[ \t\r\n]*(?:const|override|final|noexcept|\{))"
)
# What C had between the parameters and the body of a function before it had prototypes: ``f(a) int a; {``.
_COMMENTS = rb"\s*+(?:/\*(?:[^*]|\*(?!/)){0,300}+\*/\s*+){0,3}+"
_PARAMETER_TYPES = re.compile(
    rb"\n(?=[A-Za-z_])(?!(?:if|for|while|switch|else)\b)[\w \t*]{1,200}+\(\s*+\w++(?:\s*+,\s*+\w++){0,30}+\s*+\)"
    rb"((?:" + _COMMENTS + rb"[A-Za-z_]\w*+[\s*][\w\s*,()\[\]]{1,200}+;){1,30}+)(?=" + _COMMENTS + rb"\{)"
)
_TYPE_OF_PARAMETER = re.compile(rb"/\*(?:[^*]|\*(?!/))*+\*/|([A-Za-z_][^;/]*+;)")
_NAME_BYTES = frozenset(byte for byte in range(128) if chr(byte).isalnum() or chr(byte) == "_")
_ENDS = frozenset((b"", b";", b"{", b"}", b">", b":"))
_BEFORE = frozenset(b";{}>:/")  # last byte of what may stand before such a line; "/" of a block comment
_LINE_BEFORE = re.compile(rb"\s*(?:#|//)")  # a line after which a declaration may begin, whatever it ends with
_AFTER = re.compile(rb"[ \t\r\n]*(?:[A-Za-z_~\[#/]|$)")
_ATTRIBUTE = re.compile(rb"(?!\w+_(?:BEGIN|END|OBJECT)\b)[^\n]*\n[ \t]*[A-Za-z_~\[]")
_BACKSLASH = ord("\\")

_DIRECTIVE = re.compile(rb"\n[ \t]*#[ \t]*(if|el|endif)(?:[^\n]*\\\r?\n)*[^\n]*")
_NO_CODE = re.compile(
    rb"^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*$|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/",
    re.DOTALL | re.MULTILINE,
)
_COMPLETE = frozenset(b";{},:>")  # last byte of a branch that can be read by itself
_PLAIN_LINE = re.compile(rb"[^\"'/#*]*")
_VISIBLE = re.compile(rb"[^\r\n]")


def without_macros(source: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Give the source with spaces for what is no code, and the places of macros directly above a declaration."""
    whole = _with_one_branch(b"\n" + source)
    alone = [found.span(1) for found in _WORD.finditer(whole) if _is_alone(whole, found.start(), found.end())]
    of_type = [
        found.span(1)
        for words in _OF_TYPE
        for found in words.finditer(whole)
        if whole[found.start() - 1] not in _NAME_BYTES
    ]
    types = [
        found.span(1)
        for head in _PARAMETER_TYPES.finditer(whole)
        for found in _TYPE_OF_PARAMETER.finditer(whole, *head.span(1))
        if found[1]
    ]
    cuts = sorted(
        chain(alone, of_type, types, *((found.span(1) for found in each.finditer(whole)) for each in (_WORDS, _BEHIND)))
    )
    pieces, at = [], 1
    for start, end in cuts:
        if start >= at:
            pieces += [whole[at:start], _VISIBLE.sub(b" ", whole[start:end])]
            at = end
    attributes = [(start - 1, end - 1) for start, end in alone if _ATTRIBUTE.match(whole, start)]
    return b"".join((*pieces, whole[at:])), attributes


def _is_alone(source: bytes, start: int, end: int) -> bool:
    """Say whether the line is neither part of an expression or list, nor the head of a body."""
    last = start
    while last >= 0 and source[last] in b" \t\r\n":
        last -= 1
    if last >= 0 and source[last] not in _BEFORE:
        line = source[source.rfind(b"\n", 0, last) : last + 1]
        code = line.partition(b"//")[0].strip()
        if line[-1] == _BACKSLASH or not (_LINE_BEFORE.match(line) or _WORD.match(line) or code[-1:] in _ENDS):
            return False
    return _AFTER.match(source, end) is not None


def _with_one_branch(source: bytes) -> bytes:
    """Keep only the first branch of an ``#if`` whose branches all open a brace, or that ends within a statement."""
    left = bytearray(source)
    groups: list[list[tuple[int, int]]] = []  # of each open #if the places of its directives
    for directive in _DIRECTIVE.finditer(source):
        place = directive.start() + 1, directive.end()
        if directive[1] == b"if":
            groups.append([place])
        elif groups:
            groups[-1].append(place)
            group = groups.pop() if directive[1] == b"endif" else []
            if group and len(groups) < MAX_NESTED:
                _keep_first(left, group)
    return bytes(left)


def _keep_first(source: bytearray, directives: list[tuple[int, int]]) -> None:
    if len(directives) == 2 and _ends_whole(bytes(source[directives[0][1] : directives[1][0]])):
        return
    branches = [_NO_CODE.sub(b"", bytes(source[one[1] : other[0]])) for one, other in pairwise(directives)]
    balances = {branch.count(b"{") - branch.count(b"}") for branch in branches}
    parts_a_brace = len(branches) > 1 and len(balances) == 1 and balances != {0}
    first = branches[0].rstrip()
    if parts_a_brace or (first and first[-1] not in _COMPLETE):
        for start, end in (directives[0], (directives[1][0], directives[-1][1])):
            source[start:end] = _VISIBLE.sub(b" ", bytes(source[start:end]))


def _ends_whole(branch: bytes) -> bool:
    """Say whether, by a look at its last lines, a branch surely ends with a whole statement."""
    end = len(branch)
    while end > 0:
        start = branch.rfind(b"\n", 0, end) + 1
        line = branch[start:end].strip()
        end = start - 1
        if not line or line.startswith((b"#", b"//")) or (line.startswith(b"/*") and line.find(b"*/") == len(line) - 2):
            continue
        return line[-1] in b";}" and _PLAIN_LINE.fullmatch(line) is not None and branch[:end][-1:] != b"\\"
    return False
