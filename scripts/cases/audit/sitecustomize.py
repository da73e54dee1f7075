"""Note what a Python process opens, stats and lists below some folders; loaded by PYTHONPATH alone.

``CASES_AUDIT`` is a JSON object: ``log``, a file that gets a line for each such access and one for each process that
is watched, and ``folders``. Whoever else has a ``sitecustomize`` gets his turn afterwards.
"""

# os is what is watched here, and pathlib is not loaded yet:
# ruff: noqa: PTH100, PTH109, PTH115, PTH118, PTH120

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import json
import os
import sys

TYPE_CHECKING = False  # `typing` costs every watched process 10 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_EVENTS = {"open": "open", "os.scandir": "list", "os.listdir": "list"}
_CALLS = ("stat", "lstat", "access", "readlink")


def _watch(log: str, folders: list[str]) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    busy: list[bool] = []

    def note(what: str, path: Any, dir_fd: int | None = None) -> None:
        if busy or path is None:
            return
        busy.append(True)
        try:
            full = _full(path, dir_fd)
            if any(full.startswith(folder + os.sep) or (what == "list" and full == folder) for folder in folders):
                os.write(descriptor, f"{what} {full}\n".encode("utf-8", "surrogateescape"))
        finally:
            busy.pop()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in _EVENTS:
            note(_EVENTS[event], args[0] if args[0] is not None else ".")

    for name in _CALLS:
        setattr(os, name, _noting(getattr(os, name), name, note))
    sys.addaudithook(hook)
    os.write(descriptor, f"watched {os.getpid()}\n".encode())


def _noting(original: Callable[..., Any], name: str, note: Callable[..., None]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(path: Any, *args: Any, **kwargs: Any) -> Any:
        note(name, path, kwargs.get("dir_fd"))
        return original(path, *args, **kwargs)

    for able in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if original in able:
            able.add(call)
    return call


def _full(path: Any, dir_fd: int | None) -> str:
    if isinstance(path, int):
        return _of_descriptor(path)
    start = os.getcwd() if dir_fd is None else _of_descriptor(dir_fd)
    return os.path.normpath(os.path.join(start, os.fsdecode(path)))


def _of_descriptor(number: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""


def _next_in_line() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    rest = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if "CASES_AUDIT" in os.environ:
    _watch(**json.loads(os.environ["CASES_AUDIT"]))
_next_in_line()
