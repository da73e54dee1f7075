"""What every tool must do, present and future: the declarations are looped over."""

import re

import pytest

from codectx.tokens import Counter
from codectx.tool import HARD_MAX_TOKENS, MIN_TOKENS
from codectx.tools import LISTED, TOOLS

COUNTER = Counter()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_description_opens_with_the_question_it_answers(tool) -> None:
    assert re.match(r"[A-Z][^.]*\?", tool.description)
    assert len(tool.description) <= 2048  # Claude Code cuts longer ones


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_call_in_a_notice_may_leave_out_the_name_of_the_first_parameter_only(tool) -> None:
    required = [parameter.name for parameter in tool.own_parameters if parameter.required]
    assert required in ([], [tool.own_parameters[0].name])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schema_has_no_titles_and_bounds_the_limit(tool) -> None:
    schema = tool.input_schema
    assert "title" not in str(schema)
    assert schema["properties"]["max_tokens"]["minimum"] == MIN_TOKENS
    assert schema["properties"]["max_tokens"]["maximum"] == HARD_MAX_TOKENS
    assert tool.limit == LISTED[tool.name].limit


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("value", [None, [], {}, "", "\0", "x" * 20_000, -1, 10**40, 1.5, True, "../..", "\ud800"])
def test_no_argument_breaks_a_tool(ask, make_project, tool, value) -> None:
    project = make_project({"a.py": "def f():\n    return 1\n"})
    for name in [parameter.name for parameter in tool.parameters]:
        required = {p.name: "a.py" for p in tool.own_parameters if p.required}
        reply = ask(project, tool.name, **{**required, name: value})
        assert "Traceback" not in reply.text
        assert "unexpectedly" not in reply.text
        assert COUNTER.count(reply.text) <= max(tool.limit, MIN_TOKENS)
        if reply.is_error:
            assert re.match(r"error\[\w+\]: [^\n]+; [^\n]+\Z", reply.text), reply.text
