"""Make what the index keeps of a file."""

from collections import Counter
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.entries import entry_of, texts_to_embed
from indexer.entry import Field, FileEntry
from indexer.postings import MAX_COUNT, postings_of
from indexer.terms import terms_of, words

GOLDEN = Path(__file__).parents[1] / "golden" / "outline"
SAMPLES = sorted(path for path in GOLDEN.glob("*/*") if path.suffix != ".txt")

AUTH = '''import db


class SessionManager:
    """Keeps the sessions of users."""

    lifetime = 60

    # Called by the login page.
    @retry(times=3)
    def refresh_token(self, user, max_age=1):
        """Give a new token."""
        # the old one is kept
        row = db.find(user)
        return row.token

    def close(self):
        pass

    def reopen(self):
        pass
'''


def entry(path: str, text: str) -> FileEntry:
    return entry_of(path, text, "digest")


def counts(made: FileEntry) -> dict[tuple[str, int, Field], int]:
    postings = made.postings
    rows = zip(postings.term, postings.chunk, postings.field, postings.count, strict=True)
    return {(postings.terms[term], chunk, Field(field)): count for term, chunk, field, count in rows}


def fields_with(made: FileEntry, word: str) -> set[tuple[int, Field]]:
    (term,) = terms_of(word)
    return {(chunk, field) for each, chunk, field in counts(made) if each == term}


def test_entries_say_what_the_file_is():
    made = entry("src/auth/session_manager.py", AUTH)
    assert (made.path, made.digest, made.language, made.line_count) == (
        "src/auth/session_manager.py",
        "digest",
        "python",
        21,
    )
    assert entry("a.unknown", "x\n").language is None
    assert entry("a.md", "# x\n").language == "markdown"


def test_x46_terms_stand_in_their_fields():
    made = entry("src/auth/session_manager.py", AUTH)
    names = [chunk.name for chunk in made.chunks]
    assert names == ["", "SessionManager", "refresh_token", "close", "reopen"]
    token, head = names.index("refresh_token"), names.index("SessionManager")
    assert fields_with(made, "refresh") == {(token, Field.NAME), (token, Field.SIGNATURE)}
    assert fields_with(made, "login") == {(token, Field.DOC)}
    assert fields_with(made, "give") == {(token, Field.DOC)}
    assert fields_with(made, "kept") == {(token, Field.COMMENT)}
    assert fields_with(made, "find") == {(token, Field.BODY)}
    assert fields_with(made, "retry") == {(token, Field.SIGNATURE)}
    assert fields_with(made, "keeps") == {(head, Field.DOC)}
    assert fields_with(made, "lifetime") == {(head, Field.BODY), (head, Field.NAME)} - (
        set() if any(each.name == "lifetime" for each in made.defined) else {(head, Field.NAME)}
    )
    assert {chunk for chunk, field in fields_with(made, "manager") if field is Field.QUALIFIER} == {2, 3, 4}
    assert counts(made)["token", token, Field.BODY] == 1


def test_postings_are_sorted_and_hold_each_place_once():
    for path in SAMPLES:
        postings = entry(path.name, path.read_text(encoding="utf-8")).postings
        assert list(postings.terms) == sorted(set(postings.terms))
        places = list(zip(postings.term, postings.chunk, postings.field, strict=True))
        assert places == sorted(set(places)), path
        assert set(postings.term) == set(range(len(postings.terms)))
        assert [each.typecode for each in (postings.term, postings.chunk, postings.field, postings.count)] == list(
            "IIBB"
        )
        assert min(postings.count, default=1) >= 1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(st.text(alphabet="aB_1 é用户\x01\n", max_size=40), min_size=len(Field), max_size=len(Field)),
        max_size=5,
    )
)
def test_counts_are_those_of_counting_word_by_word(chunks):
    expected: Counter[tuple[str, int, int]] = Counter()
    for number, texts in enumerate(chunks):
        for field, text in enumerate(texts):
            expected.update((term, number, field) for word in words(text) for term in terms_of(word))
    postings, identifiers = postings_of([[text.encode() for text in texts] for texts in chunks], is_code=False)
    rows = zip(postings.term, postings.chunk, postings.field, postings.count, strict=True)
    assert {(postings.terms[term], chunk, field): count for term, chunk, field, count in rows} == expected
    used = {word for texts in chunks for text in texts for word in words(text)}
    assert list(identifiers) == sorted(
        {crc32(word.encode()) for word in used if len(word) > 2 and not word[0].isdigit()}
    )


def test_counts_are_capped():
    made = entry("a.txt", "again " * 300)
    assert list(made.postings.count) == [MAX_COUNT]


def test_identifiers_are_those_of_the_code():
    made = entry("a.py", 'def f(user_id):\n    """Docstring."""\n    # comment\n    return getUser(user_id, 123)\n')
    expected = {crc32(word.encode()) for word in ("def", "user_id", "return", "getUser")}
    assert list(made.identifiers) == sorted(expected)
    assert list(entry("a.txt", "some words of prose\n").identifiers) == sorted(
        map(crc32, (b"some", b"words", b"prose"))
    )


def test_x47_the_text_to_embed_begins_with_path_and_name_and_has_signature_comment_and_body():
    path = "src/auth/sessionManager.py"
    made = entry(path, AUTH)
    texts = texts_to_embed(path, AUTH, made)
    assert len(texts) == len(made.chunks)
    lines = texts[2].split("\n")
    assert lines[0] == "src auth session manager session manager refresh token"
    assert "def refresh_token(self, user, max_age=1):" in texts[2]
    order = [texts[2].index(part) for part in ("def refresh_token", "Called by the login page", "db.find(user)")]
    assert order == sorted(order)


def test_long_docs_leave_room_for_the_body():
    text = "def f():\n" + '    """' + "Words of a doc. " * 100 + '"""\n    return body_of_f()\n'
    (embedded,) = texts_to_embed("a.py", text, entry("a.py", text))
    assert "body_of_f" in embedded
    assert len(embedded) < 2000


def test_digests_change_exactly_with_the_text_to_embed():
    made = entry("src/a.py", AUTH)
    embedded = texts_to_embed("src/a.py", AUTH, made)
    edited = AUTH.replace("row.token", "row.key") + "\n\nx = 1\n"
    again = entry("src/a.py", edited)
    changed = texts_to_embed("src/a.py", edited, again)
    before = dict(zip(embedded, (chunk.digest for chunk in made.chunks), strict=True))
    after = dict(zip(changed, (chunk.digest for chunk in again.chunks), strict=True))
    assert {text for text in after if text in before and after[text] != before[text]} == set()
    assert len(set(before.values()) & set(after.values())) == len(set(embedded) & set(changed)) == len(made.chunks) - 1
    assert all(len(chunk.digest) == 16 for chunk in made.chunks)
    moved = entry("src/b.py", AUTH)
    assert not {chunk.digest for chunk in moved.chunks} & set(before.values())


def test_moving_a_function_down_keeps_its_digest():
    made, moved = entry("a.py", AUTH), entry("a.py", "\n\n" + AUTH)
    assert [chunk.digest for chunk in made.chunks] == [chunk.digest for chunk in moved.chunks]
    assert [chunk.start + 2 for chunk in made.chunks] == [chunk.start for chunk in moved.chunks]


def test_texts_of_another_entry_are_refused():
    with pytest.raises(ValueError, match="another text"):
        texts_to_embed("a.py", AUTH, entry("b.py", AUTH))


def test_chunks_without_words_have_nothing_to_embed():
    body = "".join(f"  int get{n}() {{\n    return {n};\n  }}\n\n" for n in range(4))
    text = f"class A {{\n  int x;\n\n{body}}}\n"
    made = entry("A.java", text)
    assert texts_to_embed("A.java", text, made)[-1] == ""
    assert len(made.chunks) - 1 not in made.postings.chunk


def test_no_secret_is_in_an_entry_or_a_text_to_embed():
    secret = "gh" + "p_" + "Zq8Lr2Vx5Nw7Tb3Kj9Hs4Dm6Fp1Cg0Ye8Au2R"
    text = f'def connect():\n    token = "{secret}"\n    return open(token)\n'
    made = entry("a.py", text)
    assert [chunk.end for chunk in made.chunks] == [3]
    assert not any(secret[5:].lower() in term for term in made.postings.terms)
    assert not set(terms_of(secret)) - {"2", "8"} & set(made.postings.terms)
    assert all(secret not in each for each in texts_to_embed("a.py", text, made))
    assert crc32(secret.encode()) not in made.identifiers
    assert "mask" in made.postings.terms


def test_x7_chinese_comments_and_prose_are_found_by_pairs_of_characters():
    text = "# 刷新用户的登录令牌。\ndef refresh(user):\n    return user  # 已过期\n"
    made = entry("a.py", text)
    assert {"刷新", "登录", "令牌", "过期"} <= set(made.postings.terms)
    assert {field for _, field in fields_with(made, "登录")} == {Field.DOC}
    assert {field for _, field in fields_with(made, "过期")} >= {Field.COMMENT} if fields_with(made, "过期") else False
    assert "刷新用户的登录令牌" in texts_to_embed("a.py", text, made)[0]


def test_cut_characters_are_left_out_of_texts():
    text = "def f():\n    # " + "限流" * 900 + "\n    pass\n"
    for embedded in texts_to_embed("a.py", text, entry("a.py", text)):
        assert "\ufffd" not in embedded


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_entries_are_the_same_each_time(path):
    text = path.read_text(encoding="utf-8")
    made = entry(path.name, text)
    assert entry(path.name, text) == made
    assert len(texts_to_embed(path.name, text, made)) == len(made.chunks)
