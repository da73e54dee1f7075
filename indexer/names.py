"""Find the files that hold a name, and names that resemble one: what symbol search begins with.

Only bytes and words are looked at here; what is a definition or a use is decided by grammars elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from indexer.errors import IndexerError
from indexer.files import read_bytes
from indexer.walk import WalkedFile

MAX_NAMED_BYTES = 30_000_000  # of files whose words are compared with a name that is not found
MAX_FILE_BYTES = 2_000_000  # of one file; larger ones are generated or data
_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|e2e)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*(?:_test|_spec|\.test|\.spec|Tests?|Spec)\.\w+)$"
)
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]{2,60}")


def is_test_path(path: str) -> bool:
    """Tell whether a path is one of tests, by the habits of many languages."""
    return _TEST.search(path) is not None


def files_with(
    root: Path, files: Iterable[WalkedFile], name: str, check: Callable[[], None] = lambda: None
) -> list[WalkedFile]:
    """Give the files that hold a name as a whole word: those first that seem to define it, then the small ones.

    Args:
        root: of the project.
        files: to look at.
        name: a name, which must stand in the file in UTF-8 (or in the ASCII part of another encoding).
        check: called for each file; may raise to stop.
    """
    word = name.encode("utf-8", "replace")
    before, after = rb"(?<![\w$])", rb"(?![\w$])"
    whole = re.compile(before + re.escape(word) + after)
    defines = re.compile(
        rb"\b(?:def|class|func|fun|fn|function|interface|trait|struct|enum|type|module|object|macro|record|const|let|var)"
        rb"\s+(?:\([^()]*\)\s*)?(?:[\w.:]+(?:\.|::))?" + re.escape(word) + after
    )
    found = []
    for file in files:
        check()
        try:
            data = read_bytes(root / file.path, file.path) if file.size <= MAX_FILE_BYTES else b""
        except IndexerError:
            continue  # gone or unreadable since the walk: it holds nothing that can be shown
        if word in data and whole.search(data):
            found.append((defines.search(data) is None, file.size, file.path, file))
    return [file for *_, file in sorted(found, key=lambda item: item[:3])]


def names_like(root: Path, files: Sequence[WalkedFile], name: str, count: int = 3) -> list[str]:
    """Give the words of the files that most resemble a name, best first; common ones win ties."""
    tally: Counter[str] = Counter()
    budget = MAX_NAMED_BYTES
    for file in files:
        budget -= file.size
        if budget < 0 or file.size > MAX_FILE_BYTES:
            continue
        try:
            words = set(_WORD.findall(read_bytes(root / file.path, file.path)))
        except IndexerError:
            continue
        tally.update(word.decode("utf-8", "replace") for word in words if abs(len(word) - len(name)) <= 8)
    tally.pop(name, None)  # it stands in a comment or a text only
    lower = {word.lower(): word for word, _ in reversed(tally.most_common())}
    wanted = name.lower()
    pairs = {wanted[n : n + 2] for n in range(len(wanted) - 1)}
    likely = [word for word in lower if sum(pair in word for pair in pairs) * 2 >= len(pairs)]
    near = [lower[word] for word in get_close_matches(wanted, likely, count, 0.7)]
    inside = sorted((word for word in likely if wanted in word and lower[word] not in near), key=len)
    return (near + [lower[word] for word in inside])[:count]
