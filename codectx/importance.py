"""Guess how much each file of a folder matters to somebody new, and what kind of file it is.

``importance`` scores by cheap signs (what other files name, size, name, place), of which each is wrong at times;
``kind_of`` tells sources from tests, examples and foreign code by their paths. Nothing is parsed here.
"""

from __future__ import annotations

import math
import re
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from codectx import progress
from indexer.errors import IndexerError
from indexer.files import open_file
from indexer.languages import language_of
from indexer.names import is_test_path
from indexer.walk import WalkedFile

MAX_SCANNED = 250  # files whose beginnings are searched for names of other files, evenly chosen
SCANNED_CHARS = 5000  # of each
RARE = 1 / 20  # of the sources; files of a language of fewer are seldom what the folder is about
SOURCE, TEST, ASIDE, OTHER, FOREIGN = range(5)  # what a file is, in the order of the rows
TEST_FOLDERS = frozenset(
    ("test", "tests", "spec", "specs", "__tests__", "testing", "testdata", "fixtures", "e2e", "fuzzing")
)
_ASIDE = re.compile(r"\..+|(examples?|samples?|demos?|docs?|documentation|website|www|guides|(.+-)?bench(mark)?s?)")
_ASIDE_ON_TOP = re.compile(r"scripts?|tools?|ci|contrib|playground|packaging|snippets|build[-_].*|templates?|projects")
_FOREIGN = re.compile(r"vendor|third[-_]?party|3rdparty|node_modules|dist|external|generated|locales?")
_SETTING = re.compile(r"\..*|.*\.config\.\w+|(rake|gem|brew|cap|guard|pod|vagrant)file|setup\.py|build\.sbt|.*\.zon")
_ENTRY = re.compile(r"(__init__|index|main|lib|mod|app|core|base|application|server|client|router|context)\.\w+")
_HEADERS = (".h", ".hpp", ".hh", ".d.ts", ".pyi")
_NAMED_BY_FOLDER = frozenset(("__init__", "index", "mod", "main", "lib"))
_IMPORT = re.compile(r"^[ \t]*(?:from|import|use|using|require\w*|alias|#[ \t]*include|export)\b(.*)", re.M)
_REQUIRE = re.compile(r"\brequire\(([^)\n]*)\)")
_TYPE_NAME = re.compile(r"\b[A-Z][A-Za-z0-9]+")
_WORD = re.compile(r"[A-Za-z]\w+")
_MANIFEST = re.compile(
    r"(pyproject|Cargo)\.toml|(package|composer)\.json|.*(\.gemspec|\.cabal|mix\.exs|go\.mod|Package\.swift)"
)


def importance(root: Path, files: Sequence[WalkedFile], prefix: str, kinds: Mapping[str, int]) -> dict[str, float]:
    """Guess how much each file matters to somebody new: named by others, large, an entry, near the top.

    ``prefix`` is the path of the folder that they are in, with a slash, and ``kinds`` what ``kind_of`` says of each.
    """
    sources = [file for file in files if kinds[file.path] == SOURCE]
    variants = _variants(sources)
    named = _named_by_others(root, sources, variants)
    languages = Tally(language_of(file.path) for file in sources)
    together = {file.path.rpartition(".")[0] for file in sources if not file.path.endswith(_HEADERS)}
    own = {_folded(root.name), *(_folded(part) for part in prefix.split("/") if part)}
    scores = {}
    for file in files:
        *folders, name = file.path[len(prefix) :].split("/")
        score = math.log2(1 + min(file.size, 60_000) / 500) + 1.6 * math.log2(1 + named.get(file.path, 0))
        score -= 0.5 * len(folders)
        score -= 3 if name.endswith(_HEADERS) and file.path.rpartition(".")[0] in together else 0
        score -= 3 if languages[language_of(file.path)] < RARE * len(sources) else 0  # glue, or borrowed
        score += 2 if _ENTRY.fullmatch(name.lower()) else 0
        is_own = _folded(name.partition(".")[0]) in {*own, *map(_folded, folders[-1:])}
        score += 3 if is_own and file.path not in variants else 0
        scores[file.path] = score
    return scores


def kind_of(path: str, prefix: str) -> int:
    """Tell whether a file is source, a test, an example or page, none of these, or not the project's own."""
    *folders, name = path[len(prefix) :].lower().split("/")
    if any(map(_FOREIGN.fullmatch, folders)) or ".min." in name:
        return FOREIGN
    if is_test_path(path[len(prefix) :]) or not TEST_FOLDERS.isdisjoint(folders):
        return TEST
    if any(map(_ASIDE.fullmatch, folders)) or (not prefix and folders and _ASIDE_ON_TOP.fullmatch(folders[0])):
        return ASIDE
    language = language_of(path)
    if language is None or not language.grammar or is_manifest(name) or _SETTING.fullmatch(name):
        return OTHER
    return SOURCE


def place_of_tests(path: str) -> str:
    """Give the first folder of tests on a path, else the file's own folder."""
    folders = path.split("/")[:-1]
    at = next((n for n, part in enumerate(folders) if part.lower() in TEST_FOLDERS), len(folders) - 1)
    return "".join(f"{part}/" for part in folders[: at + 1]) or "beside the sources"


def _variants(sources: Sequence[WalkedFile]) -> set[str]:
    """Find the files that add to another one for a platform or the like, as ``App.jvm.kt`` to ``App.kt``."""
    names = {file.path.rpartition("/")[2] for file in sources}
    parts = {file.path: file.path.rpartition("/")[2].split(".") for file in sources}
    return {path for path, (stem, *more) in parts.items() if len(more) > 1 and f"{stem}.{more[-1]}" in names}


def _named_by_others(root: Path, sources: Sequence[WalkedFile], variants: Collection[str]) -> dict[str, float]:
    """Count by how many of some evenly chosen sources each is named: in imports, or by the type it is called after."""
    by_stem: defaultdict[str, list[str]] = defaultdict(list)
    for file in (file for file in sources if file.path not in variants):
        by_stem[_stem(file.path)].append(file.path)
    tally: Tally[str] = Tally()
    step = max(1, len(sources) // MAX_SCANNED)
    for file in sources[::step]:
        progress.check()
        try:
            with open_file(root / file.path, file.path) as opened:
                text = opened.read(SCANNED_CHARS).decode("utf-8", "replace")
        except (IndexerError, OSError):
            continue  # gone since the walk: it names nothing
        words = {
            _folded(word) for line in _IMPORT.findall(text) + _REQUIRE.findall(text) for word in _WORD.findall(line)
        }
        words.update(map(str.lower, _TYPE_NAME.findall(text)))
        words.discard(_stem(file.path))
        tally.update(words & by_stem.keys())
    return {path: tally[stem] / len(paths) for stem, paths in by_stem.items() for path in paths}


def _stem(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return _folded(folders[-1] if stem in _NAMED_BY_FOLDER and folders else stem)


def _folded(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def is_called_after(path: str, name: str) -> bool:
    """Tell whether a file bears that name, but for case, ``_`` and ``-``; a folder's main file also the folder's."""
    folded = _folded(name)
    return folded != "" and folded in (_folded(path.rpartition("/")[2].partition(".")[0]), _stem(path))


def is_manifest(name: str) -> bool:
    """Tell whether a file of that name says what a package is."""
    return _MANIFEST.fullmatch(name) is not None
