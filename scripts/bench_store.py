#!/usr/bin/env python3
"""Measure what an index takes on disk while files change one by one, and what it costs to read then.

    python scripts/bench_store.py DIR [--syncs N] [--vectors N]

DIR is a project root; a copy of it is indexed, then one file after the other is changed and the index brought in step.
The size is taken after each run: table, copy of the rows, manifest, vectors and all. The vectors are random numbers,
which nothing can compress. At last comes a run that finds nothing changed, ten minutes later by all time stamps. Exit
code 1 if the largest size was more than 3 times the fresh one, or the last one more than 1.5 times.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from indexer.embed import Batch
from indexer.files import read_bytes
from indexer.fill import fill
from indexer.place import IndexPlace
from indexer.store import FILES, Store
from indexer.sync import sync
from indexer.tables import size_of
from indexer.walk import walk

MOST, MOST_LATER = 3.0, 1.5  # times the fresh size
LATER = 600.0  # seconds


class RandomVectors:
    """Give each text a vector of random numbers."""

    name, model = "random", "random"

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._source = np.random.default_rng(0)

    def embed_texts(self, texts: Sequence[str]) -> Iterator[Batch]:
        yield Batch(tuple(range(len(texts))), self._source.normal(size=(len(texts), self.dimension)).astype("f4"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--syncs", type=int, default=1000)
    parser.add_argument("--vectors", type=int, default=384, metavar="N", help="length of the vectors, 0 for none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        return measure(given.folder, Path(work), given.syncs, given.vectors)


def measure(folder: Path, work: Path, syncs: int, dimension: int) -> int:
    root, disk = work / "root", work / "disk"
    shutil.copytree(folder, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    place = IndexPlace(str(root), disk / "store", Store(str(disk / "store"), str(disk / "vectors")))
    embedder = RandomVectors(dimension) if dimension else None

    def run() -> None:
        sync(place, walk(root), read)
        if embedder is not None:
            fill(place.store, embedder, read)

    def read(path: str) -> bytes:
        return read_bytes(root / path, path, roots=(root,))

    run()
    fresh, first_read = size_of(disk), cpu(place.store.read)
    print(f"{'':12}{'bytes':>12}{'of fresh':>10}{'files':>8}{'versions':>10}{'read ms':>9}{'sync ms':>9}")
    tell("fresh", disk, fresh, first_read, 0.0)
    code = [
        file.path for file in walk(root).files if file.path.rpartition(".")[2] in ("py", "js", "ts", "rb", "go", "c")
    ]
    chosen = random.Random(0)
    most, spent = 0, 0.0
    for number in range(1, syncs + 1):
        change(root / chosen.choice(code), number)
        spent += cpu(run)
        most = max(most, size_of(disk))
        if number % max(1, syncs // 10) == 0:
            tell(f"{number} syncs", disk, fresh, cpu(place.store.read), spent / number)
    before_now(disk, LATER)
    run()
    last = size_of(disk)
    tell("later", disk, fresh, cpu(place.store.read), 0.0)
    print(f"largest {most / fresh:.2f} times the fresh one, last {last / fresh:.2f}")
    return int(most > MOST * fresh or last > MOST_LATER * fresh)


def change(path: Path, number: int) -> None:
    """Add a line somewhere in the file, taking out the one that was added before."""
    lines = [line for line in path.read_bytes().split(b"\n") if b"changed in run" not in line]
    mark = b"//" if path.suffix in (".js", ".ts", ".go", ".c") else b"#"
    lines.insert(random.Random(number).randrange(len(lines)), b"%s changed in run %d" % (mark, number))
    path.write_bytes(b"\n".join(lines))


def before_now(disk: Path, seconds: float) -> None:
    """Make everything look as old as if that time had passed."""
    for path in disk.rglob("*"):
        info = path.stat()
        os.utime(path, (info.st_atime - seconds, info.st_mtime - seconds))
    for path in disk.rglob("swept.json"):
        notes = json.loads(path.read_bytes())
        for note in notes.values():
            note["at"] -= seconds
            note["orphans"] = {digest: at - seconds for digest, at in note["orphans"].items()}
        path.write_text(json.dumps(notes), encoding="utf-8")


def tell(what: str, disk: Path, fresh: int, read_seconds: float, sync_seconds: float) -> None:
    size, files = size_of(disk), sum(1 for path in disk.rglob("*") if path.is_file())
    versions = len(list((disk / "store" / f"{FILES}.lance" / "_versions").iterdir()))
    print(
        f"{what:12}{size:12,}{size / fresh:10.2f}{files:8}{versions:10}"
        f"{read_seconds * 1000:9.1f}{sync_seconds * 1000:9.1f}",
        flush=True,
    )


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main())
