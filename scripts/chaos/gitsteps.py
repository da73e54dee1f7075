"""Change a repository as git does: ``GIT_STEPS``, by name. What git refuses, and every conflict, is left as it is."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from random import Random

from chaos.edits import Change, function
from chaos.workspace import Workspace


def commit(space: Workspace, chance: Random) -> None:
    """Commit all, or what there is to be committed."""
    if chance.random() < 0.8:
        space.git("add", "--all")
    space.git("commit", "--quiet", "--message", "x", *(["--amend"] if chance.random() < 0.2 else []))


def switch(space: Workspace, chance: Random) -> None:
    """Go to another branch, a new one at times, by force at times."""
    branches = space.told("branch", "--format=%(refname:short)")
    if chance.random() < 0.3 or len(branches) < 2:
        space.git("switch", "--quiet", "--create", f"b{chance.randrange(1000)}")
    else:
        space.git("switch", "--quiet", *(["--force"] if chance.random() < 0.5 else []), chance.choice(branches))


def past(space: Workspace, chance: Random) -> None:
    """Go to an earlier commit, without a branch."""
    space.git("checkout", "--quiet", "--force", "--detach", f"HEAD~{chance.randrange(1, 20)}")
    if chance.random() < 0.7:
        space.git("checkout", "--quiet", "--force", "-B", f"p{chance.randrange(1000)}")


def merge(space: Workspace, chance: Random) -> None:
    """Merge another branch; a conflict stays, or is given up."""
    branches = space.told("branch", "--format=%(refname:short)")
    if branches and not space.git("merge", "--quiet", "--no-edit", chance.choice(branches)):
        _given_up(space, chance, "merge")


def rebase(space: Workspace, chance: Random) -> None:
    """Rebase onto another branch; a conflict stays, or is given up."""
    branches = space.told("branch", "--format=%(refname:short)")
    if branches and not space.git("rebase", "--quiet", chance.choice(branches)):
        _given_up(space, chance, "rebase")


def cherry_pick(space: Workspace, chance: Random) -> None:
    """Take over a commit of some branch."""
    commits = space.told("log", "--all", "--format=%H", "-n", "40")
    if commits and not space.git("cherry-pick", chance.choice(commits)):
        _given_up(space, chance, "cherry-pick")


def stash(space: Workspace, chance: Random) -> None:
    """Put changes aside, or get them back."""
    if chance.random() < 0.5 and space.told("stash", "list"):
        space.git("stash", "pop", "--quiet")
    else:
        space.git("stash", "push", "--quiet", "--include-untracked")


def reset(space: Workspace, chance: Random) -> None:
    """Throw away changes, or commits."""
    space.git("reset", "--quiet", "--hard", chance.choice(["HEAD", "HEAD~1", "HEAD~5", "ORIG_HEAD"]))


def restore(space: Workspace, chance: Random) -> None:
    """Throw away the changes of one file."""
    name = space.choose(chance)
    if name is not None:
        space.git("--literal-pathspecs", "checkout", "--quiet", "HEAD", "--", name)


def clean(space: Workspace, chance: Random) -> None:
    """Delete what git does not know."""
    if chance.random() < 0.5:
        space.git("clean", "--quiet", "-d", "--force")


def remove(space: Workspace, chance: Random) -> None:
    """Take a file out of git's index, and leave it at times."""
    name = space.choose(chance)
    if name is not None:
        kept = ["--cached"] if chance.random() < 0.5 else []
        space.git("--literal-pathspecs", "rm", "--quiet", "--force", *kept, "--", name)


def worktree(space: Workspace, chance: Random) -> None:
    """Make a worktree inside of the tree, or take it away, without telling git at times."""
    where = space.root / "wt" / "tree"
    if where.exists():
        if chance.random() < 0.3:
            shutil.rmtree(where)
        space.git("worktree", "remove", "--force", str(where))
    else:
        space.git("worktree", "prune")
        space.git("worktree", "add", "--quiet", "--detach", str(where))


def nested(space: Workspace, chance: Random) -> None:
    """Make a repository inside of the repository, commit in it, or take it or only its .git away."""
    where = space.root / "nested"
    if not where.is_dir() or not (where / ".git").exists():
        if where.is_dir() or not where.exists():
            where.mkdir(exist_ok=True)
            (where / "own.py").write_text(function(chance), encoding="utf-8")
            space.git("init", "--quiet", at=where)
    elif chance.random() < 0.4:
        space.git("add", "--all", at=where)
        space.git("commit", "--quiet", "--message", "own", at=where)
    else:
        shutil.rmtree(where / ".git" if chance.random() < 0.5 else where)


def submodule(space: Workspace, chance: Random) -> None:
    """Add a submodule, or take it away."""
    where, source = space.root / "sub", space.top / "other"
    if not source.exists():
        source.mkdir()
        (source / "other.py").write_text(function(chance), encoding="utf-8")
        space.git("init", "--quiet", at=source)
        space.git("add", "--all", at=source)
        space.git("commit", "--quiet", "--message", "other", at=source)
    if where.exists():
        space.git("rm", "--quiet", "--force", "sub")
        shutil.rmtree(where, ignore_errors=True)
    else:
        space.git("submodule", "add", "--quiet", "--force", "--", str(source), "sub")


def index_flags(space: Workspace, chance: Random) -> None:
    """Tell git to take a file for unchanged, or to forget that."""
    name = space.choose(chance)
    if name is not None:
        flag = chance.choice(["--assume-unchanged", "--no-assume-unchanged", "--skip-worktree", "--no-skip-worktree"])
        space.git("update-index", flag, "--", name)


def _given_up(space: Workspace, chance: Random, what: str) -> None:
    if chance.random() < 0.8:
        space.git(what, "--abort")


GIT_STEPS: Mapping[str, Change] = {
    each.__name__: each
    for each in (
        commit, switch, past, merge, rebase, cherry_pick, stash, reset, restore, clean, remove, worktree, nested,
        submodule, index_flags,
    )
}  # fmt: skip
