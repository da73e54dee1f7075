"""Choose the embedder that can be had on this machine: ``choose``.

This is cheap: no model is loaded, and a server is only asked what it has.
"""

from __future__ import annotations

from dataclasses import dataclass

from indexer.embed.address import DEFAULT_PORT, Address
from indexer.embed.errors import EmbedderUnavailableError
from indexer.embed.protocol import Embedder

EMBEDDERS = ("auto", "ollama", "minilm", "none")
DEFAULT_URL = f"http://127.0.0.1:{DEFAULT_PORT}"
DEFAULT_MODEL = "nomic-embed-text"


@dataclass(frozen=True, slots=True)
class Choice:
    """Hold an embedder and, in a few words, why it was taken."""

    embedder: Embedder
    reason: str


def choose(name: str = "auto", *, url: str = DEFAULT_URL, model: str = DEFAULT_MODEL, seconds: float = 60.0) -> Choice:
    """Give the embedder of that name; ``auto`` takes Ollama, else ``minilm``, else none at all.

    Args:
        name: one of ``EMBEDDERS``.
        url: where Ollama is.
        model: which of Ollama's models.
        seconds: how long Ollama may take for a batch.

    Raises:
        EmbedderUnavailableError: the one asked for by name cannot be had.
        ValueError: there is no embedder of that name.
    """
    match name:
        case "ollama":
            return _ollama(url, model, seconds)
        case "minilm":
            return _minilm()
        case "none":
            return _none("set so")
        case "auto":
            return _any(url, model, seconds)
    raise ValueError(f"there is no embedder {name!r}, only {', '.join(EMBEDDERS)}")


def _any(url: str, model: str, seconds: float) -> Choice:
    try:
        return _ollama(url, model, seconds)
    except EmbedderUnavailableError as error:
        no_ollama = error.what
    try:
        found = _minilm()
    except EmbedderUnavailableError as error:
        return _none(f"{no_ollama}, and {error.what}; {error.remedy}")
    return Choice(found.embedder, f"{no_ollama}; {found.reason}")


def _ollama(url: str, model: str, seconds: float) -> Choice:
    from indexer.embed.probe import probe

    address = Address.of(url)
    digest = probe(address, model)
    from indexer.embed.ollama import OllamaEmbedder

    embedder = OllamaEmbedder(str(address), model, digest=digest, read_seconds=seconds)
    return Choice(embedder, f"Ollama at {address} has {model}")


def _minilm() -> Choice:
    from indexer.embed.minilm import INSTALL, MiniLm, missing_packages

    missing = missing_packages()
    if missing:
        raise EmbedderUnavailableError(f"the embedder minilm needs {', '.join(missing)}", INSTALL)
    return Choice(MiniLm(), "minilm is installed")


def _none(reason: str) -> Choice:
    from indexer.embed.none import NoEmbedder

    return Choice(NoEmbedder(), reason)
