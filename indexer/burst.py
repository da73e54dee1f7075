"""Make one call of many events: ``Burst``, a thread that calls when they have ended, or gone on for long enough."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

QUIET_SECONDS = 0.4  # without an event, after which the call is made, and
MOST_SECONDS = 2.0  # after the first event, whatever goes on
TICK_SECONDS = 1.0  # between two ticks while nothing happens


class Burst:
    """Hold the thread, which ends with ``close``.

    Args:
        call: made after a burst.
        tick: made now and then while nothing happens.
    """

    def __init__(self, call: Callable[[], None], tick: Callable[[], None]) -> None:
        self._call, self._tick = call, tick
        self._changed = threading.Condition()
        self._first = self._last = 0.0  # when the events of the burst under way came; 0 while there is none
        self._not_before = 0.0
        self._is_closed = False
        threading.Thread(target=self._run, name="burst", daemon=True).start()

    def happened(self) -> None:
        """Take an event."""
        with self._changed:
            self._last = time.monotonic()
            if self._first <= 0:
                self._first = self._last
                self._changed.notify()

    def rest(self, seconds: float) -> None:
        """Make no call for some time, whatever happens."""
        self._not_before = time.monotonic() + seconds

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                is_burst = self._first > 0
                left = self._due() - time.monotonic() if is_burst else TICK_SECONDS
                if left > 0:
                    self._changed.wait(left)
                if self._is_closed:
                    return
                is_due = is_burst and left <= 0
                if is_due:
                    self._first = 0.0
            if is_due:
                self._call()
            elif not is_burst:
                self._tick()

    def _due(self) -> float:
        return max(min(self._last + QUIET_SECONDS, self._first + MOST_SECONDS), self._not_before)
