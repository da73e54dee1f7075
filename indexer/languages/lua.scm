; Functions, and those that belong to a table

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name)) @definition.method
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name)) @definition.method

(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition) @value .)) @definition.function
(assignment_statement
  (variable_list . name: [
    (dot_index_expression table: (_) @owner field: (_) @name)
    (bracket_index_expression table: (_) @owner field: (string) @name)
  ] .)
  (expression_list . value: (function_definition) @value .)) @definition.method

; Tables give their name to the functions in them

(field name: [(identifier) (string)] @name @member value: (function_definition) @value) @definition.method
(field name: [(identifier) (string)] @name value: (table_constructor)) @scope.part
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (table_constructor) .)) @scope
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name) .)
  (expression_list . value: (table_constructor) .)) @scope
(return_statement (expression_list (table_constructor) @scope))

(assignment_statement
  (variable_list . name: (identifier) @name .)
  (#match? @name "^_*[A-Z][A-Z0-9_]+$")) @definition.constant

(variable_declaration (assignment_statement) @wrapped) @wrap

; Exports: what a file gives back, and what is not local

(return_statement
  (expression_list [
    (identifier) @export
    (function_call arguments: (arguments . (identifier) @export))
    (table_constructor)
  ]) @export.list
  (#child-of? @_return "chunk")) @_return
(return_statement
  (expression_list (table_constructor (field name: (_) @export.as value: (identifier) @export)))
  (#child-of? @_return "chunk")) @_return
(return_statement
  (expression_list (table_constructor (field name: (_) @export value: (function_definition))))
  (#child-of? @_return "chunk")) @_return
(function_declaration
  name: (identifier) @export
  (#child-of? @_function "chunk")
  (#not-match? @_function "^local")) @_function
(assignment_statement
  (variable_list . name: (identifier) @export .)
  (expression_list . value: [(function_definition) (table_constructor)] .)
  (#child-of? @_assignment "chunk")) @_assignment
(variable_declaration
  (variable_list name: (identifier) @hidden)
  (#child-of? @_declaration "chunk")) @_declaration

; Imports

(function_call
  . name: (identifier) @_require
  . arguments: (arguments . (string content: (_) @import))
  (#any-of? @_require "require" "dofile" "loadfile"))

; Comments and calls

(comment) @comment
(hash_bang_line) @comment
(function_call name: (_) @reference.call)
