"""Hold a reply against an expectation: ``judge`` gives the reasons why it does not hold, none if it does.

Order: the keys about the call itself, then the invariants, then the further steps. Of ``any_of`` one expectation
must hold in all of these; the keys of all are looked at before any further step is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cases import checks_lists, checks_script, checks_summary, checks_text, invariants_effects, invariants_text
from cases.checks_text import AnyReply, Check
from cases.invariants_text import Invariant
from cases.reply import Reply, ScriptReply
from cases.stage import Stage
from cases.verdict import CheckError

CHECKS: dict[str, Check] = {
    **checks_text.CHECKS,
    **checks_summary.CHECKS,
    **checks_lists.CHECKS,
    **checks_script.SCRIPT_CHECKS,
    **checks_script.ANSWER_CHECKS,
}
INVARIANTS: dict[str, Invariant] = {**invariants_text.INVARIANTS, **invariants_effects.INVARIANTS}
OUTCOMES = ("ok", "error", "exit_code")  # where one of these does not hold, nothing else is looked at
PARTS = ("any_of", "then", "invariants", "responses", "one_server")  # keys that are no checks of their own

Step = Callable[[Mapping[str, Any]], list[str]]


def judge(expect: Mapping[str, Any], reply: AnyReply, stage: Stage, take_step: Step) -> list[str]:
    """Give the reasons why an expectation does not hold.

    Args:
        expect: the expectation.
        reply: what the call gave.
        stage: the running case.
        take_step: carries out a further step, and gives the reasons why its own expectation does not hold.
    """
    bench = _Bench(stage, take_step)
    return bench.about_call(expect, reply) or bench.afterwards(expect, reply)


class _Bench:
    def __init__(self, stage: Stage, take_step: Step) -> None:
        self.stage = stage
        self.take_step = take_step
        self._known: dict[tuple[int, int], list[str]] = {}

    def about_call(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        """Give the reasons that the keys about the call itself have."""
        key = id(expect), id(reply)
        if key not in self._known:
            self._known[key] = self._keys(expect, reply) or self._parts(expect, reply)
        return self._known[key]

    def afterwards(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        """Give the reasons that invariants and further steps have."""
        reasons = self._invariants(expect, reply)
        reasons = reasons or self._answers_afterwards(expect, reply)
        reasons = reasons or self._one_of(expect, reply, self.afterwards)
        if reasons:
            return reasons
        for number, step in enumerate(expect.get("then", ())):
            if reasons := self.take_step(step):
                return [f"then[{number}]: {reason}" for reason in reasons]
        return []

    def _keys(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        first = [key for key in expect if key in OUTCOMES]
        rest = [key for key in expect if key not in OUTCOMES and key not in PARTS]
        reasons = [reason for key in first for reason in self._check(key, expect, reply)]
        return reasons or [reason for key in rest for reason in self._check(key, expect, reply)]

    def _check(self, key: str, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        return _reasons(key, lambda: CHECKS[key](expect[key], expect, reply, self.stage))

    def _invariants(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        found = []
        for token in expect.get("invariants", ()):
            ((name, value),) = [(token, True)] if isinstance(token, str) else token.items()
            found += _reasons(name, lambda n=name, v=value: INVARIANTS[n](v, reply, self.stage))  # type: ignore[misc]
        return found

    def _parts(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        reasons = [
            reason
            for number, one, answer in _each_answer(expect, reply)
            for reason in _told(f"responses[{number}]", self.about_call(one, answer))
        ]
        reasons += _counts(expect, reply)
        reasons += self._one_server(expect, reply)
        return reasons or self._one_of(expect, reply, lambda *_: [])

    def _answers_afterwards(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        for number, one, answer in _each_answer(expect, reply):
            if reasons := self.afterwards(one, answer):
                return _told(f"responses[{number}]", reasons)
        return []

    def _one_server(self, expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
        reasons = []
        for number, one in expect.get("one_server", {}).items():
            answers = [a for server in _servers(reply) for a in server.replies.get(number, [])]
            judged = [self.about_call(one, answer) or self.afterwards(one, answer) for answer in answers]
            if all(judged):
                told = "; ".join(reason for found in judged for reason in found) or "no answer"
                reasons.append(f"one_server[{number}]: none of the servers gave it: {told}")
        return reasons

    def _one_of(self, expect: Mapping[str, Any], reply: AnyReply, also: Callable[..., list[str]]) -> list[str]:
        """Hold that one of the alternatives holds, in what is ``also`` asked of it too."""
        told = []
        for number, one in enumerate(expect.get("any_of", ())):
            reasons = self.about_call(one, reply) or also(one, reply)
            if not reasons:
                return []
            told.append(f"any_of[{number}]: {'; '.join(reasons)}")
        return told


def _each_answer(expect: Mapping[str, Any], reply: AnyReply) -> Iterator[tuple[str, Mapping[str, Any], Reply]]:
    for number, one in expect.get("responses", {}).items():
        for server in _servers(reply):
            for answer in server.replies.get(number, []):
                yield number, one, answer


def _counts(expect: Mapping[str, Any], reply: AnyReply) -> list[str]:
    return [
        wrong
        for number, one in expect.get("responses", {}).items()
        for server in _servers(reply)
        if (wrong := checks_script.answers_count(one, number, server))
    ]


def _servers(reply: AnyReply) -> list[Any]:
    return reply.servers if isinstance(reply, ScriptReply) else []


def _told(place: str, reasons: list[str]) -> list[str]:
    return [f"{place}: {reason}" for reason in reasons]


def _reasons(name: str, check: Callable[[], Iterator[str]]) -> list[str]:
    """Give a check's reasons; what it cannot find in an answer is one."""
    try:
        return [f"{name}: {reason}" for reason in check()]
    except CheckError as problem:
        return [f"{name}: {problem}"]
    except KeyError as problem:
        return [f"{name}: the structured answer has no {problem}"]
