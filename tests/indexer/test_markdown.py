"""Fences, headings and cuts of Markdown, by CommonMark's rules."""

import random
import time

import pytest

from indexer.commonmark import scan
from indexer.markdown import Fence, about, fences, first_items, headings, is_markdown, markdown_breaks


def lines_of(text):
    return [(fence.first_line, fence.last_line, fence.closed) for fence in fences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\na\n```\n", [(1, 3, True)]),
        ("a\n\n```py\nb", [(3, 4, False)]),
        ("````md\n```sh\n```\nstill\n````\n", [(1, 5, True)]),
        ("~~~\n```\n~~~\n", [(1, 3, True)]),
        ("```\n~~~\n```\n", [(1, 3, True)]),
        ("   ```\na\n  ```\n", [(1, 3, True)]),
        ("    ```\na\n", []),
        ("text\n    ```\n", []),
        ("```\n    ```\n```\n", [(1, 3, True)]),
        ("``` a`b\n", []),
        ("~~~ a`b\n~~~\n", [(1, 2, True)]),
        ("`````\n````\n", [(1, 2, False)]),
        ("```\n``` no\n```\n", [(1, 3, True)]),
        ("- item\n  ```\n  a\n  ```\n", [(2, 4, True)]),
        ("- item\n  ```\n  a\nout\n", [(2, 3, False)]),
        ("1. item\n\n   ~~~\n   a\n   ~~~\n", [(3, 5, True)]),
        ("> ```\n> a\n> ```\n", [(1, 3, True)]),
        ("> ```\n> a\nout\n```\nb\n", [(1, 2, False), (4, 5, False)]),
        ("> - ```\n>   a\n>   ```\n", [(1, 3, True)]),
        ("<!--\n```\n-->\n```\na\n```\n", [(4, 6, True)]),
        ("<details>\n\n```\na\n```\n\n</details>\n", [(3, 5, True)]),
        ("```\r\na\r\n```\r\n", [(1, 3, True)]),
        ("```\n", [(1, 1, False)]),
        ("```", [(1, 1, False)]),
        ("+ a\n  +\n\n  ```\n  b\n", [(4, 5, False)]),
        ("> a\n    > ```\n", []),
        ("``\n", []),
        ("", []),
    ],
)
def test_fences(text, found):
    assert lines_of(text) == found


def test_opening_is_the_line_as_written():
    assert fences("-\t```` js {x}\r\n") == (Fence(1, 1, "-\t```` js {x}", closed=False),)
    assert fences("x\n  ~~~ a\n")[0].opening == "  ~~~ a"


PARTS = ["```", "````", "~~~", "``` py", "~~~ a`b", "```x`", "- ", "* ", "1. ", "2. ", "10) ", "> ", ">", "    ", "  "]
PARTS += ["   ", " ", "text", "foo bar", "# H", "## ", "#x", "---", "===", "-", "***", "<div>", "</div>", "<pre>"]
PARTS += ["</pre>", "<!-- c", "-->", "<b>", "+", "+ a", "- - x", "# a #"]


def test_blocks_are_those_of_a_commonmark_parser():
    markdown_it = pytest.importorskip("markdown_it")
    parser, chosen = markdown_it.MarkdownIt("commonmark"), random.Random(7)
    for _ in range(1500):
        lines = ("".join(chosen.choices(PARTS, k=chosen.randint(0, 4))) for _ in range(chosen.randint(1, 15)))
        text = "\n".join(lines).rstrip() + "\n"
        tokens = parser.parse(text)
        found = scan(text)
        assert [(f.first_line, f.last_line) for f in found.fences] == [
            (token.map[0] + 1, token.map[1]) for token in tokens if token.type == "fence"
        ], text
        assert [(h.first_line, h.last_line, h.level) for h in found.headings] == [
            (token.map[0] + 1, token.map[1], int(token.tag[1]))
            for token in tokens
            if token.type == "heading_open" and token.level == 0
        ], text


@pytest.mark.parametrize(
    "line",
    ["Some words of ordinary text that go on.\n", "`" * 80 + "\n", "```\ncode\n", "- item\n", "> quote\n", "\n", "`"],
)
def test_time_is_linear(line):
    def seconds(size):
        text = line * (size // len(line))
        started = time.process_time()
        fences(text)
        return time.process_time() - started

    seconds(1000)
    # Another process may take the caches away at any time: one good try of three is enough.
    tries = ((seconds(100_000), seconds(1_000_000)) for _ in range(3))
    assert any(long < 30 * short + 0.2 for short, long in tries)


def test_headings_are_symbols_with_their_sections():
    text = "# A `b`\n\nAbout *it*. More.\n\n## C\n```\n# no\n```\n\nSetext\n===\n### E ###\n\n"
    found = [(s.name, s.qualified_name, s.start, s.end, s.parent, s.description) for s in headings(text)]
    assert found == [
        ("A b", "A b", 1, 8, None, "About it."),
        ("C", "A b.C", 5, 8, "A b", ""),
        ("Setext", "Setext", 10, 12, None, ""),
        ("E", "Setext.E", 12, 12, "Setext", ""),
    ]


def test_front_matter_holds_no_heading():
    assert [s.name for s in headings("---\ntitle: x\n---\n\n# A\n")] == ["A"]
    assert about("---\ntitle: x\n---\n\n# A\n\nAbout it. More.\n") == "About it."


def test_about_skips_badges_tags_and_lists():
    assert (
        about("# T\n\n[![CI](a.svg)](b)\n<p align=center>\n\n- list\n\nThe [text](x) is **here**. Two.")
        == "The text is here."
    )


@pytest.mark.parametrize("mark", ["-", "*", "1.", "2)"])
def test_about_takes_in_the_first_item_that_a_colon_leads_to(mark):
    assert about(f"# T\n\nT is:\n\n  {mark} A *mill*\n  {mark} A stone\n") == "T is: A mill"
    assert about(f"# T\n\nT is:\n{mark} A mill. Big.\n") == "T is: A mill."
    assert about(f"T grinds.\n\n{mark} A mill\n") == "T grinds."
    assert about("T is:\n\n```\nx\n```\n") == about("T is:\n") == "T is:"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n\n1. b\n   c\n2. d\n   e\n\nf\n", "a\n\nb\n   c\n\nf\n"),
        (" 1) b\n\n 2) d\n\n    e\n\nf\n\n1. g", "b\n\n\n\nf\n\ng"),
        ("- a\n- b\n", "- a\n- b\n"),
        ("In 1999.\n2000 was\n", "In 1999.\n2000 was\n"),
        ("2024. It was\n", "2024. It was\n"),
        ("1. a\n2. b\n# T\nIt is.\n", "a\n# T\nIt is.\n"),
        ("```\n1. a\n2. b\n```\n", "```\n1. a\n2. b\n```\n"),
        ("", ""),
    ],
)
def test_only_the_first_item_of_a_numbered_list_is_left(text, left):
    assert first_items(text) == left


def test_breaks_are_before_headings_and_after_blocks_but_never_inside_a_fence():
    text = "# A\n\ntext\n\n```\n\n# no\n\n```\n## B\nx\n\ny\n"
    assert markdown_breaks(text) == ((9,), (2, 4, 9, 12))


@pytest.mark.parametrize(("path", "answer"), [("a.md", True), ("A.MARKDOWN", True), ("a.mdx", True), ("a.py", False)])
def test_is_markdown(path, answer):
    assert is_markdown(path) is answer
