"""Build the wheel, look into it, install it, and start it where a stranger's `indexer` lies in wait."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TRAP = "from pathlib import Path\nPath(__file__).with_name('sprung').touch()\n"


def run(*command, cwd, **environment):
    """Run a command to its end, without our own PYTHONPATH."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**inherited, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def codectx(wheel, tmp_path_factory):
    """Install the wheel alone; its dependencies are those of this environment, so that nothing is downloaded."""
    environment = tmp_path_factory.mktemp("installed")
    made = run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=environment)
    assert made.returncode == 0, made.stderr
    python = environment / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    installed = run(*pip, "install", "--no-deps", "--no-index", "--no-compile", wheel, cwd=environment)
    assert installed.returncode == 0, installed.stderr
    (packages,) = environment.glob("lib/python*/site-packages")
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "dependencies.pth").write_text("\n".join(sorted(here)), encoding="utf-8")
    return environment / "bin" / "codectx"


@pytest.fixture
def trapped(tmp_path):
    """Make a project with a package named as ours, which leaves a file `sprung` when it is imported."""
    (tmp_path / "indexer").mkdir()
    (tmp_path / "indexer" / "__init__.py").write_text(TRAP, encoding="utf-8")
    (tmp_path / "codectx.toml").touch()
    return tmp_path


def test_wheel_holds_both_packages_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    (info,) = {top for top in tops if top.endswith(".dist-info")}
    assert tops == {"codectx", "indexer", info}
    source = {
        path.relative_to(ROOT).as_posix()
        for package in ("codectx", "indexer")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if not name.startswith(info)} == source
    assert {"codectx/py.typed", "indexer/py.typed"} <= source
    assert any(name.endswith(".scm") for name in source)
    assert any(name.startswith("codectx/data/") and name.endswith(".gz") for name in source)
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/NOTICE"} <= set(names)


def test_version_is_the_same_everywhere(codectx, wheel, tmp_path):
    assert run(codectx, "--version", cwd=tmp_path).stdout == f"codectx {wheel.name.split('-')[1]}\n"


def test_installed_command_runs_without_the_checkout(codectx, tmp_path):
    (tmp_path / "codectx.toml").touch()
    (tmp_path / "a.py").write_text("def f(a, b=1):\n    return a + b\n", encoding="utf-8")
    summary = run(codectx, "summarize", "a.py", cwd=tmp_path)
    assert summary.returncode == 0, summary.stderr
    assert "f(a, b=1)" in summary.stdout


@pytest.mark.parametrize("arguments", [("--version",), ("read-lines", "indexer/__init__.py")])
def test_code_of_the_served_project_never_runs(codectx, trapped, arguments):
    started = run(codectx, *arguments, cwd=trapped)
    assert started.returncode == 0, started.stderr
    assert started.stdout
    assert not (trapped / "indexer" / "sprung").exists()


def test_a_package_that_hides_ours_is_refused(codectx, trapped):
    started = run(codectx, "--version", cwd=trapped, PYTHONPATH=".")
    assert started.returncode != 0
    assert "indexer" in started.stderr.strip().split("\n")[-1]
    assert "PYTHONPATH" in started.stderr.strip().split("\n")[-1]
    assert not (trapped / "indexer" / "sprung").exists()


def test_the_trap_works(trapped):
    assert run(sys.executable, "-c", "import indexer", cwd=trapped).returncode == 0
    assert (trapped / "indexer" / "sprung").exists()
