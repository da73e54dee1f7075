"""Start codectx once more from another process, now or later: ``launcher`` gives the words for it.

They name this very interpreter and this very package, so that neither PATH nor the folder it is started in matters.
"""

from __future__ import annotations

import sys
from pathlib import Path

# The folder goes first only where it is not known anyway: what is installed stays behind the standard library.
STARTER = (
    "import sys; folder = sys.argv.pop(1); folder in sys.path or sys.path.insert(0, folder); "
    "from codectx.cli import main; sys.exit(main())"
)


def launcher() -> tuple[str, ...]:
    """Give the words that the words of a command are put after; empty where the interpreter does not know itself."""
    if not sys.executable:
        return ()
    return (sys.executable, "-P", "-c", STARTER, str(package_folder()))


def package_folder() -> Path:
    """Give the folder that holds this package."""
    return Path(__file__).absolute().parent.parent
