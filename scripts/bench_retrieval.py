#!/usr/bin/env python3
"""Answer the queries of a code search benchmark with the product's tool, and write what came out for its scorer.

    python scripts/bench_retrieval.py --checkouts DIR --repos repos.jsonl --queries queries.jsonl --out RESULTS.jsonl
        [--embedder none|minilm] [--repo NAME...] [--cache DIR]

DIR/REPO/ROOT is indexed for each line of repos.jsonl, in a store of its own. Each query gives one line with the first
ten results (``results``) and fifty (``results50``), each with the text that an agent reads. An abstention gives none.
Times of queries are CPU milliseconds of this process (``ms``), of indexes both CPU and wall clock. --cache keeps the
stores, and with minilm vectors: this bench embeds the chunks it needs on demand, while the product fills them in
beforehand and never waits for one.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

from retrieval.corpus import Repository, repositories
from retrieval.vectors import OnDemand

from codectx.config import Config
from codectx.project import Project
from codectx.tools import load

FIRST, ALL = 10, 50
SEARCH = load("semantic_search")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--embedder", choices=("none", "minilm"), default="none")
    parser.add_argument("--repo", nargs="+", default=(), metavar="NAME")
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    times: dict[str, dict[str, float]] = {"index_ms": {}, "index_cpu_ms": {}}
    with tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        os.environ["XDG_CACHE_HOME"] = str((given.cache or Path(folder)).resolve())
        for repository in repositories(given.checkouts, given.repos, given.queries, given.repo):
            project = Project(repository.root.resolve(), Config(embedder="none"))
            wall, cpu = time.perf_counter(), time.process_time()
            project.index.sync(project.index.walk())
            state = project.index.live.load()
            times["index_ms"][repository.name] = (time.perf_counter() - wall) * 1000
            times["index_cpu_ms"][repository.name] = (time.process_time() - cpu) * 1000
            if state is None:
                sys.exit(f"{repository.root} cannot be indexed")
            vectors = None
            if given.embedder == "minilm":
                vectors = OnDemand(state.index, project.root, given.cache, name=repository.name)
                project.index.embedding.use(vectors)
            for line in answers(project, repository):
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
            if vectors is not None:
                vectors.save()
            print(f"{repository.name}: {state.index.chunk_count} chunks", file=sys.stderr)
        out.write(json.dumps({"meta": times}) + "\n")


def answers(project: Project, repository: Repository) -> Iterator[dict[str, Any]]:
    """Answer all queries of a repository; each is asked twice, so that neither embedding nor statistics are timed."""
    for query in repository.queries:
        SEARCH.run(project, query=query["query"], k=FIRST)
        start = time.process_time()
        SEARCH.run(project, query=query["query"])
        took = (time.process_time() - start) * 1000
        answer = SEARCH.run(project, query=query["query"], k=ALL)
        results = [
            {
                "path": block.data["path"],
                "start": block.data["lines"][0],
                "end": block.data["lines"][1],
                "text": block.forms[0],
            }
            for block in answer.blocks
        ]
        yield {
            "repo": repository.name,
            "query": query["query"],
            "results": results[:FIRST],
            "results50": results,
            "ms": took,
        }


if __name__ == "__main__":
    main()
