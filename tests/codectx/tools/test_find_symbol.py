"""find_symbol: definitions and uses, by syntax and not by word."""

import json
import time

import pytest

import codectx.tools.find_symbol as tool
from indexer import names

FILES = {
    "src/auth.py": """class Session:
    '''Hold a login.'''

    def refresh(self, force=False):
        '''Make a new token.'''
        return encode(self, force)


def encode(session, force):
    # refresh is not used here
    return "refresh"
""",
    "src/api.py": """from src.auth import Session


def login(user):
    session = Session()
    session.refresh(force=True)
    return session.refresh()
""",
    "tests/test_auth.py": """from src.auth import Session


def test_refresh():
    assert Session().refresh()
""",
    "web/session.js": "export class Session {\n  refresh() { return this.load(); }\n}\n",
}


def test_definitions_come_first_then_uses_by_file_and_function(ask) -> None:
    text = ask(FILES, "find_symbol", name="encode").text
    assert text == (
        "encode: 1 definition, 1 use in 1 file\n"
        "src/auth.py:9-11 def encode(session, force)\n"
        "uses:\nsrc/auth.py\n Session.refresh 4-6\n  6: return encode(self, force)\n"
    )


def test_words_in_comments_and_strings_are_no_uses(ask) -> None:
    data = json.loads(ask(FILES, "find_symbol", name="refresh", as_json=True).text)
    uses = [(e["path"], e["line"]) for e in data["entries"] if e["role"] == "use"]
    assert uses == [("src/api.py", 6), ("src/api.py", 7), ("tests/test_auth.py", 5)]


def test_every_form_of_a_qualified_name_finds_the_method(ask, make_project) -> None:
    project = make_project(FILES)
    for name in ("Session.refresh", "Session::refresh", "Session#refresh"):
        text = ask(project, "find_symbol", name=name).text
        assert "src/auth.py:4-6 def refresh(self, force=False) in Session - Make a new token." in text


def test_a_hash_stands_for_a_dot_but_after_a_file(ask, make_project) -> None:
    method = "    def lookup(self):\n        return 1\n\n\n"
    project = make_project({"a.py": f"class View:\n{method}class Other:\n{method}View().lookup()\n"})
    plain = ask(project, "find_symbol", name="View.lookup").text
    assert plain.startswith("View.lookup: 1 definition, 1 use in 1 file; uses are those of any lookup\na.py:2-3 ")
    for name in ("View#lookup", "a.py#View.lookup"):
        assert ask(project, "find_symbol", name=name).text.partition(": ")[2] == plain.partition(": ")[2]
    assert ask(project, "find_symbol", name="sub/a.py#lookup").text.startswith("sub/a.py#lookup: 2 definitions")


def test_homonyms_are_said_to_be_so_and_tests_are_told_apart(ask) -> None:
    head = ask(FILES, "find_symbol", name="refresh").text.split("\n")[0]
    assert head == ("refresh: 2 definitions, 3 uses in 2 files, 1 of them in tests; uses are those of any refresh")


def test_a_name_that_is_nowhere_brings_those_that_resemble_it(ask) -> None:
    reply = ask(FILES, "find_symbol", name="refrsh")
    assert reply.exit_code == 1
    assert not reply.is_error
    assert reply.text.startswith('no definition or use of "refrsh" in 4 files; near: refresh')


def test_what_is_no_name_is_refused(ask) -> None:
    for text in ("a b(", "how do I", "a = b", "f(x) + 1"):
        assert ask(FILES, "find_symbol", name=text).text.startswith(f"error[invalid_argument]: {text} is not a name")


def test_a_long_list_is_continued(ask, make_project) -> None:
    project = make_project(
        {f"m{n:03d}.py": f"def caller_{n}():\n    return target({n})\n" for n in range(200)}
        | {"t.py": "def target(n):\n    return n\n"}
    )
    seen, after = [], ""
    while True:
        text = ask(project, "find_symbol", name="target", **({"after": after} if after else {})).text
        seen += [line for line in text.split("\n") if line.startswith("  2: ")]
        if "[cut: " not in text:
            break
        after = text.rsplit('after="', 1)[1].split('"')[0]
    assert len(seen) == 200


def test_a_name_that_stands_in_a_text_only_is_not_offered_as_near(ask):
    answer = ask({"a.py": 'def alpha():\n    """Frobnicate it."""\n'}, "find_symbol", name="Frobnicate").text
    assert "near" not in answer
    assert 'as text: grep("Frobnicate", ignore_case=true)' in answer


ELIXIR = {
    "lib/plug/builder.ex": "defmodule Plug.Builder do\n  def init(opts), do: opts\nend\n",
    "lib/app.ex": "defmodule App do\n  # Plug.Builder\n  use Plug.Builder\n  alias Plug.Builder.Other\nend\n",
}


@pytest.mark.parametrize("name", ["Plug.Builder", "Builder"])
def test_a_module_with_dots_in_its_name_is_found_whole_and_by_its_last_part(ask, name):
    text = ask(ELIXIR, "find_symbol", name=name).text
    assert text.startswith(f"{name}: 1 definition, 1 use in 1 file")
    assert text.endswith(
        "\nlib/plug/builder.ex:1-3 defmodule Plug.Builder\nuses:\nlib/app.ex\n App 1-5\n  3: use Plug.Builder\n"
    )


def test_a_function_may_be_named_with_its_module_and_number_of_parameters(ask):
    text = ask(ELIXIR, "find_symbol", name="Plug.Builder.init/1").text
    assert "\nlib/plug/builder.ex:2 def init(opts) in Plug.Builder" in text
    assert "full name" not in text


def test_files_without_a_grammar_do_not_keep_those_with_one_from_being_read(ask):
    page = "<p>class Monitor</p>\n" + "<br/>\n" * 150_000
    files = {f"docs/{n}.html": page for n in range(7)} | {"src/a.swift": "protocol Monitor {\n  func f()\n}\n"}
    text = ask(files, "find_symbol", name="Monitor").text
    assert text.startswith("Monitor: 1 definition, 0 uses\nsrc/a.swift:1-3 protocol Monitor")
    assert "[not listed: 7 words in 7 files without a grammar, see grep(" in text


def test_more_files_without_a_grammar_than_are_counted_are_told(ask, monkeypatch):
    monkeypatch.setattr(tool, "MAX_COUNTED_BYTES", 20)
    text = ask({"a.py": "class A: pass\n", "1.txt": "A A\n", "2.txt": "A" + " x" * 20}, "find_symbol", name="A").text
    assert text.startswith("A: 1 definition, 0 uses\n")
    assert "[not listed: at least 3 words in 2 files without a grammar" in text


def test_numbers_are_no_flat_ones_where_files_were_not_searched(ask, monkeypatch):
    monkeypatch.setattr(tool, "MAX_PARSED_BYTES", 30)
    files = {"a.py": "use(f)\n", "b.py": "f = 1\n" + "# more\n" * 9, "c.py": "g(2)\n" * 9}
    assert ask(files, "find_symbol", name="f").text == (
        "f: at least 0 definitions, at least 1 use in 1 file\nuses:\na.py\n  1: use(f)\n"
        "[not searched: 1 file with this name, too much at once; give a path]"
    )
    reply = ask(files, "find_symbol", name="g")
    assert reply.exit_code == 1
    assert "[not searched: 1 file with this name, too much at once; give a path]" in reply.text


def test_files_that_are_too_large_to_be_read_are_told(ask, monkeypatch):
    monkeypatch.setattr(names, "MAX_READ_BYTES", 100)
    files = {"a.py": "use(f)\n", "b.py": "def f(): pass\n" + "# more\n" * 20, "c.bin": "f " * 200}
    assert ask(files, "find_symbol", name="f").text == (
        "f: at least 0 definitions, at least 1 use in 1 file\nuses:\na.py\n  1: use(f)\n"
        '[not searched: 1 file over 6 MB, see grep("f", fixed=true)]'
    )
    assert ask(files, "find_symbol", name="h").text.startswith('no definition or use of "h" in 2 files')


def test_files_of_some_megabytes_are_searched(ask):
    text = ask(
        {"big.py": "def f(): pass\nX = '''" + ("x" * 99 + "\n") * 25_000 + "'''\n"}, "find_symbol", name="f"
    ).text
    assert text.startswith("f: 1 definition, 0 uses\nbig.py:1 def f()")


def test_what_defines_the_name_is_read_before_what_uses_it_and_sources_before_tests(ask, monkeypatch):
    monkeypatch.setattr(tool, "MAX_PARSED_BYTES", 100)
    files = {
        "src/a.py": "class Tank:\n    pass\n" + "# more\n" * 8,
        "src/b.py": "Tank()\n",
        "tests/test_a.py": "Tank()\n",
        "tests/test_b.py": "Tank()\n" * 2,
    }
    text = ask(files, "find_symbol", name="Tank").text
    assert text.startswith("Tank: at least 1 definition, at least 2 uses in 2 files, 1 of them in tests\nsrc/a.py:1-2 ")
    assert "\nuses:\nsrc/b.py\n  1: Tank()\ntests/test_a.py\n  1: Tank()\n" in text


def shown_definitions(text):
    return [line.partition(" ")[0] for line in text.partition("uses:")[0].split("\n") if ":" in line.partition(" ")[0]][
        1:
    ]


def test_types_come_before_functions_before_aliases_before_headings(ask):
    files = {
        "A.md": "# Reader\n",
        "a.rs": "impl Into for u8 {\n    type Reader = Self;\n}\ntrait Into {\n    type Reader: Copy;\n}\n",
        "b.rs": "pub fn Reader() -> u8 {\n    1\n}\n",
        "c.rs": "pub trait Reader {\n    fn read(&self);\n}\n",
        "d.rs": "pub struct Reader;\n",
    }
    text = ask(files, "find_symbol", name="Reader").text
    assert shown_definitions(text) == ["c.rs:1-3", "d.rs:1", "b.rs:1-3", "a.rs:2", "a.rs:5", "A.md:1"]
    assert text.startswith("Reader: 6 definitions, ")


def test_a_type_that_is_more_than_another_name_is_no_alias(ask):
    files = {
        "a.go": "package a\n\nfunc (x Y) Handler() {}\n",
        "b.go": "package b\n\ntype Handler func(int)\n",
        "a.ts": "export type Handler = string;\n",
        "b.ts": "export type Handler = {\n  a: string;\n};\n",
    }
    text = ask(files, "find_symbol", name="Handler").text
    assert shown_definitions(text) == ["b.go:3", "b.ts:1-3", "a.go:3", "a.ts:1"]


def test_sources_come_before_examples_before_tests(ask):
    text = "class Pump:\n    pass\n\n\nPump()\n"
    places = ["src/z.py", "docs/conf.py", "examples/a.py", "tests/a.py"]
    found = ask(dict.fromkeys(reversed(places), text), "find_symbol", name="Pump").text
    assert shown_definitions(found) == [f"{place}:1-2" for place in places]
    assert [line for line in found.partition("uses:\n")[2].split("\n") if line in places] == places


def test_a_tuple_struct_is_a_definition_and_a_prototype_a_declaration(ask):
    files = {"a.rs": "pub struct Metres(f64);\n", "a.h": "int Metres(int n);\n"}
    assert ask(files, "find_symbol", name="Metres").text.startswith(
        "Metres: 1 definition, 1 declaration, 0 uses\na.rs:1 "
    )


PHP = {
    "src/Client.php": "<?php\nnamespace Http;\nclass Client {\n  function send() {}\n}\n",
    "src/Other.php": "<?php\nclass Other {\n  function send() {}\n}\n",
}


@pytest.mark.parametrize("name", ["Client->send", "Client?->send", "Client\\send", "Client::send()", "Client?.send"])
def test_separators_of_every_language_are_taken(ask, name):
    text = ask(PHP, "find_symbol", name=name).text
    assert text == f"{name}: 1 definition, 0 uses\nsrc/Client.php:4 function send() in Client\n"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Http\\Client", "Client: 1 definition"),
        ("\\Http\\Client::send", "Client.send: 1 definition"),
        ("Http\\Client#send", "Client.send: 1 definition"),
        ("Child.send", "send: 2 definitions"),
    ],
)
def test_what_has_no_definition_by_its_full_name_is_found_by_its_end_and_that_is_said(ask, name, told):
    head = ask(PHP, "find_symbol", name=name).text.split("\n")[0]
    assert head == f"{name}: no definition found by that full name; {told}, 0 uses"
    data = json.loads(ask(PHP, "find_symbol", name=name, as_json=True).text)
    assert data["defined_name"] == told.partition(":")[0]


def test_a_heading_with_the_full_name_does_not_hide_the_class(ask):
    text = ask(PHP | {"A.md": "# Http.Client\n"}, "find_symbol", name="Http.Client").text
    assert shown_definitions(text) == ["src/Client.php:3-5", "A.md:1"]


def test_of_equal_names_the_one_whose_path_has_the_rest_comes_first(ask):
    files = {"a/one.py": "class Task: pass\n", "b/two.py": "class Task: pass\n"}
    assert shown_definitions(ask(files, "find_symbol", name="b.two.Task").text) == ["b/two.py:1", "a/one.py:1"]


ODD = {
    "log.sh": "log::info() {\n  echo hi\n}\nlog::info hi\nfunction main { log::info x; }\n",
    "p.js": "class K {\n  #priv() {}\n  pub() { return this.#priv(); }\n}\nfunction priv() {}\npriv();\n",
    "o.cpp": "struct Foo {\n  bool operator==(const Foo& o) const { return true; }\n"
    "  Foo* operator->() { return this; }\n"
    "  ~Foo() {}\n  void* operator new(size_t n) { return 0; }\n};\n",
    "o.rb": "class A\n  def []=(k, v)\n    k\n  end\n  def <=>(o)\n    0\n  end\nend\n",
    "o.kt": "class T {\n  fun `name with spaces`() { other() }\n  fun b() { `name with spaces`() }\n}\n",
}


@pytest.mark.parametrize(
    ("name", "numbers", "definition"),
    [
        ("log::info", "1 definition, 2 uses", "log.sh:1-3 "),
        ("#priv", "1 definition, 1 use", "p.js:2 "),
        ("K.#priv", "1 definition, 1 use", "p.js:2 "),
        ("priv", "1 definition, 1 use", "p.js:5 "),
        ("K#pub", "1 definition, 0 uses", "p.js:3 "),
        ("operator==", "1 definition, 0 uses", "o.cpp:2 "),
        ("Foo::operator->", "1 definition, 0 uses", "o.cpp:3 "),
        ("~Foo", "1 definition, 0 uses", "o.cpp:4 "),
        ("operator new", "1 definition, 0 uses", "o.cpp:5 "),
        ("[]=", "1 definition, 0 uses", "o.rb:2-4 "),
        ("A#<=>", "1 definition, 0 uses", "o.rb:5-7 "),
        ("`name with spaces`", "1 definition, 1 use", "o.kt:2 "),
    ],
)
def test_names_that_are_no_words_are_found_as_summaries_list_them(ask, name, numbers, definition):
    head, row = ask(ODD, "find_symbol", name=name).text.split("\n")[:2]
    assert head.startswith(f"{name}: {numbers}")
    assert row.startswith(definition)


def test_many_uses_in_a_file_of_many_functions_are_found_in_time(ask):
    text = "".join(f"def f{n}(a):\n    return g(a)\n\n" for n in range(8000))
    started = time.process_time()
    assert ask({"a.py": text}, "find_symbol", name="g").text.startswith("g: 0 definitions, 8000 uses")
    assert time.process_time() - started < 15  # were each use compared with each function, it would be a minute
