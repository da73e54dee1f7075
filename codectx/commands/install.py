"""Run ``codectx install TARGET``: have something outside of codectx call it. ``TARGETS`` lists what."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from codectx import githooks
from codectx.commands.arguments import working_directory
from codectx.dispatch import printable
from codectx.errors import EXIT_DONE, invalid_argument
from codectx.githooks import Change
from codectx.output import write_answer

Work = Callable[[Path, Mapping[str, str]], list[Change]]


class Target(NamedTuple):
    """Hold something that can call codectx: how it is told to, how it is told not to any more, and what to add then."""

    install: Work
    uninstall: Work
    installed: str


TARGETS = {
    "git": Target(
        githooks.install,
        githooks.uninstall,
        "after each commit, checkout, merge and rebase the index follows the working tree, in the background;\n"
        "`codectx uninstall git` takes this out again\n",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what to install into, and where."""
    names = ", ".join(TARGETS)
    # That it is missing is told below, in words, and help is given without it.
    parser.add_argument("target", nargs="?", metavar="TARGET", help=f"one of: {names} (the hooks of a repository)")
    parser.add_argument("folder", nargs="?", metavar="DIR", help="a folder of the repository; this one if left out")
    parser.add_argument("--json", action="store_true", help="give the report as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Install, and say what was changed."""
    target = target_of(options)
    changes = target.install(folder_of(options), os.environ)
    write_changes(changes, as_json=options.json, end=target.installed)
    return EXIT_DONE


def target_of(options: argparse.Namespace) -> Target:
    """Give the target that the options name."""
    try:
        return TARGETS[options.target]
    except KeyError:
        what = f"{options.target[:40]} is nothing that codectx can be installed into" if options.target else "no TARGET"
        raise invalid_argument(what, f"it is one of: {', '.join(TARGETS)}") from None


def folder_of(options: argparse.Namespace) -> Path:
    """Give the real path of the folder that the options name."""
    if options.folder is not None and "\0" in options.folder:
        raise invalid_argument("the folder holds a NUL character", "give an existing folder")
    folder = Path(os.path.realpath(working_directory() / Path(options.folder or ".").expanduser()))
    if not folder.is_dir():
        raise invalid_argument(f"there is no folder {options.folder}", "give an existing folder")
    return folder


def write_changes(changes: list[Change], *, as_json: bool, end: str) -> None:
    """Write what became of each file, and a last line."""
    if as_json:
        records = [{"name": change.name, "path": str(change.path), "what": change.what} for change in changes]
        write_answer(printable(json.dumps({"changes": records}, ensure_ascii=False) + "\n"))
    else:
        write_answer(printable("".join(f"{change.what}: {change.path}\n" for change in changes) + end))
