"""Find lines by pattern: matches grouped by file and enclosing symbol, all of them counted."""

from __future__ import annotations

import re
import shutil
from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from codectx import progress
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call, Value
from codectx.errors import UserError, invalid_argument
from codectx.project import SECRET, Located, Project
from codectx.render import clipped, counted, joined, shown_path, visible
from codectx.tokens import whole_graphemes
from codectx.tool import HARD_MAX_TOKENS, Param, tool
from indexer.errors import IndexerError
from indexer.globs import GlobError, Globs, compile_globs
from indexer.grep import Found, Line, Match, Wanted
from indexer.grep import grep as search
from indexer.matching import Deadline, SearchTimeoutError
from indexer.model import Symbol
from indexer.regexes import Pattern, PatternError, compile_pattern, has_metacharacters
from indexer.secrets import mask
from indexer.tree import Skipped, WalkedFile

MAX_LINE = 300  # characters shown of a line
_BEFORE_MATCH = 100  # of these, at most so many before the match
_MIN_TOKENS = 4  # that a match costs at least
_CHARS_PER_TOKEN = 3  # of code, rather too few: an answer never needs more matches than that gives
MAX_PARSED_FILE = 256 * 1024  # bytes; matches in larger files are shown without their symbols
MAX_PARSED = 1_000_000  # bytes of all files of one answer (about 1 s CPU); likewise
MAX_PATTERN = 80  # characters of the pattern, in the header
MAX_FOLDERS = 40  # names of files with further matches; if there are more, folders are named
_BREAK = re.compile(r"\n|\\n")
_HINT_SECONDS = 0.5  # a search that took longer is not repeated to find a better call


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hold the arguments of a call."""

    pattern: str
    path: str
    glob: str
    context: int
    ignore_case: bool
    fixed: bool
    max_results: int | None
    after: str

    def call(self, **changes: Value) -> Call:
        """Give the call with other arguments; those with their default values are left out."""
        values: dict[str, Value] = {name: getattr(self, name) for name in self.__slots__} | changes
        defaults: dict[str, Value] = {"path": "."}
        return Call("grep", {n: v for n, v in values.items() if v and v != defaults.get(n)})


@dataclass(frozen=True, slots=True)
class _Scope:
    """Hold the files to search, and what else there is that is not searched."""

    files: tuple[WalkedFile, ...]
    skipped: tuple[Skipped, ...]


def grep(
    project: Project,
    pattern: Annotated[str, Param("Regex, matched line by line", min_length=1, max_length=1000)],
    path: Annotated[str, Param("File or folder")] = ".",
    glob: Annotated[str, Param("*.py,!tests/**")] = "",
    context: Annotated[int, Param("Lines around each match", minimum=0, maximum=20)] = 0,
    ignore_case: bool = False,
    fixed: Annotated[bool, Param("Literal text")] = False,
    max_results: Annotated[int | None, Param(minimum=1)] = None,
    after: Annotated[str, Param("Continue after path:line")] = "",
) -> Answer:
    """Which lines match this regex? Every match is counted, grouped by file and enclosing symbol."""
    located = project.resolve(path)
    if located.absolute.is_file():
        project.file(path)  # refuses secret files
    asked = _Asked(pattern, located.path, glob, context, ignore_case, fixed, max_results, after)
    compiled = _compiled(asked)
    after_path, after_line = _cursor(after)
    scope = _scope(project, located, _globs(glob))
    wanted = Wanted(
        min(max_results or HARD_MAX_TOKENS, HARD_MAX_TOKENS // _MIN_TOKENS),
        HARD_MAX_TOKENS * _CHARS_PER_TOKEN,
        MAX_LINE,
        after_path,
        after_line,
        context,
    )
    deadline = Deadline(project.config.grep_seconds, progress.check)
    try:
        found = _search(project, scope, compiled, wanted, deadline)
    except SearchTimeoutError as error:
        raise UserError("timeout", str(error), _simpler(asked)) from None
    if located.absolute.is_file() and (found.binary or found.unreadable):
        project.read(located)  # says what is wrong with the one file that was asked for
    if found.total == 0:
        return _nothing(project, asked, scope, found, deadline)
    return _answer(project, asked, scope, found)


def _compiled(asked: _Asked) -> Pattern:
    try:
        return compile_pattern(asked.pattern, fixed=asked.fixed, ignore_case=asked.ignore_case)
    except PatternError as error:
        shown = clipped(asked.pattern, 60)
        raise invalid_argument(f'pattern "{shown}": {error}', "fixed=true takes it as literal text") from None


def _globs(glob: str) -> Globs | None:
    try:
        return compile_globs(glob) if glob.strip() else None
    except GlobError as error:
        raise invalid_argument(
            f"glob: {error}", "it takes *.py, src/**/*.ts or !tests/**, several with commas"
        ) from None


def _shown(pattern: str) -> str:
    """Quote a pattern as it is; a long one is clipped."""
    return (
        visible(pattern)
        if len(pattern) <= MAX_PATTERN and "\n" not in pattern
        else clipped(visible(pattern), MAX_PATTERN)
    )


def _cursor(after: str) -> tuple[str, int]:
    """Read where to go on: behind a line of a file."""
    path, colon, line = after.rpartition(":")
    if after and not (colon and path and line.isdecimal() and len(line) < 12):
        raise invalid_argument(f"after is {clipped(after, 60)}", "it takes path:line, as the last answer gave it")
    return path, int(line or 0)


def _scope(project: Project, located: Located, globs: Globs | None) -> _Scope:
    walked = project.walk(located.path)
    if globs is None:
        return _Scope(walked.files, walked.skipped)
    base = "" if located.path == "." else located.path
    files = tuple(file for file in walked.files if globs.take(file.path, base))
    return _Scope(files, tuple(entry for entry in walked.skipped if globs.take(entry.path, base)))


def _search(project: Project, scope: _Scope, pattern: Pattern, wanted: Wanted, deadline: Deadline) -> Found:
    rg = _ripgrep(project.root)
    return search(project.root, scope.files, pattern, wanted, deadline, rg=rg, roots=project.roots)


def _ripgrep(root: Path) -> Path | None:
    """Give ripgrep's place, unless it is the project's own."""
    found = shutil.which("rg")
    if found is None or not Path(found).is_absolute():
        return None
    return None if Path(found).resolve().is_relative_to(root) else Path(found)


def _simpler(asked: _Asked) -> str:
    simpler = "a literal part of it with fixed=true, " if has_metacharacters(asked.pattern) and not asked.fixed else ""
    return f"try {simpler}a simpler pattern, or a narrower path or glob"


def _answer(project: Project, asked: _Asked, scope: _Scope, found: Found) -> Answer:
    enclosing = _enclosing(project, scope.files, found.matches)
    blocks, masked = _blocks(found.matches, enclosing)
    left = found.total - found.passed
    numbers = f"{counted(found.total, 'match')} in {counted(len(found.counts), 'file')}"
    head = f'grep "{_shown(asked.pattern)}": {numbers}'
    if asked.after:
        head += f"; {left} after {shown_path(asked.after)}"

    def frame(shown: Shown) -> Frame:
        matches = found.matches[: shown.blocks + shown.short]
        last = f"{matches[-1].path}:{matches[-1].line}" if matches else asked.after
        lines = [line for match in matches for line in masked.get((match.path, match.line), ())]
        notices = (f"masked: likely secrets in {joined(dict.fromkeys(lines), 60)}",) if lines else ()
        beyond = () if shown.whole else _beyond(found.counts, matches[-1].path if matches else "")
        return Frame(head, len(matches), left, "matches", asked.call(after=last), beyond, notices=notices)

    return Answer(
        blocks,
        frame,
        notices=_not_searched(scope, found),
        data={"pattern": asked.pattern, "total_matches": found.total, "total_files": len(found.counts)},
        items="matches",
        complete=len(found.matches) == left,
        total_chars=max(sum(len(block.forms[0]) for block in blocks), left * 40),
    )


def _beyond(counts: Sequence[tuple[str, int]], path: str) -> tuple[str, ...]:
    """Name the files after ``path`` with their numbers of matches; their folders where these are too many."""
    rest = [(name, count) for name, count in counts if name > path]
    for depth in (100, 4, 3, 2, 1):
        tally: Tally[str] = Tally()
        for name, count in rest:
            parts = name.split("/")
            tally[name if len(parts) <= depth else "/".join(parts[:depth]) + "/"] += count
        if len(tally) <= MAX_FOLDERS:
            break
    return tuple(f"{shown_path(name)} {count}" for name, count in tally.items())


def _not_searched(scope: _Scope, found: Found) -> tuple[str, ...]:
    secret = [entry.path for entry in scope.skipped if entry.detail == SECRET]
    unreadable = [entry.path for entry in scope.skipped if entry.reason == "unreadable" and entry.detail != SECRET]
    other = [entry.path for entry in scope.skipped if entry.reason == "unsupported"]
    told = []
    if found.binary:
        names = f" ({', '.join(found.binary)})" if len(found.binary) == 1 else ""
        told.append(counted(len(found.binary), "binary file") + names)
    if secret:
        told.append(f"{counted(len(secret), 'secret file')} ({joined(map(shown_path, secret), 40)})")
    if unreadable or found.unreadable:
        told.append(f"unreadable: {joined(map(shown_path, (*unreadable, *found.unreadable)), 40)}")
    if other:
        told.append(f"unsupported: {joined(map(shown_path, other), 40)}")
    return (f"not searched: {', '.join(told)}",) if told else ()


def _enclosing(
    project: Project, files: Sequence[WalkedFile], matches: Sequence[Match]
) -> Mapping[str, Sequence[Symbol]]:
    """Give the symbols of the files with matches, as far as these may be parsed for one answer."""
    sizes = {file.path: file.size for file in files}
    symbols: dict[str, Sequence[Symbol]] = {}
    budget = MAX_PARSED
    for path in dict.fromkeys(match.path for match in matches):
        progress.check()
        if sizes[path] > min(budget, MAX_PARSED_FILE):
            continue
        budget -= sizes[path]
        try:
            text = mask(project.read(project.resolve(path)).text).text  # a heading or a name may hold one
        except IndexerError:
            continue  # gone since the search; the match is still worth showing
        symbols[path] = _symbols(path, text)
    return symbols


@lru_cache(maxsize=128)
def _symbols(path: str, text: str) -> Sequence[Symbol]:
    """Give the symbols that can enclose a line; remembered, as pages and searches come back to the same files."""
    from indexer.summary import symbols_of

    return tuple(symbol for symbol in symbols_of(path, text) if symbol.end > symbol.start)


def _blocks(
    matches: Sequence[Match], enclosing: Mapping[str, Sequence[Symbol]]
) -> tuple[list[Block], Mapping[tuple[str, int], Sequence[str]]]:
    """Make a block for each match, and give the addresses of masked lines by match."""
    blocks: list[Block] = []
    masked: dict[tuple[str, int], list[str]] = {}
    previous: Match | None = None
    outer: Symbol | None = None
    for n, match in enumerate(matches):
        following = matches[n + 1] if n + 1 < len(matches) else None
        shown, lines = _masked(match)
        inside = [s for s in enclosing.get(match.path, ()) if s.start <= match.line <= s.end]
        symbol = min(inside, key=lambda s: s.end - s.start, default=None)
        new_file = previous is None or previous.path != match.path
        heads = [shown_path(match.path)] if new_file else []
        if symbol is not None and (new_file or symbol != outer):
            heads.append(f" {symbol.qualified_name} {symbol.start}-{symbol.end}")
        elif symbol is None and not new_file and outer is not None:
            heads.append(" (top level)")
        first = min(previous.lines[-1].number + 1, match.line) if previous and not new_file else 0
        end = following.line if following and following.path == match.path else shown[-1].number + 1
        around = [line for line in shown if line.number == match.line or first <= line.number < end]
        hidden = [f"{shown_path(match.path)}:{line.number}" for line in around if line.number in lines]
        if hidden:
            masked[match.path, match.line] = hidden
        blocks.append(_block(match, heads, around, symbol))
        if n == 0 and len(around) > 1:  # a page must hold its first match, whatever is around that
            own = [line for line in around if line.number == match.line]
            blocks[0] = replace(blocks[0], forms=(*blocks[0].forms, *_block(match, heads, own, symbol).forms))
        previous, outer = match, symbol
    return blocks, masked


def _masked(match: Match) -> tuple[Sequence[Line], Sequence[int]]:
    """Mask likely secrets in a match's lines; also give the numbers of the lines where there were any."""
    text = "\n".join(line.text for line in match.lines)
    first = match.lines[0].number
    done = mask(match.lead + text, first - match.lead.count("\n"))
    lines = [number for number in done.lines if number >= first]
    if not lines:
        return match.lines, ()
    texts = done.text.split("\n")[-len(match.lines) :]
    return [replace(line, text=text) for line, text in zip(match.lines, texts, strict=True)], lines


def _block(match: Match, heads: Sequence[str], lines: Sequence[Line], symbol: Symbol | None) -> Block:
    texts: dict[int, str] = {}
    shown = list(heads)
    offset = 0
    for line in lines:
        start = match.start if line.number == match.line else 0
        texts[line.number], begin, is_clipped = _clipped(line, start)
        text = visible(texts[line.number])
        if line.number == match.line:
            offset = line.offset + begin
            address = f" [{shown_path(match.path)}:{match.line}@{offset}]" if is_clipped else ""
            shown.append(f"  {line.number}: {text}{address}")
        else:
            shown.append(f"  {line.number}- {text}")
    data: dict[str, Any] = {
        "path": match.path,
        "line": match.line,
        "text": texts[match.line],
        "symbol": symbol.qualified_name if symbol else None,
        **({"offset": offset} if offset else {}),
    }
    if len(texts) > 1:
        data["context"] = {str(number): text for number, text in texts.items() if number != match.line}
    return Block(("".join(f"{line}\n" for line in shown),), data=data)


def _clipped(line: Line, match: int) -> tuple[str, int, bool]:
    """Give what is shown of a line, where that begins in its text, and whether it is not the whole line."""
    text = line.text
    if len(text) <= MAX_LINE and not line.offset and not line.more:
        return text, 0, False
    begin = whole_graphemes(text, max(0, min(match - _BEFORE_MATCH, len(text) - MAX_LINE)))
    end = whole_graphemes(text, begin + MAX_LINE)
    before = "..." if begin or line.offset else ""
    after = "..." if end < len(text) or line.more else ""
    return f"{before}{text[begin:end]}{after}", begin, True


def _nothing(project: Project, asked: _Asked, scope: _Scope, found: Found, deadline: Deadline) -> Answer:
    head = f'no match for "{_shown(asked.pattern)}" in {counted(found.files, "file")}'
    head += f" under {shown_path(asked.path)}" if asked.path != "." else ""
    better = _better(project, asked, deadline) if deadline.seconds - deadline.left() < _HINT_SECONDS else None
    notices = [*_not_searched(scope, found)]
    if not scope.files:
        notices.append(
            "no file to search: " + ("the glob fits none" if asked.glob else "they are ignored, or there is none")
        )
    if _BREAK.search(asked.pattern):
        notices.append("a pattern is matched line by line, so no line break matches")
    if better is not None:
        call, total = better
        notices.append(f"try: {call} ({counted(total, 'match')})")
    data = {"pattern": asked.pattern, "total_matches": 0, "total_files": 0}
    return Answer((), lambda _: Frame(head), notices=tuple(notices), data=data, items="matches", found=False)


def _better(project: Project, asked: _Asked, deadline: Deadline) -> tuple[Call, int] | None:
    """Find a call that does find something: of other case, literal, or everywhere."""
    changes: list[dict[str, Any]] = []
    if not asked.ignore_case:
        changes.append({"ignore_case": True})
    if not asked.fixed and has_metacharacters(asked.pattern):
        changes.append({"fixed": True})
    if asked.path != "." or asked.glob:
        changes.append({"path": ".", "glob": ""})
    for change in changes:
        other = replace(asked, after="", **change)
        try:
            scope = _scope(project, project.resolve(other.path), _globs(other.glob))
            total = _search(project, scope, _compiled(other), Wanted(0, 0), deadline).total
        except SearchTimeoutError:
            return None
        if total:
            return other.call(), total
    return None


TOOL = tool(grep, title="Search text", limit=3000)
