"""Carry out the steps of a case that are no calls: ``take``.

``STEPS`` maps the keys of such a step to the functions that do it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from cases import product
from cases.reply import Reply
from cases.stage import Stage, last_line, parsed
from cases.verdict import CaseError, CheckError


def take(step: Mapping[str, Any], stage: Stage) -> None:
    """Carry out a step.

    Raises:
        CaseError: the case does not allow for it, or its shell line fails.
        CheckError: the product does not get as far as the step waits for.
    """
    (name, value), *_ = step.items()
    if name == "start_server":
        stage.start_server(value, stage.below_case(step["root"]) if "root" in step else stage.place.root)
    else:
        STEPS[name](value, stage)


def _sh(line: str, stage: Stage) -> None:
    stage.close_server("")
    stage.place.run_line(line)


def _config(values: Mapping[str, Any], stage: Stage) -> None:
    stage.close_server("")
    stage.configured |= stage.place.fill(values)
    product.write_configuration(stage.place.configuration, stage.configured)


def _backend(value: Any, stage: Stage) -> None:
    if stage.fake is None:
        raise CaseError("there is no backend to switch")
    if value == "down":
        stage.fake.down()
    elif value == "up":
        stage.fake.up({**stage.case["backend"]["fake_ollama"], "mode": "ok"})
    else:
        stage.fake.up(value["fake_ollama"])


def _settle(seconds: float, stage: Stage) -> None:
    """Wait for every root on which something was called."""
    deadline = time.monotonic() + seconds
    for root in stage.roots or [stage.place.root]:
        reply = Reply("status", {}, root, "cli")
        while not _is_settled(status := stage.tool_again(reply, "status", {}, as_json=True)):
            if time.monotonic() > deadline:
                raise CheckError(f"the index is not up to date after {seconds} s: {last_line(status.text)}")
            time.sleep(0.1)


def _store_schema_version(version: int, stage: Stage) -> None:
    stage.close_server("")
    product.mark_schema_version(stage.place.store, version)


def _store_free_kib(kib: int | None, stage: Stage) -> None:
    if not stage.place.mounted:
        raise CaseError("store_free_kib needs `mount`")
    stage.place.leave_free(kib)


def _restart_servers(_flag: bool, stage: Stage) -> None:
    for name, (root, _) in list(stage.servers.items()):
        stage.close_server(name)
        if name:
            stage.start_server(name, root)


def _is_settled(status: Reply) -> bool:
    return not status.failed and product.is_settled(parsed(status))


STEPS: dict[str, Callable[[Any, Stage], None]] = {
    "sh": _sh,
    "config": _config,
    "backend": _backend,
    "settle_seconds": _settle,
    "store_schema_version": _store_schema_version,
    "store_free_kib": _store_free_kib,
    "restart_servers": _restart_servers,
}
