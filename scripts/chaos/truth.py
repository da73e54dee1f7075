"""Know what an index must hold and answer: ``Truth``, made of the files alone, and what ``differences`` there are."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

from codectx.config import load
from codectx.project import Project
from codectx.render import shown_path
from codectx.tools import TOOLS
from indexer.entry import FileEntry
from indexer.errors import IndexerError
from indexer.manifest import Seen
from indexer.place import IndexPlace
from indexer.rows import entries_of
from indexer.search import Index, search
from indexer.store import Store
from indexer.sync import Unindexed, current, pending, read_entry, sync

QUERIES = (
    "parse request", "close connection", "read configuration file", "error handling", "write response headers",
    "where is the cache cleared", "create a new session", "validate user input", "charge", "refund the invoice",
    "rotate_step", "upload a token", "heaped 7", "render template", "default options", "register a route", "内部 标题",
    "README install", "test client", "does not exist anywhere zzqq",
)  # fmt: skip
_PLACE = re.compile(
    r"(?P<path>.+?):(?P<start>\d+)-(?P<end>\d+)(?: (?P<name>\S.*?))? \(\d\.\d\d\)(?P<stale> \[stale: .*)?"
)
_LINE = re.compile(r"(\d+): (.*)")

Place = tuple[str, int, int]


@dataclass(frozen=True)
class Told:
    """Hold what an answer in text says: places, whether each is marked, the lines under each, and notices."""

    places: tuple[Place, ...]
    stale: frozenset[Place]
    lines: tuple[tuple[str, int, str], ...]
    notices: tuple[str, ...]
    text: str

    @property
    def is_whole(self) -> bool:
        """Say whether the answer claims to be of all files as they are."""
        return not self.stale and not any(notice.startswith(("[index: ", "[cut: ")) for notice in self.notices)


def told(text: str) -> Told:
    """Take an answer of ``semantic_search`` apart."""
    places: list[Place] = []
    stale: set[Place] = set()
    lines: list[tuple[str, int, str]] = []
    notices: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        if found := _LINE.fullmatch(line):
            lines.append((places[-1][0] if places else "", int(found[1]), found[2]))
        elif found := _PLACE.fullmatch(line):
            places.append((found["path"], int(found["start"]), int(found["end"])))
            stale.update([places[-1]] if found["stale"] else [])
        elif re.fullmatch(r"\[[a-z ]+: .*\]", line):
            notices.append(line)
    return Told(tuple(places), frozenset(stale), tuple(lines), tuple(notices), text)


def project_of(root: Path, environment: Mapping[str, str]) -> Project:
    """Open a project as a new process would."""
    return Project(root, load(root, {tool.name: tool.limit for tool in TOOLS}, environment))


class Truth:
    """Hold what is known of a project without its index; entries are kept by path and content."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        self.root, self.environment = root, environment
        self._known: dict[tuple[str, str], FileEntry | None] = {}
        self._lock = threading.Lock()

    def entries(self) -> dict[str, FileEntry]:
        """Give the entry of each file as it is now."""
        index = project_of(self.root, self.environment).index
        found = {}
        for file in index.walk().files:
            try:
                digest = blake2b(index.read(file.path), digest_size=16).hexdigest()
            except IndexerError:
                continue
            key = (file.path, digest)
            if key not in self._known:
                entry = read_entry(file, index.read, None)
                read = entry[0] if not isinstance(entry, Seen | Unindexed) else None
                with self._lock:
                    self._known[(file.path, read.digest if read else digest)] = read
            if (entry_now := self._known.get(key)) is not None:
                found[file.path] = entry_now
        return found

    def knows(self, path: str, digest: str) -> FileEntry | None:
        """Give the entry of a content that was seen."""
        with self._lock:
            return self._known.get((path, digest))

    def problems(self, answer: Told, query: str, count: int, entries: Mapping[str, FileEntry]) -> list[str]:
        """Check an answer against the files as they are."""
        by_name = {shown_path(path): entry for path, entry in entries.items()}
        found = []
        for place in answer.places:
            if place not in answer.stale and place not in _spans(by_name.get(place[0])):
                found.append(f"{place} is no place of the files as they are")
        stale = {path for path, _, _ in answer.stale}
        for path, number, text in answer.lines:
            if path in by_name and path not in stale and not self._is_line(by_name[path].path, number, text):
                found.append(f"{path} line {number} is not {text!r}")
        if answer.is_whole and not found:
            expected = [(shown_path(hit.path), hit.start, hit.end) for hit in self.best(entries, query, count)]
            if sorted(expected) != sorted(answer.places):
                found.append(f"places {answer.places}, but of the files as they are {expected}")
        return found

    def best(self, entries: Mapping[str, FileEntry], query: str, count: int) -> Sequence[object]:
        """Give the hits of an index built from nothing."""
        return search(Index.of(entries[path] for path in sorted(entries)), query, count, project=self.root.name).hits

    def _is_line(self, path: str, number: int, shown: str) -> bool:
        from codectx.tools.semantic_search import clipped_line
        from indexer.secrets import mask
        from indexer.text import split_lines

        project = project_of(self.root, self.environment)
        lines = split_lines(mask(project.read(project.resolve(path)).text).text)
        return number <= len(lines) and clipped_line(lines[number - 1].rstrip("\r\n")) == shown


def differences(place: IndexPlace, truth: Truth, entries: Mapping[str, FileEntry]) -> list[str]:
    """Compare an index that is in step with what the files say; the same top 10 for all queries belongs to it."""
    manifest = current(place)
    if manifest is None:
        return ["there is no whole index"]
    rows = list(entries_of(place.store.read()))
    held = {entry.path: entry for entry in rows}
    found = [f"{len(rows)} rows for {len(held)} paths"] if len(rows) != len(held) else []
    found += _differing("rows", {p: _sight(e) for p, e in held.items()}, {p: _sight(e) for p, e in entries.items()})
    if held != dict(entries) and not found:
        found.append("rows differ in what is searched")
    found += _differing(
        "manifest",
        {path: (seen.digest, seen.chunks) for path, seen in manifest.files.items()},
        {path: (entry.digest, len(entry.chunks)) for path, entry in held.items()},
    )
    index = project_of(truth.root, truth.environment).index
    if any(left := pending(manifest, index.walk(), sure=False)):
        found.append(f"after a sync there is left: {left}")
    if not found:
        one, other = Index.of_table(place.store.read()), Index.of(entries[path] for path in sorted(entries))
        for query in QUERIES:
            if search(one, query, 10).hits != search(other, query, 10).hits:
                found.append(f"another top 10 for {query!r}")
    return found


def rebuilt(truth: Truth) -> dict[str, FileEntry]:
    """Build an index from nothing, in a folder of its own, and give what it holds."""
    index = project_of(truth.root, truth.environment).index
    with TemporaryDirectory() as folder:
        place = IndexPlace(str(truth.root), Path(folder), Store(folder))
        sync(place, index.walk(), index.read)
        table = place.store.read()
        return {entry.path: entry for entry in entries_of(table)} if table is not None else {}


def half_read(place: IndexPlace, truth: Truth) -> list[str]:
    """Read the store while others write it: every row is whole, and no path is there twice."""
    table = place.store.read(["path", "digest", "chunk_start", "chunk_digest"])
    if table is None:
        return []
    found, seen = [], set()
    for row in table.to_pylist():
        if row["path"] in seen:
            found.append(f"{row['path']} is there twice")
        seen.add(row["path"])
        entry = truth.knows(row["path"], row["digest"])
        if entry is not None and (
            row["chunk_start"] != [chunk.start for chunk in entry.chunks]
            or row["chunk_digest"] != [chunk.digest for chunk in entry.chunks]
        ):
            found.append(f"the row of {row['path']} is not whole")
    return found


def _sight(entry: FileEntry) -> set[tuple[int, int, int, int, bytes]]:
    return {(chunk.start, chunk.end, chunk.span_start, chunk.span_end, chunk.digest) for chunk in entry.chunks}


def _spans(entry: FileEntry | None) -> set[Place]:
    if entry is None:
        return set()
    return {(shown_path(entry.path), chunk.span_start, chunk.span_end) for chunk in entry.chunks}


def _differing(what: str, held: Mapping[str, object], wanted: Mapping[str, object]) -> Iterable[str]:
    for path in sorted({*held, *wanted}):
        if held.get(path) != wanted.get(path):
            yield f"{what}: {path} has {str(held.get(path))[:200]}, not {str(wanted.get(path))[:200]}"
