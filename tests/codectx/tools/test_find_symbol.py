"""find_symbol: definitions and uses, by syntax and not by word."""

import json

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
    assert ask(FILES, "find_symbol", name="a b(").text.startswith("error[invalid_argument]: a b( is not a name")


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
