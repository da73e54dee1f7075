"""Remember which state of which files an index holds: ``Manifest``, a JSON file beside the store.

With it a run that finds nothing changed needs neither LanceDB nor any file's content. It is a cache of what the
tables say: where it is missing, unreadable or marked as unfinished, the tables are asked.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from indexer.tree import Skipped, WalkedFile

SCHEMA_VERSION = 1  # of this file
RACY_NS = 2_000_000_000  # a file changed so shortly before it was read may change again within its time stamp


class Seen(NamedTuple):  # a tuple, as every look makes one for every file
    """Hold the state in which a file was read: its stat, the digest of its bytes, and what was found in it.

    Attributes:
        chunks: how many it has in the index.
        masked: how many secrets of each kind were masked before anything else looked at it.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    digest: str
    chunks: int = 0
    masked: tuple[tuple[str, int], ...] = ()

    def is_of(self, file: WalkedFile) -> bool:
        """Say whether a file has this size and these times."""
        return self.mtime_ns == file.mtime_ns and self.ctime_ns == file.ctime_ns and self.size == file.size


@dataclass(frozen=True, slots=True)
class Manifest:
    """Hold what an index was made from.

    Attributes:
        root: of the project, for people and for clearing up.
        tables: names the version of tables and chunks; another one means another index.
        version: of the table of files when this was written.
        unfinished: True while a commit is under way, or was when its process died.
        written_ns: when the last scan of the files began.
        files: those in the index, by path.
        skipped: files that are in no index though nobody ignored them.
    """

    root: str
    tables: str
    version: int = 0
    unfinished: bool = False
    written_ns: int = 0
    files: Mapping[str, Seen] = field(default_factory=dict)
    skipped: tuple[tuple[Skipped, Seen], ...] = ()

    def is_sure(self, seen: Seen, file: WalkedFile) -> bool:
        """Say whether a file is certainly in the state that it was seen in: not so if it had only just changed then."""
        latest = self.written_ns - RACY_NS
        return seen.is_of(file) and seen.mtime_ns < latest and seen.ctime_ns < latest

    def marked(self) -> Manifest:
        """Give the same as unfinished."""
        return replace(self, unfinished=True)


def digest_of(data: bytes) -> str:
    """Give the digest of a file's bytes, as ``Seen`` and the tables have it: 128 bits of BLAKE2b."""
    return blake2b(data, digest_size=16).hexdigest()


def load(path: Path) -> Manifest | None:
    """Read a manifest; None if there is none, or none that can be used."""
    try:
        data = json.loads(path.read_bytes())
        if data["schema_version"] != SCHEMA_VERSION:
            return None
        return Manifest(
            str(data["root"]),
            str(data["tables"]),
            int(data["version"]),
            bool(data["unfinished"]),
            int(data["written_ns"]),
            {name: _seen(values) for name, values in data["files"].items()},
            tuple((Skipped(*values[:3]), _seen(values[3:])) for values in data["skipped"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save(path: Path, manifest: Manifest) -> None:
    """Write a manifest as a whole or not at all.

    Raises:
        OSError: the folder cannot be written to.
    """
    import tempfile

    data = {
        "schema_version": SCHEMA_VERSION,
        "root": manifest.root,
        "tables": manifest.tables,
        "version": manifest.version,
        "unfinished": manifest.unfinished,
        "written_ns": manifest.written_ns,
        "files": {name: _stat(seen) for name, seen in manifest.files.items()},
        "skipped": [[each.path, each.reason, each.detail, *_stat(seen)] for each, seen in manifest.skipped],
    }
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            file.write(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def now() -> int:
    """Give the time in nanoseconds as file systems have it."""
    return time.time_ns()


def _stat(seen: Seen) -> tuple[Any, ...]:
    plain = seen.size, seen.mtime_ns, seen.ctime_ns, seen.digest, seen.chunks
    return (*plain, dict(seen.masked)) if seen.masked else plain


def _seen(values: list[Any]) -> Seen:
    if len(values) == len(Seen._fields):
        values[-1] = tuple(sorted(values[-1].items()))
    return Seen(*values)
