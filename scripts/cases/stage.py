"""Carry out the calls of one case: ``Stage.call``, ``Stage.structured``, and what they need.

A tool is called through a server of its own, which is ended before anything else touches the case's root or store,
so that no two processes of ours are in each other's way by chance; named servers stay. Nothing is judged here.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cases import mcp_script, observe, product
from cases.client import Server, ServerGoneError
from cases.command import Done, Running, run, run_until
from cases.ollama import FakeOllama
from cases.place import Place, evaluate
from cases.reply import Answers, Reply, ScriptReply
from cases.verdict import CaseError, CheckError, UnavailableError


@dataclass
class Kill:
    """Say at which request and with which signal calls are killed, and whether one was."""

    signal: int
    after_requests: int
    done: bool = False


@dataclass
class Stage:
    """Hold a running case.

    Attributes:
        case: the case.
        place: where it lives.
        kill: for a case that kills calls: when and how.
        fake: the stand-in for Ollama, if there is one.
        notes: what went on, for the reason of a failure.
        background: commands left running.
        first_index_size: bytes of the store after the first run of ``index``.
        kept: what was noted down before the latest judged call.
        servers: running servers by name, with their roots; empty is the unnamed one.
        roots: on which something was called.
        configured: the configuration that steps have made.
    """

    case: Mapping[str, Any]
    place: Place
    kill: Kill | None = None
    fake: FakeOllama | None = None
    notes: list[str] = field(default_factory=list)
    background: list[Running] = field(default_factory=list)
    first_index_size: int | None = None
    kept: observe.Kept = field(default_factory=observe.Kept)
    servers: dict[str, tuple[Path, Server]] = field(default_factory=dict)
    _listed: dict[str, Any] = field(default_factory=dict)
    roots: list[Path] = field(default_factory=list)
    configured: dict[str, Any] = field(default_factory=dict)

    def begin(self) -> None:
        """Start the stand-in, and tell the product where things are."""
        if "backend" in self.case:
            self.fake = FakeOllama(self.case["backend"]["fake_ollama"], self.place.run_line)
            self.fake.up()
        own_store = self.place.store == self.place.base / "volume/store"
        url = self.fake.url if self.fake else None
        self.place.env.update(product.environment(self.place.store, url, own_store=own_store))
        observe.prepare(self.case, self.place)

    def end(self) -> None:
        """End everything that was started."""
        for running in self.background:
            if not running.is_over():
                running.end()
        for name in list(self.servers):
            self.close_server(name)
        if self.fake is not None:
            self.fake.down()

    # ---- calls

    def call(
        self, step: Mapping[str, Any], *, as_json: bool = False, as_command: bool = False, ping: bool = False
    ) -> Reply | ScriptReply:
        """Make the call of a step.

        Args:
            step: ``tool``, ``args`` and perhaps ``root``, ``server``.
            as_json: add ``--json`` to a command that changes something, so that it must not be run again for it.
            as_command: call a tool by its command, because its exit code is asked for.
            ping: see whether the server of a message script is still there at its end.
        """
        tool, args = step["tool"], self.arguments(step["args"])
        root = self.root_of(step)
        first_request = len(self.fake.log) if self.fake else 0
        reply: Reply | ScriptReply
        if tool == "mcp":
            reply = self._play(args, ping=ping)
        elif tool in ("index", "cli", "hook"):
            words = self._words(tool, args, as_json=as_json)
            reply = self._command(Reply(tool, {**args, "json": as_json}, root, "cli"), words, step)
        elif args.get("json") or as_command:
            words = product.tool_command(tool, _without_json(args), root, as_json=bool(args.get("json")))
            reply = self._command(Reply(tool, args, root, "cli"), [self.command, *words], step)
        else:
            reply = self._ask(tool, args, root, step.get("server", ""))
        reply.first_request = first_request
        return reply

    @property
    def command(self) -> str:
        """Give the product's command."""
        return self.place.env["CODECTX"]

    def root_of(self, step: Mapping[str, Any]) -> Path:
        """Give the project root that a step means."""
        if step.get("server"):
            root = self.servers[step["server"]][0] if step["server"] in self.servers else None
            if root is None:
                raise CaseError(f"no server is named {step['server']!r}")
            return root
        return self.below_case(step["root"]) if "root" in step else self.place.root

    def arguments(self, args: Any) -> Any:
        """Give arguments with expressions evaluated and places filled in."""
        if isinstance(args, Mapping):
            if list(args) == ["py"]:
                return evaluate(args["py"])
            return {name: self.arguments(value) for name, value in args.items()}
        return [self.arguments(value) for value in args] if isinstance(args, list) else self.place.fill(args)

    def start(self, step: Mapping[str, Any]) -> None:
        """Start a command and leave it running."""
        self.close_server("")
        words = self._words(step["tool"], self.arguments(step["args"]), as_json=False)
        self.background.append(Running(words, self.root_of(step), self.place.env))

    def tool_again(self, reply: Reply, tool: str, args: Mapping[str, Any], *, as_json: bool = False) -> Reply:
        """Make another call on the same root and, but for ``--json``, through the same server."""
        step: dict[str, Any] = {"tool": tool, "args": dict(args)}
        if reply.server in self.servers and self.servers[reply.server][0] == reply.root:
            step["server"] = reply.server
        root, own = reply.root, step.get("server", "")
        if as_json:
            words = product.tool_command(tool, args, root, as_json=True)
            return self._command(Reply(tool, {**args, "json": True}, root, "cli"), [self.command, *words], step)
        return self._ask(tool, args, root, own)

    def structured(self, reply: Reply | ScriptReply) -> Mapping[str, Any]:
        """Give the structured answer to the same call.

        Raises:
            UnavailableError: the call fails, or what it gives is no JSON object.
        """
        if isinstance(reply, ScriptReply):
            raise UnavailableError("a message script has no structured answer of its own")
        if reply.data is None:
            source = reply
            if not reply.is_json:
                if reply.failed:
                    raise UnavailableError(f"no structured answer: {last_line(reply.text)}")
                if reply.tool not in product.FIRST:
                    raise UnavailableError(f"no structured answer of {reply.tool}")
                source = self.tool_again(reply, reply.tool, reply.args, as_json=True)
                if source.failed:
                    raise UnavailableError(f"no structured answer: {last_line(source.text)}")
            reply.data = parsed(source)
            reply.json_exit_code = source.exit_code
        data: Mapping[str, Any] = reply.data
        return data

    def listed(self, reply: Reply | ScriptReply) -> dict[str, Any]:
        """Give the server's ``instructions`` and ``tools`` by name."""
        if not self._listed:
            server = self._server("", reply.root if reply.root.is_dir() else self.place.root)
            self._listed = {"tools": server.tools(), "instructions": server.instructions}
        return self._listed

    def raw_line(self, reply: Reply) -> bytes:
        """Give the bytes of the answer to the same call as the server writes them."""
        if reply.line:
            return reply.line
        params = {"name": reply.tool, "arguments": _without_json(reply.args)}
        ask = {"jsonrpc": "2.0", "id": "asked", "method": "tools/call", "params": params}
        played = self._play({"messages": [*mcp_script.handshake(), ask]}, ping=False)
        replies = played.servers[0].replies.get("asked", [])
        return replies[0].line if replies else b""

    def json_line(self, reply: Reply) -> bytes:
        """Give the bytes of the structured answer to the same call."""
        if reply.is_json or reply.tool not in product.FIRST:
            return reply.line
        return self.tool_again(reply, reply.tool, reply.args, as_json=True).line

    # ---- doors

    def _words(self, tool: str, args: Mapping[str, Any], *, as_json: bool) -> list[str]:
        if tool == "index":
            return [self.command, *product.index_command(args["path"], as_json=as_json)]
        if tool == "hook":
            entry = product.hook_command(as_json=as_json)
            found = shutil.which(entry[0], path=self.place.env["PATH"])
            return [found or entry[0], *entry[1:], *args["argv"]]
        first, *rest = args["argv"]
        return [self.command, first, *(["--json"] if as_json and "--json" not in rest else []), *rest]

    def _command(self, reply: Reply, words: Sequence[str], step: Mapping[str, Any]) -> Reply:
        if reply.tool in ("index", "cli", "hook"):
            self.close_server("")
        self._note_root(reply.root)
        kill = self.kill if "kill" in step else None
        if kill is not None:
            done = self._killed(words, reply.root, kill)
        else:
            done = run(words, reply.root, self.place.env)
        reply.answer = done.stdout.decode("utf-8", "replace")
        reply.line, reply.stderr = done.stdout, done.stderr
        reply.exit_code, reply.seconds = done.exit_code, done.seconds
        reply.failed = done.exit_code not in (0, product.EXIT_NOTHING)
        reply.crashed = "the command did not end" if done.timed_out else ""
        is_index = reply.tool == "index" or (reply.tool == "cli" and reply.args["argv"][0] == "index")
        if is_index and self.first_index_size is None:
            self.first_index_size = observe.size_of(self.place.store)
        return reply

    def _killed(self, words: Sequence[str], root: Path, kill: Kill) -> Done:
        fake = self.fake
        if fake is None:
            raise CaseError("a call is killed at a request, but there is no backend")
        wanted = len(fake.log) + kill.after_requests
        done, sent = run_until(
            words, root, self.place.env, kill.signal, lambda over: fake.wait_for_requests(wanted, over)
        )
        kill.done = kill.done or sent
        return done

    def _ask(self, tool: str, args: Mapping[str, Any], root: Path, name: str) -> Reply:
        from mcp.shared.exceptions import MCPError

        reply = Reply(tool, dict(args), root, "mcp", server=name)
        self._note_root(root)
        try:
            reply.answer, reply.failed, reply.seconds = self._server(name, root).call(tool, _without_json(args))
        except ServerGoneError as error:
            reply.crashed, reply.failed = str(error), True
        except MCPError as error:
            reply.rpc_error, reply.failed = {"code": error.code, "message": error.message}, True
            reply.answer = json.dumps(reply.rpc_error, ensure_ascii=False)
            if error.message == "Connection closed":
                reply.crashed = "the server closed the connection"
        return reply

    def _play(self, args: Mapping[str, Any], *, ping: bool) -> ScriptReply:
        self.close_server("")
        root = self.below_case(args["root"]) if "root" in args else self.place.root
        cwd = root if root.is_dir() else self.place.case
        words = [self.command, *product.SERVE, "--root", str(root)]
        count = args.get("servers", 1)
        found: list[Answers | None] = [None] * count

        def one(number: int) -> None:
            found[number] = mcp_script.play(words, cwd, root, self.place.env, args["messages"], ping=ping)

        self._note_root(root)
        began = time.monotonic()
        threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(mcp_script.SCRIPT_SECONDS + mcp_script.EXIT_SECONDS)
        servers = [answers for answers in found if answers is not None]
        if len(servers) < count:
            raise CaseError("a message script could not be played to its end")
        ids = mcp_script.request_ids(args["messages"])
        return ScriptReply(root, servers, ids, time.monotonic() - began)

    def _server(self, name: str, root: Path) -> Server:
        if name:
            return self.servers[name][1]
        known = self.servers.get("")
        if known is None or known[0] != root:
            self.close_server("")
            self.start_server("", root)
        return self.servers[""][1]

    def start_server(self, name: str, root: Path) -> None:
        """Start a server on a root; empty is the unnamed one."""
        log = self.place.base / "tmp" / f"server-{name or 'unnamed'}.log"
        words = [self.command, *product.SERVE, "--root", str(root)]
        cwd = root if root.is_dir() else self.place.case
        try:
            self.servers[name] = root, Server(words, cwd, self.place.env, log)
        except ServerGoneError:
            if name:
                raise CheckError(f"server {name!r} does not start") from None
            raise

    def close_server(self, name: str) -> None:
        """End a server, if it runs: its stdin is closed."""
        if name in self.servers:
            self.servers.pop(name)[1].close()

    def _note_root(self, root: Path) -> None:
        if root not in self.roots:
            self.roots.append(root)

    def below_case(self, path: str) -> Path:
        """Give the folder that a path in the case means."""
        return Path(os.path.normpath(self.place.case / path))


def _without_json(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name != "json"}


def parsed(reply: Reply) -> Mapping[str, Any]:
    """Give the object that a command's ``--json`` printed."""
    try:
        data = json.loads(reply.answer)
    except ValueError:
        raise UnavailableError(f"--json gave no JSON: {reply.answer[:200]!r}, {last_line(reply.stderr)}") from None
    if not isinstance(data, dict):
        raise UnavailableError(f"--json gave no object: {reply.answer[:200]!r}")
    return data


def last_line(text: str) -> str:
    """Give the last line of what was printed: where an error stands."""
    return (text.strip().split("\n") or [""])[-1][:300]
