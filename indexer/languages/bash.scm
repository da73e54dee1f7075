(function_definition name: (_) @name) @definition.function

; What cannot be set again
(declaration_command "readonly" (variable_assignment name: (_) @name)) @definition.constant
(declaration_command
  (word) @_flags
  (variable_assignment name: (_) @name)
  (#match? @_flags "^-[a-zA-Z]*r")) @definition.constant

; Imports

(command
  name: (command_name (word) @_source)
  .
  argument: (_) @import
  (#any-of? @_source "source" "."))

(comment) @comment

; Calls, without what every script does in every line
(command name: (command_name (word) @reference.call)
  (#not-match? @reference.call "^(\\[|[.:]|echo|printf|return|exit|shift|true|false|set|unset|test|cd|read|break|continue|source|shopt)$"))
