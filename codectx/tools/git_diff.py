"""Show what changed: whole diffs of the small files first, a line for each that is too large."""

from __future__ import annotations

import os
from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from codectx import progress
from codectx.answer import Answer, Frame, Shown
from codectx.call import Call
from codectx.errors import UserError
from codectx.patches import Cursor, Entry, Pages, Part, file_entry, find, pages_from
from codectx.project import Project
from codectx.render import clipped, counted, joined
from codectx.tool import HARD_MAX_TOKENS, Param, tool
from indexer.changes import Comparison, Repository, changed_files, compare, near_refs, patches, untracked_files
from indexer.diff import ChangedFile, Section
from indexer.errors import GitError, IndexerError
from indexer.text import count_lines, read_text

GIT_SECONDS = 10.0  # for all that is asked of git in one call
MAX_LINES = 400_000  # changed lines; beyond it not all diffs are made, and changed lines count as size
MAX_UNTRACKED = 40  # names of untracked files; if there are more, folders are named
MAX_COUNTED = 1_000_000  # bytes of an untracked file whose lines are counted
_UNTRACKED = "/untracked"  # stands for these files in cursors; no path of a file begins so


@dataclass(frozen=True, slots=True)
class _Place:
    """Hold where to ask git.

    Attributes:
        folder: the root to run it in.
        path: what to show of it; empty for all.
        name: gives what a path is called in answers.
        missing: what is wrong if nothing differs there: the path does not exist.
    """

    folder: Path
    path: str
    name: Callable[[str], str]
    missing: UserError | None = None


def git_diff(
    project: Project,
    ref: Annotated[str, Param("Commit, branch, tag, A..B or A...B")] = "",
    path: Annotated[str, Param("File or folder")] = "",
    after: Annotated[str, Param("Continue after this")] = "",
) -> Answer:
    """What changed? Diff of uncommitted changes (staged or not) or against ref; the largest files shrink to a line."""
    place = _place(project, path)
    try:
        repository = Repository(place.folder, os.environ, GIT_SECONDS)
        try:
            comparison = compare(repository, ref.strip())
        except GitError as error:
            raise _bad_ref(project, repository, ref, error) from None
        files = changed_files(repository, comparison, place.path)
        names = () if ref.strip() else untracked_files(repository, place.path)
        if place.missing and not files and not names:
            raise place.missing
        entries = _all_entries(project, place, repository, comparison, files, _untracked(project, place, names), after)
    except GitError as error:
        raise _told(error) from None
    head = _head(ref.strip(), place, comparison, files, names)
    if not entries:
        return Answer((), lambda _: Frame(head), data={"ref": ref, "total_files": 0}, items="files", found=False)
    return _answer(ref, path, head, entries, pages_from(entries, after))


def _place(project: Project, path: str) -> _Place:
    missing = None
    absolute = project.root
    if path:
        wanted = Path(os.path.normpath(project.root / path))
        try:
            absolute = project.resolve(path).absolute
        except UserError as error:
            if error.category != "not_found":
                raise
            missing = error  # it may have been deleted, which is a change worth showing
            wanted = Path(os.path.normpath(project.root / path.replace("\\", "/")))
            absolute = Path(os.path.realpath(wanted))
        # Git knows a link by its own name; only the folders that it is in are resolved.
        itself = Path(os.path.realpath(wanted.parent)) / wanted.name
        absolute = itself if any(itself.is_relative_to(root) for root in project.roots) else absolute
    folder = next(root for root in project.roots if absolute.is_relative_to(root))
    inside = absolute.relative_to(folder).as_posix()
    own = folder == project.root
    return _Place(
        folder, "" if inside == "." else inside, lambda name: name if own else (folder / name).as_posix(), missing
    )


def _bad_ref(project: Project, repository: Repository, ref: str, error: GitError) -> UserError:
    if error.category != "bad_ref":
        return _told(error)
    try:
        project.resolve(ref)
        return UserError("bad_ref", error.message, f'it is a path: git_diff(path="{clipped(ref, 80)}")')
    except UserError:
        near = near_refs(repository, ref)
    return UserError("bad_ref", error.message, f"near: {', '.join(near)}" if near else "there is no commit yet")


def _told(error: GitError) -> UserError:
    damaged = "damaged" in error.message
    remedies = {
        "timeout": "give a narrower path",
        "unsupported": "`git fsck` may tell more" if damaged else "git_diff needs a git repository of its own",
    }
    return UserError(error.category, error.message, remedies.get(error.category, ""))


def _all_entries(
    project: Project,
    place: _Place,
    repository: Repository,
    comparison: Comparison,
    files: Sequence[ChangedFile],
    untracked: Sequence[Entry],
    after: str,
) -> list[Entry]:
    """Make the entries in their order: the untracked files, then the changed ones by size."""
    by_bytes = sum(file.added + file.deleted for file in files) <= MAX_LINES

    def entries_of(some: Sequence[ChangedFile], made: Mapping[str, Section]) -> list[Entry]:
        found = []
        for file in some:
            secret = any(project.is_secret(place.name(path)) for path in (file.path, file.old_path) if path)
            section = made.get(file.path)
            found.append(file_entry(file, place.name(file.path), section, secret=secret, by_bytes=by_bytes))
        return sorted(found, key=lambda entry: (entry.size, entry.name))

    if by_bytes:
        made = patches(repository, comparison, place.path)
        # Git may name a file whose content does not differ after all.
        return [*untracked, *entries_of([file for file in files if file.path in made], made)]
    entries = [*untracked, *entries_of(files, {})]
    _, first = find(entries, after)
    by_name = {place.name(file.path): file for file in files}
    wanted: dict[str, ChangedFile] = {}
    room = HARD_MAX_TOKENS  # a changed line has at least one token
    for entry in entries[first:]:
        if entry.name in by_name:
            room -= entry.size
            if room < 0 and wanted:
                break
            wanted[entry.name] = by_name[entry.name]
    made = patches(repository, comparison, only=list(wanted.values()))
    full = {entry.name: entry for entry in entries_of(list(wanted.values()), made)}
    return [_shown(full.get(entry.name), entry) for entry in entries]


def _shown(full: Entry | None, brief: Entry) -> Entry:
    if full is None:
        return brief
    return full if full.section else replace(full, text=full.stat)  # its content does not differ after all


def _untracked(project: Project, place: _Place, names: Sequence[str]) -> list[Entry]:
    """Make one entry that names all untracked files, as agents forget them."""
    if not names:
        return []
    rows = []
    if len(names) <= MAX_UNTRACKED:
        for name in names:
            progress.check()
            rows.append(f"{place.name(name)} | untracked, {_size(project, place, name)}")
    else:
        for folder, count in _by_folder(names).items():
            rows.append(
                f"{place.name(folder)} | {counted(count, 'untracked file')}"
                if count > 1
                else f"{place.name(folder)} | untracked"
            )
    text = "".join(f"{row}\n" for row in rows)
    data = {"path": None, "status": "untracked", "files": [place.name(name) for name in names[:MAX_UNTRACKED]]}
    return [Entry(_UNTRACKED, f"{counted(len(names), 'untracked file')}\n", -1, data, text=text)]


def _by_folder(names: Sequence[str]) -> Mapping[str, int]:
    tally: Tally[str] = Tally(names)
    for depth in (4, 3, 2, 1):
        if len(tally) <= MAX_UNTRACKED:
            break
        tally = Tally()
        for name in names:
            parts = name.split("/")
            tally[name if len(parts) <= depth else "/".join(parts[:depth]) + "/"] += 1
    return tally


def _size(project: Project, place: _Place, name: str) -> str:
    if name.endswith("/"):
        return "a repository of its own"
    if project.is_secret(place.name(name)):
        return "secret file"
    try:
        return counted(
            count_lines(read_text(place.folder / name, name, MAX_COUNTED, roots=(place.folder,)).text), "line"
        )
    except IndexerError as error:
        return error.category


def _head(ref: str, place: _Place, comparison: Comparison, files: Sequence[ChangedFile], names: Sequence[str]) -> str:
    head = f"git diff {clipped(ref, 80) or 'HEAD'}{' (no commit yet)' if comparison.empty else ''}"
    if place.path:
        head += f" -- {place.name(place.path)}"
    if not files and not names:
        return f"{head}: no changes"
    added, deleted = (sum(getattr(file, side) for file in files) for side in ("added", "deleted"))
    head += f": {counted(len(files), 'file')}, +{added} -{deleted}"
    return head + (f", {len(names)} untracked" if names else "")


def _answer(ref: str, path: str, head: str, entries: Sequence[Entry], pages: Pages) -> Answer:
    def frame(shown: Shown) -> Frame:
        count = min(shown.blocks, len(pages.parts))
        parts = pages.parts[:count]
        if count > pages.first or (count == pages.first and not (parts and parts[-1].end.lines)):
            done = count - pages.first + 1
            numbers = (done, len(pages.entries), "files")
            beyond = pages.entries[done + shown.short + shown.blocks - count :]
            end = parts[-1].end if parts else pages.start
        else:
            first = pages.entries[0]
            lines = sum(part.lines for part in parts) + shown.lines
            numbers = (lines, first.lines - pages.start.lines, f"lines of {first.name}")
            beyond = pages.entries[1:]
            end = parts[-1].end if parts else _inside(first, pages.start, shown)
        begun = [*parts, *pages.parts[count : count + (count == 0)]]
        return Frame(
            head,
            *numbers,
            next=Call("git_diff", {"ref": ref, **({"path": path} if path else {}), "after": str(end)}),
            left_out=() if shown.whole else [entry.stat.rstrip().replace(" | ", " ") for entry in beyond],
            notices=_notices(begun),
        )

    return Answer(
        pages.blocks,
        frame,
        data={"ref": ref, "total_files": len(entries)},
        items="files",
        complete=pages.complete,
        total_chars=max(sum(entry.size for entry in pages.entries), sum(len(block.forms[0]) for block in pages.blocks)),
    )


def _inside(first: Entry, start: Cursor, shown: Shown) -> Cursor:
    chars = shown.chars + (start.chars if shown.lines == 0 and start.name == first.name else 0)
    lines = shown.lines + (start.lines if start.name == first.name else 0)
    return Cursor(first.name, lines, chars)


def _notices(parts: Sequence[Part]) -> tuple[str, ...]:
    notices = []
    masked = dict.fromkeys(part.name for part in parts if part.masked)
    if masked:
        notices.append(f"masked: likely secrets in {joined(masked, 60)}")
    invisible: dict[str, dict[str, None]] = {}
    for part in parts:
        for code in part.invisible:
            invisible.setdefault(code, {})[part.name] = None
    if invisible:
        told = [f"{code} in {joined(names, 60)}" for code, names in invisible.items()]
        notices.append(f"invisible: {joined(told, 80)}")
    return tuple(notices)


TOOL = tool(git_diff, title="Show changes", limit=4000)
