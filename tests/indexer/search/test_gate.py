import pytest

from indexer.search import Confidence, search


@pytest.mark.parametrize(
    "query",
    [
        "dragon husbandry and medieval falconry",
        "how do I bake sourdough bread at home",
        "weather forecast for the weekend in Madrid",
        "which items should I pack for a week in Iceland",
        "红烧肉怎么做才不腻",
        "北京周末天气怎么样",
    ],
)
def test_questions_that_nothing_here_answers_get_no_hits(shop, query):
    found = search(shop, query)
    assert found.hits == ()
    assert found.confidence is Confidence.NONE
    assert found.missing


@pytest.mark.parametrize(
    "query", ["birthday of a province", "camera, microphone and speaker", "生日和节日是哪个城市的"]
)
def test_words_that_are_only_translated_are_no_sign_of_code(shop, query):
    assert search(shop, query).confidence is Confidence.NONE


@pytest.mark.parametrize("query", ["cart checkout", "password of a session", "限流", "HttpClient", "connection pool"])
def test_questions_that_something_answers_are_answered_without_reserve(shop, query):
    assert search(shop, query).confidence is Confidence.NORMAL


def test_one_common_word_is_not_enough(shop):
    found = search(shop, "price of falcons and hawks in medieval Bavaria")
    assert found.confidence is Confidence.NONE
    assert {"falcons", "hawks", "medieval", "Bavaria"} <= set(found.unknown)


def test_unknown_words_come_first_among_the_missing_ones(shop):
    found = search(shop, "checkout of carts with vouchers in the session")
    assert found.missing[0] == "vouchers"
    assert found.unknown == ("vouchers",)


def test_a_compound_name_that_is_nowhere_is_partial(shop):
    found = search(shop, "HttpCart")
    assert found.confidence is Confidence.PARTIAL
    assert found.hits


@pytest.mark.parametrize("query", ["HttpClient", "http_client", "parse_price", "RateLimiter", "hash_password"])
def test_names_that_are_defined_or_used_are_not_partial(shop, query):
    assert search(shop, query).confidence is Confidence.NORMAL


def test_a_misspelt_word_is_answered_with_its_likeness(shop):
    found = search(shop, "chekcout")
    assert found.hits == ()
    assert found.closest == ("checkout",)


def test_evidence_is_between_0_and_1(shop):
    for query in ("cart", "HttpClient.send", "", "falcons", "price of falcons", "shop/cart.py", "登录"):
        assert 0 <= search(shop, query).evidence <= 1


def test_pairs_of_characters_that_are_nowhere_do_not_outweigh_known_words(index_of):
    index = index_of(
        {
            "geo.py": "# 计算两个经纬度之间的距离（千米）。\ndef haversine(lat, lon):\n    return angle(lat, lon)\n",
            "mail.py": "def send_receipt(address, order):\n    smtp.send(address, order)\n",
        }
    )
    assert search(index, "计算两点之间的距离").hits[0].name == "haversine"
    assert search(index, "红烧肉怎么做才不腻").hits == ()
