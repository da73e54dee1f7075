import numpy as np
import pytest

from indexer.search import Confidence, search

WORDS = ("alpha", "beta")


class Fixed:
    """Give each chunk the vector that a test chose for its file."""

    def __init__(self, index, by_path, query=(1.0, 0.0), without=()):
        self.query = None if query is None else np.array(query, np.float32)
        self.vectors = {}
        for segment in index.segments:
            for place, path in zip(segment.chunk_files, segment.chunks, strict=True):
                name = segment.paths[place]
                if name in by_path and name not in without:
                    self.vectors[path.digest] = np.array(by_path[name], np.float32)

    def query_vector(self, text):
        return self.query if text else None

    def vectors_of(self, digests):
        nothing = np.full(2, np.nan, np.float32)
        return np.stack([self.vectors.get(digest, nothing) for digest in digests])

    def nearest(self, vector, n):
        found = [(digest, float(row @ vector)) for digest, row in self.vectors.items()]
        return sorted(found, key=lambda pair: -pair[1])[:n]


@pytest.fixture(name="twins")
def twins_fixture(index_of):
    return index_of({f"{name}.py": f"def convert(item):\n    return {name}(item)\n" for name in WORDS})


def test_of_equal_files_the_nearer_one_comes_first(twins):
    assert search(twins, "convert item").hits[0].path == "alpha.py"
    vectors = Fixed(twins, {"alpha.py": (0.0, 1.0), "beta.py": (1.0, 0.0)})
    assert search(twins, "convert item", vectors=vectors).hits[0].path == "beta.py"


def test_a_file_without_a_vector_keeps_its_score(twins):
    vectors = Fixed(twins, {"beta.py": (1.0, 0.0)})
    assert search(twins, "convert item", vectors=vectors).hits == search(twins, "convert item").hits


@pytest.mark.parametrize("query", [None, (1.0, 0.0)])
def test_no_vectors_at_all_change_nothing(twins, query):
    vectors = Fixed(twins, {}, query)
    assert search(twins, "convert item", vectors=vectors) == search(twins, "convert item")


def test_relevance_still_falls_within_an_answer(twins):
    vectors = Fixed(twins, {"alpha.py": (0.0, 1.0), "beta.py": (1.0, 0.0)})
    relevances = [hit.relevance for hit in search(twins, "convert item", vectors=vectors).hits]
    assert relevances == sorted(relevances, reverse=True)


def test_a_question_without_a_shared_word_is_answered_by_meaning_with_reserve(twins):
    vectors = Fixed(twins, {"alpha.py": (0.6, 0.8), "beta.py": (0.9, 0.436)})
    assert search(twins, "transmogrify").confidence is Confidence.NONE
    found = search(twins, "transmogrify", vectors=vectors)
    assert found.confidence is Confidence.LOW
    assert [hit.path for hit in found.hits] == ["beta.py", "alpha.py"]
    assert found.unknown == ("transmogrify",)
    assert [hit.path for hit in search(twins, "transmogrify", 5, "alpha.py", vectors).hits] == ["alpha.py"]


def test_what_is_far_is_no_answer(twins):
    vectors = Fixed(twins, {"alpha.py": (0.3, 0.954), "beta.py": (-1.0, 0.0)})
    assert search(twins, "transmogrify", vectors=vectors).confidence is Confidence.NONE


def test_vectors_of_files_that_are_gone_are_left_out(twins):
    vectors = Fixed(twins, {"alpha.py": (0.6, 0.8), "beta.py": (0.9, 0.436)})
    left = twins.with_changes([], ["beta.py"])
    assert [hit.path for hit in search(left, "transmogrify", vectors=vectors).hits] == ["alpha.py"]


def test_where_words_say_little_the_nearer_chunk_comes_first_though_words_prefer_another(index_of):
    texts = {f"{name}.py": f"def convert(item):\n    return {name}(item)\n" for name in WORDS}
    index = index_of(texts)
    query = "convert hieroglyphs papyrus"
    words = search(index, query)
    assert words.confidence in (Confidence.NONE, Confidence.LOW)
    vectors = Fixed(index, {"alpha.py": (0.25, 0.968), "beta.py": (0.9, 0.436)})
    found = search(index, query, vectors=vectors)
    assert found.confidence is Confidence.LOW
    assert [hit.path for hit in found.hits] == ["beta.py", "alpha.py"]


def test_the_nearer_chunk_of_a_file_is_shown(index_of):
    index = index_of({"one.py": "".join(f"def convert_{name}(item):\n    return item.{name}\n\n\n" for name in WORDS)})
    near = {"convert_alpha": (0.0, 1.0), "convert_beta": (1.0, 0.0)}
    vectors = Fixed(index, {})
    vectors.vectors = {
        chunk.digest: np.array(near[chunk.name], np.float32) for chunk in index.segments[0].chunks if chunk.name in near
    }
    assert search(index, "convert item").hits[0].name == "convert_alpha"
    assert search(index, "convert item", 1, vectors=vectors).hits[0].name == "convert_beta"


def test_a_file_without_chunks_is_no_trouble(index_of):
    index = index_of({"convert.py": "", "alpha.py": "def convert(item):\n    return alpha(item)\n"})
    vectors = Fixed(index, {"alpha.py": (1.0, 0.0)})
    assert [hit.path for hit in search(index, "convert", vectors=vectors).hits] == ["alpha.py"]


def by_name(index, near):
    vectors = Fixed(index, {})
    chunks = (chunk for segment in index.segments for chunk in segment.chunks)
    vectors.vectors = {chunk.digest: np.array(near[chunk.name], np.float32) for chunk in chunks if chunk.name in near}
    return vectors


BESIDE = {"frobnicate_widgets": (0.6, 0.8), "parse_date": (1.0, 0.0), "open_file": (0.8, 0.6), "sort": (0.9, 0.436)}


def test_what_no_word_of_the_question_finds_does_not_fill_an_answer_up(index_of):
    functions = (f"def {name}(item_{name}):\n    return 1\n\n\n" for name in BESIDE)
    index = index_of({"tools.py": "".join(functions)})
    vectors = by_name(index, BESIDE)
    words = search(index, "frobnicate_widgets")
    assert [hit.name for hit in words.hits] == ["frobnicate_widgets"]
    assert search(index, "frobnicate_widgets", vectors=vectors) == words


def test_of_a_file_that_only_its_path_finds_one_chunk_is_shown_which_the_vectors_choose(index_of):
    index = index_of({"frobnicate.py": "".join(f"def {name}():\n    return 1\n\n\n" for name in ("parse", "sort"))})
    vectors = by_name(index, {"parse": (0.0, 1.0), "sort": (1.0, 0.0)})
    assert [hit.name for hit in search(index, "frobnicate.py").hits] == ["parse"]
    assert [hit.name for hit in search(index, "frobnicate.py", vectors=vectors).hits] == ["sort"]


def test_what_is_opposite_to_the_question_is_found_by_its_words_still(index_of):
    index = index_of({"one.py": "".join(f"def convert_{name}(item):\n    return item.{name}\n\n\n" for name in WORDS)})
    far = by_name(index, {"convert_alpha": (-1.0, 0.0), "convert_beta": (-1.0, 0.0)})
    assert search(index, "convert item", vectors=far).hits == search(index, "convert item").hits
