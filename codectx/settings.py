"""Name every setting once: its key, environment variable, type, default, bounds and help.

``settings(tools)`` gives the whole table, one limit for each tool included; files, environment, flags, help and
documentation are all read through it. What the values are is ``codectx.config``'s business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from codectx.errors import UserError, invalid_argument
from codectx.tool import HARD_MAX_TOKENS, MIN_TOKENS
from indexer.locations import shown

EMBEDDERS = ("auto", "ollama", "minilm", "none")
STORES = ("s3", "gs", "az", "db")  # the remote kinds of location
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Setting:
    """Describe one setting.

    Attributes:
        key: ``table.name``, as in ``codectx.toml`` and ``--set``.
        env: its environment variable.
        type: of its value; ``list`` means texts, in the environment separated by commas.
        default: its value where nobody sets it.
        help: what it does, in one line.
        minimum: of a number, and
        maximum: likewise, both included.
        choices: the only texts allowed.
        form: of a text that is an address.
        private: not taken from a project's files, because it decides where the user's code is sent.
    """

    key: str
    env: str
    type: type
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    form: Literal["", "url", "store"] = ""
    private: bool = False

    def parse(self, text: str) -> Any:
        """Give the value that a text from the environment or a flag stands for, checked."""
        value: Any = text
        if self.type is list:
            value = [part.strip() for part in text.split(",") if part.strip()]
        elif self.type is not str:
            try:
                value = self.type(text)
            except ValueError:
                raise self._wrong(text) from None
        return self.check(value)

    def check(self, value: Any) -> Any:
        """Give a value from a file in the setting's own type, or raise invalid_argument without an origin."""
        if self.type is list:
            if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
                raise self._wrong(value)
            return tuple(value)
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.type) or isinstance(value, bool) or not self._in_bounds(value):
            raise self._wrong(value)
        if (self.choices and value not in self.choices) or not self._well_formed(value):
            raise self._wrong(value)
        return value

    @property
    def takes(self) -> str:
        """Say what values it takes."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.form == "url":
            return "an address that begins with http:// or https://"
        if self.form == "store":
            return f"an absolute path, or a location that begins with {', '.join(s + '://' for s in STORES)}"
        kind = {int: "a whole number", float: "a number", list: "a list of texts"}.get(self.type, "a text")
        return kind if self.minimum is None else f"{kind} from {self.minimum:g} to {self.maximum:g}"

    def _in_bounds(self, value: Any) -> bool:
        return self.minimum is None or self.maximum is None or bool(self.minimum <= value <= self.maximum)

    def _well_formed(self, value: Any) -> bool:
        if self.form == "url":
            return value.lower().startswith(("http://", "https://")) and not re.search(r"\s", value)
        if self.form == "store" and value:
            scheme = _SCHEME.match(value)
            return scheme[1].lower() in STORES if scheme else PurePath(value).is_absolute() or value.startswith("~/")
        return self.type is not str or bool(value) or not self.default

    def _wrong(self, value: Any) -> UserError:
        told = shown(str(value)) if self.form else str(value)
        return invalid_argument(f"{self.key} is {told[:60]}", f"it takes {self.takes}")


SETTINGS = (
    Setting(
        "tokens.factor",
        "CODECTX_TOKENS_FACTOR",
        float,
        1.0,
        "scales token counts, for models whose tokenizer needs more tokens than o200k",
        minimum=0.1,
        maximum=10,
    ),
    Setting("grep.seconds", "CODECTX_GREP_SECONDS", float, 10.0, "time limit of one grep", minimum=0.1, maximum=60),
    Setting("secrets.allow", "CODECTX_SECRETS_ALLOW", list, (), "patterns of secret files that may be shown"),
    Setting("index.include", "CODECTX_INDEX_INCLUDE", list, (), "patterns of the only files to index"),
    Setting("index.exclude", "CODECTX_INDEX_EXCLUDE", list, (), "patterns of files not to index"),
    Setting("embedder.name", "CODECTX_EMBEDDER", str, "auto", "what turns text into vectors", choices=EMBEDDERS),
    Setting("embedder.model", "CODECTX_EMBEDDER_MODEL", str, "nomic-embed-text", "the model that Ollama embeds with"),
    Setting(
        "ollama.url",
        "CODECTX_OLLAMA_URL",
        str,
        "http://127.0.0.1:11434",
        "where Ollama listens",
        form="url",
        private=True,
    ),
    Setting(
        "store.uri",
        "CODECTX_STORE_URI",
        str,
        "",
        "where the index lies, if not in the user's cache folder",
        form="store",
        private=True,
    ),
    Setting(
        "store.project",
        "CODECTX_STORE_PROJECT",
        str,
        "",
        "the project's name in a store on another machine, if clones have no address in common",
        private=True,
    ),
)


def settings(tools: Mapping[str, int]) -> dict[str, Setting]:
    """Give all settings by key; ``tools`` names the tools and their default limits."""
    table = [
        Setting(
            f"limits.{name}",
            f"CODECTX_LIMIT_{name.upper()}",
            int,
            limit,
            f"limit of an answer of {name}, in tokens",
            minimum=MIN_TOKENS,
            maximum=HARD_MAX_TOKENS,
        )
        for name, limit in tools.items()
    ]
    return {setting.key: setting for setting in (*table, *SETTINGS)}
