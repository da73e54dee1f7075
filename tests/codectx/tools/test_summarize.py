"""summarize: what an agent reads instead of code."""

import json
import re
from pathlib import Path

import pytest

from codectx.call import parse_call
from codectx.tokens import Counter

COUNTER = Counter()
GOLDEN = Path(__file__).parents[2] / "golden" / "summary"
SERVICE = '''"""Keep the sessions of users who are logged in."""

import os
from datetime import timedelta

import jwt

from .store import Store

LEEWAY = timedelta(seconds=30)
__all__ = ["Session", "validate"]


# eslint-disable, or something like it
@retry(times=3)
async def validate(token, *, leeway=LEEWAY, **options):
    """Check a token and give its user. Raises when it is too old."""
    claims = jwt.decode(token, os.environ["KEY"], leeway=leeway)
    if is_revoked(claims):
        raise Revoked(claims["jti"])
    return Store.current().user(claims["sub"])


class Session(Base):
    """Hold one login."""

    def __init__(self, user, started=None):
        self.user = user
        self.started = started

    # 刷新令牌，失败时重试。
    def refresh(self, force=False):
        if force:
            self.user.touch()
        return jwt.encode({"sub": self.user.id}, os.environ["KEY"])

    def _age(self):
        return 1
'''
LONG = SERVICE + "".join(
    f'\n\ndef handler_{n}(request, name="{n}"):\n    """Handle request number {n}."""\n'
    "    values = [request.get(key) for key in request.keys()]\n    total = sum(int(value) for value in values)\n"
    f"    if total > {n}:\n        log.info('more than %s', total)\n        request.session.refresh()\n"
    "    for value in values:\n        request.send(value, total=total, name=name)\n    return render(total, values)\n"
    for n in range(8)
)


def test_a_file_is_its_facts_and_a_row_for_each_symbol(ask) -> None:
    text = ask({"src/session.py": LONG}, "summarize", path="src/session.py").text
    lines = text.split("\n")
    assert lines[0] == f"src/session.py (python, {LONG.count(chr(10))} lines, 14 symbols)"
    assert lines[1] == "Keep the sessions of users who are logged in."
    assert lines[2] == "imports: os, datetime, jwt, .store"
    assert "10 LEEWAY" in lines
    assert (
        "15-21 async validate(token, *, leeway=LEEWAY, **options): Check a token and give its user."
        " > jwt.decode Revoked user ..." in text
    )
    assert "\n24-38 class Session: Hold one login.\n" in text
    assert "\n 32-35 refresh(force=False): 刷新令牌，失败时重试。 > jwt.encode ...\n" in text
    assert "\n 37-38 _age()\n" in text


def test_a_golden_file_of_functions_costs_at_most_a_sixth(ask) -> None:
    source = (GOLDEN / "invoice.js").read_text(encoding="utf-8")
    assert source.count("\n") == 127
    text = ask({"src/invoice.js": source}, "summarize", path="src/invoice.js").text
    assert text == (GOLDEN / "invoice.js.txt").read_text(encoding="utf-8")
    assert COUNTER.count(text) * 6 <= COUNTER.count(source)


def test_a_summary_is_never_longer_than_its_source(ask) -> None:
    source = "def f(a):\n    return g(a)\n\n\ndef h(b):\n    return b\n"
    assert ask({"a.py": source}, "summarize", path="a.py").text == f"a.py:1-6 (6 lines)\n{source}"


def test_json_has_everything_unclipped(ask) -> None:
    data = json.loads(ask({"a.py": SERVICE}, "summarize", path="a.py", as_json=True).text)
    validate = next(s for s in data["symbols"] if s["name"] == "validate")
    assert validate["lines"] == [15, 21]
    assert validate["name_line"] == 16
    assert validate["params"] == ["token", "leeway=LEEWAY", "**options"]
    assert validate["calls"] == ["jwt.decode", "is_revoked", "Revoked", "Store.current", "user"]
    assert validate["is_async"]
    assert data["exports"] == ["Session", "validate"]
    assert data["total_symbols"] == len(data["symbols"])


def test_ten_thousand_functions_are_paged_by_symbol(ask, make_project) -> None:
    project = make_project({"gen.py": "".join(f"def f_{n}(x):\n    return x + {n}\n\n" for n in range(10_000))})
    first = ask(project, "summarize", path="gen.py", max_tokens=4000).text
    assert COUNTER.count(first) <= 4000
    assert first.startswith("gen.py (python, 30000 lines, 10000 symbols)\n1-2 f_0(x)")
    shown = first.count("\n") - 1
    assert first.endswith(
        f'[cut: {shown} of 10000 symbols shown. next: summarize("gen.py", after="{shown}", max_tokens=4000)]'
    )
    second = ask(project, "summarize", path="gen.py", after=str(shown)).text
    assert second.split("\n")[1].endswith(f" f_{shown}(x)")


def test_a_file_without_a_grammar_gives_its_head_and_an_outline_and_says_so(ask, make_project) -> None:
    text = "Intro\n=====\n\n" + "Some words.\n" * 40 + "\nUsage\n=====\n\n" + "More words.\n" * 40
    answer = ask({"notes.rst": text}, "summarize", path="notes.rst").text
    assert answer.startswith(
        "notes.rst (text, 87 lines, 2 symbols, not parsed: head and outline)\n1-43 heading Intro\n"
    )
    assert "\n45-87 heading Usage\nIntro\n=====\n\nSome words.\n" in answer
    assert "[cut: " not in answer


def test_a_minified_file_is_cut_and_the_cut_is_told(ask) -> None:
    source = "!function(){" + "".join(f"var a{n}=function(b){{return b+{n}}};" for n in range(60_000)) + "}();"
    answer = ask({"vendor/app.min.js": source}, "summarize", path="vendor/app.min.js").text
    assert "[cut: " in answer
    assert len(answer) < 20_000


def test_secrets_in_signatures_are_masked(ask) -> None:
    source = 'def connect(key="AKIAIOSFODNN7QXYZABC"):\n    """Connect."""\n    return open_it(key)\n' * 3
    answer = ask({"a.py": source}, "summarize", path="a.py").text
    assert "AKIAIOSFODNN7QXYZABC" not in answer
    assert "[masked: likely secrets on lines 1, 4, 7]" in answer


def test_broken_code_gives_what_can_be_read_and_names_the_lines(ask) -> None:
    source = LONG + "\n\ndef broken(:\n    return ((\n\n\ndef fine():\n    return f()\n"
    answer = ask({"a.py": source}, "summarize", path="a.py").text
    assert "[problems: line" in answer
    assert "handler_7(" in answer


def test_a_folder_is_a_row_for_each_file_and_folder(ask) -> None:
    files = {
        "src/session.py": SERVICE,
        "src/deep/a.py": "x = 1\n",
        "src/deep/b/c.md": "# T\n",
        "README.md": "# Hello\n\nWhat it is.\n",
    }
    answer = ask(files, "summarize", path="src").text
    assert answer == (
        "src/ (3 files: python 2, markdown 1)\n"
        "session.py  38 lines, 6 symbols: Keep the sessions of users who are logged in.\n"
        "deep/  2 files, 1 shown: python 1, markdown 1\n"
        " deep/a.py  1 line\n"
        '[not shown: 1 file in 1 folder; summarize each, as summarize("src/deep")]'
    )
    deeper = ask(files, "summarize", path="src", depth=2).text
    assert "deep/a.py  1 line" in deeper
    assert "deep/b/  1 file: markdown 1" in deeper


def test_a_file_that_does_not_say_what_it_is_for_is_told_by_what_others_use_of_it(ask) -> None:
    files = {
        "app.js": """var app = exports = module.exports = {};

/** Start it. */
app.init = function init() {
  go();
};

app.use = function use(fn) {
  a();
  b();
  return this;
};

/** Log an error. */
function logerror(err) {
  one(err);
  two(err);
  three(err);
  four(err);
}
""",
        "one.py": """__all__ = ["run"]


def run():
    \"\"\"Run it.\"\"\"


def _help():
    \"\"\"Help it.\"\"\"
    x = 1
""",
        "kind.py": """class Big:
    \"\"\"Be big.\"\"\"
    def a(self):
        pass


def small():
    \"\"\"Be small.\"\"\"
""",
    }
    answer = ask(files, "summarize", path=".").text
    assert "app.js  20 lines, 3 symbols: app.use, app.init\n" in answer
    assert "one.py  10 lines, 2 symbols: run - Run it.\n" in answer
    assert "kind.py  8 lines, 3 symbols: Big - Be big.\n" in answer


def test_a_large_folder_is_paged_by_name(ask, make_project) -> None:
    project = make_project({f"m{n:04d}.py": '"""Module."""\n' for n in range(600)})
    seen, after = [], ""
    while True:
        reply = ask(project, "summarize", path=".", **({"after": after} if after else {}))
        rows = [line for line in reply.text.split("\n")[1:] if line.startswith("m")]
        seen += [row.split()[0] for row in rows]
        if "[cut: " not in reply.text:
            break
        after = rows[-1].split()[0]
        assert f'after="{after}"' in reply.text
    assert seen == [f"m{n:04d}.py" for n in range(600)]


@pytest.mark.parametrize("after", ["14", "999"])
def test_a_number_of_symbols_that_a_file_has_not_is_an_error(ask, after) -> None:
    text = ask({"a.py": LONG}, "summarize", path="a.py", after=after).text
    assert text == (
        f"error[invalid_argument]: after is {after}, but a.py has 14 symbols; "
        "give a number below that, or leave after out to begin anew"
    )


def test_going_on_behind_the_facts_needs_no_symbol(ask) -> None:
    source = "".join(f"import module_{n}\n" for n in range(9))
    assert ask({"a.py": source}, "summarize", path="a.py", after="0").text == "a.py\n"
    assert ask({"a.py": LONG}, "summarize", path="a.py", after="13").text.count(" handler_7(") == 1


def test_a_huge_file_gives_its_head_without_being_parsed(ask) -> None:
    source = "def f(x):\n    return x\n\n\n" * 500_000
    answer = ask({"huge.py": source}, "summarize", path="huge.py").text
    assert answer.startswith("huge.py (text, 2000000 lines, not parsed: head and outline)\ndef f(x):\n")
    assert answer.endswith('[cut: 20 of 2000000 lines shown. next: read_lines("huge.py:21-")]')


def test_a_small_limit_goes_through_outline_and_head_and_ends(ask, make_project) -> None:
    text = "Intro\n=====\n\n" + "Some words of the introduction.\n" * 40 + "\nUsage\n=====\n\n" + "More words.\n" * 40
    project, arguments, seen = make_project({"notes.rst": text}), {"path": "notes.rst"}, []
    for _ in range(9):
        answer = ask(project, "summarize", max_tokens=100, **arguments).text
        call = parse_call(answer[answer.rindex("next: ") + 6 : -1], {"summarize": "path", "read_lines": "path"})
        seen.append(str(call))
        if call.tool == "read_lines":
            break
        arguments = {"path": "notes.rst", "after": call.arguments["after"]}
    assert len(seen) == len(set(seen)) < 5
    assert seen[-1].startswith('read_lines("notes.rst:')


def test_long_facts_under_a_small_limit_are_shortened_and_the_pages_end(ask, make_project) -> None:
    imports = "".join(f"import module_{n}_{'x' * 20}\n" for n in range(60))
    source = '"""' + "A long sentence about this module " * 20 + '."""\n' + imports + LONG
    project, after, seen = make_project({"m.py": source}), "", []
    while len(seen) < 60:
        answer = ask(project, "summarize", path="m.py", max_tokens=150, **({"after": after} if after else {})).text
        seen += re.findall(r"^ *\d+(?:-\d+)? (?:async |class )?([A-Za-z_][\w.]*)", answer, re.M)
        if "[cut: " not in answer:
            break
        after = answer.rsplit('after="', 1)[1].split('"')[0]
    assert seen[0] == "LEEWAY"
    assert seen[-1] == "handler_7"
    assert len(seen) == len(set(seen))
