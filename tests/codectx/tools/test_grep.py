"""grep: every match is counted, each is found on some page, nothing secret or endless comes out."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest

from codectx.call import parse_call
from codectx.config import Config
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tools import TOOLS

COUNTER = Counter()
FIRST = {tool.name: tool.parameters[0].name for tool in TOOLS}
CUT = re.compile(r"\[cut: (\d+) of (\d+) matches shown\. next: (.*)\]$")

SHOP = {
    "shop/cart.py": (
        "import money\n\nTAX = 19\n\n\nclass Cart:\n    def total(self):\n        return money.add(self.items)\n\n"
        "    def tax(self):\n        # money again\n        return money.share(self.total(), TAX)\n\n\n"
        "money.round = None\n"
    ),
    "shop/money.py": "def add(items):\n    return sum(items)\n",
    "README.md": "# Shop\n\nIt counts money.\n",
}


def found(ask, where, **arguments) -> list[dict]:
    """Follow the next calls of the structured answers; gives all matches."""
    matches = []
    while True:
        reply = ask(where, "grep", as_json=True, **arguments)
        assert not reply.is_error, reply.text
        data = json.loads(reply.text)
        matches += data["matches"]
        if data["next"] is None:
            return matches
        assert data["truncated"] and data["matches"]
        where, arguments = where if isinstance(where, Project) else {}, data["next"]["args"]


def followed(ask, project, **arguments) -> list[str]:
    """Follow the next calls of the texts; gives these."""
    texts = []
    while True:
        texts.append(ask(project, "grep", **arguments).text)
        cut = CUT.search(texts[-1])
        if cut is None:
            return texts
        assert 0 < int(cut[1]) < int(cut[2])
        arguments = dict(parse_call(cut[3], FIRST).arguments)
        assert len(texts) < 200


def lines_of(text: str) -> list[tuple[str, int]]:
    """Read path and number of each match in an answer."""
    path, lines = "", []
    for line in text.split("\n")[1:]:
        if match := re.match(r"  (\d+): ", line):
            lines.append((path, int(match[1])))
        elif line and not line.startswith((" ", "[")):
            path = line
    return lines


def test_matches_are_grouped_by_file_and_enclosing_symbol(ask):
    assert ask(SHOP, "grep", pattern="money").text == (
        'grep "money": 6 matches in 2 files\n'
        "README.md\n"
        " Shop 1-3\n"
        "  3: It counts money.\n"
        "shop/cart.py\n"
        "  1: import money\n"
        " Cart.total 7-8\n"
        "  8:         return money.add(self.items)\n"
        " Cart.tax 10-12\n"
        "  11:         # money again\n"
        "  12:         return money.share(self.total(), TAX)\n"
        " (top level)\n"
        "  15: money.round = None\n"
    )


def test_a_record_says_where_the_match_is(ask):
    first, *_, last = found(ask, SHOP, pattern="money", path="shop/cart.py")
    assert first == {"path": "shop/cart.py", "line": 1, "text": "import money", "symbol": None}
    assert last["symbol"] is None
    assert found(ask, SHOP, pattern="money.add")[0]["symbol"] == "Cart.total"


def test_context_lines_are_shown_once(ask):
    text = ask({"a.txt": "1\n2\n3 x\n4\n5 x\n6\n7\n8\n9\n"}, "grep", pattern="x", context=2).text
    assert text.split("\n")[1:-1] == ["a.txt", "  1- 1", "  2- 2", "  3: 3 x", "  4- 4", "  5: 5 x", "  6- 6", "  7- 7"]
    text = ask({}, "grep", pattern="[1356]", context=1).text
    assert [line[2:4] for line in text.split("\n")[2:-1]] == ["1:", "2-", "3:", "4-", "5:", "6:", "7-"]
    (first, second) = found(ask, {}, pattern="x", context=2)
    assert first["context"] == {"1": "1", "2": "2", "4": "4"}
    assert second["context"] == {"6": "6", "7": "7"}


def test_case_fixed_and_regex(ask):
    files = {"a.py": "price = cost(x)\nPRICE = 1\nprice.cost = 2\n"}
    assert [m["line"] for m in found(ask, files, pattern="price")] == [1, 3]
    assert [m["line"] for m in found(ask, files, pattern="price", ignore_case=True)] == [1, 2, 3]
    assert [m["line"] for m in found(ask, files, pattern="cost(", fixed=True)] == [1]
    assert [m["line"] for m in found(ask, files, pattern="^[a-z]+.cost")] == [3]


def test_a_pattern_that_matches_nothing_everywhere_gives_each_line_once(ask):
    assert [m["line"] for m in found(ask, {"a.txt": "a\n\nb\n"}, pattern="x*")] == [1, 2, 3]


def test_a_glob_and_a_path_choose_the_files(ask):
    files = {"src/a.py": "x\n", "src/b.ts": "x\n", "tests/a.py": "x\n"}
    assert [m["path"] for m in found(ask, files, pattern="x", glob="*.py,!tests/**")] == ["src/a.py"]
    assert [m["path"] for m in found(ask, files, pattern="x", glob="src/*.{ts,js}")] == ["src/b.ts"]
    assert [m["path"] for m in found(ask, files, pattern="x", path="src", glob="*.py")] == ["src/a.py"]
    assert [m["path"] for m in found(ask, files, pattern="x", path="src\\b.ts")] == ["src/b.ts"]
    assert "glob" in ask(files, "grep", pattern="x", glob="!").text
    assert "no file to search" in ask(files, "grep", pattern="x", glob="*.go").text


def test_dollar_works_on_files_with_cr_lf(ask):
    files = {"win.py": "total = 0\r\n\r\ndef done():\r\n    return total\r\n"}
    assert found(ask, files, pattern="return total$") == [
        {"path": "win.py", "line": 4, "text": "    return total", "symbol": "done"}
    ]
    assert "\r" not in ask({}, "grep", pattern="return total$").text


# Counting and cutting


def test_a_cap_is_told_and_the_pages_find_all(ask, make_project):
    project = make_project(
        {"todo.py": "".join(f"# TODO item {n:03}\n" for n in range(200)), "other.py": "# TODO last\n"}
    )
    text = ask(project, "grep", pattern="TODO", max_results=50).text
    assert text.startswith('grep "TODO": 201 matches in 2 files\n')
    cut = CUT.search(text)
    assert cut and (cut[1], cut[2]) == ("50", "201")
    assert cut[3] == 'grep("TODO", max_results=50, after="todo.py:49")'
    everything = [place for page in followed(ask, project, pattern="TODO", max_results=50) for place in lines_of(page)]
    assert len(everything) == len(set(everything)) == 201
    assert len(found(ask, project, pattern="TODO", max_results=50)) == 201


@pytest.mark.parametrize("max_tokens", [120, 800, 7000])
def test_no_page_is_over_its_limit_and_all_together_have_every_match_once(ask, make_project, max_tokens):
    project = make_project(
        {f"d/m{n:03}.py": f"def needle_{n}():\n    return 'needle {'x' * 80}'\n" for n in range(30)}
        | {"zh.md": "needle 登录令牌的刷新\n" * 15}
    )
    pages = followed(ask, project, pattern="needle", max_tokens=max_tokens)
    assert all(COUNTER.count(page) <= max_tokens for page in pages)
    everything = [place for page in pages for place in lines_of(page)]
    assert len(everything) == len(set(everything)) == 75
    assert all(page.startswith('grep "needle": 75 matches in 31 files') for page in pages)


def test_structured_answers_stay_whole(ask, make_project):
    project = make_project(
        {f"d/m{n:03}.py": f"def needle_{n}():\n    return 'needle {'x' * 80}'\n" for n in range(300)}
    )
    text = ask(project, "grep", as_json=True, pattern="needle", max_tokens=800).text
    data = json.loads(text)
    assert COUNTER.count(text) <= 800
    assert data["truncated"] and data["total_matches"] == 600 and data["returned_tokens"] < data["total_tokens"]
    assert all(record.keys() == {"path", "line", "text", "symbol"} for record in data["matches"])


def test_a_page_says_what_is_beyond_it(ask, make_project):
    project = make_project({f"pkg{n % 3}/m{n:03}.py": "needle\n" * 5 for n in range(120)})
    text = ask(project, "grep", pattern="needle", max_tokens=600).text
    assert "[left out: pkg0/ " in text and "pkg1/ 200" in text
    text = ask(project, "grep", pattern="needle", path="pkg2", glob="m0*", max_tokens=250).text
    assert re.search(r"\[left out: pkg2/m0\d\d\.py [1-5]", text)


def test_a_page_in_the_middle_names_file_and_symbol_again(ask, make_project):
    project = make_project({"a.py": "class A:\n    def f(self):\n" + "        call()\n" * 400})
    for page in followed(ask, project, pattern="call", max_tokens=500):
        assert page.split("\n")[1:3] == ["a.py", " A.f 2-402"]


def test_a_match_in_a_long_line_is_shown_with_its_address(ask, make_project):
    line = "".join(f"var v{n}={n};" for n in range(200_000))
    at = line.index("v123456=")
    project = make_project({"min.js": "short\n" + line + "\n"})
    text = ask(project, "grep", pattern="v123456=").text
    address = re.search(r"\[min\.js:2@(\d+)\]$", text.rstrip("\n"))
    assert address and len(text) < 500
    assert at - 120 <= int(address[1]) <= at
    assert "var v123456=123456;" in ask(project, "read_lines", path=f"min.js:2@{address[1]}", max_tokens=200).text
    (record,) = found(ask, project, pattern="v123456=")
    assert record["offset"] == int(address[1]) and record["text"].startswith("...") and record["text"].endswith("...")


def test_no_character_is_torn_where_a_line_is_clipped(ask):
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    for shift in range(5):
        line = "x" * shift + family * 60 + "needle" + family * 60
        text = ask({"a.txt": line + "\n"}, "grep", pattern="needle").text
        shown = text.split("  1: ...")[1].split("... [")[0]
        assert set(shown.split("needle")[0].split(family)) == set(shown.split("needle")[1].split(family)) == {""}


def test_the_limit_holds_where_context_is_larger_than_it(ask, make_project):
    project = make_project(
        {"a.txt": "".join(f"line {n} of many words that take some tokens\n" for n in range(100)) + "x\n"}
    )
    text = ask(project, "grep", pattern="^x$", context=20, max_tokens=150).text
    assert COUNTER.count(text) <= 150 and "  101: x" in text


# Nothing found


def test_nothing_found_is_one_line_and_a_better_call(ask):
    files = {"src/a.py": "def Load(x): return a.b\n", "src/sub/c.py": "y\n"}
    reply = ask(files, "grep", pattern="zebra")
    assert (reply.text.rstrip("\n"), reply.exit_code, reply.is_error) == ('no match for "zebra" in 2 files', 1, False)
    assert '[try: grep("load", ignore_case=true) (1 match)]' in ask({}, "grep", pattern="load").text
    assert '[try: grep("Load(x)", fixed=true) (1 match)]' in ask({}, "grep", pattern="Load(x)").text
    assert '[try: grep("Load") (1 match)]' in ask({}, "grep", pattern="Load", path="src/sub").text
    assert '[try: grep("Load") (1 match)]' in ask({}, "grep", pattern="Load", glob="*.ts").text
    assert json.loads(ask({}, "grep", as_json=True, pattern="zebra").text)["matches"] == []


def test_lines_never_hold_a_line_break(ask):
    reply = ask({"a.txt": "a\nb\n"}, "grep", pattern=r"a\nb")
    assert reply.exit_code == 1 and "line by line" in reply.text


def test_going_on_behind_the_last_match_gives_none(ask):
    reply = ask({"a.txt": "x\nx\n"}, "grep", pattern="x", after="a.txt:2")
    assert reply.text.rstrip("\n") == 'grep "x": 2 matches in 1 file; 0 after a.txt:2'


# What is refused


@pytest.mark.parametrize("pattern", ["(", "a**", "[", "(?:a{1000}){1000}", "(?P<n>a)(?P=m)"])
def test_an_invalid_pattern_is_refused_with_a_hint(ask, pattern):
    reply = ask({"a.txt": "x\n"}, "grep", pattern=pattern)
    assert reply.text.startswith("error[invalid_argument]: pattern ") and "fixed=true" in reply.text


@pytest.mark.parametrize(
    "arguments",
    [{"pattern": ""}, {"pattern": "a\0b"}, {"pattern": "x", "context": -1}, {"pattern": "x", "max_results": 0}],
)
def test_arguments_out_of_bounds_are_refused(ask, arguments):
    assert ask({"a.txt": "x\n"}, "grep", **arguments).text.startswith("error[invalid_argument]: ")


@pytest.mark.parametrize("after", ["a.txt", "a.txt:", ":3", "a.txt:x", "a.txt:" + "9" * 30])
def test_a_place_to_go_on_that_is_none_is_refused(ask, after):
    assert ask({"a.txt": "x\n"}, "grep", pattern="x", after=after).text.startswith("error[invalid_argument]: after is ")


@pytest.mark.parametrize("path", ["../outside", "/etc", "a/../../b"])
def test_nothing_outside_the_root_is_searched(ask, path):
    assert ask({"a.txt": "x\n"}, "grep", pattern="x", path=path).text.startswith("error[outside_root]: ")


def test_a_link_to_the_outside_is_not_followed(ask, make_project, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("top 4711\n", encoding="utf-8")
    project = make_project({"in.txt": "inside\n"})
    (project.root / "leak.txt").symlink_to("../outside/secret.txt")
    (project.root / "leak").symlink_to("../outside")
    assert found(ask, project, pattern="4711") == []
    assert ask(project, "grep", pattern="4711", path="leak.txt").text.startswith("error[outside_root]: ")


def test_a_pattern_that_would_take_for_ever_ends_as_a_timeout(ask, make_project):
    project = make_project({"a.txt": "a" * 60 + "!\nok line\n"})
    quick = Project(project.root, Config(grep_seconds=0.5))
    start = time.monotonic()
    reply = ask(quick, "grep", pattern="(?:a|aa)+$")
    assert reply.text.startswith("error[timeout]: ") and "fixed=true" in reply.text
    assert time.monotonic() - start < 4
    assert [m["line"] for m in found(ask, project, pattern="ok")] == [2]
    assert found(ask, project, pattern="(a+)+$") == []


@pytest.mark.parametrize("pattern", ["-f", "--pre=touch pwned", "--", "-e x", "@file"])
def test_a_pattern_is_never_an_option(ask, make_project, pattern):
    project = make_project({f"{n}.txt": "x\n" for n in range(100)} | {"hit.txt": f"a {pattern} b\n"})
    assert [m["path"] for m in found(ask, project, pattern=pattern)] == ["hit.txt"]
    assert not (project.root / "pwned").exists()


# What is not searched, and what is not shown


def test_binary_files_are_told_and_text_with_a_nul_is_searched(ask):
    files = {
        "src/p.mjs": "function key(t, n) {\n  return `${t}\0${n}`;\n}\nfunction abandoned(job) {\n  return 1;\n}\n",
        "a.png": b"\x89PNG\r\n\x1a\n" + bytes(200),
        "b.png": b"\x89PNG\r\n\x1a\n" + bytes(200),
    }
    text = ask(files, "grep", pattern="abandoned").text
    assert "src/p.mjs\n abandoned 4-6\n  4: function abandoned(job) {\n" in text
    assert "[not searched: 2 binary files]" in text
    assert "<U+0000>" in ask({}, "grep", pattern="return `").text
    assert ask({}, "grep", pattern="x", path="a.png").text.startswith("error[binary]: a.png ")


def test_secret_files_are_not_searched_and_that_is_told(ask, make_project):
    files = {
        ".env": "API_TOKEN=sk-example-4711\n",
        "config/.env.local": "DB_PASSWORD=example-4711\n",
        "deploy/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\n4711example\n",
        "app.py": "import os\n",
    }
    project = make_project(files)
    reply = ask(project, "grep", pattern="4711")
    assert "sk-example-4711" not in reply.text and reply.exit_code == 1
    assert "[not searched: 3 secret files (.env, config/.env.local, deploy/id_rsa)]" in reply.text
    assert "secret" not in ask(project, "grep", pattern="import", glob="*.py").text
    assert ask(project, "grep", pattern="4711", path=".env").is_error
    allowed = Project(project.root, Config(secrets_allow=(".env",)))
    assert [m["path"] for m in found(ask, allowed, pattern="API_TOKEN")] == [".env"]


def test_likely_secrets_in_lines_are_masked_and_told(ask):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    key = "MIIEpAIBAAKCAQEA7bq0Zx9vJ3cW2kQe5rT8yU1iO4pA6sDfGhJkLzXcVbNmQwEr"
    pem = f"-----BEGIN RSA PRIVATE KEY-----\n{key}\n{key}\n-----END RSA PRIVATE KEY-----\n"
    files = {"a.py": f"x = 1\ntoken = '{token}'  # here\ny = 2\n", "b.txt": pem}
    text = ask(files, "grep", pattern="token =|^y").text
    assert token not in text and "  2: token = " in text
    assert "[masked: likely secrets in a.py:2]" in text
    assert token not in ask({}, "grep", as_json=True, pattern="token =").text
    text = ask({}, "grep", pattern="^MIIE").text  # nothing in these lines says what they are
    assert key not in text and "[masked: likely secrets in b.txt:2, b.txt:3]" in text
    assert "masked" not in ask({}, "grep", pattern="^y").text
    assert token not in ask({}, "grep", pattern="^y", context=1).text


def test_characters_that_cannot_be_seen_are_shown(ask):
    assert "  1: if a <U+202E> b" in ask({"a.py": "if a \u202e b\n"}, "grep", pattern="if").text


def test_ignored_files_are_searched_only_where_they_are_named(ask, make_project):
    project = make_project({".gitignore": "out/\n", "out/a.js": "needle\n", "b.js": "needle\n"})
    assert [m["path"] for m in found(ask, project, pattern="needle")] == ["b.js"]
    assert [m["path"] for m in found(ask, project, pattern="needle", path="out")] == ["out/a.js"]
    assert [m["path"] for m in found(ask, project, pattern="needle", path="out/a.js")] == ["out/a.js"]


def test_another_root_of_the_client_is_searched_too(ask, make_project, tmp_path):
    project = make_project({"a.py": "needle\n"})
    other = tmp_path / "other"
    other.mkdir()
    for n in range(80):
        (other / f"{n}.py").write_text("needle\n", encoding="utf-8")
    both = Project(project.root, project.config, (other,))
    assert len(found(ask, both, pattern="needle", path=str(other))) == 80
    assert ask(project, "grep", pattern="needle", path=str(other)).is_error


def test_the_answer_is_the_same_with_ripgrep_and_without(ask, make_project, monkeypatch):
    project = make_project({f"d/m{n:03}.py": f"def needle_{n}():\n    return {n}\n" for n in range(100)})
    usual = ask(project, "grep", pattern="needle_9").text
    assert usual.startswith('grep "needle_9": 11 matches in 11 files')
    git = Path(shutil.which("git") or "").parent
    monkeypatch.setenv("PATH", str(project.root))  # there is none
    assert ask(project, "grep", pattern="needle_9").text == usual
    monkeypatch.setenv("PATH", f"{project.root}{os.pathsep}{git}")
    for program in ("exit 2", "exit 0", "echo garbage", "touch pwned"):  # the project's own is never started
        (project.root / "rg").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (project.root / "rg").chmod(0o755)
        assert ask(project, "grep", pattern="needle_9").text == usual
    assert not (project.root / "pwned").exists()


def test_a_ripgrep_that_fails_changes_nothing(ask, make_project, monkeypatch, tmp_path):
    project = make_project({f"d/m{n:03}.py": f"def needle_{n}():\n    return {n}\n" for n in range(100)})
    usual = ask(project, "grep", pattern="needle_9").text
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    version = 'if [ "$2" = --version ]; then echo "ripgrep 99.0"; exit 0; fi; '
    for program in ("exit 2", "sleep 60", "printf 'elsewhere.py\\0'", "kill $$"):
        (tmp_path / "bin" / "rg").write_text(f"#!/bin/sh\n{version}{program}\n", encoding="utf-8")
        (tmp_path / "bin" / "rg").chmod(0o755)
        assert ask(project, "grep", pattern="needle_9").text == usual


def test_the_symbol_that_a_match_stands_in_shows_no_secret(ask):
    token = "ghp_" + "hV7kQ2zLm9Xw4RtYbN3cJ8dF5gS1pA6eU0iO"
    reply = ask({"n.md": f"# Token {token}\n\nuse the zebra\n"}, "grep", pattern="zebra")
    assert "[masked] 1-3" in reply.text
    assert token not in reply.text
