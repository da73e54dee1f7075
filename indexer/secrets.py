"""Recognise secrets: ``is_secret_path`` by a file's path, ``mask`` inside a text.

Masking replaces the value only and keeps every line where it is. It is a guess that errs on the side of readable
code: names, placeholders and words are left alone, so a weak password made of words is not found.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fnmatch import translate

MASK = "[masked]"
LINES = "private key"  # the kind of secret that has many lines
AROUND = 12  # lines that others may stand before or behind their value: a name, then blank lines

_words = str.split

_NAMES = frozenset(
    _words("""
    .env .envrc .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .dockercfg
    .dockerconfigjson .htpasswd .boto .s3cfg .vault-token kubeconfig
    id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk
    credentials credentials.json credentials.yml credentials.yaml credentials.csv credentials.xml credentials.ini
    secrets.json secrets.yml secrets.yaml secrets.toml secrets.ini secrets.properties
    """)
)
_SUFFIXES = tuple(
    _words("""
    .env .pem .key .p8 .p12 .pfx .pkcs12 .jks .jceks .bks .keystore .kdb .kdbx .ppk .ovpn .agekey
    .tfvars .tfvars.json .tfstate .tfstate.backup _rsa _ed25519
    """)
)
_PATTERNS = _words("""
    .env.* ssh_host_*_key .vault_pass* vault_pass*.txt client_secret*.json google-credentials*.json
    service-account*.json service_account*.json serviceaccount*.json gcp-key*.json
""")
_IS_LIKE = re.compile("|".join(map(translate, [*_PATTERNS, "*firebase-adminsdk*.json"])))
_STARTS = tuple(pattern.partition("*")[0] for pattern in _PATTERNS)  # far faster asked for than patterns
_KEYS = tuple(_words(".pem .key .p8 .p12 .pfx .pkcs12 .jks .jceks .bks .keystore .ppk .agekey _rsa _ed25519"))
_IS_HOST_KEY = re.compile(translate("ssh_host_*_key"))
_MAY_BE_SECRET = re.compile(
    r"(?=[A-Za-z+/=]*\d)[A-Za-z\d+/=]{16,}|^\s*(?=[A-Za-z+/=]*\d)[A-Za-z\d+/=]{8,}\s*$|[A-Za-z\d+/=]{40,}"
    r"|(?i:passw|passphrase|pwd|secret|token|credential|key).*(?:[\"'`]|(?=\S*\d)\S{8})"
    r"|://[^\s/]*:|PRIVATE KEY"
)
_FOLDERS = ("/.ssh/", "/.gnupg/")
_PATHS = ("/.aws/credentials", "/.aws/config", "/.docker/config.json", "/.kube/config")
# Made to be read: templates without values, type declarations, the public halves of keys.
_HARMLESS = tuple(
    _words("""
    .example .sample .template .tmpl .tpl .dist .defaults .schema .pub .d.ts .md .rst
    example.env sample.env template.env known_hosts
    """)
)
_HARMLESS_NAMES = frozenset({".env.ts", ".env.js", ".env.mjs", ".env.py"})  # code that reads the environment


@dataclass(frozen=True, slots=True)
class Masked:
    """Hold a text whose likely secrets are replaced by ``[masked]``.

    Attributes:
        text: as many lines as before, each where it was.
        lines: numbers of the lines with something masked.
        kinds: what kinds of secrets these are (``aws key``, ``private key``, ``password``).
        counts: how many of each kind, as pairs sorted by kind.
    """

    text: str
    lines: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()


def is_secret_path(path: str) -> bool:
    """Say whether a file of this path is made to hold secrets, whatever is in it."""
    whole = f"/{path.lower()}"
    name = whole.rpartition("/")[2]
    looks_so = (
        name in _NAMES
        or name.endswith(_SUFFIXES)
        or ((name.startswith(_STARTS) or "firebase" in name) and _IS_LIKE.match(name) is not None)
        or whole.endswith(_PATHS)
        or _FOLDERS[0] in whole
        or _FOLDERS[1] in whole
    )
    return looks_so and not name.endswith(_HARMLESS) and name not in _HARMLESS_NAMES


def kind_of_secret_path(path: str) -> str:
    """Say what a secret file holds, for counting: ``environment``, ``key`` or ``credentials``."""
    name = path.lower().rpartition("/")[2]
    if name.startswith(".env") or name.endswith(".env"):
        return "environment"
    if name.endswith(_KEYS) or name.startswith("id_") or _IS_HOST_KEY.match(name) or "/.ssh/" in f"/{path.lower()}":
        return "key"
    return "credentials"


def may_show_secret(cut: str) -> bool:
    """Say whether a line without its surroundings, or only the beginning of one, may show a part of a secret.

    What is cut has no form by which it could be told, so this says so too often rather than too seldom.
    """
    return _MAY_BE_SECRET.search(cut) is not None


def mask_lines(text: str, start: int, end: int) -> list[str]:
    """Give some lines of a whole file as ``mask`` leaves them, without line breaks; no more is looked at than needed.

    Args:
        text: of the file.
        start: first line wanted.
        end: last line wanted.
    """
    lines = text.split("\n")
    first, last = max(0, start - 1 - AROUND), end + AROUND
    if "PRIVATE KEY" in text:
        first, last = 0, len(lines)
    masked = mask("\n".join(lines[first:last])).text.split("\n")
    return [line.rstrip("\r") for line in masked[start - 1 - first : end - first]]


def mask(text: str, first_line: int = 1, shown_from: int = 0) -> Masked:
    """Replace likely secrets in a text.

    Args:
        text: whole lines, best a whole file: a key is recognised by how it begins or ends.
        first_line: number of its first line.
        shown_from: character of its first line from which on it is wanted; a secret that begins before and ends
            behind it is masked from there.
    """
    from indexer.credentials import find_credentials

    found = sorted((max(start, shown_from), end, kind) for start, end, kind in find_credentials(text))
    found = [each for each in found if each[1] > each[0]]
    if not found:
        return Masked(text[shown_from:])
    parts: list[str] = []
    lines: dict[int, None] = {}
    counts: Counter[str] = Counter()
    last = ("", -1)  # kind and line of the one before
    done = counted = shown_from
    line = first_line
    for start, end, kind in found:
        if end <= done:
            continue
        if start >= done:
            parts += [text[done:start], MASK]
            line += text.count("\n", counted, start)
            counted = start
            lines[line] = None
            counts[kind] += last != (kind, line - 1) or kind != LINES  # the lines of one key are one secret
            last = (kind, line)
        done = end
    kinds = tuple(sorted({kind for _, _, kind in found}))
    return Masked("".join([*parts, text[done:]]), tuple(lines), kinds, tuple(sorted(counts.items())))
