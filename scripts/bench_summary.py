#!/usr/bin/env python3
"""Measure what summaries cost and keep, over all files with a grammar in some repositories.

    python scripts/bench_summary.py DIR... [--sample N] [--seed S] [--language L] [--repeat R] [--json OUT]

Each DIR is a project root. Prints tokens of the summary (all pages, as the product answers them) against tokens of the
source, by size and language; how many of the called names and of the descriptions that the file has are in it; what
reading one function by name costs against its lines; CPU of summarising against only parsing the same files; and how
long a running server takes for files of about 1,000 lines. --sample takes at most N files of each language and size,
chosen by --seed.
"""

import argparse
import gc
import json
import os
import random
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

from bench_read import Server
from chaos.actors import START
from witness.files import head, read, walk

from codectx.call import parse_call
from codectx.cli import GARBAGE
from codectx.config import Config
from codectx.dispatch import answer_call
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tools import load
from indexer.languages import LANGUAGES, language_of
from indexer.model import FileSummary, Symbol, SymbolKind
from indexer.summary import summarize_text

ABOVE = "^"  # among calls: all that the last row above which lists its own without this mark shows
HEADING = re.compile(r" *in [^:]*:")  # that says what the rows below stand in
CALLS = re.compile(r".*[ )]> (.*)")  # of a row
SIZES = {"1-99": (1, 99), "100-400": (100, 400), "401-1000": (401, 1000), "over 1000": (1001, 10**9)}
CALLABLE = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROCEDURE))
BEGUN = 40  # characters of a description that must stand in the summary for it to count as there
CPU_TARGET = 2.2  # CPU of summarising over CPU of parsing
THOUSAND = (900, 1100)  # lines of the files that stand for one of 1,000 lines
FUNCTIONS_A_FILE = 2  # read by name
LEAST_LINES = 5  # of a function that is worth reading by name; shorter ones are told by their length
FUNCTION_LINES = {"2-4": (2, 4), "5-9": (5, 9), "10-19": (10, 19), "20-": (20, 10**9), "5-": (LEAST_LINES, 10**9)}
MAX_PAGES = 200
QUIET = 50  # ms CPU in a second, of a server that has nothing to do
SETTLE = 120  # seconds after which it is not waited for any longer
TOOL = {name: load(name) for name in ("summarize", "read_lines")}  # their next calls are to one another
FIRST = {name: tool.parameters[0].name for name, tool in TOOL.items()}
GRAMMARS = {language.name: language.grammar for language in LANGUAGES}
COUNTER = Counter()


class RefusedError(Exception):
    """Report that the product answered a call with an error."""


@dataclass(frozen=True, slots=True)
class Source:
    """Hold one file to measure."""

    root: Path
    path: str
    language: str
    text: str
    lines: int

    @property
    def size(self) -> str:
        return next(name for name, (low, high) in SIZES.items() if low <= self.lines <= high)

    @property
    def is_thousand(self) -> bool:
        return THOUSAND[0] <= self.lines <= THOUSAND[1]


@dataclass(slots=True)
class Measured:
    """Hold what the summary of one file costs and keeps."""

    place: str
    language: str
    size: str
    source: int
    summary: int
    pages: int
    is_source: bool  # the file itself was shorter
    calls: int  # called names, counted for each function
    calls_in_row: int  # of them in the row of that function
    names: int  # called names, counted once a file
    names_in_text: int
    described: int
    descriptions_in_text: int
    descriptions_whole: int

    @property
    def ratio(self) -> float:
        return self.summary / self.source


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, metavar="N", help="at most N files of each language and size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", action="append", metavar="L")
    parser.add_argument("--repeat", type=int, default=3, metavar="R", help="measurements of CPU, the least counts")
    parser.add_argument("--worst", type=int, default=3, metavar="N", help="files shown whose summaries are dearest")
    parser.add_argument("--json", type=Path, metavar="OUT")
    given = parser.parse_args()
    gc.set_threshold(GARBAGE)  # as the command line does
    chosen = random.Random(given.seed)
    files = sampled(list(sources(given.folders, given.language)), given.sample, chosen)
    if not files:
        print("no file with a grammar", file=sys.stderr)
        return 2
    rows, left_out, reads, refused = [], [], [], []
    for source in files:
        summary = summarize_text(source.path, source.text)
        if not summary.exact:
            left_out.append(f"{source.path}: {summary.problems[0].message if summary.problems else 'no grammar'}")
            continue
        project = Project(source.root, Config())
        rows.append(measure(project, source, summary))
        reads += list(read_functions(project, source, summary, chosen, refused))
    report = [*tokens(rows), *dearest(rows, given.worst), *kept(rows), *by_name(reads), *cpu(files, given.repeat)]
    print("\n".join([*report, *in_server(files, given.repeat)]))
    if refused:
        print(f"\nfunctions that cannot be read by name: {len(refused)}")
        print("".join(f"  {each}\n" for each in refused[:5]), end="")
    if left_out:
        print(f"\nnot parsed, so not measured: {len(left_out)}; {'; '.join(left_out[:5])}")
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    return 0


def sources(folders: Sequence[Path], languages: Sequence[str] | None) -> Iterator[Source]:
    """Give the files that have a grammar and any content."""
    for folder in folders:
        root = folder.resolve()
        for path in walk(root):
            language = language_of(path, head(root / path))
            if language is None or not language.grammar or (languages and language.name not in languages):
                continue
            text = read(root, path)
            if text and text.strip():
                yield Source(root, path, language.name, text, text.count("\n") + (not text.endswith("\n")))


def sampled(files: list[Source], most: int | None, chosen: random.Random) -> list[Source]:
    """Give at most ``most`` files of each language and size."""
    if most is None:
        return files
    groups: defaultdict[tuple[str, str], list[Source]] = defaultdict(list)
    for source in files:
        groups[source.language, source.size].append(source)
    return [each for group in groups.values() for each in chosen.sample(group, min(most, len(group)))]


def pages(project: Project, tool: str, arguments: dict[str, object]) -> list[str]:
    """Answer a call and follow its next calls to the end."""
    answers = []
    while len(answers) < MAX_PAGES:
        reply = answer_call(project, TOOL[tool], arguments)
        if reply.is_error:
            raise RefusedError(f"{tool} {arguments}: {reply.text}")
        answers.append(reply.text)
        cut = next((line for line in reversed(reply.text.rstrip("\n").split("\n")) if line.startswith("[cut: ")), "")
        if " next: " not in cut:
            return answers
        call = parse_call(cut.partition(" next: ")[2].removesuffix("]"), FIRST)
        tool, arguments = call.tool, dict(call.arguments)
    raise RefusedError(f"{tool} {arguments}: more than {MAX_PAGES} pages")


def measure(project: Project, source: Source, summary: FileSummary) -> Measured:
    """Count tokens of one file and its summary, and what the summary keeps."""
    answers = pages(project, "summarize", {"path": source.path})
    text = "\n".join(answers)
    is_source = not text.startswith(f"{source.path} (")
    names = {name for symbol in summary.symbols for name in symbol.calls}
    described = [" ".join(symbol.description.split()) for symbol in summary.symbols if symbol.described]
    flat = " ".join(text.split())
    calls = sum(len(symbol.calls) for symbol in summary.symbols)
    everything = len(names), len(described), len(described)
    in_text = (
        sum(stands(name, text) for name in names),
        sum(d[:BEGUN] in flat for d in described),
        sum(d in flat for d in described),
    )
    shown = everything if is_source else in_text
    return Measured(
        f"{source.root.name}/{source.path}",
        source.language,
        source.size,
        max(1, COUNTER.count(source.text)),
        sum(COUNTER.count(answer) for answer in answers),
        len(answers),
        is_source,
        calls,
        calls if is_source else calls_in_rows(summary.symbols, text.split("\n")),
        len(names),
        shown[0],
        len(described),
        shown[1],
        shown[2],
    )


def stands(name: str, text: str) -> bool:
    """Tell whether a called name stands in a text as a whole, or as a row may write it (see ``short``)."""
    forms = "|".join(re.escape(form) for form in {name, short(name)})
    return re.search(rf"(?<![\w$.])(?:{forms})(?![\w$])", text) is not None


def calls_in_rows(symbols: Sequence[Symbol], lines: Sequence[str]) -> int:
    """Count the called names that stand in the row of the function that calls them; rows follow the symbols' order."""
    found, at = 0, 0
    above: frozenset[str] = frozenset()
    for symbol in symbols:
        opening = f"{symbol.start} " if symbol.start == symbol.end else f"{symbol.start}-{symbol.end} "
        row = next((n for n in range(at, len(lines)) if lines[n].lstrip(" ").startswith(opening)), None)
        if row is None:
            continue  # its row is missing, and so are its calls
        if not all(HEADING.fullmatch(line) for line in lines[at:row]):
            above = frozenset()  # something else stands between, as where a page begins: a mark is worth nothing there
        calls = CALLS.match(lines[row])
        names = frozenset(calls[1].split(" ")) if calls else frozenset()
        if ABOVE in names:
            names |= above
        elif names:
            above = names
        at = row + 1
        found += sum(name in names or short(name) in names for name in symbol.calls)
    return found


def short(name: str) -> str:
    """Give a call of a method of the own object as rows may write it: ``.save`` for ``self.save``."""
    return re.sub(r"^(?:self|this|\$this)(?=\.|->)", "", name)


def read_functions(
    project: Project, source: Source, summary: FileSummary, chosen: random.Random, refused: list[str]
) -> Iterator[tuple[str, int, float]]:
    """Read some functions by name; give language, lines, and tokens of the answers / tokens of these lines."""
    lines = source.text.split("\n")
    functions = [symbol for symbol in summary.symbols if symbol.kind in CALLABLE and symbol.end > symbol.start]
    for symbol in chosen.sample(functions, min(FUNCTIONS_A_FILE, len(functions))):
        try:
            answers = pages(project, "read_lines", {"path": f"{source.path}#{symbol.qualified_name}"})
        except RefusedError as error:
            refused.append(str(error))
            continue
        if not re.match(rf"(?:{re.escape(source.path)}:|lines ){symbol.start}-", answers[0]):
            continue  # another definition of that name is longer
        own = COUNTER.count("\n".join(lines[symbol.start - 1 : symbol.end]) + "\n")
        yield source.language, symbol.end - symbol.start + 1, sum(map(COUNTER.count, answers)) / max(1, own)


def quartiles(values: Sequence[float]) -> str:
    """Write median and quartiles of shares."""
    if not values:
        return f"{'-':>7}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return f"{middle:7.3f}  ({low:.3f} to {high:.3f})"


def tokens(rows: Sequence[Measured]) -> Iterator[str]:
    """Report tokens of summaries over tokens of sources."""
    yield "tokens of the summary / tokens of the source: median (quartiles)"
    yield f"  {'language':12}{'lines':>11}{'files':>7}  {'ratio':24}{'sum/sum':>9}{'pages':>7}{'source shown':>14}"
    languages = sorted({row.language for row in rows})
    for language in ["all", *languages]:
        for size in SIZES:
            group = [row for row in rows if row.size == size and language in ("all", row.language)]
            if group:
                total = sum(row.summary for row in group) / sum(row.source for row in group)
                page_mean = statistics.mean(row.pages for row in group)
                shown = sum(row.is_source for row in group)
                ratios = quartiles([row.ratio for row in group])
                yield f"  {language:12}{size:>11}{len(group):7}  {ratios:24}{total:9.3f}{page_mean:7.1f}{shown:14}"


def dearest(rows: Sequence[Measured], most: int) -> Iterator[str]:
    """Report the files of each size whose summaries cost most for what they summarise."""
    longer = [row for row in rows if row.summary > row.source]
    yield f"\nsummaries with more tokens than their source, header included: {len(longer)} of {len(rows)} files"
    for size in SIZES:
        for row in sorted((row for row in rows if row.size == size), key=lambda row: -row.ratio)[:most]:
            yield f"  {size:>11}  {row.ratio:.3f}  {row.summary}/{row.source}  {row.place}"


def kept(rows: Sequence[Measured]) -> Iterator[str]:
    """Report how much of calls and descriptions is in the summaries."""
    yield "\nin the summary: called names of the file; calls in their function's row; descriptions (begun; whole)"
    for language in ["all", *sorted({row.language for row in rows})]:
        group = [row for row in rows if language in ("all", row.language)]
        parts = []
        for name, part, of in (
            ("names", "names_in_text", "names"),
            ("calls", "calls_in_row", "calls"),
            ("descriptions", "descriptions_in_text", "described"),
            ("whole", "descriptions_whole", "described"),
        ):
            total = sum(getattr(row, of) for row in group)
            share = f"{100 * sum(getattr(row, part) for row in group) / total:6.2f}%" if total else f"{'-':>7}"
            parts.append(f"{name} {share} of {total:6}")
        yield f"  {language:12}{'   '.join(parts)}"


def by_name(reads: Sequence[tuple[str, int, float]]) -> Iterator[str]:
    """Report what reading one function by name costs, by its length, and by language from 5 lines on."""
    yield "\nread_lines path#name: tokens of the answer / tokens of the function's lines: median (quartiles), mean"
    for name, (low, high) in FUNCTION_LINES.items():
        yield _named(f"{name} lines", [ratio for _, lines, ratio in reads if low <= lines <= high])
    for language in sorted({language for language, _, _ in reads}):
        yield _named(language, [ratio for each, lines, ratio in reads if each == language and lines >= LEAST_LINES])


def _named(title: str, values: Sequence[float]) -> str:
    mean = f"{statistics.mean(values):7.3f}" if values else f"{'-':>7}"
    return f"  {title:14}{len(values):6} functions {quartiles(values)} {mean}"


def cpu(files: Sequence[Source], repeat: int) -> Iterator[str]:
    """Report CPU of summarising over CPU of only parsing, and the time for files of about 1,000 lines."""
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    parsers = {name: Parser(get_language(GRAMMARS[name])) for name in {source.language for source in files}}
    spent: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for source in files:
        data, parser = source.text.encode("utf-8", "replace"), parsers[source.language]
        parsing, summarising = [], []
        for _ in range(repeat):
            started = time.process_time()
            parser.parse(data)
            parsed = time.process_time()
            summarize_text(source.path, source.text)
            summarising.append(time.process_time() - parsed)
            parsing.append(parsed - started)
        for name in (source.language, "all"):
            spent[name][0] += min(parsing)
            spent[name][1] += min(summarising)
    yield f"\nCPU of summarising / CPU of only parsing (target <= {CPU_TARGET})"
    for name, (parsing_time, summary_time) in sorted(spent.items()):
        yield f"  {name:12}{summary_time / parsing_time:7.2f}   ({summary_time:.2f} s / {parsing_time:.2f} s)"


def in_server(files: Sequence[Source], repeat: int) -> Iterator[str]:
    """Report how long a client waits for summaries of files of about 1,000 lines, once the grammars are loaded.

    A server keeps what it made of the last file, as the next call is often about that: another comes between.
    """
    thousands = [source for source in files if source.is_thousand]
    others = {source.root: source.path for source in files if not source.is_thousand}
    first: list[float] = []
    again: list[float] = []
    for root in sorted({source.root for source in thousands} & others.keys()):
        with Server([sys.executable, "-P", "-c", START], root, os.environ | {"CODECTX_EMBEDDER": "none"}) as server:
            before, deadline = -1.0, time.monotonic() + SETTLE
            while server.cpu() - before > QUIET and time.monotonic() < deadline:  # it brings an index up to date
                before = server.cpu()
                time.sleep(1)
            for source in (source for source in thousands if source.root == root):
                waits = []
                for _ in range(4 * repeat):
                    server.call("summarize", path=others[root])
                    waits.append([_wait(server, source.path), _wait(server, source.path)])
                for kind, values in zip((first, again), zip(*waits, strict=True), strict=True):
                    kind.append(statistics.median(values))
    if first:
        ends = f"{statistics.median(first):.1f} ms at the client, {statistics.median(again):.1f} ms if asked again"
        yield f"\nsummarize in a running server, p50 of {len(first)} files of {THOUSAND[0]}-{THOUSAND[1]} lines: {ends}"


def _wait(server: Server, path: str) -> float:
    started = time.perf_counter()
    server.call("summarize", path=path)
    return 1000 * (time.perf_counter() - started)


if __name__ == "__main__":
    sys.exit(main())
