from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from indexer.search import best_lines, join_lines

LINES = [
    "def charge(card, amount):",
    '    """Charge a card."""',
    "    if amount <= 0:",
    "        raise ValueError(amount)",
    "    gateway = connect()",
    "    receipt = gateway.transfer(card, amount)",
    "    log(receipt)",
    "    return receipt",
]


def test_a_short_chunk_is_shown_whole_and_without_a_mark():
    ranges = best_lines(LINES, {"gateway": 1.0}, 1000)
    assert ranges == (range(8),)
    assert join_lines(LINES, ranges) == "\n".join(LINES)


def test_the_signature_and_the_matching_line_are_shown_with_marks_between():
    ranges = best_lines(LINES, {"transfer": 3.0}, 75)
    assert join_lines(LINES, ranges) == f"{LINES[0]}\n…\n{LINES[5]}\n…"


def test_no_mark_stands_where_nothing_is_left_out():
    assert join_lines(LINES, (range(2),)) == "\n".join([*LINES[:2], "…"])
    assert join_lines(LINES, (range(6, 8),)) == "\n".join(["…", *LINES[6:]])


def test_terms_are_matched_by_stem_and_by_part():
    ranges = best_lines(["a = 1", "b = 2", "wireTransfers(x)", "c = 3"], {"transfer": 1.0}, 25)
    assert any(2 in one for one in ranges)


def test_a_signature_that_is_not_on_the_first_line_is_shown():
    lines = [
        "# a long comment about nothing in particular",
        "@route",
        "def handle():",
        "    return 1",
        "    # more" * 9,
    ]
    assert any(2 in one for one in best_lines(lines, {}, 20, signature=2))


def test_nothing_gives_nothing():
    assert best_lines([], {"a": 1.0}, 100) == ()
    assert join_lines([], ()) == ""


@given(
    lines=st.lists(st.text(alphabet="ab _({\t", max_size=30), min_size=1, max_size=30),
    budget=st.integers(0, 200),
    signature=st.integers(0, 40),
)
def test_lines_are_whole_in_order_and_within_the_budget(lines, budget, signature):
    ranges = best_lines(lines, {"a": 1.0, "ab": 2.0, "b": 0.5}, budget, signature)
    places = [place for one in ranges for place in one]
    assert places == sorted(set(places))
    assert all(0 <= place < len(lines) for place in places)
    assert all(one.stop < two.start for one, two in pairwise(ranges))
    shown = min(signature, len(lines) - 1)
    assert shown in places
    assert sum(len(lines[place]) + 1 for place in places if place != shown) <= max(0, budget - len(lines[shown]) - 1)
