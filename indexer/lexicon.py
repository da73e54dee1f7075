"""Hold the vocabulary that questions are understood by: words that say little, short forms, synonyms, Chinese terms.

Data alone, kept in text files beside this module; ``english_of`` looks up what a Chinese text is about. What a word is
worth is decided by who searches. The idea to join short forms and their long ones is that of query expansion by a
thesaurus; the lists are made by hand from names as they are common in code.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Final

_words = str.split

# Words of questions that say nothing of the code.
STOP_WORDS: Final = frozenset(
    _words("""
    a about am an and are as at be because been being but by can cannot could did do does doing done for from gets give
    gives had has have having he her here his how i if in into is its itself lets may me might mine my no nor of on or
    our ours own please same shall she should so some somewhere such tell than that the their theirs them then there
    these they this those to too us used using via was way ways we were what whatever when whenever where wherever
    which while who whom whose why will with work works working would you your yours
    """)
)

# Words that speak of code in general; they are real names as well, so they count, but less.
SOFT_WORDS: Final = frozenset(
    _words("""
    across after all any based before between class classes code codebase define defined defines definition definitions
    different during each every file files function functions get handle handled handles handling happen happens
    implement implementation implementations implemented implementing implements inside internal internals kind like
    logic main mechanism method methods module modules not off once one only other out over part per project provide
    provided provides responsible several specific support supported supports thing things through under until up upon
    use uses various within without
    """)
)


def _lines(name: str) -> Iterator[str]:
    text = files("indexer").joinpath("data", name).read_text(encoding="utf-8")
    return (line for line in text.split("\n") if line and not line.startswith("#"))


def _glossary(name: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines(name):
        chinese, _, english = line.partition(":")
        terms = tuple(term.strip() for term in english.split(","))
        for word in chinese.split():
            found[word] = terms
    return found


# Groups of a short form and the words that it may stand for, the short form first.
ABBREVIATIONS: Final = tuple(tuple(line.split()) for line in _lines("abbreviations.txt"))
# Groups of words that code uses for much the same thing.
SYNONYMS: Final = tuple(tuple(line.split()) for line in _lines("synonyms.txt"))
# For a Chinese word its English ones, the likeliest first; some are phrases (``rate limit``). Those of programming show
# what a question is about; the others (``birthday``, ``volume``) only say how names in code may put it.
CODE_GLOSSARY: Final = _glossary("glossary.txt")
GLOSSARY: Final = {**_glossary("glossary_wide.txt"), **CODE_GLOSSARY}
CHINESE_STOP_WORDS: Final = frozenset(word for line in _lines("chinese_stop_words.txt") for word in line.split())

_LONGEST = max(map(len, GLOSSARY))


def english_of(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Give each Chinese word of a text that the glossary knows with its English terms, in order; the longest wins."""
    found: list[tuple[str, tuple[str, ...]]] = []
    at = 0
    while at < len(text):
        sizes = range(min(_LONGEST, len(text) - at), 0, -1)
        word = next((text[at : at + size] for size in sizes if text[at : at + size] in GLOSSARY), "")
        if word:
            found.append((word, GLOSSARY[word]))
        at += len(word) or 1
    return found
