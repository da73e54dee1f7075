"""Run one case from its files to its verdict: ``run_case``."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cases import checks_lists, checks_summary, observe, product, steps
from cases.judge import judge
from cases.place import Place
from cases.schema import problems
from cases.stage import Kill, Stage
from cases.verdict import CaseError, CheckError, Skipped

MOST_KILLS = 500  # runs of one case with the same signal
# Kinds whose tools are called by command: the text is the same, and starting a server takes much longer.
BY_COMMAND = ("syntax", "comments")
# Keys that are answered by ``--json`` of a command that is not run a second time for it.
_STRUCTURED = {*checks_summary.CHECKS, *checks_lists.CHECKS} - {"complete", "optional_symbols", "backend_requests"}


@dataclass
class Verdict:
    """Hold how a case ended: ``passed``, ``failed`` or ``skipped``, and why."""

    name: str
    outcome: str = "passed"
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run_case(case: Any, name: str, command: Sequence[str]) -> Verdict:
    """Run a case against a product command; never raises."""
    began = time.monotonic()
    verdict = Verdict(name)
    try:
        if wrong := [case] if isinstance(case, str) else problems(case, name):
            verdict.outcome, verdict.reasons = "failed", [f"the case does not keep to its form: {w}" for w in wrong]
        else:
            verdict.reasons = _run(case, command)
            verdict.outcome = "failed" if verdict.reasons else "passed"
    except Skipped as reason:
        verdict.outcome, verdict.reasons = "skipped", [str(reason)]
    except CheckError as problem:
        verdict.outcome, verdict.reasons = "failed", [str(problem)]
    except CaseError as problem:
        verdict.outcome, verdict.reasons = "failed", [f"broken case: {problem}"]
    except Exception:
        verdict.outcome, verdict.reasons = "failed", ["the runner failed: " + traceback.format_exc(limit=-4)]
    verdict.seconds = time.monotonic() - began
    return verdict


def _run(case: Mapping[str, Any], command: Sequence[str]) -> list[str]:
    """Run a case once, or for each signal and request at which it kills calls."""
    signals = [s for step in _steps_of(case) for s in step.get("kill", {}).get("signals", ())]
    if not signals:
        return _run_once(case, command, None)
    for number in dict.fromkeys(signals):
        for after in range(1, MOST_KILLS + 1):
            kill = Kill(number, after)
            if reasons := _run_once(case, command, kill):
                return [f"killed by signal {number} at request {after}: {reason}" for reason in reasons]
            if not kill.done:
                break
        else:
            raise CaseError(f"a call does not end by itself within {MOST_KILLS} requests")
    return []


def _run_once(case: Mapping[str, Any], command: Sequence[str], kill: Kill | None) -> list[str]:
    one_root = not any("root" in step for step in _steps_of(case))
    place = Place.make(case, command, own_store=one_root)
    try:
        stage = Stage(case, place, kill)
        stage.begin()
        try:
            return _play(case, stage)
        finally:
            stage.end()
    finally:
        place.remove()


def _play(case: Mapping[str, Any], stage: Stage) -> list[str]:
    for number, step in enumerate(case.get("before", ())):
        if reasons := take_step(step, stage):
            return [f"before[{number}]: {reason}" for reason in reasons]
    reasons = take_step({**case["action"], "expect": case["expect"]}, stage)
    return reasons + stage.notes if reasons else []


def is_about_time(reason: str) -> bool:
    """Tell whether a reason is that something took too long."""
    return (
        re.search(r"(?:^|: )(?:max_seconds: took|exits_within_seconds: the server ended after) [^;]*$", reason)
        is not None
    )


def take_step(step: Mapping[str, Any], stage: Stage) -> list[str]:
    """Carry out a step, and give the reasons why its expectation does not hold."""
    if "tool" not in step:
        steps.take(step, stage)
        return []
    if step.get("background"):
        stage.start(step)
        return []
    expect = step.get("expect", {})
    stage.kept = observe.note(stage.place, expect)
    keys = _keys_of(expect)
    own_command = step["tool"] in ("index", "cli", "hook")
    reply = stage.call(
        step,
        as_json=own_command and bool(keys & _STRUCTURED),
        as_command=step["tool"] in product.FIRST and ("exit_code" in keys or _by_command(step, stage)),
        ping="alive_after" in keys,
    )
    if reply.failed and not expect:
        stage.notes.append(f"(earlier, {step['tool']} {step['args']} gave: {reply.text.strip()[-300:]})")
    return judge(expect, reply, stage, lambda further: take_step(further, stage))


def _by_command(step: Mapping[str, Any], stage: Stage) -> bool:
    return stage.case["kind"] in BY_COMMAND and "server" not in step


def _keys_of(expect: Mapping[str, Any]) -> set[str]:
    """Give the keys of an expectation and its alternatives."""
    return set(expect).union(*(_keys_of(one) for one in expect.get("any_of", ())))


def _steps_of(part: Any) -> list[Mapping[str, Any]]:
    """Give all steps of a case, wherever they stand."""
    if isinstance(part, list):
        return [step for item in part for step in _steps_of(item)]
    if not isinstance(part, Mapping):
        return []
    own = [step for key in ("before", "then") for step in part.get(key, ()) if isinstance(step, Mapping)]
    return own + [step for key, value in part.items() if key != "files" for step in _steps_of(value)]
