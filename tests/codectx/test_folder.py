"""The summary of a folder: a first look at a project, the important first, every entry once."""

import json
import re

import pytest

from codectx.call import parse_call
from codectx.importance import importance, is_called_after, kind_of

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


@pytest.mark.parametrize(("path", "after"), [(".", "gone.py"), (".", "zzz"), ("mill", "mill/store.py")])
def test_an_unknown_place_to_go_on_is_an_error(ask, path, after):
    reply = ask(FILES, "summarize", path=path, after=after)
    assert reply.text.startswith(f"error[invalid_argument]: after is {after}, which {path} does not hold (any more); ")
    assert "leave after out" in reply.text


def test_pages_go_on_where_other_files_were_added_or_deleted(ask, make_project):
    project = make_project({f"m{n}.py": "x = 1\n" for n in range(6)})
    (project.root / "m0.py").unlink()
    (project.root / "m9.py").write_text("x = 1\n", encoding="utf-8")
    assert entries([ask(project, "summarize", path=".", after="m3.py").text]) == ["m4.py", "m5.py", "m9.py"]


MANY = {f"big/m{n:02d}.py": f"def f{n}(): pass\n" for n in range(20)} | {"all/a.py": "x = 1\n", "t/x.py": "y = 1\n"}


def test_a_folder_tells_how_many_of_its_files_are_shown(ask, make_project):
    project = make_project({**MANY, "tests/test_a.py": "x = 1\n", "tests/test_b.py": "x = 1\n"})
    text = ask(project, "summarize", path=".").text
    below = len(re.findall(r"^ big/", text, re.M))
    assert 0 < below < 20
    assert f"\nbig/  20 files, {below} shown: python 20\n" in text
    assert "\nall/  1 file: python 1\n all/a.py" in text
    assert f'[not shown: {20 - below + 2} files in 2 folders; summarize each, as summarize("big")]' in text
    brief = ask(project, "summarize", path=".", max_tokens=110).text  # rows in short form show no file
    assert re.search(r"^\[not shown: \d+ files? in \d folders?; ", brief, re.M)
    assert "not shown" not in ask(project, "summarize", path="big").text
    whole = ask(make_project({"up/in/x/a.py": "x = 1\n", "up/b.py": "x = 1\n"}), "summarize", path="up", depth=2).text
    assert '[not shown: 1 file in 1 folder; summarize each, as summarize("up/in/x")]' in whole


def test_json_carries_what_the_text_says(ask, make_project):
    project = make_project({**MANY, ".env": "A=b\n", "big/README.md": "# Big\n\nBig is a heap of things.\n"})
    text = ask(project, "summarize", path=".").text
    data = json.loads(ask(project, "summarize", path=".", as_json=True).text)
    assert data["languages"] == {"python": 22, "markdown": 1}
    assert data["notices"] == re.findall(r"^\[(.*)\]$", text, re.M)
    assert [line.partition(":")[0] for line in data["notices"]] == ["left out", "not shown"]
    big = next(entry for entry in data["entries"] if entry["name"] == "big/")
    assert big["languages"] == {"python": 20, "markdown": 1}
    assert big["description"] == "Big is a heap of things."
    shown = re.findall(r"^ (big/\S+)  1 line, 1 symbol: (\w+)$", text, re.M)
    assert shown == [(each["path"], each["main"][0]) for each in big["modules"]]
    assert {"lines": 1, "symbols": 1}.items() <= big["modules"][0].items()


def test_json_names_the_modules_and_what_the_project_is(ask):
    data = json.loads(ask(FILES, "summarize", path=".", as_json=True).text)
    assert data["about"][0] == "README.md: Mill is a tool that grinds corn."
    assert {"path": "mill/store.py", "lines": 301, "description": "Keep sacks."} in data["entries"][0]["modules"]


def test_json_is_cut_at_its_limit_and_goes_on(ask, make_project):
    project, seen, after = make_project(FILES), [], ""
    while len(seen) < 60:
        reply = ask(project, "summarize", path=".", after=after, max_tokens=320, as_json=True)
        data = json.loads(reply.text)
        assert data["returned_tokens"] <= 320
        assert bool(data["about"]) == (not after)
        seen += [entry["name"] for entry in data["entries"]]
        if not data["truncated"]:
            break
        after = data["next"]["args"]["after"]
    assert after
    assert seen == entries([ask(project, "summarize", path=".", max_tokens=7000).text])


@pytest.mark.parametrize(
    ("path", "name", "right"),
    [
        ("routergroup.go", "RouterGroup", True),
        ("a/route-group.js", "route_group", True),
        ("Application.jvm.kt", "Application", True),
        ("render/index.js", "Render", True),
        ("render/main.py", "main", True),
        ("routergroup.go", "IRoutes", False),
        ("render/other.js", "Render", False),
        (".eslintrc.js", "_", False),
    ],
)
def test_a_file_is_called_after_a_name_but_for_case_and_joints(path, name, right):
    assert is_called_after(path, name) is right


def test_the_symbol_that_a_file_is_called_after_is_named_first(ask):
    large = "    x = 1\n" * 9
    files = {
        "router_group.py": f'class Routes:\n    a = 1\n{large}\n\nclass RouterGroup:\n    """Group them."""\n',
        "logger.py": f"class Options:\n{large}\n\ndef logger():\n    pass\n",
        "same.py": f"def big():\n{large}\n\nclass Other:\n    b = 1\n",
    }
    text = ask(files, "summarize", path=".").text
    assert re.search(r"^router_group\.py .*: RouterGroup - Group them\.$", text, re.M)
    assert re.search(r"^logger\.py .*: logger, Options$", text, re.M)
    assert re.search(r"^same\.py .*: Other$", text, re.M)


def test_borrowed_headers_and_variants_come_behind_what_the_folder_is_about(make_project):
    files = {f"src/m{n:02d}.kt": "import mill.App\nimport mill.Curl\n" for n in range(40)}
    files |= {"src/app/App.kt": "class App\n", "src/app/App.jvm.kt": "class App\n" * 9, "src/curl.h": "int a;\n" * 4000}
    project = make_project(files)
    walked = project.walk(".").files
    scores = importance(project.root, walked, "", {file.path: kind_of(file.path, "") for file in walked})
    assert scores["src/app/App.kt"] > max(scores["src/app/App.jvm.kt"], scores["src/curl.h"])


def test_a_numbered_list_of_a_readme_gives_its_first_item(ask):
    readme = "# Mill\n\nMill is:\n\n  1. A way of grinding corn to flour\n  2. A set of stones\n\nMore.\n"
    text = ask({"README.md": readme, "a.py": "x = 1\n"}, "summarize", path=".").text
    assert text.split("\n")[1] == "README.md: A way of grinding corn to flour"
    assert "README.md  8 lines, 1 symbol: Mill is: A way of grinding corn to flour\n" in text


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
    assert "[symbols not counted, to answer fast: odd.rb; summarize each]" in text


def test_files_whose_symbols_are_not_counted_are_named_but_not_all(ask):
    files = {f"m{n}.py": f"def f{n}(): pass\n" for n in range(200)}
    odd = {f"lib/odd{n}.rb": "def grind\nend\n" for n in range(5)}
    text = ask({**files, **odd}, "summarize", path="lib").text
    assert "symbols not counted" not in text  # Ruby is not rare here
    text = ask({**files, **odd}, "summarize", path=".", depth=2, max_tokens=7000).text
    assert (
        "[symbols not counted, to answer fast: lib/odd0.rb, lib/odd1.rb, lib/odd2.rb, +2 more; summarize each]" in text
    )
    short = ask({**files, **odd}, "summarize", path=".", depth=2, max_tokens=200).text
    assert ("lib/odd0.rb  " in short) == ("symbols not counted" in short)
