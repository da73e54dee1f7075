; Functions, with all their lists of parameters

(function_definition name: (identifier) @name (parameters)* @params (#eq? @name "this")) @definition.constructor
(extension_definition
  parameters: (parameters (parameter type: (_) @receiver))
  body: (function_definition name: (_) @name (parameters)* @params) @definition.function)
(extension_definition
  parameters: (parameters (parameter type: (_) @receiver))
  body: (_ (function_definition name: (_) @name (parameters)* @params) @definition.function))
(function_definition name: (_) @name (parameters)* @params) @definition.function
(function_declaration name: (_) @name (parameters)* @params) @definition.function
(val_definition
  pattern: (identifier) @name
  value: (lambda_expression parameters: (_) @params (_) @body .)) @definition.function

; Types

(class_definition name: (_) @name (class_parameters)* @params) @definition.class
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(given_definition name: (_) @name body: (_)) @definition.object
(trait_definition name: (_) @name (class_parameters)* @params) @definition.trait
(enum_definition name: (_) @name (class_parameters)* @params) @definition.enum
(type_definition name: (_) @name) @definition.type

; Values of the file, and constants

((val_definition pattern: (identifier) @name @listed) @definition.constant
  (#child-of? @definition.constant "compilation_unit"))
(package_object body: (_ (val_definition pattern: (identifier) @name @listed) @definition.constant))
(object_definition body: (_
  (val_definition pattern: (identifier) @name @listed (#match? @name "^[A-Z]")) @definition.constant))

(annotation) @decorator

(import_declaration) @import
(comment) @comment
(block_comment) @comment

(call_expression function: (_) @reference.call)
(call_expression function: (generic_function function: (_) @reference.call))
(instance_expression . [(type_identifier) (stable_type_identifier)] @reference.call)
(instance_expression . (generic_type type: (_) @reference.call))
