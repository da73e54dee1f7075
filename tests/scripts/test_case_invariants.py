"""Each invariant is held against an answer that keeps it and one that breaks it."""

# ruff: noqa: ARG002  (the stage stands in for another and takes what that takes)

import hashlib
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from cases import observe
from cases.invariants_effects import store_growth_max
from cases.judge import INVARIANTS
from cases.place import Place
from cases.reply import Answers, Reply, ScriptReply
from cases.schema import BARE_TOKENS, TOKENS
from cases.verdict import CheckError

TEXT = "".join(f"line {n}\n" for n in range(1, 9))
MARKDOWN = "a\n\n```py\n1\n2\n3\n4\n```\n\nb"
LONG = "x" * 10 + "\nend\n"
DIFF = "a (1 file)\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"


class Stage:
    """Stand in for a running case: pages by their call, everything else as given."""

    def __init__(self, root, pages=None, data=None, **rest):
        self.place = SimpleNamespace(root=root, store=root / "store", env={})
        self.pages = pages or {}
        self.data = data
        self.kept = observe.Kept()
        self.background = []
        self.case = {}
        self.__dict__.update(rest)

    def tool_again(self, reply, tool, args, *, as_json=False):
        key = ", ".join(f"{name}={value}" for name, value in args.items() if name != "max_tokens")
        return self.pages[key]

    def structured(self, reply):
        return reply.data if reply.data is not None else self.data

    def raw_line(self, reply):
        return reply.line

    def json_line(self, reply):
        return self.__dict__.get("json_bytes", b"{}")

    def listed(self, reply):
        return self.tools

    def call(self, step):
        return self.found(step["args"]["query"])


@pytest.fixture
def root(tmp_path):
    for name, text in {"a.txt": TEXT, "m.md": MARKDOWN, "long.txt": LONG, "hid.py": "a\nb\u202ec\nd\ufffd\n"}.items():
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def reply(answer="", root=None, *, tool="read_file", data=None, **rest):
    return Reply(tool, rest.pop("args", {}), root, rest.pop("door", "mcp"), answer, data=data, **rest)


def cut(call, shown=3, total=8):
    return f"[cut: {shown} of {total} lines shown. next: {call}]"


FIRST = "a.txt:1-3 (8 lines)\nline 1\nline 2\nline 3\n"
SECOND = "a.txt:4-8 (8 lines)\nline 4\nline 5\nline 6\nline 7\nline 8\n"
GOES_ON = cut('read_lines("a.txt", start=4)')
MD_1 = (
    'm.md:1-5 (10 lines)\na\n\n```py\n1\n2\n``` [added]\n[cut: 5 of 10 lines shown. next: read_lines("m.md", start=6)]'
)
MD_2 = "m.md:6-10 (10 lines, no final newline)\n```py [added]\n3\n4\n```\n\nb"
TORN = 'long.txt:1 (2 lines)\nxxxx\n[cut: 0 of 2 lines shown. next: read_lines("long.txt:1@4-")]'
TORN_2 = "long.txt:1@4-2 (2 lines)\nxxxxxx\nend\n"

# token, value, pages that next calls give, answers that keep it, answers that break it
TABLE = [
    ("fences_balanced", True, {}, [FIRST, MD_1, MD_2], [MD_1.replace("``` [added]\n", ""), "h\n> ```\n> x\n"]),
    (
        "whole_lines_only",
        True,
        {},
        [FIRST, MD_1],
        [FIRST.replace("line 3\n", "line\n"), TORN, "nothing", "a.txt (8 lines)\nline 1\n"],
    ),
    (
        "next_continues",
        True,
        {},
        [
            FIRST + GOES_ON,
            MD_1,
            TORN,
            TORN_2.replace("end\n", "").replace("4-2", "4") + cut('read_lines("long.txt", start=2, max_tokens=50)'),
        ],
        [
            FIRST + cut('read_lines("a.txt", start=5)'),
            FIRST + cut('read_lines("a.txt", start=3)'),
            FIRST + cut('read_lines("b.txt", start=4)'),
            FIRST + cut('grep("a.txt")'),
            FIRST + cut("read_lines(a.txt)"),
            FIRST,
            TORN.replace("@4", "@5"),
            FIRST.replace("line 1", "line x") + GOES_ON,
            "a.txt:1-3 (8 lines)\n" + cut('read_lines("a.txt", start=1)'),
        ],
    ),
    (
        "pages_rebuild_file",
        True,
        {
            "path=a.txt, start=4": SECOND,
            "path=m.md, start=6": MD_2,
            "path=long.txt:1@4-": TORN_2,
            "path=a.txt, start=5": "a.txt:5-8 (8 lines)\nline 5\nline 6\nline 7\nline 8\n",
            "path=a.txt, start=1": FIRST + cut('read_lines("a.txt", start=1)'),
        },
        [FIRST + GOES_ON, MD_1, TORN],
        [
            FIRST,
            FIRST + cut('read_lines("a.txt", start=5)'),
            FIRST + cut('read_lines("a.txt", start=1)'),
            MD_1.replace("``` [added]", "```"),
        ],
    ),
    ("last_line_mod", {"divisor": 6, "in": [3, 5]}, {}, [FIRST], [SECOND, "x"]),
    ("long_line_address", {"path": "long.txt", "line": 1}, {}, [TORN], [FIRST, TORN.replace(":1@", ":2@")]),
    (
        "text_is_prefix",
        True,
        {},
        [FIRST, MD_1, TORN],
        [SECOND, "a.txt:1 (8 lines)\n", FIRST.replace("line 3", "line x")],
    ),
    (
        "hunks_whole",
        True,
        {},
        [
            DIFF,
            DIFF + "[cut: 1 of 2 hunks shown. next: git_diff()]",
            "a\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
            "no changes\n",
        ],
        [DIFF.replace("+d\n", ""), DIFF.replace("-b\n", "")],
    ),
    (
        "no_fffd_added",
        True,
        {},
        ["hid.py:3 (3 lines)\nd\ufffd\n", FIRST],
        ["hid.py:3 (3 lines)\nd\ufffd\ufffd\n", FIRST.replace("line 3", "line \ufffd")],
    ),
    (
        "invisible_told",
        {"line": 2},
        {},
        [
            "hid.py:1-3 (3 lines)\na\nb\u202ec\nd\ufffd\n[invisible: U+202E on line 2]",
            "hid.py:1-3 (3 lines)\na\nb<U+202E>c\nd\ufffd\n",
            "hid.py:1-3 (3 lines)\na\nb\\u202ec\nd\ufffd\n",
            "hid.py:1-3 (3 lines)\na\n\nb\n[bidirectional: lines 1-2]",
        ],
        [
            "hid.py:1-3 (3 lines)\na\nb\u202ec\nd\ufffd\n",
            "hid.py:1-3 (3 lines)\na\nbc\nd\ufffd\n[invisible: U+2002 on line 3]",
            "hid.py:1-3 (3 lines)\na\nbc\nd\n[masked: line 2]",
        ],
    ),
    (
        "visible_text_unchanged",
        True,
        {},
        ["hid.py:1-3 (3 lines)\na\nb<U+202E>c\nd\ufffd\n", "hid.py:2 (3 lines)\nbc\n", FIRST],
        [
            "hid.py:1-3 (3 lines)\na\nb<U+0041>c\nd\ufffd\n",
            "hid.py:1-2 (3 lines)\na\n",
            FIRST.replace("line 2", "line"),
        ],
    ),
    (
        "masked_lines_told",
        [3, 7],
        {},
        [FIRST + "[masked: lines 3, 6-9]", FIRST + "[masked: secrets on line 3]\n[masked: secrets on line 7]"],
        [FIRST, FIRST + "[masked: line 3]", FIRST + "[stale: lines 3, 7]"],
    ),
    (
        "notices_lack",
        ["evil"],
        {},
        [FIRST, "a.txt:1 (8 lines)\nevil\n"],
        ["evil.txt:1 (8 lines)\n", FIRST + "[stale: EVIL]", FIRST + cut('read_lines("evil", start=4)')],
    ),
    (
        "fence_outlasts_content",
        True,
        {},
        [FIRST, "m.md:1-10 (10 lines)\n" + MARKDOWN, "m.md:1-9\n````\n```\n````\n", "x\ntext ``` text\n"],
        ["x\n```\n```\n```\n", "x\n```\nfoo\n", "m.md:1-9 (10 lines)\n```py\na ```\n```\n"],
    ),
]


def check(token, value, given, stage):
    try:
        return list(INVARIANTS[token](value, given, stage))
    except CheckError as problem:
        return [str(problem)]


@pytest.mark.parametrize(("token", "value", "pages", "kept", "broken"), TABLE, ids=[row[0] for row in TABLE])
def test_an_invariant_holds_for_what_keeps_it_and_fails_for_what_breaks_it(token, value, pages, kept, broken, root):
    stage = Stage(root, {call: reply(text, root) for call, text in pages.items()})
    for text in kept:
        assert check(token, value, reply(text, root), stage) == [], text
    for text in broken:
        assert check(token, value, reply(text, root), stage) != [], text


def test_pages_of_a_list_are_followed_by_their_structured_next_call(root):
    def page(lines, after=None):
        following = after and {"tool": "grep", "args": {"after": after}}
        found = [{"path": "a", "line": line, "text": ""} for line in lines]
        return reply(tool="grep", data={"matches": found, "next": following, "total_matches": 3})

    stage = Stage(root, {"after=2": page([3]), "after=1": page([2, 3]), "after=9": page([9], 9)})
    assert check("pages_find_all", 3, page([1, 2], 2), stage) == []
    assert check("next_continues", True, page([1, 2], 2), stage) == []
    for first in (page([1, 2]), page([1, 2], 1), page([1, 2], 9)):
        assert check("pages_find_all", 3, first, stage) != []
        assert check("next_continues", True, first, stage) != []
    assert check("pages_find_all", 3, reply(data={"odd": 1}), stage) != []


def test_what_was_written_is_utf8_without_lone_surrogates(root):
    right = ['{"a":"\\ud83d\\ude00"}', '{"a":"\\\\ud83d"}', "ä"]
    wrong = ['{"a":"\\ud83d"}', '{"a":"\\ude00\\ud83d"}', ""]
    for line in right:
        assert check("valid_utf8", True, reply(line=line.encode()), Stage(root)) == [], line
    for line in (*(text.encode() for text in wrong), b"\xff"):
        assert check("valid_utf8", True, reply(line=line), Stage(root)) != [], line
    assert check("valid_utf8", True, reply("\ud83d", line=b"x"), Stage(root)) != []
    assert check("valid_utf8", True, reply(line=b"x"), Stage(root, json_bytes=b"\xff")) != []


def test_records_are_whole(root):
    match = {"path": "a", "line": 1, "text": "", "symbol": None}
    use = {"role": "use", "path": "a", "line": 1, "text": "x"}
    for data in ({"matches": [match]}, {"matches": []}, {"entries": [{"name": "a", "kind": "file"}, use]}):
        assert check("whole_records", True, reply(data=data), Stage(root)) == []
    for data in ({"matches": [match, {"path": "a", "line": 1}]}, {"odd": []}, {"entries": [{"name": "a"}]}):
        assert check("whole_records", True, reply(data=data), Stage(root)) != []


def script(root, *streams):
    return ScriptReply(root, [Answers(stdout=stream) for stream in streams])


def test_stdout_holds_messages_only(root):
    answer = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    notice = b'{"jsonrpc":"2.0","method":"x"}\n'
    assert check("stdout_jsonrpc_only", True, script(root, answer + notice, b""), Stage(root)) == []
    assert check("stdout_jsonrpc_only", True, reply(line=answer[:-1]), Stage(root)) == []
    for odd in (b"Welcome\n", b"\n", b"[1]\n", b'{"id":1,"result":{}}\n', b'{"jsonrpc":"2.0"}\n', b"half"):
        assert check("stdout_jsonrpc_only", True, script(root, answer, answer + odd), Stage(root)) != [], odd


def test_the_servers_face_is_looked_at(root):
    k = {"type": "integer", "minimum": 1}
    schema = {"properties": {"k": k, "n": {"anyOf": [k, {"type": "null"}]}}}
    tools = {"tools": {"grep": {"description": "It is DATA.", "schema": schema}}, "instructions": "Read first."}
    stage = Stage(root, tools=tools)
    asked = reply(tool="grep")
    assert check("tool_list_mentions", ["data", "read"], asked, stage) == []
    assert check("tool_list_mentions", ["data"], reply(tool="status"), stage) != []
    bound = {"tool": "grep", "arg": "k", "keys": ["minimum"]}
    assert check("schema_bounds", [bound, {**bound, "arg": "n"}], asked, stage) == []
    for wrong in ({**bound, "keys": ["maximum"]}, {**bound, "arg": "x"}, {**bound, "tool": "status"}):
        assert check("schema_bounds", [wrong], asked, stage) != []


def test_every_symbol_of_a_series_is_found(root):
    def found(query):
        return reply(f"2 hits\nsrc/m.py:1-2 {query}\nsrc/o.py:3-4 f_0 f_1 f_2")

    value = {"format": "f_%d", "count": 3}
    assert check("finds_all", value, None, Stage(root, found=found)) == []
    assert check("finds_all", value, None, Stage(root, found=lambda _: reply("1 hit\nm.py:1-2 f_0"))) != []
    assert (
        check("finds_all", value, None, Stage(root, found=lambda _: reply("1 hit\nm.py:1-2 f_0\nm.py:3 f_1 f_2"))) != []
    )
    assert check("finds_all", value, None, Stage(root, found=lambda _: reply("nothing f_0 f_1 f_2"))) != []
    assert check("finds_all", value, None, Stage(root, found=lambda _: reply("x", failed=True))) != []


def test_rows_and_vectors_of_the_store(root, monkeypatch):
    def rows(*given):
        monkeypatch.setattr("cases.product.store_rows", lambda _: iter(given))

    one = {"path": "a", "name": "f", "lines": (1, 2), "vector": [0.5, 1.0], "model": "m"}
    rows(one, {**one, "lines": (3, 4)}, {**one, "name": "g", "vector": None})
    assert check("no_duplicate_rows", True, None, Stage(root)) == []
    assert check("store_vectors_sound", True, None, Stage(root)) == []
    rows(one, one)
    assert check("no_duplicate_rows", True, None, Stage(root)) != []
    rows()
    assert check("no_duplicate_rows", True, None, Stage(root)) != []
    for odd in ({"vector": [float("nan"), 1.0]}, {"vector": [1.0]}, {"model": "n"}, {"vector": [float("inf"), 1.0]}):
        rows(one, {**one, "name": "h", **odd})
        assert check("store_vectors_sound", True, None, Stage(root)) != [], odd


def test_a_store_without_tables_is_told(root):
    pytest.importorskip("lancedb")
    assert check("no_duplicate_rows", True, None, Stage(root)) != []


def test_files_of_the_store(root):
    store = root / "store"
    store.mkdir()
    (store / "a.lance").write_bytes(b"12345678")
    stage = Stage(root, first_index_size=4)
    stage.kept.store = {"a.lance": hashlib.sha256(b"12345678").hexdigest()}
    assert check("store_kept", True, None, stage) == []
    assert check("store_growth_max", 2, None, stage) == []
    assert check("store_growth_max", 1.5, None, stage) != []
    assert list(store_growth_max(2, None, Stage(root, first_index_size=None))) != []
    assert check("store_files_max", {"glob": "*.lance", "max": 1}, None, stage) == []
    assert check("store_files_max", {"glob": "*.lance", "max": 0}, None, stage) != []
    (store / "a.lance").write_bytes(b"x")
    assert check("store_kept", True, None, stage) != []
    (store / "a.lance").unlink()
    assert check("store_kept", True, None, stage) != []


def test_one_of_several_calls_wins(root):
    def running(code, text):
        return SimpleNamespace(wait=lambda _: SimpleNamespace(exit_code=code, stdout=b"", stderr=text))

    locked = "error[store_locked]: x; y\n"
    for ours, code, text in [(0, 75, locked), (0, 0, ""), (75, 0, "")]:
        stage = Stage(root, background=[running(code, text)])
        given = reply(stderr=locked if ours == 75 else "", exit_code=ours, door="cli")
        assert check("one_winner", True, given, stage) == []
    for ours, code, text in [(75, 75, locked), (0, 2, ""), (0, 75, "busy\n"), (0, 75, locked + "more\n"), (1, 0, "")]:
        stage = Stage(root, background=[running(code, text)])
        given = reply(stderr=locked if ours == 75 else "", exit_code=ours, door="cli")
        assert check("one_winner", True, given, stage) != [], (ours, code, text)


def test_commands_that_are_named_exist(root):
    stage = Stage(root, command=sys.executable)
    stage.place.env = {"PATH": ""}
    (root / "index").write_text("", encoding="utf-8")  # what `python index --help` runs
    assert check("named_commands_exist", True, reply("run `codectx index` again"), stage) == []
    assert check("named_commands_exist", True, reply("run `codectx mend`"), stage) != []


@pytest.fixture
def place(root):
    """A place with a repository, and one beside it."""
    base = root / "base"
    for folder in (base / "bin", base / "tmp", base / "case/sub", base / "other"):
        folder.mkdir(parents=True)
    for repository in ("case", "other"):
        subprocess.run(["git", "init", "-q", "-b", "main", base / repository], check=True)
    env = {"PATH": f"{base / 'bin'}:/usr/bin:/bin", "GIT_INDEX_FILE": "mine", "GIT_CONFIG_GLOBAL": "/dev/null"}
    return Place(base, base / "case", base / "store", env)


def test_gits_state_is_compared(place, root):
    token = {"invariants": ["git_state_unchanged"]}
    for change in (
        "echo x > new",
        "echo y >> old; git add old",
        "git commit -qm 1",
        "git branch b",
        "git checkout -qb c",
    ):
        own = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid", "-C", place.root]
        (place.root / "old").write_text(change, encoding="utf-8")
        subprocess.run([*own, "add", "old"], check=True)
        subprocess.run([*own, "commit", "-qm", "0", "--allow-empty"], check=True)
        subprocess.run([*own, "commit", "-qm", "0", "--allow-empty"], check=True)
        (place.root / "old").write_text("staged", encoding="utf-8")
        subprocess.run([*own, "add", "old"], check=True)
        stage = Stage(place.root, kept=observe.note(place, token))
        assert check("git_state_unchanged", True, reply(root=place.root), stage) == []
        line = change.replace("git commit", "git -c user.name=T -c user.email=t@example.invalid commit")
        subprocess.run(["sh", "-c", line], cwd=place.root, check=True)
        assert check("git_state_unchanged", True, reply(root=place.root), stage) != [], change


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("git status", True),
        ("git -C sub status", True),
        ("GIT_INDEX_FILE=other git status", False),
        ("env -u GIT_INDEX_FILE git -C sub status", False),
        ("git -C ../other status", False),
        ("env -u GIT_INDEX_FILE git -c a.b=c -C ../other status", True),
    ],
)
def test_gits_calls_are_logged_with_what_they_see(place, line, holds):
    case = {"env": {"GIT_INDEX_FILE": "mine"}, "expect": {"invariants": ["git_env_kept"]}}
    observe.prepare(case, place)
    observe.note(place, case["expect"])
    subprocess.run(["sh", "-c", line], cwd=place.root, env=place.env, check=True, capture_output=True)
    stage = Stage(place.root, place=place, case=case)
    assert len(list(observe.git_calls(place))) == 1
    assert (check("git_env_kept", True, None, stage) == []) is holds


@pytest.mark.parametrize(
    ("code", "holds"),
    [
        ("import os; os.listdir('.'); os.stat('ignored'); open('kept.txt').read()", True),
        ("import os; os.listdir('ignored')", False),
        ("import os; list(os.scandir('ignored'))", False),
        ("import os; os.stat('ignored/x')", False),
        ("import pathlib; pathlib.Path('ignored/x').exists()", False),
        ("open('ignored/x').read()", False),
        ("import os; os.stat('x', dir_fd=os.open('ignored', os.O_RDONLY))", False),
        ("import os; list(os.walk('.'))", False),
        ("import shutil, os; os.makedirs('t/u'); shutil.rmtree('t')", True),
    ],
)
def test_folders_that_are_not_to_be_touched_are_watched(place, code, holds):
    (place.root / "ignored").mkdir()
    (place.root / "ignored/x").write_text("x", encoding="utf-8")
    (place.root / "kept.txt").write_text("x", encoding="utf-8")
    expect = {"invariants": [{"paths_untouched": ["ignored/"]}]}
    observe.prepare({"expect": expect}, place)
    observe.note(place, expect)
    stage = Stage(place.root, place=place)
    assert check("paths_untouched", ["ignored/"], None, stage) != []  # nobody was watched
    subprocess.run([sys.executable, "-P", "-c", code], cwd=place.root, env=place.env, check=True)
    assert (check("paths_untouched", ["ignored/"], None, stage) == []) is holds


def test_another_sitecustomize_has_its_turn(place):
    (place.root / "sitecustomize.py").write_text("import os; os.environ['SEEN'] = '1'", encoding="utf-8")
    observe.prepare({"expect": {"invariants": [{"paths_untouched": ["ignored/"]}]}}, place)
    env = {**place.env, "PYTHONPATH": f"{place.env['PYTHONPATH']}:{place.root}"}
    code = "import os; print(os.environ.get('SEEN'))"
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True)
    assert done.stdout == b"1\n"


def test_every_token_of_the_form_has_a_check():
    assert {*BARE_TOKENS, *TOKENS} == set(INVARIANTS)


def test_json_of_the_audit_names_folders_below_the_root(place):
    observe.prepare({"expect": {"invariants": [{"paths_untouched": ["a/", "b/c"]}]}}, place)
    assert json.loads(place.env["CASES_AUDIT"])["folders"] == [str(place.root / "a"), str(place.root / "b/c")]
