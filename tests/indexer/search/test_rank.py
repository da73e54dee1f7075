import pytest

from indexer.search import Confidence, search


@pytest.mark.parametrize(
    ("query", "path", "name"),
    [
        ("how does a user log in with a password", "shop/session.py", "SessionStore"),
        ("HttpClient.send", "shop/http/client.py", "HttpClient"),
        ("QueueClient#send", "shop/queue/client.py", "QueueClient"),
        ("parse_price()", "shop/money.py", "parse_price"),
        ("parsePrice", "shop/money.py", "parse_price"),
        ("shop/http/client.py", "shop/http/client.py", None),
        ("where is the connection pool used", "shop/http/client.py", "HttpClient"),
        ("checkout", "shop/cart.py", "checkout"),
        ("限流在哪里实现", "shop/limit.py", "RateLimiter"),
        ("登录的密码在哪里检查", "shop/session.py", None),
        ("购物车", "shop/cart.py", None),
        ("rate limiting", "shop/limit.py", "RateLimiter"),
        ("AttributeError: 'SessionStore' object has no attribute 'sessions'", "shop/session.py", None),
    ],
)
def test_the_right_place_comes_first(shop, query, path, name):
    found = search(shop, query)
    assert found.hits, found
    assert found.hits[0].path == path
    if name is not None:
        assert found.hits[0].qualified_name == name


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("cart checkout", "shop/cart.py"),
        ("test of the cart checkout", "tests/test_cart.py"),
        ("readme about cart and checkout", "README.md"),
        ("which yaml has the maximum", "config/limits.yaml"),
    ],
)
def test_code_comes_before_other_files_unless_they_are_asked_for(shop, query, first):
    assert search(shop, query).hits[0].path == first


def test_each_file_comes_once_and_then_again_when_files_run_out(shop):
    paths = [hit.path for hit in search(shop, "cart item price", 20).hits]
    distinct = list(dict.fromkeys(paths))
    assert paths[: len(distinct)] == distinct
    assert len(paths) > len(distinct)


def test_relevance_is_between_0_and_1_and_falls_within_an_answer(shop):
    for query in ("cart checkout", "HttpClient.send", "password", "prices of items in a cart"):
        relevances = [hit.relevance for hit in search(shop, query, 20).hits]
        assert relevances == sorted(relevances, reverse=True)
        assert all(0 < relevance <= 1 for relevance in relevances)


def test_a_second_place_of_a_file_is_as_relevant_as_its_first_only_if_it_answers_as_well(index_of):
    calls = "def pay(order):\n    return charge_card(order)\n"
    index = index_of({"pay.py": f"def charge_card(order):\n    return order.card\n\n\n{calls}"})
    first, second = search(index, "charge_card").hits
    assert (first.name, second.name) == ("charge_card", "pay")
    assert second.relevance < first.relevance / 2
    equal = "".join(f"def one_{name}(order):\n    return refund(order)\n\n\n" for name in ("cat", "dog"))
    first, second = search(index_of({"pay.py": equal}), "refund").hits
    assert second.relevance == first.relevance


def test_relevance_of_a_good_answer_is_above_that_of_a_poor_one(shop):
    good = search(shop, "total price of items").hits[0].relevance
    poor = search(shop, "price of a yearly subscription item").hits
    assert not poor or poor[0].relevance < good


@pytest.mark.parametrize("path", ["shop", "shop/", "./shop", "shop/cart.py"])
def test_path_keeps_hits_inside(shop, path):
    hits = search(shop, "cart checkout", 10, path).hits
    assert hits
    assert all(hit.path.startswith(path.removeprefix("./").rstrip("/")) for hit in hits)


def test_a_path_that_is_not_there_gives_nothing(shop):
    found = search(shop, "cart checkout", 10, "nowhere")
    assert found.hits == ()
    assert found.confidence is Confidence.NONE


def test_a_path_is_no_prefix_of_names(index_of):
    index = index_of({"app/a.py": "def run_cart():\n    pass\n", "application/a.py": "def run_cart():\n    pass\n"})
    assert {hit.path for hit in search(index, "run_cart", 5, "app").hits} == {"app/a.py"}


def test_the_projects_own_name_says_little(index_of):
    index = index_of(
        {
            "shop.py": "class Shop:\n    name = 'shop'\n\n\ndef shop(): return Shop()\n",
            "routing.py": "def add_route(shop, path):\n    shop.routes.append(path)\n",
        }
    )
    assert search(index, "shop routes", project="shop").hits[0].path == "routing.py"


@pytest.mark.parametrize("query", ["", "   ", "?!", "的", "the of and", "\x00", "((((", "a" * 5000, "x.y " * 3000])
def test_odd_questions_do_no_harm(shop, query):
    found = search(shop, query)
    assert all(0 <= hit.relevance <= 1 for hit in found.hits)


def test_an_empty_index_answers_nothing(index_of):
    found = search(index_of({}), "cart checkout")
    assert found.hits == ()
    assert found.missing == ("cart", "checkout")


def test_two_words_find_what_code_writes_as_one(index_of):
    index = index_of(
        {
            "a.py": "def open_websocket():\n    return 1\n",
            "b.py": "def web():\n    return page\n",
            "c.py": "def socket():\n    return tcp\n",
        }
    )
    assert search(index, "open a web socket").hits[0].path == "a.py"


def test_terms_tell_what_to_look_for_in_lines(shop):
    terms = search(shop, "checking passwords").terms
    assert terms["password"] > 0


LIBRARY = {
    "net/ratelimit.c": "int rate_limit(struct conn *c, long speed) {\n  return c->sent < speed;\n}\n",
    "net/connect.c": "int connect(struct conn *c) {\n  return send_all(c);\n}\n",
    "io/binary_writer.c": "void write_binary(struct out *o, int v) {\n  put(o, v);\n}\n",
    "ui/clipboard.c": "void copy_text(char *text) {\n  set_clipboard(text);\n}\n",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("发送的速率限制", "net/ratelimit.c"),
        ("写出二进制格式", "io/binary_writer.c"),
        ("怎么把文本放到剪贴板", "ui/clipboard.c"),
    ],
)
def test_a_chinese_question_finds_code_that_is_english_alone(index_of, query, path):
    assert search(index_of(LIBRARY), query).hits[0].path == path
