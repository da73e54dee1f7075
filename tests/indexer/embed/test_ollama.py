import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from indexer.embed import DimensionMismatchError, EmbedderUnavailableError
from indexer.embed.ollama import OllamaEmbedder
from indexer.embed.texts import MAX_CHARACTERS

ROOT = Path(__file__).parents[3]
DOC = "search_document: "


@pytest.fixture
def embedder_of(stand_in):
    """Give a function that makes an embedder of the stand-in; the seconds it would have waited are in ``waited``."""
    made = []

    def make(model="nomic-embed-text", url=None, **options):
        embedder = OllamaEmbedder(url or stand_in.url, model, pause=make.waited.append, **options)
        made.append(embedder)
        return embedder

    make.waited = []
    yield make
    for embedder in made:
        embedder.close()


def vectors_of(embedder, texts):
    """Give vectors and reasons by position, from all batches."""
    found, reasons = {}, {}
    for batch in embedder.embed_texts(texts):
        assert batch.vectors.dtype == np.float32
        assert len(batch.positions) == len(batch.vectors)
        assert not found.keys() & set(batch.positions)
        found.update(zip(batch.positions, batch.vectors, strict=True))
        reasons.update({refused.position: refused.reason for refused in batch.refused})
    assert sorted([*found, *reasons]) == list(range(len(texts)))
    return found, reasons


def normal(stand_in, text):
    (row,) = stand_in.__class__().replies([text], 1)
    return np.array(row) / np.linalg.norm(row)


def rejecting(stand_in, bad, reply):
    """Answer as usual, but with ``reply`` to requests that hold a bad text."""
    usual = stand_in.replies
    stand_in.replies = lambda texts, n: reply if any(map(bad, texts)) else usual(texts, n)


def test_vectors_have_length_one_and_come_in_batches_in_order(stand_in, embedder_of):
    texts = [f"text {n}" for n in range(70)]
    embedder = embedder_of()
    batches = list(embedder.embed_texts(texts))
    assert [len(batch.positions) for batch in batches] == [32, 32, 6]
    assert [place for batch in batches for place in batch.positions] == list(range(70))
    np.testing.assert_allclose(batches[2].vectors[5], normal(stand_in, DOC + "text 69"), rtol=1e-6)
    assert embedder.dimension == 8
    assert stand_in.bodies[0]["keep_alive"] == "30m"


def test_x48_texts_and_questions_get_the_prefixes_of_their_model(stand_in, embedder_of):
    vectors_of(embedder_of(), ["a"])
    embedder_of().embed_query("b")
    vectors_of(embedder_of("all-minilm"), ["c"])
    embedder_of("hf.co/some/mxbai-embed-large:v1").embed_query("d")
    assert stand_in.texts == [
        ["search_document: a"],
        ["search_query: b"],
        ["c"],
        ["Represent this sentence for searching relevant passages: d"],
    ]


def test_model_tells_tag_digest_and_text_version(embedder_of):
    assert embedder_of(digest="0a109f422b47").model == "nomic-embed-text:latest@0a109f422b47;text 1"
    assert embedder_of("Nomic-Embed-Text:v1.5").model == "nomic-embed-text:v1.5@unknown;text 1"


def test_texts_are_cut_and_made_valid_before_they_are_sent(stand_in, embedder_of):
    found, _ = vectors_of(embedder_of("m"), ["x" * 9000, "a\udc80b", "中文 注释"])
    assert len(found) == 3
    assert stand_in.texts == [["x" * MAX_CHARACTERS, "a?b", "中文 注释"]]


def test_blank_texts_are_refused_and_never_sent(stand_in, embedder_of):
    found, reasons = vectors_of(embedder_of("m"), ["a", "", " \n\t", "b"])
    assert set(found) == {0, 3}
    assert reasons == {1: "the text is blank", 2: "the text is blank"}
    assert stand_in.texts == [["a", "b"]]
    assert embedder_of().embed_query("  ") is None
    assert len(stand_in.bodies) == 1


def failing(stand_in, failures, reply):
    """Give ``reply`` to the first requests, then answer as usual."""
    usual = stand_in.replies
    stand_in.replies = lambda texts, n: reply if n <= failures else usual(texts, n)


@pytest.mark.parametrize(
    "reply", ["hang up", (503, {"error": "server busy"}), (500, {"error": "EOF"}), (200, b"<html>")]
)
def test_a_passing_fault_is_tried_again(stand_in, embedder_of, reply):
    failing(stand_in, 2, stand_in.hang_up if reply == "hang up" else reply)
    found, reasons = vectors_of(embedder_of(), ["a", "b"])
    assert set(found) == {0, 1}
    assert reasons == {}
    assert embedder_of.waited == [0.5, 2.0]


def test_an_absent_server_is_told_with_the_remedy(embedder_of, closed_url):
    with pytest.raises(EmbedderUnavailableError, match=r"does not answer; start it with `ollama serve`") as caught:
        list(embedder_of(url=closed_url).embed_texts(["a"]))
    assert caught.value.category == "backend_down"
    assert closed_url in str(caught.value)
    assert len(embedder_of.waited) == 2


def test_a_missing_model_is_told_with_the_remedy_and_not_tried_again(stand_in, embedder_of):
    stand_in.replies = lambda *_: (404, {"error": 'model "nope" not found, try pulling it first'})
    with pytest.raises(EmbedderUnavailableError, match=r"does not have the model nope; run `ollama pull nope`"):
        list(embedder_of("nope").embed_texts(["a", "b"]))
    assert len(stand_in.bodies) == 1


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ((200, b"<html>hello</html>"), "not what Ollama says"),
        ((200, b"\xff\xfe{"), "not what Ollama says"),
        ((200, {"embeddings": None}), "no vectors in the answer"),
        ((404, b"404 page not found"), "cannot embed"),
        ((401, {"error": "unauthorized"}), "refuses access"),
        ((302, b""), "status 302"),
        ((503, {"error": "unavailable"}), "status 503"),
        ((500, {"error": "this model does not support embeddings"}), "does not embed"),
        ((500, {"error": "llama runner process has terminated"}), "runner process has terminated"),
        ((400, {"error": "the input length exceeds the context length"}), "exceeds"),
    ],
)
def test_a_server_that_never_embeds_is_unavailable_in_one_line(stand_in, embedder_of, reply, told):
    stand_in.replies = lambda *_: reply
    for texts in (["abc"], [f"text {n}" for n in range(40)]):
        with pytest.raises(EmbedderUnavailableError) as caught:
            list(embedder_of().embed_texts(texts))
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300
    with pytest.raises(EmbedderUnavailableError):
        embedder_of().embed_query("abc")
    assert len(stand_in.bodies) < 60


def test_what_was_embedded_before_the_server_died_is_kept(stand_in, embedder_of):
    usual = stand_in.replies
    stand_in.replies = lambda texts, n: usual(texts, n) if n <= 2 else stand_in.hang_up
    kept = []
    with pytest.raises(EmbedderUnavailableError, match="broke off"):
        for batch in embedder_of().embed_texts([f"text {n}" for n in range(100)]):
            kept += batch.positions
    assert kept == list(range(64))


def test_what_came_of_a_batch_is_kept_when_the_rest_breaks_off(stand_in, embedder_of):
    """A text refused just before is not told: it may have been the server's fault, and is asked for again."""
    rejecting(stand_in, lambda text: text == "crash", stand_in.hang_up)
    rejecting(stand_in, lambda text: text == "poison", (400, {"error": "invalid input"}))
    batches = []
    with pytest.raises(EmbedderUnavailableError, match="broke off"):
        for batch in embedder_of("m").embed_texts(["poison", "good", "fine", "crash"]):
            batches.append(batch)
    assert [(batch.positions, batch.refused) for batch in batches] == [((1,), ())]


def test_a_text_too_long_for_the_model_is_halved_until_it_fits(stand_in, embedder_of):
    error = {"error": "the input length exceeds the context length"}
    rejecting(stand_in, lambda text: len(text) > 900, (400, error))
    texts = [f"short {n}" for n in range(20)]
    texts[7] = "".join(f"{n:04d}" for n in range(1000))
    found, reasons = vectors_of(embedder_of("m"), texts)
    assert len(found) == 20
    assert reasons == {}
    np.testing.assert_allclose(found[7], normal(stand_in, texts[7][:500]), rtol=1e-6)
    np.testing.assert_allclose(found[8], normal(stand_in, texts[8]), rtol=1e-6)
    answered = [text for request in stand_in.texts for text in request if all(len(each) <= 900 for each in request)]
    assert len(answered) == len(set(answered)) == 20


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ((500, {"error": "failed to encode response: json: unsupported value: NaN"}), "NaN"),
        ((400, {"error": "invalid input"}), "invalid input"),
        ((500, {"error": "unexpected EOF"}), "unexpected EOF"),
        ((200, {"embeddings": [[None] * 8]}), "no vectors"),
    ],
)
def test_a_text_the_model_fails_on_costs_no_other_its_vector(stand_in, embedder_of, reply, reason):
    rejecting(stand_in, lambda text: "poison" in text, reply)
    texts = [f"good {n}" for n in range(40)]
    texts[5] = "poison"
    found, reasons = vectors_of(embedder_of(), texts)
    assert set(found) == set(range(40)) - {5}
    assert reason in reasons[5]


def test_a_lone_text_the_model_fails_on_is_not_taken_for_a_broken_server(stand_in, embedder_of):
    rejecting(stand_in, lambda text: "poison" in text, (500, {"error": "unexpected EOF"}))
    found, reasons = vectors_of(embedder_of(), ["poison"])
    assert found == {}
    assert "unexpected EOF" in reasons[0]
    assert embedder_of().embed_query("poison") is None
    found, reasons = vectors_of(embedder_of(), [f"poison {n}" for n in range(40)] + ["good"])
    assert set(found) == {40}
    assert len(reasons) == 40


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("[NaN, 1, 1]", "NaN or infinity"),
        ("[1e999, 1, 1]", "NaN or infinity"),
        ("[0, 0, 0]", "zeros"),
        ("[]", "no vector"),
        ("[1, 2]", "2 numbers, not 3"),
    ],
)
def test_unsound_vectors_are_refused(stand_in, embedder_of, row, reason):
    stand_in.replies = lambda *_: (200, b'{"embeddings": [[1, 2, 3], %s, [1e200, 1e200, 0]]}' % row.encode())
    found, reasons = vectors_of(embedder_of(), ["a", "b", "c"])
    assert set(found) == {0, 2}
    np.testing.assert_allclose(found[2], [0.5**0.5, 0.5**0.5, 0], rtol=1e-6)
    assert reason in reasons[1]


def test_fewer_vectors_than_texts_are_not_taken_for_theirs(stand_in, embedder_of):
    usual = stand_in.replies
    stand_in.replies = lambda texts, n: usual(texts, n)[: max(1, len(texts) - 1)]
    texts = [f"text {n}" for n in range(5)]
    found, reasons = vectors_of(embedder_of("m"), texts)
    assert reasons == {}
    for place, text in enumerate(texts):
        np.testing.assert_allclose(found[place], normal(stand_in, text), rtol=1e-6)


def test_no_vector_at_all_is_unavailable(stand_in, embedder_of):
    stand_in.replies = lambda *_: []
    with pytest.raises(EmbedderUnavailableError, match="0 vectors came for 1 texts"):
        list(embedder_of().embed_texts(["a", "b"]))


def test_another_length_than_before_is_a_mismatch(stand_in, embedder_of):
    embedder = embedder_of()
    vectors_of(embedder, ["a"])
    stand_in.replies = lambda texts, _: [[1.0, 2.0, 3.0] for _ in texts]
    with pytest.raises(DimensionMismatchError, match="3 numbers where 8 were expected; rebuild") as caught:
        list(embedder.embed_texts(["b", "c"]))
    assert caught.value.category == "dimension_mismatch"
    with pytest.raises(DimensionMismatchError):
        embedder.embed_query("d")


@pytest.fixture
def held(stand_in):
    """Let the stand-in keep back answers to more than ``most`` texts until the test is over."""
    over = threading.Event()
    usual = stand_in.replies

    def hold(most):
        stand_in.replies = lambda texts, n: usual(texts, n) if len(texts) <= most or over.wait(30) else None

    yield hold
    over.set()


def test_a_batch_too_slow_is_halved_and_later_ones_stay_small(stand_in, embedder_of, held):
    held(8)
    found, _ = vectors_of(embedder_of(read_seconds=1.0), [f"text {n}" for n in range(64)])
    assert len(found) == 64
    sizes = [len(texts) for texts in stand_in.texts]
    assert sizes[:3] == [32, 16, 8]
    assert sizes[-4:] == [8, 8, 8, 8]


def test_a_slow_server_is_remembered_by_later_calls(stand_in, embedder_of, held):
    held(4)
    embedder = embedder_of(read_seconds=1.0)
    vectors_of(embedder, ["a"] * 8)
    asked = len(stand_in.bodies)
    vectors_of(embedder, ["b"] * 8)
    assert [len(texts) for texts in stand_in.texts[asked:]] == [4, 4]


def test_a_slow_server_is_told_after_a_bounded_time(stand_in, embedder_of, held):
    held(0)
    with pytest.raises(EmbedderUnavailableError, match=r"too slow: no answer within 0.1 s"):
        list(embedder_of(read_seconds=0.1).embed_texts(["a", "b"]))
    with pytest.raises(EmbedderUnavailableError, match="too slow"):
        embedder_of(query_seconds=0.1).embed_query("a")
    assert len(stand_in.bodies) == 3


def test_a_question_is_tried_once_more_and_no_oftener(stand_in, embedder_of):
    failing(stand_in, 1, stand_in.hang_up)
    assert embedder_of().embed_query("a") is not None
    stand_in.replies = lambda *_: stand_in.hang_up
    with pytest.raises(EmbedderUnavailableError):
        embedder_of().embed_query("a")
    assert len(stand_in.bodies) == 4
    assert max(embedder_of.waited) == 0


def test_an_embedder_can_be_used_after_it_was_closed(stand_in, embedder_of):
    embedder = embedder_of()
    first = embedder.embed_query("a")
    embedder.close()
    np.testing.assert_array_equal(embedder.embed_query("a"), first)


def test_a_thread_whose_client_was_closed_takes_another(embedder_of, monkeypatch):
    embedder = embedder_of()
    client = embedder._texts
    closed = client._open()
    client.close()
    opened = client._open
    taken = iter([lambda: closed, opened])
    monkeypatch.setattr(client, "_open", lambda: next(taken)())
    found, _ = vectors_of(embedder, ["a"])
    assert set(found) == {0}
    assert embedder_of.waited == [0.5]


def test_stopping_early_asks_for_no_more(stand_in, embedder_of):
    batches = embedder_of().embed_texts(["a"] * 100)
    next(batches)
    batches.close()
    assert len(stand_in.bodies) == 1


ASK = """
import sys
from indexer.embed.ollama import OllamaEmbedder
embedder = OllamaEmbedder(sys.argv[1], "m", pause=lambda _: None)
try:
    print(len(embedder.embed_query("a")))
finally:
    embedder.close()
"""


def run(url, **environment):
    inherited = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return subprocess.run(
        [sys.executable, "-c", ASK, url],
        cwd=ROOT,
        env={**inherited, **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )


def test_neither_proxy_nor_key_of_the_environment_is_used_on_this_machine(stand_in, closed_url):
    ran = run(stand_in.url, HTTP_PROXY=closed_url, ALL_PROXY=closed_url, OLLAMA_API_KEY="secret-4711")
    assert ran.stdout == "8\n", ran.stderr
    assert "secret-4711" not in json.dumps(stand_in.headers)


def test_the_proxy_of_the_environment_is_used_for_other_machines(stand_in):
    """An address that never exists is reached through the stand-in, which a proxy's client asks for the whole URL."""
    ran = run("http://ollama.invalid:80", HTTP_PROXY=stand_in.url)
    assert ran.stdout == "8\n", ran.stderr
    assert stand_in.paths == ["http://ollama.invalid/api/embed"]


def test_an_environment_the_client_cannot_start_in_is_told(stand_in):
    ran = run(stand_in.url, OLLAMA_HOST="http://a:b:c")
    assert "EmbedderUnavailableError: the client of Ollama cannot start" in ran.stderr
