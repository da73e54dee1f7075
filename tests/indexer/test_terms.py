"""Turn identifiers, prose and Chinese into the same terms for index and query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.terms import heavy_stem, light_stem, parts, terms_of, tokens, whole, words


@pytest.mark.parametrize(
    ("word", "expected", "joined"),
    [
        ("HTTPServer2", ("http", "server", "2"), "httpserver2"),
        ("getUserById", ("get", "user", "by", "id"), "getuserbyid"),
        ("HttpClient", ("http", "client"), "httpclient"),
        ("http_client", ("http", "client"), "httpclient"),
        ("HTTP_CLIENT", ("http", "client"), "httpclient"),
        ("__init__", ("init",), ""),
        ("_private", ("private",), ""),
        ("parseURLs", ("parse", "urls"), "parseurls"),
        ("IPv4Address", ("ipv", "4", "address"), "ipv4address"),
        ("sha256", ("sha", "256"), "sha256"),
        ("aB", ("a",), "ab"),
        ("x", ("x",), ""),
        ("i_x", ("i",), "ix"),
        ("_", (), ""),
        ("42", ("42",), ""),
    ],
)
def test_x9_identifiers_are_parted_and_kept_whole(word, expected, joined):
    assert parts(word) == expected
    assert whole(word) == joined


@pytest.mark.parametrize("word", ["fs", "io", "v2", "db", "id", "x", "K8s"])
def test_x8_short_terms_are_kept(word):
    assert word.lower() in terms_of(word)


def test_kebab_case_is_two_words():
    assert words("rate-limit my.module a::b") == ["rate", "limit", "my", "module", "a", "b"]


def test_both_ways_of_writing_a_name_share_its_terms():
    assert terms_of("HttpClient") == terms_of("http_client") == ("http", "client", "httpclient")


@pytest.mark.parametrize("word", ["0xDEADbeef", "a3f9c0d1e2b4", "9f86d081884c7d65"])
def test_what_is_no_name_has_one_term(word):
    assert terms_of(word) == (word.lower(),)


def test_data_is_looked_at_only_so_far():
    assert sum(map(len, terms_of("Ab" * 5000))) < 300


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("classes", "class"),
        ("class", "class"),
        ("entries", "entri"),
        ("entry", "entri"),
        ("running", "run"),
        ("mapped", "map"),
        ("calling", "call"),
        ("parse", "pars"),
        ("parsing", "pars"),
        ("parsed", "pars"),
        ("status", "status"),
        ("string", "string"),
        ("bed", "bed"),
        ("id", "id"),
        ("sha256", "sha256"),
    ],
)
def test_x9_light_stem(word, stem):
    assert light_stem(word) == stem


@pytest.mark.parametrize(
    "family",
    [
        "parse parser parsers parsing parsed",
        "serialize serializer serialization serialized",
        "decode decoder decoding decoded",
        "validate validator validation validating",
        "route router routing routes",
        "authenticate authentication authenticator",
        "initialize initialise initialization initializer",
    ],
)
def test_relatives_share_the_heavy_stem(family):
    assert len({heavy_stem(word) for word in family.split()}) == 1


def test_words_that_only_look_derived_keep_their_own_stem():
    apart = ["user", "use", "server", "serve", "number", "string", "string", "order", "state", "station", "general"]
    assert len({heavy_stem(word) for word in apart}) == len(set(apart))


def test_x7_chinese_becomes_overlapping_pairs():
    assert terms_of("用户登录") == ("用户", "户登", "登录")
    assert terms_of("锁") == ("锁",)
    assert words("检查登录，然后跳转。") == ["检查登录", "然后跳转"]
    assert set(terms_of("登录")) <= set(terms_of("检查用户登录状态"))


def test_words_of_two_scripts_are_parted():
    assert terms_of("get用户Name") == ("get", "用户", "name")
    assert terms_of("调用API接口") == ("调用", "api", "接口")


def test_other_scripts_are_words_without_case():
    assert terms_of("Ошибка") == ("ошибка",)
    assert terms_of("ОшибкаСервера") == ("ошибка", "сервера", "ошибкасервера")
    assert terms_of("CAFÉ") == terms_of("cafe\u0301") == terms_of("café") == ("café",)
    assert terms_of("ＨＴＴＰ") == ("http",)
    assert words("हिन्दी शब्द") == ["हिन्दी", "शब्द"]


def test_tokens_give_the_same_terms_as_words():
    text = "检查 user_name，再 getUser(用户)。 naïve—x\u3000y"
    by_tokens = [term for token in tokens(text.encode()) for term in terms_of(token)]
    assert by_tokens == [term for word in words(text) for term in terms_of(word)]


@given(st.text())
def test_any_text_has_terms_without_blanks_or_capitals(text):
    for token in tokens(text.encode("utf-8", "replace")):
        for term in terms_of(token):
            assert term
            assert not any(map(str.isspace, term))
            assert not (term.isascii() and term != term.lower())


@given(st.text(alphabet="abzABZ019_é用户ß", min_size=1, max_size=30))
def test_terms_do_not_depend_on_what_was_asked_before(word):
    first = terms_of(word)
    assert terms_of(word) == first
    assert [light_stem(part) for part in parts(word)] == list(first[: len(parts(word))])
