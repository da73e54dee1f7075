"""Ask the TypeScript compiler: ``definitions_of`` gives what it sees in JavaScript, TypeScript and TSX files.

Needs node and a folder in which the package ``typescript`` is installed; a development aid, never a dependency.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from witness.compare import Definition

LANGUAGES = frozenset(("javascript", "typescript", "tsx"))
_PROGRAM = Path(__file__).with_name("typescript.cjs")


def definitions_of(root: Path, paths: Sequence[str], package: Path) -> dict[str, list[Definition]]:
    """Run node once over these files and give the compiler's definitions by path.

    Args:
        root: the folder that ``paths`` are relative to.
        paths: of the files.
        package: the folder that holds ``node_modules/typescript``.
    """
    ran = subprocess.run(
        ["node", str(_PROGRAM), str((package / "node_modules" / "typescript").resolve())],
        cwd=root,
        input=json.dumps(list(paths)).encode(),
        capture_output=True,
        check=True,
    )
    found: dict[str, list[Definition]] = {}
    for path, rows in json.loads(ran.stdout).items():
        found[path] = [Definition(kind, name, line, start, end) for kind, name, line, start, end in rows]
    return found
