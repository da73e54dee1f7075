; Components that JavaScript and TSX use as tags; see ecmascript.scm.

(jsx_opening_element
  name: [(identifier) (member_expression)] @reference.call
  (#match? @reference.call "^[A-Z]"))
(jsx_self_closing_element
  name: [(identifier) (member_expression)] @reference.call
  (#match? @reference.call "^[A-Z]"))
