"""Find code by what it does: the best places for a question, each with its address and its best lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.errors import UserError, invalid_argument
from codectx.project import Project
from codectx.render import clipped, counted, joined, shown_path, tidy, visible
from codectx.tool import Param, tool
from indexer.errors import IndexerError
from indexer.secrets import MASK, mask_lines

if TYPE_CHECKING:
    from codectx.searching import Searched
    from indexer.search import Found, Hit

MAX_HITS = 50
HIT_CHARS = 440  # of the lines of a hit: five hits take about 1,200 tokens
MAX_LINE = 160  # characters of a line
MAX_NAMED = 6  # words that a notice or an abstention names


def semantic_search(
    project: Project,
    query: Annotated[str, Param("What the code does, a name, or an error message", min_length=1, max_length=2000)],
    k: Annotated[int, Param("Places at most", minimum=1, maximum=MAX_HITS)] = 5,
    path: Annotated[str, Param("Folder or file")] = ".",
    after: Annotated[int, Param("Continue after this many", minimum=0, maximum=MAX_HITS)] = 0,
) -> Answer:
    """Where is the code that does this? The best functions by meaning, in English or Chinese, with their best lines."""
    question = " ".join(query.split())
    if not question:
        raise invalid_argument("query is blank", "ask in words what the code does")
    located = project.resolve(path)
    from codectx.searching import searched

    result = searched(project, question, min(after + k, MAX_HITS), located.path)
    hits = result.found.hits[after:]
    if not result.found.hits:
        return _nothing(project, question, located.path, result)
    return _answer(project, question, located.path, after, hits, result)


def _answer(project: Project, question: str, under: str, after: int, hits: Sequence[Hit], result: Searched) -> Answer:
    found = result.found
    read = [(hit, list(_lines(project, hit, found.terms))) for hit in _grouped(hits)]
    stale = result.stale_now(project, {hit.path for hit in hits})
    blocks = [_block(hit, rows, is_stale=hit.path in stale) for hit, rows in read]

    def frame(shown: Shown) -> Frame:
        arguments: dict[str, str | int] = {"query": question, "k": len(hits) - shown.blocks}
        if under != ".":
            arguments["path"] = under
        following = Call("semantic_search", {**arguments, "after": after + shown.blocks})
        return Frame(_head(found), shown.blocks, len(hits), "places", following)

    masked = [f"{shown_path(hit.path)}:{number}" for hit, rows in read for number, line in rows if MASK in line]
    secret = (f"masked: likely secrets in {joined(masked, 60)}",) if masked else ()
    return Answer(
        blocks,
        frame,
        notices=(*result.notices, *secret),
        data={"query": question, "confidence": str(found.confidence), "missing": list(found.missing)},
        items="hits",
    )


def _head(found: Found) -> str:
    from indexer.search import Confidence

    head = f"best {counted(len(found.hits), 'place')}"
    if found.confidence is Confidence.LOW:
        head += ", low confidence"
    elif found.confidence is Confidence.PARTIAL:
        head += "; the name itself is nowhere"
    if found.confidence is not Confidence.NORMAL and found.missing:
        head += f"; not found: {_named(found.missing)}"
    return head


def _grouped(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Give the first hit of each file, best first; then the others, those of one class one after the other."""
    seen: set[str] = set()
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        if hit.path in seen:
            groups.setdefault((hit.path, hit.qualified_name.rpartition(".")[0]), []).append(hit)
        else:
            seen.add(hit.path)
            yield hit
    for group in groups.values():
        yield from group


def _block(hit: Hit, rows: Sequence[tuple[int, str]], *, is_stale: bool) -> Block:
    head = f"{shown_path(hit.path)}:{hit.start}-{hit.end}"
    if hit.qualified_name:
        head += f" {clipped(visible(hit.qualified_name), 80)}"
    head += f" ({hit.relevance:.2f})" + (" [stale: the file is changing]" if is_stale else "")
    signature = f"{hit.start}: {clipped(visible(tidy(hit.signature)), MAX_LINE)}\n" if hit.signature else ""
    data = {
        "path": hit.path,
        "name": hit.qualified_name or hit.name,
        "kind": hit.kind,
        "parent": hit.qualified_name.rpartition(".")[0] or None,
        "lines": [hit.start, hit.end],
        "relevance": hit.relevance,
        "signature": hit.signature,
        "text": "\n".join(text for _, text in rows),
    }
    whole = "".join(f"{number}: {clipped_line(text)}\n" if number else f"{text}\n" for number, text in rows)
    return Block(tuple(dict.fromkeys((f"{head}\n{whole}", f"{head}\n{signature}", f"{head}\n"))), data=data)


def _lines(project: Project, hit: Hit, terms: Mapping[str, float]) -> Iterator[tuple[int, str]]:
    """Give the best lines of a hit with their numbers, and a mark without number where some are left out."""
    from indexer.search import best_lines
    from indexer.text import decode

    try:
        text = decode(project.index.read(hit.path), hit.path).text
    except (IndexerError, UserError):
        return  # gone since it was found; its place is told as stale
    lines = mask_lines(text, hit.shown_start, hit.shown_end)
    end = 0
    for part in best_lines(lines, terms, HIT_CHARS, max(hit.start - hit.shown_start, 0)):
        if part.start > end:
            yield 0, "…"
        for place in part:
            yield hit.shown_start + place, lines[place]
        end = part.stop
    if end < len(lines):
        yield 0, "…"


def clipped_line(text: str) -> str:
    """Give a line as it is, with its indentation, but not more of it than ``MAX_LINE``."""
    shown = visible(text)
    return shown if len(shown) <= MAX_LINE else f"{shown[: MAX_LINE - 3]}..."


def _nothing(project: Project, question: str, under: str, result: Searched) -> Answer:
    found = result.found
    told = f'nothing here answers "{visible(clipped(question, 80))}"'
    if why := _why_not_indexed(project, under):
        told += f"; {shown_path(under)} is not in the index: {why}"
    elif found.unknown:
        told += f"; in no indexed file: {_named(found.unknown)}"
    elif found.missing:
        told += f"; not together: {_named(found.missing)}"
    if found.closest:
        told += f"; near: {_named(found.closest)}"
    if under != ".":
        told += f"; elsewhere: {Call('semantic_search', {'query': question})}"
    else:
        word = (found.closest or found.missing or (question,))[0]
        told += f"; as text: {Call('grep', {'pattern': word, 'ignore_case': True})}"
    data = {
        "query": question,
        "confidence": str(found.confidence),
        "missing": list(found.missing),
        "closest": list(found.closest),
    }
    return Answer((), lambda _: Frame(told), notices=result.notices, data=data, items="hits", found=False)


def _why_not_indexed(project: Project, path: str) -> str:
    """Say why a file is in no index; nothing where it is in one, or is a folder."""
    state = project.index.live.state
    if state is None or path in state.manifest.files:
        return ""
    left = (*project.walk(path).skipped, *(each for each, _ in state.manifest.skipped)) if path != "." else ()
    return next((each.detail for each in left if each.path == path), "")


def _named(words: Sequence[str]) -> str:
    more = len(words) - MAX_NAMED
    return ", ".join(visible(word) for word in words[:MAX_NAMED]) + (f", +{more}" if more > 0 else "")


TOOL = tool(semantic_search, title="Search by meaning", limit=1500, meta={"anthropic/alwaysLoad": True})
