"""Ask Ollama for vectors and sort what can go wrong: ``OllamaClient.rows``.

Every fault comes out as one of two: ``RejectedError`` where other or shorter texts may pass, and
``EmbedderUnavailableError`` where nothing will. Passing faults are tried again first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from json import JSONDecodeError
from threading import Lock
from typing import TYPE_CHECKING, NoReturn

from indexer.embed.address import Address
from indexer.embed.errors import EmbedderUnavailableError
from indexer.embed.probe import START, no_model

if TYPE_CHECKING:
    import httpx
    import ollama

CONNECT_SECONDS = 2.0
KEEP_ALIVE = "30m"  # the model stays loaded between an edit and the next

_TOO_LONG = re.compile(r"context (length|size|window)|input (length|is too)|too long", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"\bNaN\b|unsupported value", re.IGNORECASE)
_NO_EMBEDDINGS = re.compile(r"not support embed", re.IGNORECASE)
_BUSY = frozenset({429, 502, 503, 504})


class Fault(Enum):
    """Say what it was about the texts."""

    TOO_LONG = "it is longer than the model takes"
    NOT_A_NUMBER = "the model gave NaN for it"
    SLOW = "the model took too long for it"
    UNCLEAR = "the server failed on it"  # it may be the server and not the text


class RejectedError(Exception):
    """Report that these texts, together, got no vectors."""

    def __init__(self, fault: Fault, words: str) -> None:
        super().__init__(fault, words)
        self.fault = fault
        self.words = words


class _PassingError(Exception):
    """Report a fault that may be over in a moment; ``then`` is the error to raise if it is not."""

    def __init__(self, then: Exception) -> None:
        super().__init__(then)
        self.then = then


class OllamaClient:
    """Hold one connection pool to a server, with a time that an answer may take."""

    def __init__(self, address: Address, model: str, seconds: float, pause: Callable[[float], None]) -> None:
        self.address = address
        self.model = model
        self.seconds = seconds
        self._pause = pause
        self._client: ollama.Client | None = None
        self._opening = Lock()

    def rows(self, texts: Sequence[str], pauses: Sequence[float]) -> Sequence[Sequence[float]]:
        """Give one row of numbers for each text; try again after each of the pauses (seconds).

        Raises:
            RejectedError: other texts, fewer or shorter ones, may pass.
            EmbedderUnavailableError: none will.
        """
        for pause in pauses:
            try:
                return self._once(texts)
            except _PassingError:
                self._pause(pause)
        try:
            return self._once(texts)
        except _PassingError as error:
            raise error.then from error

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        with self._opening:
            client, self._client = self._client, None
        if client is not None:
            client.close()  # type: ignore[no-untyped-call]

    def _once(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        client = self._open()
        import httpx
        import ollama

        try:
            rows = client.embed(self.model, list(texts), truncate=True, keep_alive=KEEP_ALIVE).embeddings
        except ollama.ResponseError as error:
            self._refused(error.status_code, " ".join(error.error.split())[:120])
        except httpx.ReadTimeout as error:
            raise RejectedError(Fault.SLOW, f"no answer within {self.seconds:g} s") from error
        except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _PassingError(self._gone("does not answer")) from error
        except (httpx.HTTPError, RuntimeError) as error:  # RuntimeError: another thread closed the client
            raise _PassingError(self._gone("broke off")) from error
        except (JSONDecodeError, UnicodeDecodeError) as error:
            odd = EmbedderUnavailableError(
                f"what answers at {self.address} is not what Ollama says", "check the address of Ollama"
            )
            raise _PassingError(odd) from error
        except ValueError as error:  # JSON of another form, such as null for a number
            raise _PassingError(RejectedError(Fault.UNCLEAR, "no vectors in the answer")) from error
        if len(rows) != len(texts):
            raise RejectedError(Fault.UNCLEAR, f"{len(rows)} vectors came for {len(texts)} texts")
        return rows

    def _refused(self, status: int, words: str) -> NoReturn:
        """Raise what a refusal in words means."""
        if status == 404:
            if "model" in words.lower():
                raise no_model(self.address, self.model)
            raise EmbedderUnavailableError(f"what answers at {self.address} cannot embed ({words})", "update Ollama")
        if status in (401, 403):
            raise EmbedderUnavailableError(f"Ollama at {self.address} refuses access", "check the address of Ollama")
        if _NO_EMBEDDINGS.search(words):
            raise EmbedderUnavailableError(
                f"the model {self.model} does not embed", "set one that does, such as nomic-embed-text"
            )
        if status in _BUSY:
            raise _PassingError(self._gone(f"answers with status {status} ({words})"))
        if _TOO_LONG.search(words):
            raise RejectedError(Fault.TOO_LONG, words)
        if _NOT_A_NUMBER.search(words):
            raise RejectedError(Fault.NOT_A_NUMBER, words)
        rejected = RejectedError(Fault.UNCLEAR, f"status {status}: {words}")
        raise _PassingError(rejected) if status >= 500 else rejected

    def _gone(self, what: str) -> EmbedderUnavailableError:
        return EmbedderUnavailableError(f"Ollama at {self.address} {what}", START)

    def _open(self) -> ollama.Client:
        with self._opening:
            if self._client is None:
                wait = CONNECT_SECONDS
                try:
                    import ollama

                    self._client = ollama.Client(
                        str(self.address),
                        timeout=(wait, self.seconds, self.seconds, wait),  # connect, read, write, wait for a connection
                        follow_redirects=False,
                        trust_env=not self.address.is_loopback,  # else HTTP_PROXY would get calls to this machine
                        event_hooks={"request": [_without_key]},
                    )
                except (ImportError, ValueError) as error:  # at import it reads OLLAMA_HOST and the proxy variables
                    raise EmbedderUnavailableError(
                        f"the client of Ollama cannot start: {error}", "check OLLAMA_HOST and the proxy variables"
                    ) from error
            return self._client


def _without_key(request: httpx.Request) -> None:
    """Leave out OLLAMA_API_KEY, which the client adds unasked: it is meant for another server than this one."""
    request.headers.pop("authorization", None)
