"""Ask git what differs between two commits, or a commit and the files: ``compare``, ``changed_files``, ``patches``.

A ref reaches git's diff only as the commit that it stands for, so nothing that somebody typed can be an option.
All paths are relative to the folder asked about, and nothing outside of it is shown.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.diff import ChangedFile, Section, read_changes, split_patch
from indexer.errors import GitError
from indexer.git import git_root, run_git

_COMMIT = re.compile(rb"[0-9a-f]{40,64}\n?")
_UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f]")
_MAX_REF = 500  # characters
_MAX_PATHS = 100_000  # characters of file names in one call
_MAX_NEAR = 200  # names of branches and tags that a mistaken one is compared with

# Whatever the user's configuration says, the form is the same.
_FORM = (
    "--find-renames",
    "-l1000",
    f"-O{os.devnull}",
    "--no-color",
    "--no-relative",
    "--relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--inter-hunk-context=0",
    "--diff-algorithm=default",
    "--indent-heuristic",
    "--submodule=short",
    "--ws-error-highlight=none",
    "--output-indicator-new=+",
    "--output-indicator-old=-",
    "--output-indicator-context= ",
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Hold the two sides of a diff, as commits or trees.

    Attributes:
        old: the side before.
        new: the side after; empty for the files as they are.
        empty: whether there is no commit yet, so that ``old`` is nothing at all.
    """

    old: str
    new: str = ""
    empty: bool = False

    @property
    def sides(self) -> tuple[str, ...]:
        """Give the sides as arguments for git."""
        return (self.old, self.new) if self.new else (self.old,)


class Repository:
    """Ask about one folder of a git repository, for a limited time.

    Args:
        folder: in which git runs.
        environment: see ``indexer.git.run_git``.
        seconds: for all questions together.

    Raises:
        GitError: the folder is in no repository.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str] | None, seconds: float) -> None:
        if git_root(folder) is None:
            raise GitError("this is no git repository")
        self.folder = folder
        self._environment = environment
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def ask(self, *args: str, codes: Sequence[int] = (0,), stdin: bytes | None = None) -> bytes:
        """Run one git command; see ``indexer.git.run_git``."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise GitError(f"git took more than {self._seconds:g} seconds", "timeout")
        return run_git(self.folder, args, timeout=left, environment=self._environment, codes=codes, stdin=stdin)


def compare(repository: Repository, ref: str) -> Comparison:
    """Find out what a ref compares.

    Args:
        repository: where to look it up.
        ref: a commit (compared with the files as they are), ``A..B``, ``A...B`` (B with where it left A; a side left
            out is ``HEAD``), or nothing for the last commit.

    Raises:
        GitError: of category bad_ref, naming the ref.
    """
    if not ref:
        head = _commit(repository, "HEAD")
        if head:
            return Comparison(head)
        repository.ask("rev-parse", "--git-dir")  # without a repository, git would compare plain folders
        return Comparison(
            repository.ask("hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip(), empty=True
        )
    dots = re.search(r"\.{2,}", ref)
    if dots is None:
        return Comparison(_known(repository, ref, ref))
    left, right = ref[: dots.start()], ref[dots.end() :]
    if len(dots[0]) > 3 or not (left or right):
        raise _bad(ref)
    old, new = (_known(repository, side or "HEAD", ref) for side in (left, right))
    if dots[0] == "..":
        return Comparison(old, new)
    base = repository.ask("merge-base", old, new, codes=(0, 1)).decode().split("\n")[0]
    if not base:
        raise GitError(f"{left or 'HEAD'} and {right or 'HEAD'} have no common history", "bad_ref")
    return Comparison(base, new)


def changed_files(repository: Repository, comparison: Comparison, path: str = "") -> tuple[ChangedFile, ...]:
    """Give the files that differ, in git's order; only ``path`` and what lies below it if that is given."""
    out = repository.ask("diff", *_FORM, "--raw", "--numstat", "-z", *comparison.sides, "--", *([path] if path else ()))
    return read_changes(out)


def patches(
    repository: Repository, comparison: Comparison, path: str = "", only: Sequence[ChangedFile] | None = None
) -> dict[str, Section]:
    """Give the full diffs of all files below ``path``, or only of some, by path.

    A file whose content does not differ has none.
    """
    command = ("diff", *_FORM, "--patch", "--unified=3", *comparison.sides, "--")
    if only is None:
        return split_patch(repository.ask(*command, *([path] if path else ())))
    found: dict[str, Section] = {}
    batch: list[str] = []
    for n, file in enumerate(only, 1):
        batch += [name for name in (file.old_path, file.path) if name]
        if n == len(only) or sum(map(len, batch)) > _MAX_PATHS:
            found |= split_patch(repository.ask(*command, *batch))
            batch = []
    return found


def untracked_files(repository: Repository, path: str = "") -> tuple[str, ...]:
    """Give the files that git neither knows nor ignores; a repository among them ends with ``/``."""
    out = repository.ask("ls-files", "-z", "--others", "--exclude-standard", "--", *([path] if path else ()))
    return tuple(sorted(name for name in out.decode("utf-8", "surrogateescape").split("\0") if name))


def near_refs(repository: Repository, ref: str) -> tuple[str, ...]:
    """Give branches and tags with a name like that; if there are none, the branches with the newest commits."""
    from difflib import get_close_matches

    form = ("--format=%(refname:short)", "--sort=-committerdate", f"--count={_MAX_NEAR}")
    names = repository.ask("for-each-ref", *form, "refs/heads", "refs/tags", "refs/remotes")
    known = names.decode("utf-8", "replace").split()
    near = get_close_matches(ref, known, 4, 0.5)
    return tuple(near or known[:4])


def _known(repository: Repository, name: str, ref: str) -> str:
    if name.startswith("-") or _UNUSABLE.search(name) or len(name) > _MAX_REF:
        raise _bad(ref)
    commit = _commit(repository, name)
    if not commit:
        raise _bad(ref)
    return commit


def _commit(repository: Repository, name: str) -> str:
    """Give the commit that a name stands for, nothing if there is none."""
    out = repository.ask(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", codes=(0, 1, 128)
    )
    return out.decode().strip() if _COMMIT.fullmatch(out) else ""


def _bad(ref: str) -> GitError:
    shown = ref if len(ref) <= 80 else f"{ref[:80]}..."
    return GitError(f"{shown} is no commit, branch, tag or range here", "bad_ref")
