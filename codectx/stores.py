"""Say where the index of a project lies: ``place_of``.

By default in the user's cache folder, under the root's real path, so that two clones never share an index; only
vectors, which depend on nothing but the text, are shared by the worktrees of a repository.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.sync import IndexPlace


def place_of(root: Path, uri: str) -> IndexPlace:
    """Give the place of a root's index.

    Args:
        root: real path of the project.
        uri: folder or location that the user has named for it; empty for the cache folder.
    """
    from indexer.store import Store
    from indexer.sync import IndexPlace

    if not uri:
        folder = cache_folder() / "stores" / _key(root)
        vectors = cache_folder() / "vectors" / _shared(root)
        return IndexPlace(str(root), folder, Store(str(folder), str(vectors)))
    if "://" in uri:
        return IndexPlace(str(root), cache_folder() / "stores" / _key(root, uri), Store(uri))
    folder = Path(os.path.expanduser(uri))  # noqa: PTH111 - as the setting's check has it
    return IndexPlace(str(root), folder, Store(str(folder)))


def cache_folder() -> Path:
    """Give the folder in which the stores of all projects lie."""
    from platformdirs import user_cache_path

    return user_cache_path("codectx", appauthor=False)


def _key(root: Path, uri: str = "") -> str:
    """Name a root's folder: its own name for people, a digest of its real path for certainty."""
    name = "".join(char if char.isalnum() or char in "-_." else "_" for char in root.name)[:40] or "root"
    whole = "\0".join((str(root), uri)).encode("utf-8", "surrogateescape")
    return f"{name}-{blake2b(whole, digest_size=8).hexdigest()}"


def _shared(root: Path) -> str:
    """Name the folder of vectors that all worktrees of a repository have."""
    from indexer.git import git_root
    from indexer.gitdir import common_folder

    top = git_root(root)
    common = common_folder(top) if top is not None else None
    return _key(common.parent if common is not None else root)
