"""The manifest comes back as it was written, or not at all."""

import json
from pathlib import Path

import pytest

from indexer.manifest import RACY_NS, Manifest, Seen, load, save
from indexer.tree import Skipped, WalkedFile

SEEN = Seen(10, 1_000, 2_000, "ab", 3)
FULL = Manifest(
    "/home/someone/proj",
    "files_1_1 in here",
    version=7,
    written_ns=123,
    files={'说明 "x".md': SEEN, "a'b.py": SEEN},
    skipped=((Skipped("big.json", "unsupported", "larger than 200 kB"), Seen(1, 2, 3, "")),),
)


@pytest.mark.parametrize("manifest", [FULL, FULL.marked(), Manifest("/x", "t")], ids=["full", "marked", "empty"])
def test_comes_back_as_it_was(tmp_path: Path, manifest: Manifest) -> None:
    save(tmp_path / "m.json", manifest)
    assert load(tmp_path / "m.json") == manifest
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]
    assert (tmp_path / "m.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"schema_version": 1}',
        json.dumps({"schema_version": 1, "root": "", "tables": "", "version": 1, "unfinished": 0, "written_ns": 0,
                    "files": {"a": [1]}, "skipped": []}).encode(),
        json.dumps({"schema_version": 1, "root": "", "tables": "", "version": 1, "unfinished": 0, "written_ns": 0,
                    "files": [], "skipped": []}).encode(),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    assert load(tmp_path / "m.json") is None


def test_one_of_another_version_is_none(tmp_path: Path) -> None:
    save(tmp_path / "m.json", FULL)
    data = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    (tmp_path / "m.json").write_text(json.dumps({**data, "schema_version": 999}), encoding="utf-8")
    assert load(tmp_path / "m.json") is None


def test_none_is_there_and_no_file_can_be_made(tmp_path: Path) -> None:
    assert load(tmp_path / "m.json") is None
    assert load(tmp_path) is None
    with pytest.raises(OSError, match=r"m\.json"):
        save(tmp_path / "missing" / "m.json", FULL)


def test_a_save_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "m.json").mkdir()
    with pytest.raises(OSError, match=r"m\.json"):
        save(tmp_path / "m.json", FULL)
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_a_file_is_sure_only_if_it_was_old_when_it_was_read() -> None:
    file = WalkedFile("a.py", SEEN.size, SEEN.mtime_ns, SEEN.ctime_ns)
    assert SEEN.is_of(file)
    assert not Manifest("", "", written_ns=SEEN.ctime_ns + RACY_NS).is_sure(SEEN, file)
    assert Manifest("", "", written_ns=SEEN.ctime_ns + RACY_NS + 1).is_sure(SEEN, file)
    assert not Manifest("", "", written_ns=10**18).is_sure(SEEN, WalkedFile("a.py", 11, SEEN.mtime_ns, SEEN.ctime_ns))
