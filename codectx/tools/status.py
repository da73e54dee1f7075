"""Say what codectx sees of this project, what it leaves out and why, and what it has saved."""

from __future__ import annotations

import shutil
from collections import Counter as Tally
from typing import Annotated

from codectx import __version__
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.project import SECRET, Project
from codectx.render import counted, visible
from codectx.tool import Param, tool
from indexer.languages import language_of
from indexer.walk import Walk

MAX_LANGUAGES = 6


def status(project: Project, after: Annotated[str, Param("Continue after this file")] = "") -> Answer:
    """Is everything seen and fresh? Files by language, files left out with reasons, savings since the start."""
    walked = project.walk()
    skipped = [s for s in walked.skipped if s.path > after]
    blocks = [] if after else [Block((f"{line}\n",)) for line in _facts(project, walked)]
    facts = len(blocks)
    for s in skipped:
        data = {"path": s.path, "reason": s.reason, "detail": s.detail}
        blocks.append(Block((visible(f" {s.path}: {s.detail or s.reason}\n"),), data=data))

    def frame(shown: Shown) -> Frame:
        last = skipped[shown.blocks - facts - 1].path if shown.blocks > facts else after
        head = f"{project.root.name} (codectx {__version__})"
        return Frame(head, max(0, shown.blocks - facts), len(skipped), "files", Call("status", {"after": last}))

    balance = project.ledger.balance()
    return Answer(
        blocks,
        frame,
        data={
            "root": str(project.root),
            "files": len(walked.files),
            "languages": dict(_languages(walked).most_common()),
            "answers": balance.answers,
            "delivered_tokens": balance.delivered,
            "baseline_tokens": balance.baseline,
        },
        items="skipped",
    )


def _languages(walked: Walk) -> Tally[str]:
    return Tally(found.name for file in walked.files if (found := language_of(file.path)) is not None)


def _facts(project: Project, walked: Walk) -> list[str]:
    languages = _languages(walked)
    named = [f"{name} {count}" for name, count in languages.most_common(MAX_LANGUAGES)]
    if len(languages) > MAX_LANGUAGES:
        named.append(f"+{counted(len(languages) - MAX_LANGUAGES, 'language')}")
    named.append(f"other {len(walked.files) - sum(languages.values())}")
    rg = "ripgrep and Python" if shutil.which("rg") else "Python (faster with ripgrep on PATH)"
    lines = [
        f"files: {len(walked.files)} ({', '.join(named)})",
        "freshness: each answer is read from the files, there is nothing to be stale",
        f"grep: {rg}",
    ]
    balance = project.ledger.balance()
    if balance.answers:
        lines.append(
            f"since the start: {counted(balance.answers, 'answer')}, about {balance.delivered} tokens; "
            f"the same files whole: about {balance.baseline}"
        )
    if walked.skipped:
        reasons = Tally("secret" if skipped.detail == SECRET else skipped.reason for skipped in walked.skipped)
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        lines.append(f"left out: {counted(len(walked.skipped), 'file')} ({told})")
    return lines


TOOL = tool(status, title="Status", limit=300)
