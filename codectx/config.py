"""Find the value of each setting: flag, else environment, else project file, else user file, else default.

``load`` gives the ``Config`` that tools see, ``resolve`` each value with its origin. Whatever is wrong in a file, an
environment variable or a flag is an error that names the place. Reads files only; the environment is handed in.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codectx.errors import UserError, invalid_argument
from codectx.settings import SETTINGS, Setting, settings
from codectx.tool import nearest
from indexer.errors import NotRegularFileError, UnreadableFileError
from indexer.files import MissingFileError, OutsideRootError, open_file

PROJECT_FILE = "codectx.toml"
SMALL_LIMIT = 1200  # tokens; below it agents need more calls than the limit saves (800 cost more than 2000)
_MAX_FILE = 256_000  # bytes
# The time to read a key grows with the square of its parts.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""", re.ASCII)
_PREFIX = "CODECTX_"
_DEFAULTS = {setting.key: setting.default for setting in SETTINGS}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Config:
    """Hold the settings of one run.

    Attributes:
        limits: configured limits by tool, in tokens; a tool that is missing keeps its own.
        token_factor: scales token counts.
        secrets_allow: patterns of secret files that may be shown.
        index_include: patterns of the only files to index; empty for all.
        index_exclude: patterns of files not to index.
        embedder: ``auto``, ``ollama``, ``minilm`` or ``none``.
        embedder_model: the model that Ollama embeds with.
        ollama_url: where Ollama listens.
        store_uri: where the index lies; empty for the user's cache folder.
        store_project: the project's name in a store on another machine; empty for the one that its clones share.
        grep_seconds: time limit of one grep.
    """

    limits: Mapping[str, int] = field(default_factory=dict)
    token_factor: float = _DEFAULTS["tokens.factor"]
    secrets_allow: tuple[str, ...] = _DEFAULTS["secrets.allow"]
    index_include: tuple[str, ...] = _DEFAULTS["index.include"]
    index_exclude: tuple[str, ...] = _DEFAULTS["index.exclude"]
    embedder: str = _DEFAULTS["embedder.name"]
    embedder_model: str = _DEFAULTS["embedder.model"]
    ollama_url: str = _DEFAULTS["ollama.url"]
    store_uri: str = _DEFAULTS["store.uri"]
    store_project: str = _DEFAULTS["store.project"]
    grep_seconds: float = _DEFAULTS["grep.seconds"]


@dataclass(frozen=True, slots=True)
class Value:
    """Hold the value of one setting and where it comes from: a file, a variable, ``--set`` or ``default``."""

    setting: Setting
    value: Any
    origin: str = "default"


def load(root: Path, tools: Mapping[str, int], environment: Mapping[str, str], flags: tuple[str, ...] = ()) -> Config:
    """Give the configuration for a project root; arguments as for ``resolve``."""
    values = {value.setting.key: value for value in resolve(root, tools, environment, flags)}
    _warn_of_small_limits(values, tools)
    plain = {key: value.value for key, value in values.items()}
    return Config(
        limits={name: plain[f"limits.{name}"] for name in tools if values[f"limits.{name}"].origin != "default"},
        token_factor=plain["tokens.factor"],
        secrets_allow=plain["secrets.allow"],
        index_include=plain["index.include"],
        index_exclude=plain["index.exclude"],
        embedder=plain["embedder.name"],
        embedder_model=plain["embedder.model"],
        ollama_url=plain["ollama.url"],
        store_uri=plain["store.uri"],
        store_project=plain["store.project"],
        grep_seconds=plain["grep.seconds"],
    )


def resolve(
    root: Path, tools: Mapping[str, int], environment: Mapping[str, str], flags: tuple[str, ...] = ()
) -> tuple[Value, ...]:
    """Give every setting with its value and origin, in the order of the table.

    Args:
        root: the project root, where ``codectx.toml`` or ``pyproject.toml`` may lie.
        tools: the tools by name, with their default limits.
        environment: the process's environment.
        flags: ``KEY=VALUE`` each, from ``--set``.

    Raises:
        UserError: invalid_argument or unreadable, naming the file, variable or flag and the key.
    """
    table = settings(tools)
    found = {key: Value(setting, setting.default) for key, setting in table.items()}
    user = user_file(environment)
    found |= _from_file(table, str(user), _read_toml(user, str(user)) or {}, private=True)
    found |= _from_project(table, root)
    found |= _from_environment(table, environment)
    found |= _from_flags(table, flags)
    return tuple(found.values())


def user_file(environment: Mapping[str, str]) -> Path:
    """Give the place of the user's own configuration, whether or not it exists."""
    xdg = environment.get("XDG_CONFIG_HOME", "")
    if Path(xdg).is_absolute():
        return Path(xdg) / "codectx" / "config.toml"
    from platformdirs import user_config_path

    return user_config_path("codectx", appauthor=False) / "config.toml"


def _from_project(table: Mapping[str, Setting], root: Path) -> dict[str, Value]:
    own = _read_toml(root / PROJECT_FILE, PROJECT_FILE, root)
    shared = _read_toml(root / "pyproject.toml", "pyproject.toml", root, only_with=b"codectx")
    section = (shared or {}).get("tool", {}).get("codectx") if isinstance((shared or {}).get("tool"), dict) else None
    if own is not None:
        if section is not None:
            logger.warning("[tool.codectx] in pyproject.toml is not used, because there is a %s", PROJECT_FILE)
        return _from_file(table, PROJECT_FILE, own, private=False)
    if section is None:
        return {}
    if not isinstance(section, dict):
        raise invalid_argument(
            "pyproject.toml: tool.codectx is not a table", "write [tool.codectx.limits] and the like"
        )
    return _from_file(table, "pyproject.toml", section, private=False)


def _from_file(
    table: Mapping[str, Setting], origin: str, data: Mapping[str, Any], *, private: bool
) -> dict[str, Value]:
    found = {}
    tables = {key.split(".")[0] for key in table}
    for name, content in data.items():
        if name in tables and not isinstance(content, dict):
            raise invalid_argument(f"{origin}: {name} is not a table", f"write [{name}]")
        for key, value in content.items() if name in tables else [("", None)]:
            setting = _setting(table, f"{name}.{key}" if key else name, origin)
            if setting.private and not private:
                raise invalid_argument(
                    f"{origin}: {setting.key} is not taken from a project's files, as it decides where code is sent",
                    f"set {setting.env} or write it into your own configuration",
                )
            found[setting.key] = Value(setting, _checked(setting.check, value, origin), origin)
    return found


def _from_environment(table: Mapping[str, Setting], environment: Mapping[str, str]) -> dict[str, Value]:
    found = {}
    variables = {setting.env: setting for setting in table.values()}
    for name, text in environment.items():
        if name in variables and text:
            setting = variables[name]
            found[setting.key] = Value(setting, _checked(setting.parse, text, name), name)
        elif name.startswith(_PREFIX) and name not in variables and (near := nearest(name, variables)):
            # Other variables of this prefix may be somebody else's; one like ours is a mistake worth a word.
            logger.warning("%s is no setting; did you mean %s?", name, near)
    return found


def _from_flags(table: Mapping[str, Setting], flags: tuple[str, ...]) -> dict[str, Value]:
    found = {}
    for flag in flags:
        key, equals, text = flag.partition("=")
        if not equals:
            raise invalid_argument(f"--set {flag} has no value", "write --set KEY=VALUE")
        setting = _setting(table, key.strip(), "--set")
        found[setting.key] = Value(setting, _checked(setting.parse, text, "--set"), "--set")
    return found


def _setting(table: Mapping[str, Setting], key: str, origin: str) -> Setting:
    if key not in table:
        near = nearest(key, table)
        hint = f"did you mean {near}?" if near else "`codectx config` lists them all"
        raise invalid_argument(f"{origin}: there is no setting {key[:60]}", hint)
    return table[key]


def _checked(check: Any, value: Any, origin: str) -> Any:
    try:
        return check(value)
    except UserError as error:
        raise UserError(error.category, f"{origin}: {error.what}", error.remedy) from None


def _read_toml(path: Path, name: str, root: Path | None = None, only_with: bytes = b"") -> dict[str, Any] | None:
    """Read a TOML file, None if there is none or it lacks ``only_with``; ``name`` stands in errors.

    With a root, a link that leads out of it is not followed.
    """
    try:
        data = _bytes(path, name, root)
    except (MissingFileError, NotRegularFileError):
        return None
    except OutsideRootError:
        if only_with:  # it is another tool's file, and likely says nothing to us
            logger.warning("%s is a link out of the project, and is not read", name)
            return None
        raise UserError("outside_root", f"{name} is a link out of the project", "put the file itself there") from None
    except UnreadableFileError as error:
        raise UserError("unreadable", str(error)) from None
    if only_with not in data:
        return None
    if len(data) > _MAX_FILE:
        raise UserError("unsupported", f"{name} is larger than {_MAX_FILE} bytes")
    import tomllib

    try:
        text = data.decode("utf-8-sig")
        if long := _LONG_KEY.search(text):
            line = text.count("\n", 0, long.start()) + 1
            raise invalid_argument(f"{name}, line {line}: a key has too many parts", "mend the file")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise invalid_argument(f"{name}, line {line}: not UTF-8", "save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, or a number or nesting beyond its means
        place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = int(place[1]) if place else data.rstrip(b"\n").count(b"\n") + 1
        reason = re.sub(r" \(at [^)]*\)$", "", str(error))
        raise invalid_argument(f"{name}, line {line}: {reason}", "mend the file") from None


def _bytes(path: Path, name: str, root: Path | None) -> bytes:
    """Read one byte more than may be read, if there are so many."""
    roots = () if root is None else (Path(os.path.realpath(root)),)
    # Said of every link that leads out, whether or not anything is there.
    if roots and not Path(os.path.realpath(path)).is_relative_to(roots[0]):
        raise OutsideRootError(name)
    with open_file(path, name, roots=roots) as file:
        try:
            return file.read(_MAX_FILE + 1)
        except OSError as error:
            raise UnreadableFileError(name, error.strerror or "") from None


def _warn_of_small_limits(values: Mapping[str, Value], tools: Mapping[str, int]) -> None:
    small = [
        f"{key} = {value.value}"
        for name, limit in tools.items()
        if (value := values[(key := f"limits.{name}")]).value < SMALL_LIMIT <= limit
    ]
    if small:
        logger.warning("%s: limits below %d cost more calls than they save", ", ".join(small), SMALL_LIMIT)
