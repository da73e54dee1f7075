"""The runner itself, on small cases and a small product whose flaws can be switched on."""

import copy
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml
from cases.answer import split
from cases.fences import fences, left_open
from cases.filetext import decode, is_invisible
from cases.ollama import FakeOllama
from cases.params import names_of
from cases.place import Place
from cases.run import run_case, take_step
from cases.schema import SINGLE_STEPS, problems
from cases.stage import Stage
from cases.steps import STEPS
from cases.verdict import CaseError, Skipped

PRODUCT = [sys.executable, str(Path(__file__).with_name("fake_codectx.py"))]
CASES = Path(__file__).parents[1] / "cases"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "0"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
SLOW = {"fake_ollama": {"mode": "slow", "dim": 8, "seconds_per_request": 0.05}}


def case(action, expect, **rest):
    files = {"a.py": "def a():\n    return 1\n\n\ndef a2():\n    return 2\n", "b.py": "def b():\n    return a()\n"}
    whole = {"id": "c", "kind": "mcp", "source": "derived", "story": "s", "files": files}
    return {**whole, "action": action, "expect": expect, **rest}


def call(tool, **args):
    return {"tool": tool, "args": args}


def asks(number, name, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def run(*args, flaw="", **rest):
    given = case(*args, **rest)
    if flaw:
        given["env"] = {"FLAW": flaw, **given.get("env", {})}
    return run_case(given, "c", PRODUCT)


def passes(*args, **rest):
    verdict = run(*args, **rest)
    assert (verdict.outcome, verdict.reasons) == ("passed", [])


def fails(*args, why="", **rest):
    verdict = run(*args, **rest)
    assert verdict.outcome == "failed"
    assert any(why in reason for reason in verdict.reasons), verdict.reasons


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Temporary folders of cases are made here, so that what stays behind is seen."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def leftovers():
    return list(Path(tempfile.gettempdir()).glob("codectx-case-*"))


# ---- the form


def test_all_our_cases_keep_to_the_form():
    listed = json.loads((CASES / "cases.json").read_text(encoding="utf-8"))
    files = sorted((CASES / "cases").glob("*.yaml"))
    loaded = {file.stem: yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader) for file in files}
    assert {name: found for name, given in loaded.items() if (found := problems(given, name))} == {}
    assert {one["id"]: one for one in listed} == loaded


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda c: c.update(extra=1), "extra: unknown key"),
        (lambda c: c.pop("story"), "'story' is missing"),
        (lambda c: c.update(kind="odd"), "kind: 'odd' is none of"),
        (lambda c: c["expect"].update(okay=True), "expect.okay: unknown key"),
        (lambda c: c["expect"].update(ok=False), "expect.ok: must be true"),
        (lambda c: c["expect"].update(invariants=["odd"]), "unknown token 'odd'"),
        (lambda c: c["expect"].update(invariants=[{"odd": 1}]), "expect.invariants[0].odd: unknown key"),
        (lambda c: c["expect"].update(any_of=[{"ok": True}]), "expect.any_of: must be a list of at least 2"),
        (lambda c: c["expect"].update(error="odd"), "expect.error"),
        (lambda c: c["expect"].update(then=[{"sh": "x", "config": {}}]), "expect.then[0]: a step is one thing"),
        (lambda c: c["expect"].update(then=[{"odd": 1}]), "expect.then[0].odd: unknown key"),
        (lambda c: c["expect"].update(symbols=[{"name": "x"}]), "expect.symbols[0]: key 'lines' is missing"),
        (lambda c: c["expect"].update(lines=[3, 1]), "expect.lines: must be [first, last]"),
        (lambda c: c["action"]["args"].update(colour="red"), "action.args.colour: unknown key"),
        (lambda c: c["action"].update(tool="odd"), "action.tool: unknown tool 'odd'"),
        (lambda c: c.update(backend={"fake_ollama": {"mode": "odd", "dim": 1}}), "backend.fake_ollama.mode"),
        (lambda c: c.update(before=[{"tool": "cli", "args": {"argv": ["rm"]}}]), "before[0].args.argv[0]"),
        (lambda c: c.update(action=call("mcp", messages=[{"sleep": 1, "raw": ""}])), "is one of sleep"),
        (lambda c: c.update(id="other"), "id: 'other' is not the file's name"),
    ],
)
def test_what_the_form_does_not_know_fails_the_case(change, problem):
    given = copy.deepcopy(case(call("read_file", path="a.py"), {"ok": True}))
    change(given)
    verdict = run_case(given, "c", ["false"])
    assert verdict.outcome == "failed"
    assert any(problem in reason for reason in verdict.reasons), verdict.reasons


def test_every_step_of_the_form_can_be_carried_out():
    assert set(STEPS) == set(SINGLE_STEPS)


# ---- whole cases


def test_a_case_runs_through_server_command_and_pages():
    expect = {
        "ok": True,
        "truncated": True,
        "total_lines": 6,
        "invariants": ["whole_lines_only", "next_continues", "pages_rebuild_file", "valid_utf8", "stdout_jsonrpc_only"],
        "then": [
            {**call("grep", pattern="def", path="."), "expect": {"matches": [{"path": "b.py", "line": 1}]}},
            {**call("read_file", path="../x"), "expect": {"error": "outside_root"}},
            {**call("read_file", path="a.py", json=True), "expect": {"truncated": True}},
            {**call("read_lines", path="b.py"), "expect": {"exit_code": 0, "text_exact": "def b():\n    return a()"}},
            {**call("index", path="."), "expect": {"ok": True, "index": {"indexed": ["a.py", "b.py"]}}},
            {**call("semantic_search", query="b", k=1), "expect": {"top1": {"path": "b.py", "name": "b"}}},
            {**call("semantic_search", query="odd", k=1), "expect": {"abstain": True}},
            {**call("status"), "expect": {"status_files": 2}},
            {**call("cli", argv=["status"]), "expect": {"exit_code": 0, "status_files": 2}},
        ],
    }
    passes(call("read_file", path="a.py"), expect)
    fails(call("read_file", path="a.py"), expect, flaw="page", why="next_continues")
    assert leftovers() == []


def test_the_place_in_a_case_is_told():
    wrong = {"ok": True, "then": [{"sh": "true"}, {**call("read_file", path="a.py"), "expect": {"error": "binary"}}]}
    fails(call("status"), wrong, why="then[1]: error: no error, but")
    before = [{**call("status"), "expect": {"error": "any"}}]
    fails(call("status"), {"ok": True}, before=before, why="before[0]: error")


def test_alternatives_hold_when_one_holds_with_its_own_steps():
    step = {**call("status"), "expect": {"mentions": ["files"]}}
    wrong = {**call("status"), "expect": {"mentions": ["odd"]}}
    one, other = {"ok": True, "then": [wrong]}, {"text_contains": ["a.py"], "then": [step]}
    passes(call("read_file", path="a.py"), {"any_of": [one, other]})
    passes(call("read_file", path="a.py"), {"any_of": [{"error": "any"}, other]})
    fails(call("read_file", path="a.py"), {"any_of": [one, {"error": "any"}]}, why="any_of[1]: error")
    later = {"any_of": [{"ok": True, "invariants": ["pages_rebuild_file"]}, {"error": "any"}]}
    fails(call("read_file", path="a.py"), later, flaw="page", why="any_of[0]: pages_rebuild_file")


def test_a_broken_case_is_told_and_nothing_stays_behind():
    fails(
        call("status"),
        {"ok": True},
        setup=["echo oops >&2; false"],
        why="broken case: `echo oops >&2; false` ended with 1",
    )
    fails(call("status"), {"ok": True}, setup=["false | true; mkdir locked; chmod 000 locked"], why="broken case")
    fails(call("status"), {"ok": True}, before=[{"sh": "exit 3"}], why="ended with 3")
    fails(call("status"), {"ok": True}, before=[{"backend": "up"}], why="no backend")
    fails(call("status"), {"ok": True}, before=[{"store_free_kib": 1}], why="needs `mount`")
    fails({**call("status"), "server": "A"}, {"ok": True}, why="no server is named 'A'")
    fails(call("status"), {"ok": True}, files={"a": {"py": "1/0"}}, why="ZeroDivisionError")
    assert leftovers() == []


def test_files_setup_and_environment_of_a_case():
    files = {
        "a.py": "x\r\n",
        "b": {"py": "bytes([255, 0])"},
        "*": {"py_files": "{'d/%d' % n: str(n) for n in range(3)}"},
        "@outside/o": "out",
        "@outside/../case-private/p": "private",
    }
    lines = [
        'test "$(cat d/2)" = 2 && test "$(cat ../outside/o)" = out && test -f ../case-private/p',
        'test "$(od -An -tx1 b | tr -d " ")" = ff00 && test "$(od -An -tx1 a.py | tr -d " ")" = 780d0a',
        'test "$(basename "$PWD")" = case && test "$ROOT" = "$PWD" && test -n "$STORE" && "$CODECTX" --version',
        "git init -q . && git -c user.name=T -c user.email=t@x.invalid commit -qm 1 --allow-empty",
        'test -z "${MINE-}"',
        'test "$XDG_CACHE_HOME" = "$ROOT/../cache" && test "$HOME" != "' + os.environ["HOME"] + '"',
    ]
    env = {"MINE": "$ROOT/x", "XDG_CACHE_HOME": "$ROOT/../cache"}
    then = [{"sh": 'test "$MINE" = "$ROOT/x" && test ! -e gone'}]
    passes(call("read_file", path="$ROOT/a.py"), {"error": "any"}, files={"a": ""}, before=[{"sh": "cat a"}])
    passes(call("grep", pattern="x"), {"ok": True, "then": then}, files=files, setup=lines, env=env)


def test_another_root_than_the_case_itself():
    passes(call("read_file", path="b.py"), {"ok": True}, files={"sub/b.py": "x = 1\n"}, root="sub")
    fails(call("read_file", path="b.py"), {"ok": True}, files={"sub/b.py": "x = 1\n"}, why="not_found")


def test_two_roots_have_stores_of_their_own():
    files = {"a.py": "def a():\n    pass\n", "@outside/case/b.py": "def b():\n    pass\n"}
    before = [call("index", path="."), {**call("index", path="."), "root": "../outside/case"}]
    expect = {"top1": {"path": "a.py", "name": "a"}}
    passes(call("semantic_search", query="a"), expect, files=files, before=before)
    fails(call("semantic_search", query="a"), expect, files=files, before=before, flaw="one store")


def test_named_servers_are_kept_and_restarted():
    files = {"a.py": "x = 1\n", "@outside/blue/b.py": "y = 2\n"}
    before = [
        {"start_server": "A"},
        {"start_server": "B", "root": "../outside/blue"},
        {**call("read_file", path="b.py"), "server": "B", "expect": {"ok": True}},
        {"restart_servers": True},
    ]
    ours = {**call("read_file", path="a.py"), "server": "A", "expect": {"ok": True}}
    theirs = {**call("read_file", path="b.py"), "server": "B"}
    passes(theirs, {"ok": True, "text_exact": "y = 2\n", "then": [ours]}, files=files, before=before)


def test_settling_waits_for_the_index():
    watch = {"tool": "cli", "args": {"argv": ["watch"]}, "background": True}
    before = [watch, {"sh": "mv a.py c.py"}, {"settle_seconds": 10}]
    passes(call("status"), {"status_files": 2}, before=before)
    fails(call("status"), {"ok": True}, before=[{"settle_seconds": 0.2}], why="not up to date")
    mute = {"before": [{"settle_seconds": 60}], "flaw": "mute"}
    fails(call("status"), {"ok": True}, **mute, why="does not say whether the index is up to date")


def test_configuration_is_written_where_the_product_looks():
    config = {"config": {"embedding_model": "m", "include": ["*.py"]}}
    look = {"sh": 'grep -q \'model = "m"\' "$XDG_CONFIG_HOME/codectx/config.toml"'}
    passes(call("status"), {"ok": True}, before=[config, look, {"config": {"include": ["*.js"]}}, look])


# ---- killing, background, backend


def test_a_call_is_killed_at_each_request_until_it_ends_by_itself():
    kill = {"after_requests": "each", "signals": [signal.SIGKILL, signal.SIGINT]}
    before = [{**call("cli", argv=["index", "."]), "kill": kill}, call("index", path=".")]
    expect = {"index": {"indexed": ["a.py", "b.py"], "embedded": ["a.py", "b.py"]}}
    passes(call("index", path="."), expect, before=before, backend=SLOW)
    verdict = run(call("index", path="."), {"index": {"indexed": ["a.py"]}}, before=before, backend=SLOW)
    assert verdict.reasons[0].startswith("killed by signal 9 at request 1: index: ")
    fails(call("status"), {"ok": True}, before=before, why="there is no backend")


def test_what_runs_in_the_background_is_ended():
    watch = {"tool": "cli", "args": {"argv": ["watch"]}, "background": True}
    began = time.monotonic()
    passes(call("status"), {"ok": True}, before=[watch])
    assert time.monotonic() - began < 20


def test_of_two_at_once_one_wins():
    before = [{"tool": "cli", "args": {"argv": ["index", "."]}, "background": True}]
    expect = {"exit_code": [0, 75], "invariants": ["one_winner"]}
    passes(call("cli", argv=["index", "."]), expect, before=before, backend=SLOW)
    down = [{"backend": "down"}, *before]
    fails(call("cli", argv=["index", "."]), {"exit_code": 2, **expect} | {"exit_code": 2}, before=down, backend=SLOW)


def test_the_stand_in_can_be_switched():
    up = {**call("index", path="."), "expect": {"ok": True, "backend_requests": {"max_texts": 2}}}
    down = {**call("index", path="."), "expect": {"error": "backend_down"}}
    flaky = {"backend": {"fake_ollama": {"mode": "flaky", "dim": 8}}}
    before = [up, {"backend": "down"}, down, {"backend": "up"}, up, flaky, down, up]
    passes(call("index", path="."), {"ok": True}, before=before, backend=SLOW)


def ask(fake, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(fake.url + path, data), timeout=5) as answer:
        return json.load(answer)


def refused(fake, path, body):
    with pytest.raises((urllib.error.URLError, OSError)) as caught:
        ask(fake, path, body)
    status = getattr(caught.value, "code", None)
    if isinstance(caught.value, urllib.error.HTTPError):
        caught.value.close()
    return status


@pytest.fixture
def fake(tmp_path):
    server = FakeOllama({"mode": "ok", "dim": 8}, lambda line: (tmp_path / "ran").write_text(line, encoding="utf-8"))
    server.up()
    yield server
    server.down()


def test_the_stand_in_answers_as_ollama_does(fake, tmp_path):
    texts = ["send mail", "sendMail", "unrelated zebra"]
    body = {"model": "any", "input": texts}
    near, same, far = ask(fake, "/api/embed", body)["embeddings"]
    assert near == same != far
    assert abs(sum(part * part for part in near) - 1) < 1e-9
    assert ask(fake, "/api/embeddings", {"model": "any", "prompt": texts[0]})["embedding"] == near
    assert ask(fake, "/v1/embeddings", body)["data"][0]["embedding"] == near
    assert ask(fake, "/api/tags")["models"][0]["name"] == "fake-a"
    assert ask(fake, "/api/show", {"model": "any"})["model_info"]["fake.embedding_length"] == 8
    assert "version" in ask(fake, "/api/version")
    assert [(len(request.texts), request.answered) for request in fake.log] == [(3, True), (1, True), (3, True)]
    fake.up({"mode": "ok", "dim": 8, "models": {"m:latest": 4}, "on_first_request": "touch x"})
    assert len(ask(fake, "/api/embed", {"model": "m", "input": "x"})["embeddings"][0]) == 4
    assert (tmp_path / "ran").read_text(encoding="utf-8") == "touch x"
    assert refused(fake, "/api/embed", {"model": "n", "input": "x"}) == 404


@pytest.mark.parametrize(
    ("spec", "texts", "status"),
    [
        ({"mode": "reject_blank"}, ["a", " "], 400),
        ({"mode": "ctx", "max_chars": 3}, ["abcd"], 400),
        ({"mode": "nan_on", "marker": "BAD"}, ["ok", "BAD"], 500),
        ({"mode": "refuse"}, ["a"], 503),
        ({"mode": "die_after", "requests": 0}, ["a"], None),
        ({"mode": "flaky"}, ["a"], None),
    ],
)
def test_the_stand_in_has_faults(fake, spec, texts, status):
    fake.up({"dim": 8, **spec})
    assert refused(fake, "/api/embed", {"model": "m", "input": texts}) == status
    assert not any(request.answered for request in fake.log)
    if spec["mode"] not in ("refuse", "die_after"):
        assert ask(fake, "/api/embed", {"model": "m", "input": ["abc"]})["embeddings"]


def test_the_stand_in_can_be_slow_short_and_away(fake):
    fake.up({"mode": "short_batch", "dim": 8})
    assert len(ask(fake, "/api/embed", {"model": "m", "input": ["a", "b"]})["embeddings"]) == 1
    fake.up({"mode": "slow", "dim": 8, "seconds_per_request": 0.2})
    began = time.monotonic()
    ask(fake, "/api/embed", {"model": "m", "input": ["a"]})
    assert time.monotonic() - began >= 0.2
    address = fake.url
    fake.down()
    assert refused(fake, "/api/embed", {"model": "m", "input": ["a"]}) is None
    fake.up()
    assert fake.url == address
    assert ask(fake, "/api/embed", {"model": "m", "input": ["a"]})
    threading.Timer(0.1, ask, [fake, "/api/embed", {"model": "m", "input": ["a"]}]).start()
    assert fake.wait_for_requests(len(fake.log) + 1, lambda: False)
    assert not fake.wait_for_requests(99, lambda: True)


# ---- message scripts


def script(*messages, **args):
    return call("mcp", messages=[INITIALIZE, READY, *messages], **args)


def test_answers_of_a_script_are_judged_by_their_id():
    messages = script(asks(1, "read_file", path="a.py"), asks("two", "grep", pattern="def"), asks(3, "no_such_tool"))
    expect = {
        "responses": {
            "0": {"max_seconds": 5},
            "1": {"ok": True, "lines": [1, 3], "then": [{"sh": "true"}]},
            "two": {"ok": True, "matches": [{"path": "b.py", "line": 1}]},
            "3": {"error": "any", "mentions": ["no_such_tool"], "jsonrpc_error": -32602},
        },
        "alive_after": True,
        "exits_within_seconds": 10,
        "text_lacks": ["Traceback"],
        "invariants": ["stdout_jsonrpc_only"],
        "max_seconds": 20,
        "exit_code": 0,
        "ok": True,
    }
    passes(messages, expect)
    fails(messages, {"responses": {"1": {"ok": True, "lines": [1, 2]}}}, why="responses[1]: lines")
    fails(messages, {"responses": {"9": {}}}, why="0 answers with id 9, not 1")
    passes(messages, {"responses": {"9": {"answers": 0}, "8": {"answers": [0, 1]}}})
    fails(messages, expect, flaw="twice", why="2 answers with id 1")
    fails(messages, expect, flaw="chatter", why="on stdout: 'Welcome!'")
    fails(messages, {"alive_after": True}, flaw="deaf", why="no answer to a ping")
    fails(messages, {"exits_within_seconds": 0.0001}, why="the server ended after")
    wrong = {"1": {"ok": True, "then": [{**call("status"), "expect": {"error": "any"}}]}}
    fails(messages, {"responses": wrong}, why="responses[1]: then[0]: error")


def test_a_script_may_sleep_write_bytes_and_close_pipes():
    raw = json.dumps(PING) + "\n"
    passes(script({"raw": raw}, {"sleep": 0.1}, {"raw_hex": raw.encode().hex()}), {"alive_after": True})
    passes(script({"close": "stdin"}), {"exits_within_seconds": 10, "exit_code": 0})
    verdict = run(script({"close": "stdout"}, PING), {"exits_within_seconds": 10, "text_lacks": ["BrokenPipeError"]})
    assert verdict.outcome == "failed"  # the small product does not expect it, and says so on stderr
    fails(script({"raw": "no json\n"}), {"alive_after": True}, why="alive_after")


def test_a_server_that_refuses_its_root_is_judged_by_its_end():
    expect = {"any_of": [{"responses": {"0": {"ok": True}}}, {"exit_code": 2, "mentions": ["not_found", "gone"]}]}
    passes(script(root="gone"), {**expect, "error": "not_found"})
    fails(script(), {"exit_code": 2}, why="exit code 0")


def test_several_servers_get_the_same_messages():
    messages = script(asks(1, "read_file", path="a.py"), servers=2)
    passes(messages, {"responses": {"1": {"ok": True}}, "one_server": {"1": {"ok": True}}, "alive_after": True})
    fails(messages, {"one_server": {"1": {"error": "any"}}}, why="none of the servers gave it")


# ---- needs


def test_another_user_than_root_is_used_where_a_case_needs_one():
    lines = ["mkdir locked; chmod 000 locked; ! ls locked"]
    then = [{"sh": "! ls locked"}, {"sh": "! sh -c 'echo x > locked/x'"}]
    passes(call("cli", argv=["status"]), {"exit_code": 0, "then": then}, needs=["not_root"], setup=lines)


def test_what_the_machine_lacks_skips_a_case(monkeypatch):
    monkeypatch.setattr("cases.place.shutil.which", lambda _: None)
    verdict = run(call("status"), {"ok": True}, needs=["mount"])
    assert (verdict.outcome, verdict.reasons) == ("skipped", ["no file system can be mounted here"])


def test_the_store_can_be_left_little_room():
    steps = [
        {"sh": 'mkdir -p "$STORE"'},
        {"store_free_kib": 64},
        {"sh": '! head -c 200000 /dev/zero > "$STORE/x" && rm "$STORE/x" && head -c 20000 /dev/zero > "$STORE/y"'},
        {"store_free_kib": None},
        {"sh": 'head -c 200000 /dev/zero > "$STORE/x"'},
    ]
    verdict = run(call("status"), {"ok": True}, needs=["mount"], before=steps)
    assert verdict.outcome == "passed" or "mounted" in verdict.reasons[0], verdict.reasons
    assert leftovers() == []


def test_the_store_can_be_marked_as_of_another_version():
    look = {"sh": 'grep -q \'"schema_version": 9\' "$STORE/manifest.json"'}
    passes(call("status"), {"ok": True}, before=[call("index", path="."), {"store_schema_version": 9}, look])
    fails(call("status"), {"ok": True}, before=[{"store_schema_version": 9}], why="no manifest")


def test_processes_that_let_go_of_us_are_ended_with_the_case(tmp_path):
    place = Place.make(case(call("status"), {}), PRODUCT, own_store=True)
    line = f"setsid sleep 60 < /dev/null > /dev/null 2>&1 & echo $! > {shlex.quote(str(tmp_path / 'pid'))}"
    place.run_line(line)
    number = int((tmp_path / "pid").read_text(encoding="utf-8"))
    place.remove()
    status = Path(f"/proc/{number}/status")
    deadline = time.monotonic() + 5
    while status.exists() and "zombie" not in status.read_text(encoding="utf-8") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not status.exists() or "zombie" in status.read_text(encoding="utf-8")
    assert not place.base.exists()


# ---- the command


@pytest.fixture
def folder(tmp_path):
    status = call("cli", argv=["status"])
    good, bad = case(status, {"ok": True}), case(status, {"error": "any"})
    (tmp_path / "cases").mkdir()
    for name, given in {"good": good, "bad": {**bad, "kind": "store"}}.items():
        text = yaml.safe_dump({**given, "id": name})
        (tmp_path / f"cases/{name}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "cases/odd.yaml").write_text("{", encoding="utf-8")
    return tmp_path


def command(folder, *options):
    words = [sys.executable, Path(__file__).parents[2] / "scripts/run_cases.py", folder, *options]
    done = subprocess.run(
        [*words, "--codectx", shlex.join(PRODUCT)], capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command_tells_each_failure_and_counts(folder):
    code, out, _ = command(folder, "--json", folder / "out.json")
    assert code == 1
    assert "FAILED bad (" in out
    assert "    error: no error, but " in out
    assert "cannot be read" in out
    assert out.endswith("\n1 passed, 2 failed, 0 skipped\n")
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert (data["passed"], data["failed"], data["skipped"]) == (1, 2, 0)
    assert data["cases"]["good"]["outcome"] == "passed"


def test_the_command_runs_what_is_asked_for(folder):
    assert command(folder, "--id", "good")[:2] == (0, "1 passed, 0 failed, 0 skipped\n")
    assert command(folder, "--kind", "mcp", "-j", "1")[:2] == (0, "1 passed, 0 failed, 0 skipped\n")
    assert command(folder, "--kind", "search")[0] == 2
    code, _, err = command(folder, "--id", "good", "--id", "none")
    assert (code, err) == (2, f"no such cases in {folder}: none\n")


def test_what_was_only_too_slow_gets_a_second_run_alone(monkeypatch):
    import run_cases
    from cases.run import Verdict

    slow = [
        "then[0]: responses[1]: max_seconds: took 3.1 s, more than 2",
        "exits_within_seconds: the server ended after 9 s",
    ]
    seen = []

    def fake(_case, name, _command):
        seen.append(name)
        reasons = {"slow": slow, "wrong": [*slow, "ok: an error"]}.get(name, [])
        return Verdict(name, "failed" if reasons and seen.count(name) == 1 else "passed", reasons)

    monkeypatch.setattr(run_cases, "run_case", fake)
    found = {v.name: v.outcome for v in run_cases.run_all([("slow", {}), ("wrong", {}), ("good", {})], [], 2)}
    assert found == {"slow": "passed", "wrong": "failed", "good": "passed"}
    assert sorted(seen) == ["good", "slow", "slow", "wrong"]
    assert seen[-1] == "slow"


def test_summaries_of_languages_are_asked_for_by_command(monkeypatch):
    expect = {"ok": True, "lines": [1, 3], "exit_code": 0}
    monkeypatch.setattr("cases.stage.Stage._ask", None)
    assert run(call("read_file", path="a.py"), {**expect, "exit_code": 0}).outcome == "passed"
    given = case(call("read_file", path="a.py"), {"ok": True, "lines": [1, 3]}, kind="comments")
    assert run_case(given, "c", PRODUCT).reasons == []


# ---- reading


@pytest.mark.parametrize(
    ("language", "params", "names"),
    [
        ("python", ["self", "/", "a: int", "*", "b=1", "**kw: Any", "*args"], ["a", "b", "**kw", "*args"]),
        (
            "typescript",
            ["private readonly a: number", "b?: T", "{ c, d }: P", "...e: T[]"],
            ["a", "b", "{ c, d }", "...e"],
        ),
        ("go", ["a int", "f func(T) U", "c ...int"], ["a", "f", "c"]),
        ("c", ["const char *s", "int (*f)(int)", "char a[10]", "void"], ["s", "f", "a"]),
        ("cpp", ["const Box& o", "std::map<int, int> m = {}"], ["o", "m"]),
        ("php", ["private readonly Lift $a", "array &$b", "Sack ...$c"], ["$a", "&$b", "...$c"]),
        ("rust", ["&mut self", "by: i32", "mut x: i32"], ["by", "x"]),
        ("kotlin", ["f: (Parcel) -> Unit = {}"], ["f"]),
        ("java", ["Function<String, T> f", "T... rest"], ["f", "rest"]),
        ("ruby", ["a", "b: 20", "&block"], ["a", "b", "&block"]),
        ("sql", ["p_id bigint", "IN p_rate numeric"], ["p_id", "p_rate"]),
    ],
)
def test_parameters_are_reduced_to_their_names(language, params, names):
    assert names_of(params, language) == names


@pytest.mark.parametrize(
    ("text", "open_fence"),
    [
        ("```\na\n", "```"),
        ("```\na\n```\n", ""),
        ("````\n```\n````\n", ""),
        ("````\n```\n", "````"),
        ("~~~\n```\n", "~~~"),
        ("```\n~~~\n```\n", ""),
        ("    ```\n", ""),
        ("text\n    ```\n", ""),
        ("``` a`b\n", ""),
        ("``\n", ""),
        ("```\n``` no\n", "```"),
        ("> ```\n> a\n", "```"),
        ("> ```\n> a\n\ntext\n", ""),
        ("> ```\n> a\ntext\n", ""),
        ("- ```\n  a\n  ```\n", ""),
        ("- ```\n  a\n", "```"),
        ("- ```\n  a\n\nb\n", ""),
        ("<!--\n```\n-->\n", ""),
        ("<div>\n```\n\n```\n", "```"),
        ("a\n===\n```\n", "```"),
        ("```\r\na\r\n```\r\n", ""),
    ],
)
def test_fences_follow_commonmark(text, open_fence):
    found = left_open(text)
    assert (found.run if found else "") == open_fence


def test_fences_tell_their_lines():
    assert [(f.opens, f.closes) for f in fences("a\n```\nb\n```\n\n~~~\n~~~~\n```\n")] == [(2, 4), (6, 7), (8, None)]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfa", "a"),
        ("ä".encode("utf-16"), "ä"),
        ("ä".encode(), "ä"),
        (b"# -*- coding: latin-1 -*-\n\xe4", "# -*- coding: latin-1 -*-\nä"),
        (b"\xe4", "ä"),
        (b"a\0b", "a\0b"),
    ],
)
def test_files_are_decoded(data, text):
    assert decode(data) == text


def test_invisible_characters_are_known():
    assert [char for char in "a\t\n\r\u200b\u202e\ufeff\x1b\xad\u2028\U000e0041é字🙂" if is_invisible(char)] == list(
        "\u200b\u202e\ufeff\x1b\xad\u2028\U000e0041"
    )


def test_an_answer_is_taken_apart():
    text = 'a (1).py:2@4-3 (9 lines, latin-1)\nx\n[b: c]\n[masked: line 2]\n[cut: 2 of 1,200 lines shown. next: f("a")]'
    parts = split(text)
    assert (parts.path, parts.start, parts.offset, parts.end) == ("a (1).py", 2, 4, 3)
    assert (parts.facts, parts.content) == ("9 lines, latin-1", "x\n[b: c]\n")  # as many lines as the header says
    assert parts.notices[0] == "[masked: line 2]"
    assert parts.cut is not None
    assert (parts.cut.shown, parts.cut.total, parts.cut.call) == (2, 1200, 'f("a")')
    assert split("2 matches in 1 file\na.py:1: x\n").start is None


def test_steps_can_be_taken_one_by_one():
    place = Place.make(case(call("status"), {}), PRODUCT, own_store=True)
    stage = Stage({"kind": "mcp"}, place)
    stage.begin()
    assert take_step({**call("status"), "expect": {"mentions": ["odd"]}}, stage) != []
    assert take_step(call("read_file", path="../x"), stage) == []
    assert "outside_root" in stage.notes[0]
    with pytest.raises(CaseError):
        take_step({"sh": "false"}, stage)
    stage.end()
    place.remove()


def test_a_place_is_removed_when_it_cannot_be_made():
    with pytest.raises(CaseError):
        Place.make(case(call("status"), {}, setup=["false"]), PRODUCT, own_store=True)
    with pytest.raises(Skipped):
        Place.make(case(call("status"), {}, needs=["not_root"]), ["/no/such/command"], own_store=True)
    assert leftovers() == []
