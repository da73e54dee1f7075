; Functions; a method is of the type of its receiver

(function_declaration name: (_) @name) @definition.function

(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner @receiver
    (generic_type type: (_) @owner) @receiver
    (pointer_type (type_identifier) @owner) @receiver
    (pointer_type (generic_type type: (_) @owner)) @receiver
  ]))
  name: (_) @name
  parameters: (_) @params) @definition.method

(method_elem name: (_) @name) @definition.method

(var_spec name: (_) @name value: (expression_list . (func_literal) @value .)) @definition.function
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal) @value .)) @definition.function

; Types

(type_spec name: (_) @name type: (struct_type (_) @body)) @definition.struct
(type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface
(type_spec name: (_) @name type: [
  (array_type)
  (channel_type)
  (function_type)
  (generic_type)
  (map_type)
  (negated_type)
  (parenthesized_type)
  (pointer_type)
  (qualified_type)
  (slice_type)
  (type_identifier)
]) @definition.type
(type_alias name: (_) @name) @definition.type

; Constants and exported variables of the package

((const_declaration (const_spec (identifier) @name @listed) @definition.constant) @_declaration
  (#child-of? @_declaration "source_file"))
((var_declaration [
    (var_spec (identifier) @name @listed) @definition.variable
    (var_spec_list (var_spec (identifier) @name @listed) @definition.variable)
  ]) @_declaration
  (#match? @name "^[^\\W_a-z\\d]")
  (#child-of? @_declaration "source_file"))

; What is alone in its declaration includes the keyword

((type_declaration . [(type_spec) (type_alias)] @wrapped) @wrap (#match? @wrap "^type\\s+[^(\\s]"))
((const_declaration . (const_spec) @wrapped) @wrap (#match? @wrap "^const\\s+[^(\\s]"))
(var_declaration . (var_spec) @wrapped) @wrap

(import_spec path: (_) @import)
(comment) @comment

(call_expression function: (_) @reference.call)
(type_conversion_expression type: (generic_type type: (_) @reference.call))
