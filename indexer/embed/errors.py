"""Say why vectors cannot be had, and what to do; ``str`` gives both on one line."""

from __future__ import annotations

from indexer.errors import IndexerError


class EmbedderUnavailableError(IndexerError):
    """Report that an embedder cannot be had or has stopped; what it gave before stays good.

    Args:
        what: what happened, with the address or name it happened to.
        remedy: what the user can do.
    """

    category = "backend_down"

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = " ".join(what.split())
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}; {self.remedy}"


class DimensionMismatchError(IndexerError):
    """Report that an embedder gives vectors of another length than those at hand."""

    category = "dimension_mismatch"

    def __init__(self, model: str, expected: int, given: int) -> None:
        super().__init__(model, expected, given)
        self.model = model
        self.expected = expected
        self.given = given
        self.remedy = "rebuild the index"

    def __str__(self) -> str:
        return f"{self.model} gives vectors of {self.given} numbers where {self.expected} were expected; {self.remedy}"
