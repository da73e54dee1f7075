"""Count which terms stand in which field of which chunk of a file, and list its identifiers: ``postings_of``.

The whole file is counted at once: words become numbers, and numpy does the rest.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, compress, count
from typing import TYPE_CHECKING
from zlib import crc32

from indexer.entry import Field, Postings
from indexer.terms import PIECE_MARK, PIECE_SIGN, Remembered, remembered_terms, tokens, words_in

if TYPE_CHECKING:
    import numpy as np

MAX_COUNT = 255
SHORTEST_IDENTIFIER = 3  # characters

_PROSE = (Field.DOC, Field.COMMENT)


def postings_of(chunks: Iterable[Sequence[bytes]], *, is_code: bool) -> tuple[Postings, array[int]]:
    """Count the terms of a file's chunks.

    Args:
        chunks: of each the texts of all fields, in order of ``Field``, in UTF-8.
        is_code: comments and docs give no identifiers; of a text that is no code, all words are such.

    Returns:
        the postings, and the CRC-32 of each distinct identifier, sorted.
    """
    import numpy as np

    texts = list(chain.from_iterable(chunks))
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    mark = numbers[PIECE_SIGN]
    found = tokens((b" " + PIECE_MARK + b" ").join(texts))
    word = np.fromiter(map(numbers.__getitem__, found), np.int32, len(found))
    piece = np.cumsum(word == mark, dtype=np.int32)
    distinct = list(numbers)
    if is_code:
        tells = np.array([field not in _PROSE for field in Field] * (len(texts) // len(Field)), bool)
        is_used = np.bincount(word[tells[piece]], minlength=len(distinct)) > 0
        used: Iterable[str] = compress(distinct, is_used.tolist())
    else:
        used = distinct
    return _counted(distinct, word, piece, len(texts)), _crcs(used)


def _counted(distinct: list[str], word: np.ndarray, piece: np.ndarray, pieces: int) -> Postings:
    """Put each word's terms in its place, sort, and count what is equal.

    Args:
        distinct: the words.
        word: the number of each that stands in the file, in order.
        piece: for each of these the number of the text that it stands in.
        pieces: how many texts there are.
    """
    import numpy as np

    terms_of = list(map(remembered_terms, distinct))
    ranks: defaultdict[str, int] = defaultdict(count().__next__)
    flat = list(map(ranks.__getitem__, chain.from_iterable(terms_of)))
    terms = sorted(ranks)
    bits = pieces.bit_length()
    width = np.int32 if len(terms) << bits < 1 << 31 else np.int64
    rank = np.empty(len(terms), np.int64)
    rank[list(map(ranks.__getitem__, terms))] = np.arange(len(terms), dtype=np.int64) << bits

    lengths = np.fromiter(map(len, terms_of), np.int32, len(terms_of))
    repeats = lengths[word]
    ends = np.cumsum(repeats, dtype=np.int32)
    first = (np.cumsum(lengths, dtype=np.int32) - lengths)[word] - ends + repeats
    total = int(ends[-1]) if len(ends) else 0
    at = np.repeat(first, repeats) + np.arange(total, dtype=np.int32)
    key = rank.astype(width)[flat][at] | np.repeat(piece, repeats)
    key.sort()
    is_first = np.empty(total + 1, bool)
    is_first[0] = is_first[total] = True
    np.not_equal(key[1:], key[:-1], out=is_first[1:-1])
    bounds = is_first.nonzero()[0] if total else np.zeros(1, np.int64)
    begins = bounds[:-1]
    times = np.minimum(bounds[1:] - begins, MAX_COUNT)
    key = key[begins]
    place = (key & ((1 << bits) - 1)).astype(np.uint32)
    chunk = place // len(Field)
    return Postings(
        tuple(terms),
        array("I", (key >> bits).astype(np.uint32).tobytes()),
        array("I", chunk.tobytes()),
        array("B", (place - chunk * len(Field)).astype(np.uint8).tobytes()),
        array("B", times.astype(np.uint8).tobytes()),
    )


def _crcs(used: Iterable[str]) -> array[int]:
    return array("I", sorted(set(chain.from_iterable(map(_CRCS.__getitem__, used)))))


def _crcs_of(token: str) -> tuple[int, ...]:
    written = (token,) if token.isascii() else words_in(token)
    return tuple(
        [crc32(word.encode()) for word in written if len(word) >= SHORTEST_IDENTIFIER and not word[0].isdigit()]
    )


_CRCS = Remembered(_crcs_of)
