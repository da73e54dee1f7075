"""Leave out the files that cannot hold a match, by literals that every match needs.

``may_hold`` decides for one file's bytes; ``narrow`` lets ripgrep decide the same for many files at once, and
gives no answer whenever anything is odd, so that what is found never depends on it.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

MIN_FILES = 64  # below this many files starting a program does not pay
_MAX_ARGUMENTS = 30_000 if os.name == "nt" else 100_000  # characters of file names for one run; systems allow 4 % more

# Bytes with which ASCII text may hide from a search for ASCII: of UTF-16 and UTF-32, and of ISO 2022.
_HIDING = (0x00, 0x1B)

logger = logging.getLogger(__name__)


def may_hold(data: bytes, literals: Sequence[str], *, fold: bool) -> bool:
    """Say whether a file's text may have one of the literals in it.

    Args:
        data: the file's bytes.
        literals: printable ASCII, in lower case where ``fold``.
        fold: whether case does not matter.
    """
    if any(byte in data for byte in _HIDING):
        return True
    searched = data.lower() if fold else data
    return any(literal.encode("ascii") in searched for literal in literals)


def narrow(
    root: Path, paths: Sequence[str], literals: Sequence[str], *, fold: bool, rg: Path, seconds: float
) -> frozenset[str] | None:
    """Give those files for which ``may_hold`` is true, or None where ripgrep could not tell.

    Args:
        root: folder that the paths are relative to.
        paths: of files; absolute ones are taken as they are.
        literals: see ``may_hold``.
        fold: likewise.
        rg: the program.
        seconds: for all of it.
    """
    found: set[str] = set()
    patterns = [*map(_escaped, literals), *(f"\\x{byte:02X}" for byte in _HIDING)]
    options = ["--no-config", "--files-with-matches", "--null", "--color=never", "--text", "--encoding=none"]
    options += ["--no-unicode", "--ignore-case" if fold else "--case-sensitive"]
    options += [part for pattern in patterns for part in ("-e", pattern)]
    runs = [["--no-config", "--version"], *([*options, "--", *map(_named, batch)] for batch in _batches(paths))]
    for n, arguments in enumerate(runs):
        out = _run(root, rg, arguments, seconds / len(runs))
        if out is None or (n == 0 and not out.startswith(b"ripgrep ")):
            return None
        if n > 0:
            found.update(os.fsdecode(name).replace(os.sep, "/").removeprefix("./") for name in out.split(b"\0"))
    found.discard("")
    return frozenset(found) if found <= set(paths) else None


def _named(path: str) -> str:
    """Write a path so that it is taken for nothing else (``-`` would be the standard input)."""
    return path if Path(path).is_absolute() else f"./{path}"


def _run(root: Path, rg: Path, arguments: Sequence[str], seconds: float) -> bytes | None:
    try:
        done = subprocess.run(
            [rg, *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        logger.info("%s is not used: %s", rg, error)
        return None
    if done.returncode not in (0, 1):  # 1: it found nothing
        logger.info("%s is not used: %s", rg, done.stderr.decode("utf-8", "replace")[:200])
        return None
    return done.stdout


def _escaped(literal: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", lambda char: f"\\x{ord(char[0]):02X}", literal)


def _batches(paths: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for path in paths:
        size = len(os.fsencode(path)) + 3
        if batch and length + size > _MAX_ARGUMENTS:
            yield batch
            batch, length = [], 0
        batch.append(path)
        length += size
    if batch:
        yield batch
