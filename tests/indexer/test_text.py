"""Opening, decoding and counting lines; windows are in test_window.py."""

import os
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import BinaryFileError, NotRegularFileError, UnreadableFileError
from indexer.text import (
    MissingFileError,
    OutsideRootError,
    count_lines,
    decode,
    open_file,
    read_bytes,
    read_text,
    split_lines,
)

CHINESE = "# 计算两个日期之间的天数\ndef days(a, b):\n    return (b - a).days  # 返回值\n"
TAIWAN = "# 計算兩個日期之間的天數\ndef days(a, b):\n    return (b - a).days  # 傳回值\n"
JAPANESE = "# 二つの日付の間の日数を計算する\ndef days(a, b):\n    return (b - a).days\n"
KOREAN = "# 두 날짜 사이의 일수를 계산한다\ndef days(a, b):\n    return (b - a).days\n"
FRENCH = "# Calcule le prix réglé après dépôt\ndef prix(m):\n    return m * 1.2\n"
RUSSIAN = "# Вычисляет количество дней между датами\ndef days(a, b):\n    return b - a\n"
POLISH = "# Oblicza odległość między węzłami, żółty\n# użytkownik nie istnieje, błąd połączenia\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gb18030"),
        (CHINESE, "gbk"),
        (TAIWAN, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
        (FRENCH, "latin-1"),
        (FRENCH, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (POLISH, "cp1250"),
        ("x = 1  # 注释\n", "gbk"),
        ("x = 1  # 註解\n", "big5"),
        ("x = 1  # テスト\n", "shift_jis"),
        ("# café\n", "latin-1"),
        ("/* Größe */\n", "latin-1"),
        ("// Author: José García\n", "latin-1"),
        ("# “quoted” – it’s €5\n", "cp1252"),
        ("no line break: é", "latin-1"),
    ],
)
def test_legacy_encodings_are_recognised(text: str, encoding: str) -> None:
    read = decode(text.encode(encoding), "a.py")
    assert read.text == text
    assert not read.has_bom


@pytest.mark.parametrize("lead", [0, 5_000, 200_000])
@pytest.mark.parametrize("encoding", ["gbk", "big5", "shift_jis", "cp1252"])
def test_legacy_text_on_one_long_line(lead: int, encoding: str) -> None:
    words = {
        "gbk": "检查密码是否正确;",
        "big5": "檢查密碼是否正確;",
        "shift_jis": "値を確認する;",
        "cp1252": "réglé après;",
    }
    text = "a" * lead + words[encoding] * 3_000
    assert decode(text.encode(encoding), "min.js").text == text


def test_bytes_of_no_encoding_become_latin_1() -> None:
    assert decode(b"a\x81b a\x8db\n", "a").text == "a\x81b a\x8db\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
        (b"\0\0\xfe\xff", "utf-32-be"),
    ],
)
def test_byte_order_mark_decides_and_is_no_text(mark: bytes, encoding: str) -> None:
    read = decode(mark + "class Zahnräder { }\r\n".encode(encoding), "Gear.cs")
    assert (read.text, read.encoding, read.has_bom) == ("class Zahnräder { }\r\n", encoding, True)


def test_utf8_mark_before_legacy_bytes_is_dropped_all_the_same() -> None:
    read = decode(b"\xef\xbb\xbf# caf\xe9\n", "a.py")
    assert (read.text, read.has_bom) == ("# café\n", True)


@pytest.mark.parametrize(
    "data",
    [
        b"# -*- coding: latin-1 -*-\n# d\xe9p\xf4t\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx = '\xe9'\n",
        b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>\xe9\xf4</a>\n',
        b'@charset "iso-8859-1";\na { content: "\xe9\xf4" }\n',
        b"// encoding: latin1-unix\n// \xe9\xf4\n",
    ],
)
def test_declared_encoding_wins(data: bytes) -> None:
    read = decode(data, "a")
    assert read.encoding == "iso8859-1"
    assert read.text == data.decode("latin-1")


def test_declared_encoding_wins_over_valid_utf8_as_in_the_interpreter() -> None:
    data = "# coding: latin-1\nx = 'é'\n".encode()
    assert decode(data, "a.py").text == data.decode("latin-1")


@pytest.mark.parametrize(
    "first",
    [
        "# coding: rot13",  # no text encoding
        "# coding: utf-16",  # cannot be what this very line is written in
        "# coding: cp037",
        "# coding: utf-7",
        "# coding: unicode_escape",
        "# coding: no-such-encoding",
        "# coding: ascii",  # does not decode the rest
        "# coding: utf-8",
        'open(path, encoding="latin-1")',  # no declaration
        "x\n\n# coding: latin-1",  # in the third line
    ],
)
def test_wrong_declarations_do_not_count(first: str) -> None:
    text = f"{first}\nx = 'é'\n"
    assert decode(text.encode(), "a.py").text == text


def test_declared_gb2312_is_read_with_the_characters_that_gbk_adds() -> None:
    text = "# coding: gb2312\n# 朱镕基 注释\n"
    assert decode(text.encode("gbk"), "a.py").text == text


def test_valid_utf8_with_a_replacement_character_is_text() -> None:
    text = "# legacy \N{REPLACEMENT CHARACTER} kept\n"
    assert decode(text.encode(), "a.py").text == text


@pytest.mark.parametrize(
    "text",
    [
        "const SEP = `|`;\nfunction key(type, name) {\n  return `${type}\0${name}`;\n}\n",
        "import os\n\f\ndef first():\n    return 'a\u2028b\x85c'\n\f\n# vt:\v fs:\x1c\n",
        "\x1b[31mred\x1b[0m\n" * 50,
        "",
        "\n\n",
    ],
)
def test_rare_control_characters_are_text(text: str) -> None:
    assert decode(text.encode(), "a").text == text


@pytest.mark.parametrize(
    "data",
    [
        bytes([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]) + bytes(range(256)) * 64,
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\x06\0\0\0",
        "plain".encode("utf-16-le"),  # without a mark
        b"\xff\xfe" + b"\x00\xd8" * 3,  # a mark, but no UTF-16
        b"text \xe9 and a NUL \0",
        b"name" + b"\0" * 96 + b"0000644" + b"\0" * 405 + b"text in an archive\n" * 2000,
        bytes(n * 7919 % 251 for n in range(3000)),
        b"\0",
        b"a\n" * 100_000 + b"\xe9" + b"\0" * 3,
    ],
)
def test_binary_is_told(data: bytes) -> None:
    with pytest.raises(BinaryFileError) as caught:
        decode(data, "fast.py")
    assert str(caught.value) == f"fast.py is binary ({len(data)} bytes)"


@given(st.binary(max_size=400))
def test_decoding_is_a_function_of_the_bytes_and_loses_nothing(data: bytes) -> None:
    try:
        read = decode(data, "a")
    except BinaryFileError:
        return
    bom = len(data) - len(read.text.encode(read.encoding))
    assert read.text.encode(read.encoding) == data[bom:]
    assert (bom > 0) == read.has_bom
    read.text.encode()  # no half of a surrogate pair in it
    assert decode(data, "b") == read


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n\r\f")))
def test_any_utf8_is_read_as_such(text: str) -> None:
    if not text.startswith("\ufeff") and "coding" not in text and "charset" not in text:
        assert decode(text.encode(), "a").text == text


def test_only_line_feeds_end_lines() -> None:
    text = "a\r\nb\rc\x0bd\u2028e\x85f\n\ng"
    assert split_lines(text) == ["a\r\n", "b\rc\x0bd\u2028e\x85f\n", "\n", "g"]
    assert count_lines(text) == 4
    assert [count_lines(t) for t in ("", "a", "a\n", "\n", "a\nb")] == [0, 1, 1, 1, 2]


@given(st.text("a\n\r\x0b", max_size=30))
def test_lines_join_to_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == count_lines(text)


def test_read_text_reads_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(FRENCH.encode("latin-1"))
    assert read_text(tmp_path / "a.py", "a.py").text == FRENCH
    with pytest.raises(UnreadableFileError, match=r"a\.py cannot be read: it has more than 5 bytes"):
        read_text(tmp_path / "a.py", "a.py", 5)
    assert read_bytes(tmp_path / "a.py", "a.py", len(FRENCH)) == FRENCH.encode("latin-1")


def test_what_is_no_regular_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket.py"))
    with listening:
        for name, what in (("pipe.py", "FIFO"), ("socket.py", "socket"), (".", "folder")):
            with pytest.raises(NotRegularFileError) as caught:
                open_file(tmp_path / name, name)
            assert caught.value.what == what
    with pytest.raises(NotRegularFileError, match="device"):
        open_file(Path("/dev/zero"), "zero")


def test_fifo_put_in_place_of_the_file_does_not_block(tmp_path: Path) -> None:
    """The look before opening is a courtesy to devices; what counts is the look at what was opened."""

    class Swapped(type(tmp_path)):
        def stat(self, **_: object) -> os.stat_result:
            return Path(__file__).stat()

    os.mkfifo(tmp_path / "pipe.py")
    done = threading.Event()

    def attempt() -> None:
        with pytest.raises(NotRegularFileError):
            open_file(Swapped(tmp_path / "pipe.py"), "pipe.py")
        done.set()

    threading.Thread(target=attempt, daemon=True).start()
    assert done.wait(5)


def test_missing_files_and_circles_are_told(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError) as caught:
        open_file(tmp_path / "gone.py", "gone.py")
    assert caught.value.category == "not_found"
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(UnreadableFileError, match="circle"):
        open_file(tmp_path / "self", "self")


def test_opened_file_must_lie_in_a_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "case", tmp_path / "case-private"
    root.mkdir()
    outside.mkdir()
    (outside / "a.txt").write_text("4711", encoding="utf-8")
    (root / "b.txt").write_text("inside", encoding="utf-8")
    (root / "link.txt").symlink_to(outside / "a.txt")
    with pytest.raises(OutsideRootError):
        read_text(root / "link.txt", "link.txt", roots=[root])
    assert read_text(root / "link.txt", "link.txt", roots=[root, outside]).text == "4711"
    assert read_text(root / "b.txt", "b.txt", roots=[root]).text == "inside"


@pytest.mark.parametrize("codec", ["zlib", "bz2", "hex", "base64", "quopri", "uu", "rot13"])
def test_a_declared_codec_that_writes_no_text_is_ignored(codec: str) -> None:
    found = decode(f"# coding: {codec}\nneedle = 1\n".encode(), "a.py")
    assert found.text.endswith("\nneedle = 1\n")
    assert found.encoding == "utf-8"
