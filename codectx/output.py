"""Write what a command gives to its caller: answers to stdout, one line of an error to stderr.

Both are UTF-8 whatever the locale, and end in a line break, which is added where the text has none.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from codectx.errors import UserError


def write_answer(text: str) -> None:
    """Write an answer to stdout; a reader that has gone is no error.

    Raises:
        UserError: unsupported when stdout cannot take it (a full disk, say).
    """
    if sys.stdout is None:  # closed by the caller, who wants no answer
        return
    if text and not text.endswith("\n"):
        text += "\n"
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        raise UserError("unsupported", f"stdout cannot be written: {error.strerror}") from None


def write_error(line: str) -> None:
    """Write one line to stderr, if anybody reads it."""
    if sys.stderr is not None:
        with suppress(OSError):
            _write(sys.stderr, line + "\n")


def _write(stream: TextIO, text: str) -> None:
    stream.flush()
    data = text.encode("utf-8", "replace")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # replaced by something that only takes text
        stream.write(data.decode("utf-8"))
    else:
        buffer.write(data)
    stream.flush()


def _discard(stream: TextIO) -> None:
    """Keep the interpreter from writing what is left when it ends, and from complaining that it cannot."""
    null = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(null, stream.fileno())
    os.close(null)
