"""Patterns: what is refused, what they mean, and that no matching line is missed by what is known of it."""

from __future__ import annotations

import itertools
import warnings
from bisect import bisect_right

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.literals import FOLDING
from indexer.regexes import PatternError, compile_pattern, has_metacharacters

ALPHABET = "abK 1"
# Every line of at most three of these characters: a pattern that matches anything tends to match one of them.
LINES = ["".join(line) for length in range(4) for line in itertools.product(ALPHABET, repeat=length)]
LINES += ["\u212a", "a\u212a", "S", "\u017f", "s_a", "i", "I\u0130", "é中", "ab{e}", "{", "a\rb", "ß", "\ufb00"]


def atoms():
    words = st.sampled_from(["a", "b", "k", "K", "ab", "K1", "s", "é中", " "])
    classes = st.sampled_from(
        [".", r"\s", r"\S", r"\w", r"\d", r"\D", "[ab]", "[^a]", "[a-k]", r"[\s1]", r"[\n-k]", r"\n"]
    )
    zero_width = st.sampled_from(
        ["^", "$", r"\b", r"\B", r"\A", r"\Z", "(?=a)", "(?!b)", "(?<=a)", "(?<!k)", r"(?!\s)", "(?-m:^)"]
    )
    odd = st.sampled_from(
        ["{e}", "{", "{i<=1}", "[[:alpha:]]", r"\p{L}", "(?:)", r"\r", "(?>ab)", "a++", "(?s:.)", "[b||K]"]
    )
    return st.one_of(words, words, words, classes, classes, zero_width, odd)


def parts():
    inner = st.lists(atoms(), min_size=1, max_size=3).map("".join)
    counts = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "*?", "+?", "??", "*+"])
    forms = st.sampled_from(["(%s)", "(?i:%s)", "(?s:%s)", "(%s)\\1", "(?>%s)", "(?=%s)", "(?!%s)", "(?-i:%s)"])
    return st.one_of(
        atoms(),
        atoms(),
        st.tuples(atoms(), counts).map("".join),
        st.tuples(inner, counts).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.lists(inner, min_size=2, max_size=3).map(lambda alternatives: "(?:" + "|".join(alternatives) + ")"),
        st.tuples(forms, inner).map(lambda pair: pair[0] % pair[1]),
    )


PATTERNS = st.tuples(
    st.sampled_from(["", "", "", "(?i)", "(?s)", "(?m)", "(?x)"]),
    st.lists(parts(), min_size=1, max_size=4).map("".join),
    st.sampled_from(["", "", "", "|b", "|"]),
).map("".join)


# Short, so that all pairs of them and many triples can be tried.
PARTS = [
    "a",
    "b",
    "K",
    ".",
    "[ab]",
    "a?",
    "b+",
    "(?:a|1)",
    "(?:ab)*",
    r"\s",
    "^",
    "$",
    r"\b",
    "(?=a)",
    r"(?!\s)",
    "(?i:k)",
    r"\W",
    "[^-a]",
    "[^]b]",
    "a++",
    r"(?<=\s)",
    r"\A",
    r"\Z",
    r"\B",
    "(?-m:^)",
]
SMALL = ["".join(parts) for count in (1, 2, 3) for parts in itertools.product(PARTS, repeat=count)]
SMALL = SMALL[:700] + SMALL[700::9]


def compiled(source, **options):
    try:
        return compile_pattern(source, **options)
    except PatternError:
        return None


def test_literals_of_known_patterns():
    assert compile_pattern("foo").literals == ("foo",)
    assert compile_pattern(r"\bdef\s+load_config\(").literals == ("load_config(",)
    assert compile_pattern("foo|bar").literals == ("foo", "bar")
    assert compile_pattern("(get|set)_value").literals == ("_value",)
    assert compile_pattern("x(ab)+y").literals == ("xab",)
    assert compile_pattern("colou?r").literals == ("colo",)
    assert compile_pattern(r"[a-z]+\d").literals == ()
    assert compile_pattern("foo(?=bar)baz").literals == ("foobaz",)
    assert compile_pattern("ab.cde").literals == ("cde",)
    assert compile_pattern("ab[cd]?e").literals == ("ab",)
    assert compile_pattern("a*").literals == ()
    assert compile_pattern("foo|b*").literals == ()
    assert compile_pattern("a.c", fixed=True).literals == ("a.c",)


def test_literals_that_no_encoding_changes():
    assert compile_pattern("名前 = load").ascii_literals == (" = load",)
    assert compile_pattern("名前").ascii_literals == ()
    assert compile_pattern("foo|名前").ascii_literals == ()


@pytest.mark.parametrize("source", ["[[:alpha:]]+x", r"\p{L}x", "(?x) a b", "a--[b]", "[a[:alpha:]]]"])
def test_nothing_is_claimed_of_patterns_that_re_reads_otherwise(source):
    assert compile_pattern(source).literals == ()


def assert_literals_are_needed(pattern):
    for line in LINES:
        text = line.replace("\u0130", "i").lower() if pattern.fold else line
        if not any(literal in text for literal in pattern.literals):
            assert not pattern.line.search(line), (pattern, line)


def assert_text_finds_the_same_lines(pattern, lines):
    text, starts, at = "\n".join(lines), [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    expected = [start for start, line in zip(starts, lines, strict=True) if pattern.line.search(line)]
    found = [bisect_right(starts, match.start()) - 1 for match in pattern.text.finditer(text)]
    # Behind a last line that was taken there may be one more match, of nothing.
    assert expected == list(dict.fromkeys(starts[n] for n in found)), pattern


@pytest.mark.parametrize("ignore_case", [False, True])
def test_no_line_is_missed_by_what_is_known_of_small_patterns(ignore_case):
    known = 0
    for source in SMALL:
        pattern = compile_pattern(source, ignore_case=ignore_case)
        known += bool(pattern.literals) + (pattern.text is not None)
        if pattern.literals:
            assert_literals_are_needed(pattern)
        if pattern.text is not None:
            assert_text_finds_the_same_lines(pattern, LINES)
    assert known > len(SMALL)


@settings(max_examples=300, deadline=None)
@given(PATTERNS, st.booleans(), st.randoms(use_true_random=False))
def test_no_line_is_missed_by_what_is_known_of_any_pattern(source, ignore_case, random):
    pattern = compiled(source, ignore_case=ignore_case)
    if pattern is not None and pattern.literals:
        assert_literals_are_needed(pattern)
    if pattern is not None and pattern.text is not None:
        assert_text_finds_the_same_lines(pattern, random.sample(LINES, 60))


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=6), st.booleans(), st.text(max_size=3), st.text(max_size=3))
def test_a_fixed_pattern_finds_its_own_text(source, ignore_case, before, after):
    pattern = compile_pattern(source, fixed=True, ignore_case=ignore_case)
    line = before + source + after
    assert pattern.line.search(line)
    assert not pattern.literals or any(
        literal in (line.lower() if pattern.fold else line) for literal in pattern.literals
    )


def test_letters_whose_case_leads_out_of_ascii_are_known():
    beyond = [chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
    text = "".join(beyond)
    found = {
        letter
        for letter in map(chr, range(0x80))
        if regex.search(regex.escape(letter), text, regex.IGNORECASE | regex.VERSION0)
    }
    assert found == FOLDING


@pytest.mark.parametrize("source", ["x{i}", "${name}", "foo {", "{e<=1}", "a{b}{2}"])
def test_braces_that_open_no_count_are_literal(source):
    pattern = compile_pattern(source)
    assert not pattern.line.search("xy ")
    if source != "${name}":  # nothing follows the end of a line
        assert pattern.line.search("-x{i} foo { {e<=1} a{b}} a{b}{2}")


def test_counts_in_braces_still_count():
    assert compile_pattern("^a{2}$").line.search("aa")
    assert compile_pattern("^a{2,}$").line.search("aaa")
    assert not compile_pattern("^a{,2}$").line.search("aaa")
    assert compile_pattern(r"^\p{L}{2}$").line.search("ab")


@pytest.mark.parametrize(
    ("source", "reason", "position"),
    [
        ("foo(", "missing )", 4),
        ("*a", "nothing to repeat", 0),
        ("{x}[", "unterminated character set", 4),
        ("a\\", "bad escape", 2),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(source, reason, position):
    with pytest.raises(PatternError) as caught:
        compile_pattern(source)
    assert reason in caught.value.reason
    assert caught.value.position == position
    assert caught.value.category == "invalid_argument"


@pytest.mark.parametrize(
    "source",
    [
        "(?:a{1000}){1000}",
        "a{99999999999}",
        "((a{30}){30}){30}",
        "(" * 3000 + ")" * 3000,
        r"(?:\p{L}{2000}){2000}",
        "[)]{30000}",
    ],
)
def test_an_expression_that_would_eat_the_memory_is_refused(source):
    with pytest.raises(PatternError):
        compile_pattern(source)


def test_an_ordinary_count_is_not_refused():
    assert compile_pattern(r"^[0-9a-f]{40} (?:\d{4}-){2}[[:alpha:]]{3,200}x{0,1000}$")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab(){}[]|*+?\\^$.,:<>=!P#-~&1239x \n中", max_size=14), st.booleans())
def test_any_text_compiles_or_is_refused_without_a_warning(source, ignore_case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(source, ignore_case=ignore_case)
        compile_pattern(source, fixed=True, ignore_case=ignore_case)


def test_a_pattern_that_is_its_own_literal_is_plain():
    assert compile_pattern("load_config").plain and compile_pattern("a.b(", fixed=True).plain
    assert compile_pattern("名前").plain
    for source in ("a.b", "foo|bar", "(foo)", "foo$", "a\nb", r"a\tb", "[[:alpha:]]"):
        assert not compile_pattern(source).plain
    assert not compile_pattern("load", ignore_case=True).plain
    assert not compile_pattern("a\nb", fixed=True).plain


def test_metacharacters():
    assert has_metacharacters("a.b") and has_metacharacters("f(x)")
    assert not has_metacharacters("load_config") and not has_metacharacters("a-b/c")


@pytest.mark.parametrize("pattern", ["(?V1)[[a-z]--[aeiou]]", "(?V1)a", "(?au)a"])
def test_flags_that_cannot_be_are_told(pattern: str) -> None:
    with pytest.raises(PatternError, match="flags"):
        compile_pattern(pattern)
