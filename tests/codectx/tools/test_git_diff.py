"""git_diff: what changed, in an order that shows most of it, with pages that make every diff again."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from codectx.call import parse_call
from codectx.patches import MAX_CHARS
from codectx.tokens import Counter
from codectx.tools import TOOLS, git_diff

COUNTER = Counter()
FIRST = {tool.name: tool.parameters[0].name for tool in TOOLS}
CUT = re.compile(r"\[cut: (\d+) of (\d+) (.*) shown\. next: (.*)\]$")
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=root, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


@pytest.fixture
def repository(make_project):
    """Give a function that makes a repository of committed files, and then writes others over them (None deletes)."""

    def make(committed, changed=None):
        project = make_project(committed)
        root = project.root
        git(root, "init", "-q", "-b", "main")
        git(root, "config", "user.email", "t@example.invalid")
        git(root, "config", "user.name", "T")
        if committed:
            git(root, "add", "-A", "-f")
            git(root, "commit", "-qm", "first")
        for path, content in (changed or {}).items():
            if content is None:
                (root / path).unlink()
        make_project({path: content for path, content in (changed or {}).items() if content is not None})
        return project

    return make


def content_of(text: str) -> str:
    """Take header and notices off an answer."""
    lines = text.split("\n")[1:]
    while lines and re.fullmatch(r"\[(cut|left out|masked|invisible): .*\]", lines[-1]):
        lines.pop()
    return "".join(f"{line}\n" for line in lines[:-1]) + (lines[-1] and f"{lines[-1]}\n")


def notice(text: str) -> re.Match[str] | None:
    return CUT.search(text)


def follow(ask, project, **arguments) -> list[str]:
    """Follow the next calls to the end; gives the answers."""
    texts = []
    while True:
        reply = ask(project, "git_diff", **arguments)
        assert not reply.is_error, reply.text
        texts.append(reply.text)
        cut = notice(reply.text)
        if cut is None:
            return texts
        assert int(cut[1]) < int(cut[2])
        arguments = dict(parse_call(cut[4], FIRST).arguments)
        assert len(texts) < 300


def pages(ask, project, **arguments) -> list[dict]:
    """Follow the next calls of the structured answers; gives these."""
    found = []
    while True:
        reply = ask(project, "git_diff", as_json=True, **arguments)
        assert not reply.is_error, reply.text
        assert COUNTER.count(reply.text) <= arguments.get("max_tokens", 4000)
        found.append(json.loads(reply.text))
        if found[-1]["next"] is None:
            return found
        arguments = found[-1]["next"]["args"]
        assert len(found) < 300


def rebuilt(found: list[dict]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for page in found:
        for record in page["files"]:
            texts[record["path"]] = texts.get(record["path"], "") + record["text"]
    return texts


def numbered(count: int, mark: str = "") -> str:
    return "".join(f"line {n} {mark}of a file that is made for this\n" for n in range(count))


def changed_at(count: int, lines, mark: str = "changed ") -> str:
    return "".join(f"line {n} {mark if n in lines else ''}of a file that is made for this\n" for n in range(count))


def whole_hunks(content: str) -> bool:
    """Check that each hunk has as many lines as its header says."""
    lines = content.split("\n")
    for at, line in enumerate(lines):
        header = HUNK.match(line)
        if header:
            old, new = int(header[1] or 1), int(header[2] or 1)
            for body in lines[at + 1 :]:
                if not body or body[0] not in " +-" or (old <= 0 and new <= 0):
                    break
                old -= body[0] in " -"
                new -= body[0] in " +"
            if old or new:
                return False
    return True


BIG = {"a.py": numbered(20), "b.py": numbered(150), "c.py": numbered(250), "d.bin": b"\0\1\2", "e.txt": "gone\n" * 3}
BIG_CHANGED = {
    "a.py": changed_at(20, {3}),
    "b.py": changed_at(150, range(0, 150, 10)),
    "c.py": changed_at(250, range(0, 250, 15)),
    "d.bin": b"\0\3\4",
    "e.txt": None,
    "new.py": "x = 1\ny = 2\n",
}


# What is shown


def test_uncommitted_changes_staged_or_not_are_shown_with_untracked_files_named(repository, ask):
    project = repository(
        {"a.txt": "one\n", "b.txt": "b\n"}, {"a.txt": "one\ntwo\n", "b.txt": "c\n", "new.py": "1\n2\n"}
    )
    git(project.root, "add", "b.txt")
    text = ask(project, "git_diff").text
    head, *rest = text.split("\n")
    assert head == "git diff HEAD: 2 files, +2 -1, 1 untracked"
    assert rest[0] == "new.py | untracked, 2 lines"
    assert "".join(f"{line}\n" for line in rest[1:] if line) == "".join(
        git(project.root, "diff", "HEAD", "--", path) for path in ("b.txt", "a.txt")
    )


def test_a_range_is_shown_without_what_is_not_committed(repository, ask):
    project = repository({"a.txt": "one\n"}, {"a.txt": "two\n"})
    git(project.root, "commit", "-qam", "second")
    (project.root / "a.txt").write_text("three\n", encoding="utf-8")
    (project.root / "new").write_text("three\n", encoding="utf-8")
    for ref in ("HEAD~1..HEAD", "HEAD~1..", "HEAD~1...HEAD"):
        text = ask(project, "git_diff", ref=ref).text
        assert text.split("\n")[0] == f"git diff {ref}: 1 file, +1 -1"
        assert "-one\n+two\n" in text and "three" not in text
    assert "-one\n+three\n" in ask(project, "git_diff", ref="HEAD~1").text


def test_three_dots_compare_with_where_the_branch_began(repository, ask):
    project = repository({"a.txt": "a\n", "b.txt": "b\n"})
    git(project.root, "checkout", "-qb", "feature/x")
    (project.root / "a.txt").write_text("feature\n", encoding="utf-8")
    git(project.root, "commit", "-qam", "on the branch")
    git(project.root, "checkout", "-q", "main")
    (project.root / "b.txt").write_text("main\n", encoding="utf-8")
    git(project.root, "commit", "-qam", "on main")
    text = ask(project, "git_diff", ref="main...feature/x").text
    assert "+feature" in text and "b.txt" not in text
    assert "b.txt" in ask(project, "git_diff", ref="main..feature/x").text


def test_before_the_first_commit_everything_staged_is_new(repository, ask):
    project = repository({}, {"a.txt": "one\n", "b.txt": "two\n"})
    git(project.root, "add", "a.txt")
    text = ask(project, "git_diff").text
    assert text.startswith("git diff HEAD (no commit yet): 1 file, +1 -0, 1 untracked\nb.txt | untracked, 1 line\n")
    assert "new file mode 100644" in text and "+one" in text


def test_no_change_is_nothing_found(repository, ask):
    project = repository({"a.txt": "one\n"})
    reply = ask(project, "git_diff")
    assert (reply.text.rstrip("\n"), reply.exit_code, reply.is_error) == ("git diff HEAD: no changes", 1, False)


def test_renames_modes_and_binary_files_are_told(repository, ask):
    project = repository(
        {"old.py": numbered(30), "run.sh": "echo\n", "x.png": b"\x89PNG\0\0"}, {"x.png": b"\x89PNG\0\1"}
    )
    git(project.root, "mv", "old.py", "new name.py")
    (project.root / "run.sh").chmod(0o755)
    text = ask(project, "git_diff").text
    assert "rename from old.py\nrename to new name.py\n" in text
    assert "old mode 100644\nnew mode 100755\n" in text
    assert "\nx.png | binary\n" in text and "Binary files" not in text


def test_a_deleted_file_can_be_asked_for_by_its_path(repository, ask):
    project = repository({"src/gone.py": "x = 1\n", "b.py": "y\n"}, {"src/gone.py": None, "b.py": "z\n"})
    text = ask(project, "git_diff", path="src/gone.py").text
    assert text.startswith("git diff HEAD -- src/gone.py: 1 file, +0 -1\n") and "-x = 1" in text and "b.py" not in text
    assert "error[not_found]" in ask(project, "git_diff", path="src/never.py").text
    assert ask(project, "git_diff", path="b.py").text.startswith("git diff HEAD -- b.py: 1 file")


def test_a_path_limits_what_is_shown(repository, ask):
    project = repository(
        {"src/a.py": "1\n", "lib/b.py": "1\n"}, {"src/a.py": "2\n", "lib/b.py": "2\n", "src/n.py": "n\n"}
    )
    text = ask(project, "git_diff", path="src").text
    assert text.startswith("git diff HEAD -- src: 1 file, +1 -1, 1 untracked\nsrc/n.py | untracked, 1 line\n")
    assert "lib/b.py" not in text


def test_a_project_inside_a_repository_shows_only_itself(repository, ask, make_project):
    from codectx.project import Project

    outer = repository(
        {"sub/a.py": "1\n", "secret.txt": "1\n"}, {"sub/a.py": "2\n", "secret.txt": "2\n", "top.txt": "x\n"}
    )
    inner = Project(outer.root / "sub", outer.config)
    text = ask(inner, "git_diff").text
    assert text.startswith("git diff HEAD: 1 file, +1 -1\n") and "b/a.py" in text
    assert "secret.txt" not in text and "top.txt" not in text


@pytest.mark.parametrize(
    "name", ["a b.txt", "ü.txt", "-x.txt", 'q"uote.txt', "back\\slash.txt", "a@3.txt", "x -> y.txt", "[a].txt", "*.txt"]
)
def test_odd_names_are_found_again(repository, ask, name):
    project = repository({name: "1\n", "other.txt": "1\n"}, {name: "2\n", "other.txt": numbered(3)})
    texts = rebuilt(pages(ask, project))
    assert "-1\n+2\n" in texts[name]
    assert [record["path"] for page in pages(ask, project, path=name) for record in page["files"]] == [name]
    assert [record["path"] for record in pages(ask, project, after=name)[0]["files"]] == ["other.txt"]


def test_settings_of_the_user_do_not_change_the_form(repository, ask):
    project = repository({"a.txt": numbered(20), "b.txt": "b\n"}, {"a.txt": changed_at(20, {3, 10}), "b.txt": "c\n"})
    plain = ask(project, "git_diff").text
    for setting in (
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.context=0",
        "diff.interHunkContext=9",
        "diff.renames=false",
        "diff.external=false",
        "diff.algorithm=patience",
        "diff.suppressBlankEmpty=true",
        "diff.relative=true",
        "core.quotePath=true",
        "color.ui=always",
        "color.diff=always",
        "diff.orderFile=order",
        "diff.wsErrorHighlight=all",
    ):
        key, value = setting.split("=")
        git(project.root, "config", key, value)
    (project.root / ".git" / "info" / "attributes").write_text("*.txt diff=mine\n", encoding="utf-8")
    git(project.root, "config", "diff.mine.command", "touch pwned")
    git(project.root, "config", "diff.mine.textconv", "touch pwned")
    assert ask(project, "git_diff").text == plain
    assert not (project.root / "pwned").exists()


def test_carriage_returns_and_missing_line_breaks_stay(repository, ask):
    project = repository({"a.txt": "one\r\ntwo\r\n", "b.txt": "x"}, {"a.txt": "one\r\nTWO\r\n", "b.txt": "y"})
    git(project.root, "config", "core.autocrlf", "false")
    texts = rebuilt(pages(ask, project))
    assert " one\r\n-two\r\n+TWO\r\n" in texts["a.txt"]
    assert texts["b.txt"].endswith("-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n")


def test_a_file_in_another_encoding_is_shown_by_its_characters(repository, ask):
    before, after = "# 读取配置文件\nx = 1\n", "# 读取配置文件\nx = 2 # 返回值\n"
    project = repository(
        {"a.py": before.encode("gb18030"), "b.txt": b"caf\xe9 1\n"},
        {"a.py": after.encode("gb18030"), "b.txt": b"caf\xe9 2\n"},
    )
    text = ask(project, "git_diff").text
    assert "读取配置文件" in text and "返回值" in text and "caf\u00e9 2" in text and "\ufffd" not in text


def test_files_in_conflict_are_shown(repository, ask):
    project = repository({"a.txt": "base\n"})
    git(project.root, "checkout", "-qb", "other")
    (project.root / "a.txt").write_text("theirs\n", encoding="utf-8")
    git(project.root, "commit", "-qam", "theirs")
    git(project.root, "checkout", "-q", "main")
    (project.root / "a.txt").write_text("ours\n", encoding="utf-8")
    git(project.root, "commit", "-qam", "ours")
    subprocess.run(["git", "merge", "other"], cwd=project.root, capture_output=True, check=False)
    text = ask(project, "git_diff").text
    assert text.startswith("git diff HEAD: 1 file, +4 -0\n") and "+<<<<<<< HEAD\n" in text


def test_a_link_is_shown_as_a_link(repository, ask):
    project = repository({"real.txt": "x\n"})
    (project.root / "link").symlink_to("real.txt")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "link")
    (project.root / "link").unlink()
    (project.root / "link").symlink_to("elsewhere.txt")
    assert "-real.txt\n" in ask(project, "git_diff", path="link").text


# Cuts


def test_the_largest_files_shrink_to_a_line(repository, ask):
    project = repository(BIG, BIG_CHANGED)
    text = ask(project, "git_diff", max_tokens=900).text
    lines = text.split("\n")
    assert lines[0] == "git diff HEAD: 5 files, +33 -36, 1 untracked"
    assert lines[1:3] == ["new.py | untracked, 2 lines", "d.bin | binary"]
    assert "+line 3 changed" in text and "-gone" in text
    assert lines[-3:-1] == ["b.py | +15 -15 (15 hunks)", "c.py | +17 -17 (17 hunks)"]
    cut = notice(text)
    assert cut and cut[4] == 'git_diff("", after="a.py", max_tokens=900)'


@pytest.mark.parametrize("max_tokens", [350, 1200, 7000])
def test_the_pages_make_every_diff_again(repository, ask, max_tokens):
    project = repository(BIG, BIG_CHANGED)
    texts = rebuilt(pages(ask, project, max_tokens=max_tokens))
    for path in ("a.py", "b.py", "c.py", "e.txt"):
        assert texts[path] == git(project.root, "diff", "HEAD", "--", path)
    answers = follow(ask, project, max_tokens=max_tokens)
    total = 0
    for answer in answers:
        assert COUNTER.count(answer) <= max_tokens
        total += len(answer)
    for path in ("a.py", "b.py", "c.py", "e.txt"):
        for line in git(project.root, "diff", "HEAD", "--", path).split("\n"):
            if line[:1] in "+-" and line:
                assert sum(content_of(answer).split("\n").count(line) for answer in answers) >= 1


@pytest.mark.parametrize("max_tokens", [400, 1000, 2500])
def test_each_hunk_shown_is_whole(repository, ask, max_tokens):
    project = repository(BIG, BIG_CHANGED)
    answers = follow(ask, project, max_tokens=max_tokens)
    assert len(answers) > 1
    assert all(whole_hunks(content_of(answer)) for answer in answers)


def test_a_hunk_longer_than_the_limit_is_cut_between_lines_and_goes_on(repository, ask):
    project = repository({"a.py": "x\n"}, {"a.py": numbered(200)})
    answers = follow(ask, project, max_tokens=700)
    assert len(answers) > 3
    body = "".join(content_of(answer) for answer in answers)
    assert body == git(project.root, "diff", "HEAD")
    cut = notice(answers[0])
    assert cut and re.fullmatch(r'git_diff\("", after="a\.py@\d+", max_tokens=700\)', cut[4])
    assert cut[3] == "lines of a.py"


def test_a_line_longer_than_the_limit_is_cut_inside_and_goes_on(repository, ask):
    line = " ".join(f"word{n}" for n in range(3000))
    project = repository({"min.js": "x\n"}, {"min.js": line + "\n"})
    answers = follow(ask, project, max_tokens=1000)
    pieces = ["\n".join(content_of(answer).split("\n")[:-1]) for answer in answers]
    assert "".join(pieces).replace("\n", "") == git(project.root, "diff", "HEAD").replace("\n", "")
    assert any("+" in str(cut[4]).split("@")[-1] for answer in answers if (cut := notice(answer)))


def test_a_next_call_repeats_ref_and_path(repository, ask):
    project = repository(
        {f"src/{n}.py": numbered(60) for n in range(9)}, {f"src/{n}.py": changed_at(60, {2, 30}) for n in range(9)}
    )
    text = ask(project, "git_diff", ref="main", path="src", max_tokens=900).text
    cut = notice(text)
    assert cut and re.match(r'git_diff\("main", path="src", after="src/\d\.py"', cut[4])
    assert cut[3] == "files"


def test_a_diff_larger_than_memory_should_hold_is_not_made_whole(repository, ask, monkeypatch):
    files = {f"d/{n:02}.py": numbered(90) for n in range(12)}
    project = repository(files, {path: changed_at(90, range(n % 7, 90, 2)) for n, path in enumerate(files)})
    monkeypatch.setattr(git_diff, "MAX_LINES", 100)
    texts = rebuilt(pages(ask, project))
    assert texts.keys() == files.keys()
    for path, text in texts.items():
        assert text == git(project.root, "diff", "HEAD", "--", path)


def test_a_huge_diff_of_one_file_is_offered_in_windows(repository, ask):
    count = MAX_CHARS // 20
    project = repository({"a.txt": "x\n", "b.txt": "b\n"}, {"a.txt": numbered(count), "b.txt": "c\n"})
    text = ask(project, "git_diff", after="b.txt").text
    cut = notice(text)
    whole = git(project.root, "diff", "HEAD", "--", "a.txt").splitlines(keepends=True)
    assert cut and int(cut[2]) == len(whole)
    deep = ask(project, "git_diff", after=f"a.txt@{count}").text
    assert content_of(deep) == "".join(whole[count:])


def test_many_untracked_files_are_named_by_folder(repository, ask):
    project = repository({"a.txt": "1\n"}, {f"tmp/x/{n}.log": "x\n" for n in range(100)} | {"note.md": "a\n\nb"})
    lines = ask(project, "git_diff").text.split("\n")
    assert lines[:3] == [
        "git diff HEAD: 0 files, +0 -0, 101 untracked",
        "note.md | untracked",
        "tmp/x/ | 100 untracked files",
    ]


@pytest.mark.parametrize("after", ["nowhere.py", "a.txt@", "a.txt@x", "nowhere@3"])
def test_a_cursor_that_fits_nothing_is_refused(repository, ask, after):
    project = repository({"a.txt": "1\n"}, {"a.txt": "2\n"})
    assert ask(project, "git_diff", after=after).text.startswith("error[invalid_argument]: after is ")


# Refs


@pytest.mark.parametrize(
    "ref",
    [
        "--output=pwned.txt",
        "-O/bin/true",
        "--no-index",
        "--ext-diff",
        "HEAD --output=x",
        "HEAD\n--output=x",
        "@{-1}..--output=y",
        "HEAD..--output=z",
        "no-such-ref",
        "--",
        "..",
        "...",
        "HEAD....HEAD",
        "HEAD..no-such-ref",
        "^HEAD",
        "HEAD:a.txt",
        ":/one",
        "-",
        "x" * 3000,
    ],
)
def test_what_is_no_ref_is_refused_and_never_an_option(repository, ask, ref):
    project = repository({"a.txt": "one\n"}, {"a.txt": "one\ntwo\n"})
    before = sorted(path.name for path in project.root.iterdir())
    reply = ask(project, "git_diff", ref=ref)
    assert reply.is_error and reply.text.startswith("error[bad_ref]: ")
    assert " ".join(ref.split())[:60] in reply.text
    assert sorted(path.name for path in project.root.iterdir()) == before


def test_a_mistaken_ref_is_answered_with_near_names(repository, ask):
    project = repository({"a.txt": "one\n"})
    git(project.root, "branch", "feature/登录")
    git(project.root, "branch", "feature/login")
    git(project.root, "tag", "v1.0")
    assert "near: feature/login" in ask(project, "git_diff", ref="feature/logn").text
    assert 'git_diff(path="a.txt")' in ask(project, "git_diff", ref="a.txt").text
    for ref in (
        "feature/登录",
        "v1.0",
        "HEAD~0",
        "main^0",
        "@",
        git(project.root, "rev-parse", "--short", "HEAD").strip(),
    ):
        assert not ask(project, "git_diff", ref=ref).is_error, ref


def test_without_a_repository_nothing_is_shown(make_project, ask):
    reply = ask(make_project({"a.txt": "x\n"}), "git_diff")
    assert reply.is_error and reply.text.startswith("error[unsupported]: ")


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../b"])
def test_nothing_outside_the_root_is_shown(repository, ask, path):
    assert ask(repository({"a.txt": "x\n"}), "git_diff", path=path).text.startswith("error[outside_root]: ")


# Secrets and characters that cannot be seen


def test_secret_files_are_named_but_not_shown(repository, ask):
    project = repository(
        {".env": "A=1\n", "id_rsa": "KEY 4711\n", "plain.txt": "x\n"}, {".env": "API_TOKEN=sk-example-4711\n"}
    )
    (project.root / "new.env").write_text("B=4711\n", encoding="utf-8")
    git(project.root, "mv", "id_rsa", "renamed.txt")
    text = ask(project, "git_diff").text
    assert "4711" not in text and "API_TOKEN" not in text
    assert ".env | +1 -1, secret file, not shown\n" in text
    assert "new.env | untracked, secret file\n" in text
    assert "renamed.txt | renamed from id_rsa, +0 -0, secret file, not shown\n" in text


def test_likely_secrets_in_lines_are_masked_and_told(repository, ask):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq0Zx9vJ3cW2kQe5rT8yU1iO4pA6sDfGhJkLzXcVbNmQwEr\n" * 4
    project = repository(
        {"a.py": "x = 1\n"}, {"a.py": f"x = 1\ntoken = '{token}'\nkey = '''{key}-----END RSA PRIVATE KEY-----\n'''\n"}
    )
    text = ask(project, "git_diff").text
    assert token not in text and "MIIEpAIBAAKCAQEA" not in text
    assert "\n[masked: likely secrets in a.py]" in text
    assert whole_hunks(content_of(text))


@pytest.mark.parametrize(
    "above",
    [
        'GITHUB_TOKEN_FOR_THE_RELEASE_BOT_ACCOUNT_X = "ghp_' + "hV7kQ2zLm9Xw4RtYbN3cJ8dF5gS1pA6eU0iO" + '"',
        "kuewyPyLtxqmvBhiJaTUyYfKlcxDMPYIyOZcN4BdxOFWSuA8SADbpnIrSLeZBoBi",
        "hV7kQ2zLm9Xw4Rt=",
        "the_password_of_the_account_that_publishes_the_packages_of_this_project = 'zq3-Vu81xT'",
        "url = 'https://someone:zq3Vu81xTbla@db.internal.net/the/path/of/the/data/base/of/it'",
    ],
)
def test_what_git_puts_behind_a_hunks_numbers_shows_no_part_of_a_secret(above, repository, ask):
    rest = "\n".join(f" line {n}" for n in range(8))
    project = repository({"a.txt": f"{above}\n{rest}\n"}, {"a.txt": f"{above}\n{rest}\n".replace("line 6", "line six")})
    text = ask(project, "git_diff").text
    assert "@@ [masked]\n" in text
    assert "[masked: likely secrets in a.txt]" in text
    assert whole_hunks(content_of(text))


@pytest.mark.parametrize("above", ["def get_token(user):", "class KeyStore(Base):", "function test_sha256_of_2023() {"])
def test_what_git_puts_there_is_shown_where_it_is_code(above, repository, ask):
    rest = "\n".join(f" line {n}" for n in range(8))
    project = repository({"a.txt": f"{above}\n{rest}\n"}, {"a.txt": f"{above}\n{rest}\n".replace("line 6", "line six")})
    assert f"@@ {above}\n" in ask(project, "git_diff").text


def test_characters_that_cannot_be_seen_are_told(repository, ask):
    project = repository({"a.py": "x\n", "b.py": "x\n"}, {"a.py": "x\u202ey\n", "b.py": "y\n"})
    assert "[invisible: U+202E in a.py]" in ask(project, "git_diff").text


def test_names_that_look_like_cursors_hide_nothing(ask, make_project) -> None:
    names = ["a", *(f"a@{n}" for n in range(30, 40)), ":untracked", "a@end"]
    project = make_project(dict.fromkeys(names, "old\n" * 40))
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "1"]):
        subprocess.run([*git, *command], cwd=project.root, check=True)
    for n, name in enumerate(names):
        (project.root / name).write_text("".join(f"{name} new {k}\n" for k in range(40 + n)), encoding="utf-8")
    (project.root / "more.txt").write_text("x\n", encoding="utf-8")
    seen: list[str] = []
    arguments: dict[str, object] = {}
    for _ in range(200):
        text = ask(project, "git_diff", max_tokens=300, **arguments).text
        seen += [line[1:] for line in text.split("\n") if re.match(r"\+\S.* new \d+$", line)]
        if "[cut: " not in text:
            break
        call = text[text.rindex("next: ") + 6 : -1]
        arguments = {"after": json.loads(re.search(r'after=("(?:[^"\\]|\\.)*")', call)[1])}
    assert sorted(seen) == sorted(f"{name} new {k}" for n, name in enumerate(names) for k in range(40 + n))


def test_a_damaged_repository_is_called_damaged(ask, repository) -> None:
    project = repository({"a.txt": "1\n"})
    (project.root / ".git" / "HEAD").write_text("garbage\n", encoding="utf-8")
    assert ask(project, "git_diff").text == (
        "error[unsupported]: the git repository here is damaged; `git fsck` may tell more"
    )


def test_the_repository_of_another_folder_is_not_shown(ask, repository, tmp_path) -> None:
    project = repository({"a.txt": "1\n"})
    (project.root / ".git").rename(tmp_path / "elsewhere")
    (project.root / ".git").write_text("gitdir: ../elsewhere\n", encoding="utf-8")
    text = ask(project, "git_diff").text
    assert text == "error[unsupported]: this is no git repository; git_diff needs a git repository of its own"
