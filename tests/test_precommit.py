"""The hook of ``.pre-commit-hooks.yaml`` under the real ``pre-commit``: it runs at every stage, and stops nothing."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from codectx.stores import place_of
from indexer.sync import current

ROOT = Path(__file__).parents[1]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
START = "import sys; from codectx.cli import main; sys.exit(main())"
STAGES = ["pre-commit", "post-checkout", "post-merge", "post-rewrite"]
WAIT = 100  # seconds, of which almost nothing is needed

Run = Callable[..., str]


def manifest() -> dict[str, Any]:
    (hook,) = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return dict(hook)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Give a function that runs a program in a repository, as nobody has configured anything, and gives its output."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT", "PIP_"))]:
        monkeypatch.delenv(name)
    own = "[user]\nname = T\nemail = t@example.invalid\n[init]\ndefaultBranch = main\n"
    (tmp_path / "gitconfig").write_text(own, encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    monkeypatch.setenv("PRE_COMMIT_COLOR", "never")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = Path(os.path.realpath(tmp_path)) / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def call(*words: object, cwd: Path = folder) -> str:
        line = [sys.executable, "-m", "pre_commit", *words[1:]] if words[0] == "pre-commit" else words
        done = subprocess.run(
            [str(word) for word in line],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=WAIT,
            check=False,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return call


def in_step(folder: Path) -> bool:
    """Wait until the index holds the working tree."""
    end = time.monotonic() + WAIT
    there = {path.name for path in folder.iterdir() if path.name != ".git"}
    while (found := current(place_of(folder, ""))) is None or {*found.files} != there:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def configure(run: Run, folder: Path, repository: dict[str, Any]) -> None:
    """Make the repository with the hook at all its stages."""
    config = {"default_install_hook_types": STAGES, "repos": [repository]}
    (folder / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
    for name in ("a.py", "b.py", 'it\'s "b" c.py'):
        (folder / name).write_text(f"def of_{ord(name[0])}():\n    return 1\n", encoding="utf-8")
    run("git", "init", "-q")
    run("pre-commit", "install")


def test_the_manifest_is_valid_and_asks_for_no_names(run: Run) -> None:
    run("pre-commit", "validate-manifest", MANIFEST)
    hook = manifest()
    assert (hook["id"], hook["language"], hook["stages"]) == ("codectx-index", "python", STAGES)
    assert hook["always_run"] and hook["require_serial"] and not hook["pass_filenames"]


@pytest.mark.timeout(150)
def test_x55_x56_no_stage_is_stopped_and_deletions_are_seen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Path.cwd()
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    entry = shlex.join([sys.executable, "-P", "-c", START, *shlex.split(manifest()["entry"])[1:]])
    hook = {**manifest(), "language": "system", "entry": entry, "verbose": True}
    hook.pop("minimum_pre_commit_version")
    configure(run, shop, {"repo": "local", "hooks": [hook]})
    run("git", "add", "-A")
    assert "codectx: " in run("git", "commit", "-m", "1")
    assert in_step(shop)
    run("git", "rm", "-q", "b.py")
    assert "codectx: " in run("git", "commit", "-m", "only deletes")
    assert in_step(shop)
    (shop / "a.py").write_text("def staged():\n    return 1\n", encoding="utf-8")
    run("git", "add", "a.py")
    partly = "def staged():\n    return 1\n\n\ndef unstaged():\n    return 2\n"
    (shop / "a.py").write_text(partly, encoding="utf-8")
    assert "codectx: " in run("git", "commit", "-m", "partly staged")
    assert (shop / "a.py").read_text(encoding="utf-8") == partly
    run("git", "commit", "-qam", "the rest")
    assert "codectx: " in run("git", "checkout", "-b", "side", "HEAD~1")
    (shop / "side.py").write_text("SIDE = 1\n", encoding="utf-8")
    run("git", "add", "-A")
    run("git", "commit", "-qm", "side")
    assert "codectx: " in run("git", "checkout", "main")
    assert "codectx: " in run("git", "merge", "--no-edit", "side")
    run("git", "checkout", "-q", "side")
    (shop / "more.py").write_text("MORE = 1\n", encoding="utf-8")
    run("git", "add", "-A")
    run("git", "commit", "-qm", "more")
    assert run("git", "rebase", "main").count("codectx: ") == 2  # post-checkout and post-rewrite
    assert in_step(shop)


@pytest.fixture
def published(tmp_path: Path, run: Run) -> Path:
    """Make a repository of this package as pre-commit clones it."""
    folder = tmp_path / "published"
    for package in ("codectx", "indexer"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", MANIFEST.name):
        shutil.copy(ROOT / name, folder)
    run("git", "init", "-q", cwd=folder)
    run("git", "add", "-Af", cwd=folder)
    run("git", "commit", "-qm", "1", cwd=folder)
    return folder


@pytest.mark.timeout(150)
def test_pre_commit_installs_it_from_its_repository(
    run: Run, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing is downloaded: what it is built with and depends on is taken from where the tests run.
    packages = tmp_path / "packages"
    packages.mkdir()
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(folder).iterdir():
            if entry.name.split("-")[0].split(".")[0].lower() not in ("codectx", "codectx_mcp", "indexer"):
                (packages / entry.name).symlink_to(entry)
    for name, value in {"NO_DEPS": "1", "NO_INDEX": "1", "NO_BUILD_ISOLATION": "0"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    shop = Path.cwd()
    revision = run("git", "rev-parse", "HEAD", cwd=published).strip()
    hook = {"id": "codectx-index", "verbose": True}
    configure(run, shop, {"repo": str(published), "rev": revision, "hooks": [hook]})
    run("git", "add", "-A")
    assert "codectx: " in run("git", "commit", "-m", "1")
    assert in_step(shop)
