"""Run ``codectx serve``: the MCP server of one project on stdin and stdout."""

from __future__ import annotations

import argparse
import logging
import os
import signal
from collections.abc import Sequence
from types import FrameType

from codectx.commands.arguments import add_project_arguments, open_project
from codectx.errors import UserError
from codectx.output import write_error
from codectx.tool import Tool
from codectx.wire import claim

EXIT_INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the project's options; there are no others."""
    add_project_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Serve until the client leaves, then end the process; returns only when serving could not begin."""
    project = open_project(options, os.environ)
    wire = claim()
    signal.signal(signal.SIGINT, _interrupted)
    from codectx import server  # takes most of a second, and may print

    try:
        exit_code = server.run(project, _tools, wire)
    except UserError as error:
        write_error(str(error))
        exit_code = error.exit_code
    # Threads that were left behind, in a read of stdin or in a cancelled call, must not keep the process.
    logging.shutdown()
    os._exit(exit_code)


def _interrupted(_signal: int, _frame: FrameType | None) -> None:
    """End at once: nothing is written that could be left half done, and unwinding may be overtaken by stdin's end."""
    os._exit(EXIT_INTERRUPTED)


def _tools() -> Sequence[Tool]:
    from codectx.tools import TOOLS

    return TOOLS
