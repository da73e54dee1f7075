import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.search import Index, search
from indexer.search.index import MOST_SEGMENTS

WORDS = ("cart", "price", "open_session", "HttpClient", "total_price", "parser", "parsing", "限流", "登录用户")
QUERIES = ("cart price", "HttpClient", "how is the price parsed", "登录", "open session", "total_price", "a.py", "b")
PATHS = ("a.py", "b.py", "cart/price.py", "cart.py", "lib/http.ts", "tests/test_a.py", "README.md")


@st.composite
def texts(draw):
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    return "".join(f"def {word}_{n}(x):\n    # {word}\n    return {word}(x)\n\n\n" for n, word in enumerate(words))


CHANGES = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(PATHS), texts(), max_size=3),
        st.sets(st.sampled_from(PATHS), max_size=2),
    ),
    max_size=MOST_SEGMENTS + 3,
)


def answers(index):
    return [(query, search(index, query, 10)) for query in QUERIES]


def assert_equal(index, other):
    for (query, one), (_, two) in zip(answers(index), answers(other), strict=True):
        assert one.hits == two.hits, query
        assert (one.confidence, one.missing, one.unknown) == (two.confidence, two.missing, two.unknown), query
        assert one.evidence == pytest.approx(two.evidence, abs=1e-9)
        assert one.terms == pytest.approx(two.terms)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.dictionaries(st.sampled_from(PATHS), texts(), max_size=5), changes=CHANGES)
def test_after_any_changes_an_index_answers_like_one_built_from_nothing(entry, first, changes):
    index = Index.of(entry(path, text) for path, text in first.items())
    state = dict(first)
    for changed, removed in changes:
        index = index.with_changes([entry(path, text) for path, text in changed.items()], removed - set(changed))
        for path in removed:
            state.pop(path, None)
        state |= changed
    assert_equal(index, Index.of(entry(path, text) for path, text in state.items()))


def test_an_index_is_never_changed(entry, shop, shop_texts):
    before = answers(shop)
    shop.with_changes([entry("shop/cart.py", "def price():\n    return 1\n")], ["shop/money.py"])
    assert answers(shop) == before


def test_merging_keeps_answers(entry, shop):
    changed = shop.with_changes([entry("shop/limit.py", "def cart_price():\n    return 1\n")], ["README.md"])
    one = changed.merged()
    assert len(changed.segments) == 2
    assert len(one.segments) == 1
    assert_equal(changed, one)


def test_many_small_changes_are_merged(entry, shop):
    index = shop
    for number in range(3 * MOST_SEGMENTS):
        index = index.with_changes([entry("shop/cart.py", f"def price_{number}():\n    return 1\n")])
    assert len(index.segments) <= MOST_SEGMENTS
    assert index.file_count == shop.file_count
    assert search(index, f"price_{3 * MOST_SEGMENTS - 1}").hits[0].path == "shop/cart.py"


def test_removing_what_is_not_there_changes_nothing(shop):
    assert_equal(shop.with_changes([], ["nowhere.py"]), shop)


def test_everything_can_be_removed(shop, shop_texts):
    index = shop.with_changes([], list(shop_texts))
    assert index.chunk_count == 0
    assert search(index, "cart").hits == ()


def pairs(index, both):
    return {(index.paths[one], index.paths[two]) for one, two in zip(*both, strict=True)}


def test_users_are_files_that_mention_what_only_others_define(index_of):
    index = index_of(
        {
            "a.py": "def rare_thing():\n    return 1\n",
            "b.py": "from a import rare_thing\n\nrare_thing()\n",
            "c.py": "def other():\n    return rare_thing() + rare_thing()\n",
            "d.py": "def unrelated():\n    return 2\n",
            "tests/test_a.py": "from a import rare_thing\n\nassert rare_thing() == 1\n",
            "README.md": "Call rare_thing for a rare thing.\n",
        }
    )
    assert pairs(index, index.uses) == {("a.py", "b.py"), ("a.py", "c.py")}


def test_a_file_that_defines_the_same_name_is_no_user(index_of):
    index = index_of({"a.py": "def rare_thing():\n    return 1\n", "b.py": "def rare_thing():\n    return 2\n"})
    assert pairs(index, index.uses) == set()


def test_a_file_stands_for_the_folder_of_its_name(index_of):
    index = index_of(
        {"lib/gen.py": "x = 1\n", "lib/gen/a.py": "y = 1\n", "lib/gen/index.py": "z = 1\n", "gen/b.py": "w = 1\n"}
    )
    assert pairs(index, index.folders) == {
        ("lib/gen.py", "lib/gen/a.py"),
        ("lib/gen.py", "lib/gen/index.py"),
        ("lib/gen/index.py", "lib/gen/a.py"),
    }
