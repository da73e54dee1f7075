"""Write small things the same way everywhere: line ranges, counts, numbers of files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexer.invisible import show_invisible

_MAX_RANGES = 8


def line_ranges(lines: Iterable[int]) -> str:
    """Write lines as ``line 3`` or ``lines 3, 7-9``; at most 8 ranges, then how many lines more."""
    numbers = sorted(set(lines))
    ranges: list[list[int]] = []
    for n in numbers:
        if ranges and n == ranges[-1][1] + 1:
            ranges[-1][1] = n
        else:
            ranges.append([n, n])
    shown = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges[:_MAX_RANGES])
    more = sum(b - a + 1 for a, b in ranges[_MAX_RANGES:])
    return f"line{'' if len(numbers) == 1 else 's'} {shown}{f', +{more} more' if more else ''}"


def counted(number: int, noun: str) -> str:
    """Write ``1 file``, ``2 files``, ``2 matches``, ``2 entries``."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith(('ch', 's')) else 's'}"


def clipped(text: str, length: int) -> str:
    """Give at most ``length`` characters on one line; ``...`` stands for missing words."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    end = text.rfind(" ", length // 2, length - 2)
    return f"{text[: length - 3 if end < 0 else end].rstrip()}..."


def joined(names: Iterable[str], length: int) -> str:
    """Join names with commas in about ``length`` characters; how many more there are is told."""
    everything = list(names)
    kept, used = 0, 0
    for name in everything:
        used += len(name) + 2
        if kept and used > length:
            break
        kept += 1
    more = len(everything) - kept
    return ", ".join(everything[:kept]) + (f", +{more} more" if more else "")


def visible(text: str) -> str:
    """Show characters that cannot be seen (bidirectional controls, zero width) as ``<U+202E>``."""
    return text if text.isascii() and text.isprintable() else show_invisible(text)


def shown_path(path: str) -> str:
    """Show a path on one line, such that it cannot be taken for a notice; the file is found by its real name."""
    shown = visible(path)
    if not shown.isprintable():
        shown = re.sub(r"[\t\n\r\f]", lambda found: f"<U+{ord(found[0]):04X}>", shown)
    return f"./{shown}" if shown.startswith("[") else shown


def tidy(signature: str) -> str:
    """Join a signature of several lines without the blanks and the comma that its brackets had."""
    return re.sub(r",? ([)\]])", r"\1", re.sub(r"([(\[]) ", r"\1", signature))
