"""Answer a question from a project's index, or from its likeliest files while there is none: ``searched``.

What is shown was read from the files as they are now: a file that changed since it was indexed is read again before
its place is told. How an answer is worded is the tool's business.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from codectx import progress
from codectx.render import counted
from indexer.errors import IndexerError
from indexer.manifest import Seen, digest_of
from indexer.tree import WalkedFile, look_at

if TYPE_CHECKING:
    from pathlib import Path

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
        states: of the files of hits, in which their places were found.
    """

    found: Found
    stale: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()
    states: Mapping[str, Seen] = field(default_factory=dict)

    def stale_now(self, project: Project, paths: Collection[str]) -> frozenset[str]:
        """Give those of some paths whose files are no longer in the state in which their places were found.

        Asked after the lines were read, which are then those of that state.
        """
        again = {path for path in paths if not _is_as_seen(project.root, path, self.states.get(path))}
        return self.stale | again


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
            return Searched(found, notices=tuple(_notices(project, state)), states=_states(state.manifest.files, found))
        state = project.index.live.read_again(changed, gone) or state
    found = replace(found, hits=tuple(hit for hit in found.hits if hit.path not in gone))
    stale = frozenset(file.path for file in changed)
    return Searched(found, stale, tuple(_notices(project, state)), _states(state.manifest.files, found))


def _search(project: Project, index: Index, query: str, count: int, under: str, vectors: SearchVectors | None) -> Found:
    from indexer.search import search

    return search(index, query, count, under, vectors, project=project.root.name)


def _changed(project: Project, state: State, hits: Sequence[Hit]) -> tuple[list[WalkedFile], list[str]]:
    """Give the files of hits that are not in the state in which the index has them, and those that are gone."""
    changed, gone = [], []
    is_sure = state.manifest.is_sure
    for path in dict.fromkeys(hit.path for hit in hits):
        file = look_at(project.root, path)
        if file is None:
            gone.append(path)
            continue
        seen = state.manifest.files.get(path)
        if seen is None or not seen.is_of(file) or not (is_sure(seen, file) or _has_digest(project, path, seen)):
            changed.append(file)
    return changed, gone


def _is_as_seen(root: Path, path: str, seen: Seen | None) -> bool:
    file = look_at(root, path)
    return seen is not None and file is not None and seen.is_of(file)


def _has_digest(project: Project, path: str, seen: Seen) -> bool:
    """Say whether a file that looks unchanged is so: right after a change its times do not tell."""
    try:
        return digest_of(project.index.read(path)) == seen.digest
    except IndexerError:
        return False


def _states(states: Mapping[str, Seen], found: Found) -> dict[str, Seen]:
    return {hit.path: states[hit.path] for hit in found.hits if hit.path in states}


def _notices(project: Project, state: State) -> list[str]:
    notices = []
    if state.behind:
        advice = "`codectx index` reads them" if project.index.keeper is None else "ask again"
        notices.append(f"index: {counted(len(state.behind), 'file')} changed just now, not all read yet; {advice}")
    if project.index.trouble:
        notices.append(f"shared index not looked at: {project.index.trouble}")
    trouble = project.index.embedding.trouble
    if trouble is not None and project.index.embedding.is_configured:
        notices.append(f"words only: {trouble}")
    return notices


def _cold(project: Project, query: str, count: int, under: str) -> Searched:
    """Search the likeliest files, parsed for this question alone."""
    from indexer.cold import likeliest
    from indexer.search import Index
    from indexer.sync import Unindexed, read_entry

    walked = [file for file in project.index.walk().files if _is_under(file.path, under)]
    chosen = likeliest(walked, query, project.index.read, COLD_SECONDS)
    entries, states = [], {}
    for file in chosen.files:
        progress.check()
        read = read_entry(file, project.index.read, None)
        if not isinstance(read, Seen | Unindexed):
            entries.append(read[0])
            states[file.path] = read[1]
    found = _search(project, Index.of(entries), query, count, under, None)
    building = project.index.keeper is not None
    what = "index: being built" if building else "index: none yet, `codectx index` builds it"
    if not chosen.is_all:
        what += f"; this is from the {len(entries)} likeliest of {counted(chosen.total, 'file')}"
        if building:
            what += ", ask again soon"
    if project.index.trouble:
        what = f"words only, from the files: {project.index.trouble}"
    return Searched(found, notices=(what,), states=states)


def _is_under(path: str, under: str) -> bool:
    return under in ("", ".") or path == under or path.startswith(f"{under}/")
