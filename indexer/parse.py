"""Read a file with its grammar and give what its language's query found, as plain values: ``parse``.

How the matches become values is told in ``indexer.gather``. Neither nests definitions nor words anything.

What the captures of a query mean (names that begin with ``_`` are only for predicates):

- ``@definition.KIND`` a definition and its range, ``@name`` its name, up to ``@name.end`` if there is one. Matches of
  one name are one definition: the widest range wins, and what the others say is added. ``@value`` is the function or
  class that it is defined as; ``@params`` (one list or several) and ``@body`` are found by the fields ``parameters``,
  ``parameter``, ``body``, or captured; ``@param`` is the first parameter where the grammar has no list of them,
  ``@operand`` each of them where the name stands between.
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
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.clauses import join_clauses
from indexer.gather import Gathered
from indexer.parsed import Error, Parsed, Piece
from indexer.queries import compiled, fields, has_forwards, rare_words, statement_query
from indexer.syntax import Syntax, cursor

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from indexer.languages import Language

MAX_PROBLEMS = 20  # more broken places than this say that the file is no such source at all

_new = tuple.__new__  # half the time of calling the class, for what is made most often


def parse(language: Language, text: str, *, for_chunks: bool = False) -> Parsed:
    """Parse a text with the grammar of its language and run its query.

    Args:
        language: its grammar and query.
        text: the whole text.
        for_chunks: whether definitions, comments and docs are enough; calls, imports and exports are not looked for.

    Raises:
        SlowParseError: the grammar takes too long, or reads next to nothing; nothing else, on any text.
    """
    return parse_syntax(Syntax(language, text), for_chunks=for_chunks)


def parse_syntax(syntax: Syntax, *, for_chunks: bool = False) -> Parsed:
    """Run the query of its language on a syntax tree that is there, or made now.

    Raises:
        SlowParseError: the grammar takes too long, or reads next to nothing.
    """
    language, source, readable = syntax.language, syntax.source, syntax.readable
    if language.reader is not None:
        return language.reader(source)
    tree = syntax.tree
    has_rare = not for_chunks and any(word in readable for word in rare_words(language))
    query, uses = compiled(language, for_chunks=for_chunks, has_rare=has_rare)
    found = Gathered(
        source,
        fields(language),
        errors=list(_errors(tree)),
        decorators=syntax.attributes,
        has_calls_for_heads=language.clauses,
        has_params=not for_chunks or language.clauses or has_forwards(language),
    )
    found.gather(cursor(query).matches(tree.root_node), uses, readable)
    parsed = found.finish()
    if language.clauses:
        join_clauses(parsed)
    return parsed


def leaves_named(syntax: Syntax, name: str) -> list[Piece]:
    """Find the identifiers spelled ``name``: leaves of the syntax tree, so no words of comments or strings.

    Raises:
        SlowParseError: the grammar takes too long, or reads next to nothing.
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
        SlowParseError: the grammar takes too long, or reads next to nothing.
    """
    captures = cursor(statement_query(syntax.language)).captures(syntax.tree.root_node)
    return sorted({_piece(statement) for statement in captures.get("statement", ())})


def _piece(found: Node) -> Piece:
    at = found.range  # two thirds of the time that asking the node itself for its points takes
    return _new(Piece, (at.start_byte, at.end_byte, at.start_point[0], at.end_point[0]))


def _errors(tree: Tree) -> Iterator[Error]:
    """Give the outermost broken places; one message each, not one a token."""
    broken: list[tuple[Piece, str]] = []
    within = [tree.root_node] if tree.root_node.has_error else []
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
