"""Set up logging: to stderr always, as much as ``CODECTX_LOG`` asks for (warnings, if it does not)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping

from codectx.errors import invalid_argument

VARIABLE = "CODECTX_LOG"
_OF_RUST = ("RUST_LOG", "LANCE_LOG")  # else LanceDB writes warnings of its own to stderr
_LEVELS = ("debug", "info", "warning", "error")


def set_up(environment: Mapping[str, str]) -> None:
    """Send the log of codectx and indexer to stderr; other libraries are heard from warnings on.

    Raises:
        UserError: invalid_argument when the variable names no level.
    """
    wanted = environment.get(VARIABLE, "").lower() or "warning"
    if wanted not in _LEVELS:
        raise invalid_argument(f"{VARIABLE} is {wanted[:40]}", f"it takes one of {', '.join(_LEVELS)}")
    for name in _OF_RUST:
        os.environ.setdefault(name, "error")
    logging.raiseExceptions = False  # a log that nobody reads must not become output of its own
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    for name in ("codectx", "indexer"):
        logging.getLogger(name).setLevel(wanted.upper())
