"""Run ``codectx uninstall TARGET``: undo what ``codectx install TARGET`` did."""

from __future__ import annotations

import argparse
import os

from codectx.commands.install import add_arguments, folder_of, target_of, write_changes
from codectx.errors import EXIT_DONE

__all__ = ["add_arguments", "run"]


def run(options: argparse.Namespace) -> int:
    """Take codectx out, and say what was changed."""
    changes = target_of(options).uninstall(folder_of(options), os.environ)
    write_changes(changes, as_json=options.json, end="" if changes else "there was nothing to take out\n")
    return EXIT_DONE
