"""Read a file with its grammar and give what its language's query found, as plain values: ``parse``.

With ``indexer.syntax`` the only module that uses tree_sitter. It neither nests definitions nor words anything.

What the captures of a query mean (names that begin with ``_`` are only for predicates):

- ``@definition.KIND`` a definition and its range, ``@name`` its name, up to ``@name.end`` if there is one. Matches of
  one name are one definition: the widest range wins, and what the others say is added. ``@value`` is the function or
  class that it is defined as; ``@params`` (one list or several) and ``@body`` are found by the fields ``parameters``,
  ``parameter``, ``body``, or captured; ``@param`` is the first parameter where the grammar has no list of them.
- ``@body.after`` is the last thing before a body that is no node of the grammar.
- ``@quiet`` marks a container whose own calls are not told.
- ``@owner`` the type that it is attached to, ``@receiver`` the same as it should be shown.
- ``@forward`` marks a declaration that is not listed where the file has the definition as well.
- ``@listed`` marks a constant that is no local one, ``@shown`` what other files can use though no word says so.
- ``@section.hidden`` and ``@section.shown`` say of what follows in the same block whether other files can use it;
  ``@hidden`` is the name of something before it there that they cannot.
- ``@member`` marks what is only a callback where it stands in no ``@scope``; ``@scope`` gives its name to what
  is inside and is no symbol itself; ``@scope.part`` as well, but does not make members of callbacks.
- ``@wrap`` with ``@wrapped``: a definition with the range of the latter has the range of the former.
- ``@decorator`` belongs to the definition that follows it, ``@modifier`` to its signature as well.
- ``@comment``; ``@doc`` opens the body of what it describes, or with ``@doc.of`` stands elsewhere in that;
  ``@doc.file`` describes the file. ``@import``.
- ``@reference.call``, with ``@reference.on`` for what it is called on where no node of the grammar holds both; what
  looks like calls inside of ``@uncalled`` is none.
- ``@export`` an exported name, ``@export.as`` under which name, ``@export.source`` from where; ``@export.list``
  says that there is a list of them, so that nothing else is exported.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from indexer.clauses import join_clauses
from indexer.parsed import Definition, Error, Export, Parsed, Piece, Scope, settle
from indexer.queries import LISTS, Use, compiled, fields, has_forwards, hold, query_text, rare_words, statement_query
from indexer.syntax import SlowParseError, Syntax, cursor, parameters

__all__ = ["SlowParseError", "leaves_named", "parse", "parse_syntax", "query_text", "statements"]

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from indexer.languages import Language

MAX_HEAD = 60  # lines from where a function begins to its name; more of them are code that the grammar cannot read
MAX_PROBLEMS = 20  # more broken places than this say that the file is no such source at all

_FUNCTIONS = frozenset(("function", "method", "constructor"))
_CONSTANTS = frozenset(("constant", "variable"))  # without a value of their own, they have no body
_new = tuple.__new__  # half the time of calling the class, for what is made most often


def parse(language: Language, text: str, *, for_chunks: bool = False) -> Parsed:
    """Parse a text with the grammar of its language and run its query.

    Args:
        language: its grammar and query.
        text: the whole text.
        for_chunks: whether definitions, comments and docs are enough; calls, imports and exports are not looked for.

    Raises:
        SlowParseError: see there; nothing else, on any text.
    """
    return parse_syntax(Syntax(language, text), for_chunks=for_chunks)


def parse_syntax(syntax: Syntax, *, for_chunks: bool = False) -> Parsed:
    """Run the query of its language on a syntax tree that is there, or made now.

    Raises:
        SlowParseError: see there.
    """
    language, source, readable = syntax.language, syntax.source, syntax.readable
    if language.reader is not None:
        return language.reader(source)
    tree = syntax.tree
    has_rare = not for_chunks and any(word in readable for word in rare_words(language))
    query, uses = compiled(language, for_chunks=for_chunks, has_rare=has_rare)
    found = _Found(Parsed(source), fields(language))
    found.is_broken = tree.root_node.has_error
    found.heads = language.clauses
    found.has_params = not for_chunks or language.clauses or has_forwards(language)
    found.gather(cursor(query).matches(tree.root_node), uses, readable)
    found.decorators = [_piece_at(source, *place) for place in syntax.attributes]
    if found.is_broken:
        found.parsed.errors = list(_errors(tree))
    parsed = found.finish()
    if language.clauses:
        join_clauses(parsed)
    return parsed


def leaves_named(syntax: Syntax, name: str) -> list[Piece]:
    """Find the identifiers spelled ``name``: leaves of the syntax tree, so no words of comments or strings.

    Raises:
        SlowParseError: see there.
    """
    source, word, language = syntax.source, name.encode("utf-8", "replace"), syntax.language
    places = [m.start() for m in re.finditer(rb"(?<![\w$])" + re.escape(word) + rb"(?![\w$])", source)]
    if not places:
        return []
    root = syntax.tree.root_node
    found = []
    for start in places:
        leaf = root.descendant_for_byte_range(start, start + len(word))
        if (
            leaf is not None
            and (leaf.start_byte, leaf.end_byte) == (start, start + len(word))
            and (leaf.type.endswith("identifier") or "_identifier" in leaf.type or leaf.type in language.identifiers)
        ):
            found.append(_piece(leaf))
    return found


def statements(syntax: Syntax) -> list[Piece]:
    """Find all statements at every depth, as the ``blocks`` of the language's row define them.

    Raises:
        SlowParseError: see there.
    """
    captures = cursor(statement_query(syntax.language)).captures(syntax.tree.root_node)
    return sorted({_piece(statement) for statement in captures.get("statement", ())})


class _Found:
    """Gather the matches of one file while they come."""

    def __init__(self, parsed: Parsed, fields: Mapping[str, int]) -> None:
        self.parsed = parsed
        self.fields = fields
        self.lists: dict[str, list[Node]] = {name: [] for name in LISTS}
        self.decorators: list[Piece] = []
        self.is_broken = False  # whether the grammar could not read all of it
        self.heads = False  # whether what is defined is written as a call
        self.has_params = True  # whether anybody asks how many parameters there are
        self.calls: list[tuple[int, int]] = []
        self.by_name: dict[int, Definition] = {}
        self.scopes: dict[int, Scope] = {}
        self.wraps: dict[tuple[int, int], Piece] = {}
        self.export_by_name: dict[int, Export] = {}

    def gather(self, matches: list[tuple[int, dict[str, list[Node]]]], uses: Sequence[Use], readable: bytes) -> None:
        """Add the matches whose conditions hold; most of all that there are are calls."""
        lists, calls = self.lists, self.calls
        for pattern, captures in matches:
            role, capture, conditions, others = uses[pattern]
            if conditions and not hold(conditions, captures, readable):
                use = next((use for use in others if hold(use[2], captures, readable)), None) if others else None
                if use is None:
                    continue
                role, capture = use[:2]
            if role == "reference.call":
                for called in captures[role]:
                    calls.append((called.end_byte, called.start_byte))
            elif role == "reference.on":
                called = captures["reference.call"][0]
                on = captures.get(role)
                calls.append((called.end_byte, (on[0] if on else called).start_byte))
            elif role in lists:
                lists[role] += captures[capture]
            elif role.startswith("definition."):
                self.definition(role[11:], captures[capture][0], captures)
            else:
                self.other(role, capture, captures)

    def other(self, role: str, capture: str, captures: dict[str, list[Node]]) -> None:
        """Add a match that is neither a definition nor one of a list."""
        if role == "doc.of":
            self.parsed.docs_of[captures[capture][0].start_byte] = _piece(captures["doc"][0])
        elif role.startswith("section."):
            self.section(captures[capture][0], hides=role == "section.hidden")
        elif role == "wrap":
            self.wrap(captures["wrap"][0], captures["wrapped"][0])
        elif role.startswith("export"):
            self.export(captures)
        else:
            self.scope(captures, is_part=role == "scope.part")

    def definition(self, kind: str, whole: Node, captures: dict[str, list[Node]]) -> None:
        """Add a match of a definition, or what it says to the definition of that name."""
        names = captures.get("name")
        if names is None:
            return
        name = names[0]
        known = self.by_name.get(name.start_byte)
        if known is None:
            last = captures.get("name.end")
            known = Definition(kind, _piece(name) if last is None else _from_to(name, last[0]), _piece(whole))
            self.by_name[name.start_byte] = known
        else:
            if known.kind in _CONSTANTS:
                known.kind = kind
            if whole.end_byte - whole.start_byte > known.span.end - known.span.start:
                known.span = _piece(whole)
        values = captures.get("value")
        if values is not None or kind not in _CONSTANTS:
            self._parts(known, whole, values[0] if values else whole, captures)
        if len(captures) > 2:  # else nothing but the definition and its name, as most often
            self._facts(known, captures)

    def _parts(self, known: Definition, whole: Node, holder: Node, captures: dict[str, list[Node]]) -> None:
        """Find body and parameters."""
        if known.body is None:
            bodies = captures.get("body")
            body = bodies[0] if bodies is not None else self.field(holder, "body")
            if body is not None:
                known.body = _piece(body)
            elif "body.after" in captures:
                known.body = _between(captures["body.after"][0], whole)
        if known.params_at is not None or not self.has_params:
            return
        if "param" in captures:
            listed = _and_its_like(captures["param"][0])
            known.params = [_whole_parameter(each) for each in listed]
            known.params_at = listed[0].start_byte, listed[-1].end_byte
        else:
            self._params(known, holder, captures.get("params"))

    def _facts(self, known: Definition, captures: dict[str, list[Node]]) -> None:
        """Add what else is said."""
        if "owner" in captures:
            known.owner = self._text(captures["owner"][0])
        if "receiver" in captures:
            known.receiver = self._text(captures["receiver"][-1])
        known.is_quiet |= "quiet" in captures
        known.is_forward |= "forward" in captures
        known.is_member |= "member" in captures
        known.is_listed |= "listed" in captures
        known.is_shown |= "shown" in captures
        if "export" in captures:
            self.export(captures)

    def _params(self, known: Definition, holder: Node, lists: list[Node] | None) -> None:
        if lists is None:
            params = self.field(holder, "parameters") or self.field(holder, "parameter")
            if params is None or params.type == "type_parameters":
                return
            lists = [params]
        known.params_at = start, end = lists[0].start_byte, lists[-1].end_byte
        if end - start > len(b"()") or self.parsed.source[start:end] != b"()":
            known.params = [each for one in lists for each in parameters(one, self.parsed.source)]

    def field(self, holder: Node, name: str) -> Node | None:
        """Give the part of a node that its grammar calls so."""
        field = self.fields.get(name)
        return holder.child_by_field_id(field) if field is not None else None

    def section(self, marker: Node, *, hides: bool) -> None:
        """Remember whether other files can use what stands between a word such as ``private`` and its block's end."""
        block = marker.parent
        end = block.end_byte if block is not None else len(self.parsed.source)
        self.parsed.sections.append((marker.start_byte, end, hides))

    def wrap(self, outer: Node, inner: Node) -> None:
        """Remember that what has the range of ``inner`` is to have that of ``outer``."""
        at, wrapping = (inner.start_byte, inner.end_byte), _piece(outer)
        if at != wrapping[:2]:
            self.wraps[at] = wrapping

    def scope(self, captures: dict[str, list[Node]], *, is_part: bool) -> None:
        """Add a scope; scopes are known by the place of their name."""
        whole = _piece((captures.get("scope") or captures["scope.part"])[0])
        name = _piece(captures["name"][0]) if "name" in captures else None
        owner = self._text(captures["owner"][0]) if "owner" in captures else None
        self.scopes.setdefault(name.start if name else whole.start, Scope(name, whole, owner, is_part))

    def export(self, captures: dict[str, list[Node]]) -> None:
        """Add what one match says of the names that it exports."""
        self.parsed.has_export_list |= "export.list" in captures
        source = _unquoted(self._text(captures["export.source"][0])) if "export.source" in captures else ""
        alias = _unquoted(self._text(captures["export.as"][0])) if "export.as" in captures else ""
        for exported in captures.get("export", ()):
            known = self.export_by_name.get(exported.start_byte)
            local = _unquoted(self._text(exported))
            if known is not None:
                alias, source = alias or known.name, source or known.source
            self.export_by_name[exported.start_byte] = Export(local, alias or local, source, _piece(exported))

    def finish(self) -> Parsed:
        """Put everything in order of the source."""
        parsed = self.parsed
        parsed.calls = sorted(self.calls)
        if self.heads:
            parsed.calls = [call for call in parsed.calls if call[1] not in self.by_name]
        pieces = {name: sorted(map(_piece, found)) if found else [] for name, found in self.lists.items()}
        parsed.calls = _outside(parsed.calls, pieces["uncalled"])
        pieces["comment"] = [_on_its_lines(comment, parsed.source) for comment in pieces["comment"]]
        parsed.comments, parsed.imports = pieces["comment"], pieces["import"]
        parsed.docs, parsed.file_docs = pieces["doc"], pieces["doc.file"]
        parsed.definitions = list(self.by_name.values())
        if self.is_broken:
            _begin_at_names(parsed)
        parsed.hidden = {(each.start, self.parsed.text(each.start, each.end)) for each in pieces["hidden"]}
        hidden = {name for _, name in parsed.hidden}
        exports = (export for export in self.export_by_name.values() if export.local not in hidden)
        parsed.exports = sorted(exports, key=lambda export: export.at)
        parsed.sections.sort()
        settle(parsed, self.wraps, sorted(pieces["decorator"] + self.decorators), pieces["modifier"])
        parsed.scopes = [scope for place, scope in self.scopes.items() if place not in self.by_name]
        return parsed

    def _text(self, node: Node) -> str:
        return self.parsed.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _piece(found: Node) -> Piece:
    at = found.range  # two thirds of the time that asking the node itself for its points takes
    return _new(Piece, (at.start_byte, at.end_byte, at.start_point[0], at.end_point[0]))


def _from_to(first: Node, last: Node) -> Piece:
    return Piece(first.start_byte, last.end_byte, first.start_point[0], last.end_point[0])


def _between(before: Node, whole: Node) -> Piece:
    return Piece(before.end_byte, whole.end_byte, before.end_point[0], whole.end_point[0])


def _piece_at(source: bytes, start: int, end: int) -> Piece:
    row = source.count(b"\n", 0, start)
    return Piece(start, end, row, row + source.count(b"\n", start, end))


def _on_its_lines(comment: Piece, source: bytes) -> Piece:
    """Leave out the line break that some grammars take into a comment."""
    if source[comment.end - 1] != 10:
        return comment
    return _new(Piece, (comment.start, comment.end - 1, comment.row, comment.end_row - 1))


def _and_its_like(first: Node) -> list[Node]:
    """Give a parameter and those that follow it up to the closing bracket."""
    found, at = [first], first.next_sibling
    while at is not None and at.type != ")":
        found += [at] if at.type == first.type else []
        at = at.next_sibling
    return found


def _outside(calls: list[tuple[int, int]], pieces: list[Piece]) -> list[tuple[int, int]]:
    """Give the calls that are in none of the pieces, which are in order and not in one another."""
    starts = [piece.start for piece in pieces]
    if not starts:
        return calls
    before = [-1, *(piece.end for piece in pieces)]  # at each place among the starts, where the piece before it ends
    return [call for call in calls if call[1] >= before[bisect_right(starts, call[1])]]


def _begin_at_names(parsed: Parsed) -> None:
    """Let functions begin in the line of their name where the grammar made all the lines above a part of them."""
    for found in parsed.definitions:
        if found.kind in _FUNCTIONS and found.name.row - found.span.row > MAX_HEAD:
            line = parsed.source.rfind(b"\n", 0, found.name.start) + 1
            start = found.name.start - len(parsed.source[line : found.name.start].lstrip())
            found.span = Piece(start, found.span.end, found.name.row, found.span.end_row)


def _whole_parameter(part: Node) -> tuple[int, int]:
    """Give a parameter with what the grammar puts beside it: attributes and default."""
    first = last = part
    while (before := first.prev_sibling) is not None and before.is_named:
        first = before
    while (after := last.next_sibling) is not None and after.type not in (",", ")"):
        last = after
    return first.start_byte, last.end_byte


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'`" and text[-1] == text[0] else text


def _errors(tree: Tree) -> Iterator[Error]:
    """Give the outermost broken places; one message each, not one a token."""
    broken: list[tuple[Piece, str]] = []
    within = [tree.root_node]
    while within:
        part = within.pop()
        if part.is_error:
            broken.append((_piece(part), ""))
        elif part.is_missing:
            broken.append((_piece(part), part.type))
        within += [each for each in part.children if each.has_error]
    covered, number = -1, 0
    for place, missing in sorted(broken, key=lambda each: (each[0].start, -each[0].end)):
        if place.start >= covered and number < MAX_PROBLEMS:
            covered, number = max(place.end, covered), number + 1
            yield Error(place.row, place.end_row, missing)
