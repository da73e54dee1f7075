; What only JavaScript has; see ecmascript.scm.

(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.method
