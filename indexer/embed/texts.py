"""Prepare texts for a model: ``prepared`` makes them fit to be sent, ``prefixes_of`` gives what a model wants in front.

Changes here change vectors: raise ``TEXT_VERSION`` with them.
"""

from __future__ import annotations

TEXT_VERSION = 1
MAX_CHARACTERS = 4000  # about 1,500 tokens of code; nomic-embed-text is run with 2,048

# (beginning of the model's name, before a text to be found, before a question); the longest that fits decides
_TO_FIND = "Represent this sentence for searching relevant passages: "
_PREFIXES = (
    ("nomic-embed-text", "search_document: ", "search_query: "),
    ("nomic-embed-code", "", "Represent this query for searching relevant code: "),
    ("mxbai-embed", "", _TO_FIND),
    ("snowflake-arctic-embed", "", _TO_FIND),
    ("snowflake-arctic-embed2", "", "query: "),
    ("bge-large", "", _TO_FIND),
    ("bge-base", "", _TO_FIND),
    ("bge-small", "", _TO_FIND),
    ("e5-", "passage: ", "query: "),
    ("multilingual-e5", "passage: ", "query: "),
    ("embeddinggemma", "title: none | text: ", "task: code retrieval | query: "),
    ("qwen3-embedding", "", "Instruct: Given a question, retrieve the code that answers it\nQuery: "),
)


def prepared(text: str) -> str:
    """Give the text as a model gets it: at most ``MAX_CHARACTERS``, valid Unicode; empty if it is blank."""
    return text.strip()[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def prefixes_of(model: str) -> tuple[str, str]:
    """Give what this model expects before a text to be found, and before a question."""
    bare = model.rpartition("/")[2].lower()
    known = [row for row in _PREFIXES if bare.startswith(row[0])]
    _, text, question = max(known, key=lambda row: len(row[0]), default=("", "", ""))
    return text, question
