; Functions: a type signature and the equations below it are one definition

(declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(declarations (function name: [(variable) @name (prefix_id (_) @name)] patterns: (_) @params @body.after) @definition.function)
(declarations
  (function (infix
    left_operand: (_) @operand
    operator: [(operator) @name (infix_id (_) @name)]
    right_operand: (_) @operand) @body.after) @definition.function)
(declarations (bind name: [(variable) @name (prefix_id (_) @name)] @body.after) @definition.function)
(foreign_import signature: (signature name: (variable) @name)) @definition.function
(pattern_synonym (equation synonym: (_ . (constructor) @name))) @definition.function

(local_binds (function name: (variable) @name patterns: (_) @params @body.after) @definition.function)
(local_binds (signature) @decorator)

; Types and classes

(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synomym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name declarations: (_)? @body @quiet) @definition.class

(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.method)
(class_declarations
  (function name: [(variable) @name (prefix_id (_) @name)] patterns: (_) @params @body.after) @definition.method)
(class_declarations (bind name: [(variable) @name (prefix_id (_) @name)] @body.after) @definition.method)

(instance name: (_) @owner patterns: (_) @name) @scope
(instance_declarations
  (function name: [(variable) @name (prefix_id (_) @name)] patterns: (_) @params @body.after) @definition.method)
(instance_declarations
  (function (infix
    left_operand: (_) @operand
    operator: [(operator) @name (infix_id (_) @name)]
    right_operand: (_) @operand) @body.after) @definition.method)
(instance_declarations (bind name: [(variable) @name (prefix_id (_) @name)] @body.after) @definition.method)

; Exports and imports

(header exports: (exports) @export.list)
(exports (export [variable: (_) @export type: (_) @export operator: (prefix_id (_) @export)]))
(exports (module_export) @export)
(import module: (_) @import)

; Comments

(comment) @comment
(haddock) @comment
(pragma) @comment

; Calls

(apply function: [(variable) (qualified)] @reference.call)
(infix
  left_operand: [(variable) (qualified)] @reference.call
  operator: (operator) @_apply
  (#match? @_apply "^(\\$!?|<\\$!?>|\\.|=<<|>>=)$"))
