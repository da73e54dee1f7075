"""Summarise a file or a folder: what an agent reads before it reads any code."""

from __future__ import annotations

from typing import Annotated, Any

from codectx.address import Address
from codectx.answer import Answer, Block, Breaks, Frame, Shown
from codectx.call import Call
from codectx.errors import invalid_argument
from codectx.folder import folder_answer
from codectx.outline import file_blocks
from codectx.project import Located, Project
from codectx.reading import page
from codectx.render import counted, line_ranges, visible
from codectx.tool import Param, tool
from indexer.model import FileSummary
from indexer.secrets import MASK, mask
from indexer.text import split_lines

MAX_BYTES = 10_000_000  # of a file that is parsed; a larger one gives its head, at no more cost than that
HEAD_LINES = 20  # shown of a file that no grammar knows
HEAD_CHARS = 1500
MAX_NAMES = 200  # imports, and exports, of one answer as JSON; how many more there are is told
MAX_COMPARED = 3  # a source of more than 3 times its summary's characters has more tokens, too


def summarize(
    project: Project,
    path: Annotated[str, Param("File or folder", min_length=1)],
    depth: Annotated[int, Param("Levels of folders shown", minimum=1, maximum=5)] = 1,
    after: Annotated[str, Param("Continue after this")] = "",
) -> Answer:
    """What is in this file or folder, and where? Read it before any code.

    File: imports, exports, symbols with lines, parameters, description, after > calls (^: those listed last).
    Folder: its main files.
    """
    located = project.resolve(project.address(path).path)
    if located.absolute.is_dir():
        return folder_answer(project, located, depth, after)
    return _file_answer(project, project.file(located.path), after)


def _file_answer(project: Project, located: Located, after: str) -> Answer:
    from indexer.source import source_of
    from indexer.summary import summarize_source

    if after and not (after.isdecimal() and len(after) < 12):
        raise invalid_argument(f"after is {after}", "for a file it is the number of symbols already shown")
    first = int(after or 0)
    page = first if after else None  # "0" goes on behind the facts
    if located.absolute.stat().st_size > MAX_BYTES:
        with project.open_text(located) as file:
            text, lines = file.window(1, 0, 2 * HEAD_CHARS).text, file.total_lines
        masked, summary = mask(text), FileSummary(located.path, None, line_count=lines, exact=False)
    else:
        text = project.read(located).text
        masked = mask(text)
        summary = summarize_source(source_of(located.path, masked.text))  # its next page is asked for next
    if first and first >= len(summary.symbols):
        raise invalid_argument(
            f"after is {first}, but {located.path} has {counted(len(summary.symbols), 'symbol')}",
            "give a number below that, or leave after out to begin anew",
        )
    blocks = file_blocks(summary, len(text), page)
    rows = len(summary.symbols) - first
    facts = len(blocks) - rows
    head = None if summary.exact else _Head(masked.text)
    if head is not None:
        blocks.append(Block((head.text,), breaks=lambda _: Breaks()))

    def frame(shown: Shown) -> Frame:
        title = located.path if after else f"{located.path} ({_facts(summary)})"  # a later page need not repeat them
        symbols = min(rows, max(0, shown.blocks - facts))
        if head is None or symbols < rows:
            rest = {"path": located.path, "after": str(first + symbols)}
            return Frame(title, symbols, rows, "symbols", Call("summarize", rest))
        seen = (head.lines, head.chars) if shown.blocks == len(blocks) else (shown.lines, shown.chars)
        following = Call("read_lines", {"path": str(Address(located.path, seen[0] + 1, None, seen[1]))})
        return Frame(title, seen[0], summary.line_count, "lines", following)

    notices = []
    if any(MASK in block.forms[0] for block in blocks):
        notices.append(f"masked: likely secrets on {line_ranges(masked.lines)}")
    if summary.problems:
        broken = [n for p in summary.problems for n in range(p.start, p.end + 1)]
        notices.append(f"problems: {line_ranges(broken)} could not be parsed")
    return Answer(
        blocks,
        frame,
        notices=tuple(notices),
        data=_data(summary, head),
        items="symbols",
        complete=head is None or head.whole or rows > 0,
        shorter=_source(project, located, text, blocks) if not after else None,
    )


class _Head:
    """Hold the first lines of a file that has no grammar."""

    def __init__(self, text: str) -> None:
        lines = split_lines(text)[:HEAD_LINES]
        shown = "".join(lines)[:HEAD_CHARS]
        self.whole = len(shown) == len(text)
        self.lines = shown.count("\n") + (self.whole and not shown.endswith("\n"))
        line_end = shown.rfind("\n") + 1
        if not self.whole and line_end > HEAD_CHARS // 2:
            shown = shown[:line_end]
        self.chars = len(shown) - (shown.rfind("\n") + 1)
        self.text = visible_lines(shown if shown.endswith("\n") or not shown else f"{shown}\n")


def visible_lines(text: str) -> str:
    """Show invisible characters of several lines."""
    return "\n".join(visible(line) for line in text.split("\n"))


def _facts(summary: FileSummary) -> str:
    facts = [summary.language or "text", counted(summary.line_count, "line")]
    if summary.exact or summary.symbols:
        facts.append(counted(len(summary.symbols), "symbol"))
    if not summary.exact:
        facts.append("not parsed: head and outline")
    return ", ".join(facts)


def _data(summary: FileSummary, head: _Head | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": summary.path,
        "language": summary.language,
        "exact": summary.exact,
        "total_lines": summary.line_count,
        "total_symbols": len(summary.symbols),
        "description": summary.description,
        "imports": list(summary.imports[:MAX_NAMES]),
        "exports": list(summary.exports[:MAX_NAMES]),
        "problems": [{"lines": [p.start, p.end], "message": p.message} for p in summary.problems],
    }
    more = len(summary.imports) + len(summary.exports) - len(data["imports"]) - len(data["exports"])
    if more:
        data["names_left_out"] = more
    return data if head is None else {**data, "head": head.text}


def _source(project: Project, located: Located, text: str, blocks: list[Block]) -> Answer | None:
    """Give the file itself where it may be shorter than its summary."""
    if not text or len(text) > MAX_COMPARED * sum(len(block.forms[0]) for block in blocks) + 200:
        return None
    return page(project, located, Address(located.path))


TOOL = tool(summarize, title="Summarise", limit=2000, meta={"anthropic/alwaysLoad": True})
