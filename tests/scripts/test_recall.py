"""The measure of recall counts as the scorer of the benchmark does."""

import json
import subprocess
import sys
from pathlib import Path

from retrieval.recall import hits, recall

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "retrieval" / "recall.py"


def place(path, start=None, end=None):
    return {"path": path, "start": start, "end": end}


def test_a_hit_is_in_the_file_and_overlaps_the_lines():
    assert hits(place("b/c.py", 5, 9), place("a/b/c.py", 9, 20))
    assert not hits(place("b/c.py", 5, 8), place("a/b/c.py", 9, 20))
    assert not hits(place("xc.py", 5, 9), place("c.py", 5, 9))
    assert hits(place("c.py", 5, 9), place("c.py"))


def test_recall_is_the_share_of_targets():
    assert recall([place("a.py", 1, 3)], [place("a.py"), place("b.py")]) == 0.5
    assert recall([], [place("a.py")]) == 0.0


def test_only_the_first_five_count_and_every_part_has_its_line(tmp_path):
    queries = [
        {"repo": "r", "query": "one", "part": "tuned", "relevant": [place("a.py", 1, 2)]},
        {"repo": "s", "query": "two", "part": "held-out", "relevant": [place("f5.py")]},
    ]
    results = [
        {"meta": {}},
        {"repo": "r", "query": "one", "results": [place("a.py", 3, 4)]},
        {"repo": "s", "query": "two", "results": [place(f"f{number}.py", 1, 1) for number in range(6)]},
    ]
    repos = [{"repo": "r", "comments": "Chinese"}, {"repo": "s", "comments": "English"}]
    for name, rows in (("queries", queries), ("results", results), ("repos", repos)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = [sys.executable, SCRIPT, tmp_path / "results", "--queries", tmp_path / "queries", "--repos"]
    printed = subprocess.run([*command, tmp_path / "repos"], check=True, capture_output=True, encoding="utf-8").stdout
    lines = {line.partition("  ")[0]: line.split() for line in printed.split("\n") if line}
    assert lines["all"][-3:] == ["0.000", "file", "0.500"]
    assert lines["tuned, Chinese comments"][-3:] == ["0.000", "file", "1.000"]
    assert lines["held-out, English comments"][-3:] == ["0.000", "file", "0.000"]
