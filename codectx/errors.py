"""Say what a caller did wrong or what codectx could not do, with the remedy.

The text that agents and people see is ``error[CATEGORY]: what; remedy`` on one line.
"""

from __future__ import annotations

MAX_PART = 300  # characters of what happened, and of the remedy; either may repeat an argument of any length
CATEGORIES = frozenset(
    {
        "not_found",
        "outside_root",
        "not_regular_file",
        "binary",
        "unreadable",
        "invalid_argument",
        "invalid_range",
        "bad_ref",
        "unsupported",
        "timeout",
        "store_locked",
        "store_corrupt",
        "dimension_mismatch",
        "backend_down",
    }
)

EXIT_LOCKED = 75  # sysexits.h EX_TEMPFAIL: another run holds the lock, try again
EXIT_FAILED = 2
EXIT_NOTHING = 1
EXIT_DONE = 0


class UserError(Exception):
    """Report something that the caller can mend.

    Args:
        category: one of ``CATEGORIES``.
        what: what happened, with the name or value it happened to.
        remedy: what to do instead.
    """

    def __init__(self, category: str, what: str, remedy: str = "") -> None:
        super().__init__(category, what, remedy)
        if category not in CATEGORIES:
            raise ValueError(f"unknown error category {category!r}")
        self.category = category
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"error[{self.category}]: {_clipped(self.what)}"
        return f"{text}; {_clipped(self.remedy)}" if self.remedy else text

    @property
    def exit_code(self) -> int:
        """Give the exit code of the command line for this error."""
        return EXIT_LOCKED if self.category == "store_locked" else EXIT_FAILED


def _clipped(part: str) -> str:
    text = " ".join(part.split())
    return text if len(text) <= MAX_PART else f"{text[: MAX_PART - 3]}..."


def invalid_argument(what: str, remedy: str = "") -> UserError:
    """Make the error for an argument of the wrong type, form or range."""
    return UserError("invalid_argument", what, remedy)
