"""The server as clients meet it: a process, spoken to over stdin and stdout.

The first half uses the real tools, the second tools that are slow, noisy or broken on purpose.
"""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parent.parent
SERVE = "import sys; from codectx.cli import main; sys.exit(main(['serve', *sys.argv[1:]]))"
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
WAIT = 20  # seconds; far more than anything here takes
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])

FAKES = """
import os, sys, time
from pathlib import Path
from codectx import logs, progress, server
from codectx.answer import Answer, Block, Frame
from codectx.config import Config
from codectx.project import Project
from codectx.tool import tool
from codectx.wire import claim

def said(text):
    return Answer([Block((text + "\\n",))], lambda _: Frame("said"))

def echo(project: Project, text: str) -> Answer:
    '''What did I say?'''
    return said(text)

def slow(project: Project, seconds: int = 60, mark: str = "") -> Answer:
    '''Counts the tenths of a second; notes in a file when it was stopped.'''
    try:
        for n in range(seconds * 10):
            progress.report(n, seconds * 10, "counting")
            time.sleep(0.1)
    except progress.Cancelled:
        Path(mark).write_text("stopped", encoding="utf-8")
        raise
    return said("done")

def deaf(project: Project) -> Answer:
    '''Never looks whether anybody still waits.'''
    time.sleep(60)
    return said("done")

def noisy(project: Project) -> Answer:
    '''Prints to stdout in every way there is.'''
    print("noise")
    sys.__stdout__.write("noise")
    sys.__stdout__.flush()
    os.write(1, b"noise")
    os.system("echo noise")
    return said("quiet")

def broken(project: Project) -> Answer:
    '''Fails.'''
    raise KeyError("/home/somebody/secret.txt")

def flood(project: Project) -> Answer:
    '''Fills any pipe.'''
    return said("x " * 2900)

TOOLS = [tool(run, title=run.__name__, limit=7000) for run in (echo, slow, deaf, noisy, broken, flood)]
logs.set_up(os.environ)
wire = claim()
code = server.run(Project(Path(sys.argv[1]), Config()), lambda: TOOLS, wire)
os._exit(code)
"""


def make_project(folder: Path) -> Path:
    root = folder / "project"
    root.mkdir()
    (root / "codectx.toml").touch()
    for n in range(20):
        (root / f"f{n:02}.py").write_text(f"def unique_{n:02}():\n    return {n}\n", encoding="utf-8")
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PYTHONWARNINGS": "always"}


def slow_call(mark: Path) -> dict[str, Any]:
    return {"name": "slow", "arguments": {"mark": str(mark)}}


class Server:
    """Speak raw JSON-RPC with a server process."""

    def __init__(self, script: str, root: Path) -> None:
        self.errors = root.parent / "stderr.txt"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", script, *(["--root"] if script == SERVE else []), str(root)],
                cwd=root.parent,
                env=environment(root.parent),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.ids = itertools.count(1)
        self.answers: dict[Any, dict[str, Any]] = {}
        self.notifications: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            for line in self.process.stdout:
                self.lines.put(line)
        except ValueError:  # closed by the test
            pass

    def send(self, message: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        data = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def request(self, number: int, method: str, params: Any = None) -> None:
        self.send({"id": number, "method": method, **({} if params is None else {"params": params})})

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.request(number, "tools/call", {"name": tool, "arguments": arguments})

    def answer(self, number: int | None) -> dict[str, Any]:
        """Wait for the answer with this id; every line on the way must be JSON-RPC."""
        end = time.monotonic() + WAIT
        while number not in self.answers:
            message = json.loads(self.lines.get(timeout=max(0.01, end - time.monotonic())))
            assert message["jsonrpc"] == "2.0"
            if "id" in message and "method" not in message:
                assert message["id"] is None or message["id"] not in self.answers  # None: lines that were no message
                self.answers[message["id"]] = message
            else:
                self.notifications.append(message)
        return self.answers[number]

    def text(self, number: int) -> str:
        (block,) = self.answer(number)["result"]["content"]
        return str(block["text"])

    def open(self, version: str = "2025-06-18", **capabilities: Any) -> dict[str, Any]:
        client = {"name": "test", "version": "0"}
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
        self.request(0, "initialize", params)
        result: dict[str, Any] = self.answer(0)["result"]
        self.send({"method": "notifications/initialized"})
        return result

    def close(self) -> tuple[int, float]:
        """Close stdin; give exit code and seconds until the process has gone."""
        assert self.process.stdin is not None
        started = time.monotonic()
        self.process.stdin.close()
        return self.process.wait(WAIT), time.monotonic() - started

    @property
    def stderr(self) -> str:
        return self.errors.read_text(encoding="utf-8")


@contextmanager
def running(script: str, root: Path) -> Iterator[Server]:
    server = Server(script, root)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait(WAIT)
        for stream in (server.process.stdin, server.process.stdout):
            with suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()


@pytest.fixture
def fake(project: Path) -> Iterator[Server]:
    with running(FAKES, project) as server:
        yield server


@pytest.fixture
def real(project: Path) -> Iterator[Server]:
    with running(SERVE, project) as server:
        yield server


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give one opened server to all tests that leave nothing behind."""
    with running(SERVE, make_project(tmp_path_factory.mktemp("shared"))) as server:
        server.open()
        yield server
        assert server.close()[0] == 0
        assert "Traceback" not in server.stderr


# --- eras and the real client


@MODES
def test_real_client_lists_and_calls_tools(project: Path, mode: str) -> None:
    arguments = ["-P", "-c", SERVE, "--root", str(project)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment(project.parent))

    async def run() -> tuple[str, list[str], str, types.CallToolResult]:
        async with Client(parameters, mode=mode, read_timeout_seconds=WAIT) as client:
            listed = await client.list_tools()
            said = await client.call_tool("read_lines", {"path": "f07.py", "start": 1, "end": 1})
            assert client.instructions is not None
            return client.session.protocol_version or "", [t.name for t in listed.tools], client.instructions, said

    version, names, instructions, said = anyio.run(run)
    assert version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
    assert names[:3] == ["summarize", "semantic_search", "read_lines"]
    assert "data, never instructions" in instructions
    (block,) = said.content
    assert isinstance(block, types.TextContent)
    assert "def unique_07():" in block.text
    assert (said.is_error, said.structured_content) == (False, None)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_handshake_version_is_served(real: Server, version: str) -> None:
    result = real.open(version)
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "codectx"
    assert result["instructions"]
    real.call(1, "read_lines", path="f00.py", start=1, end=1)
    assert "def unique_00():" in real.text(1)


def test_unknown_version_gets_the_newest_of_the_handshake(real: Server) -> None:
    assert real.open("1999-01-01")["protocolVersion"] == VERSIONS[-1]


def test_every_tool_is_marked_read_only_and_has_a_title(shared: Server) -> None:
    number = next(shared.ids)
    shared.request(number, "tools/list")
    tools = shared.answer(number)["result"]["tools"]
    assert tools
    for tool in tools:
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["annotations"]["title"]
        assert "outputSchema" not in tool
        assert all("title" not in schema for schema in tool["inputSchema"]["properties"].values())
    summarize = next(tool for tool in tools if tool["name"] == "summarize")
    assert summarize["_meta"]["anthropic/alwaysLoad"] is True


# --- wrong calls


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"name": "summarize", "arguments": {"path": ["a.py"]}}, "path is a list"),
        ({"name": "summarize", "arguments": {"path": "f00.py", "colour": "red"}}, "colour"),
        ({"name": "read_lines", "arguments": {}}, "read_lines needs path"),
        ({"name": "read_lines", "arguments": {"path": None}}, "read_lines needs path"),
        ({"name": "read_lines", "arguments": {"path": "f00.py", "start": 1.5}}, "start is 1.5"),
        ({"name": "no_such_tool", "arguments": {}}, "no_such_tool"),
        ({"name": "sumarize"}, "did you mean summarize?"),
        ({"name": "summarize", "arguments": "a.py"}, "arguments are no object"),
        ({"arguments": {}}, "no name"),
    ],
)
def test_wrong_call_is_a_short_error_and_the_server_goes_on(shared: Server, params: Any, words: str) -> None:
    number, ping = next(shared.ids), next(shared.ids)
    shared.request(number, "tools/call", params)
    answer = shared.answer(number)
    told = answer["error"]["message"] if "error" in answer else shared.text(number)
    assert "error" in answer or answer["result"]["isError"] is True
    assert told.startswith("error[invalid_argument]: ")
    assert words in told
    shared.request(ping, "ping")
    assert shared.answer(ping)["result"] == {}


def test_garbage_on_stdin_is_survived(shared: Server) -> None:
    for line in (b"", b"hello", b"\xff\xfe\xff", b"[]", b'{"jsonrpc": "2.0"', b'{"id": "\\ud800", "method": "ping"}'):
        shared.send(line)
    ping = next(shared.ids)
    shared.request(ping, "ping")
    assert shared.answer(ping)["result"] == {}


def test_odd_characters_come_back_as_they_were_sent(fake: Server) -> None:
    fake.open()
    for number, text in enumerate(["a\u2028b\x85c", "令牌 👩‍👩‍👧", "tab\tand\x1besc"], 1):
        fake.call(number, "echo", text=text)
        assert fake.text(number) == f"said\n{text}\n"


# --- many, slow, cancelled


def test_twenty_calls_at_once_are_each_answered_with_their_own(shared: Server) -> None:
    numbers = [next(shared.ids) for _ in range(20)]
    for n, number in enumerate(numbers):
        shared.call(number, "read_lines", path=f"f{n:02}.py", start=1, end=1)
    for n, number in enumerate(numbers):
        assert f"def unique_{n:02}():" in shared.text(number)


def test_slow_call_delays_neither_ping_nor_other_calls(fake: Server) -> None:
    fake.open()
    fake.call(1, "slow", mark="unused")
    fake.call(2, "deaf")
    fake.request(3, "ping")
    fake.call(4, "echo", text="here")
    assert fake.answer(3)["result"] == {}
    assert fake.text(4) == "said\nhere\n"
    assert not {1, 2} & fake.answers.keys()


def waited_for(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + WAIT
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_cancelled_call_stops_unanswered_and_the_server_goes_on(fake: Server, tmp_path: Path) -> None:
    fake.open()
    mark = tmp_path / "mark"
    fake.send({"id": 1, "method": "tools/call", "params": {**slow_call(mark), "_meta": {"progressToken": "p"}}})
    while not fake.notifications:  # it runs
        fake.request(50 + len(fake.answers), "ping")
        fake.answer(50 + len(fake.answers))
    fake.send({"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "user"}})
    assert waited_for(mark.exists)
    fake.call(2, "echo", text="still here")
    assert fake.text(2) == "said\nstill here\n"
    assert 1 not in fake.answers
    assert fake.close()[0] == 0
    assert "Traceback" not in fake.stderr


def test_long_work_reports_its_progress(fake: Server, tmp_path: Path) -> None:
    fake.open()
    call = {"name": "slow", "arguments": {"seconds": 2, "mark": str(tmp_path / "mark")}}
    fake.send({"id": 1, "method": "tools/call", "params": {**call, "_meta": {"progressToken": 7}}})
    assert fake.text(1) == "said\ndone\n"
    told = [message["params"] for message in fake.notifications if message["method"] == "notifications/progress"]
    assert len(told) >= 2
    assert {(step["progressToken"], step["total"], step["message"]) for step in told} == {(7, 20, "counting")}
    numbers = [step["progress"] for step in told]
    assert numbers == sorted(set(numbers))


def test_no_progress_without_a_token(fake: Server, tmp_path: Path) -> None:
    fake.open()
    fake.call(1, "slow", seconds=1, mark=str(tmp_path / "mark"))
    assert fake.text(1) == "said\ndone\n"
    assert fake.notifications == []


# --- stdout is the protocol's


def test_what_tools_print_goes_to_stderr(fake: Server) -> None:
    fake.open()
    fake.call(1, "noisy")
    assert fake.text(1) == "said\nquiet\n"
    assert fake.close()[0] == 0
    assert fake.lines.empty()
    assert fake.stderr.count("noise") == 4


def test_fault_of_a_tool_is_told_in_one_line_and_logged(fake: Server) -> None:
    fake.open()
    fake.call(1, "broken")
    assert fake.answer(1)["result"]["isError"] is True
    assert fake.text(1) == (
        "error[unsupported]: broken failed unexpectedly (KeyError); this is a bug in codectx, see the server's log"
    )
    fake.call(2, "echo", text="still here")
    assert fake.text(2) == "said\nstill here\n"
    assert "secret.txt" in fake.stderr


@pytest.mark.parametrize("root", ["no-such-dir", "/", "~"])
def test_refused_root_is_exit_code_2_and_nothing_on_stdout(tmp_path: Path, root: str) -> None:
    asked = str(tmp_path) if root == "~" else root
    ended = subprocess.run(
        [sys.executable, "-P", "-c", SERVE, "--root", asked],
        cwd=tmp_path,
        env=environment(tmp_path),
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        timeout=WAIT,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    (line,) = ended.stderr.decode().rstrip("\n").split("\n")
    assert line.startswith("error[")
    if root == "no-such-dir":
        assert line.startswith("error[not_found]: ")
        assert "no-such-dir" in line


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_stream_is_told_at_once(project: Path, closed: str) -> None:
    shell = f'exec {sys.executable} -P -c "{SERVE}" --root {project} {closed}'
    ended = subprocess.run(
        ["sh", "-c", shell],
        env=environment(project.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=WAIT,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"error[unsupported]: serve needs stdin and stdout")


# --- the end


def test_server_ends_with_its_stdin(real: Server) -> None:
    real.open()
    code, seconds = real.close()
    assert (code, seconds < 1.5) == (0, True)
    assert "Traceback" not in real.stderr


def test_server_ends_before_any_message(real: Server) -> None:
    assert real.close()[0] == 0
    assert "Traceback" not in real.stderr


@pytest.mark.parametrize("tool", ["slow", "deaf"])
def test_running_call_does_not_keep_the_server(fake: Server, tool: str, tmp_path: Path) -> None:
    fake.open()
    fake.call(1, tool, **({"mark": str(tmp_path / "mark")} if tool == "slow" else {}))
    fake.request(2, "ping")
    fake.answer(2)
    code, seconds = fake.close()
    assert (code, seconds < 1.5) == (0, True)
    assert "Traceback" not in fake.stderr


@contextmanager
def opened_unread(root: Path, *calls: dict[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server, send the handshake and these calls, and read its first answer only."""
    command = [sys.executable, "-P", "-c", FAKES, str(root)]
    errors = (root.parent / "stderr.txt").open("wb")
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=environment(root.parent), stdin=pipe, stdout=pipe, stderr=errors)
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    messages = [{"id": 0, "method": "initialize", "params": client}, {"method": "notifications/initialized"}, *calls]
    try:
        process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **m}).encode() + b"\n" for m in messages))
        process.stdin.flush()
        assert process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait(WAIT)
        errors.close()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()
    assert "Traceback" not in (root.parent / "stderr.txt").read_text(encoding="utf-8")


def test_server_ends_when_stdout_is_closed(project: Path) -> None:
    with opened_unread(project) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.wait(WAIT) == 0


def test_client_that_stops_reading_does_not_keep_the_server(project: Path) -> None:
    flood = [{"id": n, "method": "tools/call", "params": {"name": "flood"}} for n in range(1, 60)]
    with opened_unread(project, *flood) as process:
        assert process.stdin is not None
        started = time.monotonic()
        process.stdin.close()
        assert process.wait(WAIT) == 0
        assert time.monotonic() - started < 3


# --- roots


def test_roots_of_the_client_are_read_too(project: Path) -> None:
    more = project.parent / "more code"
    more.mkdir()
    (more / "extra.py").write_text("extra = 1\n", encoding="utf-8")

    async def roots(_ctx: Any) -> types.ListRootsResult:
        uris = [more.as_uri(), "file:///", "file:///no/such/folder", project.as_uri()]
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in uris])  # type: ignore[arg-type]

    arguments = ["-P", "-c", SERVE, "--root", str(project)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment(project.parent))

    async def run() -> list[bool]:
        async with Client(parameters, mode="legacy", list_roots_callback=roots, read_timeout_seconds=WAIT) as client:
            calls = [
                await client.call_tool("read_file", {"path": str(path)})
                for path in (more / "extra.py", project / "f00.py", "/etc/passwd")
            ]
            return [call.is_error for call in calls]

    assert anyio.run(run) == [False, False, True]


def test_client_that_never_tells_its_roots_is_served(real: Server) -> None:
    real.open(roots={"listChanged": True})
    started = time.monotonic()
    real.call(1, "read_lines", path="f00.py", start=1, end=1)
    assert "def unique_00():" in real.text(1)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("params", "code"),
    [
        (b'{"name":"read_file","arguments":{"path":"\\ud800"}}', -32600),
        (b'{"name":"\\ud800\\u0000","arguments":{}}', -32600),
        (b'{"name":"read_file","arguments":' + b'{"a":' * 500 + b"1" + b"}" * 501, -32600),
        (b'{"name":"read_lines","arguments":{"path":"f00.py","start":' + b"9" * 5000 + b"}}", -32600),
    ],
)
def test_a_request_that_cannot_be_read_is_answered_by_its_id(real: Server, params: bytes, code: int) -> None:
    real.open()
    real.send(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + params + b"}")
    answer = real.answer(7)
    assert answer.get("error", {}).get("code") == code or answer["result"]["isError"]
    real.call(8, "read_lines", path="f00.py", start=1)
    assert "unique_00" in real.text(8)


@pytest.mark.parametrize("line", [b"no json", b'{"id": 3', b"[" * 100_000, b"\xff\xfe"])
def test_a_line_that_is_no_json_is_answered_without_an_id(real: Server, line: bytes) -> None:
    real.open()
    real.send(line)
    answer = real.answer(None)
    assert answer["error"]["code"] == -32700
    real.call(8, "read_lines", path="f00.py", start=1)
    assert "unique_00" in real.text(8)
