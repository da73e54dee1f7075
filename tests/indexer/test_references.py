"""Find where a name is used."""

import pytest

from indexer.references import Reference, references


def places(path, text, name):
    return [(found.line, found.column) for found in references(path, text, name)]


def test_names_in_comments_and_strings_are_no_uses():
    text = "// add\nconst s = 'add';\nadd(1); x.add();\nconst t = `${add} add`;\nconst o = { add, add: 2 };\n/add/;\n"
    assert places("a.js", text, "add") == [(3, 1), (3, 11), (4, 14), (5, 13), (5, 18)]


def test_only_whole_names_count():
    assert places("a.py", "add_one = add\nadded = x.add\naddé = 1\n", "add") == [(1, 11), (2, 11)]


def test_columns_are_characters_and_text_is_the_line():
    assert references("a.py", "x = 1\n    é = '🙂', value  # n\r\n", "value") == (
        Reference(2, 14, "é = '🙂', value  # n", exact=True),
    )


@pytest.mark.parametrize(
    ("path", "text", "name", "found"),
    [
        ("a.ts", "interface Shop {}\nlet s: Shop;\nclass B extends Shop {}", "Shop", [(1, 11), (2, 8), (3, 17)]),
        ("a.tsx", "const a = <Row item={Row} />;", "Row", [(1, 12), (1, 22)]),
        ("a.js", "class A { #p() { this.#p(); } }", "#p", [(1, 11), (1, 23)]),
        ("a.c", "struct pump p; // pump\np->pump = 1;", "pump", [(1, 8), (2, 4)]),
        ("a.py", "def f(名前): return 名前", "名前", [(1, 7), (1, 19)]),
        ("a.kt", "fun `foo`() {}", "foo", [(1, 6)]),
    ],
)
def test_every_kind_of_identifier_counts(path, text, name, found):
    assert places(path, text, name) == found


def test_without_grammar_words_are_taken_and_marked():
    found = references("a.txt", "the mill\nmills\n  mill mill", "mill")
    assert [(each.line, each.column, each.exact) for each in found] == [(1, 5, False), (3, 3, False), (3, 8, False)]


@pytest.mark.parametrize("name", ["", "absent", "a.b", "(", "\0"])
def test_what_is_no_name_has_no_uses(name):
    assert references("a.py", "x = 1\na . b(c)\n", name) == ()


def test_the_last_part_of_a_name_that_a_grammar_reads_as_one_counts():
    text = '# Plug.Conn\nalias Plug.Conn\nx = %Plug.Conn{}\ny = Plug.Conn.Adapter\nz = "Plug.Conn"\nPlug.Conn.f(Conn)\n'
    assert places("a.ex", text, "Conn") == [(2, 12), (3, 11), (6, 6), (6, 13)]
    assert places("a.py", "flask.Flask\nx = A.Flask  # A.Flask\n", "Flask") == [(1, 7), (2, 7)]


def test_what_a_shell_takes_for_one_word_is_a_use_only_whole():
    assert places("a.sh", "run install.sh\nsh x\n", "sh") == [(2, 1)]
