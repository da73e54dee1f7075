; Functions; the grammar has no list of parameters

(class_declaration "extension"
  name: (_) @receiver
  body: (_ (function_declaration
    "func" . _ @name
    "("
    (parameter)? @param
    ")" @params) @definition.method))
(function_declaration "func" . _ @name "(" (parameter)? @param ")" @params) @definition.function
(protocol_function_declaration "func" . _ @name "(" (parameter)? @param ")" @params) @definition.method
(init_declaration "init" @name "(" (parameter)? @param ")" @params) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (parameter)? @param (computed_property) @body) @definition.method
(property_declaration
  name: (pattern bound_identifier: (_) @name)
  value: (lambda_literal) @body) @definition.function
(macro_declaration (simple_identifier) @name (parameter)? @param) @definition.macro

; Types; an extension lends its name to what is in it

(class_declaration "class" name: (type_identifier) @name) @definition.class
(class_declaration "actor" name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration "extension" name: (_) @name) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; Constants of types, and what the file has besides

(property_declaration
  (modifiers (property_modifier) @_static)
  (value_binding_pattern) @_let
  name: (pattern bound_identifier: (_) @name @listed)
  (#eq? @_static "static")
  (#eq? @_let "let")) @definition.constant
((property_declaration
  (value_binding_pattern) @_let
  name: (pattern bound_identifier: (_) @name @listed)) @definition.constant
  (#eq? @_let "let")
  (#child-of? @definition.constant "source_file"))
((property_declaration
  (value_binding_pattern) @_var
  name: (pattern bound_identifier: (_) @name @listed)) @definition.variable
  (#eq? @_var "var")
  (#child-of? @definition.variable "source_file"))

(attribute) @decorator

(import_declaration (identifier) @import)
(comment) @comment
(multiline_comment) @comment

(call_expression . (_) @reference.call)
