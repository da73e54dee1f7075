"""list_directory: one folder, its own entries, ignored ones left out."""

import json
import subprocess


def test_entries_have_lengths_in_lines_and_ignored_ones_are_left_out(ask, make_project) -> None:
    project = make_project(
        {
            ".gitignore": "*.log\nbuild/\n",
            "a.py": "x = 1\ny = 2\n",
            "b.log": "x",
            "build/x.o": "x",
            "src/c.py": "",
            "d.bin": b"\0\1\2" * 9,
        }
    )
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    assert ask(project, "list_directory").text == (
        ". (3 files, 1 folder)\n.gitignore  2 lines\na.py  2 lines\nd.bin  binary, 27 bytes\nsrc/\n"
    )


def test_a_link_out_of_the_project_is_named_as_such_and_not_followed(ask, make_project, tmp_path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("top secret", encoding="utf-8")
    project = make_project({"a.py": ""})
    (project.root / "leak").symlink_to("../outside")
    text = ask(project, "list_directory").text
    assert "leak -> link to outside the project\n" in text
    assert ask(project, "list_directory", path="leak").text.startswith("error[outside_root]")
    assert ask(project, "read_file", path="leak/secret.txt").text.startswith("error[outside_root]")


def test_a_long_folder_is_paged_by_name(ask, make_project) -> None:
    project = make_project({f"file_number_{n:03d}.txt": "x\n" for n in range(300)})
    seen, arguments = [], {}
    while True:
        reply = ask(project, "list_directory", **arguments)
        seen += [line.split()[0] for line in reply.text.split("\n") if line.startswith("file_")]
        if "[cut: " not in reply.text:
            break
        arguments = {"after": seen[-1]}
    assert seen == [f"file_number_{n:03d}.txt" for n in range(300)]


def test_an_empty_folder_is_an_answer_of_nothing(ask, make_project) -> None:
    project = make_project({})
    reply = ask(project, "list_directory")
    assert reply.exit_code == 1
    assert not reply.is_error
    assert reply.text == ". (0 files, 0 folders)\n"


def test_a_file_and_a_missing_folder_are_told_apart(ask, make_project) -> None:
    project = make_project({"source/a.py": ""})
    assert ask(project, "list_directory", path="source/a.py").text.startswith("error[invalid_argument]")
    missing = ask(project, "list_directory", path="sourze").text
    assert missing == "error[not_found]: there is no sourze; near: source"


def test_json_has_one_record_for_each_entry(ask) -> None:
    data = json.loads(ask({"a.py": "x\n", "b/c.py": ""}, "list_directory", as_json=True).text)
    assert data["entries"] == [
        {"name": "a.py", "kind": "file", "size": "1 line"},
        {"name": "b", "kind": "folder", "size": ""},
    ]


def test_names_that_cannot_be_shown_are_counted(ask, make_project) -> None:
    project = make_project({"a.py": "x\n", "b\nc.txt": "", "d\te": "", "f\x1b[31m": ""})
    assert ask(project, "list_directory").text.endswith("a.py  1 line\n[left out: 3 names that cannot be shown]")
