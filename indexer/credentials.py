"""Find likely credentials in a text: ``find_credentials`` gives where their values are.

Credentials of a known form are taken by that form; values given to names like ``password`` only if they look made by
chance. A text without any of these costs a few fast searches, so that all text can be looked through. Which
files are secret as a whole is decided in ``indexer.secrets``.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from indexer.chance import is_example, is_made_up, looks_random

Found = tuple[int, int, str]  # start and end of the value in the text, kind

# Each form begins a run of at least 20 letters, digits, "_" and "-", or stands before one with a dot.
_FORMS = tuple(
    (kind, re.compile(form))
    for kind, form in (
        ("aws key", r"A[KS]IA[A-Z0-9]{16}(?![\w-])"),
        ("github token", r"gh[pousr]_[A-Za-z0-9]{36,255}(?!\w)"),
        ("github token", r"github_pat_\w{60,255}"),
        ("gitlab token", r"gl(?:pat|dt|rt|ptt)-[\w.-]{20,}"),
        ("slack token", r"x(?:ox[abeoprs]|app)-[\w-]{15,}"),
        ("stripe key", r"(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9+/]{16,}"),
        ("api key", r"sk-(?:[a-z]{2,8}\d{0,2}-){0,4}(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Z])[\w-]{20,}"),
        ("google key", r"AIza[\w-]{35}(?![\w-])"),
        ("google token", r"(?:ya29\.|GOCSPX-)[\w-]{20,}"),
        ("jwt", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
        ("package token", r"npm_[A-Za-z0-9]{36}(?!\w)|pypi-[\w-]{60,}"),
        ("model hub token", r"hf_[A-Za-z0-9]{30,}(?!\w)"),
        ("mail key", r"SG\.[\w-]{20,24}\.[\w-]{40,50}"),
        ("cloud token", r"(?:do[opr]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32})(?!\w)"),
        ("shop token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?!\w)"),
        ("vault token", r"hv[sb]\.[\w-]{24,}"),
        ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    )
)
_BEGINNING = re.compile(
    r"A[KS]IA|gh[pousr]_|github_pat|gl[a-z]{2,3}-|xox.-|xapp-|[rs]k_|whsec_|sk-|AIza|GOCSPX|eyJ|npm_|pypi-|hf_"
    r"|do[opr]_|dapi|shp[acps]|AGE-S|SG\.|ya29\.|hv[sb]\."
)
_DOTTED = ("SG.", "ya29.", "hvs.", "hvb.")
# Finding a long needle is the fastest search there is: all characters of runs become "a", the others blanks.
_AS_RUNS = bytes(
    97 if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_-") else 32 for byte in range(256)
)
_RUN = b"a" * 20

# Parts of names whose values are secret, in small letters without "_" and "-", and as they may be written.
_NAMES = {
    b"passw": ("passw",),
    b"passphrase": ("passphrase",),
    b"pwd": ("pwd",),
    b"secret": ("secret",),
    b"token": ("token",),
    b"credential": ("credential",),
    b"accountkey": ("accountkey",),
    **{
        word.encode() + b"key": (f"{word}key", f"{word}_key", f"{word}-key")
        for word in ("api", "access", "auth", "private", "encryption", "signing")
    },
}
_SMALL = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
# Names that only sound like it: places in lists, and what is said about a secret rather than the secret.
_OTHER_TOKEN = re.compile(r"(?:next|page|client|request|continuation|sync|update|public|start|end)[-_]?$")
_ABOUT = re.compile(
    r"(?:prefix|suffix|type|name|path|file|url|uri|endpoint|id|len|length|header|field|param|label|format|regex"
    r"|pattern|arn|version|algorithm|class|kind|size|count|index|ttl|iz\w+|verifier|provider|policy|expir\w*)s?$"
)
_NAME_REST = r"(?P<rest>[\w.-]{0,40})[\"'`\])]{0,3}\s{0,8}"
_TYPE = r"(?::\s{0,4}[A-Za-z_][\w.\[\]| ]{0,40}(?==))?"
_QUOTED = r"[bBrRuU@]{0,2}(?P<quote>\"\"\"|'''|[\"'`])(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){8,500})(?P=quote)"
_ASSIGNED = re.compile(
    rf"{_NAME_REST}{_TYPE}\s{{0,8}}(?:=>|[:?!<>+]?={{1,3}}|<-|:|,(?=[ \t]*\S))\s{{0,8}}"
    rf"(?:[A-Za-z_.]{{1,30}}\(\s{{0,4}})?{_QUOTED}"
)
_BARE = re.compile(  # in configuration files: no quotes, nothing else on the line
    r"(?P<rest>[\w.-]{0,40})[\"']?[ \t]{0,8}(?:[:?]?=|:)[ \t]{0,8}(?P<value>[^\s\"'`#;,(){}\[\]<>&|$*]{12,300})"
    r"(?=[ \t]*(?:[#;,].*)?\r?(?:\n|\Z))"
)
_TAGGED = re.compile(r"(?P<rest>[\w.-]{0,40})>\s{0,4}(?P<value>[^\s<>]{8,300})\s{0,4}</")

_USER_AND_PASSWORD = re.compile(
    r"(?P<user>[^\s:@/?#\"'`<>\\]{0,100}):(?P<value>[^\s:@/\"'`<>\\]{3,200})@(?P<host>[\w.\[-]+)"
)
_HOOK = re.compile(
    r"(?:hooks\.slack\.com|discord(?:app)?\.com/api)/(?:services|workflows|webhooks)/(?P<value>[\w/+-]{20,})"
)
_BEARER = re.compile(r"earer\s{1,4}(?P<value>[A-Za-z0-9._~+/-]{20,}={0,2})")
_BASIC = re.compile(r"asic\s{1,4}(?P<value>[A-Za-z0-9+/]{12,}={0,2})(?![\w+/])")
_OWN_HOSTS = ("localhost", "127.0.0.1", "0.0.0.0", "host", "example")  # noqa: S104 - compared, not bound to

_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(r"[ \t]*(?:[#*>|+\"']|//)*[ \t]*(?P<value>[A-Za-z0-9+/=\\]{4,})[\"'\\, +;)]*\r?")
_KEY_HEADER = re.compile(r"[ \t]*(?:[A-Za-z-]+: [^\n]*)?\r?")
_KEY_INLINE = re.compile(r"[A-Za-z0-9+/=\\\s]{24,}")
_MAX_KEY_LINES = 250  # of base64, a key of 16,384 bits
_MAX_KEY = 30_000  # characters between the marks
_MAX_KEY_LINE = 500
_MIN_KEY_LINE = 16


def find_credentials(text: str) -> Iterator[Found]:
    """Give the values that look like credentials, in no order; they may overlap, and none crosses a line's end."""
    bytes_ = text.encode("latin-1", "replace")  # one byte a character
    yield from _of_known_form(text, bytes_.translate(_AS_RUNS))
    small = bytes_.translate(_SMALL, b"_-")
    has_key, has_pass = b"key" in small, b"pass" in small  # asked first, as most files have not all of these
    names = [
        written
        for name, written in _NAMES.items()
        if (has_key or not name.endswith(b"key")) and (has_pass or not name.startswith(b"pass")) and name in small
    ]
    if names:
        yield from _assigned(text, [name for written in names for name in written])
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)
    if "://" in text:
        yield from _in_urls(text)
    if "earer " in text or "asic " in text:
        yield from _in_headers(text)


def _of_known_form(text: str, runs: bytes) -> Iterator[Found]:
    at = runs.find(_RUN)
    while at >= 0:
        start = at
        if at and text[at - 1] == ".":
            start -= next((len(prefix) for prefix in _DOTTED if text.endswith(prefix, max(0, at - 5), at)), 0)
        if _BEGINNING.match(text, start):
            for kind, form in _FORMS:
                found = form.match(text, start)
                if found is not None and not is_made_up(found[0]):
                    yield (*found.span(), kind)
        end = runs.find(b" ", at)
        at = runs.find(_RUN, end) if end >= 0 else -1


def _assigned(text: str, names: list[str]) -> Iterator[Found]:
    lowered = text.replace("\u0130", "I").lower()  # the one letter whose small form is longer
    for name in names:
        at = lowered.find(name)
        while at >= 0:
            after = at + len(name)
            found = _ASSIGNED.match(text, after) or _BARE.match(text, after) or _TAGGED.match(text, after)
            if found is not None and _is_secret_name(lowered, at, found):
                is_password = name.startswith(("pass", "pwd"))
                if looks_random(found["value"], is_password=is_password):
                    yield (*found.span("value"), "password" if is_password else "secret value")
            at = lowered.find(name, after)


def _is_secret_name(lowered: str, at: int, found: re.Match[str]) -> bool:
    if lowered.startswith("token", at) and _OTHER_TOKEN.search(lowered, max(0, at - 14), at):
        return False
    return not _ABOUT.search(lowered, *found.span("rest"))


def _in_urls(text: str) -> Iterator[Found]:
    at = text.find("://")
    while at >= 0:
        hook = _HOOK.match(text, at + 3)
        if hook is not None and not is_made_up(hook["value"]):
            yield (*hook.span("value"), "web hook")
        found = _USER_AND_PASSWORD.match(text, at + 3)
        if found is not None and _is_real_login(found["user"], found["value"], found["host"]):
            yield (*found.span("value"), "password in a URL")
        at = text.find("://", at + 3)


def _in_headers(text: str) -> Iterator[Found]:
    for found in _BEARER.finditer(text):
        if looks_random(found["value"]):
            yield (*found.span("value"), "bearer token")
    for found in _BASIC.finditer(text):
        if _is_user_and_password(found["value"]):
            yield (*found.span("value"), "basic login")


def _is_real_login(user: str, password: str, host: str) -> bool:
    if password[0] in "$%{[(*&" or password.isdigit() or password.lower() == user.lower():
        return False
    if is_example(password) or is_made_up(password):
        return False
    return looks_random(password) or not any(own in host.lower() for own in _OWN_HOSTS)


def _is_user_and_password(encoded: str) -> bool:
    try:
        login = binascii.a2b_base64(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except ValueError:
        return False
    user, colon, password = login.partition(":")
    return colon == ":" and login.isprintable() and password != "" and not is_made_up(password) and user != password


def _private_keys(text: str) -> Iterator[Found]:
    """Give each line of the base64 between the marks, or behind the first where there is no second."""
    first_end = _KEY_END.search(text)
    begin = _KEY_BEGIN.search(text)
    if first_end is not None and (begin is None or begin.start() > first_end.start()):
        yield from _lines_before(text, first_end.start())  # the text begins inside of a key
    while begin is not None:
        end = _KEY_END.search(text, begin.end(), begin.end() + _MAX_KEY)
        line_end = text.find("\n", begin.end())
        if end is not None and (line_end < 0 or end.start() < line_end):
            if _KEY_INLINE.search(text, begin.end(), end.start()):  # its line breaks are written as escapes
                yield begin.end(), end.start(), "private key"
        elif line_end >= 0:
            yield from _key_lines(text, line_end + 1, end.start() if end else None)
        begin = _KEY_BEGIN.search(text, end.end() if end else begin.end())


def _key_lines(text: str, at: int, end: int | None) -> Iterator[Found]:
    begun = False
    for _ in range(_MAX_KEY_LINES):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        if (end is not None and line_end > end) or line_end - at > _MAX_KEY_LINE:
            return
        found = _KEY_LINE.fullmatch(text, at, line_end)
        if found is not None and (
            end is not None or len(found["value"]) >= _MIN_KEY_LINE or found["value"].endswith("=")
        ):
            begun = True
            yield (*found.span("value"), "private key")
        elif end is None and (begun or not _KEY_HEADER.fullmatch(text, at, line_end)):
            return  # behind a first mark alone, the key ends with its base64
        at = line_end + 1
        if at >= len(text):
            return


def _lines_before(text: str, end: int) -> Iterator[Found]:
    line_end = text.rfind("\n", 0, end)
    for count in range(_MAX_KEY_LINES):
        if line_end < 0:
            return
        start = text.rfind("\n", 0, line_end) + 1
        found = _KEY_LINE.fullmatch(text, start, line_end) if line_end - start <= _MAX_KEY_LINE else None
        if found is None or (count and len(found["value"]) < _MIN_KEY_LINE):  # only the last line may be short
            return
        yield (*found.span("value"), "private key")
        line_end = start - 1
