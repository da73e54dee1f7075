"""Embed nothing: ``NoEmbedder`` stands where search goes by words alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexer.embed.protocol import Batch


class NoEmbedder:
    """Give no vectors, and no batches."""

    name = "none"
    model = ""
    dimension = 0

    def embed_texts(self, texts: Sequence[str]) -> Iterator[Batch]:  # noqa: ARG002  the protocol has it
        """Yield nothing."""
        return iter(())

    def embed_query(self, text: str) -> None:
        """Give no vector."""

    def close(self) -> None:
        """Do nothing: nothing is held."""
