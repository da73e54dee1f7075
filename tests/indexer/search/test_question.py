import pytest

from indexer.search.chinese import pieces
from indexer.search.paths import KINDS, PENALTIES, kinds_asked, kinds_of, own_folder, speaking_stem
from indexer.search.question import question_of


def words(question):
    return {concept.word for concept in (*question.concepts, *question.unknown)}


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others(shop):
    assert words(question_of(shop, "how does the cart work")) == {"cart"}
    assert words(question_of(shop, "how to do this")) == {"how", "to", "do", "this"}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("HttpClient", ("HttpClient",)),
        ("where is parse_price() called", ("parse_price",)),
        ("HttpClient::send", ("HttpClient", "send")),
        ("the SessionStore of a user", ("SessionStore",)),
        ("cart and price", ()),
    ],
)
def test_names_are_told_from_words(shop, query, names):
    assert question_of(shop, query).names == names


@pytest.mark.parametrize("query", ["HttpClient.send", "HttpClient::send()", "HttpClient#send", "HttpClient->send"])
def test_dotted_names_are_read_in_all_spellings(shop, query):
    question = question_of(shop, query)
    assert question.chains == ("HttpClient.send",)
    assert question.is_name


@pytest.mark.parametrize("query", ["shop/cart.py", "./shop/cart.py", "cart.py", "shop/cart"])
def test_paths_are_recognised(shop, query):
    assert question_of(shop, query).paths == (query.removeprefix("./"),)


def test_a_short_form_stands_for_its_long_one(index_of):
    index = index_of({"a.py": "def load_configuration():\n    return 1\n"})
    (concept,) = question_of(index, "cfg").concepts
    assert [index.vocabulary.term_of(number) for number, _ in concept.alternates] == ["configuration"]


def test_relatives_of_a_word_count_less_than_itself(index_of):
    index = index_of({"a.py": "def parse():\n    return parser\n"})
    (concept,) = question_of(index, "parser").concepts
    weights = {index.vocabulary.term_of(number): weight for number, weight in concept.alternates}
    assert weights == {"parser": 1.0, "pars": 0.8}


def test_chinese_is_parted_into_known_words_and_pairs():
    assert [piece.word for piece in pieces("如何限流")] == ["限流"]
    limit = next(iter(pieces("限流")))
    assert limit.pairs == ("限流",)
    assert {"rate", "limit"} <= set(dict(limit.english))


def weights_of(index, question):
    (concept,) = question_of(index, question).concepts
    return {index.vocabulary.term_of(number): weight for number, weight in concept.alternates}


def test_an_english_phrase_of_a_chinese_word_is_also_one_name(index_of):
    index = index_of({"a.py": "def hotreload():\n    return 1\n", "b.py": "def watch():\n    return 2\n"})
    assert weights_of(index, "热加载") == {"hotreload": 1.0, "watch": 0.8}


def test_translations_count_less_where_comments_say_it_in_chinese(index_of):
    english = {"a.py": "def cache():\n    return 1\n"}
    chinese = {**english, "b.py": "# 清空缓存\ndef drop():\n    return 2\n"}
    assert weights_of(index_of(english), "缓存") == {"cach": 1.0}
    assert weights_of(index_of(chinese), "缓存") == {"缓存": 1.0, "cach": 0.7}


def test_a_chinese_word_known_in_part_is_no_reason_to_weaken_its_translation(index_of):
    index = index_of({"a.py": "# 定时\ndef cron():\n    return 1\n"})
    assert weights_of(index, "定时任务") == {"定时": 1.0, "cron": 1.0}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tests/a.py", "test"),
        ("src/a_test.go", "test"),
        ("src/latest.py", None),
        ("examples/a.py", "example"),
        ("bench/a.rs", "bench"),
        ("third_party/a.c", "vendored"),
        ("lib/a.d.ts", "stub"),
        ("src/legacy/a.py", "compatibility"),
        ("pkg/__init__.py", "reexport"),
        ("scripts/a.sh", "script"),
        ("CHANGELOG.md", "prose"),
        ("conf/a.yaml", "settings"),
        ("src/a.py", None),
    ],
)
def test_paths_tell_the_kind_of_a_file(path, kind):
    found = [name for name, is_kind in zip(KINDS, kinds_of(path), strict=True) if is_kind]
    assert (kind in found) if kind else not found


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how is this tested", "test"),
        ("示例", "example"),
        ("changelog", "prose"),
        ("the yaml of the server", "settings"),
    ],
)
def test_a_question_can_ask_for_a_kind(question, kind):
    assert kinds_asked(question)[KINDS.index(kind)]
    assert not any(kinds_asked("how is a price summed up"))


def test_every_kind_has_a_penalty():
    assert len(KINDS) == len(PENALTIES)
    assert all(penalty > 0 for penalty in PENALTIES)


def test_nameless_files_speak_by_their_folder():
    assert speaking_stem("shop/cart/index.ts") == "cart"
    assert speaking_stem("index.ts") == "index"
    assert own_folder("shop/cart/index.ts") == "shop/cart"
    assert own_folder("shop/cart.ts") == "shop/cart"
    assert own_folder("cart.ts") == "cart"
