"""Ask Universal Ctags: ``definitions_of`` gives what it finds in the files of one language.

Files are grouped by the language that the summary gave them, and ctags is told it, so both speak of the same
thing. ``read_tags`` reads its JSON lines; ``KINDS`` says which of its kinds are held against summaries.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from witness.compare import Definition

# Ours: (theirs, kinds). Variables, members, constants, macros of C, labels and the like are left out.
KINDS: dict[str, tuple[str, frozenset[str]]] = {
    "python": ("Python", frozenset(("class", "function", "member"))),
    "javascript": ("JavaScript", frozenset(("class", "function", "generator", "method", "getter", "setter"))),
    "typescript": (
        "TypeScript",
        frozenset(("class", "function", "generator", "method", "interface", "enum", "alias")),
    ),
    "go": ("Go", frozenset(("func", "methodSpec", "interface", "struct", "type", "talias"))),
    "rust": ("Rust", frozenset(("function", "method", "struct", "enum", "interface", "typedef", "macro"))),
    "java": ("Java", frozenset(("class", "interface", "enum", "annotation", "method"))),
    "c": ("C", frozenset(("function", "struct", "union", "enum", "typedef"))),
    "cpp": ("C++", frozenset(("class", "function", "struct", "union", "enum", "typedef"))),
    "csharp": ("C#", frozenset(("class", "interface", "struct", "enum", "method"))),
    "ruby": ("Ruby", frozenset(("class", "module", "method", "singletonMethod"))),
    "php": ("PHP", frozenset(("class", "interface", "trait", "function"))),
    "bash": ("Sh", frozenset(("function",))),
    "lua": ("Lua", frozenset(("function",))),
    "sql": ("SQL", frozenset(("function", "procedure", "table", "trigger", "view"))),
    "elixir": ("Elixir", frozenset(("function", "macro", "module", "protocol", "delegate", "guard"))),
    "haskell": ("Haskell", frozenset(("function", "type"))),
    "kotlin": ("Kotlin", frozenset(("class", "interface", "object", "method", "typealias"))),
}
# Its parsers of these are made of patterns, or slow: they run only when the language is named.
WEAK = frozenset(("elixir", "haskell", "kotlin", "sql"))
FIELDS = "+nKSeEl"


class NoCtagsError(Exception):
    """Report that there is no Universal Ctags with JSON output."""


def check(program: str) -> str:
    """Give the first line of its version.

    Raises:
        NoCtagsError: it is missing, or another ctags.
    """
    try:
        shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise NoCtagsError(f"{program} cannot be run: {error.strerror}") from None
    if "Universal Ctags" not in shown or "+json" not in shown:
        raise NoCtagsError(f"{program} is not Universal Ctags with JSON output")
    return shown.split("\n", 1)[0]


def definitions_of(language: str, root: Path, paths: Sequence[str], program: str) -> dict[str, list[Definition]]:
    """Run ctags once over files of one language and give its definitions by path.

    Args:
        language: ours, one of ``KINDS``.
        root: the folder that ``paths`` are relative to.
        paths: of the files.
        program: the ctags to run.
    """
    theirs, kinds = KINDS[language]
    form = ["--output-format=json", f"--fields={FIELDS}", "--sort=no", f"--language-force={theirs}"]
    names = b"".join(os.fsencode(path) + b"\n" for path in paths if "\n" not in path)
    ran = subprocess.run(
        [program, "--options=NONE", *form, "-f", "-", "-L", "-"],
        cwd=root,
        input=names,
        capture_output=True,
        check=False,
    )
    if ran.returncode:
        raise NoCtagsError(f"{program} failed: {ran.stderr.decode(errors='replace').strip()[-300:]}")
    return read_tags(ran.stdout.split(b"\n"), theirs, kinds)


def read_tags(lines: Iterable[bytes], theirs: str, kinds: frozenset[str]) -> dict[str, list[Definition]]:
    """Read the JSON lines of ctags and give the definitions of these kinds by path.

    Left out: what ctags made a name up for, and what another of its parsers says of embedded text.
    """
    found: defaultdict[str, list[Definition]] = defaultdict(list)
    for line in lines:
        if not line.strip():
            continue
        tag = json.loads(line.decode("utf-8", "surrogateescape"))
        if tag.get("_type") != "tag" or tag.get("language", theirs) != theirs or tag.get("kind") not in kinds:
            continue
        if "anonymous" in tag.get("extras", "").split(",") or not tag.get("name"):
            continue
        definition = Definition(tag["kind"], tag["name"], tag["line"], end=tag.get("end"))
        found[tag["path"].removeprefix("./")].append(definition)
    return dict(found)
