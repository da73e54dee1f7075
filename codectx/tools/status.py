"""Say what codectx sees of this project, what it leaves out and why, and what it has saved."""

from __future__ import annotations

import shutil
from collections import Counter as Tally
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from codectx import __version__
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.project import SECRET, Project
from codectx.render import SECRET_FILE, counted, left_out_told, sized, visible
from codectx.tool import Param, tool
from indexer.languages import language_of
from indexer.secrets import kind_of_secret_path
from indexer.walk import Skipped, Walk

MAX_LANGUAGES = 6

_NOT_TAKEN_OVER = "a search takes over the shared one once the job that builds it has written it"


@dataclass(frozen=True, slots=True)
class _Index:
    """Hold the state of the index: files and chunks in it, files changed since or left out, secrets masked by kind."""

    files: int = 0
    chunks: int = 0
    changed: int = 0
    left_out: tuple[Skipped, ...] = ()
    masked: tuple[tuple[str, int], ...] = ()
    is_there: bool = False

    @property
    def is_fresh(self) -> bool:
        return self.is_there and not self.changed


def status(project: Project, after: Annotated[str, Param("Continue after this file")] = "") -> Answer:
    """Is everything seen and fresh? State of the index, files left out with reasons, savings since the start."""
    walked = project.index.walk()
    index = _index(project, walked)
    everything = Walk(walked.files, tuple(sorted((*walked.skipped, *index.left_out), key=lambda entry: entry.path)))
    skipped = [s for s in everything.skipped if s.path > after]
    blocks = [] if after else [Block((f"{line}\n",)) for line in _facts(project, everything, index)]
    facts = len(blocks)
    for s in skipped:
        data = {"path": s.path, "reason": s.reason, "detail": s.detail}
        blocks.append(Block((visible(f" {s.path}: {_why(s)}\n"),), data=data))

    def frame(shown: Shown) -> Frame:
        last = skipped[shown.blocks - facts - 1].path if shown.blocks > facts else after
        head = f"{project.root.name} (codectx {__version__})"
        return Frame(head, max(0, shown.blocks - facts), len(skipped), "files", Call("status", {"after": last}))

    balance = project.ledger.balance()
    index_size, vectors_size = _sizes(project)
    return Answer(
        blocks,
        frame,
        data={
            "root": str(project.root),
            "files": index.files,
            "files_seen": len(walked.files),
            "up_to_date": index.is_fresh,
            "chunks": index.chunks,
            "vectors": project.index.embedding.told,
            "index_bytes": index_size,
            "vectors_bytes": vectors_size,
            "store": project.index.place.store.shown,
            "store_trouble": _shared_trouble(project),
            "secrets_masked": dict(index.masked),
            "secret_files": dict(_secret_files(everything)),
            "languages": dict(_languages(walked).most_common()),
            "answers": balance.answers,
            "delivered_tokens": balance.delivered,
            "baseline_tokens": balance.baseline,
        },
        items="skipped",
    )


def _languages(walked: Walk) -> Tally[str]:
    return Tally(found.name for file in walked.files if (found := language_of(file.path)) is not None)


def _index(project: Project, walked: Walk) -> _Index:
    from indexer.sync import current, pending

    manifest = current(project.index.place, unfinished=True)
    if manifest is None:
        return _Index()
    changed, gone = pending(manifest, walked, sure=False)
    left_out = tuple(each for each, _ in manifest.skipped)
    chunks = sum(seen.chunks for seen in manifest.files.values())
    masked: Tally[str] = Tally()
    for seen in manifest.files.values():
        masked.update(dict(seen.masked))
    kinds = tuple(sorted(masked.items()))
    return _Index(len(manifest.files), chunks, len(changed) + len(gone), left_out, kinds, is_there=True)


def _sizes(project: Project) -> tuple[int, int]:
    """Give the bytes of index and vectors on this machine."""
    from indexer.tables import size_of

    place = project.index.place
    return size_of(place.folder), place.store.vectors_size()


def _secret_files(walked: Walk) -> Tally[str]:
    return Tally(kind_of_secret_path(skipped.path) for skipped in walked.skipped if skipped.detail == SECRET)


def _why(skipped: Skipped) -> str:
    """Say why a file is left out; its path stands before it already."""
    return (skipped.detail or skipped.reason).removeprefix(f"{skipped.path} ").removeprefix("is ")


def _told(project: Project, index: _Index) -> str:
    doing = project.index.keeper.doing if project.index.keeper is not None else ""
    if not index.is_there:
        is_shared = project.index.place.store.is_remote
        return f"index: none yet, {doing or (_NOT_TAKEN_OVER if is_shared else '`codectx index` builds it')}"
    told = f"index: {counted(index.files, 'file')}, {counted(index.chunks, 'chunk')}"
    told += f", {counted(index.changed, 'file')} changed since" if index.changed else ", up to date"
    vectors = project.index.embedding.told
    return told + (f"; {doing}" if doing else "") + (f"; vectors: {vectors}" if vectors else "; no vectors")


def _stored(project: Project) -> str:
    """Say what is on disk; and where else, and whether changes are noticed, if that is so."""
    index, vectors = _sizes(project)
    parts = [f"index {sized(index)}"]
    if vectors:
        parts.append(f"vectors {sized(vectors)}")
    told = f"on disk: {', '.join(parts)}"
    store = project.index.place.store
    if store.is_remote:
        told += f"; shared: {visible(store.shown)}"
    if project.index.keeper is not None:
        told += f"; {project.index.keeper.watcher.told}"
    return told


def _shared_trouble(project: Project) -> str:
    """Say why the shared index could not be had at the last look, of this process or of any."""
    place = project.index.place
    if project.index.trouble or not place.store.is_remote:
        return project.index.trouble
    from indexer.shared import LOOKED
    from indexer.tables import StoreUnreachableError

    try:
        reason = (place.folder / LOOKED).read_text(encoding="utf-8")
    except OSError:
        return ""
    return str(StoreUnreachableError(place.store.location, reason)) if reason else ""


def _secrets(walked: Walk, index: _Index) -> str:
    """Say how many secrets are kept from everybody, never which."""
    parts = []
    if index.masked:
        parts.append(f"{sum(count for _, count in index.masked)} masked in the index ({_listed(index.masked)})")
    files = sorted(_secret_files(walked).items())
    if files:
        parts.append(f"{counted(sum(count for _, count in files), SECRET_FILE)} ({_listed(files)})")
    return f"secrets: {', '.join(parts)}" if parts else ""


def _listed(kinds: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in kinds)


def _facts(project: Project, walked: Walk, index: _Index) -> list[str]:
    languages = _languages(walked)
    named = [f"{name} {count}" for name, count in languages.most_common(MAX_LANGUAGES)]
    if len(languages) > MAX_LANGUAGES:
        named.append(f"+{counted(len(languages) - MAX_LANGUAGES, 'language')}")
    named.append(f"other {len(walked.files) - sum(languages.values())}")
    rg = "ripgrep and Python" if shutil.which("rg") else "Python (faster with ripgrep on PATH)"
    lines = [
        f"files: {len(walked.files)} ({', '.join(named)})",
        _told(project, index),
        *([_stored(project)] if index.is_there else []),
        *([f"shared index not looked at: {visible(trouble)}"] if (trouble := _shared_trouble(project)) else []),
        f"grep: {rg}",
    ]
    secrets = _secrets(walked, index)
    if secrets:
        lines.append(secrets)
    balance = project.ledger.balance()
    if balance.answers:
        lines.append(
            f"since the start: {counted(balance.answers, 'answer')}, about {balance.delivered} tokens; "
            f"the same files whole: about {balance.baseline}"
        )
    if walked.skipped:
        lines.append(left_out_told((skipped.reason, skipped.detail) for skipped in walked.skipped))
    return lines


TOOL = tool(status, title="Status", limit=300)
