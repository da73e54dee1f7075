"""Turn texts into vectors; ``choose`` gives the embedder that can be had here.

The embedders are ``minilm`` (a small model in this process), ``ollama`` (a server beside it) and ``none``. They keep
nothing: what was embedded, and whether stored vectors still fit, is for the caller to know.
"""

from indexer.embed.choose import Choice, choose
from indexer.embed.errors import DimensionMismatchError, EmbedderUnavailableError
from indexer.embed.protocol import Batch, Embedder, Refused

__all__ = ["Batch", "Choice", "DimensionMismatchError", "Embedder", "EmbedderUnavailableError", "Refused", "choose"]
