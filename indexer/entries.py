"""Make what the index keeps of a file: ``entry_of``; and the texts that stand for its chunks: ``texts_to_embed``.

Both are made of the path and text alone, so the same file always gives the same entry. Likely secrets are masked
before anything else looks at the text; all lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from indexer.chunks import Chunked, chunked
from indexer.entry import CHUNKER_VERSION, Chunk, Defined, FileEntry
from indexer.postings import postings_of
from indexer.secrets import mask
from indexer.terms import parts, words

if TYPE_CHECKING:
    from indexer.chunk_code import Draft
    from indexer.chunk_fields import Fields

__all__ = ["CHUNKER_VERSION", "entry_of", "qualified_name", "texts_to_embed"]

SIGNATURE_BYTES = 300  # of a signature in a text to embed
DOC_BYTES = 300
BODY_BYTES = 1200

_WHOLE = frozenset(("function", "method", "constructor", "procedure", "macro"))  # whose parts are one hit
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]")


def entry_of(path: str, text: str, digest: str) -> FileEntry:
    """Make the entry of a file.

    Args:
        path: POSIX path relative to the root.
        text: the whole decoded text.
        digest: of the file's bytes.
    """
    found = chunked(path, mask(text).text)
    texts = (_texts(draft, fields) for draft, fields in zip(found.drafts, found.fields, strict=True))
    postings, identifiers = postings_of(texts, is_code=found.is_code)
    return FileEntry(
        path=path,
        digest=digest,
        language=found.language,
        line_count=found.line_count,
        chunks=tuple(_chunks(path, found)),
        defined=tuple(Defined(*definition) for definition in found.definitions),
        postings=postings,
        identifiers=identifiers,
    )


def texts_to_embed(path: str, text: str, entry: FileEntry) -> list[str]:
    """Give the text that stands for each chunk of an entry of that path and text, in order.

    What tells most comes first, as some models read no more than 128 tokens. Empty where a chunk has no words.
    """
    made = list(_embedded(path, chunked(path, mask(text).text)))
    if [_digest(each) for each in made] != [chunk.digest for chunk in entry.chunks]:
        raise ValueError("the entry is of another text")
    return [each.decode("utf-8", "ignore") for each in made]  # the last character may be cut off


def qualified_name(draft: Draft) -> str:
    """Give containers and name of a chunk; the heading path of a part of a document."""
    return draft.owner.qualified_name if draft.owner is not None else " / ".join(draft.title)


def _chunks(path: str, found: Chunked) -> Iterator[Chunk]:
    for draft, fields, text in zip(found.drafts, found.fields, _embedded(path, found), strict=True):
        parent = draft.parent if not draft.title else " / ".join(draft.title[:-1]) or None
        yield Chunk(
            name=_name(draft),
            qualified_name=qualified_name(draft),
            kind=draft.kind,
            parent=parent,
            start=draft.start + 1,
            end=draft.end + 1,
            part=draft.part,
            signature=fields.line,
            digest=_digest(text),
            **_span(draft),
        )


def _span(draft: Draft) -> dict[str, int]:
    """Give the lines of the definition itself; of a type only those in this chunk, as its members are chunks."""
    start, end = draft.start, draft.end
    if draft.owner is not None:
        start = max(start, draft.owner.found.span.row) if not draft.part else start
        if draft.owner.kind in _WHOLE:
            start, end = draft.owner.found.span.row, draft.owner.found.span.end_row
    return {"span_start": start + 1, "span_end": end + 1}


def _name(draft: Draft) -> str:
    if draft.owner is not None:
        return draft.owner.name
    return draft.title[-1] if draft.title else ""


def _texts(draft: Draft, fields: Fields) -> tuple[bytes, ...]:
    """Give the text of each ``Field``, in their order."""
    above = " ".join(draft.title[:-1]) if draft.title else draft.parent or ""
    return (" ".join(draft.names).encode("utf-8", "replace"), above.encode("utf-8", "replace"), *fields[:4])


def _embedded(path: str, found: Chunked) -> Iterator[bytes]:
    place = _spoken(path.rpartition(".")[0] or path)
    for draft, fields in zip(found.drafts, found.fields, strict=True):
        said = [
            fields.signature[:SIGNATURE_BYTES],
            fields.doc[:DOC_BYTES],
            (fields.body or fields.comment)[:BODY_BYTES],
        ]
        title = f"{place} {_spoken(qualified_name(draft))}".rstrip().encode("utf-8", "replace")
        yield b"\n".join([title, *filter(None, said)]) if any(map(_WORD.search, said)) else b""


@lru_cache(maxsize=10_000)
def _spoken(name: str) -> str:
    return " ".join([part for word in words(name) for part in parts(word)])


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
