"""Hold a copy of a repository that may be torn apart: ``Workspace``, with git and nothing of the user's settings."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

GIT_SECONDS = 60.0


class Workspace:
    """Hold a folder for everything a run needs: the copy, the cache, a home without settings.

    Args:
        top: an empty folder.

    Attributes:
        root: real path of the copy.
        environment: for every process of the run.
    """

    def __init__(self, top: Path) -> None:
        self.top = Path(os.path.realpath(top))
        self.root = self.top / "repo"
        home = self.top / "home"
        home.mkdir(parents=True, exist_ok=True)
        settings = '[user]\nname = chaos\nemail = chaos@invalid\n[protocol "file"]\nallow = always\n'
        settings += "[init]\ndefaultBranch = main\n[gc]\nauto = 0\n[commit]\ngpgSign = false\n[core]\neditor = true\n"
        (home / ".gitconfig").write_text(settings, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "CODECTX_"))}
        self.environment = {
            **kept,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(self.top / "cache"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "CODECTX_EMBEDDER": "none",
        }

    def copy(self, repository: Path) -> None:
        """Take a repository; a folder that is none becomes one."""
        if (repository / ".git").exists():
            self._run(["git", "clone", "--quiet", "--no-hardlinks", str(repository), str(self.root)], self.top)
            self.git("checkout", "--quiet", "-B", "main")
        else:
            shutil.copytree(repository, self.root, symlinks=True)
            self.begin()

    def begin(self) -> None:
        """Make the folder a repository and commit what there is."""
        self.root.mkdir(exist_ok=True)
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "begin")

    def git(self, *arguments: str, at: Path | None = None) -> bool:
        """Run git; False where it refuses, which is as good as a change."""
        return self._run(["git", *arguments], at or self.root).returncode == 0

    def told(self, *arguments: str) -> list[str]:
        """Give the lines that git prints."""
        return [line for line in self._run(["git", *arguments], self.root).stdout.split("\n") if line]

    def files(self) -> list[str]:
        """Give the paths of the regular files that are not ignored, as git names them, sorted."""
        listed = self._run(["git", "ls-files", "-z", "-co", "--exclude-standard"], self.root).stdout.split("\0")
        there = {name for name in listed if name and not name.endswith("/")}
        return sorted(name for name in there if _is_file(self.root / name))

    def choose(self, chance: Random, endings: Sequence[str] = ()) -> str | None:
        """Choose one of the files, of some endings if there are any such."""
        files = self.files()
        wanted = [name for name in files if name.endswith(tuple(endings))] if endings else files
        return chance.choice(wanted or files) if files else None

    def _run(self, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=GIT_SECONDS,
            check=False,
        )


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
