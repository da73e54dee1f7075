"""Name the ways in which a case ends other than by passing."""

from __future__ import annotations


class CaseError(Exception):
    """Report that a case cannot be judged at all: its own setup fails, or the machinery does."""


class CheckError(Exception):
    """Report that the product did not do what the case expects."""


class UnavailableError(CheckError):
    """Report that there is no structured answer to look at, and why."""


class Skipped(Exception):  # noqa: N818  (no error: the machine lacks something)
    """Report that the machine lacks what the case needs."""
