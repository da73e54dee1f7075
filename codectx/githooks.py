"""Put codectx into a repository's git hooks, and take it out again: ``install`` and ``uninstall``.

A hook that is a shell script gets a block of lines in front of its own; any other is moved aside and called by ours.
Either way it decides, as before, how the hook ends. What is taken out leaves every file as it was, byte for byte. All
our hooks come after git's work, as the index follows the files: none of them could stop a commit.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from codectx.errors import UserError
from codectx.launch import launcher, package_folder
from indexer.errors import GitError
from indexer.git import git_root, git_top, run_git
from indexer.gitdir import common_folder

HOOKS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
ASIDE = ".before-codectx"  # added to the name of a hook that is moved aside

_TAKEN_OVER = ".legacy"  # added by the pre-commit framework to the name of a hook that was there before it
_GIT_SECONDS = 10.0
_SHELL = re.compile(
    rb"#![ \t]*(?:/usr/bin/env[ \t]+(?:-S[ \t]+)?)?(?:/\S*/)?(?:ba|da|a|k|z|mk|)sh(?:[ \t][^\n]*)?\r?(?:\n|\Z)"
)
_SHEBANG = b"#!/bin/sh\n"  # of a hook that we make
_BEGIN = b"# >>> codectx: keeps its index in step; `codectx uninstall git` takes these lines out\n"
_END = b"# <<< codectx\n"
_WHOLE = b"# this file was made by it\n"
_FOLDER = b"# this file and its folder were made by it\n"
_BLOCK = re.compile(re.escape(_BEGIN) + rb".*?" + re.escape(_END.rstrip(b"\n")) + rb"(\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """Say what became of one hook.

    Attributes:
        name: of the hook.
        path: of its file.
        what: ``made``, ``added`` to a script that was there, ``put before`` another program that was there,
            ``renewed`` for another interpreter, ``unchanged``; ``deleted``, ``taken out`` of a script, ``put back``
            when a program has its place again, ``left aside`` when others have added to what is in its place.
    """

    name: str
    path: Path
    what: str


def install(folder: Path, environment: Mapping[str, str]) -> list[Change]:
    """Set the hooks of the repository that a folder is in; where they are set already nothing changes.

    All of them are looked at first, so that nothing is set where something is in the way of one.

    Raises:
        UserError: not_found without a git working tree, unsupported where the hooks belong to others, too (outside of
            the repository, or tracked in it), or a file is in the way, unreadable where they cannot be written.
    """
    place = _hooks_folder(folder, environment)
    _refuse_tracked(folder, place, environment)
    return _each(lambda: [_done(step) for step in [_planned(place, name) for name in HOOKS]], place)


def uninstall(folder: Path, environment: Mapping[str, str]) -> list[Change]:
    """Take the hooks out again, whoever has renamed them meanwhile; what is not ours stays.

    Raises:
        UserError: as ``install``.
    """
    place = _hooks_folder(folder, environment)

    def all_taken_out() -> list[Change]:
        # The first hook last: that it made the folder, too, is written in it.
        names = [(f"{name}{added}", name) for name in reversed(HOOKS) for added in (_TAKEN_OVER, "")]
        return [change for file, name in names for change in _taken_out(place / file, name)]

    return _each(all_taken_out, place)


def _each(work: Callable[[], list[Change]], place: Path) -> list[Change]:
    try:
        return work()
    except OSError as error:
        what = f"the git hooks in {place} cannot be changed: {error.strerror or error}"
        raise UserError("unreadable", what, "check the permissions there") from error


# --- where hooks lie


def _hooks_folder(folder: Path, environment: Mapping[str, str]) -> Path:
    """Find the folder of hooks that git uses for a working tree, which all worktrees of a repository share."""
    top = git_root(folder)
    if top is None:
        if git_top(folder) is None:
            raise UserError("not_found", f"{folder} is in no git working tree", "give a folder inside of one")
        raise UserError("unsupported", f"the git repository of {folder} belongs to another folder", "go there")
    common = common_folder(top)
    if common is None:
        raise UserError("unsupported", f"the git folder of {top} cannot be read", "check the repository")
    named = _configured(top, environment)
    if named is None:
        return common / "hooks"
    place = Path(os.path.realpath(top / named))
    if not any(place.is_relative_to(inside) for inside in (Path(os.path.realpath(top)), common)):
        what = f"core.hooksPath sends git to {named} for hooks, which is outside of this repository"
        raise UserError("unsupported", what, "call `codectx hook --quiet` from the hooks there")
    return place


def _configured(top: Path, environment: Mapping[str, str]) -> str | None:
    """Give ``core.hooksPath`` as it is in git's configuration files, the last one counting."""
    words = ["config", "--show-scope", "--null", "--type=path", "--get-all", "core.hooksPath"]
    try:
        listed = run_git(top, words, timeout=_GIT_SECONDS, environment=environment, codes=(0, 1))
    except GitError as error:
        raise UserError(
            "unsupported", f"git does not say where hooks lie: {error}", "check its configuration"
        ) from error
    parts = [os.fsdecode(part) for part in listed.split(b"\0")[:-1]]
    # What is set on the command line is our own: it keeps git from running hooks.
    values = [value for scope, value in zip(parts[::2], parts[1::2], strict=True) if scope != "command"]
    if values and not values[-1]:
        what, remedy = "core.hooksPath is set to nothing, so git runs no hooks", "`git config --unset core.hooksPath`"
        raise UserError("unsupported", what, remedy)
    return values[-1] if values else None


def _refuse_tracked(folder: Path, place: Path, environment: Mapping[str, str]) -> None:
    """Raise UserError where git tracks one of the hooks: what is added to it is of this machine, and not for others."""
    top = git_root(folder)
    if top is None or not place.is_relative_to(os.path.realpath(top)):
        return
    paths = [(place / name).relative_to(os.path.realpath(top)).as_posix() for name in HOOKS]
    try:
        tracked = run_git(top, ["ls-files", "-z", "--", *paths], timeout=_GIT_SECONDS, environment=environment)
    except GitError:
        return  # a folder inside of .git has none
    if tracked:
        name = os.fsdecode(tracked.partition(b"\0")[0])
        raise UserError(
            "unsupported", f"{name} is tracked by git", "call `codectx hook --quiet` from it, as others have it"
        )


# --- one hook


class _Step(NamedTuple):
    """Hold what is to be done to a hook: what it will hold, None for what it holds, and where the old one goes."""

    change: Change
    data: bytes | None
    mode: int
    aside: Path | None = None


def _done(step: _Step) -> Change:
    path = step.change.path
    path.parent.mkdir(parents=True, exist_ok=True)
    if step.aside is not None:
        path.rename(step.aside)
    if step.data is not None:
        _write(path, step.data, step.mode)
    return step.change


def _planned(place: Path, name: str) -> _Step:
    path = place / name
    if not os.path.lexists(path):
        note = _WHOLE if place.is_dir() or name != HOOKS[0] else _FOLDER
        return _Step(Change(name, path, "made"), _SHEBANG + _block(note), 0o777 & ~_umask())
    old = b"" if path.is_symlink() else path.read_bytes()
    mine = _BLOCK.search(old)
    if mine is not None:
        note = next((note for note in (_WHOLE, _FOLDER) if note in mine[0]), b"")
        new = _block(note, name if ASIDE.encode() in mine[0] else "")
        new = new if mine[1] else new.removesuffix(b"\n")
        if new == mine[0]:
            return _Step(Change(name, path, "unchanged"), None, 0)
        whole = old[: mine.start()] + new + old[mine.end() :]
        return _Step(Change(name, path, "renewed"), whole, path.stat().st_mode)
    shebang = _SHELL.match(old)
    if shebang is None or not os.access(path, os.X_OK):
        return _put_before(path, name)
    first = shebang[0]
    block = _block() if first.endswith(b"\n") else b"\n" + _block().removesuffix(b"\n")
    return _Step(Change(name, path, "added"), first + block + old[len(first) :], path.stat().st_mode)


def _put_before(path: Path, name: str) -> _Step:
    """Plan to move a hook aside that no lines can be added to: no shell script, a link, or one that git passes over."""
    aside = path.with_name(name + ASIDE)
    if os.path.lexists(aside):
        raise UserError("unsupported", f"{aside} is in the way", "move or delete it first")
    return _Step(Change(name, path, "put before"), _SHEBANG + _block(_WHOLE, name), 0o777 & ~_umask(), aside)


def _taken_out(path: Path, name: str) -> list[Change]:
    """Undo what was done to one hook, and say what; nothing where nothing was."""
    if path.is_symlink() or not path.is_file():
        return []
    old = path.read_bytes()
    mine = _BLOCK.search(old)
    if mine is None:
        return []
    before = old[: mine.start()] if mine[1] else old[: mine.start()].removesuffix(b"\n")
    rest = before + old[mine.end() :]
    aside = path.with_name(name + ASIDE)
    has_aside = ASIDE.encode() in mine[0] and os.path.lexists(aside)
    if has_aside and rest == _SHEBANG:
        aside.replace(path)
        return [Change(name, path, "put back")]
    if rest == _SHEBANG and (_WHOLE in mine[0] or _FOLDER in mine[0]):
        path.unlink()
        if _FOLDER in mine[0] and not any(path.parent.iterdir()):
            path.parent.rmdir()
        return [Change(name, path, "deleted")]
    _write(path, rest, path.stat().st_mode)
    return [Change(name, path, "taken out"), *([Change(name, aside, "left aside")] if has_aside else [])]


def _block(note: bytes = b"", aside: str = "") -> bytes:
    """Give our lines: in a shell of their own, without the hook's input, and well whatever happens.

    In the middle of a rebase nothing is done: git calls post-rewrite once at its end, the others for each commit.
    """
    python, *words = launcher() or ("",)
    here = " ".join(shlex.quote(word) for word in (python, *words, "hook", "--quiet"))
    is_here = f"[ -x {shlex.quote(python)} ] && [ -f {shlex.quote(str(package_folder() / 'codectx' / 'cli.py'))} ]"
    lines = [
        "(",
        '  case "$0" in',
        "  *post-rewrite*) ;;",
        "  *)",
        "    git=$(git rev-parse --git-dir)",
        '    if [ -d "$git/rebase-merge" ] || [ -d "$git/rebase-apply" ]; then exit; fi',
        "    ;;",
        "  esac",
        f"  if {is_here}; then",
        f"    {here}",
        "  elif command -v codectx >/dev/null 2>&1; then",
        "    codectx hook --quiet",
        "  fi",
        ") </dev/null || :",
    ]
    if aside:
        program = f'"$(dirname "$0")"/{aside}{ASIDE}'
        lines += [f"if [ -x {program} ]; then", f'  exec {program} "$@"', "fi"]
    return _BEGIN + note + os.fsencode("".join(f"{line}\n" for line in lines)) + _END


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write a file as a whole or not at all: git may be about to run it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            file.write(data)
        if path.exists():
            shutil.copystat(path, name)
        Path(name).chmod(mode & 0o7777)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Give the mask of this process, which can only be asked for by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
