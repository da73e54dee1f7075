"""Vectors are made once for each text, kept whatever happens, and never of two models at once."""

import shutil
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from indexer import fill as fill_module
from indexer.embed import choose
from indexer.fill import NO_TEXT, Vectors, fill, packed


@pytest.fixture
def embedder_of() -> Iterator[Any]:
    """Give a function that makes an embedder."""
    made: list[Any] = []

    def make(ollama: Any, model: str = "fake-a") -> Any:
        made.append(choose("ollama", url=ollama.url, model=model).embedder)
        return made[-1]

    yield make
    for each in made:
        each.close()


def texts(ollama: Any) -> list[str]:
    return [text for request in ollama.log for text in request.texts if request.answered]


def filled(tree: Any, embedder: Any, **options: Any) -> Any:
    return fill(tree.place.store, embedder, tree.read, **options)


@pytest.fixture
def shop(tree: Any) -> Any:
    """Two files of the same text, and two more; indexed."""
    for number in range(3):
        tree.write(f"m{number}.py", f"def work_{number}(value):\n    return value + {number}\n")
    tree.write("blank.py", "\n\n")
    tree.sync()
    return tree


def test_x44_each_text_is_embedded_once(shop: Any, ollama: Any, embedder_of: Any) -> None:
    embedder = embedder_of(ollama)
    first = filled(shop, embedder)
    assert (first.total, first.done, first.missing, first.error) == (3, 3, set(), None)
    assert sorted(first.embedded) == ["m0.py", "m1.py", "m2.py"]
    assert len(texts(ollama)) == 3
    assert all(text.startswith("search_document: ") for text in texts(ollama)) or "nomic" not in embedder.model
    second = filled(shop, embedder)
    assert (second.total, second.done, second.embedded) == (3, 3, [])
    assert len(ollama.log) == 1
    shop.write("m1.py", "def work_1(value):\n    return value * 100\n")
    (shop.root / "m2.py").unlink()
    shop.sync()
    third = filled(shop, embedder)
    assert (third.total, third.done, third.embedded) == (2, 2, ["m1.py"])
    assert len(texts(ollama)) == 4


def test_x44_equal_texts_and_texts_that_come_back_are_not_embedded_again(
    tree: Any, ollama: Any, embedder_of: Any
) -> None:
    embedder = embedder_of(ollama)
    same = "def same(value):\n    return value\n"
    long = "".join(f"def other_{n}(value):\n" + f"    value += {n}\n" * 9 + "\n\n" for n in range(20))
    tree.write("same.py", same)
    tree.sync()
    filled(tree, embedder)
    count = len(texts(ollama))
    tree.write("long.py", long)
    tree.sync()
    run = filled(tree, embedder)
    assert (run.done, run.missing) == (run.total, set())
    assert len(texts(ollama)) == len(set(texts(ollama)))
    tree.write("same.py", "VALUE = 1\n")
    tree.sync()
    filled(tree, embedder)
    count = len(texts(ollama))
    tree.write("same.py", same)
    tree.sync()
    assert filled(tree, embedder).missing == set()
    assert len(texts(ollama)) == count


def test_x45_equal_texts_of_files_far_apart_count_for_both(
    tree: Any, ollama: Any, embedder_of: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(fill_module, "AT_ONCE", 1)
    for name in ("a/x.py", "b/x.py", "c/x.py"):
        tree.write(name, "def same(value):\n    return value\n")
    tree.sync()
    digests = {chunk.digest for entry in tree.rows().values() for chunk in entry.chunks}
    run = filled(tree, embedder_of(ollama))
    assert (run.total, run.done, run.missing) == (3, 3, set())
    assert sorted(run.embedded) == ["a/x.py", "b/x.py", "c/x.py"]
    assert len(texts(ollama)) == len(digests)


def test_x45_what_came_before_the_server_died_is_kept_and_the_next_run_goes_on(
    tree: Any, ollama: Any, embedder_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fill_module, "AT_ONCE", 2)
    for number in range(6):
        tree.write(f"m{number}.py", f"def work_{number}(value):\n    return value + {number}\n")
    tree.sync()
    embedder = embedder_of(ollama)
    ollama.up({**ollama.spec, "mode": "die_after", "requests": 2})
    run = filled(tree, embedder)
    assert run.error is not None
    assert run.error.category == "backend_down"
    assert (run.total, run.done, len(run.missing)) == (6, 4, 2)
    assert len(tree.place.store.embedded(embedder.model)) == 4
    ollama.up({**ollama.spec, "mode": "ok"})
    asked = len(texts(ollama))
    again = filled(tree, embedder_of(ollama))
    assert (again.done, again.missing, again.error) == (6, set(), None)
    assert len(texts(ollama)) == asked + 2


def test_what_is_made_is_kept_every_few_seconds_and_a_run_goes_on_after_one_that_was_killed(
    tree: Any, ollama: Any, embedder_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(fill_module, "time", clock)
    monkeypatch.setattr(fill_module, "AT_ONCE", 1)
    for number in range(6):
        tree.write(f"m{number}.py", f"def work_{number}(value):\n    return value + {number}\n")
    tree.sync()
    store, embedder = tree.place.store, embedder_of(ollama)
    seen: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []
    folder, copy = tree.root.parent / "vectors", tree.root.parent / "copy"

    def progress(done: int, _total: int) -> None:
        seen.append((done, len(store.embedded(embedder.model))))
        if done == 5:  # what would be there, had the process been killed now
            shutil.copytree(folder, copy)
        clock.now += fill_module.COMMIT_SECONDS / 2

    filled(tree, embedder, progress=progress, kept=lambda done, total: told.append((done, total)))
    assert seen == [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (6, 5)]
    assert told == [(1, 6), (3, 6), (5, 6), (6, 6)]
    shutil.rmtree(folder)
    copy.rename(folder)
    asked = len(texts(ollama))
    again = filled(tree, embedder)
    assert (again.done, again.missing, len(again.embedded)) == (6, set(), 1)
    assert len(texts(ollama)) == asked + 1


def test_the_slower_the_store_the_fewer_its_commits(
    tree: Any, ollama: Any, embedder_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(fill_module, "time", clock)
    monkeypatch.setattr(fill_module, "AT_ONCE", 1)
    for number in range(8):
        tree.write(f"m{number}.py", f"def work_{number}(value):\n    return value + {number}\n")
    tree.sync()
    add, told = tree.place.store.add_vectors, []

    def slow(*given: Any) -> None:
        add(*given)
        clock.now += 1.0

    def progress(_done: int, _total: int) -> None:
        clock.now += fill_module.COMMIT_SHARE / 4

    monkeypatch.setattr(tree.place.store, "add_vectors", slow)
    filled(tree, embedder_of(ollama), progress=progress, kept=lambda done, _total: told.append(done))
    assert told == [1, 5, 8]


def test_a_text_that_the_model_refuses_costs_only_its_file(shop: Any, ollama: Any, embedder_of: Any) -> None:
    ollama.up({**ollama.spec, "mode": "nan_on", "marker": "work 1"})
    run = filled(shop, embedder_of(ollama))
    assert list(run.failed) == ["m1.py"]
    assert run.missing == {"m1.py"}
    assert (run.total, run.done, run.error) == (3, 2, None)


def test_it_stops_when_it_is_told_to_and_keeps_what_it_has(
    shop: Any, ollama: Any, embedder_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fill_module, "AT_ONCE", 1)
    embedder = embedder_of(ollama)
    run = filled(shop, embedder, go_on=lambda: not ollama.log)
    assert (run.done, len(run.missing), run.error) == (1, 2, None)
    assert len(shop.place.store.embedded(embedder.model)) == 1

    def breaks_off(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filled(shop, embedder, progress=breaks_off)
    assert len(shop.place.store.embedded(embedder.model)) == 2


def test_a_file_that_changed_since_it_was_indexed_is_left_to_the_next_run(
    shop: Any, ollama: Any, embedder_of: Any
) -> None:
    shop.write("m0.py", "def work_0(value):\n    return 1000\n")
    (shop.root / "m1.py").unlink()
    run = filled(shop, embedder_of(ollama))
    assert (run.embedded, run.missing) == (["m2.py"], {"m0.py", "m1.py"})
    assert not any("1000" in text for text in texts(ollama))


def test_x57_another_models_vectors_are_dropped_once_its_own_are_complete(
    shop: Any, ollama: Any, embedder_of: Any
) -> None:
    store = shop.place.store
    first, second = embedder_of(ollama), embedder_of(ollama, "fake-b")
    filled(shop, first)
    filled(shop, second, go_on=lambda: False)
    assert len(store.embedded(first.model)) == 3
    run = filled(shop, second)
    assert (run.done, len(run.embedded)) == (3, 3)
    assert store.embedded(first.model) == set()
    matrix = store.vectors(second.model)[1]
    assert matrix is not None
    assert matrix.shape == (3, 24)


def test_vectors_that_cannot_be_read_are_made_again(shop: Any, ollama: Any, embedder_of: Any) -> None:
    embedder = embedder_of(ollama)
    filled(shop, embedder)
    for path in (shop.root.parent / "vectors").rglob("*"):
        if path.is_file():
            path.write_bytes(b"broken!")
    run = filled(shop, embedder)
    assert (run.done, len(run.embedded), run.error) == (3, 3, None)
    assert len(shop.place.store.embedded(embedder.model)) == 3


def test_chunks_without_words_are_not_embedded(tree: Any, ollama: Any, embedder_of: Any) -> None:
    tree.write("a.txt", "----\n====\n")
    tree.sync()
    assert {chunk.digest for chunk in tree.rows()["a.txt"].chunks} == {NO_TEXT}
    run = filled(tree, embedder_of(ollama))
    assert (run.total, run.done, run.missing, ollama.log) == (0, 0, set(), [])


# --- vectors in memory


class Asked:
    """An embedder whose answer is given."""

    name, model, dimension = "given", "given", 4

    def __init__(self, vector: Any) -> None:
        self.vector = vector

    def embed_query(self, _text: str) -> Any:
        return self.vector


def unit(*numbers: float) -> Any:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


def test_packing_keeps_cosines_nearly() -> None:
    rows = np.random.default_rng(1).normal(size=(200, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors = Vectors(Asked(None), [bytes([n]) * 16 for n in range(200)], packed(rows), failed=lambda _: None)
    back = vectors.vectors_of([bytes([n]) * 16 for n in range(200)])
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-5)
    assert np.abs(back @ rows[0] - rows @ rows[0]).max() < 0.01


def test_nearest_come_first_and_what_is_unknown_is_nan() -> None:
    digests = [b"a" * 16, b"b" * 16, b"c" * 16]
    rows = np.stack([unit(1, 0, 0, 0), unit(1, 1, 0, 0), unit(0, 0, 0, 1)])
    vectors = Vectors(Asked(unit(1, 0.1, 0, 0)), digests, packed(rows), failed=lambda _: None)
    vector = vectors.query_vector("which")
    assert vector is not None
    assert [digest for digest, _ in vectors.nearest(vector, 2)] == digests[:2]
    assert len(vectors.nearest(vector, 10)) == 3
    found = vectors.vectors_of([b"z" * 16, b"b" * 16])
    assert np.isnan(found[0]).all()
    assert abs(float(found[1] @ rows[1]) - 1) < 0.01
    assert vectors.vectors_of([]).shape == (0, 4)


def test_x57_a_question_of_another_length_is_answered_without_vectors() -> None:
    failed: list[object] = []
    vectors = Vectors(Asked(unit(1, 0, 0)), [b"a" * 16], packed(unit(1, 0, 0, 0)[None]), failed=failed.append)
    assert vectors.query_vector("which") is None
    assert "3" in str(failed[0])
    assert "4" in str(failed[0])
