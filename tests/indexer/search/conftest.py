from collections.abc import Callable, Mapping
from hashlib import blake2b

import pytest

from indexer.entries import entry_of
from indexer.entry import FileEntry
from indexer.search import Index


def make_entry(path: str, text: str) -> FileEntry:
    return entry_of(path, text, blake2b(text.encode("utf-8"), digest_size=16).hexdigest())


@pytest.fixture(name="entry", scope="session")
def entry_fixture() -> Callable[[str, str], FileEntry]:
    return make_entry


@pytest.fixture(name="index_of", scope="session")
def index_fixture() -> Callable[[Mapping[str, str]], Index]:
    return lambda texts: Index.of(make_entry(path, text) for path, text in texts.items())


SHOP = {
    "shop/session.py": '''"""Log users in and keep their sessions."""


class SessionStore:
    """Keep sessions in memory."""

    def open_session(self, user, password):
        """Check the password and begin a session."""
        token = hash_password(password)
        return self.sessions.setdefault(user, token)

    def close(self, user):
        self.sessions.pop(user)
''',
    "shop/cart.py": '''"""Hold what a customer wants to buy."""

from shop.money import total_price


def add_item(cart, item):
    """Put an item into the cart."""
    cart.append(item)


def checkout(cart):
    # the discount is taken before tax
    return total_price(cart)
''',
    "shop/money.py": '''def total_price(items):
    """Sum up prices of items."""
    return sum(item.price for item in items)


def parse_price(text):
    return int(text.replace(".", ""))
''',
    "shop/limit.py": '''class RateLimiter:
    """限流：每分钟最多多少个请求。"""

    def allow(self, key):
        return self.counts[key] < self.maximum
''',
    "shop/http/__init__.py": "from shop.http.client import HttpClient\n",
    "shop/http/client.py": '''class HttpClient:
    """Send requests over a pool of connections."""

    def send(self, request):
        connection = self.pool.acquire()
        try:
            return connection.exchange(request)
        finally:
            self.pool.release(connection)
''',
    "shop/queue/client.py": """class QueueClient:
    def send(self, message):
        self.broker.publish(message)
""",
    "tests/test_cart.py": """from shop.cart import add_item, checkout


def test_checkout_of_cart_sums_item_prices():
    cart = []
    add_item(cart, item)
    assert checkout(cart) == 3
""",
    "README.md": "# Shop\n\nThe cart holds items until checkout. Sessions log users in with a password.\n",
    "config/limits.yaml": "rate_limiter:\n  maximum: 60\ncart:\n  items: 10\n",
}


@pytest.fixture(name="shop", scope="session")
def shop_fixture() -> Index:
    return Index.of(make_entry(path, text) for path, text in SHOP.items())


@pytest.fixture(name="shop_texts", scope="session")
def shop_texts_fixture() -> dict[str, str]:
    return dict(SHOP)
