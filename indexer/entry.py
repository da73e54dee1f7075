"""Name what the index keeps of one file: ``FileEntry``, its chunks, symbols and postings.

An entry is made from the path and text of that file alone, so an index is the set of its entries and nothing else.
It holds no source text: whoever shows a hit reads the file. All lines are 1-based and inclusive.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import IntEnum


class Field(IntEnum):
    """Say where in a chunk a term stands; ranking weighs these apart."""

    NAME = 0  # the chunk's own name and all names defined inside it
    QUALIFIER = 1  # names of its containers
    SIGNATURE = 2
    DOC = 3  # leading comment and docstring
    COMMENT = 4  # comments inside the body
    BODY = 5


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hold one piece of a file that can be a hit; every non-blank line of a file is in exactly one.

    Attributes:
        name: bare name, empty for module code.
        qualified_name: containers and name joined by ``.``; empty for module code; of a part of a document the
            headings above it and its own (``Install / From source``).
        kind: a ``SymbolKind`` value, or ``module`` (code between definitions), ``section`` (part of a document).
        parent: qualified name of the container, None at top level and for module code.
        start: first line, leading comments, decorators and attributes included.
        end: last line.
        part: 0, or 1, 2, … for the parts of a definition that has several chunks: a long function, or a type
            whose members stand between them.
        signature: one line as written, without body; empty for module code.
        digest: 16 bytes that change exactly if the text to embed changes.
        span_start: first line of the definition itself: leading comments left out, decorators not; else ``start``.
        span_end: last line of it, for a function that of all its parts; else ``end``.
    """

    name: str
    qualified_name: str
    kind: str
    parent: str | None
    start: int
    end: int
    part: int
    signature: str
    digest: bytes
    span_start: int
    span_end: int


@dataclass(frozen=True, slots=True)
class Defined:
    """Say that a file defines a name: ``kind`` is a ``SymbolKind`` value, ``chunk`` the chunk's place in its file."""

    name: str
    kind: str
    chunk: int


@dataclass(frozen=True, slots=True)
class Postings:
    """Hold how often which term stands in which field of which chunk, as parallel arrays.

    Attributes:
        terms: the file's distinct terms (lower case, light stem), sorted.
        term: place in ``terms`` (unsigned 32 bits), ascending.
        chunk: place of the chunk in its file (unsigned 32 bits), ascending within a term.
        field: ``Field`` value (unsigned 8 bits).
        count: occurrences, at most 255 (unsigned 8 bits).
    """

    terms: tuple[str, ...]
    term: array[int]
    chunk: array[int]
    field: array[int]
    count: array[int]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Hold all that the index knows of one file.

    Attributes:
        path: POSIX path relative to the root.
        digest: hex digest of the file's bytes.
        language: name from the language table, None where there is none.
        line_count: lines of the file.
        chunks: in order of their first line.
        defined: names that the file defines.
        postings: see there.
        identifiers: CRC-32 (of the UTF-8) of each distinct identifier of more than two characters in its code,
            comments aside, as written (unsigned 32 bits), sorted; of a file without grammar, of each word.
    """

    path: str
    digest: str
    language: str | None
    line_count: int
    chunks: tuple[Chunk, ...]
    defined: tuple[Defined, ...]
    postings: Postings
    identifiers: array[int]
