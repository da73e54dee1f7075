"""Give coding agents everything they read with a budget and an address.

Importing this package checks that ``indexer``, its other half, lies beside it. codectx starts inside other
people's repositories, and many of these have a folder ``indexer`` of their own: its code must never run.
"""

import os
from importlib.util import find_spec

__version__ = "0.1.0"


def _check_indexer() -> None:
    """Refuse a foreign ``indexer``; ``find_spec`` finds it without executing it."""
    spec = find_spec("indexer")
    place = os.path.dirname(spec.origin) if spec and spec.origin else None  # noqa: PTH120  (pathlib is not loaded yet)
    ours = os.path.join(os.path.dirname(os.path.dirname(__file__)), "indexer")  # noqa: PTH118, PTH120
    if place is None or os.path.realpath(place) != os.path.realpath(ours):
        found = place or "none"
        raise ImportError(
            f"another package named 'indexer' ({found}) hides codectx's own; "
            "start the `codectx` command without PYTHONPATH"
        )


_check_indexer()
