"""Hold the rules that rows of the language table name because no query can say them.

Each is a small function on the text of one name.
"""

from __future__ import annotations

import re

# What C++ has and C has not, in a text that begins with a line break.
CPP_MARKS = (
    re.compile(r"std::\w"),
    re.compile(
        r"\n[ \t]*(?=[nctup#])(?:namespace\s+[\w:]+\s*\{?\s*$|namespace\s*\{|template\s*<"
        r"|class\s+[\w() ]+(?:[:;{]|\s*$)|using\s+(?:namespace\s|\w+\s*=|\w+::)"
        r"|(?:public|private|protected)\s*:\s*$|#\s*include\s*<[a-z_]+>)",
        re.MULTILINE,
    ),
)
_TYPE_NAME = re.compile(r"[A-Z][\w.']*")
_CPP_OPERATOR = re.compile(r"::\s*operator\b.*", re.DOTALL)
_CPP_ARGUMENTS = re.compile(r"<[^<>]*>")


def anything(name: str) -> bool:  # noqa: ARG001
    """Say that every name is public."""
    return True


def no_leading_underscore(name: str) -> bool:
    """Say that ``_x`` is private and ``__init__`` is not."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def capital_first(name: str) -> bool:
    """Say that ``X`` is public and ``x`` is not."""
    return name[:1].isupper()


def no_private_mark(name: str) -> bool:
    """Say that ``#x`` is private."""
    return not name.startswith("#")


def cpp_owner(text: str) -> str:
    """Read the whole name of a function defined outside: of ``a::Box<T>::get`` the owner is ``a::Box``."""
    name = _CPP_OPERATOR.sub("::operator", text)
    while (plain := _CPP_ARGUMENTS.sub("", name)) != name:
        name = plain
    return "".join(name.rpartition("::")[0].split()).removeprefix("::")


def haskell_owner(text: str) -> str:
    """Name an instance after its class and its type: ``Show.(Tree a)`` is Show.Tree."""
    class_name, _, types = text.partition(".")
    name = _TYPE_NAME.search(types)
    return f"{class_name}.{name[0]}" if name else class_name


def whole(text: str) -> str:
    """Take the whole text as code."""
    return text


def same_owner(text: str) -> str:
    """Take the owner as it is written."""
    return text


def without_arguments(text: str) -> str:
    """Take the owner without type arguments: of ``A<B>.C`` it is ``A.C``."""
    while (plain := _CPP_ARGUMENTS.sub("", text)) != text:
        text = plain
    return text


def javascript_owner(text: str) -> str:
    """Read what is assigned to: ``A.prototype`` is A, ``this`` the enclosing one, ``exports`` none."""
    for prefix in ("module.exports", "exports", "module"):
        if text == prefix or text.startswith(prefix + "."):
            return text[len(prefix) + 1 :]
    if text == "this" or text.startswith("this."):
        return "." + text[5:]
    return text.removesuffix(".prototype")
