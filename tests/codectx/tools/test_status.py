"""status: what is seen, what is left out and why, what was saved."""

import json


def test_files_are_counted_by_language_and_left_out_ones_have_reasons(ask, make_project) -> None:
    project = make_project({"a.py": "", "b.py": "", "c.js": "", "d.txt": "", ".env": "KEY=1\n"})
    text = ask(project, "status").text
    assert "files: 4 (python 2, javascript 1, other 1)\n" in text
    assert "left out: 1 file (secret 1)\n .env: secret file" in text
    data = json.loads(ask(project, "status", as_json=True).text)
    assert (data["files_seen"], data["files"], data["up_to_date"]) == (4, 0, False)  # there is no index yet
    assert [s["path"] for s in data["skipped"]] == [".env"]


def test_savings_are_those_since_the_start_and_stand_nowhere_else(ask, make_project) -> None:
    project = make_project({"a.py": "def f(x):\n    return x\n\n\n" * 400})
    assert "since the start" not in ask(project, "status").text
    answer = ask(project, "read_lines", path="a.py", start=1, end=2).text
    assert "tokens" not in answer
    told = ask(project, "status").text
    assert "since the start: " in told


def test_many_left_out_files_are_paged(ask, make_project) -> None:
    project = make_project({f"deploy/stage_{n:03d}/.env": "A=1\n" for n in range(80)})
    seen, after = [], ""
    while True:
        text = ask(project, "status", **({"after": after} if after else {})).text
        seen += [line.split(":")[0].strip() for line in text.split("\n") if line.startswith(" deploy/")]
        if "[cut: " not in text:
            break
        after = seen[-1]
    assert len(seen) == 80
