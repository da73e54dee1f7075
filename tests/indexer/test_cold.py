"""Without an index the files that a question is likeliest about are chosen, in bounded time."""

from typing import Any

from indexer import cold
from indexer.cold import likeliest
from indexer.errors import UnreadableFileError


def chosen(tree: Any, question: str, seconds: float = 5.0) -> list[str]:
    return [file.path for file in likeliest(tree.walk().files, question, tree.read, seconds).files]


def test_a_small_tree_is_taken_whole_and_nothing_is_read(tree: Any) -> None:
    for number in range(5):
        tree.write(f"m{number}.py", f"VALUE = {number}\n")
    tree.write("yarn.lock", "x\n")
    found = likeliest(tree.walk().files, "anything", tree.read, 5.0)
    assert [file.path for file in found.files] == [f"m{number}.py" for number in range(5)]
    assert found.is_all
    assert tree.reads == []


def a_large_tree(tree: Any) -> None:
    filler = "".join(f"value_{n} = other_{n} + thing\n" for n in range(1500))
    for number in range(25):
        tree.write(f"pkg/m{number:02}.py", filler)
    tree.write("pkg/till.py", f"def charge_card(cents):\n    return thing(cents)\n{filler}")
    tree.write("pkg/refunds.py", filler)
    tree.write("tests/test_till.py", f"def test_charge_card():\n    charge_card()\n{filler}")


def test_words_in_the_text_and_in_the_path_count_and_rare_ones_more(tree: Any) -> None:
    a_large_tree(tree)
    assert chosen(tree, "where is the thing that charges a card")[:2] == ["pkg/till.py", "tests/test_till.py"]
    assert chosen(tree, "refund")[0] == "pkg/refunds.py"


def test_chinese_finds_english(tree: Any) -> None:
    a_large_tree(tree)
    tree.write("pkg/login.py", "def login(user):\n    return user\n")
    assert "pkg/login.py" in chosen(tree, "登录")[:1]


def test_what_is_chosen_is_bounded_and_told(tree: Any) -> None:
    a_large_tree(tree)
    found = likeliest(tree.walk().files, "thing", tree.read, 5.0)
    assert 0 < sum(file.size for file in found.files) <= cold.PARSED_BYTES
    assert (found.looked_at, found.total, found.is_all) == (28, 28, False)


def test_without_time_only_paths_count(tree: Any) -> None:
    a_large_tree(tree)
    found = likeliest(tree.walk().files, "refunds charge_card", tree.read, -1.0)
    assert (found.looked_at, [file.path for file in found.files]) == (0, ["pkg/refunds.py"])
    assert tree.reads == []


def test_files_that_cannot_be_read_and_questions_without_words(tree: Any) -> None:
    a_large_tree(tree)

    def refuses(path: str) -> bytes:
        if path == "pkg/till.py":
            raise UnreadableFileError(path, "permission denied")
        return bytes(tree.read(path))

    found = likeliest(tree.walk().files, "charge card", refuses, 5.0)
    assert [file.path for file in found.files] == ["tests/test_till.py"]
    assert chosen(tree, "the of ?!") == []
