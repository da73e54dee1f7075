"""Write small things the same way everywhere: line ranges, counts, lists of names, what a README says.

Text goes in and shorter text comes out; no file is read here and no token is counted.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterable

from indexer.invisible import show_invisible

SECRET_FILE = "secret file"  # noqa: S105 - how a file that is made to hold secrets is called
_MAX_RANGES = 8
# A sentence like ``X is a ...``, whose subject is a name.
_IS = re.compile(
    r"(?!(?:They|It|Th..e?|We|You|If|When|For|In|To)\b)(?:\S+ ){1,4}(?:is|are|provides|implements) (?:an?|the)\b"
)
_NO_PROSE = re.compile(r"\s*(?:[#=|<:~]|[-*+] |!\[|\[!\[|\[[^]]*\]:|\.\. )")  # headings, lists, badges, tags
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


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


def left_out_told(entries: Iterable[tuple[str, str]]) -> str:
    """Write ``left out: 3 files (2 larger than 200 kB, 1 secret file)`` for pairs of reason and detail; else nothing.

    What is said of a secret file, and of one that is of no use in an index, is short; other details name the file, so
    that the reason stands for them.
    """
    reasons: Tally[str] = Tally()
    for reason, detail in entries:
        is_secret = detail.startswith(f"{SECRET_FILE};")
        reasons[SECRET_FILE if is_secret else detail if reason == "unsupported" else reason] += 1
    told = ", ".join(
        counted(count, reason) if reason.endswith(" file") else f"{count} {reason}"
        for reason, count in reasons.most_common()
    )
    return f"left out: {counted(reasons.total(), 'file')} ({told})" if reasons else ""


def sized(size: float) -> str:
    """Write bytes as ``912 B``, ``34 KB``, ``5.6 MB``."""
    for unit, digits in (("B", 0), ("KB", 0), ("MB", 1)):
        if size < 1000:
            return f"{size:.{digits if size < 100 else 0}f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def clipped(text: str, length: int, least: int = 0) -> str:
    """Give at most ``length`` characters on one line; ``...`` stands for what is missing.

    Whole words are kept if that leaves half of the length and ``least`` characters.
    """
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    end = text.rfind(" ", max(least, length // 2), length - 2)
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


def grouped(names: Iterable[str], length: int) -> str:
    """Join names like ``joined``, those of one origin in braces: ``os.path, java.util.{List, Map}``."""
    everything = list(names)
    families: dict[str, list[str]] = {}
    for name in everything:
        at = 1 + (name.rfind("/") if "/" in name else max(name.rfind("."), name.rfind(":"), name.rfind("\\")))
        families.setdefault(name[:at] if at < len(name) else "", []).append(name[at:] if at < len(name) else name)
    parts, kept, used = [], 0, 0
    for origin, family in families.items():
        together = len(origin) > 2 and len(family) > 1
        used += len(origin) if together else 0
        shown: list[str] = []
        for name in family:
            used += len(name) + 2 + (0 if together else len(origin))
            if kept and used > length:
                break
            shown.append(name)
            kept += 1
        if len(shown) > 1 and together:
            parts.append(f"{origin}{{{', '.join(shown)}}}")
        else:
            parts += [origin + name for name in shown]
        if used > length:
            break
    more = len(everything) - kept
    return ", ".join(parts) + (f", +{more} more" if more else "")


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


def purpose(readme: str, *, surely: bool) -> str:
    """Give the sentence of a README that says what the thing is: with ``surely`` only one like ``X is a ...``."""
    from indexer.markdown import plain

    sentences: list[str] = []
    for paragraph in re.split(r"\n\s*\n", re.sub(r"<!--.*?-->|```.*?```", "", readme, flags=re.DOTALL)):
        lines = [line.strip() for line in paragraph.strip().split("\n") if not _NO_PROSE.match(line)]
        text = re.sub(r"\[([^\[\]]+)\](?:\[[^\[\]]*\])?", r"\1", plain(" ".join(lines)))
        sentences += [each for each in _SENTENCE.split(text)[:2] if len(each.split()) > 4 and each[-1] != ":"]
    first = "" if surely else next((each for each in sentences if is_prose(each)), "")
    return visible(next((each for each in sentences[:8] if _IS.match(each)), first))


def is_prose(text: str) -> bool:
    """Tell whether a description is words, and no banner or mark-up."""
    letters = sum(char.isalpha() or char == " " for char in text)
    return 10 * letters > 8 * len(text) and text[:1] not in ":#@" and "opyright" not in text
