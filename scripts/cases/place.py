"""Make the folder of one case: its files, its own home, store and configuration, and the environment of it all.

``Place.make`` writes the files and runs the setup lines; ``Place.remove`` ends what is still running in it, makes
everything writable again and removes it. ``case`` is the project root unless the case names another.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases import product
from cases.verdict import CaseError, Skipped

_NOBODY, _POWERLESS = 65534, 0  # user ids; root without its powers obeys permissions as others do
_AS_USER = (
    "import ctypes, os, sys\n"
    "user = int(sys.argv[1])\n"
    "if os.geteuid() == 0 and user:\n"
    "    os.setgroups([]); os.setgid(user); os.setuid(user)\n"
    "elif os.geteuid() == 0:\n"
    "    for power in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH\n"
    "        ctypes.CDLL(None).prctl(24, power, 0, 0, 0)  # PR_CAPBSET_DROP\n"
    "os.execvp(sys.argv[2], sys.argv[2:])\n"
)
_VOLUME_SIZE = "256m"
_STEP_SECONDS = 120  # longest run of one shell line


@dataclass
class Place:
    """Hold where a case lives.

    Attributes:
        base: the temporary folder that holds everything.
        root: the project root.
        store: the index directory.
        env: the environment of the product and of shell steps.
        user: the user that everything runs as, None for ourselves.
        mounted: whether the store has a file system of its own.
    """

    base: Path
    root: Path
    store: Path
    env: dict[str, str]
    user: int | None = None
    mounted: bool = False

    @property
    def case(self) -> Path:
        """Give the folder that the case's paths are relative to."""
        return self.base / "case"

    @property
    def configuration(self) -> Path:
        """Give the folder of user configurations."""
        return Path(self.env["XDG_CONFIG_HOME"])

    @classmethod
    def make(cls, case: Mapping[str, Any], command: Sequence[str], *, own_store: bool) -> Place:
        """Write the files of a case and run its setup.

        Args:
            case: the case.
            command: the product's command, its words.
            own_store: whether the product is told where the store is; else it is where it is by default.
        """
        base = Path(os.path.realpath(tempfile.mkdtemp(prefix="codectx-case-")))
        base.chmod(0o755)
        for name in ("case", "outside", "home", "tmp", "bin", "volume", *(f"xdg/{kind}" for kind in _XDG.values())):
            (base / name).mkdir(parents=True)
        (base / "xdg/run").chmod(0o700)
        store = base / "volume/store" if own_store else product.default_store(base / "xdg/cache")
        root = Path(os.path.normpath(base / "case" / case.get("root", ".")))
        place = cls(base, root, store, _environment(base, root, store, case))
        try:
            place._settle_needs(case.get("needs", ()), command)
            place._write_command(command)
            _write_files(place, case["files"])
            place._hand_over()
            for line in case.get("setup", ()):
                place.run_line(line, cwd=place.case, env=place._setup_env(case.get("env", {})))
        except BaseException:
            place.remove()
            raise
        return place

    def fill(self, value: Any) -> Any:
        """Put the places in for ``$ROOT``, ``$STORE`` and ``$CODECTX``, in all texts of a value."""
        if isinstance(value, str):
            for name in ("ROOT", "STORE", "CODECTX"):
                value = value.replace(f"${name}", self.env[name])
            return value
        if isinstance(value, Mapping):
            return {key: self.fill(item) for key, item in value.items()}
        return [self.fill(item) for item in value] if isinstance(value, list) else value

    def run_line(self, line: str, *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        """Run a bash line; one that fails is an error of the case."""
        words = [*self.as_user(), "bash", "-euo", "pipefail", "-c", line]
        done = subprocess.run(
            words,
            cwd=cwd or self.root,
            env=env or self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_STEP_SECONDS,
            check=False,
        )
        if done.returncode:
            told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-500:]
            raise CaseError(f"`{line[:120]}` ended with {done.returncode}: {told}")

    def as_user(self) -> list[str]:
        """Give the words that go before a command, so that it runs as the case's user."""
        return [] if self.user is None else [sys.executable, "-I", "-c", _AS_USER, str(self.user)]

    def leave_free(self, kib: int | None) -> None:
        """Fill the store's file system but for ``kib`` KiB, or empty it again."""
        ballast = self.base / "volume/ballast"
        ballast.unlink(missing_ok=True)
        if kib is None:
            return
        free = os.statvfs(ballast.parent)
        size = free.f_bavail * free.f_frsize - kib * 1024
        if size > 0:
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)

    def remove(self) -> None:
        """End what still runs here, and remove everything."""
        _end_strays(self.env["CODECTX"])
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.base / "volume")], capture_output=True, check=False)
        for _ in range(3):
            _make_writable(self.base)
            shutil.rmtree(self.base, ignore_errors=True)
            if not self.base.exists():
                return
            time.sleep(0.1)  # a process that was ended may have been writing until then
        raise CaseError(f"{self.base} cannot be removed")

    def _settle_needs(self, needs: Sequence[str], command: Sequence[str]) -> None:
        if "case_sensitive_fs" in needs:
            (self.base / "tmp/letter").touch()
            if (self.base / "tmp/LETTER").exists():
                raise Skipped("the file system does not tell upper case from lower case")
        if "mount" in needs:
            words = ["mount", "-t", "tmpfs", "-o", f"size={_VOLUME_SIZE}", "tmpfs", str(self.base / "volume")]
            if shutil.which("mount") is None or subprocess.run(words, capture_output=True, check=False).returncode:
                raise Skipped("no file system can be mounted here")
            self.mounted = True
        if "not_root" in needs and os.geteuid() == 0:
            self._become_another(command)

    def _become_another(self, command: Sequence[str]) -> None:
        """Choose a user without root's powers that can run the product."""
        closed = self.base / "tmp/closed"
        closed.touch(0o000)
        for user in (_NOBODY, _POWERLESS):
            self.user = user
            words = (["cat", str(closed)], [*command, "--version"], ["test", "-d", str(self.base)])
            probes = [[*self.as_user(), *each] for each in words]
            ends = [subprocess.run(p, cwd="/", env=self.env, capture_output=True, check=False) for p in probes]
            if ends[0].returncode != 0 and ends[1].returncode == ends[2].returncode == 0:
                return
        raise Skipped("the product cannot be run as another user than root")

    def _write_command(self, command: Sequence[str]) -> None:
        """Put the command into the case's own folder of programs: what runs here is known by it."""
        file = Path(self.env["CODECTX"])
        file.write_text(f'#!/bin/sh\nexec {shlex.join([*self.as_user(), *command])} "$@"\n', encoding="utf-8")
        file.chmod(0o755)

    def _hand_over(self) -> None:
        """Give everything to the case's user."""
        if self.user is not None and self.user != _POWERLESS:
            for folder, _, files in os.walk(self.base):
                for path in (folder, *(os.path.join(folder, name) for name in files)):  # noqa: PTH118
                    os.chown(path, self.user, self.user, follow_symlinks=False)

    def _setup_env(self, own: Mapping[str, str]) -> dict[str, str]:
        """Give the environment of setup lines: without the case's own variables but for its XDG folders."""
        return {name: value for name, value in self.env.items() if name not in own or name.startswith("XDG")}


_XDG = {
    "XDG_CONFIG_HOME": "config",
    "XDG_CACHE_HOME": "cache",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "XDG_RUNTIME_DIR": "run",
}


def _environment(base: Path, root: Path, store: Path, case: Mapping[str, Any]) -> dict[str, str]:
    """Give an environment that nothing of ours leaks into."""
    env = {
        "PATH": f"{base / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(base / "home"),
        "TMPDIR": str(base / "tmp"),
        "LANG": "C.UTF-8",
        "ROOT": str(root),
        "STORE": str(store),
        "CODECTX": str(base / "bin/codectx"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    }
    env |= {name: str(base / "xdg" / kind) for name, kind in _XDG.items()}
    own = case.get("env", {})
    return env | {name: value.replace("$ROOT", str(root)) for name, value in own.items()}


def _write_files(place: Place, files: Mapping[str, Any]) -> None:
    for path, data in contents(files).items():
        if path.startswith("@outside/"):
            full = Path(os.path.normpath(place.base / "outside" / path.removeprefix("@outside/")))
        else:
            full = place.case / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data)


def contents(files: Mapping[str, Any]) -> dict[str, bytes]:
    """Give the bytes of a case's files by path."""
    found: dict[str, bytes] = {}
    for path, value in files.items():
        if path == "*":
            found |= {name: _bytes(text) for name, text in evaluate(value["py_files"]).items()}
        else:
            found[path] = _bytes(value if isinstance(value, str) else evaluate(value["py"]))
    return found


def evaluate(expression: str) -> Any:
    """Give the value of a Python expression in a case; cases are as trusted as test code."""
    try:
        return eval(expression, {})
    except Exception as error:
        raise CaseError(f"{expression[:80]!r} fails: {error!r}") from error


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8")


def _make_writable(base: Path) -> None:
    base.chmod(stat.S_IRWXU)
    for folder, names, _ in os.walk(base):
        for path in (Path(folder, name) for name in names):
            if not path.is_symlink():
                path.chmod(stat.S_IRWXU)


def _end_strays(marker: str) -> None:
    """End processes that the case has started and that have let go of us: known by their environment."""
    proc = Path("/proc")
    if not proc.is_dir():
        return
    wanted = f"CODECTX={marker}\0".encode()
    for entry in proc.iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if wanted in (entry / "environ").read_bytes() + b"\0":
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue  # it is gone, or not ours
