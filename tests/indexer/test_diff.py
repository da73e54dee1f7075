"""Reading git's diffs: every file is found, hunks end where they say, a stretch is as it is in the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.diff import LEAD_BYTES, ChangedFile, Section, read_changes, split_patch, stretch

ONE = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n"
HUNK = "@@ -1,3 +1,4 @@ def f():\n a\n-b\n+c\n+d\n e\n"
OTHER = "@@ -20 +21,0 @@\n-gone\n\\ No newline at end of file\n"


def section_of(text: str, encoding: str = "utf-8") -> Section:
    data = b"before\n" + text.encode(encoding) + b"diff --git a/z b/z\n"
    return Section(data, 7, 7 + len(text.encode(encoding)))


def test_the_list_of_changed_files_is_read():
    out = (
        b":100644 100644 aaa bbb M\0a.txt\0:000000 100644 000 ccc A\0new\t\xc3\xbc.py\0"
        b":100644 100755 ddd ddd R100\0old.py\0dir/new name.py\0"
        b":100644 000000 eee 000 D\0gone\0:100644 100644 fff ggg M\0x.png\0"
        b"12\t3\ta.txt\0"
        + b"5\t0\tnew\t\xc3\xbc.py\0"
        + b"1\t2\t\0old.py\0dir/new name.py\0"
        + b"0\t9\tgone\0-\t-\tx.png\0"
    )
    assert read_changes(out) == (
        ChangedFile("a.txt", "M", 12, 3),
        ChangedFile("new\tü.py", "A", 5, 0),
        ChangedFile("dir/new name.py", "R", 1, 2, old_path="old.py"),
        ChangedFile("gone", "D", 0, 9),
        ChangedFile("x.png", "M", 0, 0, binary=True),
    )
    assert read_changes(b"") == ()


@pytest.mark.parametrize(
    ("section", "path"),
    [
        (ONE + HUNK, "a.py"),
        (
            "diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n",
            "new",
        ),
        (
            "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            "old",
        ),
        ("diff --git a/a b/x y\nsimilarity index 100%\nrename from a\nrename to x y\n", "x y"),
        ("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", "run.sh"),
        ("diff --git a/a b/c b/a b/c\nold mode 100644\nnew mode 100755\n", "a b/c"),
        ("diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n", "empty"),
        ("diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n", "x.png"),
        ('diff --git "a/q\\"\\\\.txt" "b/q\\"\\\\.txt"\nold mode 100644\nnew mode 100755\n', 'q"\\.txt'),
        (
            'diff --git "a/\\303\\274\\t" "b/\\303\\274\\t"\n--- "a/\\303\\274\\t"\n+++ "b/\\303\\274\\t"\n',
            "ü\t",
        ),
        (
            "diff --git a/sp ace b/sp ace\nindex 1..2 100644\n--- a/sp ace\t\n+++ b/sp ace\t\n@@ -1 +1 @@\n-x\n+y\n",
            "sp ace",
        ),
        (ONE + "@@ -1,2 +1,2 @@\n--- b/minus\n+++ b/plus\n x\n", "a.py"),
    ],
)
def test_a_section_is_found_by_the_path_of_its_file(section, path):
    other = "diff --git a/zz b/zz\nindex 1..2 100644\n--- a/zz\n+++ b/zz\n@@ -1 +1 @@\n-x\n+y\n"
    data = (section + other).encode()
    sections = split_patch(data)
    assert list(sections) == [path, "zz"]
    assert stretch(sections[path]).text == section
    assert stretch(sections["zz"]).text == other
    assert sections[path].lines == section.count("\n")
    assert sections[path].output is data


def test_no_output_has_no_sections():
    assert split_patch(b"") == {}


def test_lines_that_only_look_like_a_section_are_none():
    text = ONE + "@@ -1,2 +1,3 @@\n diff --git a/b b/b\n+diff --git a/c b/c\n \n"
    assert list(split_patch(text.encode())) == ["a.py"]


def test_hunks_end_where_their_headers_say():
    taken = stretch(section_of(ONE + HUNK + OTHER + "@@ -30,0 +31,2 @@\n+x\n+y\n"))
    assert taken.ends == (10, 13, 16)
    assert taken.at_end and taken.lead == ""
    assert section_of(ONE + HUNK + OTHER).hunks == 2


def test_a_blank_line_of_the_file_may_be_written_without_its_mark():
    assert stretch(section_of(ONE + "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n" + OTHER)).ends == (9, 12)


def test_a_hunk_that_is_not_there_to_its_end_has_none():
    assert stretch(section_of(ONE + HUNK.removesuffix(" e\n"))).ends == ()


def test_a_carriage_return_or_form_feed_ends_no_line():
    text = ONE + "@@ -1,2 +1,2 @@\n a\x0cb\r\n-b\u2028c\r\n+c\rd\r\n"
    taken = stretch(section_of(text))
    assert (taken.text, taken.ends) == (text, (8,))


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "latin-1"])
def test_text_is_read_in_its_encoding_alike_in_every_stretch(encoding):
    words = "café" if encoding == "latin-1" else "读取配置文件返回值"
    text = ONE + "@@ -1,3 +1,4 @@\n a\n-" + words + "\n+" + words * 2 + "\n+ascii\n a\n"
    section = section_of(text, encoding)
    assert stretch(section).text == text
    assert stretch(section, 5).text == "".join(text.splitlines(keepends=True)[5:])
    assert stretch(section, 8).text == "+ascii\n a\n"


def test_bytes_that_are_no_text_are_shown_all_the_same():
    data = ONE.encode() + b"@@ -1 +1 @@\n-\x01\x02\x03\xff\xfe\x80\n+\x04\x05\x06\xff\xfd\x81\n" * 30
    taken = stretch(Section(data, 0, len(data)))
    assert taken.text.count("\n") == data.count(b"\n")


HUNKS = st.lists(
    st.integers(0, 3).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 4), st.integers(0, 4))),
    min_size=1,
    max_size=6,
)


@settings(max_examples=200, deadline=None)
@given(HUNKS, st.integers(0, 40), st.integers(1, 200) | st.none())
def test_a_stretch_is_what_it_is_in_the_whole(hunks, skip, max_bytes):
    text = ONE
    for context, old, new in hunks:
        text += (
            f"@@ -1,{context + old} +1,{context + new} @@\n"
            + " same\n" * context
            + "-old line\n" * old
            + "+new\n" * new
        )
    section = section_of(text)
    whole = stretch(section)
    lines = text.split("\n")[:-1]
    part = stretch(section, skip, max_bytes)
    taken = part.text.split("\n")[:-1]
    assert taken == lines[skip : skip + len(taken)]
    assert part.at_end == (skip + len(taken) >= len(lines))
    assert taken or skip >= len(lines)
    assert part.ends == tuple(end - skip for end in whole.ends if skip < end <= skip + len(taken))
    if max_bytes is not None and len(taken) > 1:
        assert len(part.text) <= max_bytes
    assert "".join(f"{line}\n" for line in lines[:skip]).endswith(part.lead)


def test_the_lead_is_whole_lines_and_not_long():
    text = ONE + "@@ -0,0 +1,2000 @@\n" + "".join(f"+line {n}\n" for n in range(2000))
    lead = stretch(section_of(text), 1000).lead
    assert LEAD_BYTES - 20 < len(lead) <= LEAD_BYTES
    assert lead.startswith("+line ") and lead.endswith("+line 994\n")
