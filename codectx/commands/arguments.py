"""Read a command's arguments: argparse with our errors, our way of writing, and the options of every command."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from codectx.config import load
from codectx.errors import UserError, invalid_argument
from codectx.project import Project, find_root
from codectx.tools import LISTED


class Parser(argparse.ArgumentParser):
    """Parse one command; wrong usage is a ``UserError``, help is an option like any other.

    Attributes:
        ignores_unknown: whether arguments that the command does not know are no wrong usage.
    """

    ignores_unknown = False

    def __init__(self, word: str, description: str) -> None:
        super().__init__(
            prog=f"codectx {word}", description=description.replace("%", "%%"), allow_abbrev=False, add_help=False
        )
        self.add_argument("-h", "--help", action="store_true", help="show this and end")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Read the arguments; called by argparse, which takes those that are left for wrong usage."""
        options, left = super().parse_known_args(args, namespace)
        return options, [] if self.ignores_unknown else left

    def error(self, message: str) -> NoReturn:
        """Raise invalid_argument; called by argparse."""
        near = self._meant(message.removeprefix("unrecognized arguments: ").split(" ")[0])
        raise invalid_argument(message, f"did you mean {near}?" if near else f"`{self.prog} --help` shows the usage")

    def _meant(self, word: str) -> str | None:
        """Give the option that an unknown one most likely means, if any: for one letter the only one it begins."""
        from codectx.tool import nearest

        if not word.startswith("-"):
            return None
        known = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        if len(word) > 2:
            return nearest(word, known)
        begun = [option for option in known if option.startswith(f"-{word}")]
        return begun[0] if len(begun) == 1 else None


def add_project_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which project is meant, and how it is configured."""
    parser.add_argument("--root", metavar="DIR", help="the project's root; found from here if left out")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="a setting for this run, as in codectx.toml"
    )


def add_folder_argument(parser: argparse.ArgumentParser) -> None:
    """Add the project's root as an argument without a name, for commands that work on all of it."""
    parser.add_argument("folder", nargs="?", metavar="DIR", help="the project's root; found from here if left out")


def take_folder(options: argparse.Namespace) -> None:
    """Let the folder be the root.

    Raises:
        UserError: both are given.
    """
    if options.folder is not None and options.root is not None:
        raise invalid_argument("the root is given twice", "leave out --root")
    options.root = options.folder if options.folder is not None else options.root


def open_project(options: argparse.Namespace, environment: Mapping[str, str]) -> Project:
    """Give the project that the options mean.

    Raises:
        UserError: there is no such root, it is refused, or its configuration is wrong.
    """
    root = find_root(options.root, environment, working_directory())
    return Project(root, load(root, tool_limits(), environment, tuple(options.set)))


def tool_limits() -> dict[str, int]:
    """Give each tool's own limit, by its name."""
    return {name: listed.limit for name, listed in LISTED.items()}


def working_directory() -> Path:
    """Give the working directory, which may have been deleted."""
    try:
        return Path(os.getcwd())  # noqa: PTH109  (Path.cwd is the same call)
    except OSError:
        raise UserError("not_found", "the working directory is gone", "change to another") from None
