"""Stand in for an Ollama server whose faults can be switched: ``FakeOllama``.

It serves ``/api/tags``, ``/api/show``, ``/api/version``, ``/api/embed``, ``/api/embeddings`` and ``/v1/embeddings``
on 127.0.0.1, and keeps a log of what it was asked. Vectors are made from hashed word pieces, so that texts with the
same words are near. A spec has these keys:

    mode      ok; slow (``seconds_per_request``); reject_blank (400 for blank texts); ctx (400 for texts of more than
              ``max_chars``); nan_on (500 for texts with ``marker``); die_after (no answer after ``requests``
              embeddings); flaky (no answer to the first); short_batch (one vector too few); refuse (503 for all)
    dim       length of the vectors; ``models`` {name: dim} instead: any other model is unknown (404)
    on_first_request   shell line that runs before the first embedding is answered
    log_inputs         keep the texts in the log; this one always does
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z_]")


@dataclass
class Request:
    """Hold one request for embeddings: its model, its texts, and whether vectors came back."""

    model: str
    texts: list[str]
    answered: bool = False


@dataclass
class FakeOllama:
    """Serve a spec until closed; the spec may change, and the log goes on."""

    spec: Mapping[str, Any]
    run_line: Callable[[str], None]
    log: list[Request] = field(default_factory=list)
    _count: int = 0  # embeddings asked for under the present spec
    _port: int = 0
    _server: ThreadingHTTPServer | None = None
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """Give the address; it stays the same while no connection is accepted."""
        return f"http://127.0.0.1:{self._port}"

    def up(self, spec: Mapping[str, Any] | None = None) -> None:
        """Accept connections, with another spec if one is given."""
        if spec is not None:
            self.spec, self._count = spec, 0
        if self._server is None:
            self._server = _Server(("127.0.0.1", self._port), _handler(self))
            self._port = self._server.server_address[1]
            threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def down(self) -> None:
        """Accept no connections."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def wait_for_requests(self, count: int, ended: Callable[[], bool]) -> bool:
        """Wait until the log has ``count`` requests; False if ``ended`` comes first."""
        with self._changed:
            while len(self.log) < count:
                if ended():
                    return len(self.log) >= count
                self._changed.wait(0.02)
        return True

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Give status and body for a POST; None for a connection that breaks."""
        if self._server is None:
            return None  # a connection from before it went down
        if self.spec["mode"] == "refuse":
            return 503, {"error": "unavailable"}
        model = str(body.get("model", ""))
        dim = self._dim(model)
        if dim is None:
            return 404, {"error": f'model "{model}" not found, try pulling it first'}
        if path == "/api/show":
            about = {"general.architecture": "fake", "fake.context_length": 2048, "fake.embedding_length": dim}
            return 200, {"model_info": about}
        asked = body.get("input", body.get("prompt", ""))
        texts = asked if isinstance(asked, list) else [asked]
        return self._embed(path, Request(model, texts), dim)

    def names(self) -> list[str]:
        """Give the models that ``/api/tags`` lists."""
        return list(self.spec.get("models") or {"fake-a": 0})

    def _dim(self, model: str) -> int | None:
        models = self.spec.get("models")
        if not models:
            return int(self.spec.get("dim", 64))
        found = models.get(model, models.get(f"{model}:latest"))
        return None if found is None else int(found)

    def _embed(self, path: str, request: Request, dim: int) -> tuple[int, dict[str, Any]] | None:
        spec = self.spec
        with self._changed:
            self._count += 1
            count = self._count
            self.log.append(request)
            self._changed.notify_all()
        if count == 1 and spec.get("on_first_request"):
            self.run_line(spec["on_first_request"])
        if spec["mode"] == "slow":
            time.sleep(spec.get("seconds_per_request", 1))
        if (spec["mode"] == "die_after" and count > spec["requests"]) or (spec["mode"] == "flaky" and count == 1):
            return None
        if refusal := _refusal(spec, request.texts):
            return refusal
        vectors = [_vector(text, dim, request.model.partition(":")[0]) for text in request.texts]
        request.answered = True
        if spec["mode"] == "short_batch" and len(vectors) > 1:
            vectors.pop()
        return 200, _in_form(path, request.model, vectors)


def _refusal(spec: Mapping[str, Any], texts: list[str]) -> tuple[int, dict[str, Any]] | None:
    mode = spec["mode"]
    if mode == "reject_blank" and not all(text.strip() for text in texts):
        return 400, {"error": "input must not be empty"}
    if mode == "ctx" and any(len(text) > spec["max_chars"] for text in texts):
        return 400, {"error": "the input length exceeds the context length"}
    if mode == "nan_on" and any(spec["marker"] in text for text in texts):
        return 500, {"error": "failed to encode response: json: unsupported value: NaN"}
    return None


def _in_form(path: str, model: str, vectors: list[list[float]]) -> dict[str, Any]:
    if path == "/api/embeddings":
        return {"embedding": vectors[0]}
    if path.startswith("/v1/"):
        data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
        return {"object": "list", "model": model, "data": data}
    return {"model": model, "embeddings": vectors}


def _vector(text: str, dim: int, salt: str) -> list[float]:
    """Add four signed units for each word piece, chosen by its hash; the sum has length 1."""
    vector = [0.0] * dim
    for piece in _pieces(text):
        digest = hashlib.sha256(f"{salt}{piece}".encode()).digest()
        for at in range(0, 16, 4):
            vector[int.from_bytes(digest[at : at + 3], "big") % dim] += 1.0 if digest[at + 3] & 1 else -1.0
    length = math.sqrt(sum(part * part for part in vector)) or 1.0
    return [part / length for part in vector]


def _pieces(text: str) -> Iterator[str]:
    for found in _WORDS.finditer(text):
        yield found[0].lower()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients of this server are killed on purpose."""


def _handler(fake: FakeOllama) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            if fake.spec["mode"] == "refuse":
                self._send(503, {"error": "unavailable"})
            elif self.path == "/api/tags":
                self._send(200, {"models": [{"name": name, "model": name} for name in fake.names()]})
            else:
                self._send(200, {"version": "0.0.0-fake"} if self.path == "/api/version" else {})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            answer = fake.answer(self.path, json.loads(self.rfile.read(length) or b"{}"))
            if answer is None:
                self.close_connection = True
            else:
                self._send(*answer)

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
