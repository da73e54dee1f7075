"""Say where the index of one project lies: ``IndexPlace``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.store import Store


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Say where the index of one project lies.

    Attributes:
        root: real path of the project.
        folder: on this machine, for manifest and lock (and the tables, unless they are elsewhere).
        store: the tables.
    """

    root: str
    folder: Path
    store: Store

    @property
    def manifest(self) -> Path:
        """Give the manifest's path."""
        return self.folder / "manifest.json"

    @property
    def lock(self) -> Path:
        """Give the path of the writers' lock."""
        return self.folder / "lock"
