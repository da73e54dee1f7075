"""status: what is seen, what is left out and why, what was saved."""

import json

from indexer import shared


def test_files_are_counted_by_language_and_left_out_ones_have_reasons(ask, make_project) -> None:
    project = make_project({"a.py": "", "b.py": "", "c.js": "", "d.txt": "", ".env": "KEY=1\n"})
    text = ask(project, "status").text
    assert "files: 4 (python 2, javascript 1, other 1)\n" in text
    assert "left out: 1 file (1 secret file)\n .env: secret file" in text
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


def test_secrets_are_counted_by_kind_and_never_shown(ask, make_project) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + (
        "MIIEowIBAAKCAQEAx7Qb0cKf3y1Zk9vJm2Lq8sT4uW6eRtYgHnUjMkIoLpOaSdFg\n" * 4
    )
    project = make_project(
        {
            "a.py": 'password = "hT9!xq2Lw8zR"\nother_password = "Zr4kP0vTq7sW"\n',
            "b.py": f'KEY = """{key}-----END RSA PRIVATE KEY-----"""\n',
            ".env": "A=1\n",
            "deploy/.env.local": "B=1\n",
            "server.key": "x\n",
            "credentials.json": "{}\n",
        }
    )
    assert "secrets: 4 secret files (credentials 1, environment 2, key 1)\n" in ask(project, "status").text
    project.index.sync(project.index.walk())
    text = ask(project, "status").text
    assert "secrets: 3 masked in the index (password 2, private key 1), 4 secret files (" in text
    assert "hT9!" not in text
    data = json.loads(ask(project, "status", as_json=True).text)
    assert data["secrets_masked"] == {"password": 2, "private key": 1}
    assert data["secret_files"] == {"credentials": 1, "environment": 2, "key": 1}
    (project.root / "a.py").write_text("nothing = 1\n", encoding="utf-8")
    project.index.sync(project.index.walk())
    assert "secrets: 1 masked in the index (private key 1), " in ask(project, "status").text


def test_a_shared_store_that_did_not_answer_is_told_and_nobody_is_sent_to_write_it(ask, make_project) -> None:
    from codectx.config import load
    from codectx.project import Project

    root = make_project({"a.py": "x = 1\n"}).root
    project = Project(root, load(root, {}, {"CODECTX_STORE_URI": "s3://team/x", "CODECTX_STORE_PROJECT": "shop"}))
    text = ask(project, "status").text
    assert "index: none yet, a search takes over the shared one once the job that builds it has written it\n" in text
    assert "`codectx index`" not in text and "not looked at" not in text
    shared.note_look(project.index.place, "does not answer; check the network")
    told = "shared index not looked at: the store s3://team/x/shop-"
    assert told in (text := ask(project, "status").text) and " does not answer; check the network\n" in text
    assert "does not answer" in json.loads(ask(project, "status", as_json=True).text)["store_trouble"]
    shared.note_look(project.index.place)
    assert "not looked at" not in ask(project, "status").text
    project.index.trouble = "the store is gone"
    assert "shared index not looked at: the store is gone\n" in ask(project, "status").text


def test_the_count_of_secrets_survives_a_lost_manifest(ask, make_project) -> None:
    project = make_project({"a.py": 'password = "hT9!xq2Lw8zR"\n'})
    project.index.sync(project.index.walk())
    project.index.place.manifest.unlink()
    assert project.index.sync(project.index.walk()).reindexed == ()
    assert "1 masked in the index (password 1)" in ask(project, "status").text


def test_sizes_on_disk_are_told_once_there_is_an_index(ask, make_project) -> None:
    project = make_project({"a.py": "def f():\n    return 1\n"})
    assert "on disk" not in ask(project, "status").text
    project.index.sync(project.index.walk())
    data = json.loads(ask(project, "status", as_json=True).text)
    assert data["index_bytes"] == sum(
        path.stat().st_size for path in project.index.place.folder.rglob("*") if path.is_file()
    )
    assert data["vectors_bytes"] == 0
    assert f"on disk: index {round(data['index_bytes'] / 1000)} KB\n" in ask(project, "status").text


def test_the_path_of_a_file_left_out_stands_once(ask, make_project) -> None:
    project = make_project({"a.png": b"\x89PNG\0\0\0\1" * 40, "a.py": "x = 1\n"})
    project.index.sync(project.index.walk())
    lines = [line for line in ask(project, "status").text.split("\n") if "a.png" in line]
    assert lines == [" a.png: binary (320 bytes)"]


def test_everything_at_once_stays_within_the_limit(ask, make_project) -> None:
    files = {f"m{n}.{end}": "x = 1\n" for n, end in enumerate(("py", "js", "go", "rs", "java", "rb", "c", "php"))}
    secret = {f".env.{n}": "A=1\n" for n in range(30)}
    project = make_project({**files, **secret, "p.py": 'password = "hT9!xq2Lw8zR"\n', "k.pem": "x"})
    project.index.sync(project.index.walk())
    ask(project, "read_file", path="p.py")
    text = ask(project, "status").text
    for line in ("files: ", "index: ", "on disk: ", "grep: ", "secrets: ", "since the start: ", "left out: ", "[cut: "):
        assert f"\n{line}" in text
    from codectx.tokens import Counter

    assert Counter().count(text) <= 300
