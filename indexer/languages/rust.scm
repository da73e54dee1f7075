; Functions; those of an impl belong to its type, and those of a trait's impl are as public as both

(impl_item
  trait: (_)? @shown
  type: [
    (type_identifier)
    (primitive_type)
    (scoped_type_identifier)
    (generic_type)
    (reference_type)
    (pointer_type)
    (dynamic_type)
  ] @receiver
  body: (declaration_list (function_item name: (_) @name) @definition.method))
(impl_item
  type: (_) @receiver
  body: (declaration_list (function_item name: (_) @name) @definition.method))
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(let_declaration pattern: (identifier) @name value: (closure_expression) @value) @definition.function

(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (_) @name)
  (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
  (reference_type type: [(type_identifier) @name (primitive_type) @name (generic_type type: (type_identifier) @name)])
  (pointer_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
  (dynamic_type trait: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
]) @scope

; Macros

(macro_definition name: (_) @name) @definition.macro
((attribute_item (attribute (identifier) @_export))
  . (attribute_item)*
  . (macro_definition name: (_) @name @shown) @definition.macro
  (#eq? @_export "macro_export"))

; Types and modules

(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(trait_item name: (_) @name) @definition.trait
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type
(mod_item name: (_) @name body: (_)) @definition.module

; Constants

(const_item name: (identifier) @name @listed (#not-eq? @name "_")) @definition.constant
(static_item name: (_) @name @listed) @definition.constant
(impl_item
  trait: (_)
  type: [
    (type_identifier)
    (primitive_type)
    (scoped_type_identifier)
    (generic_type)
    (reference_type)
    (pointer_type)
    (dynamic_type)
  ]
  body: (declaration_list (const_item name: (_) @name @shown @listed) @definition.constant))
(impl_item
  trait: (_)
  type: [
    (type_identifier)
    (primitive_type)
    (scoped_type_identifier)
    (generic_type)
    (reference_type)
    (pointer_type)
    (dynamic_type)
  ]
  body: (declaration_list (type_item name: (_) @name @shown) @definition.type))

(attribute_item) @decorator

(use_declaration argument: (_) @import)
(extern_crate_declaration name: (_) @import)
(mod_item name: (_) @import !body)

; What is exported from elsewhere
(use_declaration
  (visibility_modifier) @_pub
  argument: [
    (identifier) @export
    (use_as_clause alias: (_) @export)
    (use_as_clause path: (scoped_identifier path: (_) @export.source) alias: (_) @export)
    (scoped_identifier path: (_)? @export.source name: (_) @export)
    (use_wildcard (_) @export.source "*" @export)
    (use_list [(identifier) @export (use_as_clause alias: (_) @export)])
    (scoped_use_list
      path: [(identifier) @export (scoped_identifier path: (_) @export.source name: (_) @export)]
      list: (use_list (self)))
    (scoped_use_list
      path: (_)? @export.source
      list: (use_list [
        (identifier) @export
        (use_as_clause path: [(identifier) (self)] alias: (_) @export)
        (use_as_clause path: (scoped_identifier path: (_) @export.source) alias: (_) @export)
        (scoped_identifier path: (_) @export.source name: (_) @export)
        (use_wildcard . "*" @export)
        (use_wildcard (_) @export.source "*" @export)
        (scoped_use_list path: (identifier) @export list: (use_list (self)))
        (scoped_use_list
          path: (_)? @export.source
          list: (use_list [
            (identifier) @export
            (use_as_clause path: [(identifier) (self)] alias: (_) @export)
            (use_as_clause path: (scoped_identifier path: (_) @export.source) alias: (_) @export)
            (scoped_identifier path: (_) @export.source name: (_) @export)
            (use_wildcard . "*" @export)
            (use_wildcard (_) @export.source "*" @export)
          ]))
      ]))
  ]
  (#eq? @_pub "pub"))

(line_comment) @comment
(block_comment) @comment

(call_expression function: (_) @reference.call)
(macro_invocation macro: (_) @reference.call)

; In macros, of which there is no tree; attributes have the same parts, but call nothing
(token_tree (identifier) @reference.call . (token_tree "("))
[(attribute_item) (inner_attribute_item)] @uncalled
