; Functions; those of a container are its methods

(source_file (Decl (FnProto function: (_) @name (ParamDeclList) @params) (Block)? @body) @definition.function)
(ContainerDecl (Decl (FnProto function: (_) @name (ParamDeclList) @params) (Block)? @body) @definition.method)

; Types are values of constants

(VarDecl
  variable_type_function: (_) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType) @body.after)) .)
  (#not-match? @body.after "^enum")) @definition.struct
(VarDecl
  variable_type_function: (_) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType) @body.after)) .)
  (#match? @body.after "^enum")) @definition.enum
(VarDecl
  variable_type_function: (_) @name
  (ErrorUnionExpr (SuffixExpr (ErrorSetDecl)) .) .) @definition.enum

(source_file "pub" @_pub . (Decl (VarDecl "const" @_const variable_type_function: (_) @name)) @definition.constant)
(source_file (Decl (VarDecl "const" variable_type_function: (_) @name)) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$"))

(Decl (VarDecl) @wrapped) @wrap
(source_file "pub" @modifier)
(ContainerDecl "pub" @modifier)

; Imports

(SuffixExpr
  . (BUILTINIDENTIFIER) @_import
  . (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @import)))
  (#match? @_import "^.(import|cInclude|embedFile)$"))

; Comments and calls

(line_comment) @comment
(doc_comment) @comment
(container_doc_comment) @comment

(SuffixExpr . variable_type_function: (_) @reference.call . (FnCallArguments))
(SuffixExpr . (_) @reference.on (FieldOrFnCall function_call: (_) @reference.call))
