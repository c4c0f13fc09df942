"""A contracts folder at one moment: as it lies on the disk, or as git has it, read without a checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
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
    member,
    shown_path,
)
from codegen.problems import ContractProblems, Problem, Unable
from codegen.references import Library, as_object, schema_roots, subschemas
from codegen.schema_rules import pattern_fault

DEFAULT_BRANCHES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")


UPSTREAM = "upstream"
"""Stands for the commit at which this branch left the default branch of its upstream."""


class NoBase(Unable):
    """There is nothing to compare with; the text says why."""


class NoUpstream(NoBase):
    """There is no upstream, or it has no default branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Contracts that can be read, whether or not they are free of faults."""

    name: str
    files: Mapping[str, bytes]
    """Every file, as it was read."""
    documents: Mapping[str, Document]
    rooms: Mapping[str, Document]
    """The contracts, by their path in the folder."""
    library: Library
    dialects: Mapping[str, tuple[Place, Any]]
    accepted: Mapping[str, Document]
    """What is accepted, by the path of the contract that it lies beside."""


def base(folder: Path, against: str, now: Snapshot | None = None) -> Snapshot:
    """The state of a contracts folder to compare with: another folder, a git ref, or where this branch began.

    Files that are the same `now` are not read again. Raises NoBase, NoUpstream and ContractProblems.
    """
    if against == UPSTREAM:
        found = of_ref(folder, merge_base(folder), now)
    elif against and Path(against).is_dir():
        found = of_folder(Path(against), now)
    else:
        found = of_ref(folder, against, now)
    return sound(found, matters_in_a_base, now)


def sound(
    found: Snapshot, matters: Callable[[Problem], bool] = lambda problem: True, known: Snapshot | None = None
) -> Snapshot:
    """A snapshot in which every value has the shape that the contract language asks for.

    Files that a known snapshot has, too, are not judged again.
    Raises ContractProblems with the faults that matter.
    """
    faults: list[Problem] = []
    for name, document in found.library.documents.items():
        if not known or known.files.get(name) != found.files[name]:
            faults += metaschema.faults(document, None if name in found.rooms else "SharedFile")
            faults += pattern_faults(document)
    faults = [fault for fault in faults if matters(fault)]
    if faults:
        raise ContractProblems(faults)
    return found


def pattern_faults(document: Document) -> Iterator[Problem]:
    """Patterns that no validator reads."""
    schemas = [place for root, schema in schema_roots(document) for place in subschemas(schema, root)]
    settings = as_object(as_object(document.value).get("settings"))
    schemas += [(member("/settings", name), as_object(setting)) for name, setting in settings.items()]
    for pointer, schema in schemas:
        yield from pattern_fault(document, pointer, schema)


def matters_in_a_base(problem: Problem) -> bool:
    """Whether a fault of a base stands in the way of comparing.

    Keys may be missing or unknown: the language may have been another one.
    """
    return problem.rule in {"WRONG_SHAPE", "PATTERN_INVALID"}


def of_folder(folder: Path, known: Snapshot | None = None) -> Snapshot:
    """A folder as it lies on the disk.

    Raises ContractProblems where a file is no JSON.
    """
    names = [*json_files(folder), *accepted_files(folder)]
    files = {name: (folder / name).read_bytes() for name in names}
    return snapshot(shown_path(folder), files, lambda name: shown_path(folder / name), known)


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
    wanted = {name: blob for name, blob in blobs.items() if is_contract_file(name) or name.endswith(ACCEPTED)}
    return snapshot(ref, contents(folder, wanted), lambda name: f"{ref}:{prefix}{name}", known)


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


def snapshot(
    name: str, files: Mapping[str, bytes], shown: Callable[[str], str], known: Snapshot | None = None
) -> Snapshot:
    """What the files of a folder say; those that a known snapshot has, too, are not read again.

    Raises ContractProblems where one is no JSON.
    """
    problems: list[Problem] = []
    own = {} if DIALECTS in files else {DIALECTS: (OWN_CONTRACTS / DIALECTS).read_bytes()}
    read = {
        path: replace(known.documents[path], shown=shown(path))
        if known and known.files.get(path) == content
        else decoded(content, path, shown(path), problems)
        for path, content in {**own, **files}.items()
    }
    documents = {path: document for path, document in read.items() if document}
    if problems:
        raise ContractProblems(problems)
    rooms = {path: document for path, document in documents.items() if path.count("/") == 1 and is_contract_file(path)}
    shared = {path: document for path, document in documents.items() if is_shared(path) and is_contract_file(path)}
    return Snapshot(
        name=name,
        files={**own, **files},
        documents=documents,
        rooms=rooms,
        library=Library({**shared, **rooms}),
        dialects=dialects(documents[DIALECTS]),
        accepted={room_of(document): document for path, document in documents.items() if path.endswith(ACCEPTED)},
    )


def dialects(document: Document) -> dict[str, tuple[Place, Any]]:
    """The dialects of a file, and where each stands."""
    return {name: (Place(document, "").at(name), value) for name, value in named_dialects(document).items()}
