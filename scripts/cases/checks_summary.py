"""Judge summaries: symbols with all their properties, exports, imports, parse problems.

``CHECKS`` maps the keys to functions like those of ``checks_text``; they look at the structured answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from cases import params as parameters
from cases import product
from cases.checks_text import Check, Reasons, shown
from cases.filetext import decode, lines_of
from cases.reply import Reply
from cases.stage import Stage

Symbol = Mapping[str, Any]


def plain(name: str) -> str:
    """Give a name with ``.`` between its parts; a ``#`` that begins a private name stays."""
    return re.sub(r"(?<=[\w)>])#(?=\w)", ".", name.replace("::", "."))


def name_matches(found: str, wanted: Mapping[str, Any]) -> bool:
    """Tell whether a found name is the wanted one, written with or without its owner."""
    names = [plain(wanted[key]) for key in ("name", "name_alt") if key in wanted]
    owners = [plain(wanted[key]) for key in ("parent", "parent_alt") if wanted.get(key)]
    names += [f"{owner}.{names[0].rpartition('.')[2]}" for owner in owners]
    return plain(found) in names


def symbols(value: Sequence[Symbol], expect: Mapping[str, Any], reply: Reply, stage: Stage) -> Reasons:
    """Hold that these symbols are listed, and with ``complete`` no others."""
    data = stage.structured(reply)
    source = _source_of(reply)
    left = list(data["symbols"])
    ranges_used: dict[str, str] = {}
    for wanted in value:
        yield from _broken(wanted, source)
        named = [symbol for symbol in left if name_matches(symbol["name"], wanted)]
        fitting = [symbol for symbol in named if _range_kind(symbol, wanted)]
        if not fitting:
            yield from _missing(wanted, named, data)
            continue
        judged = [(list(_differences(symbol, wanted, source, data)), symbol) for symbol in fitting]
        reasons, best = min(judged, key=lambda pair: len(pair[0]))
        left.remove(best)
        yield from reasons
        if "lines_without_decorators" in wanted:
            ranges_used[_range_kind(best, wanted)] = wanted["name"]
    if len(ranges_used) > 1:
        yield f"decorators are inside some ranges and outside others: {ranges_used}"
    if expect.get("complete"):
        yield from _others(left, expect.get("optional_symbols", ()))
    yield from _not_in_text(data, reply)


def absent_symbols(value: Sequence[str], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that none of these names is listed."""
    found = [plain(symbol["name"]) for symbol in stage.structured(reply)["symbols"]]
    for name in map(plain, value):
        if any(other == name or other.endswith(f".{name}") for other in found):
            yield f"{name} is listed"


def optional_symbols(_value: Any, expect: Mapping[str, Any], _reply: Reply, _stage: Stage) -> Reasons:
    """Hold nothing by itself; ``complete`` uses it."""
    if "symbols" not in expect:
        yield "broken case: optional_symbols without symbols"


def complete(_value: bool, expect: Mapping[str, Any], _reply: Reply, _stage: Stage) -> Reasons:
    """Hold nothing by itself; ``symbols`` and ``matches`` use it."""
    if "symbols" not in expect and "matches" not in expect:
        yield "broken case: complete without symbols or matches"


def exports(value: Sequence[str], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that exactly these are exported."""
    found = _exports(reply, stage)
    if sorted(set(found)) != sorted(set(value)):
        yield f"the exports are {found}, not {list(value)}"


def exports_contain(value: Sequence[str], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that these are exported."""
    found = _exports(reply, stage)
    yield from (f"{name} is not among the exports {found}" for name in value if name not in found)


def exports_lack(value: Sequence[str], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that these are not exported."""
    found = _exports(reply, stage)
    yield from (f"{name} is among the exports" for name in value if name in found)


def imports(value: Sequence[str], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that these are imported."""
    found = [str(name) for name in stage.structured(reply)["imports"]]
    yield from (f"{name} is not among the imports {found}" for name in value if name not in found)


def parse_errors(value: bool, _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that a parse problem is reported, or none is."""
    problems = stage.structured(reply)["problems"]
    if bool(problems) is not value:
        yield f"problems: {problems}" if problems else "no problem is reported"


def _exports(reply: Reply, stage: Stage) -> list[str]:
    """Give the exported names; what begins with ``*`` counts as ``*``."""
    found = [str(name) for name in stage.structured(reply)["exports"]]
    return ["*" if name.startswith("*") else name.partition(" from ")[0] for name in found]


def _source_of(reply: Reply) -> list[str]:
    """Give the lines of the summarised file as the case wrote it, none if there is no such file."""
    file = reply.root / str(reply.args.get("path", "")).replace("\\", "/")
    if not file.is_file():
        return []
    return [line.rstrip("\r\n") for line in lines_of(decode(file.read_bytes()))]


def _broken(wanted: Symbol, source: Sequence[str]) -> Reasons:
    """Check the case itself: the first and last line of a range read as it says."""
    for key, at in (("start_text", 0), ("end_text", 1)):
        number = wanted["lines"][at]
        if key in wanted and not (number <= len(source) and source[number - 1].strip() == wanted[key]):
            yield f"broken case: line {number} does not read {wanted[key]!r}"


def _range_kind(symbol: Symbol, wanted: Symbol) -> str:
    """Give by which of the right ranges a symbol is listed, empty for none."""
    lines = list(symbol["lines"])
    cell = symbol.get("cell")
    if "cell" in wanted and cell == wanted["cell"] and list(symbol.get("cell_lines", lines)) == wanted["cell_lines"]:
        return "cell_lines"
    if lines == wanted["lines"] or lines in wanted.get("lines_alt", ()):
        return "lines"
    return "lines_without_decorators" if lines == wanted.get("lines_without_decorators") else ""


def _missing(wanted: Symbol, named: Sequence[Symbol], data: Mapping[str, Any]) -> Reasons:
    if named:
        ranges = ", ".join("{}-{}".format(*symbol["lines"]) for symbol in named)
        yield f"{wanted['name']}: lines {ranges}, not {wanted['lines'][0]}-{wanted['lines'][1]}"
        return
    first, last = wanted.get("or_problem", (1, 0))
    told = any(p["lines"][0] <= last and p["lines"][1] >= first for p in data["problems"])
    if not wanted.get("optional") and not told:
        names = [symbol["name"] for symbol in data["symbols"]]
        yield f"{wanted['name']} is not listed, but {shown(', '.join(names))}"


def _differences(symbol: Symbol, wanted: Symbol, source: Sequence[str], data: Mapping[str, Any]) -> Reasons:
    """Give what is wrong with a symbol of the right name and range."""
    found = (*_properties(symbol, wanted, data), *_name_line(symbol, wanted))
    for reason in (*found, *_description(symbol, wanted, source)):
        yield f"{wanted['name']}: {reason}"


def _properties(symbol: Symbol, wanted: Symbol, data: Mapping[str, Any]) -> Iterator[str]:
    kinds = [wanted[key] for key in ("kind", "kind_alt") if key in wanted]
    if kinds and symbol["kind"] not in kinds:
        yield f"a {symbol['kind']}, not a {' or '.join(kinds)}"
    parents = [wanted[key] and plain(wanted[key]) for key in ("parent", "parent_alt") if key in wanted]
    parent = symbol["parent"] and plain(symbol["parent"])
    if parents and parent not in parents:
        yield f"the parent is {parent}, not {' or '.join(map(str, parents))}"
    if "receiver" in wanted and _tight(symbol["receiver"]) != _tight(wanted["receiver"]):
        yield f"the receiver is {symbol['receiver']}, not {wanted['receiver']}"
    if "params" in wanted:
        yield from _params(symbol["params"], wanted["params"], data.get("language"))
    missing = [name for name in wanted.get("calls", ()) if name not in symbol["calls"]]
    if missing:
        yield f"{', '.join(missing)} is not among the calls {list(symbol['calls'])}"
    for key in ("exported", "is_async"):
        if key in wanted and symbol[key] is not wanted[key]:
            yield f"{key} is {symbol[key]}"


def _name_line(symbol: Symbol, wanted: Symbol) -> Iterator[str]:
    if symbol["name_line"] != wanted.get("name_line", symbol["name_line"]):
        yield f"the name is on line {symbol['name_line']}, not {wanted['name_line']}"


def _params(found: Sequence[str], wanted: Sequence[str], language: str | None) -> Iterator[str]:
    names, due = parameters.names_of(found, language), parameters.names_of(wanted, None)
    if len(names) != len(due) or not all(map(parameters.same, names, due)):
        yield f"the parameters are {list(found)}, not {list(wanted)}"


def _description(symbol: Symbol, wanted: Symbol, source: Sequence[str]) -> Iterator[str]:
    text = _collapsed(symbol["description"] or "")
    if "description_alt" in wanted and text == _collapsed(wanted["description_alt"]):
        return
    if "description_exact" in wanted:
        exact = wanted["description_exact"]
        if exact is None:
            yield from _no_description(symbol, text, source)
        elif text != _collapsed(exact):
            yield f"the description is {text!r}, not {exact!r}"
    if "description_contains" in wanted and _collapsed(wanted["description_contains"]) not in text:
        yield f"the description {text!r} lacks {wanted['description_contains']!r}"
    for part in wanted.get("description_lacks", ()):
        if _collapsed(part) in text:
            yield f"the description {text!r} has {part!r}"


def _no_description(symbol: Symbol, text: str, source: Sequence[str]) -> Iterator[str]:
    """Hold that a description is empty, or is the first lines of the body and is not called more."""
    if not text:
        return
    if symbol["described"]:
        yield f"{text!r} is given as the description"
        return
    first, last = symbol["lines"]
    body = _collapsed(" ".join(source[first - 1 : last]))
    parts = [part for part in re.split(r"\s*(?:\.\.\.|…|⏎)\s*|\s+[/|;]\s+", text) if part]
    if not all(_collapsed(part) in body for part in parts):
        yield f"{text!r} is not from the body"


def _others(left: Sequence[Symbol], optional: Sequence[Any]) -> Reasons:
    """Give the definitions that a complete list must not have."""
    for symbol in left:
        if symbol["kind"] in product.DEFINITION_KINDS and not any(_is_optional(symbol, item) for item in optional):
            yield f"also lists {symbol['kind']} {symbol['name']} {symbol['lines']}"


def _is_optional(symbol: Symbol, item: Any) -> bool:
    name = plain(item if isinstance(item, str) else item["name"])
    found = plain(symbol["name"])
    if not fnmatchcase(found, name) and not fnmatchcase(found, f"*.{name}"):
        return False
    if isinstance(item, str):
        return True
    (first, last), (start, end) = item["lines"], symbol["lines"]
    return bool(first <= start and end <= last)


def _not_in_text(data: Mapping[str, Any], reply: Reply) -> Reasons:
    """Hold that what is listed in the structured answer stands in the text too."""
    if reply.is_json or data["truncated"] or reply.parts.cut is not None:
        return
    for symbol in data["symbols"]:
        bare = re.split(r"\.(?=[^.]+$)", plain(symbol["name"]))[-1]
        if bare not in reply.text:
            yield f"the text lacks {symbol['name']}, which the structured answer lists"


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _tight(text: str | None) -> str:
    return "".join((text or "").split())


CHECKS: dict[str, Check] = {
    "symbols": symbols,
    "absent_symbols": absent_symbols,
    "optional_symbols": optional_symbols,
    "complete": complete,
    "exports": exports,
    "exports_contain": exports_contain,
    "exports_lack": exports_lack,
    "imports": imports,
    "parse_errors": parse_errors,
}
