"""Read the address of an Ollama server as its own tools do: ``Address.of``."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from indexer.embed.errors import EmbedderUnavailableError

DEFAULT_PORT = 11434
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Say where a server is; names and passwords in the address are left out."""

    scheme: str
    host: str
    port: int
    path: str  # empty, or with a leading and without a trailing slash

    @classmethod
    def of(cls, url: str) -> Address:
        """Read ``http://host:port``, ``host:port`` or ``host``.

        Raises:
            EmbedderUnavailableError: it is none of these.
        """
        text = url.strip()
        scheme, separator, rest = text.partition("://")
        try:
            parts = urlsplit(text if separator else f"http://{text}")
            port = parts.port or (_PORTS.get(scheme.lower(), 0) if separator else DEFAULT_PORT)
            host = parts.hostname or ("127.0.0.1" if not separator and text.startswith(":") else "")
            host.encode("idna")
        except ValueError:
            host, port = "", 0
        if not host or not port or (separator and not rest):
            raise EmbedderUnavailableError(
                "the address of Ollama is not one of a server", f"give one like http://127.0.0.1:{DEFAULT_PORT}"
            )
        return cls(parts.scheme.lower(), host, port, parts.path.rstrip("/"))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    @property
    def is_loopback(self) -> bool:
        """Say whether the server is on this machine, where no proxy belongs in between."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            address = ip_address(self.host)
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified
