"""Run ``codectx hook``, the part of a git hook: see what changed, and leave the rest to a detached process.

It never blocks a commit: it ends within a second and always well (``codectx.cli`` sees to the exit code). The file
names that a hook is given are not looked at, as they lack what was deleted; the index follows the working tree,
whatever is staged of it.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLateError
from pathlib import Path
from typing import TYPE_CHECKING

from codectx.background import Work, catch_up, foreseen, look, lower_priority, start
from codectx.commands.arguments import add_project_arguments, open_project
from codectx.errors import EXIT_DONE
from codectx.output import write_answer, write_error
from codectx.render import counted
from codectx.roots import VARIABLE
from indexer.git import git_top

if TYPE_CHECKING:
    from codectx.commands.arguments import Parser
    from codectx.project import Project

SECONDS = 0.7  # of the second that a hook may take, for the start of the interpreter and for looking
LEAST_SECONDS = 0.1  # for looking, however slow the start was

_LATER = "the index follows the working tree in the background"
_SHARED = "the index is a shared one, which a hook does not write"


def add_arguments(parser: Parser) -> None:
    """Add how it reports; names of files, and whatever else a hook is called with, are taken and not looked at."""
    parser.ignores_unknown = True
    parser.add_argument("files", nargs="*", metavar="FILE", help="not looked at: what changed is seen in the files")
    parser.add_argument("--quiet", action="store_true", help="say nothing but what needs somebody's attention")
    parser.add_argument("--json", action="store_true", help="give the report as one JSON object")
    parser.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)
    add_project_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Look what changed, start what is to be done, and say so in one line."""
    # An agent's folder is not the repository that is being committed to.
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if options.detached:
        lower_priority()
        catch_up(open_project(options, environment))
        return EXIT_DONE
    told, work = _seen(options, environment)
    if work is not None and work.is_due and work.hindrance:
        told, work = work.hindrance, None
    if work is None:
        if told != _SHARED or not options.quiet:  # where it is shared nothing went wrong
            write_error(f"codectx: {told}")
        _report(options, "none", Work(), "")
        return EXIT_DONE
    if work.is_due:
        start(_detached_words(options), environment)
    if work.trouble:
        write_error(f"codectx: the last run in the background did not end well: {work.trouble}")
    if work.writer and not options.quiet:  # mostly the run that the hook before has started; this one waits for it
        write_error(f"codectx: {told}")
    _report(options, "background" if work.is_due else "current", work, "" if work.writer else told)
    return EXIT_DONE


def _seen(options: argparse.Namespace, environment: Mapping[str, str]) -> tuple[str, Work | None]:
    """Look in a thread, so that nothing in the way of the files or of git can hold up the commit.

    A report in JSON is waited for: whoever asks for one wants to know.
    """
    found: Future[tuple[str, Work | None]] = Future()
    known = [Work(is_due=True)]  # the last one counts if looking is not over in time

    def seen() -> None:
        try:
            found.set_result(_look(open_project(options, environment), known))
        except BaseException as error:  # for whoever waits
            found.set_exception(error)

    threading.Thread(target=seen, name="look", daemon=True).start()
    try:
        return found.result(None if options.json else max(SECONDS - _age(), LEAST_SECONDS))
    except TooLateError:
        return f"looking for changes takes long; {_LATER}", known[-1]


def _age() -> float:
    """Give the seconds since this process was started, or at least those that it has used."""
    try:
        # The name of the program, in brackets, may hold anything; the start is the 22nd field.
        ticks = int(Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()[19])
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"), 0.0)
    except (OSError, AttributeError, ValueError, IndexError):  # no Linux
        return time.process_time()


def _look(project: Project, known: list[Work]) -> tuple[str, Work | None]:
    """Say in words what there is to do; None where there is nothing that could be done.

    What is known before the files are looked at is put into ``known``.
    """
    if git_top(project.root) is None:
        return "this is no git working tree, nothing is done", None
    if project.index.place.store.is_remote:
        return _SHARED, None
    known.append(foreseen(project))
    work = look(project, known[-1])
    if work.writer:
        return f"another run (process {work.writer}) is writing the index; {_LATER} when that is done", work
    if work.is_new:
        return f"there is no index yet; it is made of the working tree, and {_LATER}", work
    counts = [f"{counted(len(work.changed), 'file')} changed"] if work.changed else []
    counts += [f"{counted(len(work.removed), 'file')} gone"] if work.removed else []
    if counts:
        return f"{', '.join(counts)}; {_LATER}", work
    return "the index is in step with the working tree", work


def _report(options: argparse.Namespace, state: str, work: Work, told: str) -> None:
    if options.json:
        from codectx.dispatch import printable

        record = {
            "state": state,
            "in_background": state == "background",
            "reindexed": list(work.changed),
            "removed": list(work.removed),
        }
        write_answer(printable(json.dumps(record, ensure_ascii=False) + "\n"))
    elif told and not options.quiet:
        write_answer(f"codectx: {told}\n")


def _detached_words(options: argparse.Namespace) -> list[str]:
    words = ["hook", "--detached"]
    if options.root is not None:
        words.append(f"--root={options.root}")
    return [*words, *(f"--set={setting}" for setting in options.set)]
