"""Gather the matches of a query on one file, while they come, as plain values: ``Gathered``.

What the captures mean is told in ``indexer.parse``. As there is a match for each call and each name, only numbers of
bytes are kept here; in which rows they are is found out once, for what is left at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.parsed import Definition, Error, Export, Parsed, Range, Scope, outside, settle
from indexer.queries import LISTS
from indexer.syntax import parameters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from indexer.queries import Choice, Use

LINE_FEED, CARRIAGE_RETURN = 10, 13
MAX_HEAD = 60  # lines from where a function begins to its name; more of them are code that the grammar cannot read

_FUNCTIONS = frozenset(("function", "method", "constructor"))
_CONSTANTS = frozenset(("constant", "variable"))  # without a value of their own, they have no body


class Gathered:
    """Gather what one file holds.

    Args:
        source: its bytes.
        fields: numbers of the fields that definitions are looked through for.
        errors: what the grammar could not read.
        decorators: byte ranges of those that no query finds.
        has_calls_for_heads: whether what defines looks like a call of what is defined.
        has_params: whether anybody asks how many parameters there are.
    """

    def __init__(
        self,
        source: bytes,
        fields: Mapping[str, int],
        *,
        errors: list[Error],
        decorators: list[Range],
        has_calls_for_heads: bool,
        has_params: bool,
    ) -> None:
        self.parsed = Parsed(source, errors=errors)
        self._source = source
        self._decorators = decorators
        self._has_calls_for_heads = has_calls_for_heads
        self._has_params = has_params
        self._body = fields.get("body", 0)
        self._parameters = fields.get("parameters", 0)
        self._parameter = fields.get("parameter", 0)
        self._lists: dict[str, list[Range]] = {name: [] for name in LISTS}
        self._by_name: dict[int, Definition] = {}
        self._scopes: dict[int, Scope] = {}
        self._wraps: dict[Range, Range] = {}
        self._export_by_name: dict[int, Export] = {}
        self._docs_of: dict[Range, int] = {}

    def gather(
        self,
        matches: list[tuple[int, dict[str, list[Node]]]],
        uses: Sequence[tuple[Use, Choice | None]],
        readable: bytes,
    ) -> None:
        """Add the matches whose conditions hold; most of all that there are are calls."""
        lists, calls = self._lists, self.parsed.calls
        for pattern, captures in matches:
            use, choose = uses[pattern]
            if choose is not None:
                chosen = choose(captures, readable)
                if chosen is None:
                    continue
                use = chosen
            group, role, capture, rarer = use
            if group == "reference":
                for called in captures[role]:
                    calls.append((called.end_byte, called.start_byte))
            elif group == "reference.on":
                called = captures["reference.call"][0]
                on = captures.get(role)
                calls.append((called.end_byte, (on[0] if on else called).start_byte))
            elif group == "list":
                for each in captures[capture]:
                    lists[role].append((each.start_byte, each.end_byte))
            elif group == "definition":
                self._definition(role[11:], captures[capture][0], captures, rarer)
            else:
                self._other(role, capture, captures)

    def _other(self, role: str, capture: str, captures: dict[str, list[Node]]) -> None:
        """Add a match that is neither a definition nor one of a list."""
        if role == "doc.of":
            self._docs_of[_range(captures["doc"][0])] = captures[capture][0].start_byte
        elif role.startswith("section."):
            self._section(captures[capture][0], hides=role == "section.hidden")
        elif role == "wrap":
            outer, inner = _range(captures["wrap"][0]), _range(captures["wrapped"][0])
            if outer != inner:
                self._wraps[inner] = outer
        elif role.startswith("export"):
            self._export(captures)
        else:
            self._scope(captures, is_part=role == "scope.part")

    def _definition(self, kind: str, whole: Node, captures: dict[str, list[Node]], rarer: tuple[str, ...]) -> None:
        """Add a match of a definition, or what it says to the definition of that name."""
        names = captures.get("name")
        if names is None:
            return
        name = names[0]
        at, start, end = name.start_byte, whole.start_byte, whole.end_byte
        known = self._by_name.get(at)
        if known is None:
            last = captures.get("name.end")
            known = Definition(kind, at, (last[0] if last is not None else name).end_byte, start, end)
            self._by_name[at] = known
        else:
            if known.kind in _CONSTANTS:
                known.kind = kind
            if end - start > known.end - known.start:
                known.start, known.end = start, end
        values = captures.get("value")
        if values is not None or kind not in _CONSTANTS:
            holder = values[0] if values is not None else whole
            if known.body is None:
                self._find_body(known, whole, holder, captures)
            if known.params_at is None and self._has_params:
                self._find_params(known, holder, captures)
        if rarer:
            self._add_facts(known, captures, rarer)

    def _find_body(self, known: Definition, whole: Node, holder: Node, captures: dict[str, list[Node]]) -> None:
        bodies = captures.get("body")
        body = bodies[0] if bodies is not None else holder.child_by_field_id(self._body) if self._body else None
        if body is not None:
            known.body = body.start_byte, body.end_byte
        elif "body.after" in captures:
            known.body = captures["body.after"][0].end_byte, whole.end_byte

    def _find_params(self, known: Definition, holder: Node, captures: dict[str, list[Node]]) -> None:
        lists = captures.get("params")
        if "param" in captures:
            listed = _and_its_like(captures["param"][0])
            known.params = [_whole_parameter(each) for each in listed]
            known.params_at = listed[0].start_byte, listed[-1].end_byte
            return
        if "operand" in captures:
            known.params = [_range(each) for each in captures["operand"]]
            known.params_at = known.params[0][0], known.params[-1][1]
            return
        if lists is None:
            params = holder.child_by_field_id(self._parameters) if self._parameters else None
            if params is None and self._parameter:
                params = holder.child_by_field_id(self._parameter)
            if params is None or params.type == "type_parameters":
                return
            lists = [params]
        known.params_at = start, end = lists[0].start_byte, lists[-1].end_byte
        if end - start > len(b"()") or self._source[start:end] != b"()":
            known.params = [each for one in lists for each in parameters(one, self._source)]

    def _add_facts(self, known: Definition, captures: dict[str, list[Node]], rarer: tuple[str, ...]) -> None:
        """Add what else is said."""
        for name in rarer:
            said = captures.get(name)
            if said is None:
                continue
            if name == "owner":
                known.owner = self._text(said[0])
            elif name == "receiver":
                known.receiver = self._text(said[-1])
            elif name == "export":
                self._export(captures)
            else:
                setattr(known, f"is_{name}", True)

    def _section(self, marker: Node, *, hides: bool) -> None:
        """Remember whether other files can use what stands between a word such as ``private`` and its block's end."""
        block = marker.parent
        end = block.end_byte if block is not None else len(self._source)
        self.parsed.sections.append((marker.start_byte, end, hides))

    def _scope(self, captures: dict[str, list[Node]], *, is_part: bool) -> None:
        """Add a scope; scopes are known by the place of their name."""
        start, end = _range((captures.get("scope") or captures["scope.part"])[0])
        name = _range(captures["name"][0]) if "name" in captures else None
        owner = self._text(captures["owner"][0]) if "owner" in captures else None
        self._scopes.setdefault(name[0] if name else start, Scope(start, end, name, owner, is_part))

    def _export(self, captures: dict[str, list[Node]]) -> None:
        """Add what one match says of the names that it exports."""
        self.parsed.has_export_list |= "export.list" in captures
        # Lists within lists each have a part of where their names come from.
        source = "::".join([_unquoted(self._text(each)) for each in captures.get("export.source", ())])
        alias = _unquoted(self._text(captures["export.as"][0])) if "export.as" in captures else ""
        for exported in captures.get("export", ()):
            known = self._export_by_name.get(exported.start_byte)
            local = _unquoted(self._text(exported))
            name = alias or (known.name if known is not None else local)
            origin = source or (known.source if known is not None else "")
            self._export_by_name[exported.start_byte] = Export(local, name, origin, _range(exported))

    def finish(self) -> Parsed:
        """Put everything in order of the source."""
        parsed, found = self.parsed, self._lists
        for each in found.values():
            each.sort()
        parsed.calls.sort()
        if self._has_calls_for_heads:
            parsed.calls = [call for call in parsed.calls if call[1] not in self._by_name]
        if found["uncalled"]:
            is_called = outside(found["uncalled"])
            parsed.calls = [call for call in parsed.calls if is_called(call[1])]
        comments = [(start, self._code_end(end)) for start, end in found["comment"]]
        parsed.comments = list(parsed.pieces(comments))
        parsed.imports = found["import"]
        parsed.docs = list(parsed.pieces(found["doc"]))
        parsed.file_docs = list(parsed.pieces(found["doc.file"]))
        parsed.docs_of = {self._docs_of[doc[:2]]: doc for doc in parsed.pieces(sorted(self._docs_of))}
        parsed.definitions = list(self._by_name.values())
        if parsed.errors:
            _begin_at_names(parsed)
        parsed.hidden = {(start, parsed.text(start, end)) for start, end in found["hidden"]}
        if self._export_by_name:
            hidden = {name for _, name in parsed.hidden}
            exports = (export for export in self._export_by_name.values() if export.local not in hidden)
            parsed.exports = sorted(exports, key=lambda export: export.at)
        parsed.sections.sort()
        settle(parsed, self._wraps, sorted(found["decorator"] + self._decorators), found["modifier"])
        parsed.scopes = [scope for place, scope in self._scopes.items() if place not in self._by_name]
        return parsed

    def _code_end(self, end: int) -> int:
        """Leave out the line break that some grammars take into a comment."""
        if self._source[end - 1] == LINE_FEED:
            end -= 1
        return end - 1 if self._source[end - 1] == CARRIAGE_RETURN else end

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _range(found: Node) -> Range:
    return found.start_byte, found.end_byte


def _and_its_like(first: Node) -> list[Node]:
    """Give a parameter and those that follow it up to the closing bracket."""
    found, at = [first], first.next_sibling
    while at is not None and at.type != ")":
        found += [at] if at.type == first.type else []
        at = at.next_sibling
    return found


def _begin_at_names(parsed: Parsed) -> None:
    """Let functions begin in the line of their name where the grammar made all the lines above a part of them."""
    for found in parsed.definitions:
        if found.kind in _FUNCTIONS and parsed.source.count(b"\n", found.start, found.name_start) > MAX_HEAD:
            line = parsed.source.rfind(b"\n", 0, found.name_start) + 1
            found.start = found.name_start - len(parsed.source[line : found.name_start].lstrip())


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
