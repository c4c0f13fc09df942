"""A contracts folder at one moment, read for those who judge it without compiling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codegen.diagnostics import ContractProblems, Problem
from codegen.loading.documents import (
    ACCEPTED,
    DIALECTS,
    OWN_CONTRACTS,
    Document,
    accepted_files,
    decoded,
    is_contract_file,
    is_shared,
    json_files,
    member,
    no_contracts,
    shown_path,
)
from codegen.loading.references import Library, as_object, reference_faults, schema_roots, subschemas
from codegen.loading.schema_nodes import Place
from codegen.loading.suppressions import room_of
from codegen.rules import metaschema
from codegen.rules.dialects import named_dialects
from codegen.rules.schema import pattern_fault

ENDLESS = frozenset({"RECURSIVE_REF", "SCHEMA_TOO_LARGE"})
"""Faults of schemas that cannot be written out, and so not be compared."""


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


def sound(
    found: Snapshot, matters: Callable[[Problem], bool] = lambda problem: True, known: Snapshot | None = None
) -> Snapshot:
    """A snapshot that has contracts, all values in the shape that the language asks for, and an end to every schema.

    Files that a known snapshot has, too, are not judged again.
    Raises ContractProblems with the faults that matter.
    """
    faults: list[Problem] = [] if found.rooms else [no_contracts(found.name)]
    for name, document in found.library.documents.items():
        if not known or known.files.get(name) != found.files[name]:
            faults += metaschema.faults(document, None if name in found.rooms else "SharedFile")
            faults += pattern_faults(document)
            faults += (fault for fault in reference_faults(found.library, document) if fault.rule in ENDLESS)
    if not known or known.files.get(DIALECTS) != found.files[DIALECTS]:
        faults += metaschema.faults(found.documents[DIALECTS], "DialectsFile")
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


def of_folder(folder: Path, known: Snapshot | None = None) -> Snapshot:
    """A folder as it lies on the disk.

    Raises ContractProblems where a file is no JSON.
    """
    names = [*json_files(folder), *accepted_files(folder)]
    files = {name: (folder / name).read_bytes() for name in names}
    return snapshot(shown_path(folder), files, lambda name: shown_path(folder / name), known)


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
