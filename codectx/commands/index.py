"""Run ``codectx index``: build the index of a project, or bring it in step with the files."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from codectx.commands.arguments import add_folder_argument, add_project_arguments, open_project, take_folder
from codectx.dispatch import printable
from codectx.errors import EXIT_DONE, invalid_argument
from codectx.output import write_answer, write_error
from codectx.project import as_user_error
from codectx.render import counted, left_out_told
from codectx.settings import EMBEDDERS

if TYPE_CHECKING:
    from codectx.embedding import Filled
    from codectx.index import ProjectIndex
    from codectx.project import Project
    from indexer.sync import SyncReport
    from indexer.tree import Walk

LOCK_SECONDS = 3.0  # that a run waits for another one to end
LINE_SECONDS = 10.0  # between two lines of progress where there is no terminal
BAR_WIDTH = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, what to index and what to embed with."""
    add_folder_argument(parser)
    parser.add_argument("--extensions", metavar=".js,.py", help="index only these files, in this run")
    parser.add_argument("--full", "--rebuild", action="store_true", help="read all files again")
    parser.add_argument(
        "--embedder", choices=EMBEDDERS, help="fill in vectors with it now (auto leaves that to the server)"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    parser.add_argument("--json", action="store_true", help="give the report as one JSON object")
    add_project_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Build or update the index, report, and give the exit code."""
    from indexer.sync import SyncReport

    take_folder(options)
    if options.embedder:
        options.set.append(f"embedder.name={options.embedder}")
    if options.extensions:
        options.set.append(f"index.include={','.join(_patterns(options.extensions))}")
    project = open_project(options, os.environ)
    project.index.place.store.publishes = True
    started = time.monotonic()
    show = _Progress(quiet=options.quiet or options.json)
    try:
        walked, report, filled = _indexed(project, show, full=options.full)
        if filled.embedded:  # which may have taken long: files that changed meanwhile are told as they are now
            walked, later, again = _indexed(project, show, full=False)
            report = SyncReport(
                later.manifest,
                tuple(sorted({*report.reindexed, *later.reindexed} - {*later.removed})),
                tuple(sorted({*report.removed, *later.removed} - {*later.manifest.files})),
            )
            there = {*filled.embedded, *again.embedded} & {*later.manifest.files}
            filled = replace(again, embedded=tuple(sorted(there)), error=again.error or filled.error)
    except KeyboardInterrupt:
        show.end()
        write_error("stopped; what was read is kept, and `codectx index` goes on from there")
        raise
    finally:
        project.index.close()
    show.end()
    seconds = time.monotonic() - started
    if options.json:
        record = _record(report, walked, filled, seconds)
        if project.index.place.store.is_remote:
            record["published"] = not project.index.is_read_only
        write_answer(printable(json.dumps(record, ensure_ascii=False) + "\n"))
    elif not options.quiet:
        write_answer(printable(_told(report, walked, filled, seconds)))
    if project.index.is_read_only:
        write_error("the shared store may not be written with these credentials; its index is used as it is")
    if filled.error is not None:
        told = as_user_error(filled.error)
        write_error(str(told))
        return told.exit_code
    return EXIT_DONE


def _indexed(project: Project, show: _Progress, *, full: bool) -> tuple[Walk, SyncReport, Filled]:
    index = project.index
    walked = index.walk()
    report = index.sync(walked, full=full, wait_seconds=LOCK_SECONDS, progress=show.step("files"))
    return walked, report, _filled(index, len(report.manifest.files), show)


def _filled(index: ProjectIndex, files: int, show: _Progress) -> Filled:
    """Embed now with an embedder that was named; what is found by itself is left to the server.

    A server does not write to a shared store: there only this command makes vectors.
    """
    from codectx.embedding import Filled

    embedding = index.embedding
    if embedding.is_configured:
        return embedding.fill(files, wait_seconds=LOCK_SECONDS, progress=show.step("chunks embedded"))
    choice = embedding.choice()
    name = choice.embedder.name
    if name == "none":
        return Filled(name, f"none ({choice.reason})")
    if index.is_read_only:
        return Filled(name, "none made; searches use those of the shared index")
    if index.place.store.is_remote:
        return Filled(name, f"none made; in a shared store only `codectx index --embedder {name}` makes them")
    return Filled(name, f"left to the server, by {name}; `codectx index --embedder {name}` makes them now")


def _patterns(extensions: str) -> list[str]:
    """Turn ``.js,ts`` into globs."""
    names = [part.strip().lstrip("*").lstrip(".") for part in extensions.split(",")]
    names = [name for name in names if name]
    if not names or not all(name.replace("+", "").replace("-", "").isalnum() for name in names):
        raise invalid_argument(f"--extensions {extensions[:60]} names no extensions", "write them as .js,.ts,.py")
    return [f"*.{name}" for name in names]


def _told(report: SyncReport, walked: Walk, filled: Filled, seconds: float) -> str:
    """Word the report for people: what is in the index, what changed, what was left out and why."""
    changed = [f"{counted(len(report.reindexed), 'file')} read" if report.reindexed else "nothing changed"]
    if report.removed:
        changed.append(f"{counted(len(report.removed), 'file')} removed")
    files = counted(len(report.manifest.files), "file")
    lines = [f"{files}, {counted(report.chunks, 'chunk')} in {seconds:.1f} s ({', '.join(changed)})"]
    left = left_out_told((entry["reason"], entry["detail"]) for entry in _left_out(report, walked))
    if left:
        lines.append(f"{left}; `codectx status` names them")
    lines.append(f"vectors: {filled.told}")
    return "".join(f"{line}\n" for line in lines)


def _record(report: SyncReport, walked: Walk, filled: Filled, seconds: float) -> dict[str, Any]:
    return {
        "files": len(report.manifest.files),
        "chunks": report.chunks,
        "seconds": round(seconds, 3),
        "indexed": sorted(report.manifest.files),
        "reindexed": list(report.reindexed),
        "removed": list(report.removed),
        "skipped": _left_out(report, walked),
        "embedder": filled.embedder,
        "embedded": list(filled.embedded),
        "failed": list(filled.failed),
        "files_embedded": filled.files_embedded,
        "files_not_embedded": filled.files_not_embedded,
    }


def _left_out(report: SyncReport, walked: Walk) -> list[dict[str, str]]:
    entries = [*walked.skipped, *(each for each, _ in report.manifest.skipped)]
    ordered = sorted(entries, key=lambda entry: entry.path)
    return [{"path": entry.path, "reason": entry.reason, "detail": entry.detail} for entry in ordered]


class _Progress:
    """Show how far a run is on stderr: a bar on a terminal, else a line now and then."""

    def __init__(self, *, quiet: bool) -> None:
        self._terminal = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._quiet = quiet
        self._last = time.monotonic()
        self._shown = False

    def step(self, what: str) -> Callable[[int, int], None]:
        """Give the function that is told how many of how many are done."""

        def progress(done: int, total: int) -> None:
            if self._quiet or time.monotonic() - self._last < (0.1 if self._terminal else LINE_SECONDS):
                return
            self._last = time.monotonic()
            if self._terminal:
                filled = BAR_WIDTH * done // max(total, 1)
                bar = "#" * filled + "." * (BAR_WIDTH - filled)
                sys.stderr.write(f"\r[{bar}] {done:,} of {total:,} {what}")
                sys.stderr.flush()
                self._shown = True
            else:
                write_error(f"{done:,} of {total:,} {what}")

        return progress

    def end(self) -> None:
        """Leave the line of the bar clean."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
