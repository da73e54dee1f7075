"""Run ``codectx watch``: index a project, and keep the index in step with its files until it is told to end."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from codectx.commands.arguments import add_folder_argument, add_project_arguments, open_project, take_folder
from codectx.dispatch import printable
from codectx.errors import EXIT_DONE, UserError
from codectx.output import write_error
from codectx.project import as_user_error
from codectx.render import counted
from codectx.settings import EMBEDDERS
from indexer.errors import IndexerError

if TYPE_CHECKING:
    from codectx.project import Project
    from indexer.sync import SyncReport

LOCK_SECONDS = 30.0  # that a run waits for another one to end
RETRY_SECONDS = 5.0  # after something went wrong
CHECK_SECONDS = 60.0  # between two looks at the files where changes are heard of, and
POLL_SECONDS = 2.0  # where they are not, or
POLL_SHARE = 20  # times what a look takes
LINE_SECONDS = 10.0  # between two lines of progress
MOST_NAMED = 3  # files in a line


class _EndedError(BaseException):
    """Leave whatever is being done, as an interrupt does: what was read is kept."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and what to embed with."""
    add_folder_argument(parser)
    parser.add_argument(
        "--embedder", choices=EMBEDDERS, help="fill in vectors with it, too (auto leaves that to the server)"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    add_project_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Watch until SIGTERM, which is no failure, or an interrupt."""
    take_folder(options)
    if options.embedder:
        options.set.append(f"embedder.name={options.embedder}")
    watch = _Watch(open_project(options, os.environ), quiet=options.quiet)
    before = signal.signal(signal.SIGTERM, _end)
    try:
        watch.go_on()
    except _EndedError:
        return EXIT_DONE
    finally:
        signal.signal(signal.SIGTERM, before)
        watch.close()


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise _EndedError


class _Watch:
    """Hold what is watched, and what was said of it."""

    def __init__(self, project: Project, *, quiet: bool) -> None:
        from indexer.watch import Watcher

        self._project, self._quiet = project, quiet
        self._wanted = threading.Event()
        self._watcher = Watcher(project.root, self._wanted.set, environment=os.environ)
        self._is_first = True
        self._trouble = ""  # that was told last
        self._told_at = 0.0

    def close(self) -> None:
        """Watch nothing more."""
        self._watcher.close()
        self._project.index.close()

    def go_on(self) -> NoReturn:
        """Look at the files again and again."""
        while True:
            self._wanted.clear()
            started = time.monotonic()
            try:
                pause = RETRY_SECONDS if self._look() else CHECK_SECONDS
                if not self._watcher.is_sure:
                    pause = max(POLL_SECONDS, POLL_SHARE * (time.monotonic() - started))
            except (IndexerError, UserError) as error:
                told = error if isinstance(error, UserError) else as_user_error(error)
                if self._is_first and told.category != "store_locked":
                    raise
                self._complain(str(told))
                pause = RETRY_SECONDS
            self._wanted.wait(pause)

    def _look(self) -> bool:
        """Bring the index in step with the files; True if something is left to be tried again."""
        index, watcher = self._project.index, self._watcher
        started = self._told_at = time.monotonic()
        begun = watcher.begin()
        walked = index.walk()
        watcher.listed()
        report = index.sync(walked, wait_seconds=LOCK_SECONDS, progress=self._progress)
        watcher.follow(walked)
        watcher.settle(begun)
        self._report(report, time.monotonic() - started)
        return self._fill(len(report.manifest.files))

    def _fill(self, files: int) -> bool:
        """Make vectors, as ``codectx index`` does, until files change; True if they are to be tried again."""
        embedding = self._project.index.embedding
        if not embedding.is_configured or embedding.choice().embedder.name == "none":
            return False
        filled = embedding.fill(files, wait_seconds=LOCK_SECONDS, go_on=lambda: not self._wanted.is_set())
        if filled.error is not None:
            self._complain(str(as_user_error(filled.error)))
            return True
        if filled.embedded:
            self._say(f"vectors: {filled.told}")
        self._trouble = ""
        return False

    def _report(self, report: SyncReport, seconds: float) -> None:
        if self._is_first:
            self._is_first = False
            files, chunks = counted(len(report.manifest.files), "file"), counted(report.chunks, "chunk")
            self._say(f"{files}, {chunks} in {seconds:.1f} s; {self._watcher.told}")
        elif report.reindexed or report.removed:
            told = [_named(report.reindexed, "read"), _named(report.removed, "removed")]
            self._say(f"{'; '.join(filter(None, told))} in {seconds:.1f} s")
        if not self._project.index.embedding.is_configured:
            self._trouble = ""

    def _progress(self, done: int, total: int) -> None:
        if 0 < done < total and time.monotonic() - self._told_at >= LINE_SECONDS:
            self._told_at = time.monotonic()
            self._say(f"{done:,} of {total:,} files")

    def _complain(self, line: str) -> None:
        """Say what is wrong, once."""
        if line != self._trouble:
            self._trouble = line
            write_error(printable(f"{line}; tried again until it works"))

    def _say(self, line: str) -> None:
        if not self._quiet:
            write_error(printable(f"{time.strftime('%H:%M:%S')} {line}"))


def _named(paths: tuple[str, ...], what: str) -> str:
    """Word a change of files: ``read a.py, b.py and 7 more``."""
    if not paths:
        return ""
    more = len(paths) - MOST_NAMED
    return f"{what} {', '.join(paths[:MOST_NAMED])}" + (f" and {more:,} more" if more > 0 else "")
