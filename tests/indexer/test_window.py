"""Windows of files of any size agree with the whole text, and cost little."""

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.charset import PIECE
from indexer.errors import BinaryFileError, UnreadableFileError
from indexer.text import TextFile, Window, decode, split_lines

ENCODINGS = ["utf-8", "gb18030", "cp1252", "utf-16-le", "utf-8-sig"]


def pages(file: TextFile, size: int) -> str:
    """Read a file window by window, each beginning where the one before ended."""
    text, line, offset = "", 1, 0
    while True:
        window = file.window(line, offset, size)
        assert (window.start_line, window.offset) == (line, offset) or window.text == ""
        text += window.text
        breaks = window.text.count("\n")
        line += breaks
        offset = len(window.text) - window.text.rfind("\n") - 1 if breaks else offset + len(window.text)
        if window.at_end:
            return text


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("window") / "a.txt"


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pieces=st.lists(st.sampled_from(["x", "注释\n", "\n", "é", "🚀", "\r\n", "word " * 20]), max_size=40),
    encoding=st.sampled_from(ENCODINGS),
    size=st.integers(1, 50),
)
def test_windows_together_are_the_whole_text(path: Path, pieces: list[str], encoding: str, size: int) -> None:
    path.write_bytes(("\ufeff" * (encoding == "utf-16-le") + "".join(pieces)).encode(encoding, "replace"))
    whole = decode(path.read_bytes(), "a.txt")
    with TextFile(path, "a.txt") as file:
        assert pages(file, size) == whole.text
        assert file.encoding == whole.encoding
        assert file.has_bom == whole.has_bom
        assert file.total_lines == len(split_lines(whole.text))
        assert file.ends_with_newline == whole.text.endswith("\n")
        assert file.total_bytes == path.stat().st_size


@pytest.mark.parametrize("unit", ["a\n", "é\n", "注释 🚀 x\n", "long line 注 " * 5000 + "\n", "\n"])
def test_any_line_of_a_large_file_is_found(tmp_path: Path, unit: str) -> None:
    text = unit * (3 * PIECE // len(unit.encode()) + 3)
    lines = split_lines(text)
    (tmp_path / "a.txt").write_bytes(text.encode())
    random_ = random.Random(1)
    with TextFile(tmp_path / "a.txt", "a.txt") as file:
        for line in {1, 2, len(lines) - 1, len(lines), *random_.choices(range(1, len(lines)), k=40)}:
            offset = random_.randrange(len(lines[line - 1]))
            rest = "".join(lines[line - 1 : line + 25])[offset:]
            window = file.window(line, offset, 20)
            assert window.text == rest[:20]
            assert (window.start_line, window.offset) == (line, offset)


def test_positions_beyond_a_line_or_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ab\ncd")
    with TextFile(tmp_path / "a.txt", "a.txt") as file:
        assert file.window(1, 2, 9) == Window("\ncd", 1, 2, True)
        assert file.window(1, 3, 9) == Window("cd", 2, 0, True)
        assert file.window(1, 99, 1) == Window("c", 2, 0, False)
        assert file.window(2, 2, 9) == Window("", 2, 2, True)
        assert file.window(2, 50, 9) == Window("", 2, 2, True)
        assert file.window(3, 0, 9) == Window("", 3, 0, True)
        assert file.window(10**9, 0, 9).text == ""
        for wrong in ((0, 0, 1), (1, -1, 1), (1, 0, -1)):
            with pytest.raises(ValueError, match="no position"):
                file.window(*wrong)


def test_one_bad_byte_at_the_end_decides_for_all_windows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xc3\xa9\n" * 100_000 + b"\xe9\n")
    with TextFile(tmp_path / "a.txt", "a.txt") as file:
        assert file.encoding == "cp1252"
        assert file.window(1, 0, 6).text == "cafÃ©\n"


def test_binary_and_changed_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0\1\2\3" * 100)
    with pytest.raises(BinaryFileError):
        TextFile(tmp_path / "a.bin", "a.bin")
    (tmp_path / "a.txt").write_bytes("注释\n".encode() * 50_000)
    with TextFile(tmp_path / "a.txt", "a.txt") as file:
        (tmp_path / "a.txt").write_bytes(b"\xff\n" * 200_000)
        with pytest.raises(UnreadableFileError, match="changed"):
            file.window(30_000, 0, 1000)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    line = "    return total + 1  # 注释\n".encode()
    with (tmp_path / "big.py").open("wb") as big:
        for _ in range(20):
            big.write(line * 20_000)
    tracemalloc.start()
    try:
        with TextFile(tmp_path / "big.py", "big.py") as file:
            assert file.total_lines == 400_000
            assert file.window(399_000, 0, 8000).text.startswith("    return total")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
