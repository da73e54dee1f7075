"""Tell values made by chance (keys, good passwords) from those made by people to be read (names, examples).

``looks_random`` judges a value of which only its name is known to be secret, ``is_made_up`` one whose form
already says that it is a credential.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

MIN_LENGTH = 8
_MIN_BITS = 2.5  # Shannon entropy per character; "aaaa1111" has 1, words about 3
_MIN_BITS_LONG = 3.0  # from this many characters on:
_LONG = 12
_LETTERS_ONLY = 24  # a value without digits must be as long, and change between capitals and small letters

# Written where a secret would stand, by people who say so.
_EXAMPLE = re.compile(
    r"example|sample|change[-_ ]?(?:me|it|this)|placeholder|your|dummy|fake|mock|insert|replace|todo|fixme|redacted"
    r"|masked|x{4}|\*{3}|\.{3}|not[-_]?a[-_]?secret|foo|lorem|12345|abcdef|qwert|deadbeef|(.)\1{5}"
    r"|hidden|unset|undefined|invalid|wrong|secret|pass|token|testing|tester|test[-_\d]|[-_]test|^test",
    re.IGNORECASE,
)
_EXAMPLE_TOKEN = re.compile(
    r"example|placeholder|your[-_]|x{6}|\*{3}|\.{3}|1234567|abcdefg|0{7}|dummy|fake|redacted", re.IGNORECASE
)
# Filled in later: templates, variables, format strings, calls.
_FILLED_IN = re.compile(
    r"[\s<>]|\\[wdsSWD]|\(\?|a-z|A-Z|0-9|\$[\w{(]|\{\{|\{\w*\}|%[sdrif](?!\w)|%\(|^%\w+%$|\(\)|^[$%@]|^os\.|^process\.|^env[.\[(]|://"
)
# Names: words, joined; each may end with a short number (sha256, oauth2, v1).
_WORDS = re.compile(
    r"[-_.:/,#]*(?:[A-Za-z]+\d{0,3}|\d{1,4})(?:[-_.:/,#=+@]+(?:[A-Za-z]+\d{0,3}|\d{1,4}))*[-_.:/,#=!?]*"
)
# Parts that can be spoken, as names of types have them (Ed25519PrivateKey).
_IDENTIFIER = re.compile(r"(?![0-9a-f]+$)[A-Za-z_][\w.]*")
_WORD_LIKE = re.compile(r"(?=[A-Z]?[a-z]*[aeiouy])[A-Z]?[a-z]{2,}")


def looks_random(value: str, *, is_password: bool = False) -> bool:
    """Say whether a value of at least 8 characters looks like a secret made by chance.

    Passwords, which people make, may hold words beside digits and signs.
    """
    if len(value) < MIN_LENGTH or _FILLED_IN.search(value) or _EXAMPLE.search(value):
        return False
    if bits_per_character(value) < (_MIN_BITS_LONG if len(value) >= _LONG else _MIN_BITS):
        return False
    if _WORDS.fullmatch(value):
        return _is_mixed(value)
    has_both = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return has_both and ((is_password and not value.isalnum()) or not _is_name(value))


def is_example(value: str) -> bool:
    """Say whether a value says itself that it stands for another one."""
    return _EXAMPLE.search(value) is not None


def is_made_up(value: str) -> bool:
    """Say whether a value of a credential's form is an example: it says so, or hardly varies."""
    return bool(_EXAMPLE_TOKEN.search(value)) or len(set(value)) < min(8, len(value) // 2)


def bits_per_character(value: str) -> float:
    """Give the Shannon entropy of a value's characters."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _is_name(value: str) -> bool:
    """Say whether most of a value, or most letters of an identifier, can be spoken."""
    spoken = sum(map(len, _WORD_LIKE.findall(value)))
    letters = sum(map(str.isalpha, value)) if _IDENTIFIER.fullmatch(value) else len(value)
    return spoken * 2 >= letters


def _is_mixed(value: str) -> bool:
    """Say whether letters change between capital and small far more often than in names."""
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(value))
    return value.isalnum() and len(value) >= _LETTERS_ONLY and changes * 3 > len(value)
