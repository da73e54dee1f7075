"""Choose files by globs as people type them: ``compile_globs("*.py,!tests/**")``.

The syntax of each glob is that of a ``.gitignore`` line, and the last one that says something decides; braces
(``*.{ts,tsx}``) mean each of their parts. Nothing is looked up on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indexer.errors import IndexerError
from indexer.ignore import Patterns, parse

MAX_GLOBS = 200  # after braces have become their parts
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class GlobError(IndexerError):
    """Report a text that holds no globs, or too many."""

    category = "invalid_argument"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Globs:
    """Hold globs ready for use.

    Attributes:
        patterns: the globs, those that take in and those that leave out.
        otherwise: whether a file is taken about which none says anything.
    """

    patterns: Patterns
    otherwise: bool

    def take(self, path: str, base: str = "") -> bool:
        """Say whether a file is chosen.

        Args:
            path: relative to the root.
            base: a folder that the globs may also be relative to, where they say nothing about the whole path.
        """
        verdict = self._verdict(path)
        if verdict is None and base and path.startswith(f"{base}/"):
            verdict = self._verdict(path[len(base) + 1 :])
        return self.otherwise if verdict is None else verdict

    def _verdict(self, path: str) -> bool | None:
        """Let the last pattern decide that is about the file or a folder that it is in."""
        parts = path.split("/")
        names = [path, *("/".join(parts[:count]) + "/" for count in range(len(parts) - 1, 0, -1))]
        return next((taken for taken, run in self.patterns.runs if any(map(run.fullmatch, names))), None)


def compile_globs(text: str) -> Globs:
    """Read globs, separated by commas.

    Raises:
        GlobError: there is none, or one that means nothing.
    """
    globs = [glob.strip().removeprefix("./") for part in _split(text) for glob in _expanded(part.strip())]
    globs = [glob.replace("!./", "!", 1) for glob in globs if glob]
    for glob in globs:
        if not parse([_line(glob)]).runs:
            raise GlobError(f"{glob} is no glob")
    if not globs:
        raise GlobError("there is no glob in it")
    return Globs(parse([_line(glob) for glob in globs]), otherwise=all(glob.startswith("!") for glob in globs))


def _line(glob: str) -> str:
    return f"\\{glob}" if glob.startswith("#") else glob


def _split(text: str) -> Iterator[str]:
    """Split at the commas that stand in no braces."""
    start = depth = 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}" and depth > 0)
        if char == "," and (depth == 0 or "}" not in text[at:]):
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _expanded(glob: str) -> list[str]:
    """Put each part of each pair of braces in their place, inner ones first."""
    globs = [glob]
    while any(_BRACES.search(each) for each in globs):
        grown = []
        for each in globs:
            found = _BRACES.search(each)
            parts = found[1].split(",") if found else []
            grown += [each[: found.start()] + part + each[found.end() :] for part in parts] if found else [each]
        globs = grown
        if len(globs) > MAX_GLOBS:
            raise GlobError(f"{glob} stands for more than {MAX_GLOBS} globs")
    return list(dict.fromkeys(globs))
