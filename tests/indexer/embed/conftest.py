"""Fixtures: a server that answers as Ollama does, until a test says otherwise."""

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

HANG_UP = object()


def numbers_of(text, dimension=8):
    """Give the vector that the stand-in has for a text."""
    return [byte - 127.5 for byte in sha256(text.encode("utf-8")).digest()[:dimension]]


@dataclass
class StandIn:
    """Answer on a port of this machine.

    ``replies`` takes the texts of a request and its number (from 1) and gives what to send: rows of numbers, a pair of
    status and body, bytes, or ``HANG_UP``.
    """

    replies: object = lambda texts, _: [numbers_of(text) for text in texts]
    listed: object = field(
        default_factory=lambda: {"models": [{"name": "nomic-embed-text:latest", "digest": "ab" * 32}]}
    )
    shown: set = field(default_factory=set)  # models that exist and are not listed
    bodies: list = field(default_factory=list)
    headers: list = field(default_factory=list)
    paths: list = field(default_factory=list)
    url: str = ""
    hang_up: object = HANG_UP

    @property
    def texts(self):
        """Give the texts of each request for vectors."""
        return [body["input"] for body in self.bodies]


@pytest.fixture
def stand_in():
    server_state = StandIn()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms

        def log_message(self, *_):
            pass

        def send(self, status, body):
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            with suppress(ConnectionError):  # the client may have left
                self.end_headers()
                self.wfile.write(content)

        def do_GET(self):
            server_state.paths.append(self.path)
            self.reply(server_state.listed)

        def do_POST(self):
            server_state.paths.append(self.path)
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/api/show":
                return self.reply({} if body["model"] in server_state.shown else (404, {"error": "not found"}))
            server_state.bodies.append(body)
            server_state.headers.append(dict(self.headers))
            reply = server_state.replies(body["input"], len(server_state.bodies))
            return self.reply({"model": body["model"], "embeddings": reply} if isinstance(reply, list) else reply)

        def reply(self, reply):
            if reply is HANG_UP:
                self.close_connection = True
            elif isinstance(reply, tuple):
                self.send(*reply)
            else:
                self.send(200, reply)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    server_state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server_state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def closed_url():
    """Give an address where nothing listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.server_close()
    return f"http://127.0.0.1:{server.server_port}"
