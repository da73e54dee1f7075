"""Run ``codectx clean``: list indexes that nobody needs any more and delete them, or delete that of one project."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from codectx.commands.arguments import add_project_arguments, open_project, take_folder
from codectx.dispatch import printable
from codectx.errors import EXIT_DONE, EXIT_FAILED, EXIT_LOCKED, UserError, invalid_argument
from codectx.output import write_answer, write_error
from codectx.render import counted, sized

if TYPE_CHECKING:
    from codectx.leftovers import Leftover
    from codectx.project import Project


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the project whose index is to be deleted, and how sure the caller is."""
    parser.add_argument(
        "folder", nargs="?", metavar="DIR", help="delete this project's index; left out, those of vanished projects"
    )
    parser.add_argument("--yes", "-y", action="store_true", help="delete without asking")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")
    parser.add_argument(
        "--store", metavar="LOCATION", help="with DIR: also delete its index in this store, which others may use"
    )
    parser.add_argument("--json", action="store_true", help="give the list as one JSON object")
    add_project_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """List, ask, delete, and give the exit code: 75 where something was left because it is in use."""
    from codectx.leftovers import leftovers

    take_folder(options)
    if options.root is None:
        if options.store:
            raise invalid_argument("--store is about one project", "give its DIR, too")
        found, shared, project = leftovers(), None, None
    else:
        project = open_project(options, os.environ)
        found, shared = _of_project(project), _shared(project, options.store)
    if not options.json:
        _tell(found, shared, project)
    count = len(found) + (shared is not None)
    sure = count > 0 and not options.dry_run and (options.yes or _is_wanted(options, count))
    done = _delete(found, shared) if sure else _Done()
    if options.json:
        record = {
            "found": [_record(each) for each in found],
            "deleted": [str(each.folder) for each in done.deleted],
            "deleted_bytes": sum(each.size for each in done.deleted),
            "store": None if shared is None else {"location": _shown(shared), "deleted": done.is_shared_deleted},
            "in_use": done.locked,
            "failed": done.failed,
        }
        write_answer(printable(json.dumps(record, ensure_ascii=False) + "\n"))
    elif sure:
        freed = sized(sum(each.size for each in done.deleted))
        told = f"deleted: {len(done.deleted)} of {len(found)}, {freed}\n" if found else ""
        if shared is not None and done.is_shared_deleted:
            told += f"deleted: the index in {_shown(shared)}\n"
        if told:
            write_answer(printable(told))
    elif count and not options.dry_run:
        write_answer("nothing was deleted; --yes deletes it\n")
    for line in (*(f"{where} is in use and was left" for where in done.locked), *done.failed):
        write_error(printable(line))
    return EXIT_FAILED if done.failed else EXIT_LOCKED if done.locked else EXIT_DONE


class _Done:
    """Hold what has become of what was to be deleted."""

    def __init__(self) -> None:
        self.deleted: list[Leftover] = []
        self.locked: list[str] = []
        self.failed: list[str] = []
        self.is_shared_deleted = False


def _of_project(project: Project) -> list[Leftover]:
    """Give the index of a project in the cache folder, and its vectors where no other index uses them."""
    from codectx.leftovers import Leftover
    from codectx.stores import cache_folder, local_folder, vectors_folder
    from indexer.tables import size_of
    from indexer.vector_tables import VectorTables

    found: list[Leftover] = []
    place = project.index.place
    folder = local_folder(project.root, project.config.store_uri)
    if folder.is_dir() and folder.is_relative_to(cache_folder()):
        remote = place.store.shown if place.store.is_remote else ""
        found.append(Leftover(folder, "index", str(project.root), "asked for", size_of(folder), remote))
    vectors = vectors_folder(project.root)
    if vectors.is_dir() and not project.config.store_uri:
        others = [user for user in VectorTables(str(vectors)).users() if user != str(folder)]
        if not others:
            users = frozenset(each.folder for each in found)
            size = size_of(vectors)
            found.append(Leftover(vectors, "vectors", str(project.root), "asked for", size, users=users))
    return found


def _shared(project: Project, named: str | None) -> Project | None:
    """Give the project if its index in a store of the user's shall go, too: only one that was named is deleted."""
    if named is None:
        return None
    uri = project.config.store_uri
    if not uri or named.rstrip("/") not in (uri.rstrip("/"), project.index.place.store.location.rstrip("/")):
        raise invalid_argument("--store is not the store of this project", "give what store.uri says")
    place = project.index.place
    return project if place.store.is_remote or place.folder.is_dir() else None


def _shown(project: Project) -> str:
    return project.index.place.store.shown


def _is_wanted(options: argparse.Namespace, count: int) -> bool:
    """Ask whoever sits at the terminal."""
    if options.json or sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    sys.stderr.write(f"delete {'it' if count == 1 else 'all of it'}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _delete(found: list[Leftover], shared: Project | None) -> _Done:
    from codectx.leftovers import cleared

    done = _Done()
    for each in found:  # vectors come last
        if not each.users <= {other.folder for other in done.deleted}:
            done.locked.append(str(each.folder))
        elif _is_done(done, str(each.folder), partial(cleared, each)):
            done.deleted.append(each)
    if shared is not None:
        done.is_shared_deleted = _is_done(done, _shown(shared), partial(_delete_shared, shared))
    return done


def _is_done(done: _Done, where: str, delete: Callable[[], None]) -> bool:
    """Delete something; what is in use or refuses is noted."""
    from indexer.errors import IndexerError
    from indexer.lock import StoreLockedError

    try:
        delete()
    except StoreLockedError:
        done.locked.append(where)
        return False
    except FileNotFoundError:  # deleted by somebody else
        return True
    except IndexerError as error:
        done.failed.append(str(UserError(error.category, str(error))))
        return False
    except OSError as error:
        done.failed.append(str(UserError("unreadable", f"{where} cannot be deleted: {error.strerror}")))
        return False
    return True


def _delete_shared(project: Project) -> None:
    from codectx.leftovers import delete_store

    place = project.index.place
    if place.store.is_remote:
        with place.store.written_by_us():
            place.store.drop_all()
    else:
        delete_store(place.folder)


def _tell(found: list[Leftover], shared: Project | None, project: Project | None) -> None:
    """List what was found, and what stays."""
    lines = []
    for each in found:
        whose = f" of {each.root}" if each.root else ""
        why = "" if each.why == "asked for" else f": {each.why}"
        left = f"; what is in {each.remote} stays" if each.remote and shared is None else ""
        lines.append(f"{each.kind}{whose}{why}, {sized(each.size)}{left}\n  {each.folder}\n")
    if shared is not None:
        lines.append(f"index in the store that was named\n  {_shown(shared)}\n")
    if not lines:
        lines.append("nothing to clean: " + ("no index here\n" if project else "every index has its project\n"))
    elif any(each.why == "root not there" for each in found):
        lines.append("a root that lies on a drive that is not mounted is not there either\n")
    if project is not None and project.config.store_uri and shared is None:
        place = project.index.place
        if not place.store.is_remote and place.folder.is_dir():
            lines.append(f"its index in {_shown(project)} stays; --store deletes it, too\n")
    if len(found) > 1:
        lines.append(f"{counted(len(found), 'folder')}, {sized(sum(each.size for each in found))}\n")
    write_answer(printable("".join(lines)))


def _record(each: Leftover) -> dict[str, Any]:
    return {
        "folder": str(each.folder),
        "kind": each.kind,
        "root": each.root,
        "why": each.why,
        "bytes": each.size,
        "remote": each.remote,
    }
