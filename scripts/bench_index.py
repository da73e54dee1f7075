#!/usr/bin/env python3
"""Measure what an index costs: to build against parsing, on disk against the source, and to ask.

    python scripts/bench_index.py DIR... [--queries N] [--chunks N] [--no-large] [--ratios]

Each DIR is a project root. For each: CPU of indexing it from nothing, libraries already loaded, against only parsing
the same files with tree-sitter in the same run, three times by turns, of which the medians count. `code s` is the
parsing of what the product parses by a grammar, `docs s` that of documents and data (Markdown, HTML, JSON and the like)
by the grammars of tree-sitter's language pack, which the product does without. Both are parsing of the same files:
`ratio` is the indexing against their sum, `/ code` against the former alone though all files are indexed. What has no
grammar at all is indexed and not parsed.

Then bytes of the index, with vectors of 384 numbers for every chunk, against those of the source; wall time and CPU of
`codectx index` and of a cold `codectx semantic-search`. Then all of them become one tree, over and over until it has
--chunks chunks, and questions are asked: inside this process, and over MCP by a client. The vectors are random numbers,
which nothing can compress: only their size is measured.
"""

import argparse
import gc
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from chaos.actors import START

from codectx.cli import GARBAGE
from codectx.config import Config
from codectx.dispatch import answer_call
from codectx.keeper import Keeper
from codectx.project import Project
from codectx.tools import load
from indexer.languages import Language

COMMAND = [sys.executable, "-P", "-c", START]
SEARCH = load("semantic_search")
WORDS_ONLY = Config(embedder="none")
DIMENSION = 384
DOCUMENTS = {  # grammars of documents and data, by the ends of files' names
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".rst": "rst", ".html": "html", ".htm": "html",
    ".css": "css", ".scss": "scss", ".json": "json", ".yml": "yaml", ".yaml": "yaml", ".toml": "toml", ".xml": "xml",
    ".cmake": "cmake", ".ini": "ini", ".cfg": "ini", ".properties": "properties", ".pl": "perl", ".pm": "perl",
    ".heex": "heex", ".twig": "twig", "Dockerfile": "dockerfile", "Makefile": "make", ".mk": "make",
}  # fmt: skip
WORDS = (
    "parse request", "close connection", "read configuration file", "error handling", "write response headers",
    "where is the cache cleared", "create a new session", "validate user input", "encode string to bytes",
    "how are routes matched", "convert type to json", "timeout of a socket", "log a warning message",
    "default options", "iterate over children", "register a plugin", "compare two versions", "lazy loading",
    "retry after failure", "split path into parts", "关闭连接", "解析请求", "缓存在哪里清空",
)  # fmt: skip


def main() -> int:
    gc.set_threshold(GARBAGE)  # as the command line does
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--no-large", action="store_true", help="leave out the large tree")
    parser.add_argument("--ratios", action="store_true", help="only the ratios of CPU and bytes: no other process")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = str(Path(work) / "cache")
        os.environ["CODECTX_EMBEDDER"] = "none"
        _warm(Path(work))
        print(f"{'project':20}{'files':>7}{'chunks':>8}{'code s':>8}{'docs s':>8}{'index s':>9}{'ratio':>7}"
              f"{'/ code':>8}{'bytes':>7}{'+vectors':>9}{'index wall':>11}{'again':>7}{'search CPU':>11}")  # fmt: skip
        ratios = [_measured(folder.resolve(), Path(work), only=given.ratios) for folder in given.folders]
        same, code = map(statistics.median, zip(*ratios, strict=True))
        print(f"median ratio of CPU {same:.2f} (target <= 4); against the parsing of code alone {code:.2f}")
        if not (given.no_large or given.ratios):
            _large([folder.resolve() for folder in given.folders], Path(work), given.chunks, given.queries)
    return 0


def _warm(work: Path) -> None:
    """Load every library, so that no project pays for them."""
    small = work / "warm"
    small.mkdir()
    (small / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    project = Project(small, Config())
    project.index.sync(project.index.walk())
    project.index.live.load()


def _measured(folder: Path, work: Path, *, only: bool) -> tuple[float, float]:
    shutil.rmtree(work / "cache", ignore_errors=True)
    project = Project(folder, Config())
    paths = [file.path for file in project.index.walk().files if _is_indexed(file.path, file.size)]
    texts = list(_texts(project, paths))
    for text in texts:
        _parsed(text)  # so that every grammar is loaded
    code, docs, build = [], [], []
    for _ in range(3):
        code.append(_parse_cpu([text for text in texts if text.is_code]))
        docs.append(_parse_cpu([text for text in texts if not text.is_code]))
        shutil.rmtree(work / "cache", ignore_errors=True)
        project = Project(folder, Config())
        begun = time.process_time()
        report = project.index.sync(project.index.walk())
        build.append(time.process_time() - begun)
    size = sum(len(project.index.read(path)) for path in paths)
    words_only = _size(work / "cache")
    _add_vectors(project)
    with_vectors = _size(work / "cache")
    of_code, of_docs, built = map(statistics.median, (code, docs, build))
    same, alone = built / (of_code + of_docs), built / of_code
    print(f"{folder.name[:19]:20}{len(report.manifest.files):7}{report.chunks:8}{of_code:8.2f}{of_docs:8.2f}"
          f"{built:9.2f}{same:7.2f}{alone:8.2f}{words_only / size:7.2f}{with_vectors / size:9.2f}", end="")  # fmt: skip
    if not only:
        shutil.rmtree(work / "cache", ignore_errors=True)
        first = _command(["index", str(folder), "--quiet"])
        again = _command(["index", str(folder), "--quiet"])
        search = _command(["semantic-search", "--root", str(folder), WORDS[0]])
        print(f"{first[0]:10.1f}s{again[1]:6.2f}s{search[1]:10.2f}s", end="")
    print(flush=True)
    return same, alone


def _is_indexed(path: str, size: int) -> bool:
    from indexer.indexable import why_not_indexed

    return not why_not_indexed(path, size)


@dataclass(frozen=True)
class _Text:
    """Hold what is to be parsed: bytes and a grammar; of code as the product does it, of documents plainly."""

    data: bytes
    language: Language | None
    grammar: str

    @property
    def is_code(self) -> bool:
        return self.language is not None


def _texts(project: Project, paths: Sequence[str]) -> Iterator[_Text]:
    """Read and decode the files that have a grammar."""
    from indexer.errors import IndexerError
    from indexer.languages import language_of
    from indexer.summary import why_not_parsed

    for path in paths:
        try:
            text = project.read(project.resolve(path)).text
        except IndexerError:
            continue
        language = language_of(path, text[:1000])
        data = text.encode("utf-8", "replace")
        name = path.rpartition("/")[2]
        if language is not None and language.grammar:
            if language.reader is None and not why_not_parsed(text):
                yield _Text(data, language, language.grammar)
        elif grammar := DOCUMENTS.get(Path(name).suffix.lower() or name):
            yield _Text(data, None, grammar)


def _parse_cpu(texts: Sequence[_Text]) -> float:
    """Give the CPU seconds of parsing."""
    begun = time.process_time()
    for text in texts:
        _parsed(text)
    return time.process_time() - begun


def _parsed(text: _Text) -> None:
    from tree_sitter import Parser

    from indexer.syntax import SlowParseError, grammar, tree_of

    if text.language is None:
        Parser(grammar(text.grammar)).parse(text.data)
        return
    with suppress(SlowParseError):
        tree_of(text.language, text.data)


def _add_vectors(project: Project) -> None:
    import numpy as np

    store = project.index.place.store
    table = store.read(["chunk_digest"])
    digests = sorted({digest for row in table["chunk_digest"].to_pylist() for digest in row})
    numbers = np.random.default_rng(1).integers(-127, 128, (len(digests), DIMENSION)).astype(np.int8)
    store.add_vectors("bench", digests, numbers)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _command(words: Sequence[str]) -> tuple[float, float]:
    """Run a command and give its wall time and CPU seconds."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*COMMAND, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, cpu


def _large(folders: Sequence[Path], work: Path, chunks: int, count: int) -> None:
    root = work / "large"
    shutil.rmtree(work / "cache", ignore_errors=True)
    project, made, number = Project(root, WORDS_ONLY), 0, 0
    while made < chunks:
        for folder in folders:
            target = root / f"copy{number}" / folder.name
            shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        number += 1
        project = Project(root, WORDS_ONLY)
        made = project.index.sync(project.index.walk()).chunks
    keeper = Keeper(lambda: project)  # as in a server: it hears of changes, so that questions need not look for them
    project.index.keeper = keeper
    keeper.start()
    keeper.ready.wait()
    while keeper.doing or not keeper.watcher.is_quiet(1):
        time.sleep(0.1)
    state = project.index.live.load()
    assert state is not None
    print(f"one tree of {len(state.manifest.files)} files, {made} chunks; {count} questions")
    questions = list(_questions(count))
    answer_call(project, SEARCH, {"query": questions[0]})
    walls, used = zip(*[_timed(project, question) for question in questions], strict=True)
    _print_times("inside the server", walls)
    _print_times("inside the server, CPU", used)
    _print_times("at the client", list(_over_mcp(root, questions)))
    cold = _command(["semantic-search", "--root", str(root), questions[0]])
    print(f"cold `codectx semantic-search`: {cold[1]:.2f} s CPU; no change `codectx index`: ", end="")
    print(f"{_command(['index', str(root), '--quiet'])[1]:.2f} s CPU")
    print(f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def _questions(count: int) -> Iterator[str]:
    draw = random.Random(1)
    for number in range(count):
        yield f"{WORDS[number % len(WORDS)]} {draw.choice(WORDS).split()[-1]}"


def _timed(project: Project, question: str) -> tuple[float, float]:
    """Answer a question and give milliseconds by the clock and of CPU, which a busy machine changes less."""
    begun, used = time.perf_counter(), time.process_time()
    answer_call(project, SEARCH, {"query": question})
    return (time.perf_counter() - begun) * 1000, (time.process_time() - used) * 1000


def _over_mcp(root: Path, questions: Sequence[str]) -> Iterator[float]:
    from bench_read import Server

    with Server(COMMAND, root, os.environ | {"CODECTX_EMBEDDER": WORDS_ONLY.embedder}) as server:
        server.call("status")
        for _ in range(100):  # until the index is in memory
            if "index: being built" not in json.dumps(server.call("semantic_search", query=questions[0])):
                break
            time.sleep(0.2)
        for question in questions:
            begun = time.perf_counter()
            server.call("semantic_search", query=question)
            yield (time.perf_counter() - begun) * 1000


def _print_times(where: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    print(f"{where}: p50 {middle:.1f} ms, p95 {late:.1f} ms, longest {ordered[-1]:.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
