"""Embed with a model of an Ollama server: ``OllamaEmbedder``.

Texts go out in batches; a batch that is rejected is halved until the texts at fault stand alone, and these are
shortened or refused, so that one text never costs the others their vectors.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.embed.address import Address
from indexer.embed.errors import DimensionMismatchError, EmbedderUnavailableError
from indexer.embed.ollama_client import Fault, OllamaClient, RejectedError
from indexer.embed.probe import START, full_name
from indexer.embed.protocol import Batch, Refused
from indexer.embed.texts import TEXT_VERSION, prefixes_of, prepared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


READ_SECONDS = 60.0
QUERY_SECONDS = 5.0  # somebody waits

_BATCH = 32  # texts
_PAUSES = (0.5, 2.0)  # seconds before a batch is tried again
_PART_PAUSES = (0.5,)  # the same for a part of a batch that failed
_SHORTEST = 32  # characters below which a text is not shortened further
_MOST_UNCLEAR = 4  # texts refused in a row for no clear reason, before the server is looked at
_HARMLESS = "read a file"


class OllamaEmbedder:
    """Embed by a server; nothing is sent before the first text.

    Args:
        url: where the server is.
        model: as Ollama calls it.
        digest: beginning of the model's digest, where known.
        read_seconds: how long one batch may take.
        query_seconds: how long a question may take.
        pause: waits that many seconds before another try.
    """

    name = "ollama"

    def __init__(
        self,
        url: str,
        model: str,
        *,
        digest: str = "",
        read_seconds: float = READ_SECONDS,
        query_seconds: float = QUERY_SECONDS,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        address = Address.of(url)
        self.model = f"{full_name(model)}@{digest or 'unknown'};text {TEXT_VERSION}"
        self.dimension: int | None = None
        self._before_text, self._before_question = prefixes_of(model)
        self._learnt = _Learnt()
        self._texts = OllamaClient(address, model, read_seconds, pause)
        self._questions = OllamaClient(address, model, query_seconds, pause)

    def embed_texts(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Yield vectors batch by batch; blank texts, and those the model fails on, are refused."""
        from indexer.embed.vectors import batch_of

        start = 0
        while start < len(texts):
            group = range(start, min(start + self._learnt.size, len(texts)))
            start = group.stop
            run = _Run(self._texts, self._learnt, self._before_text, _PAUSES)
            failure = run.embed({position: prepared(texts[position]) for position in group})
            found = self._of_one_length(run)
            if failure is None:
                yield batch_of(found, run.refused, self.dimension or 0)
                continue
            if found:  # of a batch that broke off midway; its refusals may have been the server's fault
                yield batch_of(found, [], self.dimension or 0)
            raise failure

    def embed_query(self, text: str) -> NDArray[np.float32] | None:
        """Give the vector of a question, None if it is blank or the model fails on it; one more try at most."""
        run = _Run(self._questions, self._learnt, self._before_question, (0.0,))  # a connection kept may be a dead one
        failure = run.embed({0: prepared(text)})
        if failure is not None:
            raise failure
        return self._of_one_length(run).get(0)

    def close(self) -> None:
        """Close the connections."""
        self._texts.close()
        self._questions.close()

    def _of_one_length(self, run: _Run) -> dict[int, NDArray[np.float32]]:
        """Refuse vectors of another length than the rest; if all are, the model is another one."""
        lengths = Counter(len(vector) for vector in run.found.values())
        if not lengths:
            return {}
        (usual, _) = lengths.most_common(1)[0]
        if self.dimension is None:
            self.dimension = usual
        if self.dimension not in lengths:
            raise DimensionMismatchError(self.model, self.dimension, usual)
        for position, vector in run.found.items():
            if len(vector) != self.dimension:
                run.refused.append(Refused(position, f"the model gave {len(vector)} numbers, not {self.dimension}"))
        return {position: vector for position, vector in run.found.items() if len(vector) == self.dimension}


@dataclass(slots=True)
class _Learnt:
    """Hold what earlier requests have shown of the server; this lasts from one call to the next."""

    size: int = _BATCH  # texts that it manages in the time there is
    embeds: bool = False
    unclear: int = 0  # texts refused in a row for no clear reason


class _Run:
    """Collect what becomes of the texts of one batch, by position."""

    def __init__(self, client: OllamaClient, learnt: _Learnt, prefix: str, pauses: Sequence[float]) -> None:
        self._client = client
        self._learnt = learnt
        self._prefix = prefix
        self._pauses = pauses
        self.found: dict[int, NDArray[np.float32]] = {}
        self.refused: list[Refused] = []

    def embed(self, texts: Mapping[int, str]) -> EmbedderUnavailableError | None:
        """Fill ``found`` and ``refused``; give the error that ended it before all texts were in one of them."""
        self.refused += [Refused(position, "the text is blank") for position, text in texts.items() if not text]
        asked = {position: text for position, text in texts.items() if text}
        try:
            if asked:
                self._embed(asked, self._pauses)
        except EmbedderUnavailableError as error:
            return error
        return None

    def _embed(self, texts: dict[int, str], pauses: Sequence[float]) -> None:
        from indexer.embed.vectors import unit

        try:
            rows = self._client.rows([self._prefix + text for text in texts.values()], pauses)
        except RejectedError as error:
            self._part(texts, error)
            return
        self._learnt.embeds, self._learnt.unclear = True, 0
        for position, row in zip(texts, rows, strict=True):
            vector = unit(row)
            if isinstance(vector, str):
                self.refused.append(Refused(position, vector))
            else:
                self.found[position] = vector

    def _part(self, texts: dict[int, str], error: RejectedError) -> None:
        """Try halves of a rejected batch, then half of a text that is too long, else refuse the text."""
        if len(texts) > 1:
            places = list(texts)
            middle = len(places) // 2
            if error.fault is Fault.SLOW:
                self._learnt.size = min(self._learnt.size, middle)
            for part in (places[:middle], places[middle:]):
                self._embed({place: texts[place] for place in part}, _PART_PAUSES)
            return
        ((position, text),) = texts.items()
        if error.fault is Fault.SLOW:
            what = f"Ollama at {self._client.address} is too slow: {error.words}"
            raise EmbedderUnavailableError(what, "try again, or set a smaller model") from error
        if error.fault is Fault.TOO_LONG and len(text) > _SHORTEST:
            self._embed({position: text[: len(text) // 2]}, _PART_PAUSES)
            return
        if error.fault is not Fault.NOT_A_NUMBER:  # even too long is no fault of a text this short
            self._check_server(error)
        self.refused.append(Refused(position, f"{error.fault.value} ({error.words})"))

    def _check_server(self, error: RejectedError) -> None:
        """Find out whether a text or the server was at fault, by a text that every model can embed."""
        self._learnt.unclear += 1
        if self._learnt.embeds and self._learnt.unclear < _MOST_UNCLEAR:
            return
        try:
            self._client.rows([self._prefix + _HARMLESS], _PART_PAUSES)
        except RejectedError:
            what = f"Ollama at {self._client.address} fails on every text ({error.words})"
            raise EmbedderUnavailableError(what, START) from error
        self._learnt.embeds, self._learnt.unclear = True, 0
