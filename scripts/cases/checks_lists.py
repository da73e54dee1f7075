"""Judge what search, lists, the index and the backend say.

``CHECKS`` maps the keys to functions like those of ``checks_text``; they look at the structured answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from cases import product
from cases.checks_summary import name_matches, plain
from cases.checks_text import AnyReply, Check, Reasons, shown
from cases.reply import Reply
from cases.stage import Stage


def matches(value: Sequence[Mapping[str, Any]], expect: Mapping[str, Any], reply: Reply, stage: Stage) -> Reasons:
    """Hold that these are among the matches; with ``complete`` exactly these."""
    found = {(match["path"], match["line"]): match for match in stage.structured(reply)["matches"]}
    for wanted in value:
        match = found.get((wanted["path"], wanted["line"]))
        if match is None:
            yield f"no match at {wanted['path']}:{wanted['line']}, but {shown(str(list(found)))}"
            continue
        if "text" in wanted and match["text"] != wanted["text"]:
            yield f"the match reads {match['text']!r}, not {wanted['text']!r}"
        if wanted.get("text_contains", "") not in match["text"]:
            yield f"the match {match['text']!r} lacks {wanted['text_contains']!r}"
        if not reply.is_json and not (wanted["path"] in reply.text and str(wanted["line"]) in reply.text):
            yield f"the text does not show {wanted['path']}:{wanted['line']}"
    if expect.get("complete"):
        wanted_places = {(wanted["path"], wanted["line"]) for wanted in value}
        yield from (f"also matches {path}:{line}" for path, line in found if (path, line) not in wanted_places)


def top1(value: Mapping[str, Any], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that this is the first hit."""
    hits = stage.structured(reply)["hits"]
    if not hits:
        yield f"no hit: {shown(reply.text)}"
        return
    first = hits[0]
    if first["path"] != value["path"] or not name_matches(str(first["name"]), value):
        yield f"the first hit is {first['path']} {first['name']}, not {value['path']} {value['name']}"
    if "lines" in value and list(first["lines"]) != value["lines"]:
        yield f"the first hit is lines {first['lines']}, not {value['lines']}"
    if "parent" in value:
        parent = first.get("parent") and plain(first["parent"])
        if parent != (value["parent"] and plain(value["parent"])):
            yield f"the first hit's parent is {parent}, not {value['parent']}"
    if first["path"] not in reply.text or str(first["name"]).rpartition(".")[2] not in reply.text:
        yield f"the text does not show {first['path']} {first['name']}: {shown(reply.text)}"


def abstain(_value: bool, _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that there is no hit, that this is said, and that it is no error."""
    hits = stage.structured(reply)["hits"]
    if hits:
        yield f"{len(hits)} hits, the first {hits[0]['path']} {hits[0]['name']}"
    if not reply.text.strip():
        yield "nothing says that there is no hit"
    code = reply.json_exit_code if reply.exit_code is None else reply.exit_code
    if code != product.EXIT_NOTHING:
        yield f"exit code {code}, not {product.EXIT_NOTHING}"


def hits(value: Mapping[str, Any], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold what is said of all hits."""
    data = stage.structured(reply)
    found = data["matches"] if "matches" in data else data["hits"]
    if "count" in value:
        low, high = value["count"] if isinstance(value["count"], list) else (value["count"],) * 2
        if not low <= len(found) <= high:
            yield f"{len(found)} hits, not {value['count']}"
    yield from _names(value, found)
    paths = {hit["path"] for hit in found}
    yield from (f"hits in {path}" for path in value.get("lack_paths", ()) if path in paths)
    yield from (
        f"no hit in {path}, but in {sorted(paths)}" for path in value.get("have_paths", ()) if path not in paths
    )
    if "only_paths" in value:
        yield from (f"a hit in {path}" for path in sorted(paths - set(value["only_paths"])))
    if "paths_exist" in value:
        yield from (f"there is no file {path}" for path in sorted(paths) if not (reply.root / path).exists())


def entries(value: Mapping[str, Any], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that a list shows exactly these entries, and marks links that lead outside."""
    found = {str(entry["name"]).rstrip("/") for entry in stage.structured(reply)["entries"]}
    wanted = {name.rstrip("/") for name in value["has"]}
    links = {name.rstrip("/") for name in value.get("outside_links", ())}
    allowed = wanted | links | {name.rstrip("/") for name in value.get("optional", ())}
    yield from (f"no entry {name}, but {sorted(found)}" for name in sorted(wanted - found))
    yield from (f"an entry {name}" for name in sorted(found - allowed))
    for name in sorted(links & found):
        lines = [line for line in reply.text.split("\n") if name in line]
        if not any("link" in line and "outside" in line for line in lines):
            yield f"{name} is shown without the words link and outside: {lines}"


def index(value: Mapping[str, Any], _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold what the report of an index run says."""
    report = stage.structured(reply)
    if "skipped" in value or "skipped_optional" in value:
        yield from _skipped(value.get("skipped"), report, value.get("skipped_optional", {}))
    for key, wanted in value.items():
        if key not in ("skipped", "skipped_optional"):
            yield from INDEX_CHECKS[key](wanted, report, stage)


def status_files(value: int, _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that this is told as the number of files in the index."""
    files = stage.structured(reply).get("files")
    if files != value:
        yield f"{files} files in the index, not {value}"
    if not reply.is_json and not re.search(rf"(?<!\d){value}(?!\d)", reply.text):
        yield f"the text does not say {value}: {shown(reply.text)}"


def backend_requests(value: Mapping[str, Any], _expect: Any, reply: AnyReply, stage: Stage) -> Reasons:
    """Hold what was sent to the stand-in since the call began."""
    if stage.fake is None:
        yield "broken case: there is no backend"
        return
    texts = [text for request in stage.fake.log[reply.first_request :] for text in request.texts]
    longest = max(map(len, texts), default=0)
    if longest > value.get("max_chars_per_text", longest):
        yield f"a text of {longest} characters was sent"
    if len(texts) > value.get("max_texts", len(texts)):
        yield f"{len(texts)} texts were sent"
    if value.get("no_blank") and not all(text.strip() for text in texts):
        yield "a blank text was sent"
    yield from (f"{shown(part)} was sent" for part in value.get("lacks", ()) if any(part in text for text in texts))
    if value.get("no_text_twice"):
        yield from _sent_twice(stage)


def _names(value: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    named = [{plain(str(hit.get("name", ""))), plain(str(hit.get("name", ""))).rpartition(".")[2]} for hit in found]
    for name in value.get("once", ()):
        count = sum(plain(name) in names for names in named)
        if count != 1:
            yield f"{name} is hit {count} times"
    for name in value.get("lack_names", ()):
        if any(plain(name) in names for names in named):
            yield f"{name} is hit"


def _sent_twice(stage: Stage) -> Iterator[str]:
    answered: set[tuple[str, str]] = set()
    for request in stage.fake.log if stage.fake else ():
        for text in request.texts:
            if (request.model, text) in answered:
                yield f"sent again after it was answered: {shown(text, 80)}"
                return
        if request.answered:
            answered |= {(request.model, text) for text in request.texts}


# ---- the index report


def _exactly(key: str) -> Any:
    def check(value: Sequence[str], report: Mapping[str, Any], _stage: Stage) -> Iterator[str]:
        found = set(product.paths_of(report, key))
        if key == "indexed":
            found = {path for path in found if not PurePosixPath(path).name.startswith(".")}
        if found != set(value):
            more, less = sorted(found - set(value)), sorted(set(value) - found)
            yield f"{key}: " + "; ".join([f"also {more[:20]}"] * bool(more) + [f"not {less[:20]}"] * bool(less))

    return check


def _must_index(value: Sequence[str], report: Mapping[str, Any], _stage: Stage) -> Iterator[str]:
    found = product.paths_of(report, "indexed")
    yield from (f"{path} is not in the index" for path in value if path not in found)


def _not_indexed(value: Sequence[str], report: Mapping[str, Any], _stage: Stage) -> Iterator[str]:
    found = product.paths_of(report, "indexed")
    yield from (f"{path} is in the index" for path in value if path in found)


def _skipped(value: Mapping[str, str] | None, report: Mapping[str, Any], optional: Mapping[str, str]) -> Iterator[str]:
    if value is None:
        yield "broken case: skipped_optional without skipped"
        return
    found = product.skipped(report)
    for path, category in value.items():
        if found.get(path) != category:
            yield f"{path} is skipped as {found.get(path)}, not {category}"
    for path, category in found.items():
        if path not in value and optional.get(path) != category:
            yield f"{path} is reported as skipped: {category}"


def _skipped_or_few(value: Mapping[str, int], report: Mapping[str, Any], stage: Stage) -> Iterator[str]:
    found, indexed = product.skipped(report), product.paths_of(report, "indexed")
    for path, most in value.items():
        if path in found:
            continue
        if path not in indexed:
            yield f"{path} is neither indexed nor skipped"
            continue
        chunks = product.chunks_of(path, report, stage.place.store)
        if chunks > most:
            yield f"{path} is indexed as {chunks} chunks, more than {most}"


def _failed(value: Any, report: Mapping[str, Any], _stage: Stage) -> Iterator[str]:
    found = product.paths_of(report, "failed")
    if value == "some" and not found:
        yield "no file is reported as failed"
    elif value != "some" and Counter(found) != Counter(value):
        yield f"failed: {found}, not {value}"


def _counts_told(_value: bool, report: Mapping[str, Any], _stage: Stage) -> Iterator[str]:
    embedded, others = report.get("files_embedded"), report.get("files_not_embedded")
    if not isinstance(embedded, int) or not isinstance(others, int):
        yield f"files_embedded is {embedded!r}, files_not_embedded {others!r}"
    elif embedded + others != len(product.paths_of(report, "indexed")):
        yield f"{embedded} files embedded and {others} not, of {len(report['indexed'])}"


INDEX_CHECKS: dict[str, Any] = {
    **{key: _exactly(key) for key in ("indexed", "embedded", "reindexed", "removed")},
    "must_index": _must_index,
    "not_indexed": _not_indexed,
    "skipped_or_chunks_max": _skipped_or_few,
    "failed": _failed,
    "counts_told": _counts_told,
}

CHECKS: dict[str, Check] = {
    "matches": matches,
    "top1": top1,
    "abstain": abstain,
    "hits": hits,
    "entries": entries,
    "index": index,
    "status_files": status_files,
    "backend_requests": backend_requests,
}
