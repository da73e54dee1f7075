"""Find what SQL creates, in whatever dialect: ``read_sql``.

No grammar reads the bodies of routines of all databases, and one that fails in a body loses what follows it. So only
what all have in common is read: quotes, comments, brackets, blocks, and the words after ``CREATE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from indexer.parsed import Definition, Error, Parsed, settle

_LEXICON = rb"""
    (?P<comment> --[^\n]* | /\*.*?\*/ )
  | (?P<end> (?<![^\n])(?:go|/)(?=[ \t]*\r?(?:\n|\Z)) )
  | (?P<program> (?<![^\n])\\[a-z!?][^\n]* )
  | (?P<delimiter> (?<![^\n])delimiter[ \t]+[^\s][^\n]* )
  | (?P<dollar> \$(?P<tag>(?:[a-z_]\w*)?)\$.*?\$(?P=tag)\$ )
  | (?P<string> [enbx]?'(?:[^'\\]|''|\\.)*' )
  | (?P<quoted> "(?:[^"]|"")*" | `[^`\n]*` | \[[^\]\n]*\] )
  | (?P<word> [\w@\#$]+ )
  | (?P<mark> \S )
"""
_INCLUDE = re.compile(rb"^\\ir?[ \t]+(\S+)|^@@?([\w./-]+\.sql)", re.MULTILINE)
_KINDS = {
    b"TABLE": "table",
    b"VIEW": "view",
    b"FUNCTION": "function",
    b"PROCEDURE": "procedure",
    b"PROC": "procedure",
    b"TRIGGER": "trigger",
    b"TYPE": "type",
    b"DOMAIN": "type",
}
_ROUTINES = frozenset(("function", "procedure", "trigger"))
_OTHER = frozenset(b"( INDEX SCHEMA DATABASE SEQUENCE ROLE USER EXTENSION POLICY RULE CAST EVENT LOGIN".split())
_HEAD = 24  # tokens after CREATE within which the kind must stand
_NO_BLOCK = frozenset(b"TRANSACTION TRAN WORK ;".split())
_AFTER_END = frozenset(b"IF LOOP WHILE REPEAT FOR".split())
_QUOTES = (b"'", b'"', b"`")
_NO_CALLS = frozenset(
    b"""ALL AND ANY ARRAY AS BETWEEN BY CASE CAST CHAR CHECK CONFLICT DECIMAL DISTINCT ELSE ELSIF END EXCEPT EXISTS
    FILTER FOREIGN FROM IF IN INT INTERSECT INTERVAL INTO IS JOIN KEY LIKE NOT NUMERIC NVARCHAR ON OR OVER PARTITION
    PRIMARY REFERENCES RETURN RETURNS ROW SELECT SET TABLE THEN UNION UNIQUE USING VALUES VARCHAR VARCHAR2 WHEN WHERE
    WHILE WITH""".split()
)


class _Token(NamedTuple):
    kind: str
    start: int
    end: int
    text: bytes  # words in capitals

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")


def read_sql(source: bytes) -> Parsed:
    """Find the tables, views, routines, triggers and types that a script creates; never raises on any bytes."""
    script = _Script(source)
    statement: list[_Token] = []
    has_delimiter = False
    for token in _tokens(source):
        if token.kind == "delimiter":
            has_delimiter = token.text.split()[1] != b";"
        if token.kind == "comment":
            script.comments.append((token.start, token.end))
            continue
        if token.kind == "mark" and token.text in _QUOTES:
            script.quotes.append((token.start, token.start))
        if token.kind in ("end", "own", "program", "delimiter"):
            script.add(statement)
            statement = []
            continue
        script.follow(statement, token)
        statement.append(token)
        if token.text == b";" and script.depth <= 0 and not has_delimiter:
            script.add(statement)
            statement = []
    script.add(statement)
    return script.finish()


class _Script:
    """Gather the definitions of one script, statement by statement."""

    def __init__(self, source: bytes) -> None:
        self.parsed = Parsed(source)
        self.comments: list[tuple[int, int]] = []
        self.quotes: list[tuple[int, int]] = []  # that open a string without an end
        self.depth = 0

    def follow(self, statement: list[_Token], token: _Token) -> None:
        """Count the blocks that are open in a routine, whose semicolons end no statement."""
        if not statement:
            self.depth = 0
            return
        before = statement[-1].text
        if before == b"END" and token.text not in _AFTER_END:
            self.depth -= 1
        elif before == b"BEGIN" and token.text not in _NO_BLOCK:
            self.depth += 1 if self.depth or _is_routine(statement) else 0
        if token.text == b"CASE" and before != b"END" and self.depth:
            self.depth += 1

    def add(self, statement: list[_Token]) -> None:
        """Add what a statement creates."""
        self.depth = 0
        made = _made(statement)
        if made is None:
            return
        kind, at = made
        if at < len(statement) and statement[at].text == b"IF":
            while at < len(statement) and statement[at].text in (b"IF", b"NOT", b"EXISTS"):
                at += 1
        name_at = at
        while at + 2 < len(statement) and statement[at + 1].text == b"." and statement[at + 2].is_name:
            at += 2
        if at >= len(statement) or not statement[at].is_name:
            return
        name = statement[name_at].start, statement[at].end
        found = Definition(kind, *name, statement[0].start, statement[-1].end)
        rest = statement[at + 1 :]
        if kind in ("function", "procedure"):
            rest = self._parameters(found, rest)
        self._body(found, rest)
        self.parsed.definitions.append(found)

    def _parameters(self, found: Definition, rest: list[_Token]) -> list[_Token]:
        """Read the parameters in brackets, or without them where they begin with "@"; give what follows."""
        bracketed = bool(rest) and rest[0].text == b"("
        if not rest or not (bracketed or rest[0].text.startswith(b"@")):
            return rest
        depth, part = 0, 0
        found.params = params = list[tuple[int, int]]()
        for number, token in enumerate(rest):
            depth += (token.text == b"(") - (token.text == b")")
            last = depth == 0 if bracketed else depth == 0 and token.text == b"AS"
            if last or (token.text == b"," and depth == bracketed):
                first = part + (bracketed and part == 0)
                if first < number:
                    params.append((rest[first].start, rest[number - 1].end))
                part = number + 1
            if last:
                found.params_at = rest[0].start, token.end
                return rest[number + bracketed :]
        return []

    def _body(self, found: Definition, rest: list[_Token]) -> None:
        """Let the body begin after ``$$``, at a bracket or block, or after AS, and book the calls in it."""
        for number, token in enumerate(rest):
            tag = token.text.index(b"$", 1) + 1 if token.kind == "dollar" else 0
            if tag:
                found.body = token.start + tag, token.end - tag
                for inner in _tokens(self.parsed.source[token.start + tag : token.end - tag]):
                    if inner.kind == "comment":
                        start = token.start + tag
                        self.comments.append((start + inner.start, start + inner.end))
                self._calls(list(_tokens(token.text[tag:-tag])), token.start + tag)
                return
            if token.text in (b"(", b"BEGIN", b"EXECUTE") or (token.text == b"AS" and number + 1 < len(rest)):
                if token.text == b"(" and found.kind in _ROUTINES:
                    continue
                following = rest[number + 1] if token.text == b"AS" else token
                if following.kind == "dollar":
                    continue
                found.body = following.start, rest[-1].end
                if found.kind not in ("table", "type"):
                    self._calls(rest[number:], 0)
                return

    def _calls(self, tokens: list[_Token], offset: int) -> None:
        code = [token for token in tokens if token.kind != "comment"]
        for number, token in enumerate(code[:-1]):
            if code[number + 1].text != b"(" or not token.is_name or token.text in _NO_CALLS:
                continue
            first = number
            while first >= 2 and code[first - 1].text == b"." and code[first - 2].is_name:
                first -= 2
            self.parsed.calls.append((offset + token.end, offset + code[first].start))

    def finish(self) -> Parsed:
        """Put everything in order of the source."""
        parsed = self.parsed
        parsed.comments = list(parsed.pieces(sorted(self.comments)))
        parsed.errors = [Error(quote.row, quote.row, "") for quote in parsed.pieces(self.quotes)]
        parsed.calls.sort()
        parsed.imports = [found.span(1 if found[1] else 2) for found in _INCLUDE.finditer(parsed.source)]
        settle(parsed, {})
        return parsed


def _tokens(source: bytes) -> Iterator[_Token]:
    """Give the tokens; "end" and "delimiter" are where a statement ends at something else than a semicolon."""
    at, lexicon = 0, _lexicon(b"")
    while (found := lexicon.search(source, at)) is not None:
        at = found.end()
        kind = "dollar" if found["dollar"] is not None else found.lastgroup or "mark"
        if kind == "delimiter":
            chosen = found[0].split()[1]
            lexicon = _lexicon(b"" if chosen == b";" else chosen)
        yield _Token(kind, found.start(), at, found[0].upper() if kind == "word" else found[0])


@cache
def _lexicon(delimiter: bytes) -> re.Pattern[bytes]:
    """Give the pattern of a token where statements end at this delimiter; then a semicolon is none."""
    own = rb"(?P<own>" + re.escape(delimiter) + rb") | " if delimiter else b""
    return re.compile(own + _LEXICON, re.DOTALL | re.IGNORECASE | re.VERBOSE)


def _is_routine(statement: list[_Token]) -> bool:
    made = _made(statement)
    return made is not None and made[0] in _ROUTINES


def _made(statement: list[_Token]) -> tuple[str, int] | None:
    """Give the kind of what a statement creates and the number of the token after the word for it."""
    if not statement or statement[0].text != b"CREATE":
        return None
    for number, token in enumerate(statement[1:_HEAD], 1):
        if token.text in _OTHER:
            return None
        kind = _KINDS.get(token.text)
        if kind is not None:
            return kind, number + 1
    return None
