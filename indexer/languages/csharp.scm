; Types

(class_declaration name: (_) @name (parameter_list)? @params) @definition.class
(struct_declaration name: (_) @name (parameter_list)? @params) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(record_declaration name: (_) @name (parameter_list)? @params) @definition.record
(enum_declaration name: (_) @name) @definition.enum
(delegate_declaration name: (_) @name) @definition.type

; Functions

(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.constructor
(local_function_statement name: (_) @name) @definition.function

; Operators are named as they are declared: operator +, operator int, ~S
(operator_declaration "operator" @name operator: _ @name.end) @definition.method
(conversion_operator_declaration "operator" @name type: (_) @name.end) @definition.method
(destructor_declaration "~" @name name: (_) @name.end) @definition.method

; An indexer has no name but the word in its place
(indexer_declaration "this" @name accessors: (_) @body) @definition.method
(indexer_declaration "this" @name value: (_) @body) @definition.method

(attribute_list) @decorator

(using_directive !name [(identifier) (qualified_name)] @import)
(using_directive name: (_) (_) @import)
(comment) @comment
(invocation_expression function: (_) @reference.call)
(object_creation_expression type: (_) @reference.call)
