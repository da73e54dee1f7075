"""Hide from the grammar of Bash what it cannot read: ``without_marks``."""

from __future__ import annotations

import re

_EXPANSION = re.compile(rb"\$\{(?:[^{}\n$]|\$(?!\{)|\$\{[^{}\n]*\})*\}")


def without_marks(source: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Give the source with letters for semicolons inside ``${...}``, at which the grammar ends the command."""
    return _EXPANSION.sub(lambda found: found[0].replace(b";", b"_"), source) if b";" in source else source, []
