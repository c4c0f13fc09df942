"""What contracts are compared with: another folder, or one as git has it, read without a checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from codegen.diagnostics import CommandError, Problem
from codegen.loading.documents import SUPPRESSIONS_SUFFIX, display_path, is_contract_file
from codegen.snapshots import ENDLESS, Snapshot, build_snapshot, read_snapshot, require_valid

DEFAULT_BRANCHES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
UPSTREAM = "upstream"
"""Stands for the commit at which this branch left the default branch of its upstream."""


class NoBase(CommandError):
    """There is nothing to compare with; the text says why."""


class NoUpstream(NoBase):
    """There is no upstream, or it has no default branch."""


def base(folder: Path, against: str, now: Snapshot | None = None) -> Snapshot:
    """The state of a contracts folder to compare with: another folder, a git ref, or where this branch began.

    Files that are the same `now` are not read again. Raises NoBase, NoUpstream and ContractProblems.
    """
    if against == UPSTREAM:
        found = of_ref(folder, merge_base(folder), now)
    elif against and Path(against).is_dir():
        found = read_snapshot(Path(against), now)
    else:
        found = of_ref(folder, against, now)
    return require_valid(found, matters_in_a_base, now)


def matters_in_a_base(problem: Problem) -> bool:
    """Whether a fault of a base stands in the way of comparing.

    Keys may be missing or unknown: the language may have been another one.
    """
    return problem.rule in {"WRONG_SHAPE", "PATTERN_INVALID", *ENDLESS}


def of_ref(folder: Path, ref: str, known: Snapshot | None = None) -> Snapshot:
    """A folder as a commit has it.

    Raises NoBase and ContractProblems.
    """
    prefix = git(folder, "rev-parse", "--show-prefix").decode().strip()
    commit = git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    listing = git(folder, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}").decode()
    blobs = {
        name: entry.split()[2] for entry, _, name in (line.partition("\t") for line in listing.split("\0") if line)
    }
    wanted = {
        name: blob for name, blob in blobs.items() if is_contract_file(name) or name.endswith(SUPPRESSIONS_SUFFIX)
    }
    return build_snapshot(ref, contents(folder, wanted), lambda name: f"{ref}:{prefix}{name}", known)


def contents(folder: Path, blobs: Mapping[str, str]) -> dict[str, bytes]:
    """The contents of files, by name, from the names of their blobs."""
    answer = git(folder, "cat-file", "--batch", said="".join(f"{blob}\n" for blob in blobs.values()))
    found: dict[str, bytes] = {}
    at = 0
    for name in blobs:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        found[name] = answer[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


def git(folder: Path, *arguments: str, said: str = "") -> bytes:
    """What git answers.

    Raises NoBase where it refuses.
    """
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, input=said.encode(), capture_output=True, check=False)  # noqa: S603 - no shell
    except OSError as error:
        raise NoBase(f"git cannot be run: {error.strerror}") from error
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise NoBase(
            f"git has no such state of {display_path(folder)}: {why or arguments[-1].removesuffix('^{commit}')}"
        )
    return done.stdout


def merge_base(folder: Path) -> str:
    """The commit at which this branch left the upstream's default branch, in twelve digits.

    Raises NoUpstream.
    """
    for branch in DEFAULT_BRANCHES:
        try:
            return git(folder, "merge-base", "HEAD", branch).decode().strip()[:12]
        except NoBase:
            continue
    raise NoUpstream(
        "there is no upstream whose default branch says what the contracts were; name a ref: --against REF"
    )
