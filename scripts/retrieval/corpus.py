"""Read the repositories and queries that retrieval is measured on, and index them as the product does.

Entries are kept in a folder (``--cache``) by what made them, as indexing everything takes minutes.
"""

import hashlib
import json
import pickle
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.entry import FileEntry
from indexer.manifest import Seen
from indexer.search import Index
from indexer.sync import Unindexed, read_entry
from indexer.walk import walk

INDEXER = Path(__file__).resolve().parents[2] / "indexer"
READ_SIDE = ("search",)  # folders of the indexer that entries do not depend on


@dataclass(frozen=True, slots=True)
class Repository:
    """Hold one repository to measure on: its name, language, root on disk, and queries."""

    name: str
    language: str
    root: Path
    queries: tuple[dict[str, Any], ...]


def repositories(checkouts: Path, repos: Path, queries: Path, only: Sequence[str] = ()) -> list[Repository]:
    """List the repositories of a benchmark, with their queries."""
    asked: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines_of(queries):
        asked[line["repo"]].append(line)
    return [
        Repository(row["repo"], row["language"], checkouts / row["repo"] / row["root"], tuple(asked[row["repo"]]))
        for row in lines_of(repos)
        if not only or row["repo"] in only
    ]


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def entries_of(root: Path) -> list[FileEntry]:
    """Make the entries of all files of a tree that the product indexes."""
    found = []
    for file in walk(root).files:
        made = read_entry(file, lambda path: (root / path).read_bytes(), None)
        if isinstance(made, Seen):
            raise TypeError(f"{file.path}: unexpected {made!r}")
        if not isinstance(made, Unindexed):
            found.append(made[0])
    return found


def cached_entries(repository: Repository, cache: Path | None) -> tuple[list[FileEntry], Mapping[str, float]]:
    """Return entries, and milliseconds that making them took: ``wall`` and ``cpu``."""
    kept = cache / f"{repository.name}.{_version()}.pickle" if cache else None
    if kept is not None and kept.exists():
        entries, took = pickle.loads(kept.read_bytes())
        return entries, took
    wall, cpu = time.perf_counter(), time.process_time()
    entries = entries_of(repository.root)
    took = {"wall": (time.perf_counter() - wall) * 1000, "cpu": (time.process_time() - cpu) * 1000}
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps((entries, took), protocol=5))
    return entries, took


def index_of(repository: Repository, cache: Path | None) -> tuple[Index, Mapping[str, float]]:
    """Return the index of a repository, and milliseconds that making it took, entries included."""
    entries, took = cached_entries(repository, cache)
    wall, cpu = time.perf_counter(), time.process_time()
    index = Index.of(entries)
    added = {"wall": (time.perf_counter() - wall) * 1000, "cpu": (time.process_time() - cpu) * 1000}
    return index, {name: took[name] + added[name] for name in took}


def _version() -> str:
    """Name what entries are made by: the modules whose text they can depend on."""
    names = (
        "entries",
        "entry",
        "terms",
        "postings",
        "chunks",
        "chunk_code",
        "chunk_fields",
        "chunk_lines",
        "chunk_text",
    )
    digest = hashlib.sha256()
    for name in names:
        path = INDEXER / f"{name}.py"
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
