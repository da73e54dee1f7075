"""One call answered: within its limit, errors in one line, and no fault of a tool gets out."""

import logging
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.config import Config
from codectx.dispatch import Reply, answer_call, limit_of
from codectx.errors import EXIT_LOCKED, UserError
from codectx.progress import Cancelled, Watch, check, report, watched
from codectx.project import Project
from codectx.tokens import Counter
from codectx.tool import HARD_MAX_TOKENS, Param, Tool, tool

COUNTER = Counter()


def project(**limits: int) -> Any:
    return Project(Path("/no/such/project"), Config(limits=limits))


def numbers(project: Any, count: Annotated[int, Param(minimum=0)], after: int = 0) -> Answer:
    """Which numbers? For tests."""

    def frame(shown: Shown) -> Frame:
        last = after + shown.blocks
        return Frame(
            "numbers", shown.blocks, count - after, "numbers", Call("numbers", {"count": count, "after": last})
        )

    blocks = [Block((f"number {n}\n",), {"number": n}) for n in range(after, count)]
    return Answer(blocks, frame, found=count > 0)


NUMBERS = tool(numbers, title="Numbers", limit=500)


def raising(error: BaseException) -> Tool:
    def broken(project: Any, path: str = "") -> Answer:
        """Never answers."""
        raise error

    return tool(broken, title="Broken", limit=500)


def test_short_answer_is_whole() -> None:
    assert answer_call(project(), NUMBERS, {"count": 2}) == Reply("numbers\nnumber 0\nnumber 1\n")


def test_nothing_found_is_exit_code_1_and_no_error() -> None:
    reply = answer_call(project(), NUMBERS, {"count": 0})
    assert (reply.is_error, reply.exit_code) == (False, 1)


@pytest.mark.parametrize(
    ("limits", "arguments", "limit"),
    [
        ({}, {}, 500),
        ({"numbers": 900}, {}, 900),
        ({"numbers": 900}, {"max_tokens": 200}, 200),
        ({"numbers": 200}, {"max_tokens": 900}, 900),
        ({}, {"max_tokens": "300"}, 300),
        ({}, {"max_tokens": HARD_MAX_TOKENS + 1}, 500),
        ({"numbers": 900}, {"max_tokens": "many"}, 900),
        ({"numbers": HARD_MAX_TOKENS * 2}, {}, HARD_MAX_TOKENS),
    ],
)
def test_limit_is_asked_for_else_configured_else_the_tools_own(
    limits: dict[str, int], arguments: dict[str, Any], limit: int
) -> None:
    assert limit_of(project(**limits).config, NUMBERS, arguments) == limit


def test_per_call_limit_has_a_hard_ceiling() -> None:
    reply = answer_call(project(), NUMBERS, {"count": 9, "max_tokens": HARD_MAX_TOKENS + 1})
    assert reply.text.startswith("error[invalid_argument]: max_tokens is 7001")
    assert (reply.is_error, reply.exit_code) == (True, 2)


@settings(max_examples=60, deadline=None)
@given(st.integers(100, 2000), st.integers(0, 3000), st.booleans())
def test_limit_is_kept_with_frame_and_notice(limit: int, count: int, as_json: bool) -> None:
    reply = answer_call(project(), NUMBERS, {"count": count, "max_tokens": limit}, as_json=as_json)
    assert not reply.is_error
    assert COUNTER.count(reply.text) <= limit


def test_next_call_keeps_the_limit_that_was_asked_for() -> None:
    reply = answer_call(project(), NUMBERS, {"count": 300, "max_tokens": 150})
    assert "max_tokens=150)]" in reply.text


def test_error_is_one_line_with_category_and_remedy() -> None:
    error = UserError("not_found", "there is no\nfile a.py", "did you mean b.py?")
    reply = answer_call(project(), raising(error), {})
    assert reply == Reply("error[not_found]: there is no file a.py; did you mean b.py?", True, 2)


def test_held_lock_is_exit_code_75() -> None:
    assert answer_call(project(), raising(UserError("store_locked", "busy")), {}).exit_code == EXIT_LOCKED


@pytest.mark.parametrize("error", [KeyError("/secret/path"), RecursionError(), MemoryError(), AssertionError("x")])
def test_fault_of_a_tool_is_one_neutral_line_and_a_traceback_in_the_log(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "codectx"):
        reply = answer_call(project(), raising(error), {})
    name = type(error).__name__
    assert reply.text == (
        f"error[unsupported]: broken failed unexpectedly ({name}); this is a bug in codectx, see the server's log"
    )
    assert reply.is_error
    assert "Traceback" in caplog.text
    assert "broken failed" in caplog.text


def test_error_keeps_to_the_limit_too() -> None:
    reply = answer_call(project(), raising(UserError("not_found", "令" * 9000)), {"max_tokens": 100})
    assert COUNTER.count(reply.text) <= 100
    assert reply.text.startswith("error[not_found]: 令令")


def test_short_error_is_never_cut() -> None:
    error = UserError("not_found", "there is no file src/app/main.py", "did you mean src/app/main.ts?")
    assert answer_call(project(), raising(error), {"max_tokens": 100}).text == str(error)


@pytest.mark.parametrize("as_json", [False, True])
def test_lone_surrogates_never_get_out(as_json: bool) -> None:
    def odd(project: Any) -> Answer:
        """Names a file in another encoding."""
        return Answer([Block(("caf\udce9.py\n",), {"path": "caf\udce9.py"})], lambda _: Frame("head \ud800"))

    text = answer_call(project(), tool(odd, title="Odd", limit=500), {}, as_json=as_json).text
    assert "caf\ufffd.py" in text
    text.encode("utf-8")
    assert "\\ud" not in text.lower()


def test_lone_surrogate_in_an_error() -> None:
    text = answer_call(project(), raising(UserError("not_found", "no caf\udce9")), {}).text
    assert text == "error[not_found]: no caf\ufffd"


@pytest.mark.parametrize("stop", [Cancelled(), KeyboardInterrupt()])
def test_cancelling_is_no_answer(stop: BaseException) -> None:
    with pytest.raises(type(stop)):
        answer_call(project(), raising(stop), {})


def test_ledger_books_answers_against_the_files_they_name(tmp_path: Path) -> None:
    for name, size in [("a.py", 300), ("b.py", 5000), ("hidden.py", 7000), ("huge.log", 5_000_000)]:
        (tmp_path / name).write_bytes(b"x" * size)

    def found(project: Any) -> Answer:
        """Names two files and has a third that is not shown."""
        names = ["a.py", "b.py", "huge.log"]
        blocks = [Block((f"{name}\n",), {"path": name}) for name in names] + [Block(("",), {"path": "hidden.py"})]
        return Answer(blocks, lambda _: Frame("found"), data={"path": "."})

    here = Project(tmp_path, Config())
    text = answer_call(here, tool(found, title="Found", limit=500), {}).text
    answer_call(here, raising(UserError("not_found", "no such file")), {})
    balance = here.ledger.balance()
    assert balance.answers == 2
    assert balance.baseline == round((300 + 5000 + 256 * 1024) / 4.2)
    assert balance.delivered == round((len(text) + len("error[not_found]: no such file")) / 4.2)


def test_factor_scales_the_limit() -> None:
    dear = Project(Path("/no/such/project"), Config(token_factor=2.0))
    plain = answer_call(project(), NUMBERS, {"count": 500, "max_tokens": 400}).text
    scaled = answer_call(dear, NUMBERS, {"count": 500, "max_tokens": 400}).text
    assert COUNTER.count(scaled) * 2 <= 400 < COUNTER.count(plain) * 2


def test_work_learns_that_it_was_cancelled_and_tells_how_far_it_is() -> None:
    watch = Watch()
    check()
    report(1)  # nobody listens
    with watched(watch):
        report(1, 3, "reading")
        assert watch.step is not None
        assert (watch.step.done, watch.step.total, watch.step.message) == (1, 3, "reading")
        watch.cancel()
        with pytest.raises(Cancelled):
            check()
        with pytest.raises(Cancelled):
            report(2)
    check()
    assert not issubclass(Cancelled, Exception)


@pytest.mark.parametrize("what", ["é" * 9000, "%" * 10_000, "a b\n" * 3000])
def test_an_error_repeats_no_more_than_a_few_words_of_an_argument(what: str) -> None:
    text = str(UserError("invalid_argument", f"after is {what}", f"not {what}"))
    assert text.startswith("error[invalid_argument]: after is ")
    assert "...; not " in text
    assert "\n" not in text
    assert len(text) < 640
