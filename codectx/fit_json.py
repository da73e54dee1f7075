"""Give an answer as one JSON object within a limit: ``--json`` of the command line.

The object holds the facts of the answer, its records under their own name (or verbatim ``content``, without
the fence lines that the text form adds), ``truncated``, ``total_tokens``, ``returned_tokens``, ``next`` and
``notices``. A cut leaves whole records only.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from codectx.answer import Answer, Shown
from codectx.errors import invalid_argument
from codectx.fit import Cut, Fitted, choose, framed, whole
from codectx.tokens import Counter

_MAX_LEFT_OUT = 20  # names; the text form counts tokens, here the records count


def fit_json(answer: Answer, limit: int, counter: Counter, *, max_tokens: int | None = None) -> Fitted:
    """Give the answer as JSON in at most ``limit`` tokens; arguments as for ``fit``.

    Raises:
        UserError: invalid_argument when not even one record fits.
    """
    if answer.complete:
        text = _serialise(answer, whole(answer), len(answer.blocks), counter)
        if counter.fits(text, limit):
            return Fitted(text)
    if answer.items == "content":
        return _fit_content(answer, limit, counter, max_tokens)
    return _fit_records(answer, limit, counter, max_tokens)


def _fit_content(answer: Answer, limit: int, counter: Counter, max_tokens: int | None) -> Fitted:
    """Cut verbatim text for less and less, until it fits with JSON's escapes and facts around it."""
    room = limit
    while True:
        cut = choose(answer, room, counter, max_tokens)
        text = _serialise(answer, cut, 0, counter)
        tokens = counter.count(text)
        if tokens <= limit:
            return Fitted(text, True, cut.frame.next)
        room = min(room - 4, room * limit // tokens)
        if room <= 0:
            raise _too_little(limit)


def _fit_records(answer: Answer, limit: int, counter: Counter, max_tokens: int | None) -> Fitted:
    def at(records: int) -> tuple[Cut, str]:
        cut = Cut(Shown(records), framed(answer, Shown(records), max_tokens), "")
        return cut, _serialise(answer, cut, records, counter)

    room = limit - counter.count(at(min(1, len(answer.blocks)))[1])
    records = 1
    for block in answer.blocks[1:]:
        room -= counter.count(_dumps(block.data)) + 1
        if room < 0:
            break
        records += 1
    records = min(records, len(answer.blocks) - 1 if answer.complete else len(answer.blocks))
    while records > 0:
        cut, text = at(records)
        if counter.fits(text, limit):
            return Fitted(text, True, cut.frame.next)
        records = min(records - 1, records * limit // counter.count(text))
    if answer.blocks and answer.blocks[0].breaks is not None and "text" in answer.blocks[0].data:
        return _fit_inside(answer, limit, counter, max_tokens)
    raise _too_little(limit)


def _fit_inside(answer: Answer, limit: int, counter: Counter, max_tokens: int | None) -> Fitted:
    """Cut the verbatim ``text`` of a first record that is alone too long."""
    room = limit
    while room > 0:
        cut = choose(replace(answer, complete=False), room, counter, max_tokens)
        first = replace(answer.blocks[0], data={**answer.blocks[0].data, "text": cut.content})
        text = _serialise(replace(answer, blocks=(first,)), cut, 1, counter)
        tokens = counter.count(text)
        if tokens <= limit:
            return Fitted(text, True, cut.frame.next)
        room = min(room - 4, room * limit // tokens)
    raise _too_little(limit)


def _serialise(answer: Answer, cut: Cut, records: int, counter: Counter) -> str:
    data: dict[str, Any] = {**answer.data, **cut.frame.data}
    if answer.items == "content":
        data["content"] = cut.content
    else:
        data[answer.items] = [dict(block.data) for block in answer.blocks[:records] if block.data]
    data["truncated"] = not cut.shown.whole
    if cut.frame.left_out:
        data["left_out"] = list(cut.frame.left_out[:_MAX_LEFT_OUT])
    call = cut.frame.next
    data["next"] = None if call is None or cut.shown.whole else {"tool": call.tool, "args": dict(call.arguments)}
    data["notices"] = [*answer.notices, *cut.frame.notices]
    total = 0 if cut.shown.whole else _total(answer, counter)
    data["total_tokens"] = data["returned_tokens"] = 0
    returned = -1
    while returned != data["returned_tokens"]:  # the number is a part of what it counts
        returned = max(data["returned_tokens"], returned)
        data["returned_tokens"] = max(counter.estimate(_dumps(data)), returned)
        data["total_tokens"] = data["returned_tokens"] if cut.shown.whole else max(total, data["returned_tokens"] + 1)
    return _dumps(data)


def _total(answer: Answer, counter: Counter) -> int:
    content = "".join(block.forms[0] for block in answer.blocks)
    tokens = counter.estimate(content)
    if answer.total_chars is None or not content:
        return tokens
    return max(tokens, tokens * answer.total_chars // len(content))


def _dumps(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _too_little(limit: int) -> Exception:
    return invalid_argument(f"max_tokens is {limit}, too little for one record as JSON", "give more")
