"""The command line: every tool a command, the same text as over MCP, exit codes, and a start that costs nothing."""

import json
import os
import pty
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from codectx import __version__
from codectx.cli import main
from codectx.commands.arguments import tool_limits
from codectx.config import Config
from codectx.dispatch import answer_call
from codectx.project import Project
from codectx.tools import LISTED, TOOLS

ROOT = Path(__file__).parents[2]
START = "import sys; from codectx.cli import main; sys.exit(main())"
HEAVY = {"mcp", "lancedb", "pydantic", "numpy", "tiktoken", "tree_sitter", "regex", "asyncio", "platformdirs"}
HEAVY |= {"dataclasses", "inspect", "argparse", "logging", "json"}  # light, but not for a page of help
COMMANDS = [tool.name.replace("_", "-") for tool in TOOLS]
BY_NAME = {tool.name: tool for tool in TOOLS}
WAIT = 30  # seconds


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "codectx.toml").touch()
    (folder / "a.py").write_text(
        "def greet(name):\n    return f'你好 {name}'\n\n\nprint(greet('x'))\n", encoding="utf-8"
    )
    (folder / "-x.py").write_text("dash = -1\n", encoding="utf-8")
    (folder / "open.txt").write_bytes(b"no line break at the end")
    (folder / "long.py").write_text("".join(f"value_{n} = {n}\n" for n in range(3000)), encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return folder


def ran(root: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(root.parent)}
    variables |= options.pop("env", {})
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
    command = [sys.executable, "-P", "-c", START, *arguments]
    return subprocess.run(command, cwd=root, env=variables, timeout=WAIT, check=False, **options)


def said(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capfd.readouterr()
    return code, out, err


# --- the same answers as over MCP


@pytest.mark.parametrize(
    ("command", "name", "arguments"),
    [
        (["read-lines", "a.py", "--start", "1", "--end", "2"], "read_lines", {"path": "a.py", "start": 1, "end": 2}),
        (["read-file", "long.py"], "read_file", {"path": "long.py"}),
        (["read-file", "long.py", "--max-tokens", "200"], "read_file", {"path": "long.py", "max_tokens": 200}),
        (["summarize", "."], "summarize", {"path": "."}),
        (["summarize", "a.py"], "summarize", {"path": "a.py"}),
        (["grep", "GREET", "--ignore-case"], "grep", {"pattern": "GREET", "ignore_case": True}),
        (["grep", "--context=1", "greet"], "grep", {"pattern": "greet", "context": 1}),
        (["list-directory"], "list_directory", {}),
        (["find-symbol", "greet"], "find_symbol", {"name": "greet"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_command_gives_the_text_of_the_tool_byte_for_byte(
    root: Path, command: list[str], name: str, arguments: dict[str, Any], as_json: bool
) -> None:
    reply = answer_call(Project(root, Config()), BY_NAME[name], arguments, as_json=as_json)
    assert not reply.is_error
    ended = ran(root, *command, *(["--json"] if as_json else []))
    assert ended.stdout == reply.text.removesuffix("\n").encode("utf-8") + b"\n"
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_output_is_utf8_whatever_the_locale(root: Path, env: dict[str, str]) -> None:
    ended = ran(root, "read-lines", "a.py:2", env=env)
    assert "你好" in ended.stdout.decode("utf-8")
    assert ended.returncode == 0
    assert "没有".encode() in ran(root, "read-lines", "没有.py", env=env).stderr


def test_json_carries_the_facts_of_a_cut(root: Path) -> None:
    told = json.loads(ran(root, "read-file", "long.py", "--json", "--max-tokens", "300").stdout)
    assert told["truncated"] is True
    assert 0 < told["returned_tokens"] <= 300 < told["total_tokens"]
    assert told["next"]["tool"] == "read_lines"


# --- exit codes


def test_nothing_found_is_exit_code_1(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, "grep", "no_such_text_anywhere")
    assert (code, err) == (1, "")
    assert out


def test_what_cannot_be_done_is_one_line_on_stderr_and_exit_code_2(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capfd, "read-file", "missing.py")
    assert (code, out) == (2, "")
    assert err.startswith("error[not_found]: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "there is no command; `codectx --help` lists them"),
        (["gerp", "x"], "there is no command gerp; did you mean grep?"),
        (["--json", "grep", "x"], "--json comes before the command"),
        (["grep"], "grep needs pattern"),
        (["grep", "x", "--colour"], "unrecognized arguments: --colour; `codectx grep --help` shows the usage"),
        (["grep", "x", "--cont", "1"], "unrecognized arguments: --cont"),
        (["grep", "x", "-i"], "unrecognized arguments: -i; did you mean --ignore-case?"),
        (["grep", "x", "--ignorecase"], "unrecognized arguments: --ignorecase; did you mean --ignore-case?"),
        (["grep", "x", "-Z"], "unrecognized arguments: -Z; `codectx grep --help` shows the usage"),
        (["install"], "no TARGET; it is one of: git"),
        (["uninstall"], "no TARGET; it is one of: git"),
        (["grep", "x", ".", "*.py", "y"], "y is one argument too many"),
        (["grep", "x", "--context"], "argument --context: expected one argument"),
        (["grep", "x", "--context", "many"], "context is many; context takes a whole number"),
        (["grep", "x", "--pattern", "y"], "pattern is given twice"),
        (["grep", "x", "--max-tokens", "9"], "max_tokens takes a whole number from 100 to 7000"),
        (["grep", "x", "--set", "limits.gerp=5"], "did you mean limits.grep?"),
        (["grep", "x", "--root", "no-such-dir"], "no-such-dir"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_told_in_our_grammar(
    root: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, out, err = said(capfd, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("error[")
    assert err.count("\n") == 1


def test_values_may_begin_with_a_dash(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capfd, "grep", "--path=-x.py", "--", "-1")
    assert code == 0
    assert "dash = -1" in out
    assert said(capfd, "read-lines", "--path=-x.py")[1] == said(capfd, "read-lines", "--", "-x.py")[1]


def test_underscores_do_for_hyphens(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "read_lines", "a.py:1") == said(capfd, "read-lines", "a.py:1")


def test_root_may_be_elsewhere(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["read-lines", "a.py", "--root", "project"]) == 0


def test_setting_for_one_run(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    long = said(capfd, "read-file", "long.py")[1]
    short = said(capfd, "read-file", "long.py", "--set", "limits.read_file=1200")[1]
    assert len(short) < len(long)


def test_mistake_in_the_configuration_stops_every_command(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "codectx.toml").write_text("[limits]\ngerp = 2000\n", encoding="utf-8")
    code, out, err = said(capfd, "read-lines", "a.py")
    assert (code, out) == (2, "")
    assert err == (
        "error[invalid_argument]: codectx.toml: there is no setting limits.gerp; did you mean limits.grep?\n"
    )


# --- streams and signals


def test_reader_that_leaves_early_is_no_error(root: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = ran(root, "read-file", "long.py", "--max-tokens", "7000", stdout=writing)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_full_disk_is_an_error(root: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        ended = ran(root, "read-file", "long.py", stdout=full)
    assert ended.returncode == 2
    assert ended.stderr == b"error[unsupported]: stdout cannot be written: No space left on device\n"


def test_closed_stdout_is_no_error(root: Path) -> None:
    shell = f"exec {sys.executable} -P -c '{START}' read-lines a.py >&-"
    variables = {"PYTHONPATH": str(ROOT), "HOME": str(root.parent)}
    ended = subprocess.run(["sh", "-c", shell], cwd=root, env=variables, capture_output=True, timeout=WAIT, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_what_is_written_ends_in_a_line_break_whoever_reads_it(root: Path) -> None:
    plain = ran(root, "read-lines", "open.txt").stdout
    assert plain.endswith(b"no line break at the end\n")
    assert ran(root, "read-lines", "long.py", "1", "1").stdout == b"long.py:1 (3000 lines)\nvalue_0 = 0\n"
    assert ran(root, "read-file", "long.py", "--max-tokens", "100").stdout.endswith(b"]\n")  # a notice
    outer, inner = pty.openpty()
    ended = ran(root, "read-lines", "open.txt", stdout=inner)
    os.close(inner)
    shown = os.read(outer, 10_000)
    os.close(outer)
    assert ended.returncode == 0
    assert shown == plain.replace(b"\n", b"\r\n")


def test_interrupt_is_exit_code_130_without_a_word(root: Path) -> None:
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(root.parent)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-P", "-c", START, "serve"], cwd=root, env=variables, stdin=pipe, stdout=pipe, stderr=pipe
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        assert server.stdout.readline()
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=WAIT)
    assert (server.returncode, err) == (130, b"")


def test_log_goes_to_stderr_as_much_as_is_asked_for(root: Path) -> None:
    ended = ran(root, "read-lines", "a.py", env={"CODECTX_LOG": "debug"})
    assert b"DEBUG codectx.dispatch: read_lines: " in ended.stderr
    assert b"DEBUG" not in ended.stdout
    refused = ran(root, "read-lines", "a.py", env={"CODECTX_LOG": "loud"})
    assert refused.stderr == (
        b"error[invalid_argument]: CODECTX_LOG is loud; it takes one of debug, info, warning, error\n"
    )


# --- help, version, configuration


def test_version_is_that_of_the_package(capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "--version") == (0, f"codectx {__version__}\n", "")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert __version__ == declared


def test_help_names_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, "--help")
    assert (code, err) == (0, "")
    for command in [*COMMANDS, "serve", "config"]:
        assert f"  {command} " in out
    assert max(map(len, out.split("\n"))) <= 120
    assert said(capfd, "help") == said(capfd, "-h") == (0, out, "")


@pytest.mark.parametrize("command", [*COMMANDS, "serve", "config"])
def test_every_command_has_help(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capfd, command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: codectx {command}")
    assert said(capfd, "help", command) == (0, out, "")
    tool = BY_NAME.get(command.replace("-", "_"))
    for parameter in tool.parameters[1:] if tool else ():
        assert f"--{parameter.name.replace('_', '-')}" in out


def test_no_tool_takes_an_option_that_every_command_has() -> None:
    names = {parameter.name for tool in TOOLS for parameter in tool.own_parameters}
    assert not names & {"json", "root", "set", "help", "max_tokens", "first"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["help"]])
def test_help_and_version_load_nothing_heavy(root: Path, arguments: list[str]) -> None:
    code = f"import sys; from codectx.cli import main; main({arguments!r}); print('|', *sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code], env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=WAIT, check=True
    )
    loaded = {name.split(".")[0] for name in ended.stdout.decode().split("|")[-1].split()}
    assert "codectx" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", [["read-lines", "a.py:1"], ["list-directory"]])
def test_reading_a_few_lines_loads_neither_server_nor_parser(root: Path, command: list[str]) -> None:
    code = f"import sys; from codectx.cli import main; main({command!r}); print('|', *sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=root,
        env={"PYTHONPATH": str(ROOT), "HOME": str(root.parent), "PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=WAIT,
        check=True,
    )
    loaded = {name.split(".")[0] for name in ended.stdout.decode().split("|")[-1].split()}
    assert not loaded & {"mcp", "lancedb", "pydantic", "numpy", "tree_sitter", "asyncio"}


def test_config_shows_each_value_with_its_origin(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "codectx.toml").write_text("[limits]\nread_file = 2500\n", encoding="utf-8")
    monkeypatch.setenv("CODECTX_SECRETS_ALLOW", "fixtures/*.pem")
    code, out, err = said(capfd, "config", "--set", "grep.seconds=5")
    lines = out.split("\n")
    assert (code, err) == (0, "")
    assert "limits.read_file = 2500  (codectx.toml)" in lines
    assert 'secrets.allow = ["fixtures/*.pem"]  (CODECTX_SECRETS_ALLOW)' in lines
    assert "grep.seconds = 5.0  (--set)" in lines
    for name, limit in tool_limits().items():
        assert name == "read_file" or f"limits.{name} = {limit}  (default)" in lines
    assert f"# user file: {root.parent / 'config' / 'codectx' / 'config.toml'}" in lines


def test_config_as_json(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = json.loads(said(capfd, "config", "--json")[1])
    grep = next(row for row in told["settings"] if row["key"] == "limits.grep")
    assert (grep["value"], grep["origin"], grep["env"]) == (3000, "default", "CODECTX_LIMIT_GREP")
    assert grep["help"]


def test_list_of_tools_says_what_they_declare() -> None:
    assert list(LISTED) == [tool.name for tool in TOOLS]
    for tool in TOOLS:
        listed = LISTED[tool.name]
        assert tool.description.startswith(listed.question)
        assert tool.limit == listed.limit


def test_no_tool_file_is_missing_from_the_list() -> None:
    files = {path.stem for path in (ROOT / "codectx" / "tools").glob("*.py")} - {"__init__"}
    assert files == set(BY_NAME)
    assert len(TOOLS) == len(files)


def test_tools_stand_in_the_order_for_agents() -> None:
    order = [
        "summarize",
        "semantic_search",
        "read_lines",
        "grep",
        "find_symbol",
        "read_file",
        "list_directory",
        "git_diff",
        "status",
    ]
    assert [tool.name for tool in TOOLS] == order


def test_the_first_few_arguments_may_be_given_by_their_place(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "a.py").write_text("x = 1\ny = 2\nz = 3\n", encoding="utf-8")
    assert main(["read-lines", "a.py", "2", "3", "--root", str(root)]) == 0
    by_place = capfd.readouterr().out
    assert main(["read-lines", "--path", "a.py", "--start", "2", "--end", "3", "--root", str(root)]) == 0
    assert by_place == capfd.readouterr().out == "a.py:2-3 (3 lines)\ny = 2\nz = 3\n"
