; Definitions; a namespace gives no name to what is inside, whether it has braces or not

(function_definition name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(method_declaration name: (_) @name) @definition.method

(const_declaration (const_element . (name) @name @listed)) @definition.constant
(expression_statement
  (function_call_expression
    function: (name) @_define
    arguments: (arguments . (argument (string (string_content) @name))))
  (#eq? @_define "define")) @definition.constant

; A class without a name: other files cannot name what is in it; one that the file returns is called "class"
(anonymous_class body: (declaration_list "{" @section.hidden))
((return_statement (object_creation_expression (anonymous_class "class" @name) @scope)) @_return
  (#child-of? @_return "program"))

(attribute_list) @decorator

; Imports

(namespace_use_declaration) @import
(require_expression (_) @import)
(require_once_expression (_) @import)
(include_expression (_) @import)
(include_once_expression (_) @import)

; Comments and calls

(comment) @comment
(php_tag) @comment
(function_call_expression function: [(name) (qualified_name) (relative_name) (variable_name)] @reference.call)
(member_call_expression object: (_) @reference.on name: (_) @reference.call)
(nullsafe_member_call_expression object: (_) @reference.on name: (_) @reference.call)
(scoped_call_expression scope: (_) @reference.on name: (_) @reference.call)
(object_creation_expression [(name) (qualified_name) (relative_name)] @reference.call)
