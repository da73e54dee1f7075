"""Let long work say how far it is, and learn that nobody waits for it any more.

Tools call ``check()`` inside their loops and ``report()`` where they know how far they are. Neither costs
anything worth measuring, and both do nothing outside a ``Watch``. Who listens is not known here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


class Cancelled(BaseException):
    """Stop work whose caller has gone; not an ``Exception``, so that no broad ``except`` keeps it running."""


@dataclass(frozen=True, slots=True)
class Step:
    """Say how far a call is: ``done`` of ``total`` (None where it is not known), and what is being done."""

    done: float
    total: float | None = None
    message: str = ""


@dataclass(slots=True)
class Watch:
    """Hold the two facts that a call and its caller share; each side writes one and reads the other."""

    step: Step | None = None
    _cancelled: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Make the next ``check()`` of the watched work raise ``Cancelled``."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Tell whether the caller has gone."""
        return self._cancelled.is_set()


_watch: ContextVar[Watch | None] = ContextVar("codectx_watch", default=None)


def check() -> None:
    """Raise ``Cancelled`` if nobody waits for this call any more."""
    watch = _watch.get()
    if watch is not None and watch.cancelled:
        raise Cancelled


def report(done: float, total: float | None = None, message: str = "") -> None:
    """Say how far this call is; raises ``Cancelled`` as ``check`` does."""
    check()
    watch = _watch.get()
    if watch is not None:
        watch.step = Step(done, total, message)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Connect ``check`` and ``report`` inside the block with ``watch``."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)
