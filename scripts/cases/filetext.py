r"""Read a case's files as people do: decoded text, its lines, and the characters in it that nobody sees.

``decode`` gives the text that reading tools must reproduce. Only ``\n`` ends a line.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_IGNORABLE = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # drawn as nothing, though no controls
_ESCAPE = re.compile(
    r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\U([0-9a-fA-F]{8})|\\x\{?([0-9a-fA-F]{2,6})\}?|[<{\[(]?U\+([0-9a-fA-F]{4,6})[>}\])]?"
)


def decode(data: bytes) -> str:
    """Give a file's text: by its mark, else by the encoding it declares, else UTF-8, else Windows-1252."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    declared = [found[1].decode() for line in data.split(b"\n")[:2] if (found := _COOKIE.match(line))]
    for encoding in (*declared, "utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")


def lines_of(text: str) -> list[str]:
    """Give the lines of a text, each with its line break."""
    parts = text.split("\n")
    last = parts.pop()
    return [part + "\n" for part in parts] + ([last] if last else [])


def is_invisible(char: str) -> bool:
    """Tell whether a character shows nothing, or changes how others are shown."""
    if char in "\t\n\r":
        return False
    variation = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs") or char in _IGNORABLE or variation


def without_invisible(text: str) -> str:
    """Take invisible characters out, and escapes that stand for one."""
    return "".join(char for char in _ESCAPE.sub(_unless_visible, text) if not is_invisible(char))


def escapes_of(char: str) -> list[str]:
    """Give the ways to write a character by its code."""
    code = ord(char)
    return [f"U+{code:04X}", f"\\u{code:04x}", f"\\u{{{code:x}}}", f"\\U{code:08x}", f"\\x{code:02x}"]


def _unless_visible(found: re.Match[str]) -> str:
    code = int(next(group for group in found.groups() if group), 16)
    return "" if code <= 0x10FFFF and is_invisible(chr(code)) else found[0]
