"""List one folder: its entries with their sizes in lines, ignored ones left out."""

from __future__ import annotations

from typing import Annotated

from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.project import Project
from codectx.render import counted, shown_path
from codectx.tool import Param, tool
from indexer.errors import IndexerError
from indexer.text import count_lines
from indexer.walk import FolderEntry

MAX_COUNTED_BYTES = 8_000_000  # of all files of the folder; beyond it sizes are given in bytes


def list_directory(
    project: Project,
    path: Annotated[str, Param("Folder")] = ".",
    after: Annotated[str, Param("Continue after this entry")] = "",
) -> Answer:
    """What is in this folder? Its files with their lengths in lines, and its folders; ignored ones left out."""
    located = project.folder(path)
    entries = project.list_folder(located)
    unusable = project.count_unusable(located)
    rest = [entry for entry in entries if entry.name > after]
    budget = MAX_COUNTED_BYTES
    blocks = []
    for entry in rest:
        size = _size(project, located.path, entry, budget)
        budget -= 0 if entry.is_dir else entry.size
        blocks.append(Block((f"{_label(entry)}{size and '  ' + size}\n",), data=_record(entry, size)))

    def frame(shown: Shown) -> Frame:
        last = rest[shown.blocks - 1].name if shown.blocks else after
        arguments = {"path": located.path, "after": last}
        folders = sum(entry.is_dir for entry in entries)
        head = f"{shown_path(located.path)}/ ({counted(len(entries) - folders, 'file')}, {counted(folders, 'folder')})"
        return Frame(head.replace("./ ", ". "), shown.blocks, len(rest), "entries", Call("list_directory", arguments))

    return Answer(
        blocks,
        frame,
        notices=(f"left out: {counted(unusable, 'name')} that cannot be shown",) if unusable else (),
        data={"path": located.path, "total_entries": len(entries)},
        items="entries",
        found=bool(entries or unusable),
    )


def _label(entry: FolderEntry) -> str:
    name = shown_path(entry.name)
    if entry.is_link:
        return f"{name} -> link{' to outside the project' if entry.outside else ''}"
    return f"{name}/" if entry.is_dir else name


def _size(project: Project, folder: str, entry: FolderEntry, budget: int) -> str:
    """Give the size as people and agents count it: lines; what is no text by its bytes."""
    if entry.is_dir or entry.is_link:
        return ""
    if entry.size > budget:
        return counted(entry.size, "byte")
    try:
        path = entry.name if folder == "." else f"{folder}/{entry.name}"
        return counted(count_lines(project.read(project.resolve(path)).text), "line")
    except IndexerError as error:
        return f"{error.category}, {counted(entry.size, 'byte')}"


def _record(entry: FolderEntry, size: str) -> dict[str, object]:
    kind = "link" if entry.is_link else "folder" if entry.is_dir else "file"
    return {"name": entry.name, "kind": kind, "size": size, **({"outside": True} if entry.outside else {})}


TOOL = tool(list_directory, title="List folder", limit=500)
