"""Entries turned into rows and back are the same entries."""

from array import array

from indexer.entries import entry_of
from indexer.entry import FileEntry, Postings
from indexer.rows import entries_of, schema, table_of

SOURCE = '''"""Charge cards."""

class Till:
    def charge(self, cents):
        """Take money."""
        return self.bank.post(cents)  # 付款
'''


def test_entries_come_back_as_they_were() -> None:
    nothing = Postings((), array("I"), array("I"), array("B"), array("B"))
    entries = [
        entry_of("shop/till.py", SOURCE, "ab"),
        FileEntry("empty.txt", "cd", None, 0, (), (), nothing, array("I")),
        entry_of('it\'s "here"/说明.md', "# 安装\n\nRun it.\n", "ef"),
    ]
    assert list(entries_of(table_of(entries))) == entries


def test_no_entries_are_a_table_of_the_same_columns() -> None:
    table = table_of([])
    assert table.schema == schema()
    assert list(entries_of(table)) == []


def test_a_part_of_a_table_gives_its_own_entries() -> None:
    entries = [entry_of(f"m{n}.py", f"def work_{n}(value):\n    return value + {n}\n", str(n)) for n in range(5)]
    assert list(entries_of(table_of(entries).slice(2, 2))) == entries[2:4]


def test_columns_in_another_order_are_told_apart_by_name() -> None:
    entry = entry_of("a.py", SOURCE, "ab")
    table = table_of([entry])
    assert list(entries_of(table.select(table.schema.names[::-1]))) == [entry]
