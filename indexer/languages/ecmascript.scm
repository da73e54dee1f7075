; What JavaScript, TypeScript and TSX have in common.

; Functions

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.function

; A function handed to a wrapper that gives it back: memo(...), debounce(...).
(variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: (_) @_wrapper
    arguments: (arguments . [(arrow_function) (function_expression)] @value))
  (#match? @_wrapper "(^|\\.)(memo|forwardRef|observer|debounce|throttle|once|memoize|cache|useCallback|asyncHandler|catchAsync|wrapAsync|promisify)$")) @definition.function

(assignment_expression
  . left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)] @value) @definition.function

(assignment_expression
  . left: (member_expression object: (_) @owner property: (_) @name)
  right: [(arrow_function) (function_expression !name) (generator_function !name)] @value) @definition.method
(assignment_expression
  . left: (member_expression object: (_) @owner property: (_) @name) @_left
  right: [(function_expression name: (_)) (generator_function name: (_))] @value
  (#not-eq? @_left "module.exports")) @definition.method

; res.contentType = res.type = function
(assignment_expression
  . left: (member_expression object: (_) @owner property: (_) @name)
  right: (assignment_expression
    right: [(arrow_function) (function_expression) (generator_function)] @value)) @definition.method

(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.function

; exports["main"] = function
(assignment_expression
  . left: (subscript_expression object: (_) @owner index: (string (string_fragment) @name))
  right: [(arrow_function) (function_expression) (generator_function)] @value) @definition.method

; A function of its own name: module.exports = function createApp() {}
(assignment_expression
  . left: (member_expression) @_exports
  right: [(function_expression name: (_) @name) (generator_function name: (_) @name)] @value
  (#eq? @_exports "module.exports")) @definition.function

; defineGetter(req, "protocol", function protocol() {})
(expression_statement
  . (call_expression
    function: (identifier) @_define
    . arguments: (arguments
      . (identifier) @owner
      . (string (string_fragment) @name)
      . [(arrow_function) (function_expression)] @value))
  (#match? @_define "^define")) @definition.method

; A named callback: app.use(function logger(req, res) {}), and others that are not assigned: return function next() {}
(function_expression name: (_) @name
  (#child-of? @definition.function "arguments" "return_statement" "parenthesized_expression" "call_expression")) @definition.function
(generator_function name: (_) @name (#child-of? @definition.function "return_statement")) @definition.function

; Classes

(class_declaration name: (_) @name) @definition.class
(variable_declarator name: (identifier) @name value: (class) @value) @definition.class
(assignment_expression
  . left: (member_expression object: (_) @owner property: (_) @name)
  right: (class) @value) @definition.class
(export_statement "default" @name value: (class) @value) @definition.class
(arguments (class name: (_) @name) @definition.class)

; Methods, of classes and of object literals; @member marks those that may be no more than a callback

(method_definition name: (_) @name @member) @definition.method
(pair
  key: (_) @name @member
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.method

; Objects give their name to the functions in them: list in `const api = { list() {} }` is api.list. Inside a function
; an object counts that is assigned or returned; what stands in the arguments of a call is a callback.

(variable_declarator name: (identifier) @name value: [(object) (call_expression) (new_expression)]) @scope
(variable_declarator
  name: (identifier) @name
  value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])])) @definition.constant
(assignment_expression left: (identifier) @name right: (object)) @scope
(assignment_expression left: (member_expression object: (_) @owner property: (_) @name) right: (object)) @scope
(export_statement "default" @name value: [(object) (call_expression)]) @scope
(return_statement (object) @scope)
(arrow_function body: (parenthesized_expression (object) @scope))
(pair key: (_) @name value: (object)) @scope.part

; Constants: those of the module are listed, if they shout or are exported

(variable_declarator name: (identifier) @name
  (#match? @name "^_*[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")) @definition.constant

(export_statement
  declaration: (_ (variable_declarator name: (identifier) @name @export) @definition.constant))

; A definition includes the statement that it stands in

(lexical_declaration . (variable_declarator) @wrapped .) @wrap
(variable_declaration . (variable_declarator) @wrapped .) @wrap
(expression_statement . (assignment_expression) @wrapped) @wrap
(assignment_expression right: (assignment_expression) @wrapped) @wrap
(export_statement declaration: (_) @wrapped) @wrap
(decorator) @decorator

; Exports

(export_statement "default"? @export.as declaration: (_ name: (_) @export))
(export_statement declaration: (_ (variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @export
  (pair_pattern value: (identifier) @export)
]))))
(export_statement "default" @export.as value: (identifier) @export)
(export_statement "default" @export value: (_))
(export_statement (export_clause (export_specifier name: _ @export alias: _? @export.as)))
(export_statement
  (export_clause (export_specifier name: _ @export alias: _? @export.as))
  source: (string) @export.source)
(export_statement "*" @export source: (string) @export.source)
(export_statement (namespace_export (_) @export) source: (string) @export.source)

(assignment_expression
  . left: (member_expression object: (_) @_exports property: (property_identifier) @export)
  (#any-of? @_exports "exports" "module.exports"))
(assignment_expression
  . left: (member_expression) @_exports
  right: [
    (identifier) @export
    (class name: (_) @export)
    (function_expression name: (_) @export)
    (generator_function name: (_) @export)
    (object [
      (shorthand_property_identifier) @export
      (method_definition name: (_) @export)
      (pair key: (_) @export)
      (pair key: (_) @export.as value: (identifier) @export)
    ])
  ]
  (#eq? @_exports "module.exports"))
(assignment_expression
  . left: (member_expression) @export
  right: [
    (arrow_function)
    (function_expression !name)
    (generator_function !name)
    (new_expression)
    (class !name)
  ]
  (#eq? @export "module.exports"))
(assignment_expression
  . left: (member_expression) @export
  right: (call_expression arguments: (arguments . (string)? @export.source .))
  (#eq? @export "module.exports"))
(variable_declarator
  name: (identifier) @export
  value: (assignment_expression left: _ @_exports)
  (#any-of? @_exports "exports" "module.exports"))
(assignment_expression
  . left: (subscript_expression object: (_) @_exports index: (string (string_fragment) @export))
  (#any-of? @_exports "exports" "module.exports"))
(call_expression
  function: (member_expression) @_define
  arguments: (arguments
    . [(identifier) (member_expression)] @_exports
    . [
      (string (string_fragment) @export)
      (object [
        (shorthand_property_identifier) @export
        (method_definition name: (_) @export)
        (pair key: (_) @export)
        (pair key: (_) @export.as value: (identifier) @export)
      ])
    ])
  (#any-of? @_define "Object.assign" "Object.defineProperty")
  (#any-of? @_exports "exports" "module.exports")
  (#not-eq? @export "__esModule"))

; Imports

(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression
  . function: (import)
  arguments: (arguments . [(string) (template_string . (string_fragment) .)] @import))
(call_expression
  . function: (identifier) @_import
  arguments: (arguments . [(string) (template_string . (string_fragment) .)] @import)
  (#eq? @_import "require"))

; Comments and calls

(comment) @comment
(hash_bang_line) @comment

(call_expression function: (_) @reference.call)
(new_expression constructor: (_) @reference.call)
