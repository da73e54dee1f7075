; What C++ has beyond c.scm.

; Functions in classes, and operators

(function_definition
  declarator: (function_declarator
    declarator: [(field_identifier) (destructor_name) (operator_name)] @name
    parameters: (_) @params)) @definition.function
(function_definition
  declarator: (_ (function_declarator
    declarator: [(identifier) (field_identifier) (operator_name)] @name
    parameters: (_) @params))) @definition.function
(function_definition
  declarator: (_ (_ (function_declarator
    declarator: [(field_identifier) (operator_name)] @name
    parameters: (_) @params)))) @definition.function
(function_definition declarator: (operator_cast) @name) @definition.function
(function_definition
  declarator: (function_declarator
    declarator: (template_function name: (_) @name)
    parameters: (_) @params)) @definition.function

; Functions of a class, defined outside of it

(function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier scope: (_)? @receiver name: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (_) @name)
      (qualified_identifier scope: (_) @receiver name: [
        (identifier) @name
        (destructor_name) @name
        (operator_name) @name
        (template_function name: (_) @name)
        (qualified_identifier scope: (_) @receiver name: [(identifier) (destructor_name) (operator_name)] @name)
      ])
    ]) @owner
    parameters: (_) @params)) @definition.method
(function_definition
  declarator: (_ (function_declarator
    declarator: (qualified_identifier scope: (_)? @receiver name: [
      (identifier) @name
      (operator_name) @name
      (template_function name: (_) @name)
      (qualified_identifier scope: (_) @receiver name: [(identifier) (operator_name)] @name)
    ]) @owner
    parameters: (_) @params))) @definition.method
(function_definition
  declarator: (_ (_ (function_declarator
    declarator: (qualified_identifier scope: (_)? @receiver name: [(identifier) (operator_name)] @name) @owner
    parameters: (_) @params)))) @definition.method
(function_definition
  declarator: (qualified_identifier
    scope: (_)? @receiver
    name: [
      (operator_cast) @name
      (qualified_identifier scope: (_) @receiver name: (operator_cast) @name)
    ]) @owner) @definition.method

; Declarations

(field_declaration
  declarator: (function_declarator
    declarator: [(field_identifier) (operator_name)] @name
    parameters: (_) @params) @forward) @definition.function
(field_declaration
  declarator: (_ (function_declarator
    declarator: [(field_identifier) (operator_name)] @name
    parameters: (_) @params) @forward)) @definition.function
(field_declaration_list
  (declaration
    declarator: (function_declarator
      declarator: [(identifier) (destructor_name)] @name
      parameters: (_) @params) @forward) @definition.function)
(declaration
  declarator: (function_declarator declarator: (operator_name) @name parameters: (_) @params) @forward) @definition.function
(declaration
  declarator: (reference_declarator
    (function_declarator
      declarator: [(identifier) (operator_name)] @name
      parameters: (_) @params) @forward)) @definition.function

(declaration declarator: (operator_cast) @name @forward) @definition.function
(field_declaration declarator: (operator_cast) @name @forward) @definition.function

; Lambdas with a name

(declaration
  declarator: (init_declarator
    declarator: (identifier) @name
    value: (lambda_expression declarator: (_ parameters: (_) @params)?) @value)) @definition.function

; Types and namespaces

(class_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)]
  body: (_)) @definition.class
(struct_specifier
  name: [(template_type name: (_) @name) (qualified_identifier name: (template_type name: (_) @name))]
  body: (_)) @definition.struct
(alias_declaration name: (_) @name) @definition.type
(type_definition
  type: [(template_type) (qualified_identifier) (dependent_type) (decltype) (placeholder_type_specifier)]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
  ]) @definition.type
(type_definition declarator: (reference_declarator (type_identifier) @name)) @definition.type
(concept_definition name: (_) @name) @definition.type
(namespace_definition name: (_) @name) @definition.module

(template_declaration (_) @wrapped) @wrap
(friend_declaration (function_definition) @wrapped) @wrap

; Constants

(declaration
  (type_qualifier) @_constant
  declarator: (init_declarator declarator: (identifier) @name @listed value: (_) @_value)
  (#any-of? @_constant "constexpr" "const")) @definition.constant
(field_declaration
  (type_qualifier) @_constant
  declarator: (field_identifier) @name @listed
  default_value: (_)
  (#any-of? @_constant "constexpr" "const")) @definition.constant

; What others can use

(class_specifier body: (field_declaration_list "{" @section.hidden))
(namespace_definition !name body: (declaration_list "{" @section.hidden))
(field_declaration_list (access_specifier) @section.hidden (#eq? @section.hidden "private"))
(field_declaration_list (access_specifier) @section.shown (#any-of? @section.shown "public" "protected"))
(function_definition
  (storage_class_specifier) @_static
  declarator: (function_declarator declarator: (identifier) @hidden)
  (#eq? @_static "static"))

(new_expression type: (_) @reference.call)
