"""Embed chunks when a bench first asks for them: ``OnDemand``, so that no repository need be embedded as a whole.

The product never does so. Vectors are kept by the digest of the chunk's text in one file a repository.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from indexer.embed.minilm import MiniLm
from indexer.entries import entry_of, texts_to_embed
from indexer.search import Index
from indexer.search.found import Vector
from indexer.text import decode


class OnDemand:
    """Give MiniLM vectors of an index's chunks."""

    def __init__(self, index: Index, root: Path, cache: Path | None, *, name: str) -> None:
        self.root = root
        self.model = MiniLm()
        self.where = {
            chunk.digest: path
            for segment in index.segments
            for path, first, last in zip(segment.paths, segment.chunk_starts, segment.chunk_starts[1:], strict=False)
            for chunk in (segment.chunks[place] for place in range(first, last))
        }
        self.kept = cache / f"{name}.minilm.npz" if cache else None
        self.known: dict[bytes, Vector | None] = {}
        self.questions: dict[str, Vector | None] = {}
        self.texts: dict[bytes, str] = {}
        self.read: set[str] = set()
        self.embedded = 0
        if self.kept is not None and self.kept.exists():
            with np.load(self.kept) as file:
                digests = (bytes(digest) for digest in file["digests"])
                self.known = dict(zip(digests, file["vectors"].astype(np.float32), strict=True))

    def query_vector(self, text: str) -> Vector | None:
        """Return the vector of a question."""
        if text not in self.questions:
            self.questions[text] = self.model.embed_query(text)
        return self.questions[text]

    def vectors_of(self, digests: Sequence[bytes]) -> Vector:
        """Return one row a digest; what is not known is embedded now."""
        for digest in digests:
            if digest not in self.known:
                self.known[digest] = self._embedded(digest)
        nothing = np.full(self.model.dimension, np.nan, np.float32)
        rows = [vector if (vector := self.known[digest]) is not None else nothing for digest in digests]
        return np.stack(rows) if rows else np.zeros((0, self.model.dimension), np.float32)

    def nearest(self, vector: Vector, n: int) -> list[tuple[bytes, float]]:
        """Return the nearest of the chunks that are embedded so far."""
        known = {digest: row for digest, row in self.known.items() if row is not None and digest in self.where}
        if not known:
            return []
        cosines = np.stack(list(known.values())) @ vector
        digests = list(known)
        return [(digests[place], float(cosines[place])) for place in np.argsort(-cosines, kind="stable")[:n]]

    def embed_all(self) -> None:
        """Embed every chunk, so that ``nearest`` is true."""
        self.vectors_of(list(self.where))

    def save(self) -> None:
        """Keep what is embedded."""
        if self.kept is None:
            return
        rows = {digest: vector for digest, vector in self.known.items() if vector is not None}
        if rows:
            np.savez(
                self.kept,
                digests=np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1),
                vectors=np.stack(list(rows.values())).astype(np.float16),
            )

    def _embedded(self, digest: bytes) -> Vector | None:
        path = self.where.get(digest)
        if path is None:
            return None
        if path not in self.read:
            self.read.add(path)
            text = decode((self.root / path).read_bytes(), path).text
            entry = entry_of(path, text, "")
            made = texts_to_embed(path, text, entry)
            self.texts |= {chunk.digest: each for chunk, each in zip(entry.chunks, made, strict=True)}
        text = self.texts.get(digest, "")
        self.embedded += bool(text)
        return self.model.embed_query(text) if text else None
