"""Find out how a file's bytes are to be read: ``survey`` gives its encoding and the facts about its lines.

One pass in pieces, so a file of any size costs little memory, and every reader (whole text or window) comes
to the same decision. The order is: byte order mark, declared in the first two lines, UTF-8, a guess, Latin-1;
each must decode the whole file without error. Nothing but the file's own bytes is looked at.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from indexer.errors import BinaryFileError
from indexer.legacy import guesses

PIECE = 1 << 16  # bytes read at a time; small enough to stay in the processor's cache

Pieces = Callable[[], Iterator[bytes]]  # gives the file from its start, in pieces of PIECE bytes

_BOMS = (  # longest first: the mark of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE = frozenset({"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"})

# A declaration stands in a comment or a prolog: ``# -*- coding: x -*-``, ``// encoding: x``,
# ``<?xml ... encoding="x"?>``, ``@charset "x"``, ``<meta charset=x>``, ``" vim: set fileencoding=x``.
_DECLARATION = re.compile(
    rb"^[ \t\f]*(?:#|//|/\*|\*|--|;|%|<[!?]|<meta|@(?=charset)|\"|\{-|\(\*|\.\.|rem\b)"
    rb"[^\n]*?(?:coding[:=]|charset[:=]?)[ \t]*[\"']?([a-z][-\w.]{0,39})",
    re.IGNORECASE,
)
_REFUSED = frozenset(  # they decode ASCII otherwise, lose line breaks, or differ between machines
    {"utf-7", "hz", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "mbcs", "oem", "undefined", "charmap"}
)
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "iso8859-1": "cp1252"}

_CONTROLS = bytes(sorted({*range(32), 127} - set(b"\t\n\r\f\v\b\x1b")))  # the excepted ones stand in logs and sources
_MOST_CONTROLS = 0.05  # share of such bytes in the first piece above which valid UTF-8 is no text
_MOST_CONTROLS_LEGACY = 0.02  # compressed data has about 0.1, texts in any legacy encoding none
_MOST_NULS = 0.001  # share of NULs in the whole file, if more than a few: padding of archives and images
_FEW_NULS = 8
_SAMPLE = 16_384  # bytes of lines that the guess is made from
_SAMPLE_LINE = 2_048
_HIGH = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Survey:
    r"""Hold how a file's bytes become text.

    Attributes:
        encoding: codec name without the byte order mark (``utf-8``, ``utf-16-le``, ``cp1252``).
        bom: length of the byte order mark, which is no text.
        size: number of bytes.
        breaks: number of ``\n`` in the text.
        ends_with_break: whether the last character is ``\n``.
        marks: for UTF-8, the number of ``\n`` before each piece; empty for other encodings.
    """

    encoding: str
    bom: int
    size: int
    breaks: int
    ends_with_break: bool
    marks: tuple[int, ...]

    @property
    def line_count(self) -> int:
        r"""Give the number of lines: 0 for no text, 1 for ``a`` and for ``a\n``."""
        has_rest = self.size > self.bom and not self.ends_with_break
        return self.breaks + has_rest


def survey(pieces: Pieces, path: str) -> Survey:
    """Read a file once (more often only if it is no UTF-8) and say how to decode it.

    Raises:
        BinaryFileError: the bytes are no text.
    """
    head = next(pieces(), b"")
    bom, marked = next(((len(mark), name) for mark, name in _BOMS if head.startswith(mark)), (0, ""))
    wide = marked in _WIDE
    for encoding in (marked,) if wide else (*_declared(head[bom:]), "utf-8"):
        found, nuls = _read(pieces, encoding, bom)
        if found is not None:
            if _is_binary(b"" if wide else head, found.size, nuls):
                raise BinaryFileError(path, found.size)
            return found
    if wide or _controls(head) > len(head) * _MOST_CONTROLS_LEGACY:
        raise BinaryFileError(path, sum(map(len, pieces())))
    for encoding in guesses(_sample(pieces)):
        found, nuls = _read(pieces, encoding, bom)
        if found is not None:
            if nuls:
                raise BinaryFileError(path, found.size)
            return found
    raise AssertionError("the last guess decodes any bytes")


def _read(pieces: Pieces, encoding: str, bom: int) -> tuple[Survey | None, int]:
    """Try an encoding on the whole file; also count the NUL characters."""
    if encoding == "utf-8":
        return _read_utf8(pieces, bom)
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    size = breaks = nuls = 0
    last = ""
    try:
        for piece in pieces():
            text = decoder.decode(piece if size else piece[bom:])
            size += len(piece)
            nuls += text.count("\0")
            breaks += text.count("\n")
            last = text[-1:] or last
        last = decoder.decode(b"", True)[-1:] or last
    except UnicodeDecodeError:
        return None, nuls
    return Survey(encoding, bom, size, breaks, last == "\n", ()), nuls


def _read_utf8(pieces: Pieces, bom: int) -> tuple[Survey | None, int]:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    size = breaks = nuls = 0
    marks: list[int] = []
    last = b""
    pending = False
    try:
        for piece in pieces():
            marks.append(breaks)
            if pending or not piece.isascii():
                decoder.decode(piece)
                pending = bool(decoder.getstate()[0])
            if 0 in piece:  # looking is ten times as fast as counting
                nuls += piece.count(0)
            breaks += piece.count(b"\n")
            size += len(piece)
            last = piece[-1:]
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return None, nuls
    return Survey("utf-8", bom, size, breaks, last == b"\n", tuple(marks)), nuls


def _declared(head: bytes) -> Iterator[str]:
    """Give the encoding that the first two lines declare, if text can be written in it, and its superset."""
    for line in head.split(b"\n", 2)[:2]:
        declaration = _DECLARATION.match(line)
        if declaration is None:
            continue
        name = re.sub("-(unix|dos|mac)$", "", declaration[1].decode("ascii").lower())
        try:
            codec = codecs.lookup(name)
            # Others turn bytes into bytes, such as zlib. Their names are in no list, so the registry's own mark it is.
            is_text = getattr(codec, "_is_text_encoding", True)
            plain = is_text and codec.name not in _REFUSED and codec.decode(b"# coding=\n")[0] == "# coding=\n"
        except Exception:  # a codec is anybody's code, and a file names whichever it likes
            return
        if plain:
            yield codec.name
            if codec.name in _SUPERSETS:
                yield _SUPERSETS[codec.name]
        return


def _is_binary(head: bytes, size: int, nuls: int) -> bool:
    controls = _controls(head)
    many_controls = controls > len(head) * _MOST_CONTROLS and (controls > 1 or controls == size)
    return many_controls or (nuls > _FEW_NULS and nuls > size * _MOST_NULS)


def _controls(head: bytes) -> int:
    return len(head) - len(head.translate(None, _CONTROLS))


def _sample(pieces: Pieces) -> bytes:
    """Collect the first lines that are not ASCII; only the last one may end inside a character."""
    lines: list[bytes] = []
    total = 0
    carry = b""
    for piece in pieces():
        *whole, rest = piece.split(b"\n")
        if whole:
            whole[0] = carry + whole[0]
            carry = b""
        for line in whole:
            if not line.isascii():
                useful = _from_first_high(line)
                if len(useful) > _SAMPLE_LINE:
                    return b"".join(lines) + useful[:_SAMPLE_LINE]
                lines.append(useful + b"\n")
                total += len(useful)
                if total >= _SAMPLE:
                    return b"".join(lines)
        # Of a line over many pieces only the useful part is kept, and no more of it than is used.
        carry = _from_first_high(carry + rest)[: 2 * _SAMPLE_LINE]
    if carry.isascii():
        return b"".join(lines)
    return b"".join(lines) + (carry[:_SAMPLE_LINE] if len(carry) > _SAMPLE_LINE else carry + b"\n")


def _from_first_high(line: bytes) -> bytes:
    """Drop what stands before the first non-ASCII byte, which begins a character in every encoding."""
    first = _HIGH.search(line)
    return line[max(0, (first.start() if first else len(line)) - 16) :]
