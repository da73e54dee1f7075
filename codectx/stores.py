"""Say where the index of a project lies: ``place_of``.

By default in the user's cache folder, under the root's real path, so that two clones never share an index; only
vectors, which depend on nothing but the text, are shared by the worktrees of a repository. In a store on another
machine the index lies under a name that every clone of the repository has, whatever folder it is in.
"""

from __future__ import annotations

import os
import re
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.locations import is_remote

if TYPE_CHECKING:
    from indexer.place import IndexPlace

GIT_SECONDS = 5.0  # to ask git for the address that a repository was cloned from
_SCP = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!/)(.+)")  # git@host:path, as ssh has it
_URL = re.compile(r"\w[\w+.-]*://(?:[^/@]*@)?([^/:]*)(?::\d+)?/(.*)")


def place_of(root: Path, uri: str, project: str = "") -> IndexPlace:
    """Give the place of a root's index.

    Args:
        root: real path of the project.
        uri: folder or location that the user has named for indexes; empty for the cache folder.
        project: name of this project in a location on another machine; empty for the one that its clones share.
    """
    from indexer.place import IndexPlace
    from indexer.store import Store

    folder = local_folder(root, uri)
    if not uri:
        return IndexPlace(str(root), folder, Store(str(folder), str(vectors_folder(root))))
    if not is_remote(uri):
        return IndexPlace(str(root), folder, Store(str(folder)))
    base, mark, query = uri.partition("?")
    return IndexPlace(str(root), folder, Store(f"{base.rstrip('/')}/{project_key(root, project)}{mark}{query}"))


def local_folder(root: Path, uri: str) -> Path:
    """Give the folder of manifest and lock, and of the tables unless these are on another machine."""
    if uri and not is_remote(uri):
        return Path(os.path.expanduser(uri)) / _key(root)  # noqa: PTH111 - as the setting's check has it
    return cache_folder() / "stores" / _key(root, uri)


def cache_folder() -> Path:
    """Give the folder in which the stores of all projects lie."""
    from platformdirs import user_cache_path

    return user_cache_path("codectx", appauthor=False)


def vectors_folder(root: Path) -> Path:
    """Give the folder of vectors that all worktrees of a repository have."""
    from indexer.git import git_root
    from indexer.gitdir import common_folder

    top = git_root(root)
    common = common_folder(top) if top is not None else None
    return cache_folder() / "vectors" / _key(common.parent if common is not None else root)


def project_key(root: Path, project: str = "") -> str:
    """Name a project in a store that several machines use.

    The same for all clones of one repository, whether they were cloned by HTTPS or SSH and with whose login; another
    one for each folder of a repository that is a project of its own. A folder that was cloned from nowhere has a name
    that only this machine gives it.
    """
    if project:
        return _named(project, project)
    found = _origin(root)
    if found is None:
        return _key(root)
    address, folder = found
    return _named(folder.rpartition("/")[2] or address.rpartition("/")[2], f"{address}\0{folder}")


def plain_address(url: str) -> str:
    """Give host and path of a repository's address: ``host/owner/name``."""
    found = _URL.fullmatch(url.strip()) or _SCP.fullmatch(url.strip())
    host, path = found.groups() if found else ("", url.strip())
    path = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host.lower()}/{path}" if host else path


def _origin(root: Path) -> tuple[str, str] | None:
    """Give the address that a repository was cloned from, and the path of the root in it."""
    from indexer.errors import GitError
    from indexer.git import git_root, run_git

    top = git_root(root)
    if top is None:
        return None
    args = ["config", "--local", "--get-regexp", r"^remote\..*\.url$"]
    try:
        out = run_git(root, args, timeout=GIT_SECONDS, environment=os.environ, codes=(0, 1))
    except GitError:
        return None
    urls = dict(line.split(" ", 1) for line in out.decode("utf-8", "replace").split("\n") if " " in line)
    url = urls.get("remote.origin.url") or (next(iter(urls.values())) if len(urls) == 1 else "")
    inside = Path(os.path.relpath(root, top)).as_posix()
    return (plain_address(url), "" if inside == "." else inside) if url else None


def _key(root: Path, uri: str = "") -> str:
    """Name a root's folder: its own name for people, a digest of its real path for certainty."""
    return _named(root.name, "\0".join((str(root), uri)))


def _named(name: str, whole: str) -> str:
    plain = "".join(char if char.isalnum() or char in "-_." else "_" for char in name)[:40].strip(".") or "root"
    return f"{plain}-{blake2b(whole.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()}"
