"""Play a small product with switchable flaws, to try the case runner on; what it cannot do it does not claim.

Run as ``python fake_codectx.py COMMAND ...``. ``FLAW`` in the environment names what it does wrong.
"""

# ruff: noqa: T201, PTH208  (a command prints)

import fcntl
import json
import os
import re
import signal
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

FLAW = os.environ.get("FLAW", "")
STORE = Path(os.environ.get("CODECTX_STORE_URI") or Path(os.environ["XDG_CACHE_HOME"], "codectx"))
FIRST = {"read-lines": "path", "read-file": "path", "grep": "pattern", "semantic-search": "query"}
TOOLS = [*(name.replace("-", "_") for name in FIRST), "status"]
LINES_A_PAGE = 3


class UserError(Exception):
    pass


def files(root):
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*.py") if ".git" not in p.parts)


def read(root, path, start=1, end=None, **_):
    inside = re.fullmatch(r"(.+):(\d+)-", path)
    if inside:
        path, start = inside[1], int(inside[2])
    full = Path(os.path.normpath(root / path))
    if root != full and root not in full.parents:
        raise UserError("error[outside_root]: the path is outside of the root; name one below it")
    if not full.is_file():
        raise UserError(f"error[not_found]: there is no {path}; see list_directory")
    lines = full.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    last = min(end or len(lines), len(lines), start + LINES_A_PAGE - 1)
    content = "".join(line + "\n" for line in lines[start - 1 : last])
    data = {"path": path, "start": start, "end": last, "total_lines": len(lines), "content": content}
    text = f"{path}:{start}-{last} ({len(lines)} lines)\n{content}"
    cut = end is None and last < len(lines)
    data |= {"truncated": cut, "total_tokens": 9, "returned_tokens": 8 if cut else 9, "next": None}
    if cut:
        following = last + (2 if FLAW == "page" else 1)
        data["next"] = {"tool": "read_lines", "args": {"path": path, "start": following}}
        text += f'[cut: {last} of {len(lines)} lines shown. next: read_lines("{path}", start={following})]'
    return text, data, 0


def grep(root, pattern, path=".", **_):
    found = [
        {"path": name, "line": number, "text": line}
        for name in files(root)
        for number, line in enumerate((root / name).read_text(encoding="utf-8").split("\n"), 1)
        if re.search(pattern, line)
    ]
    text = f"{len(found)} matches\n" + "".join(f"{m['path']}:{m['line']}: {m['text']}\n" for m in found)
    return text, {"matches": found, "total_matches": len(found), "truncated": False, "next": None}, not found


def search(root, query, k=5, **_):
    found = [
        {"path": name, "name": m[1], "lines": [1, 2], "text": m[0]}
        for name in indexed(root)
        if (root / name).exists()
        for m in [re.match(r"def (\w+)", (root / name).read_text(encoding="utf-8"))]
        if m and m[1] == query
    ][: int(k)]
    text = f"{len(found)} hits\n" + "".join(f"{h['path']}:1-2 {h['name']}\n" for h in found)
    return text or "nothing here", {"hits": found}, not found


def status(root, **_):
    have = indexed(root)
    current = have == files(root)
    told = {} if FLAW == "mute" else {"up_to_date": current}
    return f"{len(have)} files", {"files": len(have), **told}, 0


def manifest():
    file = STORE / "manifest.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"schema_version": 1, "roots": {}}


def indexed(root):
    return manifest()["roots"].get("any" if FLAW == "one store" else str(root), [])


def index(root, **_):
    STORE.mkdir(parents=True, exist_ok=True)
    lock = (STORE / "lock").open("a", encoding="utf-8")  # held until the process ends, however it ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("error[store_locked]: another run holds the lock; wait for it", file=sys.stderr)
        sys.exit(75)
    done = []
    for name in files(root):
        try:
            embed((root / name).read_text(encoding="utf-8"))
        except FileNotFoundError:  # gone since it was listed
            continue
        done.append(name)
    store = manifest()
    store["roots"]["any" if FLAW == "one store" else str(root)] = done[:-1] if FLAW == "index" else done
    fresh = STORE / f"manifest.{os.getpid()}"  # readers must never see half of it
    fresh.write_text(json.dumps(store), encoding="utf-8")
    fresh.replace(STORE / "manifest.json")
    if FLAW == "node_modules":
        os.listdir(root / "node_modules")
    if FLAW == "kill" and store.get("killed"):
        raise SystemExit(3)
    lock.close()
    report = {"indexed": done, "skipped": [], "failed": [], "embedded": done, "reindexed": done, "removed": []}
    return f"{len(done)} files", {**report, "files_embedded": len(done), "files_not_embedded": 0}, 0


def embed(text):
    url = os.environ.get("CODECTX_OLLAMA_URL")
    if not url:
        return
    body = json.dumps({"model": "fake-a", "input": [text]}).encode()
    try:
        urllib.request.urlopen(urllib.request.Request(url + "/api/embed", body), timeout=20).read()
    except (urllib.error.URLError, OSError):
        print("error[backend_down]: Ollama does not answer; start it", file=sys.stderr)
        sys.exit(2)


def watch(root, **_):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        index(root)
        time.sleep(0.05)


RUN = {"read_lines": read, "read_file": read, "grep": grep, "semantic_search": search, "status": status}


def serve(root):
    if not root.is_dir():
        print(f"error[not_found]: there is no {root.name}; name a folder", file=sys.stderr)
        return 2
    if FLAW == "chatter":
        print("Welcome!", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        answer = {"jsonrpc": "2.0", "id": message["id"], **handle(root, message)}
        for _ in range(2 if FLAW == "twice" else 1):
            print(json.dumps(answer), flush=True)
    if FLAW == "lingers":
        time.sleep(60)
    return 0


def handle(root, message):
    params = message.get("params", {})
    if message["method"] == "initialize":
        info = {"name": "fake", "version": "0"}
        version = params["protocolVersion"]
        return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}}
    if message["method"] == "tools/list":
        schema = {"type": "object", "properties": {"k": {"type": "integer", "minimum": 1}}}
        return {"result": {"tools": [{"name": n, "description": "Gives data.", "inputSchema": schema} for n in TOOLS]}}
    if message["method"] == "ping":
        return {"error": {"code": -32601, "message": "no"}} if FLAW == "deaf" else {"result": {}}
    if params["name"] not in RUN:
        return {"error": {"code": -32602, "message": f"no tool {params['name']}"}}
    try:
        text, wrong = RUN[params["name"]](root, **params["arguments"])[0], False
    except UserError as error:
        text, wrong = str(error), True
    return {"result": {"content": [{"type": "text", "text": text}], "isError": wrong}}


def main(argv):
    name, *rest = argv
    if name == "--version" or "--help" in rest:
        return 0 if name in ("--version", *FIRST, "index", "serve", "status") else 2
    options = dict(word[2:].split("=", 1) for word in rest if word.startswith("--") and "=" in word)
    root = Path(rest[rest.index("--root") + 1]) if "--root" in rest else Path.cwd()
    if name == "serve":
        return serve(root)
    args = {key: int(value) if value.isdigit() else value for key, value in options.items()}
    if "--" in rest:
        args[FIRST[name]] = rest[rest.index("--") + 1]
    try:
        text, data, code = {**RUN, "index": index, "watch": watch}[name.replace("-", "_")](root, **args)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(data) if "--json" in rest else text, end="")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
