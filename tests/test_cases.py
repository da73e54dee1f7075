"""Run the cases from public bug reports against the installed product.

``cases/not_yet.txt`` lists those that may still fail; one of them that passes fails here, so that the list only
shrinks. All chosen cases run at once, two at a time, in the first test that needs one.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests/cases"
NAMES = sorted(file.stem for file in (FOLDER / "cases").glob("*.yaml"))
NOT_YET = {
    line for line in (FOLDER / "not_yet.txt").read_text(encoding="utf-8").split("\n") if line[:1] not in ("", "#")
}
LONGEST_SECONDS = 1500  # of all cases together, on a machine with other work


def product():
    """Give the command: what the environment names, else what is installed beside this Python, else the checkout."""
    installed = shutil.which("codectx", path=str(Path(sys.executable).parent))
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from codectx.cli import main; sys.exit(main())"
    return os.environ.get("CODECTX") or installed or shlex.join([sys.executable, "-P", "-c", start])


@pytest.fixture(scope="module")
def verdicts(request, tmp_path_factory):
    """Give the verdict of each chosen case by its name."""
    names = [item.callspec.params["name"] for item in request.session.items if item.function is test_case]
    file = tmp_path_factory.mktemp("cases") / "verdicts.json"
    words = [sys.executable, ROOT / "scripts/run_cases.py", FOLDER, "--json", file, "--codectx", product()]
    ids = [word for name in names for word in ("--id", name)]
    done = subprocess.run([*words, *ids], capture_output=True, encoding="utf-8", timeout=LONGEST_SECONDS, check=False)
    assert file.exists(), done.stderr
    return json.loads(file.read_text(encoding="utf-8"))["cases"]


@pytest.mark.timeout(LONGEST_SECONDS)
@pytest.mark.parametrize("name", NAMES)
def test_case(name, verdicts):
    verdict = verdicts[name]
    if verdict["outcome"] == "skipped":
        pytest.skip(verdict["reasons"][0])
    if name in NOT_YET:
        assert verdict["outcome"] == "failed", f"{name} passes: take it out of tests/cases/not_yet.txt"
        pytest.xfail("; ".join(verdict["reasons"]))
    assert verdict["reasons"] == []


def test_the_list_of_cases_that_may_fail_names_cases():
    assert NOT_YET - set(NAMES) == set()
