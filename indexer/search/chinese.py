"""Part a run of Chinese (or Japanese, Korean) of a question: ``pieces`` gives known words, and pairs of characters.

A known word also stands for its English ones, since names in code are English. Words that only ask are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indexer.lexicon import CHINESE_STOP_WORDS, GLOSSARY, SOFT_WORDS
from indexer.search.weights import SOFT_WEIGHT, TRANSLATION
from indexer.terms import light_stem, parts, terms_of

RUN = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff]+")
_OVERLAP_WEIGHT = 0.6  # of one of several pairs: they share characters, and every other one is no word
_LONGEST = max(map(len, (*GLOSSARY, *CHINESE_STOP_WORDS)))


@dataclass(frozen=True, slots=True)
class Piece:
    """Hold one word of a run: its own ``pairs`` stand for it, and ``english`` terms, each with its weight."""

    word: str
    weight: float
    pairs: tuple[str, ...]
    english: tuple[tuple[str, float], ...] = ()


def pieces(run: str) -> Iterator[Piece]:
    """Part a run from left to right, always taking the longest known word."""
    rest = ""
    at = 0
    while at < len(run):
        word = next((run[at : at + n] for n in range(_LONGEST, 0, -1) if _is_known(run[at : at + n], n)), "")
        if not word:
            rest += run[at]
            at += 1
            continue
        yield from _pairs(rest)
        rest = ""
        if word in GLOSSARY:
            yield _known(word)
        at += len(word)
    yield from _pairs(rest)


def _is_known(word: str, length: int) -> bool:
    return len(word) == length and (word in GLOSSARY or word in CHINESE_STOP_WORDS)


def _known(word: str) -> Piece:
    terms: dict[str, float] = {}
    for place, phrase in enumerate(GLOSSARY[word]):
        several = phrase.split()
        joined = (light_stem("".join(several)),) if len(several) > 1 else ()  # as ``rateLimit`` has it
        for term in (*(term for part in several for term in terms_of(part)), *joined):
            terms.setdefault(term, 1.0 if place == 0 else TRANSLATION)
    is_soft = GLOSSARY[word][0].split()[0] in SOFT_WORDS
    return Piece(word, SOFT_WEIGHT if is_soft else 1.0, tuple(dict.fromkeys(parts(word))), tuple(terms.items()))


def _pairs(rest: str) -> Iterator[Piece]:
    pairs = [pair for pair in parts(rest) if len(pair) > 1] if rest else []
    for pair in pairs:
        yield Piece(pair, 1.0 if len(pairs) == 1 else _OVERLAP_WEIGHT, (pair,))
