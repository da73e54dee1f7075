"""Say which languages are known, and what is particular to each: ``LANGUAGES`` and ``language_of``.

A language is one row here, one query file (``<name>.scm``) beside this module, and golden samples under the tests.
The query says what defines, imports, exports and calls; a row's optional columns say what a query cannot. The
captures are explained in ``indexer/parse.py``. Nothing here loads a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.languages.c_macros import without_macros
from indexer.languages.embedded import cells_of, scripts_of
from indexer.languages.imports import (
    as_written,
    expanded,
    java_imports,
    kotlin_imports,
    php_imports,
    rust_imports,
    scala_imports,
)
from indexer.languages.rules import (
    CPP_MARKS,
    anything,
    capital_first,
    cpp_owner,
    haskell_owner,
    javascript_owner,
    no_leading_underscore,
    no_private_mark,
    same_owner,
    whole,
    without_arguments,
)
from indexer.languages.shell import without_marks
from indexer.languages.sql import read_sql

if TYPE_CHECKING:
    from indexer.parsed import Parsed

_VERSION = re.compile(r"[\d.]+$")


@dataclass(frozen=True, slots=True, eq=False)  # each row is one value, so that a cache need not hash all its columns
class Language:
    """Describe one language.

    Attributes:
        name: what summaries call it; also its query file, unless ``queries`` names others.
        suffixes: endings of file names, with the dot, in lower case.
        grammar: name of the tree-sitter grammar; empty where there is none.
        shared: endings that belong to another row, whose files are of this language where ``told_by`` finds something.
        told_by: what only this language has, searched in the head with a line break put before it.
        filenames: whole file names that mean this language.
        interpreters: programs of a ``#!`` line, without version.
        queries: query files that together are this language's query, for grammars that share one.
        is_public: whether a name can be used from elsewhere, where names say so (``_x``, ``#x``, capitals).
        hides: word before the name of a definition that says that other files cannot use it.
        shows: word there without which they cannot.
        exports_listed: only what an export statement names is exported; else every public name at top level.
        owner: the type that the text of an ``@owner`` capture names; "" for none, "." for the enclosing one, "::"
            before what is at top level wherever that stands.
        imports: the names that the text of an ``@import`` capture stands for.
        readable: gives the source with spaces instead of what keeps the grammar from reading the rest, and the
            places of what belongs to the definition below it.
        clauses: consecutive definitions of one name are clauses of one, as in languages with pattern matching.
        code: gives what the grammar is to read of a text that holds other things as well, on the same lines.
        folds: whether a carriage return in that parts lines of code which stand on one line of the file.
        reader: reads a file in place of grammar and query, where no grammar reads enough.
        blocks: types of the grammar's nodes whose children are statements.
        identifiers: types of its nodes that are names, beyond those called ``...identifier``.
        headings: True where the outline consists of headings and no grammar is used.
    """

    name: str
    suffixes: tuple[str, ...]
    grammar: str = ""
    shared: tuple[str, ...] = ()
    told_by: tuple[re.Pattern[str], ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    is_public: Callable[[str], bool] = anything
    hides: re.Pattern[bytes] | None = None
    shows: re.Pattern[bytes] | None = None
    exports_listed: bool = False
    owner: Callable[[str], str] = same_owner
    imports: Callable[[str], Iterable[str]] = as_written
    readable: Callable[[bytes], tuple[bytes, list[tuple[int, int]]]] | None = None
    clauses: bool = False
    code: Callable[[str], str] = whole
    folds: bool = False
    reader: Callable[[bytes], Parsed] | None = None
    blocks: tuple[str, ...] = ()
    identifiers: frozenset[str] = frozenset()
    headings: bool = False


_ECMASCRIPT_BLOCKS = ("program", "statement_block", "class_body", "switch_case", "switch_default")
_TYPESCRIPT_HIDES = re.compile(rb"\b(?:private|protected)\b")
_TYPESCRIPT_BLOCKS = (*_ECMASCRIPT_BLOCKS, "interface_body", "enum_body", "object_type")

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        (".py", ".pyi", ".pyw"),
        grammar="python",
        filenames=("sconstruct", "sconscript", "wscript"),
        interpreters=("python", "pypy"),
        is_public=no_leading_underscore,
        blocks=("module", "block"),
    ),
    Language(
        "javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        grammar="javascript",
        interpreters=("node", "nodejs"),
        queries=("ecmascript", "javascript", "jsx"),
        is_public=no_private_mark,
        exports_listed=True,
        owner=javascript_owner,
        blocks=_ECMASCRIPT_BLOCKS,
    ),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        grammar="typescript",
        interpreters=("ts-node", "deno", "bun"),
        queries=("ecmascript", "typescript"),
        is_public=no_private_mark,
        hides=_TYPESCRIPT_HIDES,
        exports_listed=True,
        owner=javascript_owner,
        blocks=_TYPESCRIPT_BLOCKS,
    ),
    Language(
        "tsx",
        (".tsx",),
        grammar="tsx",
        interpreters=("tsx",),
        queries=("ecmascript", "typescript", "jsx"),
        is_public=no_private_mark,
        hides=_TYPESCRIPT_HIDES,
        exports_listed=True,
        owner=javascript_owner,
        blocks=_TYPESCRIPT_BLOCKS,
    ),
    Language(
        "c",
        (".c", ".h"),
        grammar="c",
        hides=re.compile(rb"\bstatic\b"),
        readable=without_macros,
        blocks=("translation_unit", "compound_statement", "preproc_if", "preproc_ifdef", "field_declaration_list"),
    ),
    Language(
        "cpp",
        (
            ".cpp",
            ".cc",
            ".cxx",
            ".c++",
            ".hpp",
            ".hh",
            ".hxx",
            ".h++",
            ".ipp",
            ".tpp",
            ".inl",
            ".cppm",
            ".ixx",
            ".cu",
            ".cuh",
        ),
        shared=(".h",),
        told_by=CPP_MARKS,
        grammar="cpp",
        queries=("c", "cpp"),
        owner=cpp_owner,
        readable=without_macros,
        blocks=(
            *("translation_unit", "compound_statement", "declaration_list", "field_declaration_list"),
            *("case_statement", "preproc_if", "preproc_ifdef", "preproc_else"),
        ),
    ),
    Language(
        "csharp",
        (".cs", ".csx"),
        grammar="csharp",
        shows=re.compile(rb"\b(?:public|protected|internal)\b"),
        blocks=("compilation_unit", "declaration_list", "block", "switch_section"),
    ),
    Language(
        "go",
        (".go",),
        grammar="go",
        is_public=capital_first,
        blocks=("source_file", "statement_list", "field_declaration_list", "interface_type", "var_spec_list"),
    ),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".thor"),
        grammar="ruby",
        filenames=(
            "rakefile",
            "gemfile",
            "vagrantfile",
            "podfile",
            "fastfile",
            "guardfile",
            "capfile",
            "brewfile",
            "berksfile",
        ),
        interpreters=("ruby", "jruby", "rbx"),
        hides=re.compile(rb"\b(?:private\w*|protected)\b"),
        blocks=("program", "body_statement", "block_body", "then", "else"),
        identifiers=frozenset(("constant", "instance_variable", "class_variable", "global_variable")),
    ),
    Language(
        "bash",
        (".sh", ".bash"),
        grammar="bash",
        filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".bash_logout", ".profile", "pkgbuild", "apkbuild"),
        interpreters=("sh", "bash", "dash", "ash", "ksh"),
        readable=without_marks,
        blocks=("program", "compound_statement", "subshell", "do_group", "if_statement", "else_clause", "case_item"),
        identifiers=frozenset(("word", "variable_name")),
    ),
    Language(
        "lua",
        (".lua", ".rockspec"),
        grammar="lua",
        interpreters=("lua", "luajit", "texlua"),
        hides=re.compile(rb"\blocal\b"),
        blocks=("chunk", "block"),
    ),
    Language(
        "elixir",
        (".ex", ".exs"),
        grammar="elixir",
        interpreters=("elixir",),
        hides=re.compile(rb"\b(?:defp|defmacrop|defguardp|typep)\b"),
        imports=expanded,
        clauses=True,
        blocks=("source", "do_block", "body", "else_block", "rescue_block", "after_block", "catch_block"),
        identifiers=frozenset(("alias", "atom", "keyword")),
    ),
    Language(
        "vue",
        (".vue",),
        grammar="typescript",
        queries=("ecmascript", "typescript", "component"),
        is_public=no_private_mark,
        hides=_TYPESCRIPT_HIDES,
        exports_listed=True,
        owner=javascript_owner,
        code=scripts_of,
        blocks=_TYPESCRIPT_BLOCKS,
    ),
    Language(
        "svelte",
        (".svelte",),
        grammar="typescript",
        queries=("ecmascript", "typescript", "component"),
        is_public=no_private_mark,
        hides=_TYPESCRIPT_HIDES,
        exports_listed=True,
        owner=javascript_owner,
        code=scripts_of,
        blocks=_TYPESCRIPT_BLOCKS,
    ),
    Language(
        "notebook",
        (".ipynb",),
        grammar="python",
        queries=("python",),
        is_public=no_leading_underscore,
        code=cells_of,
        folds=True,
        blocks=("module", "block"),
    ),
    Language(
        "sql",
        (".sql", ".ddl", ".pgsql", ".plsql", ".psql"),
        grammar="sql",
        reader=read_sql,
        blocks=("program", "block", "transaction"),
    ),
    Language(
        "haskell",
        (".hs",),
        grammar="haskell",
        interpreters=("runhaskell", "runghc"),
        owner=haskell_owner,
        clauses=True,
        blocks=("declarations", "class_declarations", "instance_declarations", "local_binds", "do"),
        identifiers=frozenset(("variable", "constructor", "name", "operator", "module_id")),
    ),
    Language(
        "zig",
        (".zig", ".zon"),
        grammar="zig",
        shows=re.compile(rb"\b(?:pub|export)\b"),
        blocks=("source_file", "Block", "ContainerDecl"),
        identifiers=frozenset(("IDENTIFIER", "BUILTINIDENTIFIER")),
    ),
    Language(
        "php",
        (".php", ".phtml"),
        grammar="php",
        interpreters=("php",),
        hides=re.compile(rb"\b(?:private|protected)\b", re.IGNORECASE),
        imports=php_imports,
        blocks=("program", "compound_statement", "declaration_list", "enum_declaration_list", "case_statement"),
        identifiers=frozenset(("name", "variable_name")),
    ),
    Language(
        "rust",
        (".rs",),
        grammar="rust",
        shows=re.compile(rb"\bpub\b"),
        imports=rust_imports,
        blocks=("source_file", "block", "declaration_list", "enum_variant_list", "field_declaration_list"),
    ),
    Language(
        "java",
        (".java",),
        grammar="java",
        hides=re.compile(rb"\bprivate\b"),
        shows=re.compile(rb"\b(?:public|protected)\b"),
        imports=java_imports,
        blocks=(
            *("program", "block", "class_body", "constructor_body", "interface_body", "annotation_type_body"),
            *("enum_body", "enum_body_declarations", "switch_block_statement_group"),
        ),
    ),
    Language(
        "kotlin",
        (".kt", ".kts"),
        grammar="kotlin",
        interpreters=("kotlin",),
        hides=re.compile(rb"\bprivate\b"),
        imports=kotlin_imports,
        blocks=("source_file", "statements", "class_body", "enum_class_body"),
    ),
    Language(
        "swift",
        (".swift",),
        grammar="swift",
        interpreters=("swift",),
        hides=re.compile(rb"\b(?:fileprivate|private)\b"),
        owner=without_arguments,
        blocks=("source_file", "statements", "class_body", "enum_class_body", "protocol_body"),
    ),
    Language(
        "scala",
        (".scala", ".sc", ".sbt"),
        grammar="scala",
        interpreters=("scala", "scala-cli"),
        hides=re.compile(rb"\bprivate\b(?!\[(?!this\b))"),
        imports=scala_imports,
        blocks=("compilation_unit", "template_body", "block", "indented_block", "enum_body", "case_clause"),
    ),
    Language("markdown", (".md", ".markdown", ".mdx", ".mkd", ".mdown"), headings=True),
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_SHARED = {suffix: language for language in LANGUAGES for suffix in language.shared}
_BY_FILENAME = {filename: language for language in LANGUAGES for filename in language.filenames}
_BY_INTERPRETER = {program: language for language in LANGUAGES for program in language.interpreters}


def language_of(path: str, head: str = "") -> Language | None:
    """Find the language of a file by its name, else by the ``#!`` line that ``head``, its beginning, may have.

    The head also tells C++ from C in files of the same suffix; without one it is C.
    """
    name = path.rpartition("/")[2].lower()
    stem, dot, suffix = name.rpartition(".")
    found = _BY_FILENAME.get(name) or (_BY_SUFFIX.get(dot + suffix) if dot and stem else None)
    other = _BY_SHARED.get(dot + suffix) if head else None
    if other is not None and (lines := "\n" + head) and any(each.search(lines) for each in other.told_by):
        return other
    if found is None and head.startswith("#!"):
        program = _interpreter(head.partition("\n")[0][2:])
        found = _BY_INTERPRETER.get(program) or _BY_INTERPRETER.get(_VERSION.sub("", program))
    return found


def _interpreter(line: str) -> str:
    """Give the program that a ``#!`` line starts; ``env`` starts its first argument that is no option or setting."""
    words = line.split()
    if words and words[0].rpartition("/")[2] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0].rpartition("/")[2] if words else ""
