"""Know what a store's location tells: whether it is remote, how it may be shown, why it cannot be reached.

``shown`` gives a location, or any text with locations in it, without what opens the door to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MASK = "***"
_LOGIN = re.compile(r"(?<=://)[^\s?#'\"]+@")  # a secret may hold a slash or an @, so up to the last
_QUERY = re.compile(r"(://[^\s?#]*)\?[^\s'\")\]]*")
_ASSIGNED = re.compile(
    r"""((?:secret|token|password|passwd|signature|credential|access[_-]?key|account[_-]?key|sas|api[_-]?key)[\w-]*
    ["']?\s*[=:]\s*["']?)[^\s"',;&)}\]]+""",
    re.IGNORECASE | re.VERBOSE,
)
_STATUS = re.compile(r"\b(?:status(?: code)?|error):?\s*(\d{3})\b|\b(\d{3}) (?:Forbidden|Unauthorized|Not Found)", re.I)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Say why a store cannot be used: in words that follow its name; and whether it was refused."""

    reason: str
    denied: bool = False


def is_remote(location: str) -> bool:
    """Say whether a location is on another machine, where others may use it, too."""
    return "://" in location


def shown(text: str) -> str:
    """Give a location, or a text that holds some, without logins, query strings and values of secrets."""
    text = _LOGIN.sub(f"{MASK}@", text)
    text = _QUERY.sub(rf"\1?{MASK}", text)
    return _ASSIGNED.sub(rf"\1{MASK}", text)


def why_unreachable(told: str) -> Unreachable | None:
    """Say what an error of an object store means; None if it is not about reaching it."""
    low = told.lower()
    for marks, meaning in _MEANINGS:
        if any(mark in low for mark in marks):
            return meaning
    status = _STATUS.search(told)
    code = int(status[1] or status[2]) if status else 0
    if code in (401, 403):
        return _DENIED
    if code >= 500 or code == 429:
        return Unreachable(f"answers with an error ({code}); try again later")
    return None


_DENIED = Unreachable(
    "refuses access; check the credentials in the environment and what they may do there", denied=True
)
_MEANINGS: tuple[tuple[tuple[str, ...], Unreachable], ...] = (
    (
        ("nosuchbucket", "bucket does not exist", "containernotfound", "bucket not found"),
        Unreachable("is not there: the bucket does not exist; create it, or correct store.uri"),
    ),
    (
        (
            "accessdenied",
            "access denied",
            "invalidaccesskeyid",
            "signaturedoesnotmatch",
            "invalidtoken",
            "expiredtoken",
            "authenticationfailed",
            "forbidden",
            "unauthorized",
            "permission denied",
        ),
        _DENIED,
    ),
    (
        (
            "no credentials",
            "credentials provider",
            "credential provider",
            "failed to get aws credentials",
            "credentialsnotloaded",
            "169.254.169.254",
            "not enabled in the chain",
        ),
        Unreachable("needs credentials; set those of its provider in the environment", denied=True),
    ),
    (
        ("badscheme", "url scheme is not allowed", "allow_http"),
        Unreachable("is reached by plain HTTP, which is off; AWS_ALLOW_HTTP=true allows it"),
    ),
    (
        (
            "connection refused",
            "error sending request",
            "dns error",
            "failed to lookup address",
            "connect error",
            "connection reset",
            "operation timed out",
            "timed out",
            "connection closed",
            "network is unreachable",
        ),
        Unreachable("does not answer; check the network, and the endpoint in the environment"),
    ),
)
