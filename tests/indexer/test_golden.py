"""Compare summaries with the ones kept beside their sources in ``tests/golden/outline/<language>/``.

``python tests/indexer/test_golden.py`` writes them anew; look at the difference before you commit it.
"""

from pathlib import Path

import pytest

from indexer.languages import LANGUAGES, language_of
from indexer.model import FileSummary, Symbol
from indexer.summary import summarize_text

FOLDER = Path(__file__).parent.parent / "golden" / "outline"
SOURCES = sorted(path for path in FOLDER.glob("*/*") if path.suffix != ".txt")


def shown(summary: FileSummary) -> str:
    lines = [f"{summary.language}, {summary.line_count} lines{'' if summary.exact else ', not exact'}"]
    for title, texts in (
        ("about", [summary.description] * bool(summary.description)),
        ("imports", summary.imports),
        ("exports", summary.exports),
        ("problems", [f"{problem.start}-{problem.end} {problem.message}" for problem in summary.problems]),
    ):
        lines += [f"{title}: {' | '.join(texts)}"] if texts else []
    for symbol in summary.symbols:
        lines += [*symbol_lines(symbol)]
    return "\n".join(lines) + "\n"


def symbol_lines(symbol: Symbol) -> list[str]:
    marks = [name for name in ("exported", "is_async") if getattr(symbol, name)]
    marks += [f"receiver {symbol.receiver}"] if symbol.receiver else []
    lines = ["", f"{symbol.start}-{symbol.end} {symbol.kind} {symbol.qualified_name}"]
    lines += [f"  in {symbol.parent}"] if symbol.parent else []
    lines += [f"  named on {symbol.name_line}"] if symbol.name_line != symbol.start else []
    lines += [f"  {', '.join(marks)}"] if marks else []
    lines += [f"  signature: {symbol.signature}"]
    lines += [f"  params: {' | '.join(symbol.params)}"] if symbol.params else []
    lines += [f"  calls: {', '.join(symbol.calls)}"] if symbol.calls else []
    lines += [f"  {'says' if symbol.described else 'body'}: {symbol.description}"] if symbol.description else []
    return lines


def source_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_summary_is_the_one_kept(path):
    kept = path.with_name(path.name + ".txt").read_bytes().decode("utf-8")
    assert shown(summarize_text(path.name, source_of(path))) == kept


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_has_a_sample(language):
    samples = [path for path in SOURCES if path.parent.name == language.name]
    assert samples
    assert all(language_of(path.name) == language for path in samples)


if __name__ == "__main__":
    for source in SOURCES:
        text = shown(summarize_text(source.name, source_of(source)))
        source.with_name(source.name + ".txt").write_bytes(text.encode("utf-8"))
