"""Answer on the command line: ``codectx COMMAND [ARGUMENTS]``.

``main`` is the entry point. Every tool is a command of the same name with hyphens, its arguments made from its
signature; ``serve``, ``config`` and ``help`` stand beside them. Only the chosen command is loaded and set up, so
that help costs nothing; this module imports next to nothing. What a command answers is decided in
``codectx.dispatch``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codectx import __version__
from codectx.errors import EXIT_DONE, EXIT_FAILED, UserError, invalid_argument
from codectx.output import write_answer, write_error
from codectx.tools import LISTED, load

if TYPE_CHECKING:
    import argparse

EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
GARBAGE = 100_000  # objects between two looks for cycles, of which there are few: a tenth of a run without changes
_FIRST_COLUMN = 16  # characters, of the list of commands


class Command(NamedTuple):
    """Hold a command that is no tool: what it does, and where its ``add_arguments`` and ``run`` are."""

    summary: str
    module: str
    never_fails: bool = False  # whoever calls it would be stopped by another exit code than 0


COMMANDS = {
    "index": Command("Build the index for semantic-search, or bring it up to date.", "codectx.commands.index"),
    "watch": Command("Keep the index in step with the files until it is interrupted.", "codectx.commands.watch"),
    "hook": Command(
        "Be called by a git hook: see what changed, index it in the background.", "codectx.commands.hook", True
    ),
    "install": Command("Have git call codectx after commits and checkouts.", "codectx.commands.install"),
    "uninstall": Command("Undo what install did, byte for byte.", "codectx.commands.uninstall"),
    "clean": Command("Delete indexes whose project is gone, or that of one project.", "codectx.commands.clean"),
    "serve": Command("Serve the tools over MCP on stdin and stdout.", "codectx.commands.serve"),
    "config": Command("Show every setting, its value and where it comes from.", "codectx.commands.show_config"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code: 0 done, 1 nothing found, 2 could not, 75 locked, 130 interrupted."""
    words = list(sys.argv[1:] if argv is None else argv)
    never_fails = bool(words) and words[0] in COMMANDS and COMMANDS[words[0]].never_fails
    code = _exit_code(words, is_loud=not never_fails)
    return EXIT_DONE if never_fails else code


def _exit_code(words: list[str], *, is_loud: bool) -> int:
    """Run one command, say in one line what went wrong, and give its code; a bug is told at length if ``is_loud``."""
    from indexer.errors import IndexerError

    try:
        return _run(words)
    except UserError as error:
        write_error(str(error))
        return error.exit_code
    except IndexerError as error:
        from codectx.project import as_user_error

        told = as_user_error(error)
        write_error(str(told))
        return told.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as bug:
        import logging

        logging.getLogger(__name__).log(logging.ERROR if is_loud else logging.INFO, "codectx failed", exc_info=True)
        write_error(
            str(UserError("unsupported", f"codectx failed unexpectedly ({type(bug).__name__})", "this is a bug"))
        )
        return EXIT_FAILED


def _run(argv: list[str]) -> int:
    if not argv:
        raise invalid_argument("there is no command", "`codectx --help` lists them")
    word, rest = argv[0], argv[1:]
    if word in ("--version", "-V"):
        write_answer(f"codectx {__version__}\n")
        return EXIT_DONE
    if word in ("help", "--help", "-h"):
        if not rest or rest[0].startswith("-"):
            write_answer(_overview())
            return EXIT_DONE
        word, rest = rest[0], ["--help"]
    if word.startswith("-"):
        raise invalid_argument(
            f"{word[:40]} comes before the command", "write `codectx COMMAND` first, then its options"
        )
    return _run_command(word.replace("_", "-"), rest)


def _run_command(word: str, argv: list[str]) -> int:
    import atexit
    import gc
    import os
    from importlib import import_module

    from codectx import logs

    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)  # what the process leaves is not looked through for cycles at its end
    logs.set_up(os.environ)
    name = word.replace("-", "_")
    if name in LISTED:
        from codectx.commands.tool import add_arguments, run

        tool = load(name)
        options = _parse(word, tool.description, lambda parser: add_arguments(parser, tool), argv)
        return EXIT_DONE if options is None else run(tool, options)
    if word in COMMANDS:
        module = import_module(COMMANDS[word].module)
        options = _parse(word, COMMANDS[word].summary, module.add_arguments, argv)
        return EXIT_DONE if options is None else int(module.run(options))
    from codectx.tool import nearest

    near = nearest(word, [*map(_hyphened, LISTED), *COMMANDS])
    hint = f"did you mean {near}?" if near else "`codectx --help` lists them all"
    raise invalid_argument(f"there is no command {word[:40]}", hint)


def _parse(
    word: str, description: str, add_arguments: Callable[[argparse.ArgumentParser], None], argv: list[str]
) -> argparse.Namespace | None:
    """Read a command's arguments; None when help was asked for, and given."""
    from codectx.commands.arguments import Parser

    parser = Parser(word, description)
    add_arguments(parser)
    options = parser.parse_args(argv)
    if options.help:
        write_answer(parser.format_help())
        return None
    return options


def _overview() -> str:
    lines = [
        "usage: codectx COMMAND [ARGUMENTS]",
        "",
        "Everything a coding agent reads, with a budget and an address.",
        "",
        "Tools:",
        *(_row(_hyphened(name), listed.question) for name, listed in LISTED.items()),
        "",
        "Commands:",
        *(_row(word, command.summary) for word, command in COMMANDS.items()),
        _row("help COMMAND", "Show a command's arguments, as `codectx COMMAND --help` does."),
        _row("--version", "Show the version."),
        "",
        "Exit codes: 0 done, 1 nothing found, 2 could not, 75 another run holds the lock.",
        "",
    ]
    return "\n".join(lines)


def _row(word: str, text: str) -> str:
    return f"  {word:<{_FIRST_COLUMN}} {text}"


def _hyphened(name: str) -> str:
    return name.replace("_", "-")
