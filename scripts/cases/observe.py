"""Watch what a call does besides answering: the store's files, git's state, git's calls, folders touched.

``prepare`` puts the watchers into the case's environment, ``note`` takes down how things are before a judged call.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cases.place import Place

_AUDIT = Path(__file__).parent / "audit"


@dataclass
class Kept:
    """Hold how things were before the call that is judged."""

    store: dict[str, str] | None = None
    git: dict[str, Any] | None = None


@dataclass
class GitCall:
    """Hold one call of git: where it worked, and the GIT variables it saw."""

    folder: Path
    words: list[str]
    variables: dict[str, str] = field(default_factory=dict)


def tokens_in(expect: Mapping[str, Any]) -> dict[str, Any]:
    """Give the invariants of an expectation and its alternatives, but not of its further steps."""
    found: dict[str, Any] = {}
    for token in expect.get("invariants", ()):
        found |= {token: True} if isinstance(token, str) else token
    for part in ("any_of", "responses", "one_server"):
        value = expect.get(part, ())
        for inner in value.values() if isinstance(value, Mapping) else value:
            found |= tokens_in(inner)
    return found


def prepare(case: Mapping[str, Any], place: Place) -> None:
    """Put the watchers that a case needs into its environment."""
    folders = [folder for token in _all_tokens(case) for folder in token.get("paths_untouched", ())]
    if folders:
        full = [os.path.normpath(place.root / folder) for folder in folders]
        place.env["CASES_AUDIT"] = json.dumps({"log": str(_audit_log(place)), "folders": full})
        place.env["PYTHONPATH"] = str(_AUDIT)
        _audit_log(place).touch()
        _audit_log(place).chmod(0o666)
    if any("git_env_kept" in token for token in _all_tokens(case)):
        _log_git(place)


def note(place: Place, expect: Mapping[str, Any]) -> Kept:
    """Take down what the invariants of an expectation compare with; logs begin anew."""
    tokens = tokens_in(expect)
    if "paths_untouched" in tokens:
        _audit_log(place).write_bytes(b"")
    if "git_env_kept" in tokens:
        shutil.rmtree(_git_log(place))
        _git_log(place).mkdir(mode=0o777)
        _git_log(place).chmod(0o777)
    kept = Kept()
    if "store_kept" in tokens:
        kept.store = digests(place.store)
    if "git_state_unchanged" in tokens:
        kept.git = git_state(place.root)
    return kept


def digests(folder: Path) -> dict[str, str]:
    """Give the digests of the files below a folder by their paths."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(folder)}


def size_of(folder: Path) -> int:
    """Give the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in _files(folder))


def git_state(root: Path) -> dict[str, Any]:
    """Give the working tree, the staged content and the refs of a repository."""
    state: dict[str, Any] = {"tree": {k: v for k, v in digests(root).items() if not k.startswith(".git" + os.sep)}}
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0"}
    for name, words in {
        "staged": ["ls-files", "-s", "-z"],
        "refs": ["for-each-ref"],
        "head": ["symbolic-ref", "-q", "HEAD"],
    }.items():
        words = ["git", "-c", f"safe.directory={root}", *words]
        state[name] = subprocess.run(words, cwd=root, env=env, capture_output=True, check=False).stdout
    return state


def touched(place: Place) -> tuple[list[str], int]:
    """Give the accesses that were noted since the call began, and how many processes were watched."""
    lines = _audit_log(place).read_text(encoding="utf-8", errors="replace").splitlines()
    accesses = [line for line in lines if not line.startswith("watched ")]
    return accesses, len(lines) - len(accesses)


def git_calls(place: Place) -> Iterator[GitCall]:
    """Give the calls of git since the call began."""
    for file in sorted(_git_log(place).iterdir()):
        fields = file.read_bytes().decode("utf-8", "replace").split("\0")
        cwd = Path(fields[0])
        words = [text[4:] for text in fields[1:] if text.startswith("arg=")]
        pairs = [text.partition("=") for text in fields[1:] if text.startswith("GIT_")]
        options = iter(words)
        for word in options:
            if word == "-C":
                cwd = cwd / next(options, "")
            elif word in ("-c", "--git-dir", "--work-tree", "--namespace"):
                next(options, "")
            elif not word.startswith("-"):
                break
        yield GitCall(cwd, words, {name: value for name, _, value in pairs})


def repository_of(folder: Path) -> Path | None:
    """Give the top of the repository that a folder lies in."""
    real = folder.resolve()
    return next((parent for parent in (real, *real.parents) if (parent / ".git").exists()), None)


def _all_tokens(case: Any) -> Iterator[Mapping[str, Any]]:
    """Give the invariants anywhere in a case, each as a map."""
    if isinstance(case, Mapping):
        for token in case.get("invariants", ()) if isinstance(case.get("invariants"), list) else ():
            yield {token: True} if isinstance(token, str) else token
        for value in case.values():
            yield from _all_tokens(value)
    elif isinstance(case, list):
        for value in case:
            yield from _all_tokens(value)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _audit_log(place: Place) -> Path:
    return place.base / "tmp/audit.log"


def _git_log(place: Place) -> Path:
    return place.base / "tmp/git-calls"


def _log_git(place: Place) -> None:
    """Put a git first in PATH that notes each call and hands it on."""
    real = shutil.which("git")
    log = _git_log(place)
    log.mkdir()
    log.chmod(0o777)
    script = place.base / "bin/git"
    script.write_text(
        "#!/bin/sh\n"
        f"log={shlex.quote(str(log))}/$(date +%s%N)-$$\n"
        '{ printf \'%s\\0\' "$PWD"; for word; do printf \'arg=%s\\0\' "$word"; done; env -0; } > "$log"\n'
        f'exec {shlex.quote(str(real))} "$@"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
