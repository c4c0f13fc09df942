"""A contracts folder at one moment: as it lies on the disk, or as git has it, read without a checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codegen import metaschema
from codegen.acceptance import room_of
from codegen.breaking.places import Place
from codegen.compile import DIALECTS, is_shared, named_dialects
from codegen.documents import (
    ACCEPTED,
    OWN_CONTRACTS,
    Document,
    accepted_files,
    decoded,
    is_contract_file,
    json_files,
    shown_path,
)
from codegen.problems import ContractProblems, Problem
from codegen.references import Library

DEFAULT_BRANCHES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")


UPSTREAM = "upstream"
"""Stands for the commit at which this branch left the default branch of its upstream."""


class NoBase(Exception):
    """There is nothing to compare with; the text says why."""


class NoUpstream(NoBase):
    """There is no upstream, or it has no default branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Contracts that can be read, whether or not they are free of faults."""

    name: str
    rooms: Mapping[str, Document]
    """The contracts, by their path in the folder."""
    library: Library
    dialects: Mapping[str, tuple[Place, Any]]
    accepted: Mapping[str, Document]
    """What is accepted, by the path of the contract that it lies beside."""


def base(folder: Path, against: str) -> Snapshot:
    """The state of a contracts folder to compare with: another folder, a git ref, or where this branch began.

    Raises NoBase, NoUpstream and ContractProblems.
    """
    if against == UPSTREAM:
        return of_ref(folder, merge_base(folder))
    return of_folder(Path(against)) if against and Path(against).is_dir() else of_ref(folder, against)


def of_folder(folder: Path) -> Snapshot:
    """A folder as it lies on the disk.

    Raises ContractProblems where a file is no JSON.
    """
    names = [*json_files(folder), *accepted_files(folder)]
    files = {name: (folder / name).read_bytes() for name in names}
    return snapshot(shown_path(folder), files, lambda name: shown_path(folder / name))


def sound(folder: Path) -> Snapshot:
    """A folder as it lies on the disk, of which every contract is at least of the right shape.

    Raises ContractProblems.
    """
    found = of_folder(folder)
    problems = [problem for document in found.rooms.values() for problem in metaschema.faults(document)]
    if problems:
        raise ContractProblems(problems)
    return found


def of_ref(folder: Path, ref: str) -> Snapshot:
    """A folder as a commit has it.

    Raises NoBase and ContractProblems.
    """
    prefix = git(folder, "rev-parse", "--show-prefix").decode().strip()
    commit = git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    listing = git(folder, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}").decode()
    blobs = {
        name: entry.split()[2] for entry, _, name in (line.partition("\t") for line in listing.split("\0") if line)
    }
    wanted = {name: blob for name, blob in blobs.items() if is_contract_file(name) or name.endswith(ACCEPTED)}
    return snapshot(ref, contents(folder, wanted), lambda name: f"{ref}:{prefix}{name}")


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
        raise NoBase(f"git has no such state of {shown_path(folder)}: {why or arguments[-1].removesuffix('^{commit}')}")
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


def snapshot(name: str, files: Mapping[str, bytes], shown: Callable[[str], str]) -> Snapshot:
    """What the files of a folder say.

    Raises ContractProblems where one is no JSON.
    """
    problems: list[Problem] = []
    own = {} if DIALECTS in files else {DIALECTS: (OWN_CONTRACTS / DIALECTS).read_bytes()}
    read = {path: decoded(content, path, shown(path), problems) for path, content in {**own, **files}.items()}
    documents = {path: document for path, document in read.items() if document}
    if problems:
        raise ContractProblems(problems)
    rooms = {path: document for path, document in documents.items() if path.count("/") == 1 and is_contract_file(path)}
    shared = {path: document for path, document in documents.items() if is_shared(path)}
    return Snapshot(
        name=name,
        rooms=rooms,
        library=Library({**shared, **rooms}),
        dialects=dialects(documents[DIALECTS]),
        accepted={room_of(document): document for path, document in documents.items() if path.endswith(ACCEPTED)},
    )


def dialects(document: Document) -> dict[str, tuple[Place, Any]]:
    """The dialects of a file, and where each stands."""
    return {name: (Place(document, "").at(name), value) for name, value in named_dialects(document).items()}
