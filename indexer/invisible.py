"""Find characters that a reader does not see or that change the order of what is seen.

``invisible_lines`` tells where they are, for text that must stay verbatim; ``show_invisible`` writes them out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_ASCII_CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f"  # not tab, line feed, form feed, carriage return
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = "\u00ad\u115f\u1160\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_SUSPECT = re.compile(f"[{_ASCII_CONTROLS}\x80-\x9f{_BIDI}{_ZERO_WIDTH}{_JOINERS}{_SELECTORS}{_TAGS}]")
_SUSPECT_ASCII = re.compile(f"[{_ASCII_CONTROLS}]")

# A flag of a part of a country is a black flag, up to six tag letters and the end tag.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
# Scripts whose spelling needs the joiners: Arabic and its kin, N'Ko, the Indic ones to Khmer, Mongolian.
_JOINING = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]")


def invisible_lines(text: str, first_line: int = 1) -> tuple[tuple[int, str], ...]:
    """Name the lines with invisible or reordering characters: ``(line, "U+202E")``, each pair once, in order.

    Joiners and selectors where spelling and emoji need them are not named.
    """
    suspect = _SUSPECT_ASCII if text.isascii() else _SUSPECT
    if suspect.search(text) is None:
        return ()
    found: dict[tuple[int, str], None] = {}
    line, counted = first_line, 0
    for at in _hidden(text, suspect):
        line += text.count("\n", counted, at)
        counted = at
        found[(line, f"U+{ord(text[at]):04X}")] = None
    return tuple(found)


def show_invisible(text: str) -> str:
    """Write each such character as ``<U+202E>``; line breaks and tabs stay."""
    suspect = _SUSPECT_ASCII if text.isascii() else _SUSPECT
    if suspect.search(text) is None:
        return text
    shown, done = [], 0
    for at in _hidden(text, suspect):
        shown += [text[done:at], f"<U+{ord(text[at]):04X}>"]
        done = at + 1
    return "".join([*shown, text[done:]])


def _hidden(text: str, suspect: re.Pattern[str]) -> Iterator[int]:
    flags = [found.span() for found in _FLAG.finditer(text)] if "\U0001f3f4" in text else []
    for found in suspect.finditer(text):
        at, char = found.start(), found[0]
        if any(start <= at < end for start, end in flags):
            continue
        if char in _JOINERS:
            needed = _joins(text, at)
        elif "\ufe00" <= char <= "\ufe0f" or char >= "\U000e0100":
            needed = _selects(text, at)
        else:
            needed = False
        if not needed:
            yield at


def _joins(text: str, at: int) -> bool:
    """Say whether a joiner stands inside a word of a script that has them, or between two emoji."""
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if not before or not after:
        return False
    if text[at] == "\u200d" and _is_emoji(after):
        return _is_emoji(before) or (before == "\ufe0f" and _is_emoji(text[max(0, at - 2) : at - 1]))
    return bool(_JOINING.match(before)) and (bool(_JOINING.match(after)) or not after.isalnum())


def _selects(text: str, at: int) -> bool:
    """Say whether a variation selector follows a character that has variants, and only one does."""
    before = text[max(0, at - 1) : at]
    if text[at] >= "\U000e0100":  # ideographic variants
        return before != "" and unicodedata.name(before, "").startswith("CJK")
    if before.isascii():
        return before != "" and before in "0123456789#*"  # keycaps
    return _is_emoji(before) or unicodedata.category(before)[0] in "LP"


def _is_emoji(char: str) -> bool:
    # Symbols, modifiers of skin colour, and the few letters and signs that have an emoji form.
    return char != "" and (
        unicodedata.category(char) in ("So", "Sk", "Sm", "Cn") or char in "\u203c\u2049\u3030\u303d\u2122\u2139"
    )
