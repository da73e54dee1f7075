"""Settings: each from its place, in order of precedence, and every mistake told with file and key."""

import logging
from pathlib import Path

import pytest

from codectx.config import Config, load, resolve
from codectx.errors import UserError
from codectx.settings import settings

TOOLS = {"read_file": 2000, "grep": 3000, "list_directory": 500}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """Give the user's file, in a folder of its own."""
    path = tmp_path / "config" / "codectx" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def environment(root: Path, **variables: str) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(root.parent / "config"), **variables}


def configured(root: Path, *flags: str, **variables: str) -> Config:
    return load(root, TOOLS, environment(root, **variables), flags)


def refused(root: Path, *flags: str, **variables: str) -> str:
    with pytest.raises(UserError) as caught:
        configured(root, *flags, **variables)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def origins(root: Path, *flags: str, **variables: str) -> dict[str, tuple[object, str]]:
    return {v.setting.key: (v.value, v.origin) for v in resolve(root, TOOLS, environment(root, **variables), flags)}


def test_without_any_file_everything_is_default(root: Path) -> None:
    assert configured(root) == Config()
    assert {origin for _, origin in origins(root).values()} == {"default"}
    assert origins(root)["limits.grep"] == (3000, "default")


def test_every_setting_of_a_file_arrives(root: Path) -> None:
    (root / "codectx.toml").write_text(
        '[limits]\nread_file = 2500\n[tokens]\nfactor = 1.2\n[secrets]\nallow = ["fixtures/*.pem"]\n'
        '[index]\ninclude = ["src/**"]\nexclude = ["gen/**"]\n[embedder]\nname = "ollama"\nmodel = "bge-m3"\n'
        "[grep]\nseconds = 5\n",
        encoding="utf-8",
    )
    assert configured(root, "ollama.url=http://gpu:11434", "store.uri=s3://bucket/index") == Config(
        limits={"read_file": 2500},
        token_factor=1.2,
        secrets_allow=("fixtures/*.pem",),
        index_include=("src/**",),
        index_exclude=("gen/**",),
        embedder="ollama",
        embedder_model="bge-m3",
        ollama_url="http://gpu:11434",
        store_uri="s3://bucket/index",
        grep_seconds=5.0,
    )


def test_flag_over_environment_over_project_over_user(root: Path, user: Path) -> None:
    user.write_text("[limits]\ngrep = 1201\nread_file = 1201\nlist_directory = 201\n[grep]\nseconds = 9\n", "utf-8")
    (root / "codectx.toml").write_text("[limits]\ngrep = 1202\nread_file = 1202\nlist_directory = 202\n", "utf-8")
    found = origins(root, "limits.grep=1204", CODECTX_LIMIT_GREP="1203", CODECTX_LIMIT_READ_FILE="1203")
    assert found["limits.grep"] == (1204, "--set")
    assert found["limits.read_file"] == (1203, "CODECTX_LIMIT_READ_FILE")
    assert found["limits.list_directory"] == (202, "codectx.toml")
    assert found["grep.seconds"] == (9.0, str(user))


def test_pyproject_is_read_and_gives_way_to_the_own_file(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    (root / "pyproject.toml").write_text("[tool.codectx.limits]\ngrep = 2000\n", encoding="utf-8")
    assert origins(root)["limits.grep"] == (2000, "pyproject.toml")
    (root / "codectx.toml").write_text("[limits]\nread_file = 2100\n", encoding="utf-8")
    assert configured(root).limits == {"read_file": 2100}
    assert "[tool.codectx] in pyproject.toml is not used" in caplog.text


def test_a_broken_pyproject_of_somebody_else_is_no_concern(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.ruff\n", encoding="utf-8")
    assert configured(root) == Config()


def test_a_file_from_a_windows_editor_is_read(root: Path) -> None:
    (root / "codectx.toml").write_bytes(b"\xef\xbb\xbf[limits]\r\ngrep = 2000\r\n")
    assert configured(root).limits == {"grep": 2000}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[limits]\nreed_file = 1",
            "codectx.toml: there is no setting limits.reed_file; did you mean limits.read_file?",
        ),
        ("[limits]\nread-file = 1", "did you mean limits.read_file?"),
        ("[limit]\nread_file = 1", "codectx.toml: there is no setting limit"),
        ("colour = 1", "there is no setting colour; `codectx config` lists them all"),
        ("limits = 5", "codectx.toml: limits is not a table; write [limits]"),
        ("[limits]\ngrep = '2000'", "codectx.toml: limits.grep is 2000; it takes a whole number from 100 to 7000"),
        ("[limits]\ngrep = 99", "limits.grep is 99"),
        ("[limits]\ngrep = 7001", "limits.grep is 7001"),
        ("[limits]\ngrep = true", "limits.grep is True"),
        ("[limits]\ngrep = 2000.0", "limits.grep is 2000.0"),
        ("[tokens]\nfactor = nan", "tokens.factor is nan; it takes a number from 0.1 to 10"),
        ("[secrets]\nallow = 'x'", "secrets.allow is x; it takes a list of texts"),
        ("[secrets]\nallow = ['x', 1]", "it takes a list of texts"),
        ("[embedder]\nname = 'openai'", "it takes one of auto, ollama, minilm, none"),
        ("[embedder]\nmodel = ''", "embedder.model is"),
        ("[grep]\nseconds = 0", "grep.seconds is 0"),
        ("[limits]\ngrep == 5", "codectx.toml, line 2: "),
        ("[limits]\ngrep = 5\n\n[tokens", "codectx.toml, line 4: "),
        ("x = " + "[" * 100_000, "codectx.toml, line 1: "),
        ("x = " + "9" * 5000, "codectx.toml, line 1: "),
    ],
)
def test_mistake_in_a_file_names_file_and_key(root: Path, text: str, words: str) -> None:
    (root / "codectx.toml").write_text(text, encoding="utf-8")
    assert f"error[invalid_argument]: {words}" in refused(root) or words in refused(root)


def test_bytes_that_are_no_text_are_told_with_their_line(root: Path) -> None:
    (root / "codectx.toml").write_bytes(b"[limits]\n# caf\xe9\n")
    assert "codectx.toml, line 2: not UTF-8" in refused(root)


def test_mistakes_in_environment_and_flags_name_their_place(root: Path) -> None:
    assert "CODECTX_LIMIT_GREP: limits.grep is many" in refused(root, CODECTX_LIMIT_GREP="many")
    assert "CODECTX_TOKENS_FACTOR: tokens.factor is inf" in refused(root, CODECTX_TOKENS_FACTOR="inf")
    assert "--set: there is no setting limits.gerp; did you mean limits.grep?" in refused(root, "limits.gerp=5")
    assert "--set limits.grep has no value" in refused(root, "limits.grep")


def test_lists_in_the_environment_are_separated_by_commas(root: Path) -> None:
    assert configured(root, CODECTX_INDEX_EXCLUDE="a/**, b/**,").index_exclude == ("a/**", "b/**")


def test_an_empty_variable_counts_as_none(root: Path) -> None:
    assert configured(root, CODECTX_LIMIT_GREP="") == Config()


def test_a_mistyped_variable_is_warned_of_and_a_strange_one_is_not(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert configured(root, CODECTX_LIMIT_REED_FILE="5", CODECTX_ZZZ="1") == Config()
    assert [record.getMessage() for record in caplog.records] == [
        "CODECTX_LIMIT_REED_FILE is no setting; did you mean CODECTX_LIMIT_READ_FILE?"
    ]


@pytest.mark.parametrize("key", ["ollama.url", "store.uri"])
def test_a_project_file_cannot_say_where_code_is_sent(root: Path, user: Path, key: str) -> None:
    table, name = key.split(".")
    text = f"[{table}]\n{name} = 'http://elsewhere'\n".replace("http", "s3" if table == "store" else "http")
    (root / "codectx.toml").write_text(text, encoding="utf-8")
    assert f"codectx.toml: {key} is not taken from a project's files" in refused(root)
    (root / "codectx.toml").unlink()
    user.write_text(text, encoding="utf-8")
    assert origins(root)[key][1] == str(user)


@pytest.mark.parametrize(
    ("uri", "good"),
    [
        ("s3://b/p", True),
        ("gs://b", True),
        ("az://b", True),
        ("db://team", True),
        ("/var/index", True),
        ("~/index", True),
        ("ftp://b", False),
        ("index", False),
        ("../index", False),
    ],
)
def test_store_location_is_checked_before_anything_uses_it(root: Path, uri: str, good: bool) -> None:
    if good:
        assert configured(root, CODECTX_STORE_URI=uri).store_uri == uri
    else:
        assert "store.uri is" in refused(root, CODECTX_STORE_URI=uri)


def test_limit_below_1200_warns_where_the_default_is_not_small(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert configured(root, "limits.grep=800", "limits.list_directory=300").limits["grep"] == 800
    assert [(r.levelno, r.getMessage()) for r in caplog.records] == [
        (logging.WARNING, "limits.grep = 800: limits below 1200 cost more calls than they save")
    ]
    caplog.clear()
    configured(root, "limits.grep=1200")
    assert not caplog.records


def test_fifo_in_place_of_a_file_is_not_waited_for(root: Path) -> None:
    import os

    os.mkfifo(root / "codectx.toml")
    assert configured(root) == Config()


def test_file_without_permission_is_told(root: Path) -> None:
    import os

    path = root / "codectx.toml"
    path.mkdir()
    assert configured(root) == Config()
    path.rmdir()
    path.write_text("", encoding="utf-8")
    path.chmod(0)
    if os.access(path, os.R_OK):  # root reads everything
        assert configured(root) == Config()
    else:
        assert "error[unreadable]: codectx.toml cannot be read" in refused(root)


def test_a_huge_file_is_not_read(root: Path) -> None:
    (root / "codectx.toml").write_bytes(b"#" * 256_001)
    assert "codectx.toml is larger than 256000 bytes" in refused(root)


def test_variables_are_distinct_and_of_one_form() -> None:
    table = settings(TOOLS)
    variables = [setting.env for setting in table.values()]
    assert len(set(variables)) == len(variables)
    assert all(name.startswith("CODECTX_") and name == name.upper() for name in variables)
    assert table["limits.read_file"].env == "CODECTX_LIMIT_READ_FILE"
    assert all(setting.help for setting in table.values())


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_out_of_the_project_is_not_read(root: Path, exists: bool, caplog: pytest.LogCaptureFixture) -> None:
    target = root.parent / "outside.toml"
    if exists:
        target.write_text("[tool.codectx.limits]\ngrep = 1300\n[top]\nsecret = 4711\n", encoding="utf-8")
    (root / "pyproject.toml").symlink_to(target)
    assert configured(root).limits == {}
    assert "pyproject.toml is a link out of the project" in caplog.text
    (root / "codectx.toml").symlink_to(target)
    assert refused(root).startswith("error[outside_root]: codectx.toml is a link out of the project")


def test_a_link_inside_the_project_is_read(root: Path) -> None:
    (root / "conf").mkdir()
    (root / "conf" / "mine.toml").write_text("[limits]\ngrep = 1300\n", encoding="utf-8")
    (root / "codectx.toml").symlink_to("conf/mine.toml")
    assert configured(root).limits == {"grep": 1300}


@pytest.mark.parametrize("part", ["a", '"a b"', "'='"])
def test_a_key_of_very_many_parts_is_refused_at_once(root: Path, part: str) -> None:
    for text in (".".join([part] * 20_000) + " = 1\n", "x = {" + " . ".join([part] * 20_000) + " = 1}\n"):
        (root / "codectx.toml").write_text("[limits]\n" + text, encoding="utf-8")
        assert "codectx.toml, line 2: a key has too many parts" in refused(root)
