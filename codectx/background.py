"""Bring an index in step in a process of its own that nobody waits for.

``look`` says cheaply what there is to do, ``start`` leaves it to a detached process, and ``catch_up`` is what that
process does. Of any number of them one works and one waits; the others are not needed.
"""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codectx.errors import UserError
from codectx.launch import launcher
from indexer.errors import IndexerError

if TYPE_CHECKING:
    from codectx.index import ProjectIndex
    from codectx.project import Project
    from indexer.manifest import Manifest
    from indexer.tree import WalkedFile

WAIT_SECONDS = 120.0  # for others that write the index: the first run on a large repository takes that long
NICENESS = 10  # added to the process's own: whoever has just committed goes on working
OUTCOME = "background.json"  # in the folder of the index: what became of the last run
_NEXT, _RUNNING = "background-next.lock", "background.lock"  # as codectx.leftovers has them
# Git's own variables that say nothing of one repository.
_GENERAL = frozenset(
    {"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH"}
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Work:
    """Say how far an index is behind the files.

    Attributes:
        is_new: there is no index that can be used.
        changed: files whose content is another one, sorted; unknown, and empty, where the index is new.
        removed: files that are gone, likewise.
        is_due: whether a run would do anything; to take down new times of unchanged files is something, too.
        trouble: what kept the last run in the background from its end; empty if nothing did.
        hindrance: why a run could not even begin, nor tell of it later; empty if nothing keeps it.
        writer: process that is writing the index right now; empty if none is.
    """

    is_new: bool = False
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    is_due: bool = False
    trouble: str = ""
    hindrance: str = ""
    writer: str = ""


def foreseen(project: Project) -> Work:
    """Say what is known of a run before the files are looked at."""
    folder = project.index.place.folder
    return Work(is_due=True, trouble=_last_trouble(folder), hindrance=_hindrance(folder))


def look(project: Project, known: Work) -> Work:
    """Add to what is ``foreseen`` how the files differ from what the index was made from, without LanceDB.

    Raises:
        UserError: what is to be indexed is configured wrongly.
    """
    from indexer.sync import current, pending

    index = project.index
    manifest = current(index.place)
    if manifest is None:
        return replace(known, is_new=True, writer=_writer(index.place.lock))
    behind, gone = pending(manifest, index.walk())
    if not behind and not gone:
        return replace(known, is_due=bool(known.trouble))
    changed = sorted(file.path for file in behind if _differs(file, manifest, index))
    removed = sorted(path for path in gone if path in manifest.files)
    return replace(known, changed=tuple(changed), removed=tuple(removed), writer=_writer(index.place.lock))


def start(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command of codectx in a detached process: in a session of its own, without a terminal, heard by nobody.

    Args:
        words: the command and its arguments.
        environment: handed on without the variables by which git tells a hook which repository it is about.

    Raises:
        UserError: unsupported where no process can be started.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith("GIT_") or name in _GENERAL}
    try:
        subprocess.Popen(
            [*(launcher() or ("codectx",)), *words],
            env=kept,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0)
            | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        what = f"nothing can be started in the background: {error.strerror or error}"
        raise UserError("unsupported", what, "`codectx index` brings the index in step") from error


def lower_priority() -> None:
    """Let everything else on the machine go first."""
    if sys.platform != "win32":
        try:
            os.nice(NICENESS)
        except OSError as error:
            logger.debug("the priority of background work stays as it is: %s", error)


def catch_up(project: Project) -> None:
    """Bring the index in step, with the vectors of a configured embedder, and write down what prevented it."""
    folder = project.index.place.folder
    from indexer.lock import StoreLockedError, locked

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with ExitStack() as held:
            try:
                with locked(folder / _NEXT):
                    # Without end, as nobody else will see what has changed since the running one looked.
                    held.enter_context(locked(folder / _RUNNING, math.inf))
            except StoreLockedError:  # the one that waits will see what we have come for
                return
            trouble = _trouble_of(project.index, folder / _NEXT)
            if trouble or (folder / OUTCOME).exists():
                _remember(folder, trouble)
    except Exception as bug:  # nobody hears of it otherwise
        what = f"the index was not brought in step ({type(bug).__name__}: {bug})"
        _remember(folder, str(UserError("unsupported", what)))
        raise


def _trouble_of(index: ProjectIndex, lock: Path) -> str:
    """Do the work, and say what prevented it; vectors are left to whoever takes the lock of the next one."""
    from codectx.project import as_user_error

    def go_on() -> bool:
        try:
            return lock.read_bytes() == str(os.getpid()).encode()  # which we have put there when it was ours
        except OSError:  # deleted, and all of the index with it
            return False

    try:
        report = index.sync(index.walk(), wait_seconds=WAIT_SECONDS)
        if index.embedding.is_configured:
            filled = index.embedding.fill(len(report.manifest.files), wait_seconds=WAIT_SECONDS, go_on=go_on)
            if filled.error is not None:
                raise filled.error
    except UserError as error:
        return str(error)
    except IndexerError as error:
        return str(as_user_error(error))
    finally:
        index.close()
    return ""


def _differs(file: WalkedFile, manifest: Manifest, index: ProjectIndex) -> bool:
    """Say whether a file has other content than it had; a file of which only the times are new does not."""
    from indexer.indexable import why_not_indexed
    from indexer.manifest import digest_of

    known = manifest.files.get(file.path)
    if known is None:
        known = next((seen for each, seen in manifest.skipped if each.path == file.path), None)
    if why_not_indexed(file.path, file.size):
        return file.path in manifest.files
    try:
        digest = digest_of(index.read(file.path))
    except IndexerError:
        return file.path in manifest.files
    return known is None or known.digest != digest


def _writer(lock: Path) -> str:
    """Name the process that writes the index."""
    from indexer.lock import StoreLockedError, locked

    if not lock.exists():
        return ""
    try:
        with locked(lock):
            return ""
    except StoreLockedError as error:
        return error.holder or "unknown"
    except OSError:  # it cannot be written to: whoever has to write will say so
        return ""


def _hindrance(folder: Path) -> str:
    """Say what keeps a file from being written to the folder of the index, which is made if it can be."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"0")
            file.flush()
    except OSError as error:
        what = f"the index cannot be written to {folder}: {error.strerror or error}"
        return str(UserError("unreadable", what, "free space there, or set store.uri to another folder"))
    return ""


def _last_trouble(folder: Path) -> str:
    try:
        return str(json.loads((folder / OUTCOME).read_bytes())["trouble"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _remember(folder: Path, trouble: str) -> None:
    try:
        descriptor = os.open(folder / OUTCOME, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - opened with its mode
            json.dump({"trouble": trouble}, file)
    except OSError as error:
        logger.warning("what prevented the run is not written down: %s", error)
