"""Ask the grammar's own tree: ``definitions_of`` walks it and gives every definition with its full range.

Knows nothing of the project's queries: the node types stand in ``SHAPES``, and the walk has no recursion. It tells
whether a query misses what its grammar sees, not whether the grammar is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from witness.compare import Definition

if TYPE_CHECKING:
    from tree_sitter import Node


TEXTS = ("string", "comment", "heredoc_body", "heredoc", "sigil", "string_value", "string_content")


@dataclass(frozen=True, slots=True)
class Shape:
    """Say how definitions look in one grammar.

    Attributes:
        types: node type: kind.
        name: gives the node of the name, None where this node defines nothing.
        wrappers: types of parents that share the range of their only child of the definition's type.
        before: types of siblings that stand before a definition and belong to it.
    """

    types: Mapping[str, str]
    name: Callable[[Node], Node | None]
    wrappers: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()


def definitions_of(language: str, grammar: str, text: str) -> list[Definition]:
    """Give the definitions that the tree of a text holds, in order of the source."""
    source = text.encode("utf-8", "replace")
    shape = SHAPES[language]
    found = []
    for each in walk(_root(grammar, source)):
        kind = shape.types.get(each.type)
        name = shape.name(each) if kind else None
        if kind and name is not None and name.end_byte > name.start_byte:
            start, end = _range(each, shape)
            written = source[name.start_byte : name.end_byte].decode("utf-8", "replace")
            found.append(Definition(kind, written, name.start_point.row + 1, start, end))
    return found


def text_lines(grammar: str, text: str) -> set[int]:
    """Give the lines that begin inside a string, heredoc or comment; none where the grammar lost its way."""
    lines: set[int] = set()
    root = _root(grammar, text.encode("utf-8", "replace"))
    if root.has_error:
        return lines
    for each in walk(root):
        if each.type.endswith(TEXTS) and each.end_point.row > each.start_point.row:
            lines.update(row + 1 for row in range(each.start_point.row + 1, each.end_point.row + 1))
    return lines


def walk(root: Node) -> Iterator[Node]:
    """Give all named nodes in order, with one cursor."""
    cursor = root.walk()
    while True:
        if cursor.node is not None and cursor.node.is_named:
            yield cursor.node
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


def _root(grammar: str, source: bytes) -> Node:
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    return Parser(get_language(grammar)).parse(source).root_node


def _range(each: Node, shape: Shape) -> tuple[int, int]:
    while (parent := each.parent) is not None and parent.type in shape.wrappers:
        if sum(child.type == each.type for child in parent.children) > 1:
            break
        each = parent
    first = each
    while (before := first.prev_named_sibling) is not None and (
        before.type in shape.before or (before.is_extra and _leads_on(before, shape))
    ):
        first = before
    while first.is_extra and first != each and first.next_named_sibling is not None:
        first = first.next_named_sibling
    last = each
    while last.child_count:
        solid = [child for child in last.children if not child.is_extra and child.end_byte > child.start_byte]
        if not solid:
            break
        last = solid[-1]
    end = last.end_point
    row = end.row - (end.column == 0 and end.row > last.start_point.row)
    return first.start_point.row + 1, row + 1


def _leads_on(comment: Node, shape: Shape) -> bool:
    """Tell whether a comment stands between an attribute and what it belongs to."""
    before = comment.prev_named_sibling
    while before is not None and before.is_extra:
        before = before.prev_named_sibling
    return before is not None and before.type in shape.before


def _field(each: Node) -> Node | None:
    """Give the field ``name``, and of a qualified name its last part."""
    name = each.child_by_field_name("name")
    while name is not None and name.type in _QUALIFIED:
        name = (
            name.child_by_field_name("name") or name.child_by_field_name("field") or name.child_by_field_name("method")
        )
    return name


_QUALIFIED = frozenset(("qualified_identifier", "scope_resolution", "template_type", "template_function"))
_INDEXED = frozenset(("dot_index_expression", "method_index_expression"))


def _ecmascript(each: Node) -> Node | None:
    if each.type == "variable_declarator":
        value = each.child_by_field_name("value")
        name = each.child_by_field_name("name")
        return name if value is not None and value.type in _VALUES and name and name.type == "identifier" else None
    if each.type in _MEMBERS and (each.parent is None or each.parent.type not in _BODIES):
        return None  # a member of an object may be an option handed to a call
    return each.child_by_field_name("name")


_VALUES = frozenset(("arrow_function", "function_expression", "generator_function", "class"))
_MEMBERS = frozenset(("method_definition", "method_signature", "abstract_method_signature"))
_BODIES = frozenset(("class_body", "interface_body"))


def _declared(each: Node) -> Node | None:
    """Follow C's declarators down to the name; a struct without body or name defines nothing."""
    if each.type.endswith("_specifier"):
        return _field(each) if each.child_by_field_name("body") is not None else None
    if each.type == "alias_declaration":
        return _field(each)
    at: Node | None = each
    while at is not None and at.type not in _NAMES:
        inner = at.child_by_field_name("declarator") or at.child_by_field_name("name")
        if inner is None and at.type in _WRAPPED:
            inner = next(
                (child for child in at.named_children if child.type.endswith(("declarator", "identifier"))), None
            )
        at = inner
    return at


_NAMES = frozenset(("identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name"))
_WRAPPED = frozenset(
    ("parenthesized_declarator", "reference_declarator", "pointer_declarator", "attributed_declarator")
)


def _kotlin(each: Node) -> Node | None:
    return next((child for child in each.children if child.type in ("simple_identifier", "type_identifier")), None)


def _swift(each: Node) -> Node | None:
    if each.type == "init_declaration":
        return next((child for child in each.children if child.type == "init"), None)
    name = each.child_by_field_name("name")  # the name of an extension is a user_type
    return name if name is not None and name.type.endswith("identifier") else None


def _lua(each: Node) -> Node | None:
    name = each.child_by_field_name("name")
    if each.type == "assignment_statement":
        names, values = (
            next((c for c in each.children if c.type == kind), None) for kind in ("variable_list", "expression_list")
        )
        if names is None or values is None or names.named_child_count != 1 or values.named_child_count != 1:
            return None
        if values.named_children[0].type != "function_definition":
            return None
        name = names.named_children[0]
    if name is not None and name.type in _INDEXED:
        return name.child_by_field_name("field") or name.child_by_field_name("method")
    return name if name is not None and name.type == "identifier" else None


def _elixir(each: Node) -> Node | None:
    target = each.child_by_field_name("target")
    given = next((child for child in each.children if child.type == "arguments"), None)
    if target is None or given is None or not given.named_children or target.text not in _ELIXIR:
        return None
    name = given.named_children[0]
    if name.type == "binary_operator" and _operator(name) == b"when":
        name = name.child_by_field_name("left") or name
    if name.type == "call":
        name = name.child_by_field_name("target") or name
    return name if name.type in ("identifier", "alias") else None


_ELIXIR = frozenset(b"def defp defmacro defmacrop defmodule defprotocol defguard defguardp defdelegate".split())


def _operator(each: Node) -> bytes | None:
    operator = each.child_by_field_name("operator")
    return operator.text if operator is not None else None


def _haskell(each: Node) -> Node | None:
    name = each.child_by_field_name("name")
    if each.type in ("function", "bind") and (each.parent is None or each.parent.type != "declarations"):
        return None  # local, or a type
    if name is None and each.type == "function" and each.named_children and each.named_children[0].type == "infix":
        return each.named_children[0].child_by_field_name("operator")
    return name if name is not None and name.type in ("variable", "name", "prefix_id") else None


def _zig(each: Node) -> Node | None:
    if each.type == "FnProto":
        return each.child_by_field_name("function")
    holder = each
    while holder.named_child_count and holder.type != "ContainerDecl":
        holder = holder.named_children[-1]
        if holder.type not in ("ErrorUnionExpr", "SuffixExpr", "ContainerDecl"):
            return None
    return each.child_by_field_name("variable_type_function") if holder.type == "ContainerDecl" else None


_FUNCTIONS = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "variable_declarator": "function",
    "class_declaration": "class",
    "method_definition": "method",
}
_TYPESCRIPT = {
    **_FUNCTIONS,
    "function_signature": "function",
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "method_signature": "method",
    "abstract_method_signature": "method",
}
_STATEMENTS = frozenset(("export_statement", "lexical_declaration", "variable_declaration"))
_DECORATOR = frozenset(("decorator",))
_TYPESCRIPT_SHAPE = Shape(_TYPESCRIPT, _ecmascript, _STATEMENTS | {"ambient_declaration"}, _DECORATOR)
_STRUCTS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "type_definition": "typedef",
}

SHAPES: dict[str, Shape] = {
    "python": Shape(
        {"function_definition": "function", "class_definition": "class"}, _field, frozenset(("decorated_definition",))
    ),
    "javascript": Shape(_FUNCTIONS, _ecmascript, _STATEMENTS, _DECORATOR),
    "typescript": _TYPESCRIPT_SHAPE,
    "tsx": _TYPESCRIPT_SHAPE,
    "go": Shape(
        {
            "function_declaration": "function",
            "method_declaration": "method",
            "type_spec": "type",
            "type_alias": "type",
            "method_elem": "method",
        },
        _field,
        frozenset(("type_declaration",)),
    ),
    "rust": Shape(
        {
            "function_item": "function",
            "function_signature_item": "function",
            "struct_item": "struct",
            "union_item": "union",
            "enum_item": "enum",
            "trait_item": "trait",
            "type_item": "type",
            "associated_type": "type",
            "macro_definition": "macro",
        },
        _field,
        before=frozenset(("attribute_item",)),
    ),
    "java": Shape(
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "annotation_type_declaration": "interface",
            "method_declaration": "method",
            "annotation_type_element_declaration": "method",
            "constructor_declaration": "constructor",
            "compact_constructor_declaration": "constructor",
        },
        _field,
    ),
    "c": Shape({"function_definition": "function", **_STRUCTS}, _declared),
    "cpp": Shape(
        {"function_definition": "function", "class_specifier": "class", "alias_declaration": "type", **_STRUCTS},
        _declared,
        frozenset(("template_declaration",)),
    ),
    "csharp": Shape(
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "struct_declaration": "struct",
            "record_declaration": "record",
            "enum_declaration": "enum",
            "delegate_declaration": "delegate",
            "method_declaration": "method",
            "constructor_declaration": "constructor",
            "destructor_declaration": "destructor",
            "local_function_statement": "function",
        },
        _field,
        frozenset(("global_statement",)),
    ),
    "ruby": Shape({"class": "class", "module": "module", "method": "method", "singleton_method": "method"}, _field),
    "php": Shape(
        {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "trait_declaration": "trait",
            "enum_declaration": "enum",
            "function_definition": "function",
            "method_declaration": "method",
        },
        _field,
    ),
    "kotlin": Shape(
        {
            "class_declaration": "class",
            "object_declaration": "object",
            "function_declaration": "function",
            "type_alias": "type",
        },
        _kotlin,
    ),
    "swift": Shape(
        {
            "class_declaration": "class",
            "protocol_declaration": "protocol",
            "function_declaration": "function",
            "protocol_function_declaration": "function",
            "init_declaration": "constructor",
            "typealias_declaration": "type",
        },
        _swift,
    ),
    "scala": Shape(
        {
            "class_definition": "class",
            "object_definition": "object",
            "package_object": "object",
            "trait_definition": "trait",
            "enum_definition": "enum",
            "function_definition": "function",
            "function_declaration": "function",
            "type_definition": "type",
        },
        _field,
    ),
    "bash": Shape({"function_definition": "function"}, _field),
    "lua": Shape(
        {"function_declaration": "function", "assignment_statement": "function"},
        _lua,
        frozenset(("variable_declaration",)),
    ),
    "elixir": Shape({"call": "definition"}, _elixir),
    "haskell": Shape(
        {
            "function": "function",
            "bind": "function",
            "data_type": "type",
            "newtype": "type",
            "type_synomym": "type",
            "class": "class",
        },
        _haskell,
    ),
    "zig": Shape({"FnProto": "function", "VarDecl": "type"}, _zig, frozenset(("Decl",))),
}
