"""Hold the pages to the program: generated ones are current, and README names everything and shows the truth."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from codectx.tools import TOOLS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def script(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=50, check=False
    )


def test_generated_pages_are_current():
    checked = script("scripts/docs", "--check")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_readme_lists_each_tool_with_its_limit(tool):
    (row,) = re.findall(rf"^\| `{tool.name}\(.*$", README, re.MULTILINE)
    assert re.search(rf"\| {tool.limit:,} \|", row)
    for parameter in tool.parameters:
        assert parameter.name in row or parameter.name == "max_tokens"


def test_examples_of_readme_print_what_it_shows():
    tried = script("scripts/try_readme", "--here")
    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_links_between_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    targets = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8"))
    ]
    assert targets
    assert [f"{page.name}: {target}" for page, target in targets if not (page.parent / target).exists()] == []


def test_code_map_names_every_module():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    modules = [
        path.stem + ("/" if path.is_dir() else "")
        for package in ("codectx", "indexer")
        for path in (ROOT / package).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    ]
    unnamed = [name for name in modules if f"`{name}`" not in page and name != "__init__"]
    assert unnamed == []
