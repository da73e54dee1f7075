; Modules and classes, opened once or often

(module "module" @shown name: (constant) @name) @definition.module
(class "class" @shown name: (constant) @name) @definition.class
(module "module" @shown name: (scope_resolution . [(constant) (scope_resolution) "::"]? @owner name: (_) @name)) @definition.module
(class "class" @shown name: (scope_resolution . [(constant) (scope_resolution) "::"]? @owner name: (_) @name)) @definition.class
(singleton_class value: (self)) @scope
(singleton_class value: (constant) @name) @scope

; Classes made by a call: Point = Struct.new(:x) do ... end
(assignment
  left: (constant) @name @shown
  right: (call
    receiver: (constant) @_maker
    method: (identifier) @_new
    block: (_ body: (_) @body)?)
  (#any-of? @_maker "Class" "Struct" "Data")
  (#any-of? @_new "new" "define")) @definition.class
(assignment
  left: (constant) @name @shown
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_ body: (_) @body)?)
  (#eq? @_maker "Module")
  (#eq? @_new "new")) @definition.module

; Methods

(method name: (_) @name) @definition.method
(singleton_method object: (self) @shown name: (_) @name) @definition.method
(singleton_method
  object: [(constant) (identifier) (instance_variable) (class_variable) (global_variable)] @owner
  name: (_) @name) @definition.method
(call
  method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  block: (_ parameters: (_)? @params body: (_) @body)
  (#any-of? @_define "define_method" "define_singleton_method")) @definition.method

(assignment left: (constant) @name @shown) @definition.constant

; private def x ... end
(call arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrap

; What is private: the word alone is about methods of objects, not about classes, constants and methods of the class

(body_statement (identifier) @section.hidden (#any-of? @section.hidden "private" "protected"))
(body_statement (identifier) @section.shown (#any-of? @section.shown "public" "module_function"))
(call
  !receiver
  . method: (identifier) @_hides
  arguments: (argument_list [(simple_symbol) @hidden (singleton_method name: (_) @hidden)])
  (#any-of? @_hides "private" "protected" "private_constant" "private_class_method"))

; Imports

(call
  !receiver
  . method: (identifier) @_import
  arguments: (argument_list (string (string_content) @import) .)
  (#any-of? @_import "require" "require_relative" "load" "autoload"))

; Comments and calls

(comment) @comment
(call !receiver method: (_) @reference.call
  (#not-match? @reference.call "^(private|protected|public|module_function)"))
(call receiver: (_) @reference.on method: (_) @reference.call)
