"""Make what the index keeps of a file: ``entry_of``; and the texts that stand for its chunks: ``texts_to_embed``.

Both are made of the path and text alone, so the same file always gives the same entry. Likely secrets are masked
before anything else looks at the text; all lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

from indexer.chunks import Chunked, chunked
from indexer.entry import Chunk, Defined, FileEntry
from indexer.postings import postings_of
from indexer.secrets import mask
from indexer.terms import parts, words

if TYPE_CHECKING:
    from indexer.chunk_code import Draft
    from indexer.chunk_fields import Fields

__all__ = ["entry_of", "qualified_name", "texts_to_embed"]

SIGNATURE_BYTES = 300  # of a signature in a text to embed
DOC_BYTES = 300
BODY_BYTES = 1200

_WHOLE = frozenset(("function", "method", "constructor", "procedure", "macro"))  # whose parts are one hit
_parts = lru_cache(maxsize=50_000)(parts)  # a container's name comes again in those of all its members
_has_word = re.compile(rb"[0-9A-Za-z\x80-\xff]").search


def entry_of(path: str, text: str, digest: str, *, is_masked: bool = False) -> FileEntry:
    """Make the entry of a file.

    Args:
        path: POSIX path relative to the root.
        text: the whole decoded text.
        digest: of the file's bytes.
        is_masked: whether secrets in the text are masked already.
    """
    found = chunked(path, text if is_masked else mask(text).text)
    texts = map(_texts, found.drafts, found.fields)
    postings, identifiers = postings_of(texts, is_code=found.is_code)
    return FileEntry(
        path=path,
        digest=digest,
        language=found.language,
        line_count=found.line_count,
        chunks=tuple(map(_chunk, found.drafts, found.fields, _embedded(path, found))),
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


def _chunk(draft: Draft, fields: Fields, text: bytes) -> Chunk:
    """Make a chunk; ``text`` stands for it in vectors."""
    owner, title, start, end = draft.owner, draft.title, draft.start, draft.end
    name, parent = "", draft.parent
    if owner is not None:
        name, found = owner.name, owner.found
        if not draft.part:
            start = max(start, found.row)
        if owner.kind in _WHOLE:
            start, end = found.row, found.end_row
    elif title:
        name = title[-1]
    if title:
        parent = " / ".join(title[:-1]) or None
    return Chunk(
        name,
        qualified_name(draft),
        draft.kind,
        parent,
        draft.start + 1,
        draft.end + 1,
        draft.part,
        fields.line,
        _digest(text),
        start + 1,
        end + 1,
    )


def _texts(draft: Draft, fields: Fields) -> tuple[bytes, ...]:
    """Give the text of each ``Field``, in their order."""
    above = " ".join(draft.title[:-1]) if draft.title else draft.parent or ""
    return (" ".join(draft.names).encode("utf-8", "replace"), above.encode("utf-8", "replace"), *fields[:4])


def _embedded(path: str, found: Chunked) -> Iterator[bytes]:
    place = _spoken(path.rpartition(".")[0] or path).encode("utf-8", "replace")
    for draft, (signature, doc, comment, body, _) in zip(found.drafts, found.fields, strict=True):
        said = [signature[:SIGNATURE_BYTES], doc[:DOC_BYTES], (body or comment)[:BODY_BYTES]]
        if not any(map(_has_word, said)):
            yield b""
            continue
        name = _spoken(qualified_name(draft)).encode("utf-8", "replace")
        yield b"\n".join([b"%b %b" % (place, name) if name else place, *filter(None, said)])


@lru_cache(maxsize=10_000)
def _spoken(name: str) -> str:
    return " ".join(chain.from_iterable(map(_parts, words(name))))


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
