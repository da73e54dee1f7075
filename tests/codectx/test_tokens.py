"""Counting: exact where it matters, without a network, never torn."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codectx.tokens import Counter, encoding, whole_graphemes

COUNTER = Counter()


def test_special_token_text_is_counted_as_ordinary_text() -> None:
    assert COUNTER.count("<|endoftext|>") > 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("def f(x):\n    return x\n", 8), ("中文注释", 3), ("tiktoken is great!", 6)],
)
def test_known_counts(text: str, tokens: int) -> None:
    assert COUNTER.count(text) == tokens


def test_x35_the_ranks_need_no_network_and_no_cache_folder(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from codectx.tokens import Counter\n"
        "print(Counter().count('hello world'))"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(root), "HOME": str(tmp_path), "TIKTOKEN_CACHE_DIR": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.stdout == "2\n", run.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_factor_scales_and_rounds_up() -> None:
    assert Counter(1.25).count("hello world") == 3
    assert not Counter(2.0).fits("hello world", 3)
    with pytest.raises(ValueError, match="token factor"):
        Counter(0)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab \n\r\t中é👩\u200d🔬\u0301{}()<|>"), max_size=400), st.integers(0, 60))
def test_fits_and_prefix_agree_with_the_count(text: str, limit: int) -> None:
    assert COUNTER.fits(text, limit) == (COUNTER.count(text) <= limit)
    end = COUNTER.prefix(text, limit)
    assert COUNTER.count(text[:end]) <= limit
    assert whole_graphemes(text, end) == end


def test_a_prefix_is_as_long_as_it_can_be() -> None:
    text = "some words and more words\n" * 200
    end = COUNTER.prefix(text, 100)
    assert COUNTER.count(text[:end]) == 100


@pytest.mark.parametrize("cluster", ["👩‍🔬", "é", "\r\n", "🇨🇳", "👍🏽", "각"])
def test_no_cluster_is_torn(cluster: str) -> None:
    text = "a" + cluster + "b"
    for length in range(2, 1 + len(cluster)):
        assert whole_graphemes(text, length) == 1
    assert whole_graphemes(text, 1 + len(cluster)) == 1 + len(cluster)


def test_a_long_text_is_estimated_from_its_beginning() -> None:
    text = "some words and more words\n" * 10_000
    assert abs(COUNTER.estimate(text) - COUNTER.count(text)) < COUNTER.count(text) // 50


def test_a_thread_that_comes_second_gets_the_same_encoding() -> None:
    assert encoding() is encoding()
