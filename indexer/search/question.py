"""Take a question apart: ``question_of`` gives its concepts, each with the terms of an index that stand for it.

A question may be a sentence, a name (``HttpClient.send``, ``parse_url()``), a path or an error message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.lexicon import SOFT_WORDS, STOP_WORDS
from indexer.search.alternates import alternates_of
from indexer.search.chinese import RUN, Piece, pieces
from indexer.search.index import Index
from indexer.search.segment import folded
from indexer.search.weights import BESIDE_CHINESE, JOINED_WEIGHT, PROJECT_FACTOR, SOFT_WEIGHT
from indexer.terms import light_stem, parts, whole, words

# What makes a word of a question one of code.
_CODE = re.compile(
    r"[a-z][A-Z]|[A-Z][A-Z]+[a-z]|_|::|\w[.#]\w|\w\(|^[@#$:]\w|\w[?!]$|->|/\w|^--?\w|[a-z][0-9]", re.ASCII
)
_BETWEEN_NAMES = re.compile(r"::|\.|\(|->|#")
_AROUND = ",;\"'`()[]{}<>,。;:?!、()「」『』“”‘’《》【】"
_PATH = re.compile(r"^[\w.@+~-]*(?:/[\w.@+~-]+)+/?$|^[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}$")
_MOST_CHARACTERS = 2000  # of a question that are looked at, and
_MOST_WORDS = 64  # of a question that are looked at; an error message with its trace may have thousands


@dataclass(frozen=True, slots=True)
class Concept:
    """Hold one thing asked for.

    Attributes:
        word: as the question has it.
        weight: how much it counts.
        alternates: numbers of the terms that stand for it, each with its weight; empty if the index has none.
        is_part: whether it is a word of the question, or part of one; else it joins others that are concepts too.
    """

    word: str
    weight: float
    alternates: tuple[tuple[int, float], ...]
    is_part: bool


@dataclass(frozen=True, slots=True)
class Question:
    """Hold a question taken apart.

    Attributes:
        text: as asked.
        concepts: what the index knows.
        unknown: what it does not know.
        names: words that are names in code, as written.
        chains: names joined by dots and the like, with ``.`` between them.
        paths: words that look like a path.
        is_name: whether it asks for a name and nothing else.
    """

    text: str
    concepts: tuple[Concept, ...]
    unknown: tuple[Concept, ...]
    names: tuple[str, ...]
    chains: tuple[str, ...]
    paths: tuple[str, ...]
    is_name: bool


@dataclass(slots=True)
class _Word:
    raw: str
    parts: tuple[str, ...]
    whole: str  # joined parts, also of a single one
    is_code: bool
    is_capital: bool
    is_stop: bool


@dataclass(slots=True)
class _Terms:
    """Collect weighted terms; of each the largest weight counts."""

    weights: dict[str, float] = field(default_factory=dict)
    word: dict[str, str] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)

    def add(self, term: str, weight: float, word: str, *, is_part: bool) -> None:
        self.weights[term] = max(self.weights.get(term, 0.0), weight)
        self.word.setdefault(term, word)
        if is_part:
            self.parts.add(term)


def question_of(index: Index, text: str, project: str = "") -> Question:
    """Take a question apart for an index; ``project`` is the name of what is searched, which says little there."""
    text = text[:_MOST_CHARACTERS]
    tokens = _tokens(RUN.sub(" ", text))
    found = [word for token in tokens for word in _words(token)]
    if all(word.is_stop for word in found) and not RUN.search(text):
        for word in found:
            word.is_stop = False
    is_name = bool(tokens) and not RUN.search(text) and _asks_for_name(tokens, found)
    terms = _terms(index, found, is_name=is_name)
    _weaken_project(terms, found, text, "" if is_name else project)
    concepts = [
        Concept(terms.word[term], weight, alternates_of(index, term), term in terms.parts)
        for term, weight in terms.weights.items()
    ]
    concepts += [_chinese(index, piece) for run in RUN.findall(text) for piece in pieces(run)]
    return Question(
        text=text,
        concepts=tuple(concept for concept in concepts if concept.alternates)[:_MOST_WORDS],
        unknown=tuple(concept for concept in concepts if not concept.alternates and concept.is_part),
        names=tuple(dict.fromkeys(_names(found, is_name=is_name))),
        chains=tuple(dict.fromkeys(filter(None, map(_chain, tokens)))),
        paths=tuple(token.removeprefix("./").strip("/") for token in tokens if _PATH.match(token)),
        is_name=is_name,
    )


def _tokens(text: str) -> list[str]:
    tokens = [token for token in (part.strip(_AROUND) for part in text.split()[:_MOST_WORDS]) if token]
    return [
        token if number == len(tokens) - 1 and re.search(r"\w[?!]$", token) else token.rstrip(".:?!") or token
        for number, token in enumerate(tokens)
    ]


def _words(token: str) -> Iterator[_Word]:
    is_code = _CODE.search(token) is not None
    is_chain = _BETWEEN_NAMES.search(token) is not None
    for raw in words(token):
        pieces_ = parts(raw)
        joined = whole(raw)
        is_capital = raw[:1].isupper()
        code = (is_code and (is_chain or _CODE.search(raw) is not None)) or (is_capital and bool(joined))
        yield _Word(
            raw=raw,
            parts=pieces_ or (raw.lower(),),
            whole=joined or (pieces_[0] if pieces_ else raw.lower()),
            is_code=code,
            is_capital=is_capital,
            is_stop=not code and raw.lower() in STOP_WORDS,
        )


def _asks_for_name(tokens: list[str], found: list[_Word]) -> bool:
    if len(tokens) == 1:
        return True
    few = len(tokens) <= 2 and any(word.is_code for word in found)
    return few and not any(word.is_stop for word in found)


def _terms(index: Index, found: list[_Word], *, is_name: bool) -> _Terms:
    terms = _Terms()
    before: _Word | None = None
    for word in found:
        if word.is_stop:
            continue
        is_soft = not word.is_code and not is_name and word.raw.lower() in SOFT_WORDS
        for part in word.parts:
            terms.add(light_stem(part), SOFT_WEIGHT if is_soft else 1.0, word.raw, is_part=True)
        if len(word.parts) > 1 or word.whole != word.parts[0]:
            terms.add(light_stem(word.whole), 1.0, word.raw, is_part=False)
        if before is not None and not word.is_code:
            joined = light_stem(before.whole + word.whole)
            if joined not in terms.weights and index.knows(joined):
                terms.add(joined, JOINED_WEIGHT, f"{before.raw} {word.raw}", is_part=False)
        before = word
    return terms


def _weaken_project(terms: _Terms, found: list[_Word], text: str, project: str) -> None:
    if not project:
        return
    names = [part for part in re.split(r"[^a-z0-9]+", project.lower()) if part]
    own = {"".join(names), *(names if len(names) == 1 or project.lower() in text.lower() else ())}
    for word in found:
        if word.whole in own:
            for term in {light_stem(part) for part in (*word.parts, word.whole)} & set(terms.weights):
                terms.weights[term] *= PROJECT_FACTOR


def _names(found: list[_Word], *, is_name: bool) -> Iterator[str]:
    for place, word in enumerate(found):
        if word.is_code or is_name or (word.is_capital and not word.is_stop and place > 0):
            yield word.raw


def _chain(token: str) -> str:
    """Return ``A.b`` for ``A::b()``, ``A#b`` and the like, nothing for a single name."""
    names = words(token)
    return ".".join(names) if len(names) > 1 and _BETWEEN_NAMES.search(token) else ""


def _chinese(index: Index, piece: Piece) -> Concept:
    alternates: dict[int, float] = {}
    # Comments in Chinese say it themselves; there the many English words of one Chinese one mostly mean something else.
    factor = BESIDE_CHINESE if piece.pairs and all(map(index.knows, piece.pairs)) else 1.0
    terms = (*((pair, 1.0) for pair in piece.pairs), *((term, factor * weight) for term, weight in piece.english))
    for term, weight in terms:
        for number, share in alternates_of(index, term):
            alternates[number] = max(alternates.get(number, 0.0), weight * share)
    return Concept(piece.word, piece.weight, tuple(alternates.items()), is_part=True)


def folded_names(question: Question) -> list[str]:
    """Return the question's names without case and separators."""
    return [name for name in map(folded, question.names) if name]
