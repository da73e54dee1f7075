"""What of a component is code: its scripts, wherever they stand, at the places they have in the file."""

import pytest

from indexer.breaks import code_breaks
from indexer.references import references
from indexer.summary import summarize_text, symbols_of


@pytest.mark.parametrize("path", ["a.vue", "a.svelte"])
@pytest.mark.parametrize(
    ("tag", "kept"),
    [
        ("<script>", True),
        ('<script setup lang="ts">', True),
        ("<script lang=ts>", True),
        ('<SCRIPT type="module">', True),
        ('<script type="text/javascript">', True),
        ('<script generic="T extends A<string>">', True),
        ('<script type="application/json">', False),
        ('<script lang="coffee">', False),
        ("<!-- <script> -->", False),
    ],
)
def test_scripts_are_known_by_their_attributes(path, tag, kept):
    found = symbols_of(path, f"<p>é</p>\r\n{tag}\r\nfunction f() {{}}\r\n</script>\r\n")
    assert [(symbol.name, symbol.start) for symbol in found] == [("f", 3)] * kept


def test_note_at_the_top_describes_the_file():
    text = "<!-- Shows rows. -->\n<script>\n  // Takes one.\n  function f() {}\n</script>\n<!-- Not this. -->\n"
    summary = summarize_text("a.vue", text)
    assert (summary.description, summary.symbols[0].description) == ("Shows rows.", "Takes one.")


def test_uses_have_the_place_that_they_have_in_the_file():
    text = "<p>ä f</p><script>f(); /* f */</script>\n"
    [use] = references("a.vue", text, "f")
    assert (use.line, use.column) == (1, text.index("f();") + 1)
    assert use.text == text.strip()


def test_windows_break_between_functions_of_a_script():
    text = "<script>\nfunction f() {\n  g();\n}\nfunction g() {\n  f();\n}\n</script>\n<p>\n</p>\n"
    assert 4 in code_breaks("a.svelte", text)[0]
