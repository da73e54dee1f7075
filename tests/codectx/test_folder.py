"""The summary of a folder: a first look at a project, the important first, every entry once."""

import json
import re

import pytest

from codectx.call import parse_call

APP = (
    '"""Serve the mill."""\n\nfrom mill.store import Store\nfrom mill.app import App\n\n\n'
    'class Server(App):\n    """Answer."""\n'
)
FILES = {
    "README.md": "# Mill\n\n[![b](u)](v)\n\nMill is a tool that grinds corn. More.\n",
    "pyproject.toml": '[project]\nname = "mill"\ndescription = "Grind corn."\n[project.scripts]\nmill = "mill:main"\n',
    "mill/__init__.py": '"""Grind corn, from Python."""\nfrom mill.store import Store\n',
    "mill/store.py": '"""Keep sacks."""\n' + "x = 1\n" * 300,
    "mill/app.py": "from mill.store import Store\n\n\nclass App:\n    def run(self):\n        return Store()\n",
    "mill/web/server.py": APP,
    "mill/web/forms.py": APP,
    "mill/small.py": "y = 2\n",
    "tests/test_app.py": "from mill.app import App\n" * 40,
    "docs/guide.md": "# Guide\n\nHow to grind.\n",
    "vendor/lib/big.py": "z = 3\n" * 2000,
    "zoo.cfg": "a = b\n",
}


def pages(ask, project, **arguments):
    """Follow the next calls to the end and give the answers."""
    answers = []
    while len(answers) < 60:
        answers.append(ask(project, "summarize", **arguments).text)
        found = re.search(r"\[cut: .* next: (.*)\]$", answers[-1])
        if found is None:
            return answers
        arguments = dict(parse_call(found[1], {"summarize": "path"}).arguments)
    raise AssertionError("the pages do not end")


def entries(answers):
    return [line.split("  ")[0] for text in answers for line in text.split("\n") if re.match(r"[^ \[]\S*  ", line)]


def test_the_root_tells_what_the_project_is_and_where_things_are(ask):
    text = ask(FILES, "summarize", path=".").text
    assert text.split("\n")[1:4] == [
        "README.md: Mill is a tool that grinds corn.",
        "pyproject.toml: mill - Grind corn.; commands mill",
        "tests: tests/ (1)",
    ]
    assert re.search(r"^mill/  6 files: python 6$", text, re.M)
    assert " mill/store.py  301 lines: Keep sacks." in text
    assert " mill/app.py  6 lines, 2 symbols: App" in text


def test_sources_come_first_and_foreign_code_last(ask):
    assert entries([ask(FILES, "summarize", path=".").text]) == [
        "mill/",
        "tests/",
        "docs/",
        "README.md",
        "pyproject.toml",
        "zoo.cfg",
        "vendor/",
    ]


def test_what_others_name_comes_before_what_nobody_names(ask):
    rows = entries([ask(FILES, "summarize", path="mill").text])
    assert rows.index("store.py") < rows.index("small.py")
    assert rows.index("app.py") < rows.index("small.py")


@pytest.mark.parametrize("limit", [110, 150, 300])
@pytest.mark.parametrize(("path", "depth"), [(".", 1), (".", 2), ("mill", 1)])
def test_pages_give_every_entry_exactly_once(ask, make_project, path, depth, limit):
    project = make_project(FILES)
    whole = entries(pages(ask, project, path=path, depth=depth, max_tokens=7000))
    assert len(whole) == len(set(whole)) > 3
    assert entries(pages(ask, project, path=path, depth=depth, max_tokens=limit)) == whole


def test_an_unknown_place_to_go_on_begins_anew(ask, make_project):
    project = make_project(FILES)
    first = entries([ask(project, "summarize", path=".").text])
    assert entries([ask(project, "summarize", path=".", after="gone.py").text]) == first


def test_json_names_the_modules_and_what_the_project_is(ask):
    data = json.loads(ask(FILES, "summarize", path=".", as_json=True).text)
    assert data["about"][0] == "README.md: Mill is a tool that grinds corn."
    assert "mill/store.py" in data["entries"][0]["modules"]


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        (
            "package.json",
            '{"name": "mill", "description": "Grind.", "bin": {"mill": "a.js"}}',
            "mill - Grind.; commands mill",
        ),
        ("package.json", '{"name": "mill", "main": "lib/a.js"}', "mill; entry lib/a.js"),
        ("Cargo.toml", '[package]\nname = "mill"\ndescription = "Grind."\n', "mill - Grind."),
        ("go.mod", "module example.org/mill\n\ngo 1.22\n", "example.org/mill"),
        (
            "mill.gemspec",
            'Gem::Specification.new do |s|\n  s.name = "mill"\n  s.summary = "Grind."\nend\n',
            "mill - Grind.",
        ),
        ("mill.cabal", "name: mill\nsynopsis:  Grind.\n", "mill - Grind."),
        ("mix.exs", 'def project, do: [app: :mill, description: "Grind."]\n', "mill - Grind."),
    ],
)
def test_manifests_tell_name_and_description(ask, name, text, shown):
    assert ask({name: text, "a.py": "x = 1\n"}, "summarize", path=".").text.split("\n")[1] == f"{name}: {shown}"


@pytest.mark.parametrize("text", ["{", "[1, 2]", '{"name": 3}', "null", '"a"'])
def test_a_broken_manifest_says_nothing(ask, text):
    answer = ask({"package.json": text, "a.py": "x = 1\n"}, "summarize", path=".").text
    assert "package.json: " not in answer
    assert "package.json  1 line" in answer


def test_secrets_in_a_manifest_are_masked(ask):
    text = '{"name": "mill", "description": "key AKIAIOSFODNN7QXYZABC"}'
    assert "AKIAIOSFODNN7QXYZABC" not in ask({"package.json": text}, "summarize", path=".").text


def test_files_of_a_rare_language_are_described_but_their_symbols_not_counted(ask):
    files = {f"m{n}.py": f"def f{n}(): pass\n" for n in range(40)}
    text = ask({**files, "odd.rb": "# Grind corn in Ruby.\ndef grind\nend\n"}, "summarize", path=".").text
    assert "odd.rb  3 lines: Grind corn in Ruby.\n" in text
    assert "m7.py  1 line, 1 symbol: f7\n" in text
    assert "[symbols not counted, to answer fast: 1 file; summarize each]" in text
