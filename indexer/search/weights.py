"""Hold the numbers of ranking that were measured; scripts/retrieval/ says how, and what each is worth."""

from __future__ import annotations

from typing import Final

# By ``Field``: name, qualifier, signature, documentation, comments, body.
FIELD_WEIGHTS: Final = (2.0, 1.0, 1.0, 1.5, 1.0, 1.0)
# How far a field's length counts, 0 not at all, 1 fully.
LENGTH_SHARES: Final = (0.3, 0.3, 0.3, 0.3, 0.6, 0.6)
STEM_WEIGHT: Final = 1.5  # of an occurrence in the file's name, for each of its chunks
FOLDER_WEIGHT: Final = 0.5  # of standing in the folders' names, once
SATURATION: Final = 1.2  # frequency at which a concept counts half of what it can at most

SOFT_WEIGHT: Final = 0.4  # of words that talk about code in general
JOINED_WEIGHT: Final = 0.6  # of two neighbouring words written as one
PROJECT_FACTOR: Final = 0.3  # of the project's own name
SAME_STEM: Final = 0.8  # alternates of a term
ABBREVIATION: Final = 0.6
TRANSLATION: Final = 0.8  # English words of a Chinese one, after the first, which counts 1
BESIDE_CHINESE: Final = 0.7  # factor of both where the Chinese word itself is known

# What each signal adds to a file's score.
SIGNALS: Final = {
    "best_chunk": 0.15,
    "best_chunks": 0.15,
    "mean_chunk": 0.15,
    "good_chunks": 0.05,
    "documentation": 0.05,
    "stem_similarity": 0.10,
    "stem_covered": 0.20,
    "symbol": 0.15,
    "defines": 0.05,
    "defines_folded": 0.05,
    "size": 0.05,
    "folder": 0.10,
    "siblings": 0.10,
    "neighbours": 0.15,
}

# Which chunk of a file is shown: its score, and how well a symbol of it is named.
SYMBOL_BONUS: Final = 0.5
DEFINITION_BONUS: Final = 1.0
FOLDED_BONUS: Final = 0.7
