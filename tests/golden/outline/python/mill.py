#!/usr/bin/env python3
# Copyright (c) 2024 The Mill Authors. All rights reserved.
# Licensed under the MIT licence.
"""Grind corn and keep the books.

Longer text that is no summary.
"""

from __future__ import annotations

import os.path
import typing as t
from . import _gears
from .._sieve import sift as sieve

__all__ = ["Mill", "grind"]
__all__ += ["LIMIT"]

LIMIT = 40
_CACHE: dict[str, int] = {}
local_name = "not listed"
Point = t.NamedTuple("Point", [("x", int)])
double = lambda kilos: grind(kilos) * 2


# How heavy a thing is.
@t.runtime_checkable
class Heavy(t.Protocol):
    def weight(self) -> int: ...


class Mill(_gears.Machine):
    """Turn sacks into flour, e.g. for bread. It has stones."""

    STONES = 2
    name: str

    def __init__(self, name: str, /, *stones: int, speed: float = 1.0, **rest: object) -> None:
        super().__init__(name)
        # a remark
        self.stones = list(stones)

    @property
    def load(self) -> int:
        """Kilos in the funnel"""
        return sum(s.weight for s in self.stones)

    @load.setter
    # Replaces what is in the funnel.
    def load(self, value: int) -> None:
        self._load = value

    async def run(self):
        def tick(n):
            return self.step(n)

        await self.start(lambda: tick(1))
        # trailing remark


def grind(kilos: int) -> int:  # at once
    # 磨粉。第二句。
    if kilos > LIMIT:
        raise ValueError(f"too much: {kilos}")
    return sieve(kilos).result().value()


# TODO: write this
# and that
def _unfinished():
    pass


try:
    import fast
except ImportError:

    def fast(): return slow(1)
