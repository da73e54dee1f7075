"""An index made of rows is the index made of the entries that the rows hold."""

import pytest

from indexer.entries import entry_of
from indexer.rows import table_of
from indexer.search import Index, search

FILES = {
    "bank/account.py": '"""Accounts."""\n\n\nclass Account:\n'
    '    def deposit(self, amount):\n        """Put money in."""\n'
    "        self.balance += amount\n\n    def withdraw(self, amount):\n        self.balance -= amount\n",
    "bank/transfer.py": "from bank.account import Account\n\n\ndef transfer(source, target, amount):\n"
    "    source.withdraw(amount)\n    target.deposit(amount)\n",
    "empty.py": "",
    "README.md": "# Bank\n\n## Transfers\n\nMoney moves between accounts. 转账 moves it too.\n",
    "tests/test_transfer.py": "def test_transfer():\n    assert transfer\n",
}
QUESTIONS = (
    "where is money moved between accounts",
    "Account.deposit",
    "withdraw",
    "转账",
    "transfr",
    "bank/account.py",
)


@pytest.fixture(name="entries")
def entries_fixture():
    return [entry_of(path, text, path) for path, text in FILES.items()]


def answers(index):
    return [search(index, question, 10) for question in QUESTIONS]


def test_both_give_the_same_answers(entries):
    assert answers(Index.of_table(table_of(entries))) == answers(Index.of(entries))


def test_a_part_of_a_table_is_an_index_of_its_own_files(entries):
    table = table_of(entries)
    assert answers(Index.of_table(table.slice(1, 3))) == answers(Index.of(entries[1:4]))
    kept = [entry.path != "bank/transfer.py" for entry in entries]
    assert answers(Index.of_table(table.filter(kept))) == answers(
        Index.of([entry for entry in entries if entry.path != "bank/transfer.py"])
    )


def test_changes_and_merging_make_no_difference(entries):
    changed = [entry_of("bank/account.py", "def deposit(amount):\n    return amount\n", "new")]
    indexes = [
        index.with_changes(changed, ["README.md"]) for index in (Index.of(entries), Index.of_table(table_of(entries)))
    ]
    assert answers(indexes[0]) == answers(indexes[1])
    assert answers(indexes[0].merged()) == answers(indexes[1].merged())
    again = [entry_of("bank/fee.py", "def fee(amount):\n    return amount / 100\n", "fee")]
    assert answers(indexes[0].merged().with_changes(again).merged()) == answers(
        indexes[1].merged().with_changes(again).merged()
    )


def test_chunks_are_the_same_ones(entries):
    made, taken = Index.of(entries), Index.of_table(table_of(entries))
    assert list(taken.segments[0].chunks) == list(made.segments[0].chunks)
    assert taken.segments[0].chunks[1:3] == made.segments[0].chunks[1:3]
    assert taken.places_of_digests == made.places_of_digests
    left = [index.with_changes([], ["bank/account.py"]).merged() for index in (made, taken)]
    assert left[0].places_of_digests == left[1].places_of_digests
    assert list(left[1].segments[0].chunks) == list(left[0].segments[0].chunks)


def test_an_index_of_no_rows_answers_nothing():
    index = Index.of_table(table_of([]))
    assert index.file_count == 0
    assert search(index, "anything").hits == ()
