"""Answer a question from a project's index, or from its likeliest files while there is none: ``searched``.

What is shown was read from the files as they are now: a file that changed since it was indexed is read again before
its place is told. How an answer is worded is the tool's business.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codectx import progress
from codectx.render import counted
from indexer.tree import WalkedFile

if TYPE_CHECKING:
    from codectx.project import Project
    from indexer.live import State
    from indexer.search import Found, Hit, Index
    from indexer.search import Vectors as SearchVectors

COLD_SECONDS = 1.0  # for reading files to choose from, where there is no index yet
ROUNDS = 3  # of search, each after reading again what had changed


@dataclass(frozen=True, slots=True)
class Searched:
    """Hold what was found.

    Attributes:
        found: see there.
        stale: paths of hits that changed while they were read.
        notices: what the answer has to tell about the index.
    """

    found: Found
    stale: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()


def searched(project: Project, query: str, count: int, under: str) -> Searched:
    """Find the best places for a question.

    Args:
        project: to be searched.
        query: the question.
        count: hits at most.
        under: path of a folder or file, "." for all.
    """
    state = project.index.state()
    if state is None:
        return _cold(project, query, count, under)
    embedding = project.index.embedding
    vectors = embedding.loaded() if project.index.keeper is None else embedding.vectors
    for _ in range(ROUNDS):
        progress.check()
        found = _search(project, state.index, query, count, under, vectors)
        changed, gone = _changed(project, state, found.hits)
        if not changed and not gone:
            return Searched(found, notices=tuple(_notices(project, state)))
        state = project.index.live.read_again(changed, gone) or state
    stale = frozenset([*(file.path for file in changed), *gone])
    return Searched(found, stale, tuple(_notices(project, state)))


def _search(project: Project, index: Index, query: str, count: int, under: str, vectors: SearchVectors | None) -> Found:
    from indexer.search import search

    return search(index, query, count, under, vectors, project=project.root.name)


def _changed(project: Project, state: State, hits: Sequence[Hit]) -> tuple[list[WalkedFile], list[str]]:
    """Give the files of hits that are not in the state in which the index has them, and those that are gone."""
    changed, gone = [], []
    for path in dict.fromkeys(hit.path for hit in hits):
        try:
            info = os.lstat(project.root / path)
        except OSError:
            gone.append(path)
            continue
        if not stat.S_ISREG(info.st_mode):
            gone.append(path)
            continue
        file = WalkedFile(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        seen = state.manifest.files.get(path)
        if seen is None or not seen.is_of(file):
            changed.append(file)
    return changed, gone


def _notices(project: Project, state: State) -> list[str]:
    notices = []
    if state.behind:
        advice = "`codectx index` reads them" if project.index.keeper is None else "ask again"
        notices.append(f"index: {counted(len(state.behind), 'file')} changed just now, not all read yet; {advice}")
    trouble = project.index.embedding.trouble
    if trouble is not None and project.index.embedding.is_configured:
        notices.append(f"words only: {trouble}")
    return notices


def _cold(project: Project, query: str, count: int, under: str) -> Searched:
    """Search the likeliest files, parsed for this question alone."""
    from indexer.cold import likeliest
    from indexer.search import Index
    from indexer.sync import read_entry

    walked = [file for file in project.index.walk().files if _is_under(file.path, under)]
    chosen = likeliest(walked, query, project.index.read, COLD_SECONDS)
    entries = []
    for file in chosen.files:
        progress.check()
        read = read_entry(file, project.index.read, None)
        if isinstance(read, tuple):
            entries.append(read[0])
    found = _search(project, Index.of(entries), query, count, under, None)
    building = project.index.keeper is not None
    what = "index: being built" if building else "index: none yet, `codectx index` builds it"
    if not chosen.is_all:
        what += f"; this is from the {len(entries)} likeliest of {counted(chosen.total, 'file')}"
        if building:
            what += ", ask again soon"
    return Searched(found, notices=(what,))


def _is_under(path: str, under: str) -> bool:
    return under in ("", ".") or path == under or path.startswith(f"{under}/")
