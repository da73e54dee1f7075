"""Count LLM tokens: an estimate by the o200k_base vocabulary, which is shipped with the package.

No tokenizer of a model is known exactly, so every count is called an estimate; ``factor`` scales it
(public measurements put newer Claude tokenizers at 1.0 to 1.35 times o200k on code). The ranks are loaded
on first need (about 0.2 s CPU); a text that must fit because it has few bytes needs none.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import threading
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

RANKS = "o200k_base.ranks.gz"  # written by scripts/gen_ranks.py
RANKS_SHA256 = "2f451f31d7403017d0b0dc6319ded23a09f33f573b1635c001fc6b91a1c21302"
MAX_CHARS_PER_TOKEN = 32  # of an answer; code has 3 to 5, only long runs of blanks have more, and cost seconds
_PIECE = 8192  # characters encoded at a time while it is open whether a text fits
_SEAM = 8  # tokens by which cutting a text in two can change its count; 4 is the most seen in 2,000 cuts

# How o200k_base splits text before merging; from tiktoken's own definition of the encoding.
_PATTERN = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
_LOADING = threading.Lock()


class Counter:
    """Count tokens, scaled by ``factor`` and rounded up."""

    def __init__(self, factor: float = 1.0) -> None:
        if not 0.1 <= factor <= 10:
            raise ValueError(f"token factor {factor} is not between 0.1 and 10")
        self.factor = factor

    def count(self, text: str) -> int:
        """Count all tokens of a text; costs about 0.1 s CPU per megabyte."""
        return math.ceil(len(encoding().encode_ordinary(text)) * self.factor) if text else 0

    def fits(self, text: str, limit: int) -> bool:
        """Tell whether a text has at most ``limit`` tokens, encoding no more of it than that takes."""
        if len(text) * self.factor <= limit and _byte_length(text) * self.factor <= limit:
            return True  # a token has at least one byte
        if len(text) * self.factor > limit * MAX_CHARS_PER_TOKEN:
            return False
        seen = 0
        for at in range(0, len(text) - _PIECE, _PIECE):
            seen += len(encoding().encode_ordinary(text[at : at + _PIECE])) - _SEAM
            if seen * self.factor > limit:
                return False
        return self.count(text) <= limit

    def estimate(self, text: str) -> int:
        """Estimate a text's count from its first 32,768 characters, exactly if it has no more."""
        sample = text[: 4 * _PIECE]
        if len(sample) == len(text):
            return self.count(text)
        return math.ceil(self.count(sample) * len(text) / len(sample))

    def prefix(self, text: str, limit: int) -> int:
        """Give the largest number of leading characters that has at most ``limit`` tokens.

        No grapheme is torn, and there are at most ``MAX_CHARS_PER_TOKEN`` characters for each token.
        """
        wanted = int(limit / self.factor)
        if wanted <= 0:
            return 0
        whole = len(text)
        text = text[: wanted * MAX_CHARS_PER_TOKEN]
        window = wanted * 6
        while True:
            head = text[:window]
            tokens = encoding().encode_ordinary(head)
            if len(tokens) > wanted or len(head) == len(text):
                break
            window *= 4
        if len(tokens) <= wanted:
            return whole_graphemes(text, len(text) - (len(text) < whole))
        while True:
            length = len(encoding().decode_bytes(tokens[:wanted]).decode("utf-8", "ignore"))
            length = whole_graphemes(text, length)
            tokens = encoding().encode_ordinary(text[:length])
            if math.ceil(len(tokens) * self.factor) <= limit:
                return length
            wanted -= 1  # the shorter text alone may merge otherwise than as a part of the longer one


def whole_graphemes(text: str, length: int) -> int:
    """Lower ``length`` so that no character (with marks, joiners, CR LF) is torn between it and the rest.

    A single grapheme longer than ``length`` is torn all the same: the answer must go on.
    """
    import regex

    if length >= len(text):
        return len(text)
    if length == 0 or (text[length - 1].isascii() and text[length].isascii() and text[length] != "\n"):
        return length
    start = max(0, length - 128)
    end = start
    for grapheme in regex.finditer(r"\X", text, pos=start, endpos=length + 128):
        if grapheme.end() > length:
            break
        end = grapheme.end()
    return end or length


@cache
def _load() -> tiktoken.Encoding:
    import tiktoken

    plain = gzip.decompress((files("codectx") / "data" / RANKS).read_bytes())
    if hashlib.sha256(plain).hexdigest() != RANKS_SHA256:
        raise RuntimeError(f"codectx/data/{RANKS} is damaged; install codectx again")
    total = int.from_bytes(plain[:4], "big")
    ranks: dict[bytes, int] = {}
    at = 4 + total
    for rank, length in enumerate(plain[4:at]):
        ranks[plain[at : at + length]] = rank
        at += length
    return tiktoken.Encoding("o200k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})


def encoding() -> tiktoken.Encoding:
    """Give the encoding, loading it once; other threads wait for it rather than load it again."""
    with _LOADING:
        return _load()


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
