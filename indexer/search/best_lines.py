"""Choose the lines of a chunk that are worth showing: ``best_lines``, and ``join_lines`` to write them down.

Lines are whole, in order, and at most so many characters; where some are left out between them stands a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from indexer.terms import terms_of, words

MARK = "…"
_AROUND = 1  # lines shown on each side of one that matches
_TRIVIAL = frozenset("{}()[];,")


def best_lines(lines: Sequence[str], terms: Mapping[str, float], budget: int, signature: int = 0) -> tuple[range, ...]:
    """Return the places of the best lines, as ranges in order.

    Args:
        lines: of the chunk, without line ends.
        terms: what to look for, with what each is worth.
        budget: characters, line ends included; the signature line is given even if it is longer.
        signature: place of the line that is always shown.
    """
    if not lines:
        return ()
    sizes = [len(line) + 1 for line in lines]
    if sum(sizes) <= budget:
        return (range(len(lines)),)
    found = [_terms_in(line, terms) for line in lines]
    chosen = {min(signature, len(lines) - 1)}
    left = budget - sum(sizes[place] for place in chosen)
    seen: set[str] = set().union(*(found[place] for place in chosen))
    while True:
        place = _next_line(found, terms, chosen, seen, sizes, left)
        if place is None:
            break
        chosen.add(place)
        left -= sizes[place]
        seen |= found[place]
    _fill(lines, chosen, sizes, left)
    return tuple(_ranges(sorted(chosen)))


def join_lines(lines: Sequence[str], ranges: Sequence[range], mark: str = MARK) -> str:
    """Write ranges of lines one below the other, with a mark for each stretch that is left out."""
    written: list[str] = []
    end = 0
    for one in ranges:
        if one.start > end:
            written.append(mark)
        written += lines[one.start : one.stop]
        end = one.stop
    if end < len(lines):
        written.append(mark)
    return "\n".join(written)


def _terms_in(line: str, terms: Mapping[str, float]) -> set[str]:
    return {term for word in words(line) for term in terms_of(word) if term in terms}


def _next_line(
    found: Sequence[set[str]],
    terms: Mapping[str, float],
    chosen: set[int],
    seen: set[str],
    sizes: Sequence[int],
    left: int,
) -> int | None:
    """Return the line worth most that still fits; what is shown already counts a quarter, a neighbour a little more."""
    best, most = None, 0.0
    for place, here in enumerate(found):
        if place in chosen or not here or sizes[place] > left:
            continue
        worth = sum(terms[term] * (0.25 if term in seen else 1.0) for term in here)
        worth *= 1.1 if place - 1 in chosen or place + 1 in chosen else 1.0
        if worth > most:
            best, most = place, worth
    return best


def _fill(lines: Sequence[str], chosen: set[int], sizes: Sequence[int], left: int) -> None:
    """Add the lines around chosen ones while they fit, and single lines between two."""
    for step in range(1, _AROUND + 1):
        for place in sorted(chosen):
            for near in (place + step, place - step):
                inside = 0 <= near < len(lines) and near not in chosen
                if inside and lines[near].strip(" \t" + "".join(_TRIVIAL)) and sizes[near] <= left:
                    chosen.add(near)
                    left -= sizes[near]


def _ranges(places: Sequence[int]) -> Iterator[range]:
    start = places[0]
    for here, after in zip(places, [*places[1:], -1], strict=True):
        if after != here + 1:
            yield range(start, here + 1)
            start = after
