"""Find the files that hold a name, and names that resemble one: what symbol search begins with.

Only bytes and words are looked at here; what is a definition or a use is decided by grammars elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from indexer.errors import IndexerError
from indexer.files import read_bytes
from indexer.languages import Language, language_of
from indexer.walk import WalkedFile

MAX_NAMED_BYTES = 30_000_000  # of files whose words are compared with a name that is not found
MAX_FILE_BYTES = 2_000_000  # of one of them; larger ones are generated or data
MAX_READ_BYTES = 6_000_000  # of a file that is looked through for a name; what is longer takes seconds to parse
_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|e2e)/"
    r"|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*(?:_test|_spec|\.test|\.spec|Tests?|Spec)\.\w+)$"
)
_HEAD = 1000  # bytes in which a file without a telling name says what language it is
_SEPARATOR = re.compile(r"\?*(?:->|\?\.)|::|[.\\]|(?<=\w)#")
# What is no word: operators, destructors, names in backticks; such a name is the last part.
_ODD = re.compile(
    r"\boperator\s*(?:[^\w\s].*|(?:new|delete|co_await)\b.*)$|~\w+$|`[^`]+`$|(?<![\w?!])[-+*/%<>=!~&|^\[\]]+@?$"
)
_DOTTED = re.compile(r"[\w$]+(?:(?:::|[.\\])[\w$]+)+")
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]{2,60}")


def is_test_path(path: str) -> bool:
    """Tell whether a path is one of tests, by the habits of many languages."""
    return _TEST.search(path) is not None


def parts_of(name: str) -> list[str]:
    r"""Split a qualified name as any language writes it: ``a.b``, ``A::b``, ``A#b``, ``A\b``, ``a->b``."""
    odd = _ODD.search(name)
    words = _SEPARATOR.split(name[: odd.start()] if odd else name)
    return [*filter(None, words), *([odd[0].strip("`")] if odd else [])]


def is_odd(name: str) -> bool:
    """Tell whether a name is an operator, a destructor or the like, and no word."""
    return _ODD.fullmatch(name) is not None


def last_part(name: str) -> str:
    """Give the last part of a symbol's name that is itself qualified (``Plug.Conn``); any other as it is."""
    return parts_of(name)[-1] if _DOTTED.fullmatch(name) else name


class Holding(NamedTuple):
    """Hold a file in which a name stands: its language, and whether it seems to define the name.

    One that is too large to be read may hold the name or not.
    """

    file: WalkedFile
    language: Language | None
    defines: bool = False
    is_read: bool = True


def files_with(
    root: Path, files: Iterable[WalkedFile], name: str, check: Callable[[], None] = lambda: None
) -> list[Holding]:
    """Give the files that hold a name as a whole word, and those of a known language that are too large to be read.

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
        rb"\b(?:def\w*|class|func|fun|fn|function|interface|protocol|trait|struct|union|enum|type|typealias|typedef|actor"
        rb"|module|namespace|object|macro|record|data|newtype|const|let|var|val)"
        rb"\s+(?:\([^()]*\)\s*)?(?:[\w.:]+(?:\.|::))?" + re.escape(word) + after
    )
    found = []
    for file in files:
        check()
        if file.size > MAX_READ_BYTES:
            language = language_of(file.path)
            if language is not None:
                found.append(Holding(file, language, is_read=False))
            continue
        try:
            data = read_bytes(root / file.path, file.path)
        except IndexerError:
            continue  # gone or unreadable since the walk: it holds nothing that can be shown
        if word in data and whole.search(data):
            language = language_of(file.path, data[:_HEAD].decode("utf-8", "replace"))
            found.append(Holding(file, language, defines.search(data) is not None))
    return found


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
