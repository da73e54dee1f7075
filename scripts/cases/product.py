"""Say what the product calls things: commands, options, fields of ``--json``, environment, files.

The only module that knows the product; the others speak the words of ``tests/cases/README.md``. When the product
changes a name, it changes here.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cases.schema import SYMBOL_KINDS
from cases.verdict import CaseError, UnavailableError

REPOSITORY = Path(__file__).resolve().parents[2]

# The first parameter of each tool: positional on the command line, unnamed in next calls.
FIRST = {
    "summarize": "path",
    "read_lines": "path",
    "read_file": "path",
    "grep": "pattern",
    "list_directory": "path",
    "git_diff": "ref",
    "find_symbol": "name",
    "semantic_search": "query",
    "status": None,
}
SERVE = ("serve",)
EXIT_NOTHING, EXIT_FAILED, EXIT_LOCKED = 1, 2, 75

# Where ``--json`` lists what a tool found, and the fields that each such record must have.
RECORDS: dict[str, tuple[str, ...]] = {
    "symbols": ("name", "kind", "lines", "name_line", "params", "calls", "description"),
    "matches": ("path", "line", "text"),
    "entries": ("name", "kind"),
    "hits": ("path", "name", "lines", "text"),
}
_USE = ("path", "line", "text")  # an entry of find_symbol that is no definition
# Kinds of symbols that a complete summary must not add to; constants, variables and headings may be listed too.
DEFINITION_KINDS = frozenset((*SYMBOL_KINDS, "type"))


def tool_command(tool: str, args: Mapping[str, Any], root: Path, *, as_json: bool) -> list[str]:
    """Give the words of the command that is the same as a tool's call.

    Raises:
        UnavailableError: an argument that no command line can carry.
    """
    first = FIRST[tool] or ""
    words = [tool.replace("_", "-"), "--root", str(root), *(["--json"] if as_json else [])]
    for name, value in args.items():
        if name == first or value is None:
            continue
        words.append(f"--{name.replace('_', '-')}={_word(value)}")
    if args.get(first) is not None:
        words += ["--", _word(args[first])]
    return words


def index_command(path: str, *, as_json: bool) -> list[str]:
    """Give the words of the command that builds or updates the index."""
    return ["index", *(["--json"] if as_json else []), path]


def hook_command(*, as_json: bool) -> list[str]:
    """Give the words of the pre-commit hook, the program first, before the file names."""
    import yaml

    file = REPOSITORY / ".pre-commit-hooks.yaml"
    if not file.is_file():
        raise UnavailableError(f"there is no {file.name}")
    hooks = yaml.safe_load(file.read_text(encoding="utf-8"))
    hook = next((h for h in hooks if "pre-commit" in h.get("stages", ["pre-commit"])), hooks[0])
    return [*shlex.split(hook["entry"]), *(["--json"] if as_json else []), *hook.get("args", [])]


def environment(store: Path, ollama_url: str | None, *, own_store: bool) -> dict[str, str]:
    """Give the variables that tell the product where its store is and what embeds."""
    variables = {"CODECTX_STORE_URI": str(store)} if own_store else {}
    if ollama_url:
        variables |= {"CODECTX_EMBEDDER": "ollama", "CODECTX_OLLAMA_URL": ollama_url}
    return variables


def default_store(cache: Path) -> Path:
    """Give the folder in which the product keeps the stores of all roots, if not told where."""
    return cache / "codectx"


def fields_of(key: str, record: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the fields that a record must have."""
    return _USE if record.get("role") == "use" else RECORDS[key]


def write_configuration(folder: Path, values: Mapping[str, Any]) -> None:
    """Write the user's configuration file; ``folder`` is XDG_CONFIG_HOME."""
    lines = []
    if "embedding_model" in values:
        lines += ["[embedder]", f"model = {json.dumps(values['embedding_model'])}"]
    if "include" in values:
        lines += ["[index]", f"include = {json.dumps(values['include'])}"]
    file = folder / "codectx" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """Read a next call: the tool and its arguments."""
    if str(REPOSITORY) not in sys.path:
        sys.path.append(str(REPOSITORY))
    from codectx.call import parse_call as parse

    call = parse(text, {tool: first or "" for tool, first in FIRST.items()})
    return call.tool, dict(call.arguments)


def count_tokens(text: str) -> int:
    """Count tokens as the product does."""
    if str(REPOSITORY) not in sys.path:
        sys.path.append(str(REPOSITORY))
    from codectx.tokens import Counter

    return Counter().count(text)


def is_settled(status: Mapping[str, Any]) -> bool:
    """Tell from the structured status whether the index is up to date."""
    if "up_to_date" not in status:
        raise UnavailableError("status does not say whether the index is up to date")
    return status["up_to_date"] is True


def skipped(report: Mapping[str, Any]) -> dict[str, str]:
    """Give the skipped files of an index report with the category of the reason."""
    found = {}
    for entry in report["skipped"]:
        reason = str(entry.get("category", entry["reason"]))
        word = re.match(r"[a-z_]+", reason)
        found[str(entry["path"]).rstrip("/")] = word[0] if word else reason
    return found


def paths_of(report: Mapping[str, Any], key: str) -> list[str]:
    """Give a list of paths in an index report; entries may be paths or records with a ``path``."""
    if key not in report:
        raise UnavailableError(f"the report has no {key!r}")
    return [str(entry["path"] if isinstance(entry, Mapping) else entry).rstrip("/") for entry in report[key]]


def chunks_of(path: str, report: Mapping[str, Any], store: Path) -> int:
    """Give the number of chunks that a file has in the index."""
    if "chunks" in report:
        return int(report["chunks"].get(path, 0))
    return sum(row.get("path") == path for row in store_rows(store))


def mark_schema_version(store: Path, version: int) -> None:
    """Mark the store as written by a schema version: its manifest is JSON with such a field."""
    marked = False
    for file in [*store.rglob("*.json")]:
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            continue
        for key in ("schema_version", "schema"):
            if isinstance(data, dict) and isinstance(data.get(key), int):
                file.write_text(json.dumps({**data, key: version}), encoding="utf-8")
                marked = True
    if not marked:
        raise CaseError("no manifest with a schema version in the store")


def store_rows(store: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of all tables of the store: ``path``, ``name``, ``lines``, ``vector``, ``model``."""
    import lancedb

    tables = sorted(path for path in store.rglob("*.lance") if path.is_dir())
    if not tables:
        raise UnavailableError("the store has no tables")
    for table in tables:
        rows = lancedb.connect(str(table.parent)).open_table(table.stem).to_arrow()
        for row in rows.to_pylist():
            yield {**row, "lines": (row.get("start"), row.get("end"))}


def first_hit(text: str) -> str:
    """Give the part of a search's text that shows the first hit: from its address to the next one's."""
    lines = text.split("\n")
    at = [number for number, line in enumerate(lines) if re.match(r"\S.*:\d+-\d+\b|\S.*:\d+\b", line)]
    at = [number for number in at if not re.match(r"\[", lines[number])]
    if not at:
        return ""
    end = at[1] if len(at) > 1 else len(lines)
    return "\n".join(lines[at[0] : end])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise UnavailableError(f"no command line can carry {value!r}")
    if "\0" in str(value):
        raise UnavailableError("no command line can carry a NUL")
    return str(value)
