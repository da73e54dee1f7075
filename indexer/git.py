"""Ask git about a repository without running anything that the repository brings along: ``run_git``.

A repository's own configuration may name programs (hooks, file system monitors, filters, external diffs, pagers);
all of them are switched off, and nothing is fetched. The environment is never looked up here: the caller hands one
in, or a minimal one is made, so that a surrounding git hook's variables do not lead us to another repository.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import GitError
from indexer.gitdir import has_own_objects, is_own

# Say where repositories and configuration lie in general, and mean the same for every repository.
_KEPT = frozenset(
    {
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
    }
)
# Say which repository, index and objects a git hook is about; kept only on demand.
_LOCATING = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_QUARANTINE_PATH",
        "GIT_WORK_TREE",
    }
)
_USUAL_PATH = os.pathsep.join(("/usr/local/bin", "/opt/homebrew/bin", os.defpath))

_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "diff.external=",
    "log.showSignature=false",
    "protocol.allow=never",  # missing objects of a partial clone are not fetched
    "safe.bareRepository=explicit",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
)
# What a submodule has changed would be found by git inside of it, where its own filters come into play.
_OUTSIDE_ONLY = "--ignore-submodules=dirty"
_DIFF_OPTIONS = ("--no-ext-diff", "--no-textconv", _OUTSIDE_ONLY)
_SAFE_OPTIONS = {
    **dict.fromkeys(("diff", "diff-files", "diff-index", "diff-tree", "log", "show"), _DIFF_OPTIONS),
    "status": (_OUTSIDE_ONLY,),
}
_FILTER_SETTING = re.compile(rb"filter\.(.*)\.(?:clean|smudge|process|required)", re.DOTALL)
_FILTER_OFF = (("clean", ""), ("process", ""), ("required", "false"))
_NO_CONTENT = frozenset({"check-ignore", "config", "ls-files"})  # commands that show nothing of any object
# Where a repository's own files send git, and whether anything is there, is told to nobody.
_NAMES_PATH = re.compile(r"(?:^|[\s'\"`(=:])(?:~?/|\\\\|[A-Za-z]:[\\/])|\.\.[\\/]")
_WRONG_REF = re.compile(
    r"unknown revision|bad revision|ambiguous argument|single revision|bad object|invalid object name"
    r"|not a valid object name|not a valid ref|no upstream|bad source|does not have any commits|log for .* only"
)


@dataclass(frozen=True, slots=True)
class GitOutput:
    """Hold what git wrote and its exit code."""

    out: bytes
    warnings: str
    code: int


def run_git(
    root: Path,
    args: Sequence[str],
    *,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    keep_env: bool = False,
    pathspec_magic: bool = False,
    codes: Collection[int] = (0,),
    stdin: bytes | None = None,
) -> bytes:
    """Run one git command in a folder and give what it wrote to its standard output.

    The caller puts ``--end-of-options`` or ``--`` before anything that came from outside. Options of the diff
    family that would start other programs are switched off here.

    Args:
        root: folder to run in; its nearest ancestor with ``.git`` is the repository.
        args: subcommand and arguments.
        timeout: seconds.
        environment: to be handed on to git, without its ``GIT_*`` variables; None for a minimal one.
        keep_env: hand on those that name repository and index, too: inside a hook of this repository.
        pathspec_magic: whether ``:(exclude)``, ``*`` and the like mean something in paths.
        codes: exit codes that are no error.
        stdin: what git reads; nothing if None.

    Raises:
        GitError: git is missing, failed (its first line is the message, unless that names a path elsewhere) or took
            too long; or the repository is another folder's, or borrows what it holds from elsewhere.
    """
    return git_output(
        root,
        args,
        timeout=timeout,
        environment=environment,
        keep_env=keep_env,
        pathspec_magic=pathspec_magic,
        codes=codes,
        stdin=stdin,
    ).out


def git_output(
    root: Path,
    args: Sequence[str],
    *,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    keep_env: bool = False,
    pathspec_magic: bool = False,
    codes: Collection[int] = (0,),
    stdin: bytes | None = None,
) -> GitOutput:
    """Do as ``run_git``, and give git's warnings and exit code, too."""
    top = git_top(root)
    env = _child_environment(top, environment, keep_env=keep_env)
    env["GIT_LITERAL_PATHSPECS"] = "0" if pathspec_magic else "1"
    command, *rest = args
    if top is not None and not (keep_env and "GIT_DIR" in env):
        if not is_own(top):
            raise GitError("the git repository of this folder belongs to another one, and is not read")
        if command not in _NO_CONTENT and not has_own_objects(top):
            raise GitError("the git repository here takes objects from outside of it, and is not read")
    options = _SAFE_OPTIONS.get(command, ())
    settings = [*_SETTINGS, *_trust(top)]
    if options:  # these read files of the work tree through filters
        env |= _without_filters(root, env, settings, timeout)
    done = _run(root, _line(settings, [command, *options, *rest]), env, timeout, stdin)
    if done.code not in codes:
        raise _failed(done, top)
    return done


def git_root(path: Path) -> Path | None:
    """Give the nearest folder, from ``path`` upwards, that holds ``.git`` (a folder, or the file of a worktree).

    None where that ``.git`` stands for the repository of another folder: nothing is asked of it.
    """
    top = git_top(path)
    return top if top is not None and is_own(top) else None


def git_top(path: Path) -> Path | None:
    """Give the nearest folder, from ``path`` upwards, that holds any ``.git``."""
    for folder in (path, *path.parents):
        try:
            if os.path.lexists(folder / ".git"):
                return folder
        except OSError:
            return None
    return None


def _child_environment(top: Path | None, given: Mapping[str, str] | None, *, keep_env: bool) -> dict[str, str]:
    kept = _KEPT | _LOCATING if keep_env else _KEPT
    base = _minimal() if given is None else given
    env = {name: value for name, value in base.items() if not name.startswith("GIT_") or name in kept}
    env |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",  # messages that we read
        "LANGUAGE": "",
    }
    if top is not None and not (keep_env and "GIT_DIR" in env):
        # If this .git is damaged, git would go on to look for one above.
        above = [
            *env.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep),
            str(top.parent),
            os.path.realpath(top.parent),
        ]
        env["GIT_CEILING_DIRECTORIES"] = os.pathsep.join(folder for folder in dict.fromkeys(above) if folder)
        # The repository's configuration could name any folder as its work tree, and so show us files from there.
        env["GIT_WORK_TREE"] = str(top)
    return env


def _minimal() -> dict[str, str]:
    """Make the environment that git needs to find itself and its user's configuration."""
    env = {"PATH": _USUAL_PATH}
    with contextlib.suppress(ImportError, KeyError):
        import pwd

        env["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
    return env


def _trust(top: Path | None) -> tuple[str, ...]:
    """Let git work in a repository that belongs to another user, as is usual in containers.

    Git refuses it because of the programs that such a repository may name; here none of them is run.
    """
    return () if top is None else (f"safe.directory={top}",)


def _without_filters(root: Path, env: Mapping[str, str], settings: Sequence[str], timeout: float) -> dict[str, str]:
    """Give variables that switch off the filter programs of the repository's own configuration.

    The user's own stay. As variables, because on a command line a name could not hold ``=``.
    """
    off: set[bytes] = set()
    listing = ["--includes", "--null", "--get-regexp", r"^filter\."]
    for scope in ("--local", "--worktree"):
        found = _run(root, _line(settings, ["config", scope, "--name-only", *listing]), env, timeout, None)
        for name in found.out.split(b"\0"):
            setting = _FILTER_SETTING.fullmatch(name)
            if setting is not None:
                off.add(setting[1])
    if not off:
        return {}
    names = [os.fsdecode(name) for name in sorted(off)]
    values = [(f"filter.{name}.{key}", value) for name in names for key, value in _FILTER_OFF]
    switched = {"GIT_CONFIG_COUNT": str(len(values))}
    for n, (key, value) in enumerate(values):
        switched |= {f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": value}
    # Git itself says whether it took all of them; an old one does not know these variables.
    seen = _run(root, _line(settings, ["config", *listing]), {**env, **switched}, timeout, None)
    last = dict(entry.partition(b"\n")[::2] for entry in seen.out.split(b"\0") if entry)
    if seen.code != 0 or any(last.get(os.fsencode(key)) != value.encode() for key, value in values):
        raise GitError("the repository names filter programs that cannot be switched off")
    return switched


def _line(settings: Sequence[str], args: Sequence[str]) -> list[str]:
    return ["--no-pager", *(part for setting in settings for part in ("-c", setting)), *args]


def _run(root: Path, args: Sequence[str], env: Mapping[str, str], timeout: float, stdin: bytes | None) -> GitOutput:
    program = shutil.which("git", path=env.get("PATH", _USUAL_PATH))
    if program is None:
        raise GitError("git is not installed, or not on PATH")
    try:
        process = subprocess.Popen(
            [program, *args],
            cwd=root,
            env=dict(env),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
        raise GitError(f"git could not be started: {error}") from error
    with process:
        try:
            out, warnings = process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise GitError(f"git took more than {timeout:g} seconds", "timeout") from error
        except BaseException:
            process.kill()
            raise
    return GitOutput(out, warnings.decode("utf-8", "replace"), process.returncode)


def _failed(done: GitOutput, top: Path | None) -> GitError:
    lines = [line for line in done.warnings.split("\n") if line.strip()]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
    message = re.sub(r"^(?:fatal|error): ", "", first) or f"git ended with {done.code}"
    if top is not None and "not a git repository" in message.lower():
        message = "the git repository here is damaged"
    elif _NAMES_PATH.search(message):
        message = "git cannot read this repository or its configuration"
    return GitError(message, "bad_ref" if _WRONG_REF.search(message) else "unsupported")
