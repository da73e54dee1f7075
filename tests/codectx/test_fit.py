"""The laws of cutting, on made-up answers."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codectx import tokens
from codectx.answer import ADDED, Answer, Block, Breaks, Frame, Shown
from codectx.call import Call
from codectx.errors import UserError
from codectx.fit import clip, fence_marker, fit
from codectx.fit_json import fit_json
from codectx.tokens import Counter

COUNTER = Counter()
WORDS = [
    "def f(x):",
    "    return x",
    "",
    "中文注释。",
    "👩‍🔬 é",
    "<|endoftext|>",
    "x = 1\r",
    "```",
    "~~~~",
    "word " * 60,
    '{"a": [1, 2]}',
    "\t",
    "@@ -1,2 +1,2 @@",
]


def verbatim(text: str, start: int = 0, *, levels: tuple[tuple[int, ...], ...] = ()) -> Answer:
    """A page of ``text`` from character ``start`` on, continued by character position."""

    def frame(shown: Shown) -> Frame:
        body = text[start:]
        line_start = 0
        for _ in range(shown.lines):
            line_start = body.index("\n", line_start) + 1 if "\n" in body[line_start:] else len(body)
        at = start + (len(body) if shown.whole or shown.blocks else line_start + shown.chars)
        return Frame(f"t.txt@{start} ({len(text)})", shown.lines, text.count("\n") + 1, next=Call("read", {"at": at}))

    return Answer((Block((text[start:],), breaks=lambda _: Breaks(levels)),), frame, items="content")


def listing(records: list[str], first: int = 0) -> Answer:
    def frame(shown: Shown) -> Frame:
        return Frame("list", shown.blocks, len(records), "records", Call("list", {"after": first + shown.blocks}))

    blocks = tuple(Block((f"{r}\n",), data={"r": r}) for r in records[first:])
    return Answer(blocks, frame, items="records")


texts = st.lists(st.sampled_from(WORDS), max_size=120).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(100, 600))
def test_the_limit_holds_and_the_pages_rebuild_the_text(text: str, limit: int) -> None:
    rebuilt, at, calls = "", 0, 0
    while True:
        fitted = fit(verbatim(text, at), limit, COUNTER)
        assert COUNTER.count(fitted.text) <= limit
        calls += 1
        body = fitted.text.split("\n", 1)[1]
        if not fitted.truncated:
            rebuilt += body
            break
        next_at = fitted.next.arguments["at"]
        assert next_at > at
        page = text[at:next_at]
        assert body.startswith(page)
        assert body[len(page) :].lstrip("\n").startswith("[cut: ")
        rebuilt, at = rebuilt + page, next_at
    assert rebuilt == text
    assert calls <= 2 * -(-COUNTER.count(text) // limit) + 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=80), st.integers(100, 400))
def test_lists_are_cut_between_records_and_continue(records: list[str], limit: int) -> None:
    seen, at = 0, 0
    while True:
        fitted = fit(listing(records, at), limit, COUNTER)
        assert COUNTER.count(fitted.text) <= limit
        if not fitted.truncated:
            break
        at = fitted.next.arguments["after"]
        assert at > seen
        seen = at
        assert f"[cut: {at - (at - seen)} of" in fitted.text or "[cut: " in fitted.text


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=80), st.integers(150, 500))
def test_json_keeps_the_limit_and_whole_records(records: list[str], limit: int) -> None:
    fitted = fit_json(listing(records), limit, COUNTER)
    assert COUNTER.count(fitted.text) <= limit
    data = json.loads(fitted.text)
    assert [r["r"] for r in data["records"]] == records[: len(data["records"])]
    assert data["truncated"] == (len(data["records"]) < len(records))
    assert data["returned_tokens"] == COUNTER.count(fitted.text)
    if data["truncated"]:
        assert data["returned_tokens"] < data["total_tokens"]
        assert data["next"]["args"] == {"after": len(data["records"])}


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(150, 500))
def test_json_of_verbatim_text_holds_a_prefix(text: str, limit: int) -> None:
    fitted = fit_json(verbatim(text), limit, COUNTER)
    assert COUNTER.count(fitted.text) <= limit
    data = json.loads(fitted.text)
    assert text.startswith(data["content"])
    assert data["truncated"] == (data["content"] != text)


def test_a_good_break_is_used_when_it_leaves_half_the_limit() -> None:
    text = "".join(f"value_{n} = {n}\n" for n in range(200))
    early, late = fit(verbatim(text, levels=((3,),)), 300, COUNTER), fit(verbatim(text, levels=((30,),)), 300, COUNTER)
    assert "value_30 =" not in late.text
    assert "value_29 =" in late.text
    assert "value_29 =" in early.text  # a break after 3 lines would leave next to nothing


def test_a_fence_at_position_zero_longer_than_the_limit_still_gives_half_the_limit() -> None:
    text = "```js\n" + "".join(f"line({n});\n" for n in range(400)) + "```\n"
    answer = verbatim(text)
    block = Block(answer.blocks[0].forms, breaks=lambda _: Breaks(((0,),), ((1, 402, "```js"),)))
    fitted = fit(Answer((block,), answer.frame, items="content"), 300, COUNTER)
    lines = fitted.text.split("\n")
    assert lines[-2] == "```" + ADDED
    assert COUNTER.count(fitted.text) >= 150


def test_a_line_longer_than_the_limit_is_cut_inside_and_no_character_is_torn() -> None:
    text = "🔬👩‍🔬é" * 2000
    fitted = fit(verbatim(text), 333, COUNTER)
    body = fitted.text.split("\n")[1]
    assert text.startswith(body)
    assert "\ufffd" not in body
    assert text[len(body)] in "🔬👩e"


def test_short_forms_follow_the_full_ones() -> None:
    blocks = tuple(Block((f"full {n} " * 30 + "\n", f"short {n}\n")) for n in range(10))
    answer = Answer(blocks, lambda shown: Frame("diff", shown.blocks, 10, "files", Call("git_diff", {"after": "x"})))
    fitted = fit(answer, 400, COUNTER)
    assert "full 0 full 0" in fitted.text
    assert "short 9\n" in fitted.text
    assert COUNTER.count(fitted.text) <= 400


def test_the_callers_own_limit_is_repeated_in_the_next_call() -> None:
    fitted = fit(listing(["word " * 20] * 40), 200, COUNTER, max_tokens=200)
    assert "max_tokens=200)]" in fitted.text
    assert fitted.text.endswith("]")


def test_names_left_out_take_at_most_an_eighth() -> None:
    text = "".join(f"value_{n} = {n}\n" for n in range(500))
    plain = verbatim(text)

    def frame(shown: Shown) -> Frame:
        base = plain.frame(shown)
        return Frame(
            base.head, base.shown, base.total, next=base.next, left_out=[f"name_{n} {n}-{n + 3}" for n in range(90)]
        )

    fitted = fit(Answer(plain.blocks, frame, items="content"), 400, COUNTER)
    left_out = fitted.text[fitted.text.index("[left out: ") :].split("\n")[0]
    assert COUNTER.count(left_out) <= 50
    assert "+8" in left_out
    assert COUNTER.count(fitted.text) <= 400


def test_a_limit_below_the_notice_is_refused_with_the_least_that_would_do() -> None:
    long_name = Answer(
        (Block(("x " * 900,), breaks=lambda _: Breaks()),),
        lambda _: Frame("head " * 40, 0, 9, next=Call("read", {"path": "p" * 300})),
        items="content",
    )
    with pytest.raises(
        UserError, match=r"error\[invalid_argument\]: max_tokens is 100, too little .* use at least \d+"
    ):
        fit(long_name, 100, COUNTER)


def test_the_shorter_answer_is_given_where_there_is_one() -> None:
    source = verbatim("x = 1\n")
    summary = Answer(listing(["a long summary of one line"] * 3).blocks, listing([]).frame, shorter=source)
    assert fit(summary, 500, COUNTER).text.endswith("x = 1\n")


@settings(max_examples=100, deadline=None)
@given(texts, st.integers(30, 200))
def test_clip_keeps_the_limit_and_says_so(text: str, limit: int) -> None:
    clipped = clip(text, limit, COUNTER)
    assert COUNTER.count(clipped) <= limit
    assert clipped == text or clipped.endswith("[cut: this text is longer than its limit]")


@pytest.mark.parametrize(
    ("opening", "marker"),
    [
        ("```js", "```"),
        ("~~~~ yaml", "~~~~"),
        ("  ````", "  ````"),
        ("> ```py", "> ```"),
        ("- ```sh", "  ```"),
        ("1. ~~~", "   ~~~"),
    ],
)
def test_the_closing_line_mirrors_the_opening_one(opening: str, marker: str) -> None:
    assert fence_marker(opening) == marker


def test_x32_cost_is_bounded_by_what_is_shown_and_not_by_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = 0

    class Spy:
        def encode_ordinary(self, text: str) -> list[int]:
            nonlocal encoded
            encoded += len(text)
            return real.encode_ordinary(text)

        def decode_bytes(self, ids: list[int]) -> bytes:
            return real.decode_bytes(ids)

    real = tokens.encoding()
    monkeypatch.setattr(tokens, "encoding", Spy)
    fit(verbatim("some words of a line\n" * 250_000), 2000, COUNTER)  # 5 MB
    assert encoded < 40 * 2000 * 4
