"""Ask an Ollama server, in little time, whether it has a model: ``probe``.

This is done before the real client is loaded, which costs 0.3 s; nothing is embedded here. Where nothing listens,
not even the one for HTTP of the standard library is.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from indexer.embed.address import Address
from indexer.embed.errors import EmbedderUnavailableError

CONNECT_SECONDS = 0.5  # a server on this machine takes a millisecond
FAR_CONNECT_SECONDS = 2.0
_ANSWER_SECONDS = 3.0  # for the whole answer
_MOST_BYTES = 4_000_000

START = "start it with `ollama serve`, or set another embedder"


class _NotHttpError(Exception):
    """Say that what answers does not speak HTTP."""


def probe(address: Address, model: str) -> str:
    """Give the beginning of the model's digest, empty where the server does not tell it.

    Raises:
        EmbedderUnavailableError: no Ollama answers there, or it does not have the model.
    """
    with _unavailable(address):
        socket.create_connection((address.host, address.port), _connect_seconds(address)).close()
        status, answer = _asked(address, "GET", "/api/tags")
        if status != 200:
            raise EmbedderUnavailableError(f"Ollama at {address} answers with status {status}", START)
        for listed in answer["models"] or []:
            if full_name(str(listed.get("name") or listed.get("model"))) == full_name(model):
                return str(listed.get("digest") or "").removeprefix("sha256:")[:12]
        status, _ = _asked(address, "POST", "/api/show", {"model": model})  # not all servers list all they have
    if status != 200:
        raise no_model(address, model)
    return ""


def full_name(model: str) -> str:
    """Give the name with its tag: ``latest`` is meant where there is none."""
    name = model.strip().lower()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def no_model(address: Address, model: str) -> EmbedderUnavailableError:
    """Make the error for a model that the server does not have."""
    return EmbedderUnavailableError(
        f"Ollama at {address} does not have the model {model}", f"run `ollama pull {model}`"
    )


def _connect_seconds(address: Address) -> float:
    return CONNECT_SECONDS if address.is_loopback else FAR_CONNECT_SECONDS


@contextmanager
def _unavailable(address: Address) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise EmbedderUnavailableError(f"Ollama does not answer in time at {address}", START) from error
    except OSError as error:
        raise EmbedderUnavailableError(
            f"Ollama does not answer at {address} ({error.strerror or error})", START
        ) from error
    except (_NotHttpError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderUnavailableError(
            f"what answers at {address} is not Ollama", "check the address of Ollama"
        ) from error


def _asked(address: Address, method: str, path: str, body: dict[str, str] | None = None) -> tuple[int, Any]:
    """Give the status and the JSON; by no proxy, at most ``_ANSWER_SECONDS`` long."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    wait = _connect_seconds(address)
    connection = kind(address.host, address.port, timeout=wait)
    end = monotonic() + wait + _ANSWER_SECONDS
    try:
        connection.connect()
        connection.sock.settimeout(_ANSWER_SECONDS)
        connection.request(
            method, address.path + path, json.dumps(body) if body else None, {"Accept": "application/json"}
        )
        answer = connection.getresponse()
        content = bytearray()
        while piece := answer.read1(65536):
            content += piece
            if monotonic() > end:
                raise TimeoutError
            if len(content) > _MOST_BYTES:
                raise ValueError("the list of models is too long")
        return answer.status, json.loads(content) if answer.status == 200 else None
    except HTTPException as error:
        raise _NotHttpError from error
    finally:
        connection.close()
