"""Apply ignore files (``.gitignore`` syntax, nested, negated) where git does not do it: ``IgnoreRules``.

The deepest file that says something about a path decides, and within a file the last pattern. That nothing below
an ignored folder comes back is the walk's part: it does not go there. Matching takes time in proportion to the
path's length at worst squared, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from indexer.files import MissingFileError, read_bytes

OWN_FILE = ".codectxignore"
GIT_FILE = ".gitignore"

# Outside of a git repository these are left out by default; a .gitignore can take them in again (``!dist/``).
DEFAULTS = (
    "node_modules/",
    "bower_components/",
    ".venv/",
    "venv/",
    "__pycache__/",
    ".tox/",
    ".nox/",
    "dist/",
    ".hg/",
    ".svn/",
    ".jj/",
)

_MAX_FILE = 1_000_000  # bytes of an ignore file; a larger one is refused
_CLASSES = {  # as they stand in the C locale
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_TOKEN = re.compile(
    r"(?P<star>\*+)|(?P<any>\?)|\\(?P<escaped>.)|(?P<bad>\\)"
    r"|\[(?P<not>[!^]?)(?P<set>\]?(?:\\.|\[:[a-z]*:\]|[^\]\\])*)\]|(?P<open>\[)|(?P<plain>.)",
    re.DOTALL,
)
_MEMBER = re.compile(r"\[:(?P<name>[a-z]*):\]|(?:\\(.)|([^\\]))(?:-(?:\\(.)|([^\\\]])))?", re.DOTALL)
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Patterns:
    """Hold the patterns of one ignore file: runs of patterns that ignore (True) or take in again, last run first."""

    runs: tuple[tuple[bool, re.Pattern[str]], ...]

    def verdict(self, path: str) -> bool | None:
        """Say whether the patterns ignore a path (``a/b``, ``a/b/`` for a folder); None where none is about it."""
        return next((ignored for ignored, pattern in self.runs if pattern.fullmatch(path)), None)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Hold the patterns that count in one folder: pairs of a folder (``""`` or ``a/b/``) and its patterns."""

    layers: tuple[tuple[str, Patterns], ...] = ()

    def ignores(self, path: str, *, is_dir: bool = False) -> bool:
        """Say whether a path (relative to the root) is ignored, its folders left aside."""
        named = f"{path}/" if is_dir else path
        for folder, patterns in reversed(self.layers):
            verdict = patterns.verdict(named[len(folder) :])
            if verdict is not None:
                return verdict
        return False

    def with_lines(self, folder: str, lines: Sequence[str]) -> IgnoreRules:
        """Add the lines of an ignore file that lies in ``folder`` (``""`` for the root)."""
        patterns = parse(lines)
        return IgnoreRules((*self.layers, (f"{folder}/" if folder else "", patterns))) if patterns.runs else self

    def with_file(self, folder: str, absolute: Path, path: str) -> IgnoreRules:
        """Add an ignore file, if it exists.

        Raises:
            UnreadableFileError, NotRegularFileError: it cannot be read.
        """
        try:
            data = read_bytes(absolute, path, _MAX_FILE)
        except MissingFileError:
            return self
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        return self.with_lines(folder, text.split("\n"))


def default_rules() -> IgnoreRules:
    """Give the rules for the root of a tree without git."""
    return IgnoreRules().with_lines("", DEFAULTS)


def parse(lines: Sequence[str]) -> Patterns:
    """Read the lines of an ignore file; a line that means nothing is passed over, as git does."""
    read = [found for line in lines if (found := _pattern(line))]
    runs = [
        (ignored, re.compile("|".join(regex for _, regex in run), re.DOTALL))
        for ignored, run in groupby(read, key=lambda found: found[0])
    ]
    return Patterns(tuple(reversed(runs)))


def _pattern(line: str) -> tuple[bool, str] | None:
    """Translate one line: whether it ignores, and a regular expression for whole paths."""
    line = line.removesuffix("\r")
    while line.endswith(" ") and not re.search(r"(?<!\\)(?:\\\\)*\\ $", line):
        line = line[:-1]
    if not line or line.startswith("#"):
        return None
    ignored = not line.startswith("!")
    body = line.removeprefix("!")
    only_folders = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        return None
    if "/" not in body:
        regex = f"(?:.*/)?{_component(body)}"
    else:
        regex = _path(body.removeprefix("/").split("/"))
    return ignored, f"(?:{regex}){'/' if only_folders else '/?'}"


def _path(components: Sequence[str]) -> str:
    """Translate a pattern with slashes; ``**`` as a whole component stands for any number of folders."""
    stretches: list[list[str]] = [[]]
    for component in components:
        if re.fullmatch(r"\*{2,}", component):
            stretches.append([])
        else:
            stretches[-1].append(_component(component))
    first, *others = stretches
    if not others:
        return "/".join(first)
    regex = "".join(f"{component}/" for component in first)
    for stretch in others[:-1]:
        if stretch:
            # The first place where a stretch fits is as good as any, so other places are never tried.
            regex += f"(?>(?:[^/]+/)*?{''.join(f'{component}/' for component in stretch)})"
    return regex + (f"(?:[^/]+/)*{'/'.join(others[-1])}" if others[-1] else ".+")


def _component(text: str) -> str:
    """Translate what stands between two slashes."""
    pieces = [""]
    for found in _TOKEN.finditer(text):
        if found["star"]:
            pieces.append("")
        elif found["any"]:
            pieces[-1] += "[^/]"
        elif found["set"] is not None:
            pieces[-1] += _bracket(found["set"], negated=found["not"] != "")
        elif found["bad"] or found["open"]:
            return _NEVER
        else:
            pieces[-1] += re.escape(found["escaped"] or found["plain"])
    first, *others = pieces
    if not others:
        return first
    middle = "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece)  # see _path
    return f"(?=[^/]){first}{middle}[^/]*{others[-1]}"  # no component is empty


def _bracket(text: str, *, negated: bool) -> str:
    members = "".join(_members(text))
    if _NEVER in members:
        return _NEVER
    return f"[^/{members}]" if negated else f"(?!/)[{members}]"


def _members(text: str) -> Iterator[str]:
    for found in _MEMBER.finditer(text):
        if found["name"] is not None:
            yield _CLASSES.get(found["name"], _NEVER)
            continue
        low = found[2] or found[3]
        high = found[4] or found[5] or low
        yield f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
