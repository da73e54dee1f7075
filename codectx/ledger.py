"""Count what was delivered against a named baseline: the same files, read whole.

Kept in memory since the server's start and shown by ``status`` only, never inside other answers. A negative
saving is shown as it is. Bytes are counted, and turned into tokens only when somebody asks.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

BYTES_PER_TOKEN = 4.2  # o200k_base over code of ten languages: 3.3 (shell) to 4.7 (Python)


@dataclass(frozen=True, slots=True)
class Balance:
    """Hold answers given, tokens delivered and tokens of the baseline, both estimated."""

    answers: int
    delivered: int
    baseline: int


class Ledger:
    """Add up the answers of one process; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers = self._delivered = self._baseline = 0

    def add(self, delivered: int, baseline: int) -> None:
        """Book one answer: its bytes, and the bytes of the files it is about (0 where nothing compares)."""
        with self._lock:
            self._answers += 1
            self._delivered += delivered
            self._baseline += baseline

    def balance(self) -> Balance:
        """Give the sums as tokens."""
        with self._lock:
            return Balance(
                self._answers, round(self._delivered / BYTES_PER_TOKEN), round(self._baseline / BYTES_PER_TOKEN)
            )
