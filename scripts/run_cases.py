#!/usr/bin/env python3
"""Run the cases of a folder against the installed product, and say what does not hold.

    python scripts/run_cases.py tests/cases [--kind KIND]... [--id ID]... [--json FILE] [-j N] [--codectx COMMAND]

The form of the cases is described in tests/cases/README.md. The product is ``codectx`` from PATH, else what
``CODECTX`` or ``--codectx`` name. Exit code 0 when no case failed, 1 when one did, 2 when there is nothing to run.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cases.run import Verdict, is_about_time, run_case
from cases.schema import KINDS


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for."""
    options = _parser().parse_args(argv)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what is ignored here would be ignored by the product
    command = shlex.split(options.codectx)
    if not command or shutil.which(command[0]) is None:
        print(f"there is no command {options.codectx!r}", file=sys.stderr)
        return 2
    command[0] = os.path.abspath(shutil.which(command[0]) or command[0])  # noqa: PTH100  (symlinks stay)
    chosen = [
        (name, case)
        for name, case in load(options.folder)
        if (not options.id or name in options.id) and (not options.kind or _kind(case) in options.kind)
    ]
    unknown = sorted(set(options.id) - {name for name, _ in chosen})
    if unknown or not chosen:
        print(f"no such cases in {options.folder}: {', '.join(unknown) or 'none'}", file=sys.stderr)
        return 2
    verdicts = []
    for verdict in run_all(chosen, command, options.jobs):
        verdicts.append(verdict)
        _print(verdict)
    counts = {outcome: sum(v.outcome == outcome for v in verdicts) for outcome in ("passed", "failed", "skipped")}
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    if options.json:
        data = {v.name: {"outcome": v.outcome, "reasons": v.reasons, "seconds": round(v.seconds, 2)} for v in verdicts}
        options.json.write_text(json.dumps({**counts, "cases": data}, indent=1, ensure_ascii=False), encoding="utf-8")
    return 1 if counts["failed"] else 0


def load(folder: Path) -> Iterator[tuple[str, Any]]:
    """Give the cases of a folder by name; what cannot be read is a text that says why."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    files = sorted((folder / "cases").glob("*.yaml")) or sorted(folder.glob("*.yaml"))
    for file in files:
        try:
            yield file.stem, yaml.load(file.read_text(encoding="utf-8"), loader)
        except (yaml.YAMLError, UnicodeDecodeError) as problem:
            yield file.stem, f"{file} cannot be read: {problem}"


def run_all(cases: Sequence[tuple[str, Any]], command: Sequence[str], jobs: int) -> Iterator[Verdict]:
    """Run cases, ``jobs`` at a time, and give their verdicts; what was only too slow gets a second run, alone."""
    slow = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for pair, verdict in zip(cases, pool.map(lambda pair: run_case(pair[1], pair[0], command), cases), strict=True):
            if jobs > 1 and verdict.reasons and all(is_about_time(reason) for reason in verdict.reasons):
                slow.append(pair)
            else:
                yield verdict
    for name, case in slow:
        yield run_case(case, name, command)


def _kind(case: Any) -> str:
    return str(case.get("kind")) if isinstance(case, dict) else ""


def _print(verdict: Verdict) -> None:
    if verdict.outcome != "passed":
        print(f"{verdict.outcome.upper()} {verdict.name} ({verdict.seconds:.1f} s)", flush=True)
        for reason in verdict.reasons:
            print("    " + reason.replace("\n", "\n    "), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run cases against the installed product.")
    parser.add_argument("folder", type=Path, help="a folder with cases/*.yaml")
    parser.add_argument("--kind", action="append", default=[], choices=KINDS, help="only this kind; may be repeated")
    parser.add_argument("--id", action="append", default=[], help="only this case; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdicts to a file")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="cases at a time")
    parser.add_argument("--codectx", default=os.environ.get("CODECTX", "codectx"), help="the product's command")
    return parser


if __name__ == "__main__":
    sys.exit(main())
