r"""Turn a file into text and text into lines: ``read_text``, ``decode``, ``split_lines``.

No character is lost or replaced: an encoding that does not fit the whole file is not used. Only ``\n`` ends a
line. The parts are ``files`` (opening), ``charset`` (which encoding), ``window`` (parts of large files) and
``invisible``; their public names can be had from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.charset import PIECE, survey
from indexer.files import MissingFileError, OutsideRootError, open_file, read_bytes
from indexer.invisible import invisible_lines, show_invisible
from indexer.window import TextFile, Window

__all__ = [
    "MissingFileError",
    "OutsideRootError",
    "SourceText",
    "TextFile",
    "Window",
    "count_lines",
    "decode",
    "invisible_lines",
    "open_file",
    "read_bytes",
    "read_text",
    "show_invisible",
    "split_lines",
]


@dataclass(frozen=True, slots=True)
class SourceText:
    """Hold the text of a whole file.

    Attributes:
        text: the characters as they are, without a byte order mark.
        encoding: codec name (``utf-8``, ``utf-16-le``, ``gb18030``).
        has_bom: whether the file begins with a byte order mark.
    """

    text: str
    encoding: str
    has_bom: bool


def read_text(absolute: Path, path: str, limit_bytes: int | None = None, *, roots: Sequence[Path] = ()) -> SourceText:
    """Read a whole file as text.

    Args:
        absolute: where it is.
        path: its name in errors.
        limit_bytes: a larger file is refused, never cut.
        roots: see ``open_file``.

    Raises:
        BinaryFileError: it holds no text.
        NotRegularFileError, UnreadableFileError, OutsideRootError: see ``open_file``.
    """
    return decode(read_bytes(absolute, path, limit_bytes, roots=roots), path)


def decode(data: bytes, path: str) -> SourceText:
    """Decode the bytes of a whole file.

    Raises:
        BinaryFileError: they are no text.
    """
    found = survey(lambda: (data[at : at + PIECE] for at in range(0, len(data), PIECE)), path)
    return SourceText(data[found.bom :].decode(found.encoding), found.encoding, found.bom > 0)


def split_lines(text: str) -> list[str]:
    """Split a text into its lines, each with its line break; joined they are the text again."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def count_lines(text: str) -> int:
    r"""Count the lines: 0 for the empty text, 1 for ``a`` and for ``a\n``."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))
