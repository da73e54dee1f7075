"""read_lines and read_file: exact ranges, honest cuts, pages that make the file again."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codectx.call import parse_call
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tools import TOOLS

COUNTER = Counter()
FIRST = {tool.name: tool.parameters[0].name for tool in TOOLS}
CUT = re.compile(r"\[cut: .* shown\. next: (.*)\]$")
FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,}).* \[added\]")

PYTHON = "import os\n\n\n" + "".join(f"def part_{n}(a):\n    b = a + {n}\n    return b * 2\n\n\n" for n in range(120))
NESTED = (
    "Read:\n\n````markdown\n```sh\n" + "".join(f"echo {n}\n" for n in range(200)) + "```\ninside\n````\n\ntail\n" * 3
)
TILDE = "Plan\n\n~~~yaml\n" + "".join(f"key_{n}: value\n" for n in range(200)) + "~~~\n\nend\n"
UNCLOSED = "# A\n\n```js\n" + "".join(f"line({n});\n" for n in range(300))
LISTED = "1. first\n\n   ```py\n" + "".join(f"   x = {n}\n" for n in range(200)) + "   ```\n\n2. second\n"
DIFF = "".join(f"@@ -{n},3 +{n},3 @@\n context {n}\n-old {n}\n+new {n}\n" for n in range(1, 200))
CHINESE = "".join(f"第{n}行：处理登录令牌的刷新，失败时重试。\n" for n in range(200))
EMOJI = "🔬🎯✅🚀👩‍🔬 é" * 900 + "\n"
CRLF = "".join(f"line {n}\r\n" for n in range(400)) + "last\rone"
FILES = {
    "a.py": PYTHON,
    "nested.md": NESTED,
    "tilde.md": TILDE,
    "unclosed.md": UNCLOSED,
    "listed.md": LISTED,
    "a.diff": DIFF,
    "a.json": json.dumps([{"id": n, "name": "x" * n} for n in range(150)], indent=1),
    "chinese.md": CHINESE,
    "emoji.txt": EMOJI,
    "crlf.txt": CRLF,
    "special.txt": "<|endoftext|> and more\f\x0b\u2028 text\n" * 300,
    "blank.txt": "\n" * 3000 + " " * 9000,
}


def rebuild(ask, project: Project, path: str, limit: int, tool: str = "read_file") -> tuple[str, int, list[str]]:
    """Follow the next calls to the end; give the text, the number of calls and the answers."""
    name, arguments, pages, answers = tool, {"path": path, "max_tokens": limit}, [], []
    while True:
        reply = ask(project, name, **arguments)
        assert not reply.is_error, reply.text
        assert COUNTER.count(reply.text) <= limit
        answers.append(reply.text)
        head, _, body = reply.text.partition("\n")
        cut = CUT.search(body)
        lines = (body[: cut.start()] if cut else body).split("\n")
        torn = cut is not None and "@" in cut[1]
        end = lines.pop() if cut else None
        while lines and re.fullmatch(r"\[(left out|masked|invisible): .*\]", lines[-1]):
            del lines[-1]
            end = None if torn or (cut is None and "no final newline" in head) else ""
        if FENCE.fullmatch(lines[-1] if lines else ""):
            del lines[-1]
        if lines and FENCE.fullmatch(lines[0]):
            del lines[0]
        text = "\n".join(lines if end is None or torn else [*lines, end])
        pages.append(text)
        if cut is None:
            return "".join(pages), len(answers), answers
        call = parse_call(cut[1], FIRST)
        assert call.arguments["max_tokens"] == limit
        name, arguments = call.tool, dict(call.arguments)


@pytest.mark.parametrize("path", sorted(FILES))
@pytest.mark.parametrize("limit", [150, 333, 1500])
def test_following_the_next_calls_makes_the_file_again(ask, make_project, path: str, limit: int) -> None:
    text, calls, _ = rebuild(ask, make_project(FILES), path, limit)
    assert text == FILES[path]
    assert calls <= 2 * -(-COUNTER.count(FILES[path]) // limit) + 1


WORDS = [
    "def f(x):",
    "    return x",
    "",
    "class A:",
    "中文注释。",
    "```",
    "~~~~",
    "```js",
    "> ```",
    "- item",
    "# Title",
    "word " * 90,
]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(WORDS), max_size=120),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["a.py", "a.md", "a.txt"]),
    st.integers(120, 500),
)
def test_any_text_is_made_again(ask, make_project, words, end: str, closed: bool, path: str, limit: int) -> None:
    text = end.join(words) + (end if closed else "")
    assert rebuild(ask, make_project({path: text}), path, limit)[0] == text


def test_a_two_megabyte_line_is_addressed_inside(ask, make_project) -> None:
    project = make_project({"a.js": "var a1=function(b){return b+1};" * 65_000})
    first = ask(project, "read_file", path="a.js").text
    next_call = CUT.search(first)
    assert next_call is not None
    assert re.fullmatch(r'read_lines\("a\.js:1@\d+-"\)', next_call[1])
    second = ask(project, "read_lines", path=parse_call(next_call[1], FIRST).arguments["path"]).text
    assert second.startswith("a.js:1@")
    assert COUNTER.count(second) <= 1500


def test_code_is_cut_after_a_whole_function_and_the_rest_is_named(ask) -> None:
    text = ask({"a.py": PYTHON}, "read_file", path="a.py", max_tokens=600).text
    content, _, notices = text.partition("\n[left out: ")
    assert content.rstrip().endswith("return b * 2")
    last = content.rstrip().count("return b * 2")
    assert notices.startswith(f"part_{last} ")
    assert "more]" in notices


@pytest.mark.parametrize("path", ["nested.md", "tilde.md", "unclosed.md", "listed.md"])
def test_a_fence_is_closed_and_reopened_at_every_cut(ask, make_project, path: str) -> None:
    _, _, answers = rebuild(ask, make_project(FILES), path, 200)
    assert len(answers) > 3
    inside = [answer for answer in answers if "[added]" in answer]
    assert len(inside) >= 2
    assert any(re.search(r"\n *(````|~~~|```) \[added\]\n", answer) for answer in inside)
    assert any(re.match(r"[^\n]*\n *(````markdown|~~~yaml|```js|```py) \[added\]\n", answer) for answer in inside)


def test_a_definition_is_headed_by_little(ask, make_project) -> None:
    long = "@cache\ndef long(a):\n" + "    a = work(a)\n" * 40
    project = make_project({"src/deep/a.py": f"{PYTHON}{long}", "end.py": "x = 1\ndef last(): return 1"})
    by_name = ask(project, "read_lines", path="src/deep/a.py#long").text
    assert by_name == f"src/deep/a.py:604-645\n{long}"
    assert COUNTER.count(by_name) <= 1.1 * COUNTER.count(long)
    assert ask(project, "read_lines", path="src/deep/a.py#part_1").text.startswith("lines 9-11\ndef part_1(a):\n")
    assert ask(project, "read_lines", path="end.py#last").text == "line 2 (no final newline)\ndef last(): return 1"


def test_a_definition_that_is_cut_goes_on_by_its_address(ask, make_project) -> None:
    source = "def f():\n" + "".join(f"    call_{n}(a, b)\n" for n in range(400))
    text = ask(make_project({"a.py": source}), "read_lines", path="a.py#f", max_tokens=300).text
    cut = CUT.search(text)
    assert cut is not None
    last = int(re.match(r"a\.py:1-(\d+)\n", text)[1])
    assert cut[1] == f'read_lines("a.py", start={last + 1}, end=401, max_tokens=300)'


def test_lines_by_range_by_address_and_by_name_are_the_same(ask, make_project) -> None:
    project = make_project({"a.py": PYTHON})
    expected = "a.py:9-11 (603 lines)\ndef part_1(a):\n    b = a + 1\n    return b * 2\n"
    assert ask(project, "read_lines", path="a.py", start=9, end=11).text == expected
    assert ask(project, "read_lines", path="a.py:9-11").text == expected
    assert ask(project, "read_lines", path="a.py#part_1").text == expected.replace(
        "a.py:9-11 (603 lines)", "lines 9-11"
    )


def test_the_last_line_without_a_break_is_told(ask) -> None:
    reply = ask({"t.py": "a = 1\nb = 2\ndef last(): return a"}, "read_lines", path="t.py", start=3)
    assert reply.text == "t.py:3 (3 lines, no final newline)\ndef last(): return a"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"start": 10, "end": 20}, "error[invalid_range]: t.txt has 3 lines"),
        ({"start": 0, "end": 1}, "error[invalid_argument]: start is 0"),
        ({"start": -1}, "error[invalid_argument]: start is -1"),
        ({"start": 3, "end": 1}, "error[invalid_argument]: the range 3-1 is reversed"),
        ({"start": 1.5}, "error[invalid_argument]: start is 1.5"),
        ({"path": "t.txt:2-1"}, "error[invalid_argument]: the range 2-1 is reversed"),
        ({"path": "t.txt:1", "start": 2}, "error[invalid_argument]: t.txt:1 and start or end name lines twice"),
        ({"path": "t.txt:1@99"}, "error[invalid_range]: line 1 of t.txt ends before character 99"),
        ({"path": "t.txt#nothing"}, "error[not_found]: t.txt defines no nothing"),
        ({"path": "none.txt"}, "error[not_found]"),
    ],
)
def test_ranges_that_cannot_be_are_one_line_with_a_remedy(ask, arguments: dict, error: str) -> None:
    reply = ask({"t.txt": "a\nb\nc\n"}, "read_lines", **{"path": "t.txt", **arguments})
    assert reply.is_error
    assert reply.text.startswith(error)
    assert "\n" not in reply.text
    assert "; " in reply.text


def test_a_range_past_the_end_is_shown_up_to_the_end(ask) -> None:
    assert (
        ask({"t.txt": "a\nb\nc\n"}, "read_lines", path="t.txt", start=2, end=99).text == "t.txt:2-3 (3 lines)\nb\nc\n"
    )


def test_an_empty_file_is_an_answer_and_its_lines_are_not(ask, make_project) -> None:
    project = make_project({"e.py": ""})
    assert ask(project, "read_file", path="e.py").text == "e.py (0 lines)\n"
    assert ask(project, "read_lines", path="e.py", start=1).text.startswith("error[invalid_range]: e.py is empty")


def test_likely_secrets_are_masked_with_their_lines_on_every_page(ask, make_project) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "".join(f"MIIEpAIBAAKCAQEA{n:048d}\n" for n in range(120))
    project = make_project({"a.py": f"KEY = '''{key}-----END RSA PRIVATE KEY-----'''\nx = 1\n"})
    text, _, answers = rebuild(ask, project, "a.py", 300)
    assert "MIIEpAIBAAKCAQEA" not in text
    assert text.count("\n") == 123
    assert all("[masked: likely secrets on line" in answer for answer in answers[:-1])


def test_invisible_characters_are_told_and_the_text_stays_as_it_is(ask) -> None:
    reply = ask({"a.py": "x = 1\nif a:  # \u202e } \u2066 check\n"}, "read_file", path="a.py")
    assert "# \u202e } \u2066 check\n" in reply.text
    assert reply.text.endswith("[invisible: U+202E on line 2, U+2066 on line 2]")


def test_json_of_a_cut_file_is_valid_and_continues(ask) -> None:
    reply = ask({"a.py": PYTHON}, "read_file", path="a.py", max_tokens=500, as_json=True)
    data = json.loads(reply.text)
    assert COUNTER.count(reply.text) <= 500
    assert PYTHON.startswith(data["content"])
    assert data["truncated"]
    assert data["returned_tokens"] < data["total_tokens"]
    assert data["next"]["args"]["start"] == data["end"] + 1 == data["content"].count("\n") + 1
    assert data["total_lines"] == 603


def test_every_encoding_is_read_as_text(ask, make_project) -> None:
    project = make_project(
        {
            "gbk.py": "# -*- coding: gbk -*-\n名字 = '中文'\n".encode("gbk"),
            "utf16.cs": "\ufeffclass Räder {}\r\n".encode("utf-16-le"),
            "bom.py": b"\xef\xbb\xbfx = 1\n",
        }
    )
    assert ask(project, "read_file", path="gbk.py").text.endswith("名字 = '中文'\n")
    assert "gb" in ask(project, "read_file", path="gbk.py").text.split("\n")[0]
    assert ask(project, "read_file", path="utf16.cs").text == "utf16.cs:1 (1 line, utf-16-le)\nclass Räder {}\r\n"
    assert ask(project, "read_file", path="bom.py").text == "bom.py:1 (1 line)\nx = 1\n"


def test_the_least_limit_still_gives_content_and_goes_on(ask, make_project, tmp_path: Path) -> None:
    text, calls, _ = rebuild(ask, make_project({"a.py": PYTHON}), "a.py", 100)
    assert text == PYTHON
    assert calls < 100


@pytest.mark.parametrize("limit", [150, 1500])
def test_a_fence_with_a_long_opening_line_is_read_to_the_end(ask, make_project, limit: int) -> None:
    text = "intro\n\n```" + " ".join(f"opt{n}=v{n * 37}" for n in range(330)) + "\n" + "code line\n" * 900 + "```\n"
    assert rebuild(ask, make_project({"m.md": text}), "m.md", limit)[0] == text


@pytest.mark.parametrize("offset", [20, 60, 1100, 1500, 3000])
def test_a_key_on_one_line_is_masked_from_every_offset_in_it(ask, make_project, offset: int) -> None:
    lines = "\\n".join(f"MIIEpAIBAAKCAQEA{n:03d}Zq8vT2xR7wLpN4mK9sDfGh3JbYcU6eXoViAtQ5"[:64] for n in range(55))
    key = f"-----BEGIN PRIVATE KEY-----\\n{lines}\\n-----END PRIVATE KEY-----\\n"
    project = make_project({"c.json": f'{{"private_key": "{key}", "z": "{"pad " * 500}"}}\n'})
    reply = ask(project, "read_lines", path=f"c.json:1@{offset}")
    assert not reply.is_error
    assert "Zq8vT2xR7wLp" not in reply.text
    assert "[masked: likely secrets on line 1]" in reply.text
    assert "pad pad" in reply.text


@pytest.mark.parametrize("path", ["a.py:{}", "a.py:1@{}", "a.py:1-{}"])
def test_lines_beyond_any_number_are_refused_in_few_words(ask, path: str) -> None:
    reply = ask({"a.py": "x = 1\n"}, "read_lines", path=path.format("9" * 5000))
    assert reply.is_error
    assert "unexpectedly" not in reply.text
    assert len(reply.text) < 700
