"""Hold the language table to its contract: every row works, every query file belongs to a row."""

import re
from pathlib import Path

import pytest

from indexer import languages
from indexer.languages import LANGUAGES, language_of
from indexer.model import SymbolKind
from indexer.parse import parse, statements
from indexer.queries import query_text
from indexer.syntax import Syntax

FOLDER = Path(languages.__file__).parent
WITH_GRAMMAR = [language for language in LANGUAGES if language.grammar]
CAPTURES = {
    "name", "name.end", "value", "params", "param", "body", "owner", "receiver", "forward", "member", "scope",
    "scope.part",
    "wrap", "listed", "shown", "wrapped", "decorator", "comment", "doc", "doc.of", "quiet", "modifier",
    "body.after", "doc.file", "import", "reference.call", "reference.on", "section.hidden", "section.shown",
    "hidden", "uncalled", "operand", "export", "export.as", "export.source", "export.list",
}  # fmt: skip


def name_of(language):
    return language.name


@pytest.mark.parametrize("language", WITH_GRAMMAR, ids=name_of)
def test_query_compiles_and_nothing_parses_to_nothing(language):
    parsed = parse(language, "")
    assert (parsed.definitions, parsed.comments, parsed.calls, parsed.imports, parsed.exports) == ([], [], [], [], [])


@pytest.mark.parametrize("language", WITH_GRAMMAR, ids=name_of)
def test_statement_nodes_exist_in_the_grammar(language):
    assert language.blocks
    assert statements(Syntax(language, "")) == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.scm")), ids=lambda path: path.stem)
def test_captures_are_known_and_kinds_are_symbol_kinds(path):
    captures = {name for name in re.findall(r"@([a-z_.]+)", query_text(path.stem)) if not name.startswith("_")}
    kinds = {name.partition(".")[2] for name in captures if name.startswith("definition.")}
    assert kinds <= set(SymbolKind)
    assert {name for name in captures if not name.startswith("definition.")} <= CAPTURES


def test_lists_of_functions_that_wrap_others_are_the_same_in_all_queries():
    lists = {found for path in FOLDER.glob("*.scm") for found in re.findall(r"\(memo\|[^)]*\)", query_text(path.stem))}
    assert len(lists) == 1


def test_every_query_file_belongs_to_a_row_and_every_row_has_its_files():
    used = {
        query for language in WITH_GRAMMAR if language.reader is None for query in language.queries or (language.name,)
    }
    assert used == {path.stem for path in FOLDER.glob("*.scm")}


def test_no_suffix_or_name_means_two_languages():
    suffixes = [suffix for language in LANGUAGES for suffix in language.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)
    for field in ("filenames", "interpreters"):
        values = [value for language in LANGUAGES for value in getattr(language, field)]
        assert len(values) == len(set(values))


@pytest.mark.parametrize(
    ("path", "head", "name"),
    [
        ("a.py", "", "python"),
        ("src/deep/A.PYI", "", "python"),
        ("a.test.mjs", "", "javascript"),
        ("a.d.ts", "", "typescript"),
        ("a.tsx", "", "tsx"),
        ("README.md", "", "markdown"),
        ("bin/tool", "#!/usr/bin/env python3\n", "python"),
        ("bin/tool", "#!/usr/bin/python3.11 -u\n", "python"),
        ("bin/tool", "#!/usr/bin/env -S node --harmony\n", "javascript"),
        ("bin/tool", "#! /usr/bin/env LANG=C node\n", "javascript"),
        ("bin/tool", "#!/usr/bin/env\n", None),
        ("a.js", "#!/usr/bin/env python3\n", "javascript"),
        (".py", "", None),
        ("py", "", None),
        ("dir.py/file", "", None),
        ("a.unknown", "", None),
        ("", "", None),
    ],
)
def test_language_is_known_by_name_then_by_interpreter(path, head, name):
    found = language_of(path, head)
    assert (found and found.name) == name
