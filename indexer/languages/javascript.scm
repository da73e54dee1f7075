; What only JavaScript has; see ecmascript.scm.

(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @value) @definition.method

(field_definition
  property: (_) @name
  value: (call_expression
    function: (_) @_wrapper
    arguments: (arguments . [(arrow_function) (function_expression)] @value))
  (#match? @_wrapper "(^|\\.)(memo|forwardRef|observer|debounce|throttle|once|memoize|cache|useCallback|asyncHandler|catchAsync|wrapAsync|promisify)$")) @definition.method
(field_definition property: (_) @name value: (object)) @scope
