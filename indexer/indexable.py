"""Say which files are not worth a place in an index: ``why_not_indexed`` and ``why_text_not_indexed``.

They are read, listed and searched like all others; only questions by meaning do not look into them.
"""

from __future__ import annotations

import re

MAX_SOURCE = 1_000_000  # bytes of a file in a known language
MAX_OTHER = 200_000  # bytes of any other text: what is larger is data

_LOCK_FILE = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|[\w.-]+\.lock|[\w.-]+\.lockb|go\.sum|pnpm-lock\.yaml"
    r"|packages\.lock\.json|gradle\.lockfile|Package\.resolved|Podfile\.lock|flake\.lock)$"
)
_DATA = re.compile(r"\.(?:map|svg|csv|tsv|po|pot|geojson|ipynb_checkpoints|snap|pem|crt)$", re.IGNORECASE)


def why_not_indexed(path: str, size: int) -> str:
    """Say why a file is left out by its name and size in bytes; empty where it is not."""
    from indexer.languages import language_of

    if _LOCK_FILE.search(path):
        return "lock file"
    if _DATA.search(path):
        return "data, no source"
    limit = MAX_OTHER if language_of(path) is None else MAX_SOURCE
    return f"larger than {limit // 1000} kB" if size > limit else ""


def why_text_not_indexed(path: str, text: str) -> str:
    """Say why a text is left out by what it is; empty where it is not."""
    from indexer.languages import language_of
    from indexer.summary import why_not_parsed

    return "minified" if language_of(path) is not None and "minified" in why_not_parsed(text) else ""
