"""Summarise a folder: what it is, its folders and files with what each is for, the most important first.

``folder_answer`` says on its first page what README and manifest say, and under a folder of sources its main modules,
so that the summary of a project's root is a first look at the project. Importance is a guess by cheap signs (what other
files name, size, name, place); it orders rows and never leaves one out.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from codectx import progress
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.errors import invalid_argument
from codectx.importance import OTHER, SOURCE, TEST, importance, is_called_after, is_manifest, kind_of, place_of_tests
from codectx.project import Located, Project
from codectx.render import clipped, counted, is_prose, joined, purpose, shown_path, visible
from codectx.tool import HARD_MAX_TOKENS
from indexer.errors import IndexerError
from indexer.languages import language_of
from indexer.markdown import first_items
from indexer.model import FileSummary, Symbol, SymbolKind
from indexer.secrets import mask
from indexer.text import count_lines
from indexer.walk import WalkedFile

MAX_PARSED_BYTES = 700_000  # of all files of one answer (about 0.5 s CPU); of those beyond it no symbols are counted
MAX_PAGE_CHARS = HARD_MAX_TOKENS * 4  # of rows that are made; no answer shows more
RARE = 1 / 20  # of the files with a grammar; getting ready for a language of fewer takes up to 0.6 s CPU
HEAD_CHARS = 4000  # of a file beyond it in which a description is looked for
MAX_DESCRIPTION = 100  # characters
MAIN_TYPES, MAIN_FUNCTIONS = 3, 5  # named of a file that does not say what it is for
MAX_LANGUAGES = 3  # named in the row of a folder
MAX_MODULES, MOST_MODULES = 28, 12  # shown below all folders of one answer, and below one of them
MAX_PARTS = 150  # characters of the list of a folder's own folders
MAX_TESTS = 4  # places of tests named
MAX_NOT_COUNTED = 3  # files named whose symbols were not counted
README_CHARS = 8000
# Of manifests that are no data: where the name and the description stand.
_VALUES = {
    ".gemspec": (r"\.name\s*=\s*[\"']([^\"']+)", r"\.summary\s*=\s*[\"']([^\"']+)"),
    ".cabal": (r"(?m)^name:\s*(.+)", r"(?m)^synopsis:\s*(.+)"),
    "mix.exs": (r"\bapp:\s*:(\w+)", r"\bdescription:\s*\"([^\"\n]+)"),
    "go.mod": (r"(?m)^module\s+(\S+)",),
    "Package.swift": (r"Package\(\s*name:\s*\"([^\"]+)",),
}
_TYPES = frozenset(map(SymbolKind, ("class", "interface", "trait", "struct", "record", "object")))


@dataclass(slots=True)
class _Row:
    name: str
    path: str
    is_folder: bool
    files: list[WalkedFile] = field(default_factory=list)


def folder_answer(project: Project, located: Located, depth: int, after: str) -> Answer:
    """Give the rows of a folder and of the folders below it down to ``depth`` levels.

    Args:
        project: whose folder it is.
        located: the folder.
        depth: 1 shows the folder's own entries.
        after: name of the last row of the page before.

    Raises:
        UserError: invalid_argument when ``after`` is no row: the order does not tell where it would stand.
    """
    walked = project.walk(located.path)
    prefix = "" if located.path == "." else f"{located.path}/"
    kinds = {file.path: kind_of(file.path, prefix) for file in walked.files}
    look = _Look(project, prefix, kinds, importance(project.root, walked.files, prefix, kinds))
    rows = look.sorted_rows(walked.files, depth)
    first = _place_behind(rows, after, shown_path(located.path)) if after else 0
    facts = [] if after else list(look.facts(walked.files))
    blocks: list[Block] = []
    not_counted = [0]  # files up to each row whose symbols are not counted
    modules = look.modules(rows) if depth == 1 else {}
    made = 0
    for row in rows[first:]:
        progress.check()
        if made > MAX_PAGE_CHARS:
            break
        blocks.append(look.folder_block(row, modules.get(row.name, [])) if row.is_folder else look.file_block(row))
        made += len(blocks[-1].forms[0])
        not_counted.append(len(look.not_counted))
    if blocks and facts:  # on the first page, in one block with the first row
        long, short = ("".join(f"{clipped(fact, length)}\n" for fact in facts) for length in (2 * MAX_DESCRIPTION, 60))
        blocks[0] = Block((long + blocks[0].forms[0], short + blocks[0].forms[-1]), data=blocks[0].data)

    def frame(shown: Shown) -> Frame:
        arguments: dict[str, str | int] = {"path": located.path, **({"depth": depth} if depth != 1 else {})}
        count = shown.blocks + shown.short
        last = rows[first + count - 1].name if count else after
        following = Call("summarize", {**arguments, "after": last})
        head = f"{shown_path(located.path)}{'' if located.path == '.' else '/'} ({_languages(walked.files)})"
        here = rows[first : first + count]
        below = [len(modules.get(row.name, [])) for row in here[: shown.blocks]] + [0] * shown.short
        told = (_not_shown(here, below), _many(look.not_counted[: not_counted[shown.blocks]]))
        return Frame(head, count, len(rows) - first, "entries", following, notices=tuple(filter(None, told)))

    left_out = f"left out: {counted(len(walked.skipped), 'file')}, see status()" if walked.skipped else ""
    return Answer(
        blocks,
        frame,
        notices=(left_out,) if left_out else (),
        data={
            "path": located.path,
            "total_files": len(walked.files),
            "languages": _tally(walked.files),
            "total_entries": len(rows),
            "about": facts,
        },
        items="entries",
        complete=len(blocks) == len(rows) - first,
        found=bool(rows),
    )


def _place_behind(rows: Sequence[_Row], after: str, folder: str) -> int:
    """Give the number of rows up to the one of that name."""
    for number, row in enumerate(rows, 1):
        if row.name.rstrip("/") == after.rstrip("/"):
            return number
    raise invalid_argument(
        f"after is {after}, which {folder} does not hold (any more)",
        "give the name of an entry as shown, or leave after out to begin anew",
    )


def _not_shown(rows: Sequence[_Row], below: Sequence[int]) -> str:
    """Say how many files the folders among some rows hold beyond those shown below each."""
    closed = [(row, len(row.files) - shown) for row, shown in zip(rows, below, strict=True) if row.is_folder]
    closed = [(row, more) for row, more in closed if more]
    if not closed:
        return ""
    call = Call("summarize", {"path": closed[0][0].path.rstrip("/")})
    files = counted(sum(more for _, more in closed), "file")
    return f"not shown: {files} in {counted(len(closed), 'folder')}; summarize each, as {call}"


def _many(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    named = ", ".join(map(shown_path, paths[:MAX_NOT_COUNTED]))
    more = len(paths) - MAX_NOT_COUNTED
    return f"symbols not counted, to answer fast: {named}{f', +{more} more' if more > 0 else ''}; summarize each"


class _Look:
    """Hold what the rows of one answer share: what matters most, and how much may still be parsed."""

    def __init__(self, project: Project, prefix: str, kinds: Mapping[str, int], scores: Mapping[str, float]) -> None:
        self.project = project
        self.prefix = prefix
        self.kinds = kinds
        self.scores = scores
        self.budget = MAX_PARSED_BYTES
        self.not_counted: list[str] = []  # paths
        languages = Tally(
            language for path in kinds if (language := language_of(path)) is not None and language.grammar
        )
        self.rare = {language for language, count in languages.items() if count < RARE * languages.total()}

    def sorted_rows(self, files: Sequence[WalkedFile], depth: int) -> list[_Row]:
        """Give one row for each entry, the most important first, tests, examples and foreign code last."""
        rows: dict[str, _Row] = {}
        for file in files:
            parts = file.path[len(self.prefix) :].split("/")
            name = "/".join(parts[:depth]) + "/" if len(parts) > depth else "/".join(parts)
            path = self.prefix + name
            # Where several folders are shown, each row is an address of its own.
            rows.setdefault(path, _Row(path if depth > 1 else name, path, name[-1] == "/")).files.append(file)
        return sorted(rows.values(), key=lambda row: (self._kind(row), -self._weight(row), row.name))

    def _kind(self, row: _Row) -> int:
        kinds: Tally[int] = Tally()
        for file in row.files:
            kinds[self.kinds[file.path]] += file.size + 1
        if kinds[SOURCE] * 10 >= kinds[TEST] and kinds[SOURCE] * 20 >= kinds.total():
            return SOURCE
        return kinds.most_common(1)[0][0]

    def _weight(self, row: _Row) -> float:
        scores = [self.scores[file.path] for file in self._sources(row)] or [0.0]
        return max(scores) + (math.log2(len(scores)) if row.is_folder else 0)

    def _sources(self, row: _Row) -> list[WalkedFile]:
        return [file for file in row.files if self.kinds[file.path] == SOURCE]

    def modules(self, rows: Sequence[_Row]) -> dict[str, list[WalkedFile]]:
        """Choose the files shown below each folder of sources, by share of what there is."""
        folders = [row for row in rows if row.is_folder and self._kind(row) == SOURCE]
        sizes = {row.name: math.sqrt(len(self._sources(row))) for row in folders}
        total = sum(sizes.values()) or 1
        own = sum(not row.is_folder and self._kind(row) == SOURCE for row in rows)
        most = max(1, MOST_MODULES // (1 + own // 4))  # less where the folder's own files are modules, too
        return {
            row.name: self._foremost(self._sources(row), min(most, max(1, int(MAX_MODULES * sizes[row.name] / total))))
            for row in folders[:MAX_MODULES]
        }

    def _foremost(self, files: Sequence[WalkedFile], most: int) -> list[WalkedFile]:
        """Give the most important files, preferring a folder that has not had its turn."""
        left = sorted(files, key=lambda file: (-self.scores[file.path], file.path))[: 8 * most]
        taken: list[WalkedFile] = []
        turns: Tally[str] = Tally()
        while left and len(taken) < most:
            best = max(left, key=lambda file: self.scores[file.path] - 0.7 * turns[file.path.rpartition("/")[0]])
            left.remove(best)
            taken.append(best)
            turns[best.path.rpartition("/")[0]] += 1
        return sorted(taken, key=lambda file: (-self.scores[file.path], file.path))

    def facts(self, files: Sequence[WalkedFile]) -> Iterator[str]:
        """Say what README and manifests say the folder is, and where its tests are."""
        here = {file.path[len(self.prefix) :]: file for file in files if "/" not in file.path[len(self.prefix) :]}
        manifests = self._manifests(here)
        if about := self._readme(here, surely=any(" - " in about for about in manifests.values())):
            yield about
        yield from (f"{shown_path(name)}: {about}" for name, about in manifests.items())
        places: Tally[str] = Tally()
        for file in files:
            if self.kinds[file.path] == TEST:
                places[place_of_tests(file.path[len(self.prefix) :])] += 1
        if places:
            named = [f"{shown_path(place)} ({count})" for place, count in places.most_common(MAX_TESTS)]
            yield f"tests: {', '.join(named)}{', ...' if len(places) > MAX_TESTS else ''}"

    def _manifests(self, here: Mapping[str, WalkedFile]) -> dict[str, str]:
        said = {name: _manifest(name, self._text(file)) for name, file in here.items() if is_manifest(name)}
        return {name: about for name, about in said.items() if about}

    def _readme(self, here: Mapping[str, WalkedFile], *, surely: bool) -> str:
        for name in sorted((name for name in here if name.lower().startswith("readme")), key=lambda n: "." not in n):
            if sentence := purpose(first_items(self._text(here[name])[:README_CHARS]), surely=surely):
                return f"{shown_path(name)}: {sentence}"
        return ""

    def folder_block(self, row: _Row, modules: Sequence[WalkedFile]) -> Block:
        inside = ((file.path[len(row.path) :], file) for file in row.files)
        here = {name: file for name, file in inside if "/" not in name}
        manifests = self._manifests(here).values()
        about = next((about for about in manifests if " - " in about), "")
        about = about or self._readme(here, surely=True).partition(": ")[2] or next(iter(manifests), "")
        said = f"{about and ': ' + clipped(about, MAX_DESCRIPTION)}\n"
        brief = f"{shown_path(row.name)}  {_languages(row.files)}{said}"
        shown = f", {len(modules)} shown" if 0 < len(modules) < len(row.files) else ""
        lines = [f"{shown_path(row.name)}  {_languages(row.files, shown)}{said}"]
        data: dict[str, object] = {"name": row.name, "kind": "folder", "files": len(row.files)}
        data |= {"languages": _tally(row.files), "description": about}
        if modules:
            folder, parts = _parts(self._sources(row), row.path)
            if parts:
                named = joined((f"{visible(name)} {count}" for name, count in parts.items()), MAX_PARTS)
                lines.append(f" folders of {shown_path(folder)}: {named}\n")
                data["folders"] = {folder + name: count for name, count in parts.items()}
            rows = [(file, *self._line(file, file.path[len(self.prefix) :])) for file in modules]
            lines += [f" {line}\n" for _, line, _ in rows]
            data["modules"] = [{"path": file.path, **facts} for file, _, facts in rows]
        return Block(tuple(dict.fromkeys(("".join(lines), brief))), data=data)

    def file_block(self, row: _Row) -> Block:
        line, data = self._line(row.files[0], row.name)
        return Block((line + "\n",), data={"name": row.name, "kind": "file", "bytes": row.files[0].size, **data})

    def _line(self, file: WalkedFile, name: str) -> tuple[str, dict[str, object]]:
        """Give a file's row, and its facts as data."""
        from indexer.outline import description_of
        from indexer.summary import summarize_text

        language = language_of(file.path)
        rare = language in self.rare
        parse = file.size <= self.budget and not rare
        if not parse and language is not None:
            self.not_counted.append(file.path)
        self.budget -= 0 if rare else min(file.size, self.budget)
        if file.size > MAX_PARSED_BYTES:
            return f"{shown_path(name)}  {counted(file.size, 'byte')}", {"bytes": file.size}
        try:
            text = self.project.read(self.project.resolve(file.path)).text
        except IndexerError as error:
            facts = {"bytes": file.size, "problem": error.category}
            return f"{shown_path(name)}  {error.category}, {counted(file.size, 'byte')}", facts
        shown = mask(text if parse else text[:HEAD_CHARS]).text
        summary = (
            FileSummary(file.path, None, description=description_of(shown), exact=False)
            if rare
            else summarize_text(file.path, shown)
        )
        data: dict[str, object] = {"lines": count_lines(text)}
        size = counted(count_lines(text), "line")
        if parse and summary.exact and summary.symbols:
            size += f", {counted(len(summary.symbols), 'symbol')}"
            data["symbols"] = len(summary.symbols)
        main: list[str] = []
        about = summary.description if is_prose(summary.description) else ""
        if not about and parse and summary.exact:
            main, about = _main_symbols(summary)
        if not summary.exact and self.kinds[file.path] == OTHER:
            about = ""
        data |= {"description": about, **({"main": main} if main else {})}
        said = " - ".join(filter(None, (", ".join(main), about)))
        return f"{shown_path(name)}  {size}{said and ': ' + clipped(visible(said), MAX_DESCRIPTION)}", data

    def _text(self, file: WalkedFile) -> str:
        """Give a small file's text without secrets; nothing of one that cannot be read."""
        with suppress(IndexerError):
            return mask(self.project.read(self.project.resolve(file.path)).text).text if file.size < 200_000 else ""
        return ""


def _main_symbols(summary: FileSummary) -> tuple[list[str], str]:
    """Tell what a file without a description is for: names of symbols, and what is said of the first.

    They are the one that the file is called after, else its largest types, else its largest functions for others.
    """
    if any(symbol.kind == SymbolKind.HEADING for symbol in summary.symbols[:1]):
        return [], ""
    modules = {s.qualified_name: s for s in summary.symbols if s.kind == SymbolKind.MODULE}
    if about := next((s.description for s in modules.values() if s.described and is_prose(s.description)), ""):
        return [], about
    inside = {symbol.qualified_name for symbol in summary.symbols} - modules.keys()
    outer = [s for s in summary.symbols if s.qualified_name not in modules and s.parent not in inside]
    types = [symbol for symbol in outer if symbol.kind in _TYPES]
    public = types or [symbol for symbol in outer if symbol.exported] or outer
    main = sorted(public, key=lambda symbol: symbol.start - symbol.end)
    namesake = _namesake(summary.path, outer)
    if namesake is not None:
        main = [namesake, *(symbol for symbol in main if symbol is not namesake)]
    main = main[: MAIN_TYPES if types else MAIN_FUNCTIONS]
    is_one = bool(types) or len(public) == 1 or namesake is not None  # else one function would stand for all
    said = next((s.description for s in main[:1] if is_one and s.described and is_prose(s.description)), "")
    named = [symbol.name if symbol.parent in modules else symbol.qualified_name for symbol in main]
    return list(dict.fromkeys(named[:1] if said else named)), said


def _namesake(path: str, symbols: Sequence[Symbol]) -> Symbol | None:
    """Find the symbol that a file is called after: rather a type, for others, large."""
    return max(
        (symbol for symbol in symbols if is_called_after(path, symbol.name)),
        key=lambda symbol: (symbol.kind in _TYPES, symbol.exported, symbol.end - symbol.start),
        default=None,
    )


def _parts(sources: Sequence[WalkedFile], folder: str) -> tuple[str, dict[str, int]]:
    """Give the first folder that has several, and the numbers of source files of each of these."""
    while True:
        inner = Tally(file.path[len(folder) :].partition("/")[0] for file in sources if "/" in file.path[len(folder) :])
        if len(inner) != 1 or inner.total() * 10 < len(sources) * 9:
            break
        folder += f"{next(iter(inner))}/"
    return folder, dict(inner.most_common()) if len(inner) > 1 else {}


def _tally(files: Sequence[WalkedFile]) -> dict[str, int]:
    """Count the files of each language, the most first."""
    languages = Tally(language.name for file in files if (language := language_of(file.path)) is not None)
    return dict(languages.most_common())


def _languages(files: Sequence[WalkedFile], shown: str = "") -> str:
    named = ", ".join(f"{name} {count}" for name, count in list(_tally(files).items())[:MAX_LANGUAGES])
    return counted(len(files), "file") + shown + (f": {named}" if named else "")


def _manifest(name: str, text: str) -> str:
    """Give what a manifest calls the thing, and the commands it installs; nothing where it cannot be read."""
    try:
        if name.endswith(".toml"):
            data = tomllib.loads(text)
            values = data.get("project") or data.get("package") or {}
        elif name.endswith(".json"):
            values = json.loads(text)
        else:
            patterns = next(patterns for end, patterns in _VALUES.items() if name.endswith(end))
            found = [re.search(pattern, text) for pattern in patterns]
            values = {key: each[1].strip() for key, each in zip(("name", "description"), found, strict=False) if each}
    except ValueError:
        return ""
    if not isinstance(values, dict):
        return ""
    said = " - ".join(values[key] for key in ("name", "description") if isinstance(values.get(key), str))
    commands = values.get("scripts") if name.endswith(".toml") else values.get("bin")
    entry = values.get("main") if isinstance(values.get("main"), str) else ""
    more = [f"entry {entry}"] if entry else []
    more += [f"commands {', '.join(commands)}"] if isinstance(commands, dict) and commands else []
    return visible("; ".join([said, *more] if said else more))
