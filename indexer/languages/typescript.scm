; What only TypeScript and TSX have; see ecmascript.scm.

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(type_alias_declaration name: (_) @name) @definition.type
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module

; Signatures without a body: overloads, ambient and abstract functions, methods of interfaces
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method

(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.method

(public_field_definition
  name: (_) @name
  value: (call_expression
    function: (_) @_wrapper
    arguments: (arguments . [(arrow_function) (function_expression)] @value))
  (#match? @_wrapper "(^|\\.)(memo|forwardRef|observer|debounce|throttle|once|memoize|cache|useCallback|asyncHandler|catchAsync|wrapAsync|promisify)$")) @definition.method
(public_field_definition name: (_) @name value: (object)) @scope

(ambient_declaration (_) @wrapped) @wrap
(expression_statement . (internal_module) @wrapped) @wrap

; Imports and exports

(import_require_clause source: (string) @import)
(export_statement "=" (identifier) @export)
(export_statement declaration: (ambient_declaration (_ name: (_) @export)))
(export_statement declaration: (ambient_declaration (_ (variable_declarator name: (identifier) @export))))
