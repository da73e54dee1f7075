"""Answer one call of one tool: check the arguments, run the tool, fit its answer to the limit.

``answer_call`` is the one way in for the server and the command line, so that both give the same text; it
knows nothing of either. Whatever goes wrong becomes one line; a bug in a tool never ends the process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

from codectx.errors import EXIT_DONE, EXIT_NOTHING, UserError
from codectx.tool import HARD_MAX_TOKENS, MAX_TOKENS, Tool, check
from indexer.errors import IndexerError

if TYPE_CHECKING:
    from codectx.answer import Answer
    from codectx.config import Config
    from codectx.project import Project

_MOST_READ = 256 * 1024  # bytes of a file that an agent would have read whole: Claude Code refuses larger ones
_MOST_FILES = 500  # of one answer that are looked up for the ledger

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """Hold what a call gives back: a text within its limit, and how the call ended.

    Attributes:
        text: the answer, or the one line of an error; valid Unicode, never a lone surrogate.
        is_error: whether the call could not be done; nothing found is no error.
        exit_code: of the command line.
        baseline: bytes of the files that the text is about, which an agent would have read without us.
    """

    text: str
    is_error: bool = False
    exit_code: int = EXIT_DONE
    baseline: int = 0


def answer_call(project: Project, tool: Tool, arguments: Mapping[str, Any], *, as_json: bool = False) -> Reply:
    """Answer a call in at most ``limit_of`` tokens; only ``progress.Cancelled`` and interrupts get out."""
    started = time.perf_counter()
    try:
        reply = _answered(project, tool, arguments, as_json)
    except (UserError, IndexerError) as error:
        reply = _refused(project, tool, arguments, _told(error))
    except Exception as bug:  # the tool's own fault must cost this call only
        logger.exception("%s failed", tool.name)
        what = f"{tool.name} failed unexpectedly ({type(bug).__name__})"
        told = UserError("unsupported", what, "this is a bug in codectx, see the server's log")
        reply = _refused(project, tool, arguments, told)
    project.ledger.add(len(reply.text.encode("utf-8")), reply.baseline)
    logger.debug("%s: %.0f ms, %d characters", tool.name, (time.perf_counter() - started) * 1000, len(reply.text))
    return reply


def limit_of(config: Config, tool: Tool, arguments: Mapping[str, Any]) -> int:
    """Give the limit of a call in tokens: asked for, else configured, else the tool's own."""
    try:
        asked = check(MAX_TOKENS, arguments["max_tokens"])
    except (KeyError, UserError):  # a wrong max_tokens is told by the tool's binding
        asked = None
    return min(asked or config.limits.get(tool.name, tool.limit), HARD_MAX_TOKENS)


def printable(text: str) -> str:
    """Replace what no UTF-8 stream can carry: lone surrogates, as from file names in another encoding."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def _answered(project: Project, tool: Tool, arguments: Mapping[str, Any], as_json: bool) -> Reply:
    from codectx.tokens import Counter

    bound = tool.bind(arguments)
    asked = bound.pop("max_tokens")
    answer = tool.run(project, **bound)
    counter, limit = Counter(project.config.token_factor), limit_of(project.config, tool, arguments)
    if as_json:
        from codectx.fit_json import fit_json as fit
    else:
        from codectx.fit import fit
    text = printable(fit(answer, limit, counter, max_tokens=asked).text)
    return Reply(text, exit_code=EXIT_DONE if answer.found else EXIT_NOTHING, baseline=_baseline(project, answer, text))


def _baseline(project: Project, answer: Answer, text: str) -> int:
    """Add up the files that an answer is about, as far as they are named in what was shown of it."""
    records = [answer.data, *(block.data for block in answer.blocks)]
    paths = {path for record in records if isinstance(path := record.get("path"), str)}
    total = 0
    for path in sorted(paths)[:_MOST_FILES]:
        with suppress(OSError, ValueError):
            found = (project.root / path).stat() if path in text else None
            if found is not None and S_ISREG(found.st_mode):
                total += min(found.st_size, _MOST_READ)
    return total


def _refused(project: Project, tool: Tool, arguments: Mapping[str, Any], error: UserError) -> Reply:
    from codectx.fit import clip
    from codectx.tokens import Counter

    limit = limit_of(project.config, tool, arguments)
    text = clip(printable(str(error)), limit, Counter(project.config.token_factor))
    return Reply(text, is_error=True, exit_code=error.exit_code)


def _told(error: UserError | IndexerError) -> UserError:
    if isinstance(error, UserError):
        return error
    from codectx.project import as_user_error

    return as_user_error(error)
