"""Fixtures: a folder of files with an index of it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer.entry import FileEntry
from indexer.files import read_bytes
from indexer.manifest import load, save
from indexer.place import IndexPlace
from indexer.rows import entries_of
from indexer.store import Store
from indexer.sync import SyncReport, sync
from indexer.walk import Walk, walk


class Tree:
    """A folder of files, and the place of its index."""

    def __init__(self, top: Path) -> None:
        self.root = Path(os.path.realpath(top)) / "root"
        self.root.mkdir()
        store = self.root.parent / "store"
        self.place = IndexPlace(str(self.root), store, Store(str(store), str(self.root.parent / "vectors")))
        self.reads: list[str] = []

    def write(self, path: str, content: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def touch(self, path: str) -> None:
        """Change the times of a file."""
        info = (self.root / path).stat()
        os.utime(self.root / path, ns=(info.st_atime_ns, info.st_mtime_ns - 5 * 10**9))

    def grow_old(self) -> None:
        """Make the manifest as sure of the files as it is when they are not fresh."""
        manifest = load(self.place.manifest)
        assert manifest is not None
        save(self.place.manifest, replace(manifest, written_ns=manifest.written_ns + 10**10))

    def walk(self) -> Walk:
        return walk(self.root)

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return read_bytes(self.root / path, path, roots=(self.root,))

    def sync(self, **options: Any) -> SyncReport:
        self.reads.clear()
        return sync(self.place, self.walk(), self.read, **options)

    def rows(self) -> dict[str, FileEntry]:
        """Give what the store holds; a path that it holds twice fails."""
        table = self.place.store.read()
        entries = list(entries_of(table)) if table is not None else []
        found = {entry.path: entry for entry in entries}
        assert len(found) == len(entries)
        return found


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)
