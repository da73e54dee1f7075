"""Turn text into the terms that index and queries share: ``words``, ``terms_of``, ``light_stem``, ``heavy_stem``.

A word is a run of letters, digits and ``_``. Its terms are its parts (``HTTPServer2``: http, server, 2) and, of more
than one part, all of them joined (httpserver2), each with a light stem. Scripts that put no blanks between words give
overlapping pairs of characters. Which words matter is not told here: that is lexicon.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, TypeVar
from unicodedata import normalize

_split = str.split

MAX_WORD = 100  # ASCII characters of a word that are looked at; longer ones are data
MAX_NUMBERS = 4  # parts of digits from which on a word is a hash or an encoded value and has no parts
KNOWN_WORDS = 200_000  # words whose terms are remembered
REMEMBERED_LENGTH = 16  # characters of a word of other scripts up to which it may well come again

PIECE_MARK = b"\xff"  # stands in no UTF-8; between texts that are made into tokens at once
PIECE_SIGN = "\x01"  # the token that it becomes, which has no terms

# All that parts words becomes blanks; splitting at those takes half the time of a regular expression.
_BLANKS = bytes(
    1 if byte == PIECE_MARK[0] else byte if byte > 127 or byte == 95 or chr(byte).isalnum() else 32
    for byte in range(256)
)
# Marks that stand on letters are no letters, but part no words either.
_ANY_WORD = re.compile(r"[\w\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0dff]+")
_PART = re.compile(r"[A-Z]{2,}(?:s(?![a-z])|v(?=\d))|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+", re.ASCII)
_UNPARTED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HAS_UNPARTED = re.compile(f"[{_UNPARTED}]")
_RUN = re.compile(rf"(?P<run>[{_UNPARTED}]+)|(?P<word>[^{_UNPARTED}_]+)")
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_VOWEL = re.compile(r"[aeiouy]")


Made = TypeVar("Made")


def tokens(texts: bytes) -> list[str]:
    """Split UTF-8 fast into what ``terms_of`` takes: ASCII words, and runs that have other characters in them."""
    return texts.translate(_BLANKS).decode("utf-8", "replace").split()


def words(text: str) -> list[str]:
    """Give the words of a text as they are written, in order; what is not ASCII is brought to one form (NFKC)."""
    found: list[str] = []
    for token in tokens(text.encode("utf-8", "replace")):
        if token.isascii():
            found.append(token)
        else:
            found += words_in(token)
    return found


def words_in(token: str) -> list[str]:
    """Give the words of a token that is not ASCII."""
    return _ANY_WORD.findall(normalize("NFKC", token))


def parts(word: str) -> tuple[str, ...]:
    """Give the parts of a word in small letters, unstemmed: ``getUserById`` has get, user, by and id.

    A part of one letter is left out where there are others; pairs of characters stand for runs of Chinese.
    """
    return _parts_and_whole(word)[0]


def whole(word: str) -> str:
    """Give a word of several parts in small letters without ``_`` (``http_client``: httpclient); else nothing."""
    return _parts_and_whole(word)[1]


def terms_of(token: str) -> tuple[str, ...]:
    """Give the terms of a word or token: parts, and all of them joined, each with the light stem. Remembers them."""
    return _TERMS[token]


def light_stem(word: str) -> str:
    """Take plural, ``-ing``, ``-ed`` and a last ``e`` off a word of small letters; a last ``y`` becomes ``i``."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            word = _undoubled(rest)
            break
    if len(word) > 4:
        if word.endswith("e"):
            word = word[:-1]
        if word.endswith("y"):
            word = word[:-1] + "i"
    return word


def heavy_stem(word: str) -> str:
    """Give what a word shares with its relatives: ``parser`` and ``parsing`` with ``parse``.

    Too coarse to index by; it finds other forms of a query's word among the terms of an index.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _singular(word)
    if word not in _NO_DERIVATION:
        word = _without_ending(word)
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 5 and word.endswith(("at", "iz", "is")) and not word.endswith("eat"):
        word = word[:-2]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return word


class Remembered(dict[str, Made]):
    """Make what belongs to a word when it is first asked for; a known word then costs one look into a dict."""

    def __init__(self, make: Callable[[str], Made]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> Made:
        made = self._make(word)
        if len(word) <= REMEMBERED_LENGTH or (word.isascii() and len(word) <= MAX_WORD):
            if len(self) >= KNOWN_WORDS:
                self.clear()
            self[word] = made
        return made


def _terms(token: str) -> tuple[str, ...]:
    if not token.isascii():
        return tuple([_STEMS[part] for word in words_in(token) for part in _with_whole(word)])
    return tuple([_STEMS[part] for part in _with_whole(token)])


def _with_whole(word: str) -> tuple[str, ...]:
    found, joined = _parts_and_whole(word)
    return (*found, joined) if joined else found


def _parts_and_whole(word: str) -> tuple[tuple[str, ...], str]:
    if not word.isascii():
        found = tuple(_parts_of_any(word))
        joined = "" if len(found) < 2 or _HAS_UNPARTED.search(word) else word.replace("_", "").casefold()
        return found, joined
    word = word[:MAX_WORD]
    if word.isalpha() and (word.islower() or word.isupper()):
        return (word.lower(),), ""
    if word[0] == "0" and _HEX.fullmatch(word):
        return (word.lower(),), ""
    written = _PART.findall(word)
    if len(written) == 1:
        return (written[0].lower(),), ""
    joined = "".join(written).lower()
    if len(written) > MAX_NUMBERS and sum(map(str.isdigit, written)) >= MAX_NUMBERS:
        return (joined,), ""
    if not joined:
        return (), ""
    lowered = [part.lower() for part in written]
    return tuple([part for part in lowered if len(part) > 1 or part.isdigit()] or lowered[:1]), joined


_STEMS: Final = Remembered(light_stem)
_TERMS: Final = Remembered(_terms)
remembered_terms: Final = _TERMS.__getitem__  # the same as terms_of, for the innermost loop


def _parts_of_any(word: str) -> Iterator[str]:
    for found in _RUN.finditer(word):
        run = found["run"]
        if run is None:
            yield from _cased_parts(found["word"])
        elif len(run) == 1:
            yield run
        else:
            yield from map("".join, pairwise(run))


def _cased_parts(word: str) -> Iterator[str]:
    """Part a word of any script where small letters end and where digits begin or end."""
    start = 0
    for at in range(1, len(word) + 1):
        if at == len(word) or _is_boundary(word, at):
            part = word[start:at].casefold()
            if len(part) > 1 or len(word) == 1 or part.isdigit():
                yield part
            start = at


def _is_boundary(word: str, at: int) -> bool:
    before, here, after = word[at - 1], word[at], word[at + 1 : at + 2]
    if before.isdigit() != here.isdigit():
        return True
    return here.isupper() and (before.islower() or (before.isupper() and after.islower()))


def _singular(word: str) -> str:
    if len(word) > 4:
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith(("sses", "xes", "ches", "shes")):
            return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undoubled(word: str) -> str:
    """Take off the letter that an ending doubled: ``running``, ``mapped``; ``ll`` and ``ss`` belong to words."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word


def _without_ending(word: str) -> str:
    for ending in _ENDINGS_OF.get(word[-1:], ()):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            return _undoubled(rest)
    return word


# The longest first; of each family all forms lead to the same rest.
_ENDINGS: Final = tuple(
    _split("""
    ization isation ational ability ibility ations ators izers ively ements ities ously
    ation ator izer izes ized izing ement ments ances ences ance ence ment able ible ness ally
    ize ise ive ful ity ion ers ors ings ing ed er or ly al ic ate
    """)
)
_ENDINGS_OF: Final = {last: tuple([each for each in _ENDINGS if each[-1] == last]) for last in set("".join(_ENDINGS))}
# Words that end like derived ones and are none, or whose rest would be another word.
_NO_DERIVATION: Final = frozenset(
    _split("""
    able action active actor adapter adaptor after anchor apply archive argument array assembly author balance basic
    bed binary border bring broker buffer capacity center chapter character charge city closure cluster color comment
    component computer condition container corner counter country cover create cursor date decimal difference digital
    dimension direct director directory distance docker document driver early editor either element embed
    enter entity entry environment equal error event ever every exception external factor factory family
    feature feed filter flower folder function future gate general generic global header history identity
    instance integer internal interval iterator king laser layer letter library literal local logic
    magic major manual master matter member memory meter metric million minor mirror moment monitor native nature need
    never normal number only operator option order other over owner paper parameter permission pointer position power
    presence private promise proper property public quality query range rate rather reference red region register
    registry relative remember reply retry ring river rule search section security seed segment separate sequence server
    session shed signal silver sing speed spring stable state static station string structure sub super supply table
    template tensor terminal thing tier timer together topic total tower trigger tuple under update user variable vector
    version very water whether wing
    """)
)
