"""Load the base of a comparison: another folder, or a git commit without a checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from toolaccord_codegen.diagnostics import CommandError, Problem
from toolaccord_codegen.loading.documents import ACCEPTED_SUFFIX, display_path, is_contract_file
from toolaccord_codegen.snapshots import (
    PROTO_SUFFIX,
    UNRESOLVABLE,
    Snapshot,
    build_snapshot,
    read_snapshot,
    require_valid,
)

DEFAULT_BRANCHES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
UPSTREAM = "upstream"
"""Stands for the commit at which this branch left the default branch of its upstream."""


_NO_UPSTREAM = """\
nothing is compared, because this clone does not know where the branch left the upstream; name a ref (--against REF), or:
  git fetch --unshallow origin
  git remote set-head origin --auto"""


class NoBase(CommandError):
    """The base of a comparison cannot be read. The text has the reason."""


class NoUpstream(NoBase):
    """There is no upstream, it has no default branch, or the clone is too shallow."""


def read_base(folder: Path, against: str, now: Snapshot | None = None) -> Snapshot:
    """Read the base of a contracts folder: another folder, a git ref, or the upstream.

    Files that are equal in *now* are not parsed again. Raises NoBase, NoUpstream and ContractProblems.
    """
    if against == UPSTREAM:
        found = _read_commit(folder, merge_base(folder), now)
    elif against and Path(against).is_dir():
        found = read_snapshot(Path(against), now)
    else:
        found = _read_commit(folder, against, now)
    return require_valid(found, prevents_comparison, now)


def merge_base(folder: Path) -> str:
    """Return the commit at which this branch left the upstream's default branch.

    It has twelve digits. Raises NoUpstream.
    """
    for branch in DEFAULT_BRANCHES:
        try:
            return _run_git(folder, "merge-base", "HEAD", branch).decode().strip()[:12]
        except NoBase:
            continue
    raise NoUpstream(_NO_UPSTREAM)


def _run_git(folder: Path, *arguments: str, stdin: str = "") -> bytes:
    """Run git in a folder and return its output. Raises NoBase if it fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, input=stdin.encode(), capture_output=True, check=False)  # noqa: S603 - no shell
    except OSError as error:
        raise NoBase(f"git cannot be run: {error.strerror}") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        if not reason:
            ref = arguments[-1].removesuffix("^{commit}")
            raise NoBase(f'git has no commit "{ref}"; name a branch, a tag or a commit, or a folder')
        raise NoBase(f"git cannot read {display_path(folder)} at this ref: {reason}")
    return done.stdout


def prevents_comparison(problem: Problem) -> bool:
    """Return True if a problem of the base prevents a comparison: a schema of unknown meaning.

    Missing and unknown keys around schemas do not, because the base may use another version of the contract language.
    """
    return problem.rule in {"WRONG_SHAPE", "PATTERN_INVALID", "KEYWORD_DROPPED", "UNKNOWN_KEYWORD", *UNRESOLVABLE}


def _read_commit(folder: Path, ref: str, known: Snapshot | None = None) -> Snapshot:
    """Read a folder as a commit has it. Raises NoBase and ContractProblems."""
    prefix = _run_git(folder, "rev-parse", "--show-prefix").decode().strip()
    verify = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    commit = _run_git(folder, *verify).decode().strip()
    listing = _run_git(folder, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}").decode()
    entries = (line.partition("\t") for line in listing.split("\0") if line)
    blobs = {name: entry.split()[2] for entry, _, name in entries}
    documents = {name for name in blobs if is_contract_file(name) or name.endswith(ACCEPTED_SUFFIX)}

    def read(names: Collection[str]) -> dict[str, bytes]:
        return _read_blobs(folder, {name: blobs[name] for name in blobs if name in names})

    def read_attachments(names: Collection[str]) -> dict[str, bytes]:
        return read({*names, *(name for name in blobs if name.endswith(PROTO_SUFFIX) and name.count("/") == 1)})

    return build_snapshot(ref, read(documents), lambda name: f"{ref}:{prefix}{name}", known, read_attachments)


def _read_blobs(folder: Path, blobs: Mapping[str, str]) -> dict[str, bytes]:
    """Return the contents of files by name, given the hashes of their blobs."""
    if not blobs:
        return {}
    output = _run_git(folder, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in blobs.values()))
    found: dict[str, bytes] = {}
    position = 0
    for name in blobs:
        end = output.index(b"\n", position)
        size = int(output[position:end].split()[2])
        found[name] = output[end + 1 : end + 1 + size]
        position = end + size + 2
    return found
