; What components have beyond ecmascript.scm: their scripts are indented, and what they export are properties.

(program
  (export_statement
    declaration: (lexical_declaration (variable_declarator name: (identifier) @name @listed))) @definition.constant)
(program
  (lexical_declaration
    (variable_declarator name: (identifier) @name @listed (#match? @name "^_*[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$"))) @definition.constant)
