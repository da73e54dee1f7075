"""Find places in code: ``Index`` holds what is known of files, ``search`` answers questions from it.

Everything is in memory and made of ``FileEntry`` values; nothing here reads files or keeps anything.
"""

from indexer.search.best_lines import best_lines, join_lines
from indexer.search.found import Confidence, Found, Hit, Vectors
from indexer.search.index import Index
from indexer.search.rank import search

__all__ = ["Confidence", "Found", "Hit", "Index", "Vectors", "best_lines", "join_lines", "search"]
