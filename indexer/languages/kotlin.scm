; Types; a nameless companion only holds what belongs to its class

(class_declaration
  . (modifiers)?
  . "class"
  . (type_identifier) @name
  (primary_constructor)? @params
  (class_body)? @body) @definition.class
(class_declaration "interface" . (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration
  "enum"
  (type_identifier) @name
  (primary_constructor)? @params
  (enum_class_body)? @body) @definition.enum
(object_declaration (type_identifier) @name (class_body)? @body) @definition.object
(companion_object (type_identifier) @name (class_body)? @body) @definition.object
(enum_entry (simple_identifier) @name (class_body)) @scope
(type_alias (type_identifier) @name) @definition.type

; Functions

(function_declaration
  receiver: (_)? @receiver
  (simple_identifier) @name
  (function_value_parameters) @params
  (function_body)? @body) @definition.function
(secondary_constructor
  "constructor" @name
  (function_value_parameters) @params
  (statements)? @body) @definition.constructor
(property_declaration
  receiver: (_)? @receiver
  (variable_declaration (simple_identifier) @name)
  (lambda_literal (lambda_parameters)? @params) @body) @definition.function
(property_declaration
  (variable_declaration (simple_identifier) @name)
  (anonymous_function (function_value_parameters) @params (function_body) @body)) @definition.function

; Properties of the file, and constants

((property_declaration
  receiver: (_)? @receiver
  (variable_declaration (simple_identifier) @name @listed)) @definition.variable
  (#child-of? @definition.variable "source_file"))
(property_declaration
  (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name @listed)
  (#eq? @_const "const")) @definition.constant

(annotation) @decorator

(import_header) @import
(line_comment) @comment
(multiline_comment) @comment

(call_expression . (_) @reference.call)
