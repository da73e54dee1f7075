"""Compile the queries of languages: ``compiled`` for what a file defines, ``statement_query`` for its statements.

What the captures mean is told in ``indexer.parse``. The conditions of a query (``#eq?`` and the like) are taken out of
it and looked at by a ``Choice``: tree_sitter would ask the reader of the source anew for each text that it compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.syntax import grammar, query

if TYPE_CHECKING:
    from tree_sitter import Node, Query

    from indexer.languages import Language

LISTS = ("comment", "decorator", "import", "doc", "doc.file", "hidden", "modifier", "uncalled")

_RARER = ("owner", "receiver", "quiet", "forward", "member", "listed", "shown", "export")  # facts of definitions

REMEMBERED = 4096  # texts for each pattern whose outcome is remembered
REMEMBERED_BYTES = 64  # of such a text

_NOT_FOR_CHUNKS = ("reference.", "export", "import", "section.", "hidden", "uncalled")

_CAPTURE = re.compile(rb"@([a-z_.]+)")
_MARK = re.compile(rb'"(?:[^"\\]|\\.)*"|[()\[\]]')
_ALIKE = re.compile(rb"@(?:definition\.[a-z]+|section\.[a-z]+|comment|decorator)")
_CONDITION = re.compile(rb'\(#([a-z-]+)\?\s+@([a-z_.]+)((?:\s+"(?:[^"\\]|\\.)*")+)\s*\)')
_STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_OF_CHARACTERS = re.compile(rb"[\\.\x80-\xff]|\[\^")  # in an expression that finds other things in bytes
_ESCAPE = re.compile(rb"\\(.)")
_QUERY_COMMENT = re.compile(r"^\s*;.*$", re.MULTILINE)


# Plain tuples, as these are taken apart for every match: the name of a capture, a test, and whether that is of the text
# of the capture; else it is of the node.
Condition = tuple[str, Callable[[Any], object], bool]
# What a match is for: its group (a role up to its first dot, or "list"), its role, the name of the capture that has it,
# and which of ``_RARER`` its pattern has.
Use = tuple[str, str, str, tuple[str, ...]]
# What else there is, where the texts of captures decide what a match is for; that gives None where it is for nothing.
Choice = Callable[[dict[str, list["Node"]], bytes], Use | None]


_Possible = list[tuple[Use, tuple[Condition, ...]]]


class _Pattern(NamedTuple):
    text: bytes
    use: Use
    conditions: tuple[Condition, ...]
    needs: frozenset[bytes] | None


@cache
def compiled(
    language: Language, *, for_chunks: bool = False, has_rare: bool = True
) -> tuple[Query, list[tuple[Use, Choice | None]]]:
    """Compile the query of a language, once in a process, and say what the matches of each pattern are for.

    Patterns that differ in nothing else are compiled as one, as compiling and running take time for each.

    Args:
        language: whose query.
        for_chunks: whether definitions, comments and docs are enough.
        has_rare: whether any of ``rare_words`` is there.
    """
    alike: dict[bytes, list[_Pattern]] = {}
    for pattern in _patterns(language):
        if not (for_chunks and pattern.use[1].startswith(_NOT_FOR_CHUNKS)) and (has_rare or not pattern.needs):
            alike.setdefault(_ALIKE.sub(b"@", b" ".join(pattern.text.split())), []).append(pattern)
    uses: list[tuple[Use, Choice | None]] = []
    for patterns in alike.values():
        use = patterns[0].use
        possible = [((*each.use[:2], use[2], use[3]), _renamed(each, use[2])) for each in patterns]
        uses.append((use, _choice(possible) if patterns[0].conditions else None))
    return query(language.grammar, b"\n".join([first.text for first, *_ in alike.values()]).decode()), uses


def _renamed(pattern: _Pattern, capture: str) -> tuple[Condition, ...]:
    """Let conditions ask for a capture by the name that it has in the pattern that is compiled."""
    own = pattern.use[2]
    return tuple((capture if name == own else name, test, of_text) for name, test, of_text in pattern.conditions)


def _choice(possible: _Possible) -> Choice:
    """Give what chooses the first use whose conditions hold, by what it remembers of one text that all depend on."""
    texts = [{name for name, _, of_text in conditions if of_text} for _, conditions in possible]
    key = min(set.intersection(*texts), default="")
    parted: list[tuple[Use, list[Callable[[Any], object]], tuple[Condition, ...]]] = []
    for use, conditions in possible:
        tests = [test for name, test, of_text in conditions if of_text and name == key]
        parted.append((use, tests, tuple(each for each in conditions if each[0] != key or not each[2])))
    remembered: dict[bytes, _Possible] = {}

    def left(text: bytes) -> _Possible:
        return [(use, rest) for use, tests, rest in parted if all(test(text) for test in tests)]

    def choose(captures: dict[str, list[Node]], source: bytes) -> Use | None:
        deciding = captures.get(key, ())
        if len(deciding) == 1:
            text = source[deciding[0].start_byte : deciding[0].end_byte]
            known = remembered.get(text)
            if known is None:
                known = left(text)
                if len(text) <= REMEMBERED_BYTES:
                    if len(remembered) >= REMEMBERED:
                        remembered.clear()
                    remembered[text] = known
        else:
            known = possible
        for use, conditions in known:
            if not conditions or _hold(conditions, captures, source):
                return use
        return None

    return choose


@cache
def rare_words(language: Language) -> tuple[bytes, ...]:
    """Give the words without any of which a source has none of the exports and imports that are told by one."""
    return tuple(sorted(frozenset().union(*(pattern.needs or () for pattern in _patterns(language)))))


@cache
def _patterns(language: Language) -> list[_Pattern]:
    """Part the query of a language into its patterns, without their conditions."""
    text = "\n".join(query_text(name) for name in language.queries or (language.name,)).encode()
    starts: list[int] = []
    depth = 0
    for mark in _MARK.finditer(text):
        if mark[0] in b"([":
            starts += [mark.start()] if depth == 0 else []
            depth += 1
        elif mark[0] in b")]":
            depth -= 1
    written = [text[start:end] for start, end in pairwise((*starts, len(text)))]
    return [_pattern(each) for each in written]


def _pattern(written: bytes) -> _Pattern:
    conditions = list(_CONDITION.finditer(written))
    plain = _CONDITION.sub(b"", written)
    captures = {name.decode() for name in _CAPTURE.findall(plain)}
    role = _role(captures)
    group = "list" if role in LISTS else role.partition(".")[0] if role != "reference.on" else role
    needs: frozenset[bytes] | None = None
    if role.startswith(("export", "import")):
        words = [_values(found) for found in conditions if found[1] in (b"eq", b"any-of")]
        needs = frozenset(words[0]) if words else None
    rarer = tuple(name for name in _RARER if name in captures)
    return _Pattern(plain, (group, role, role, rarer), tuple(map(_condition, conditions)), needs)


def _condition(found: re.Match[bytes]) -> Condition:
    """Read ``(#match? @name "expression")``, ``(#any-of? @name "a" "b")``, ``(#eq? @name "a")`` and their ``not-``.

    ``(#child-of? @name "a" "b")`` asks for the type of the parent: a pattern that begins with that instead is kept in
    mind for as long as the parent goes on, at each node in it.
    """
    word, capture = found[1].decode(), found[2].decode()
    values = _values(found)
    kind = word.removeprefix("not-")
    test: Callable[[Any], object]
    if kind == "match":
        test = _test(values[0])
    elif kind == "child-of":
        test = _parent_test({value.decode() for value in values})
    elif kind in ("eq", "any-of"):
        test = frozenset(values).__contains__
    else:
        raise ValueError(f"a query has the condition #{word}?")
    return capture, test if kind == word else lambda tested: not test(tested), kind != "child-of"


def _parent_test(types: Set[str]) -> Callable[[Node], bool]:
    def test(node: Node) -> bool:
        parent = node.parent
        return parent is not None and parent.type in types

    return test


def _test(written: bytes) -> Callable[[bytes], object]:
    """Give what searches a text for an expression: without decoding it where that changes nothing."""
    if not _OF_CHARACTERS.search(written):
        return re.compile(written).search
    expression = re.compile(written.decode())
    return lambda text: expression.search(text.decode("utf-8", "replace"))


def _values(found: re.Match[bytes]) -> list[bytes]:
    return [_ESCAPE.sub(rb"\1", each) for each in _STRING.findall(found[3])]


def _hold(conditions: tuple[Condition, ...], captures: dict[str, list[Node]], source: bytes) -> bool:
    """Say whether a match fulfils what its pattern demands of the texts of its captures, and of where they stand."""
    for name, test, of_text in conditions:
        for captured in captures.get(name, ()):
            if not test(source[captured.start_byte : captured.end_byte] if of_text else captured):
                return False
    return True


@cache
def has_forwards(language: Language) -> bool:
    """Say whether its query tells declarations from definitions: which are alike is told by their parameters."""
    return any("@forward" in query_text(name) for name in language.queries or (language.name,))


def query_text(name: str) -> str:
    """Read a query file, without comments."""
    text = (files("indexer.languages") / f"{name}.scm").read_text(encoding="utf-8")
    return _QUERY_COMMENT.sub("", text)


def _role(captures: set[str]) -> str:
    known = sorted(name for name in captures if not name.startswith("_"))
    for prefix in ("definition.", "scope", "wrap", "export", "reference.on", "section.", "doc.of"):
        for name in known:
            if name.startswith(prefix):
                return name
    return next(name for name in known if name == "reference.call" or name in LISTS)


@cache
def fields(language: Language) -> dict[str, int]:
    """Give the numbers of the fields that are looked for in definitions; by name, each look would compare strings."""
    known = grammar(language.grammar)
    numbers = {name: known.field_id_for_name(name) for name in ("body", "parameters", "parameter")}
    return {name: number for name, number in numbers.items() if number is not None}


@cache
def statement_query(language: Language) -> Query:
    """Compile what finds the statements of a language, as the ``blocks`` of its row define them."""
    return query(language.grammar, " ".join(f"({block} (_) @statement)" for block in language.blocks))
