"""Find and read the files of a folder for measurements, without the project's own walk: ``walk``, ``read``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from indexer.errors import IndexerError
from indexer.text import decode

SKIPPED = frozenset((".git", ".hg", ".svn", "node_modules"))


def walk(folder: Path) -> Iterator[str]:
    """Give all regular files below a folder, in order; symbolic links are left out."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            path = Path(here, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(folder).as_posix()


def head(path: Path) -> str:
    """Give the beginning of a file, which tells its language where the name does not."""
    try:
        with path.open("rb") as file:
            return file.read(30_000).decode("utf-8", "replace")
    except OSError:
        return ""


def read(folder: Path, path: str) -> str | None:
    """Give the text of a file, None where it is none."""
    try:
        return decode((folder / path).read_bytes(), path).text
    except (IndexerError, OSError):
        return None
