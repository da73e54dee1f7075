"""Word the definitions of a file as ``Symbol`` values: ``symbols_from``.

Knows signatures, parameters and which names are exported; their order and containers come from nesting.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.comments import clip
from indexer.model import Symbol, SymbolKind
from indexer.nesting import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.describe import Describer
    from indexer.languages import Language
    from indexer.nesting import Nested
    from indexer.parsed import Definition, Parsed

SIGNATURE_LIMIT = 160  # characters of a signature
PARAM_LIMIT = 80  # characters of one parameter with type and default

_OWNERS = frozenset(("class", "interface", "trait", "struct", "record", "enum", "object", "constant", "variable"))
_KINDS = {str(kind): kind for kind in SymbolKind}
_AFTER_SIGNATURE = " :{=;,"
_ASYNC = re.compile(rb"\b(?:async|suspend)\b")


def symbols_from(
    parsed: Parsed,
    nested: list[Nested],
    language: Language,
    describer: Describer | None = None,
    name: str | None = None,
) -> tuple[Symbol, ...]:
    """Make the symbols of a file, in order, or only those of one name.

    Without ``describer`` they have no description and no calls.
    """
    exported = exported_definitions(parsed, nested, language)
    maybe_async = b"async" in parsed.source or b"suspend" in parsed.source  # far faster than to look for words
    symbols = []
    for each in nested if name is None else [each for each in nested if each.name == name]:
        found = each.found
        text, described = describer.describe(each) if describer else ("", False)
        symbols.append(
            Symbol(  # by place, as by name takes twice the time
                each.name,
                each.qualified_name,
                _KINDS[each.kind],
                found.row + 1,
                found.end_row + 1,
                found.name_row + 1,
                tuple([_line(parsed, start, end) for start, end in found.params]) if found.params else (),
                _signature(parsed, found),
                tuple(each.calls) if describer else (),
                text,
                each.parent,
                id(each) in exported,
                maybe_async and _is_async(parsed, found),
                found.receiver,
                described,
            )
        )
    return tuple(symbols)


def exported_definitions(parsed: Parsed, nested: list[Nested], language: Language) -> set[int]:
    """Give the ``id`` of each definition that other files can use."""
    listed = language.exports_listed or parsed.has_export_list
    names = {export.local for export in parsed.exports if not export.source}
    places = {export.at[0] for export in parsed.exports}
    exported: set[int] = set()
    hidden = _Hidden(parsed) if parsed.sections or parsed.hidden else None
    for each in nested:
        container = each.container
        if container is not None and container.kind in _OWNERS:
            offered = id(container) in exported
        elif container is not None and container.kind != "module":
            offered = each.kind == "method" and id(container) in exported
        elif not listed:
            offered = container is None or id(container) in exported
        elif each.found.name_start in places:
            offered = True
        else:
            offered = container is None and (each.parent or each.name).partition(".")[0] in names
        is_named = listed and container is None and each.name in names  # whatever words stand before it
        offered = offered and language.is_public(each.name) and (is_named or _is_shown(parsed, each, language))
        if offered and not (hidden is not None and hidden.has(each)):
            exported.add(id(each))
    return exported if listed else exported - set(_of_hidden_types(nested, exported, language))


def _of_hidden_types(nested: list[Nested], exported: set[int], language: Language) -> Iterator[int]:
    """Give the ``id`` of each method that is attached from outside to a type that other files cannot use."""
    types = {each.qualified_name: id(each) in exported for each in nested if each.kind in _OWNERS}
    for each in nested:
        if each.container is None and each.parent is not None and id(each) in exported:
            owner = types.get(each.parent)
            if owner is False or (owner is None and not language.is_public(each.parent.rpartition(".")[2])):
                yield id(each)


class _Hidden:
    """Know what a file says of which of its definitions other files cannot use; asked in order of the source."""

    def __init__(self, parsed: Parsed) -> None:
        self.end = len(parsed.source)
        self.sections = parsed.sections[::-1]
        self.open: list[tuple[int, int, bool]] = []
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        for said, name in sorted(parsed.hidden):
            self.places[shown_name(name)].append(said)

    def has(self, each: Nested) -> bool:
        """Say whether a section of its container, or a statement there with its name, hides it; the innermost does."""
        found, around = each.found, each.container.found if each.container is not None else None
        first, last = (around.start, around.end) if around is not None else (-1, self.end)
        places = self.places.get(each.name, ())
        following = bisect_right(places, first)
        if following < len(places) and places[following] < last:
            return True
        while self.sections and self.sections[-1][0] <= found.start:
            self._close(self.sections[-1][0])
            self.open.append(self.sections.pop())
        self._close(found.start)
        return not found.is_shown and bool(self.open) and self.open[-1][0] > first and self.open[-1][2]

    def _close(self, at: int) -> None:
        while self.open and self.open[-1][1] <= at:
            self.open.pop()


def _is_shown(parsed: Parsed, each: Nested, language: Language) -> bool:
    """Say whether the words before the name let other files use it; members of an interface need none."""
    if each.found.is_shown or (language.hides is None and language.shows is None):
        return True
    words = parsed.source[each.found.head : each.found.name_start]
    if language.hides is not None and language.hides.search(words):
        return False
    in_interface = each.container is not None and each.container.kind in ("interface", "trait")
    return language.shows is None or in_interface or language.shows.search(words) is not None


def _signature(parsed: Parsed, found: Definition) -> str:
    end = found.body[0] if found.body else found.end
    end = min(found.head_end or end, found.head + 8 * SIGNATURE_LIMIT)
    source = parsed.source[found.head : end]
    if b"/" in source or b"#" in source or b"--" in source or b"=begin" in source:
        source = _without_comments(parsed, found.head, end)
    text = " ".join(source.decode("utf-8", "replace").split())
    text = _without_opening(text) if found.body else text.rstrip(" ;,")
    if found.body is not None and found.name_start >= found.body[1]:  # typedef struct {...} name
        text += " {…} " + _line(parsed, found.body[1], found.end).strip(" ;")
    return clip(text, SIGNATURE_LIMIT)


def _without_opening(text: str) -> str:
    """Leave out what opens the body at the end of a signature: braces and the like, arrows, the word ``do``."""
    while True:
        text = text.rstrip(_AFTER_SIGNATURE)
        if text[-1:] not in ("o", ">"):
            return text
        is_word = text.endswith("do") and not (text[-3:-2].isalnum() or text[-3:-2] == "_")
        if not (is_word or text.endswith("=>")):
            return text
        text = text[:-2]


def _without_comments(parsed: Parsed, start: int, end: int) -> bytes:
    kept, at = [], start
    for comment in parsed.comments_between(start, end):
        kept.append(parsed.source[at : comment.start])
        at = comment.end
    return b" ".join((*kept, parsed.source[at:end]))


def _is_async(parsed: Parsed, found: Definition) -> bool:
    """Look for the word among what stands before and after the parameters, the name aside."""
    end = found.body[0] if found.body else found.end
    if found.params_at is None or end < found.params_at[1]:
        return False
    before = parsed.source[found.head : found.params_at[0]]
    name = parsed.source[found.name_start : found.name_end]
    after = parsed.source[found.params_at[1] : end][:SIGNATURE_LIMIT]
    return bool(_ASYNC.search(before.replace(name, b"", 1)) or _ASYNC.search(after))


def _line(parsed: Parsed, start: int, end: int) -> str:
    text = parsed.source[start : min(end, start + 8 * PARAM_LIMIT)].decode("utf-8", "replace")
    if "\n" in text or "  " in text or "\t" in text:
        text = " ".join(text.split())
    return text if len(text) <= PARAM_LIMIT else clip(text, PARAM_LIMIT)
