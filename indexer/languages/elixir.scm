; Modules; a protocol is an interface, an implementation is named after the protocol and the type

(call
  . target: (identifier) @_def
  . (arguments . (alias) @name)
  (do_block) @body @quiet
  (#eq? @_def "defmodule")) @definition.module
(call
  . target: (identifier) @_def
  . (arguments . (alias) @name)
  (do_block) @body @quiet
  (#eq? @_def "defprotocol")) @definition.interface
(call
  . target: (identifier) @_def
  . (arguments . (alias) @name .)
  (do_block) @body @quiet
  (#eq? @_def "defimpl")) @definition.module
(call
  . target: (identifier) @_def
  . (arguments . (alias) @owner (keywords (pair key: (_) @_for value: (_) @name)))
  (do_block) @body @quiet
  (#eq? @_def "defimpl")
  (#match? @_for "^for:")) @definition.module

; Functions and macros: with and without parameters, with and without a guard

(call
  . target: (identifier) @_def
  . (arguments . [
    (identifier) @name
    (call target: (identifier) @name (arguments) @params)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when")
  ] (keywords (pair key: (_) @_do value: (_) @body) .)?)
  (do_block)? @body
  (#match? @_do "^do:")
  (#match? @_def "^defp?$")) @definition.function
(call
  . target: (identifier) @_def
  . (arguments . [
    (identifier) @name
    (call target: (identifier) @name (arguments) @params)
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "when")
  ] (keywords (pair key: (_) @_do value: (_) @body) .)?)
  (do_block)? @body
  (#match? @_do "^do:")
  (#match? @_def "^def(macro|guard)p?$")) @definition.macro
(call
  . target: (identifier) @_def
  . (arguments . (binary_operator left: (_) operator: _ @name) (keywords (pair value: (_) @body) .)?)
  (do_block)? @body
  (#match? @_def "^def(p|macrop?)?$")
  (#not-match? @name "^(when|\\\\|=)$")) @definition.function

(call
  . target: (identifier) @_def
  . (arguments . [(identifier) @name (call target: (identifier) @name (arguments) @params)])
  (#eq? @_def "defdelegate")) @definition.function

; Types and callbacks

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_kind "type" "typep" "opaque")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments (binary_operator left: (call target: (identifier) @name (arguments) @params) operator: "::")))
  (#any-of? @_kind "callback" "macrocallback")) @definition.function

; What belongs to the definition below it, and what describes it

(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_name)
  (#any-of? @_name "spec" "impl" "deprecated")) @decorator
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_name)
  (#any-of? @_name "doc" "typedoc")) @comment
(call
  (do_block
    (unary_operator
      operator: "@"
      operand: (call target: (identifier) @_name (arguments [(string) (sigil)] @doc)))
    (#eq? @_name "moduledoc"))) @doc.of
(comment) @comment

; Imports

(call
  . target: (identifier) @_import
  . (arguments . [(alias) (dot)] @import)
  (#any-of? @_import "use" "import" "alias" "require"))

; Calls, without what only looks like one

(call target: (identifier) @reference.call
  (#not-match? @reference.call "^(def.*|if|unless|case|cond|for|with|quote|unquote|receive|try|use|import|alias|require|doc|spec|impl|type|moduledoc|callback|behaviour|before_compile|derive)$"))
(call target: (dot right: (identifier)) @reference.call (arguments))
(call target: (dot left: (alias) right: (identifier)) @reference.call)
