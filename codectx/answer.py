"""Hold what a tool answers, before anybody has counted a token.

A tool returns an ``Answer``: blocks in order, and one function that says, for any place where the
answer may end, what its header and its next call are. ``codectx.fit`` chooses the place. No tool counts
tokens and no tool cuts text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from codectx.call import Call

ADDED = " [added]"  # ends a fence line that is ours and not the file's


@dataclass(frozen=True, slots=True)
class Breaks:
    """Say where verbatim text may be cut well.

    Attributes:
        levels: for each level of preference, best first, the numbers of lines after which a cut is good
            (after whole top-level symbols; after statements or blank lines).
        fences: for Markdown, ``(first, last, opening)`` of each fenced block, in lines of the text, and its
            opening line; a cut inside one adds a closing line and the next page reopens it.
    """

    levels: tuple[Sequence[int], ...] = ()
    fences: Sequence[tuple[int, int, str]] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Hold one piece of an answer in its forms, longest first.

    Attributes:
        forms: the same content, ever shorter; each ends with a line break unless it is the file's own last
            line without one. The last may be "" where the block may vanish.
        data: the same content for ``--json``: one whole record.
        breaks: given for verbatim text only: the block may be cut inside, and where this is best. Called
            with the text that fits at most, only if a cut is needed.
    """

    forms: tuple[str, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    breaks: Callable[[str], Breaks] | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """Say how far an answer goes.

    Attributes:
        blocks: number of leading blocks shown in full.
        lines: whole lines shown of the block after them (0 where that one was not begun).
        chars: characters shown of the line after these (0 where the cut is at a line's end).
        short: number of further blocks shown in their shortest form.
        whole: True when nothing is left out.
    """

    blocks: int
    lines: int = 0
    chars: int = 0
    short: int = 0
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """Hold what stands around the content.

    Attributes:
        head: first line: the address and facts, without line break; empty for none.
        shown: how many of the counted things are shown, and
        total: how many there are (for the notice ``[cut: 12 of 40 UNIT shown. next: CALL]``).
        unit: what is counted (``lines``, ``matches``, ``symbols``).
        next: the call that goes on exactly where this answer ends; None when whole.
        left_out: short names of what lies beyond the cut; as many as fit in an eighth of the limit.
        data: facts for ``--json`` that depend on the place (``start``, ``end``).
        notices: closing notices that depend on the place, without brackets (``masked: line 7``).
    """

    head: str
    shown: int = 0
    total: int = 0
    unit: str = "lines"
    next: Call | None = None
    left_out: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold a whole answer.

    Attributes:
        blocks: the content in order; may be a window's worth only, if ``complete`` is False.
        frame: gives header and next call for any place the answer may end.
        notices: closing notices that hold wherever it ends, without brackets (``not searched: 2 binary files``).
        data: the facts for ``--json`` (``path``, ``total_lines``), beside ``items``.
        items: the name under which ``--json`` lists the blocks' records; "content" means verbatim text.
        complete: False when ``blocks`` stop before the content does, so that the answer is a cut one.
        total_chars: characters of the whole content, where ``blocks`` hold only a part of it.
        found: False when there was nothing to find: exit code 1 on the command line, not an error.
        reopen: a Markdown fence line that this page begins inside of; shown first, with ``[added]``.
        close: the line that closes the fence in which the uncut content ends; shown last, with ``[added]``.
        shorter: another answer to the same question, shown instead where it fits whole and has fewer
            tokens (a file that is shorter than its summary). Never in ``--json``.
    """

    blocks: Sequence[Block]
    frame: Callable[[Shown], Frame]
    notices: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    items: str = "items"
    complete: bool = True
    total_chars: int | None = None
    found: bool = True
    reopen: str = ""
    close: str = ""
    shorter: Answer | None = None
