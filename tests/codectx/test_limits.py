"""What a limit on answers must do, each flaw that such limits are known for by its number and its cure."""

import json
import re
import subprocess
import time

import pytest

from codectx.call import parse_call
from codectx.config import load
from codectx.dispatch import answer_call
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tools import TOOLS
from indexer.markdown import fences

COUNTER = Counter()
FIRST = {tool.name: tool.parameters[0].name for tool in TOOLS}
LIMITS = {tool.name: tool.limit for tool in TOOLS}
CODE = "import os\n\n\n" + "".join(f"def part_{n}(a):\n    b = a + {n}\n    return b * 2\n\n\n" for n in range(400))


def content(text: str) -> str:
    """Give what stands between header and notices."""
    return re.sub(r"(?:\[[a-z ]+: .*\]\n?)+$", "", text.split("\n", 1)[1])


def test_x20_the_answer_is_text_and_a_prefix_of_the_file(ask) -> None:
    assert CODE.startswith(content(ask({"a.py": CODE}, "read_file", path="a.py").text))


def test_x21_no_character_is_torn(ask) -> None:
    text = "刷新令牌🔬👩‍🔬é " * 3000
    for limit in (150, 151, 152, 153, 154, 155):
        got = ask({"a.txt": text}, "read_file", path="a.txt", max_tokens=limit).text.split("\n")[1]
        assert text.startswith(got)
        assert "\ufffd" not in got
        assert text[len(got)] not in "\u200d\u0301"


def test_x22_the_place_of_the_cut_is_the_one_that_the_file_offers(ask) -> None:
    markdown = "# One\n\n" + "words of one\n" * 50 + "\n# Two\n\n" + "words of two\n" * 400
    got = content(ask({"a.md": markdown}, "read_file", path="a.md", max_tokens=330).text)
    assert got.endswith("words of one\n\n")


def test_x23_a_block_at_position_zero_longer_than_the_limit_is_not_an_empty_answer(ask) -> None:
    text = "```js\n" + "".join(f"line({n});\n" for n in range(900)) + "```\n"
    got = content(ask({"a.md": text}, "read_file", path="a.md").text)
    assert COUNTER.count(got) >= 1000


@pytest.mark.parametrize(
    ("opening", "inner"), [("```", "x"), ("~~~~", "~~~"), ("````md", "```\ninside\n```"), ("   ~~~ yaml", "```")]
)
def test_x24_fences_follow_commonmark(ask, opening: str, inner: str) -> None:
    marker = re.match(r" *(`+|~+)", opening)[1]
    text = f"intro\n\n{opening}\n{inner}\n" + "value: 1\n" * 600 + f"{marker}\n\nend\n"
    answer = ask({"a.md": text}, "read_file", path="a.md", max_tokens=400).text
    assert re.search(rf"\n {{0,3}}{re.escape(marker)} \[added\]\n\[cut: ", answer)


def test_x25_finding_fences_takes_linear_time() -> None:
    text = "```\na\n```\n\n> ~~~\n> b\n> ~~~\n- c\n" * 20_000
    spent = []
    for part in (text[: len(text) // 4], text):
        started = time.process_time()
        fences(part)
        spent.append(time.process_time() - started)
    assert spent[1] < spent[0] * 12  # four times the text; quadratic time would be sixteen times


def test_x26_code_is_cut_after_a_whole_symbol(ask) -> None:
    assert content(ask({"a.py": CODE}, "read_file", path="a.py").text).rstrip().endswith("return b * 2")


@pytest.mark.parametrize("limit", [100, 137, 250, 999, 7000])
def test_x27_header_and_notices_are_counted_inside_the_limit(ask, make_project, limit: int) -> None:
    project = make_project({"a.py": CODE, "b.md": "word " * 9000, "src/c.txt": "x\n" * 9000})
    for name, arguments in (
        ("read_file", {"path": "a.py"}),
        ("read_file", {"path": "b.md"}),
        ("read_lines", {"path": "src/c.txt"}),
        ("summarize", {"path": "a.py"}),
        ("grep", {"pattern": "return"}),
        ("find_symbol", {"name": "b"}),
    ):
        for as_json in (False, True):
            reply = ask(project, name, as_json=as_json, max_tokens=limit, **arguments)
            assert COUNTER.count(reply.text) <= limit, (name, as_json)


def test_x28_the_tokens_returned_are_those_of_the_answer(ask) -> None:
    text = ask({"a.py": CODE}, "read_file", path="a.py", as_json=True, max_tokens=700).text
    assert json.loads(text)["returned_tokens"] == COUNTER.count(text)


def test_x29_a_cut_list_stays_valid_json_and_says_what_is_missing(ask) -> None:
    data = json.loads(ask({"a.py": CODE}, "grep", pattern="return", as_json=True, max_tokens=600).text)
    assert data["truncated"]
    assert data["total_matches"] == 400 > len(data["matches"])
    assert all({"path", "line", "text"} <= set(match) for match in data["matches"])


def test_x30_every_tool_names_its_own_next_call(ask, make_project) -> None:
    files = {"a.py": CODE, **{f"many/f{n:03d}.txt": "x = 1\n" for n in range(300)}}
    project = make_project(files)
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "1"]):
        subprocess.run([*git, *command], cwd=project.root, check=True)
    for n in range(300):
        (project.root / f"many/f{n:03d}.txt").write_text("x = 2\ny = 3\n", encoding="utf-8")
    for name, arguments, follows in (
        ("read_file", {"path": "a.py"}, "read_lines"),
        ("read_lines", {"path": "a.py"}, "read_lines"),
        ("summarize", {"path": "a.py"}, "summarize"),
        ("summarize", {"path": "many"}, "summarize"),
        ("grep", {"pattern": "x"}, "grep"),
        ("find_symbol", {"name": "b"}, "find_symbol"),
        ("list_directory", {"path": "many"}, "list_directory"),
        ("git_diff", {}, "git_diff"),
    ):
        text = ask(project, name, max_tokens=400, **arguments).text
        call = parse_call(text[text.rindex("next: ") + 6 : -1], FIRST)
        assert call.tool == follows, name
        following = ask(project, call.tool, **call.arguments)
        assert not following.is_error, following.text
        assert following.text != text


def test_x31_the_next_calls_name_ranges_that_fit_and_make_the_file_again(ask, make_project) -> None:
    project, got = make_project({"a.py": CODE}), ""
    call = parse_call('read_file("a.py")', FIRST)
    for _ in range(20):
        text = ask(project, call.tool, **call.arguments).text
        got += content(text)
        if "[cut: " not in text:
            break
        call = parse_call(text[text.rindex("next: ") + 6 : -1], FIRST)
    assert got == CODE


def test_x33_text_that_looks_like_a_special_token_is_text(ask) -> None:
    text = "<|endoftext|><|endofprompt|>\n" * 900
    assert text.startswith(content(ask({"a.txt": text}, "read_file", path="a.txt").text))


def test_x34_an_error_is_one_short_line_and_never_cut_below_its_message(ask, make_project) -> None:
    project = make_project({"a.py": CODE})
    for name, arguments in (
        ("read_file", {"path": "x" * 3000}),
        ("grep", {"pattern": "(" * 900}),
        ("summarize", {"path": "none/" * 200}),
        ("read_lines", {"path": "a.py", "start": 10**30}),
        ("git_diff", {"ref": "y" * 5000}),
    ):
        reply = ask(project, name, max_tokens=100, **arguments)
        assert reply.is_error
        assert re.match(r"error\[\w+\]: \S", reply.text)
        assert "\n" not in reply.text.split("\n[cut: ")[0]
        assert COUNTER.count(reply.text) <= 100


def test_x36_the_limit_can_be_set_for_one_call_and_by_configuration_up_to_a_hard_maximum(make_project) -> None:
    root = make_project({"a.py": CODE * 9}).root
    read = next(tool for tool in TOOLS if tool.name == "read_file")

    def tokens(environment: dict[str, str], **arguments: object) -> int:
        reply = answer_call(Project(root, load(root, LIMITS, environment)), read, {"path": "a.py", **arguments})
        return COUNTER.count(reply.text) if not reply.is_error else -1

    assert 1000 < tokens({}) <= 2000
    assert 250 < tokens({}, max_tokens=500) <= 500
    assert 1500 < tokens({"CODECTX_LIMIT_READ_FILE": "3000"}) <= 3000
    assert 3500 < tokens({}, max_tokens=7000) <= 7000
    assert tokens({}, max_tokens=7001) == -1
    (root / "codectx.toml").write_text("[limits]\nread_file = 1300\n", encoding="utf-8")
    assert 650 < tokens({}) <= 1300


@pytest.mark.parametrize(
    "path",
    ["../outside/secret.txt", "/etc/hostname", "a/../../outside/none.txt", "../case-private/x", "link/secret.txt"],
)
@pytest.mark.parametrize(
    "name", ["read_file", "read_lines", "summarize", "list_directory", "grep", "git_diff", "find_symbol"]
)
def test_x60_nothing_outside_the_root_is_read_listed_or_confirmed(ask, make_project, tmp_path, path, name) -> None:
    for folder in ("outside", "case-private"):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "outside" / "secret.txt").write_text("top secret 4711\n", encoding="utf-8")
    project = make_project({"a.py": CODE})
    if not (project.root / "link").is_symlink():
        (project.root / "link").symlink_to("../outside")
    more = {"grep": {"pattern": "secret"}, "find_symbol": {"name": "secret"}}.get(name, {})
    reply = ask(project, name, path=path, **more)
    assert reply.text == f"error[outside_root]: {path} is outside the project; give a path inside the project's root"


@pytest.mark.parametrize("path", [".env", "config/.env.local", "deploy/id_rsa", "certs/server.pem"])
def test_x61_secret_files_are_not_shown_without_being_allowed(ask, make_project, path: str) -> None:
    project = make_project({path: "API_TOKEN=sk-example-4711\n", "codectx.toml": ""})
    assert "4711" not in ask(project, "read_file", path=path).text
    assert ask(project, "read_file", path=path).is_error
    told = ask(project, "grep", pattern="4711").text
    assert "sk-example" not in told
    assert "secret" in told
    (project.root / "codectx.toml").write_text(f'[secrets]\nallow = ["{path}"]\n', encoding="utf-8")
    allowed = Project(project.root, load(project.root, LIMITS, {}))
    read = next(tool for tool in TOOLS if tool.name == "read_file")
    assert not answer_call(allowed, read, {"path": path}).is_error


def test_x62_a_pattern_cannot_hang_the_server_nor_become_an_option(ask, make_project) -> None:
    project = make_project({"a.txt": "a" * 40 + "!\nok line\n"})
    started = time.monotonic()
    slow = ask(project, "grep", pattern="(a+)+$")
    assert time.monotonic() - started < 20
    assert not slow.is_error or slow.text.startswith("error[timeout]")
    for pattern in ("--pre=touch pwned", "-f/etc/passwd", "--help", "-e"):
        assert not ask(project, "grep", pattern=pattern).is_error
    assert not (project.root / "pwned").exists()
    assert "2: ok line" in ask(project, "grep", pattern="ok").text
