"""Hold the symbols of one file against what a witness says it defines: ``compare``; ``Tally`` adds the files up.

Knows no witness and reads no file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from indexer.model import Symbol
from witness.known import KNOWN, Known, whole_name

LEAST_SHARE = 0.99  # of a language's definitions that must be found, or differ for a known reason
SAMPLES = 5  # shown of each rule and kind
MOST_KNOWN = 0.01  # of a language's definitions that may differ for known reasons
# Languages in which one function has several clauses, each of which a witness calls a definition.
CLAUSES = frozenset(("elixir", "haskell"))
# In C, `typedef struct x {...} x;` names one thing twice, and a witness calls both a definition.
NAMED_TWICE = frozenset(("c", "cpp"))
TYPE_KINDS = frozenset(("struct", "union", "enum", "typedef", "class"))
_SEPARATORS = {
    "lua": re.compile(r"[.:]"),
    "javascript": re.compile(r"\."),
    "typescript": re.compile(r"\."),
    "tsx": re.compile(r"\."),
    "ruby": re.compile(r"::|(?<=self)\."),
    "elixir": re.compile(r"\.(?=[A-Z])"),
    "cpp": re.compile(r"::"),
    "csharp": re.compile(r"\."),
}


_OVERLOADED = frozenset(("c", "cpp", "csharp"))
_OPERATOR = re.compile(r"(?<![\w$])operator(?![\w$]).*", re.DOTALL)
_INDEXED = re.compile(r"\[\s*(?:([\"'])((?:(?!\1).)*)\1|([^\[\]\"']*?))\s*\]$")
_PATH = re.compile(r"[\w.:]+")


@dataclass(frozen=True, slots=True)
class Definition:
    """Hold one definition as a witness gives it.

    Attributes:
        kind: in the witness's words.
        name: as the witness writes it.
        line: where the name stands.
        start: first line with decorators, None where the witness does not know it.
        end: last line, likewise.
    """

    kind: str
    name: str
    line: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Hold one definition on which the two do not agree.

    Attributes:
        sort: ``missing`` (no such name in the file), ``line`` (the name stands elsewhere), ``range``.
        path: of the file.
        definition: what the witness says.
        source: the line of the file.
        ours: what the summary says instead, if anything.
        known: name of the rule by which the witness is wrong, if one holds.
    """

    sort: str
    path: str
    definition: Definition
    source: str
    ours: str = ""
    known: str = ""


@dataclass(slots=True)
class Tally:
    """Add up the files of one language."""

    language: str
    files: int = 0
    definitions: int = 0
    found: int = 0
    differences: list[Difference] = field(default_factory=list)
    known: list[Difference] = field(default_factory=list)
    left_out: list[Difference] = field(default_factory=list)
    unparsed: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    ends: list[Difference] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Give the share of definitions that are found or differ for a known reason."""
        return (self.found + len(self.known)) / self.definitions if self.definitions else 1.0

    @property
    def known_share(self) -> float:
        """Give the share of definitions that differ for a known reason."""
        return len(self.known) / self.definitions if self.definitions else 0.0

    @property
    def good(self) -> bool:
        """Tell whether the language is as good as it must be."""
        return self.share >= LEAST_SHARE and self.known_share <= MOST_KNOWN

    def record(self) -> dict[str, Any]:
        """Give everything as JSON."""
        return {
            "language": self.language,
            "files": self.files,
            "definitions": self.definitions,
            "found": self.found,
            "known": Counter(each.known for each in self.known),
            "left_out": Counter(each.known for each in self.left_out),
            "unparsed": self.unparsed,
            "share": round(self.share, 5),
            "good": self.good,
            "differences": [_record(each) for each in self.differences],
            "known_differences": [_record(each) for each in self.known],
            "left_out_definitions": [_record(each) for each in self.left_out],
            "ends": [_record(each) for each in self.ends],
            "extra": self.extra,
        }


def compare(
    tally: Tally,
    path: str,
    text: str,
    definitions: Iterable[Definition],
    symbols: Sequence[Symbol],
    *,
    ranges: bool,
    in_text: Set[int] = frozenset(),
    rules: Sequence[Known] = KNOWN,
) -> None:
    """Hold one file's symbols against a witness's definitions and add the outcome to ``tally``.

    Args:
        tally: of the file's language.
        path: of the file.
        text: of the file.
        definitions: what the witness says; the same name on the same line counts once.
        symbols: what the summary says.
        ranges: whether another range is a difference; else another end is only noted.
        in_text: lines that begin inside a string or comment.
        rules: where the witness is known to be wrong.
    """
    lines = text.split("\n")
    ours = _Ours(tally.language, symbols)
    expected: dict[tuple[str, int], Definition] = {}
    for definition in definitions:
        source = _line(lines, definition.line)
        definition = replace(definition, name=whole_name(tally.language, definition.name, source))
        made_up = [rule for rule in rules if not rule.counted]
        rule = _rule(made_up, tally.language, definition, source, in_text=definition.line in in_text)
        if rule:
            tally.left_out.append(Difference("left out", path, definition, source, known=rule))
        else:
            expected.setdefault((plain(tally.language, definition.name), definition.line), definition)
    tally.files += 1
    tally.definitions += len(expected)
    lines_of = defaultdict(set)
    for name, line in expected:
        lines_of[name].add(line)
    for (name, line), definition in expected.items():
        sort, instead = ours.judge(name, definition, lines_of[name], ranges=ranges)
        source = _line(lines, line)
        if sort in ("", "end"):
            tally.found += 1
            tally.ends.extend([Difference(sort, path, definition, source, instead)] if sort else [])
            continue
        rule = _rule([rule for rule in rules if rule.counted], tally.language, definition, source)
        difference = Difference(sort, path, definition, source, instead, rule)
        (tally.known if rule else tally.differences).append(difference)
    tally.extra.extend(
        f"{path}:{symbol.name_line} {symbol.kind} {symbol.qualified_name}"
        for symbol in symbols
        if (plain(tally.language, symbol.name), symbol.name_line) not in expected
    )


def plain(language: str, name: str) -> str:
    """Give a name without what one side writes and the other leaves out: quotes, the owner, blanks in operators."""
    if language == "lua":  # a key may be any text
        if indexed := _INDEXED.search(name):
            return _key(indexed)
        return _SEPARATORS["lua"].split(name)[-1] if _PATH.fullmatch(name) else name
    name = name.strip("`'\"") if language != "haskell" else name.strip("()")
    if language in _OVERLOADED and (operator := _OPERATOR.search(name)):
        return re.sub(r"\s+", "", operator[0])
    if indexed := _INDEXED.search(name):
        return _key(indexed)
    if language in _SEPARATORS:
        name = _SEPARATORS[language].split(name)[-1] or name
    return name.lstrip("#~").strip()


def _key(indexed: re.Match[str]) -> str:
    return indexed[3] if indexed[2] is None else indexed[2]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _rule(rules: Iterable[Known], language: str, definition: Definition, source: str, *, in_text: bool = False) -> str:
    """Give the name of the first rule that is about a definition, or nothing."""
    kind, name = definition.kind, definition.name
    return next((rule.name for rule in rules if rule.holds(language, kind, name, source, in_text=in_text)), "")


class _Ours:
    """Find the symbols of one file by name and line."""

    def __init__(self, language: str, symbols: Sequence[Symbol]) -> None:
        self.language = language
        self.by_name: defaultdict[str, list[Symbol]] = defaultdict(list)
        for symbol in symbols:
            self.by_name[plain(language, symbol.name)].append(symbol)

    def judge(self, name: str, definition: Definition, taken: set[int], *, ranges: bool) -> tuple[str, str]:
        """Say how the summary differs ("" if it does not), and what it says instead.

        Args:
            name: the plain name.
            definition: what the witness says.
            taken: lines of all definitions of that name; symbols there belong to those.
            ranges: see ``compare``.
        """
        same = self.by_name.get(name, [])
        here = [symbol for symbol in same if symbol.name_line == definition.line]
        merged = self.language in CLAUSES or (self.language in NAMED_TWICE and definition.kind in TYPE_KINDS)
        inside = [symbol for symbol in same if merged and symbol.start <= definition.line <= symbol.end]
        if not here and not inside:
            near = min(
                (symbol for symbol in same if symbol.name_line not in taken),
                key=lambda symbol: abs(symbol.name_line - definition.line),
                default=None,
            )
            return ("line", f"name on {near.name_line}, range {near.start}-{near.end}") if near else ("missing", "")
        if any(_fits(definition, symbol) for symbol in here) or any(_holds(definition, symbol) for symbol in inside):
            return "", ""
        other = (here or inside)[0]
        instead = f"range {other.start}-{other.end}, not {definition.start or definition.line}-{definition.end}"
        return ("range" if ranges else "end", instead)


def _fits(definition: Definition, symbol: Symbol) -> bool:
    return definition.start in (None, symbol.start) and definition.end in (None, symbol.end)


def _holds(definition: Definition, symbol: Symbol) -> bool:
    return symbol.start <= (definition.start or definition.line) and (definition.end or definition.line) <= symbol.end


def outcome(tally: Tally) -> dict[str, Any]:
    """Give what docs/languages.md says of a language: counts, and by rule and kind how many differ, with samples."""
    return {
        "files": tally.files,
        "definitions": tally.definitions,
        "found": tally.found,
        "known": _groups(tally.known),
        "left_out": _groups(tally.left_out),
        "missed": _groups(tally.differences),
    }


def _groups(differences: Sequence[Difference]) -> list[dict[str, Any]]:
    groups: defaultdict[tuple[str, str], list[Difference]] = defaultdict(list)
    for each in differences:
        groups[each.known or each.sort, each.definition.kind].append(each)
    return [
        {
            "rule": rule,
            "kind": kind,
            "count": len(group),
            "samples": [f"{d.path}:{d.definition.line} {d.definition.name[:60]}" for d in group[:: _step(group)]][
                :SAMPLES
            ],
        }
        for (rule, kind), group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _step(group: Sequence[Difference]) -> int:
    return max(1, len(group) // SAMPLES)  # from all over the repositories, not of the first file alone


def _record(difference: Difference) -> dict[str, Any]:
    definition = difference.definition
    return {
        "sort": difference.sort,
        "place": f"{difference.path}:{definition.line}",
        "kind": definition.kind,
        "name": definition.name,
        "source": difference.source[:200],
        "ours": difference.ours,
        "known": difference.known,
    }
