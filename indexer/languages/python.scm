; Definitions

(function_definition name: (_) @name) @definition.function
(class_definition name: (_) @name) @definition.class
(assignment left: (identifier) @name right: (lambda) @value) @definition.function
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

; Classes made by a call: Point = namedtuple("Point", "x y")
(assignment
  left: (identifier) @name
  right: (call function: (_) @_maker)
  (#match? @_maker "^(\\w+\\.)?(namedtuple|NamedTuple|TypedDict|NewType|Enum|IntEnum|StrEnum|Flag)$")) @definition.type

(assignment
  left: (identifier) @name
  (#match? @name "^_{0,2}[A-Z][A-Z0-9_]*$")) @definition.constant

; Those of the module that begin no line, and several at once: A = 1; B = 2, and C, D = 3, 4
(module
  (assignment left: [(identifier) @name @listed (pattern_list (identifier) @name @listed)]) @definition.constant
  (#match? @name "^_{0,2}[A-Z][A-Z0-9_]*$"))

(decorator) @decorator

; Descriptions: a string that opens a body

(module . (comment)* . (string) @doc.file (#not-match? @doc.file "^[rR]?[fFbB]"))
(block . (string) @doc (#not-match? @doc "^[rR]?[fFbB]"))
(module . (comment)* . (concatenated_string) @doc.file (#not-match? @doc.file "(^|[\"'][\\s\\\\]+)[rR]?[fFbB][rR]?[\"']"))
(block . (concatenated_string) @doc (#not-match? @doc "(^|[\"'][\\s\\\\]+)[rR]?[fFbB][rR]?[\"']"))
(comment) @comment

; Imports and exports

(import_statement name: [(dotted_name) @import (aliased_import name: (_) @import)])
(import_from_statement module_name: (_) @import)
(future_import_statement "__future__" @import)
(call
  . function: [(identifier) (attribute)] @_import
  arguments: (argument_list . (string . (string_start) . (string_content) @import . (string_end)))
  (#any-of? @_import "__import__" "import_module" "importlib.import_module" "importlib.__import__"))

(assignment
  left: (identifier) @export.list
  right: [
    (_ (string (string_content) @export))
    (binary_operator (_ (string (string_content) @export)))
    (_)
  ]
  (#eq? @export.list "__all__"))
(augmented_assignment
  left: (identifier) @export.list
  right: (_ (string (string_content) @export))
  (#eq? @export.list "__all__"))
(call
  . function: (attribute object: (identifier) @export.list)
  arguments: (argument_list [
    (string (string_content) @export)
    (_ (string (string_content) @export))
  ])
  (#eq? @export.list "__all__"))

; Calls

(call function: (_) @reference.call)
