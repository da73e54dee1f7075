; Types

(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(record_declaration name: (_) @name) @definition.record

; Methods; a constant of an enum lends its name to those in its body

(method_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.constructor
(compact_constructor_declaration name: (_) @name) @definition.constructor
(enum_constant name: (_) @name body: (_)) @scope

; Constants

(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (_) @name @listed)
  (#match? @name "^[A-Z][A-Z0-9_]*$")) @definition.constant
(field_declaration
  (modifiers "final" "static")
  declarator: (variable_declarator name: (_) @name @listed)
  (#match? @name "^[A-Z][A-Z0-9_]*$")) @definition.constant
(constant_declaration declarator: (variable_declarator name: (_) @name @listed)) @definition.constant

(marker_annotation) @decorator
(annotation) @decorator

(import_declaration) @import
(line_comment) @comment
(block_comment) @comment

(method_invocation object: (_)? @reference.on name: (_) @reference.call)
(object_creation_expression type: (_) @reference.call)
(explicit_constructor_invocation constructor: (_) @reference.call)
