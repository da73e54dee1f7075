"""Read a file with its grammar and give what its language's query found, as plain values: ``parse``.

With ``indexer.syntax`` the only module that uses tree_sitter. It neither nests definitions nor words anything.

What the captures of a query mean (names that begin with ``_`` are only for predicates):

- ``@definition.KIND`` a definition and its range, ``@name`` its name. Matches of one name are one definition: the
  widest range wins, and what the others say is added. ``@value`` is the function or class that it is defined as;
  ``@params`` (one list or several) and ``@body`` are found by the fields ``parameters``, ``parameter``, ``body``, or
  captured; ``@param`` is the first parameter where the grammar has no list of them.
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
- ``@reference.call``, with ``@reference.on`` for what it is called on where no node of the grammar holds both.
- ``@export`` an exported name, ``@export.as`` under which name, ``@export.source`` from where; ``@export.list``
  says that there is a list of them, so that nothing else is exported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from indexer.clauses import join_clauses
from indexer.parsed import Definition, Error, Export, Parsed, Piece, Scope, settle
from indexer.syntax import SlowParseError, cursor, grammar, tree_of

__all__ = ["SlowParseError", "leaves_named", "parse", "query_text", "statements"]

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

    from indexer.languages import Language

MAX_PROBLEMS = 20  # more broken places than this say that the file is no such source at all

_CAPTURE = re.compile(r"@([a-z_.]+)")
_QUERY_COMMENT = re.compile(r"^\s*;.*$", re.MULTILINE)
_LISTS = ("comment", "decorator", "import", "reference.call", "doc", "doc.file", "hidden", "modifier")
_WITHOUT_COMMAS = frozenset(("patterns",))  # nodes whose children are parameters, one beside the other
_BRACKETS_AND_COMMA = frozenset((b"(", b")", b",", b"|", b"[", b"]"))
_NO_PARAMETERS = frozenset((b"/", b"*", b"void"))  # marks between parameters, and C's word for none
_new = tuple.__new__  # half the time of calling the class, for what is made most often


def parse(language: Language, text: str) -> Parsed:
    """Parse a text with the grammar of its language and run its query.

    Raises:
        SlowParseError: see there; nothing else, on any text.
    """
    source = text.encode("utf-8", "replace")  # a lone surrogate becomes "?", which moves no line
    if language.reader is not None:
        return language.reader(source)
    readable, attributes = language.readable(source) if language.readable else (source, [])
    tree = tree_of(language, readable)
    query, roles = _compiled(language)
    found = _Found(Parsed(source))
    found.heads = language.clauses
    for pattern, captures in cursor(query).matches(tree.root_node):
        role = roles[pattern]
        if role in found.lists:
            found.lists[role].extend(captures[role])
        elif role.startswith("definition."):
            found.definition(role[11:], captures)
        else:
            found.other(role, captures)
    found.decorators = [_piece_at(source, *place) for place in attributes]
    if tree.root_node.has_error:
        found.parsed.errors = list(_errors(language, tree))
    parsed = found.finish()
    if language.clauses:
        join_clauses(parsed)
    return parsed


def leaves_named(language: Language, text: str, name: str) -> list[Piece]:
    """Find the identifiers spelled ``name``: leaves of the syntax tree, so no words of comments or strings.

    Raises:
        SlowParseError: see there.
    """
    source, word = text.encode("utf-8", "replace"), name.encode("utf-8", "replace")
    places = [m.start() for m in re.finditer(rb"(?<![\w$])" + re.escape(word) + rb"(?![\w$])", source)]
    if not places:
        return []
    root = _tree(language, source).root_node
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


def statements(language: Language, text: str) -> list[Piece]:
    """Find all statements at every depth, as the row's ``blocks`` define them.

    Raises:
        SlowParseError: see there.
    """
    source = text.encode("utf-8", "replace")
    tree = _tree(language, source)
    captures = cursor(_statement_query(language)).captures(tree.root_node)
    return sorted({_piece(statement) for statement in captures.get("statement", ())})


class _Found:
    """Gather the matches of one file while they come."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.lists: dict[str, list[Node]] = {name: [] for name in _LISTS}
        self.decorators: list[Piece] = []
        self.heads = False  # whether what is defined is written as a call
        self.calls_on: list[tuple[int, int]] = []
        self.by_name: dict[int, Definition] = {}
        self.scopes: dict[int, Scope] = {}
        self.wraps: dict[tuple[int, int], Piece] = {}
        self.export_by_name: dict[int, Export] = {}

    def other(self, role: str, captures: dict[str, list[Node]]) -> None:
        """Add a match that is neither a definition nor one of a list."""
        if role == "reference.on":
            self.call(captures)
        elif role == "doc.of":
            self.parsed.docs_of[captures[role][0].start_byte] = _piece(captures["doc"][0])
        elif role.startswith("section."):
            self.section(captures[role][0], hides=role == "section.hidden")
        elif role == "wrap":
            self.wrap(captures["wrap"][0], captures["wrapped"][0])
        elif role.startswith("export"):
            self.export(captures)
        else:
            self.scope(captures, is_part=role == "scope.part")

    def definition(self, kind: str, captures: dict[str, list[Node]]) -> None:
        """Add a match of a definition, or what it says to the definition of that name."""
        names = captures.get("name")
        if names is None:
            return
        whole = captures["definition." + kind][0]
        start = names[0].start_byte
        known = self.by_name.get(start)
        if known is None:
            span = _piece(whole)
            known = self.by_name[start] = Definition(kind, _piece(names[0]), span)
        elif known.kind in ("constant", "variable"):
            known.kind = kind
        if whole.end_byte - whole.start_byte > known.span.end - known.span.start:
            known.span = _piece(whole)
        self._facts(known, whole, captures)

    def _facts(self, known: Definition, whole: Node, captures: dict[str, list[Node]]) -> None:
        values = captures.get("value")
        holder = values[0] if values else whole
        if known.body is None:
            body = captures["body"][0] if "body" in captures else holder.child_by_field_name("body")
            if body is not None:
                known.body = _piece(body)
            elif "body.after" in captures:
                known.body = _between(captures["body.after"][0], whole)
        if known.params_at is None:
            params = (
                captures["params"][0]
                if "params" in captures
                else holder.child_by_field_name("parameters") or holder.child_by_field_name("parameter")
            )
            if "param" in captures:
                listed = _and_its_like(captures["param"][0])
                known.params = [_whole_parameter(each) for each in listed]
                first, last = listed[0], listed[-1]
                known.params_at = Piece(first.start_byte, last.end_byte, first.start_point[0], last.end_point[0])
            elif params is not None and params.type != "type_parameters":
                lists = captures.get("params", [params])
                last = lists[-1]
                known.params_at = Piece(params.start_byte, last.end_byte, params.start_point[0], last.end_point[0])
                known.params = [each for one in lists for each in _parameters(one, self.parsed.source)]
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

    def call(self, captures: dict[str, list[Node]]) -> None:
        """Add a call whose name and owner are siblings in the grammar."""
        called = captures["reference.call"][0]
        on = captures.get("reference.on")
        self.calls_on.append((called.end_byte, (on[0] if on else called).start_byte))

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
        calls = self.lists.pop("reference.call")
        parsed.calls = sorted([(called.end_byte, called.start_byte) for called in calls] + self.calls_on)
        if self.heads:
            parsed.calls = [call for call in parsed.calls if call[1] not in self.by_name]
        pieces = {name: sorted(map(_piece, captured)) for name, captured in self.lists.items()}
        pieces["comment"] = [_on_its_lines(comment, parsed.source) for comment in pieces["comment"]]
        parsed.comments, parsed.imports = pieces["comment"], pieces["import"]
        parsed.docs, parsed.file_docs = pieces["doc"], pieces["doc.file"]
        parsed.exports = sorted(self.export_by_name.values(), key=lambda export: export.at)
        parsed.definitions = list(self.by_name.values())
        parsed.hidden = {(each.start, self.parsed.text(each.start, each.end)) for each in pieces["hidden"]}
        parsed.sections.sort()
        settle(parsed, self.wraps, sorted(pieces["decorator"] + self.decorators), pieces["modifier"])
        parsed.scopes = [scope for place, scope in self.scopes.items() if place not in self.by_name]
        return parsed

    def _text(self, node: Node) -> str:
        return self.parsed.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _piece(found: Node) -> Piece:
    return _new(Piece, (found.start_byte, found.end_byte, found.start_point[0], found.end_point[0]))


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


def _parameters(holder: Node, source: bytes) -> Iterator[tuple[int, int]]:
    """Give each parameter with its type and default, which some grammars make siblings: what commas part."""
    if not holder.child_count and not holder.is_named:
        return
    if not holder.child_count:
        yield holder.start_byte, holder.end_byte
        return
    if holder.type in _WITHOUT_COMMAS:
        yield from ((part.start_byte, part.end_byte) for part in holder.named_children)
        return
    start, end = 0, -1
    for part in holder.children:
        if not part.is_named and source[part.start_byte : part.end_byte] in _BRACKETS_AND_COMMA:
            if end >= 0 and source[start:end] not in _NO_PARAMETERS:
                yield start, end
            end = -1
        elif not part.is_extra:
            start, end = (part.start_byte if end < 0 else start), part.end_byte
    if end >= 0 and source[start:end] not in _NO_PARAMETERS:
        yield start, end


def _and_its_like(first: Node) -> list[Node]:
    """Give a parameter and those that follow it up to the closing bracket."""
    found, at = [first], first.next_sibling
    while at is not None and at.type != ")":
        found += [at] if at.type == first.type else []
        at = at.next_sibling
    return found


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


def _errors(language: Language, tree: Tree) -> Iterator[Error]:
    """Give the outermost broken places; one message each, not one a token."""
    captures = cursor(_error_query(language)).captures(tree.root_node)
    broken = [(_piece(found), "") for found in captures.get("error", ())]
    broken += [(_piece(found), found.type) for found in captures.get("missing", ())]
    covered, number = -1, 0
    for place, missing in sorted(broken, key=lambda each: (each[0].start, -each[0].end)):
        if place.start >= covered and number < MAX_PROBLEMS:
            covered, number = max(place.end, covered), number + 1
            yield Error(place.row, place.end_row, missing)


def _tree(language: Language, source: bytes) -> Tree:
    return tree_of(language, language.readable(source)[0] if language.readable else source)


@cache
def _compiled(language: Language) -> tuple[Query, list[str]]:
    """Compile the query of a language, once in a process, and say what the matches of each pattern are for."""
    from tree_sitter import Query

    text = "\n".join(query_text(name) for name in language.queries or (language.name,)).encode()
    query = Query(grammar(language.grammar), text.decode())
    spans = ((query.start_byte_for_pattern(n), query.end_byte_for_pattern(n)) for n in range(query.pattern_count))
    return query, [_role(set(_CAPTURE.findall(text[start:end].decode()))) for start, end in spans]


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
    return next(name for name in known if name in _LISTS)


@cache
def _statement_query(language: Language) -> Query:
    from tree_sitter import Query

    return Query(grammar(language.grammar), " ".join(f"({block} (_) @statement)" for block in language.blocks))


@cache
def _error_query(language: Language) -> Query:
    from tree_sitter import Query

    return Query(grammar(language.grammar), "(ERROR) @error (MISSING) @missing")
