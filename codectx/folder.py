"""Summarise a folder: a row for each file (lines, symbols, what it is for), a row for each folder below."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass

from codectx import progress
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.project import Located, Project
from codectx.render import clipped, counted, shown_path, visible
from indexer.errors import IndexerError
from indexer.languages import language_of
from indexer.secrets import mask
from indexer.text import count_lines
from indexer.walk import WalkedFile

MAX_PARSED_BYTES = 2_000_000  # of all files of one answer (about 1 s CPU); of those beyond it no symbols are counted
HEAD_CHARS = 4000  # of a file beyond it in which a description is looked for
MAX_DESCRIPTION = 100  # characters
MAX_LANGUAGES = 3  # named in the row of a folder


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    files: tuple[WalkedFile, ...]
    is_folder: bool


def folder_answer(project: Project, located: Located, depth: int, after: str) -> Answer:
    """Give the rows of a folder and of the folders below it down to ``depth`` levels.

    Args:
        project: whose folder it is.
        located: the folder.
        depth: 1 shows the folder's own entries.
        after: name of the last row of the page before.
    """
    walked = project.walk(located.path)
    rows = _rows(walked.files, located.path, depth)
    names = [row.name for row in rows]
    first = names.index(after) + 1 if after in names else sum(name <= after for name in names) if after else 0
    budget = MAX_PARSED_BYTES
    blocks, not_counted = [], 0
    for row in rows[first:]:
        progress.check()
        size = 0 if row.is_folder else row.files[0].size
        blocks.append(_folder_block(row) if row.is_folder else _file_block(project, row, parse=size <= budget))
        not_counted += size > budget
        budget -= min(size, budget)

    def frame(shown: Shown) -> Frame:
        arguments: dict[str, str | int] = {"path": located.path}
        if depth != 1:
            arguments["depth"] = depth
        last = rows[first + shown.blocks - 1].name if shown.blocks else after
        following = Call("summarize", {**arguments, "after": last})
        head = f"{shown_path(located.path)}{'' if located.path == '.' else '/'} ({_facts(walked.files)})"
        return Frame(head, shown.blocks, len(rows) - first, "entries", following)

    notices = []
    if walked.skipped:
        notices.append(f"left out: {counted(len(walked.skipped), 'file')}, see status()")
    if not_counted:
        notices.append(f"symbols not counted: {counted(not_counted, 'file')}, too much at once; summarize each")
    return Answer(
        blocks,
        frame,
        notices=tuple(notices),
        data={"path": located.path, "total_files": len(walked.files)},
        items="entries",
        found=bool(rows),
    )


def _rows(files: Sequence[WalkedFile], folder: str, depth: int) -> list[_Row]:
    prefix = "" if folder == "." else f"{folder}/"
    rows: dict[str, list[WalkedFile]] = {}
    for file in files:
        parts = file.path[len(prefix) :].split("/")
        name = "/".join(parts[:depth]) + "/" if len(parts) > depth else "/".join(parts)
        if depth > 1:
            name = prefix + name  # several folders are shown: each row is an address of its own
        rows.setdefault(name, []).append(file)
    return [_Row(name, tuple(inside), name.endswith("/")) for name, inside in sorted(rows.items())]


def _facts(files: Sequence[WalkedFile]) -> str:
    languages = Tally(language.name for file in files if (language := language_of(file.path)) is not None)
    named = ", ".join(f"{name} {count}" for name, count in languages.most_common(MAX_LANGUAGES))
    return counted(len(files), "file") + (f": {named}" if named else "")


def _folder_block(row: _Row) -> Block:
    data = {"name": row.name, "kind": "folder", "files": len(row.files)}
    return Block((f"{shown_path(row.name)}  {_facts(row.files)}\n",), data=data)


def _file_block(project: Project, row: _Row, *, parse: bool) -> Block:
    file = row.files[0]
    data: dict[str, object] = {"name": row.name, "kind": "file", "bytes": file.size}
    if file.size > MAX_PARSED_BYTES:
        return Block((f"{shown_path(row.name)}  {counted(file.size, 'byte')}\n",), data=data)
    from indexer.summary import summarize_text

    try:
        text = project.read(project.resolve(file.path)).text
    except IndexerError as error:
        return Block((f"{shown_path(row.name)}  {error.category}, {counted(file.size, 'byte')}\n",), data=data)
    summary = summarize_text(file.path, mask(text if parse else text[:HEAD_CHARS]).text)
    lines = count_lines(text)
    size = counted(lines, "line")
    if parse and summary.exact and summary.symbols:
        size += f", {counted(len(summary.symbols), 'symbol')}"
        data["symbols"] = len(summary.symbols)
    description = clipped(visible(summary.description), MAX_DESCRIPTION)
    data |= {"lines": lines, "description": summary.description}
    return Block((f"{shown_path(row.name)}  {size}{description and ': ' + description}\n",), data=data)
