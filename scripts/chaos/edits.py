"""Change files as people, editors and programs do: ``EDITS``, by name. What cannot be done is left undone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random

from chaos.workspace import Workspace

Change = Callable[[Workspace, Random], None]
SOURCE = (".py", ".js", ".ts", ".go", ".rb", ".rs", ".java", ".c", ".php", ".md")
NAMES = ("plain", "with blank", "it's", 'say "so"', "标题", "é", "[cut: x]", "#tag", "a,b", "-dash", "$var;", "UPPER")
WORDS = ("charge", "refund", "rotate", "upload", "invoice", "session", "token", "cache", "route", "render")


def function(chance: Random) -> str:
    """Write a function with a name of its own."""
    word, number = chance.choice(WORDS), chance.randrange(10**6)
    lines = "".join(f"    value = {word}_step(value, {n})\n" for n in range(chance.randrange(1, 12)))
    return f'\n\ndef {word}_{number}(value):\n    """Does the {word} of {number}."""\n{lines}    return value\n'


def shift(space: Workspace, chance: Random) -> None:
    """Put lines before all others, so that every range moves."""
    _rewrite(space, chance, lambda text: "\n" * chance.randrange(1, 9) + text)


def append(space: Workspace, chance: Random) -> None:
    """Put a function at the end."""
    _rewrite(space, chance, lambda text: text + function(chance), (".py",))


def cut_out(space: Workspace, chance: Random) -> None:
    """Take out some lines."""

    def without(text: str) -> str:
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        return "\n".join(lines[:at] + lines[at + chance.randrange(1, 30) :])

    _rewrite(space, chance, without)


def same_size(space: Workspace, chance: Random) -> None:
    """Change letters for others, so that the size stays; at times the time of change, too."""
    name = space.choose(chance, SOURCE)
    if name is None:
        return
    path = space.root / name
    before = path.stat()
    data = path.read_bytes()
    letters = [at for at, byte in enumerate(data[:5000]) if 97 <= byte < 122]
    if not letters:
        return
    changed = bytearray(data)
    for at in chance.sample(letters, min(8, len(letters))):
        changed[at] += 1
    with path.open("r+b") as file:
        file.write(changed)
    if chance.random() < 0.5:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def save_dance(space: Workspace, chance: Random) -> None:
    """Save as editors do: to a file beside it that takes its place, the old one a backup for a moment."""
    name = space.choose(chance, SOURCE)
    if name is None:
        return
    path = space.root / name
    beside, backup = path.with_name(f".{path.name[:60]}.swp"), path.with_name(f"{path.name[:60]}~")
    beside.write_bytes(path.read_bytes() + function(chance).encode())
    if chance.random() < 0.5:
        path.replace(backup)
        beside.replace(path)
        backup.unlink()
    else:
        beside.replace(path)


def create(space: Workspace, chance: Random) -> None:
    """Make a new file, at times with an awkward name."""
    folder = chance.choice(["", "", "new", f"deep/{chance.choice(NAMES)}/er"])
    target = space.root / folder / f"{chance.choice(NAMES)}{chance.randrange(100)}.{chance.choice(('py', 'md', 'js'))}"
    _write(target, function(chance).lstrip().encode())


def odd_content(space: Workspace, chance: Random) -> None:
    """Write what is no text, no UTF-8, empty, one long line, or broken source."""
    name = space.choose(chance)
    content = chance.choice(
        [
            b"",
            b"\0\1\2" * 400,
            "größe = 1\n".encode("latin-1"),
            b"\xff\xfea\0b\0",
            b"x" * 9000,
            b"def f(:\n  (((\n",
            b"a\r\nb\r\n",
        ]
    )
    if name is not None:
        _write(space.root / name, content)


def delete(space: Workspace, chance: Random) -> None:
    """Delete a file."""
    name = space.choose(chance)
    if name is not None:
        (space.root / name).unlink()


def delete_folder(space: Workspace, chance: Random) -> None:
    """Delete a folder that is not at the top."""
    folder = _folder(space, chance)
    if folder is not None and len(list(folder.rglob("*"))) < 60:
        shutil.rmtree(folder)


def rename(space: Workspace, chance: Random) -> None:
    """Give a file another name."""
    name = space.choose(chance)
    if name is not None:
        path = space.root / name
        path.replace(path.with_name(f"{chance.choice(NAMES)}_{chance.randrange(100)}{path.suffix}"))


def rename_case(space: Workspace, chance: Random) -> None:
    """Change only the case of a name."""
    name = space.choose(chance)
    if name is not None:
        path = space.root / name
        path.rename(path.with_name(path.name.swapcase()))


def move_folder(space: Workspace, chance: Random) -> None:
    """Move a folder to another place."""
    folder = _folder(space, chance)
    if folder is not None:
        with suppress(OSError):
            folder.rename(folder.with_name(f"moved_{chance.randrange(1000)}"))


def swap(space: Workspace, chance: Random) -> None:
    """Let two files change places."""
    one, other = space.choose(chance), space.choose(chance)
    if one and other and one != other:
        between = space.root / ".between"
        (space.root / one).replace(between)
        (space.root / other).replace(space.root / one)
        between.replace(space.root / other)


def copy_files(space: Workspace, chance: Random) -> None:
    """Copy a folder, at times with its times of change."""
    folder = _folder(space, chance)
    target = space.root / f"copy_{chance.randrange(1000)}"
    if folder is not None and not target.exists() and len(list(folder.rglob("*"))) < 60:
        shutil.copytree(folder, target, symlinks=True, copy_function=chance.choice([shutil.copy, shutil.copy2]))


def mode(space: Workspace, chance: Random) -> None:
    """Change who may run a file."""
    name = space.choose(chance)
    if name is not None:
        (space.root / name).chmod(chance.choice([0o755, 0o644, 0o600]))


def touch(space: Workspace, chance: Random) -> None:
    """Change the times of a file, to the past or the future."""
    name = space.choose(chance)
    if name is not None:
        os.utime(space.root / name, (1e9, chance.choice([1e9, 2e9, 4e9])))


def change_kind(space: Workspace, chance: Random) -> None:
    """Make a file a folder, a link or a pipe, and a link a file."""
    name = space.choose(chance)
    if name is None or name.rpartition("/")[2].startswith(".git"):  # git would wait for a pipe to be written to
        return
    path = space.root / name
    data = path.read_bytes()
    path.unlink()
    what = chance.choice(["folder", "link", "dangling", "outside", "pipe"])
    if what == "folder":
        _write(path / "inner.py", data)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        other = space.choose(chance)
        target = {"dangling": Path("nowhere"), "outside": space.top}.get(what, space.root / (other or "x"))
        path.symlink_to(target)


def ignore(space: Workspace, chance: Random) -> None:
    """Change which files are ignored."""
    name = space.choose(chance)
    if name is None:
        return
    path = Path(name)
    pattern = chance.choice([f"/{name}", f"*{path.suffix or '.x'}", f"{path.parent.name or 'x'}/", f"!{path.name}"])
    place = space.root / chance.choice(
        [".gitignore", ".codectxignore", f"{path.parent}/.gitignore", ".git/info/exclude"]
    )
    if chance.random() < 0.4:
        place.unlink(missing_ok=True)
    elif place.parent.is_dir():
        with place.open("a", encoding="utf-8") as file:
            file.write(f"{pattern}\n")


def heap(space: Workspace, chance: Random) -> None:
    """Make many small files at once, or take them away."""
    folder = space.root / "heap"
    if folder.exists():
        shutil.rmtree(folder)
        return
    for number in range(chance.choice([30, 250])):
        _write(folder / f"m{number}.py", f"def heaped_{number}(value):\n    return value + {number}\n".encode())


def _rewrite(space: Workspace, chance: Random, by: Callable[[str], str], endings: tuple[str, ...] = SOURCE) -> None:
    name = space.choose(chance, endings)
    if name is not None:
        path = space.root / name
        path.write_bytes(by(path.read_bytes().decode("latin-1")).encode("latin-1", "replace"))


def _write(path: Path, data: bytes) -> None:
    with suppress(OSError):  # a file where a folder has to be, and the other way round
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _folder(space: Workspace, chance: Random) -> Path | None:
    name = space.choose(chance)
    folder = space.root / name if name else space.root
    return None if space.root in (folder, folder.parent) else folder.parent


EDITS: Mapping[str, Change] = {
    each.__name__: each
    for each in (
        shift, append, cut_out, same_size, save_dance, create, odd_content, delete, delete_folder, rename, rename_case,
        move_folder, swap, copy_files, mode, touch, change_kind, ignore, heap,
    )
}  # fmt: skip
