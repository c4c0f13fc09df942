"""Contracts folders at one moment, readable without compilation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import ContractProblems, Problem
from toolaccord_codegen.loading.accepted_findings import contract_name
from toolaccord_codegen.loading.contracts import list_dialects
from toolaccord_codegen.loading.documents import (
    ACCEPTED_SUFFIX,
    DIALECTS_FILE,
    OWN_DIALECTS,
    Document,
    display_path,
    is_contract_file,
    is_shared_file,
    list_accepted_files,
    list_json_files,
    no_contracts_problem,
    resolve_path,
)
from toolaccord_codegen.loading.reading import LARGEST_FILE, decode_document, read_contract_file
from toolaccord_codegen.loading.references import SchemaLibrary, as_object, check_references, schema_roots, subschemas
from toolaccord_codegen.loading.regular_files import read_regular_file
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place
from toolaccord_codegen.loading.static_files import list_static_files
from toolaccord_codegen.rules import metaschema
from toolaccord_codegen.rules.schema import check_pattern

UNRESOLVABLE = frozenset({"DANGLING_REF", "RECURSIVE_REF", "SCHEMA_TOO_LARGE"})
"""Rules of schemas whose references cannot be inlined, and so not be compared."""
PROTO_SUFFIX = ".proto"
"""The suffix of files with messages of gRPC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Contracts that can be read, with or without faults."""

    name: str
    files: Mapping[str, bytes]
    """Every file's content, by path in the folder."""
    documents: Mapping[str, Document]
    contracts: Mapping[str, Document]
    """The contracts, by path in the folder."""
    library: SchemaLibrary
    dialects: Mapping[str, tuple[Place, Any]]
    accepted: Mapping[str, Document]
    """The files that accept findings, by the path of their contract."""
    attachments: Mapping[str, bytes]
    """Static contents that contracts name, and `.proto` files, by path in the folder."""

    def is_agent(self, name: str) -> bool:
        """Return True if the contract at a path is that of an agent."""
        return name in self.contracts and self.contracts[name].is_agent

    def contract(self, name: str) -> ContractValue:
        """Return the contract at a path."""
        document = self.contracts[name]
        return ContractValue(self.library, Place(document, ""), document.value)


def require_valid(
    found: Snapshot, matters: Callable[[Problem], bool] = lambda problem: True, known: Snapshot | None = None
) -> Snapshot:
    """Return a snapshot whose contracts have the right shape and schemas of known meaning.

    Files that `known` has too are not checked again.
    Raises ContractProblems with the faults for which `matters` is true.
    """
    faults: list[Problem] = [] if found.contracts else [no_contracts_problem(found.name)]
    for name, document in found.library.documents.items():
        if not known or known.files.get(name) != found.files[name]:
            faults += metaschema.check_shape(document, None if name in found.contracts else "SharedFile")
            faults += _check_patterns(document)
            faults += (fault for fault in check_references(found.library, document) if fault.rule in UNRESOLVABLE)
    if not known or known.files.get(DIALECTS_FILE) != found.files[DIALECTS_FILE]:
        faults += metaschema.check_shape(found.documents[DIALECTS_FILE], "DialectsFile")
    faults = [fault for fault in faults if matters(fault)]
    if faults:
        raise ContractProblems(faults)
    return found


def _check_patterns(document: Document) -> Iterator[Problem]:
    """Yield patterns that no validator reads."""
    schemas = [place for root, schema in schema_roots(document) for place in subschemas(schema, root)]
    settings = as_object(as_object(document.value).get("settings"))
    schemas += [(join_pointer("/settings", name), as_object(setting)) for name, setting in settings.items()]
    for pointer, schema in schemas:
        yield from check_pattern(document, pointer, schema)


def read_snapshot(folder: Path, known: Snapshot | None = None) -> Snapshot:
    """Read a folder from the disk.

    Raises ContractProblems where a file cannot be read or is no JSON.
    """
    names = [*list_json_files(folder), *list_accepted_files(folder)]
    problems: list[Problem] = []
    contents = {name: read_contract_file(folder / name, problems) for name in names}
    if problems:
        raise ContractProblems(problems)
    files = {name: content for name, content in contents.items() if content is not None}

    def read_attachments(names: Collection[str]) -> Mapping[str, bytes]:
        found = {*names, *(path.relative_to(folder).as_posix() for path in folder.glob(f"*/*{PROTO_SUFFIX}"))}
        contents = {name: _read_attachment(folder / name) for name in sorted(found)}
        return {name: content for name, content in contents.items() if content is not None}

    return build_snapshot(
        display_path(folder), files, lambda name: display_path(folder / name), known, read_attachments
    )


def _read_attachment(path: Path) -> bytes | None:
    """Return the content of a file; None where it cannot be read, which the compiler reports."""
    with suppress(OSError):
        return read_regular_file(path, most=LARGEST_FILE)
    return None


def build_snapshot(
    name: str,
    files: Mapping[str, bytes],
    shown: Callable[[str], str],
    known: Snapshot | None = None,
    read_attachments: Callable[[Collection[str]], Mapping[str, bytes]] = lambda names: {},
) -> Snapshot:
    """Build a snapshot from the files of a folder; files that `known` has are not parsed again.

    *read_attachments* gets the static files that contracts name, and returns those that exist, and `.proto` files.
    Raises ContractProblems where a file is no JSON.
    """
    problems: list[Problem] = []
    own = {} if DIALECTS_FILE in files else {DIALECTS_FILE: OWN_DIALECTS.read_bytes()}
    read = {
        path: replace(known.documents[path], display_path=shown(path))
        if known and known.files.get(path) == content
        else decode_document(content, path, shown(path), problems)
        for path, content in {**own, **files}.items()
    }
    documents = {path: document for path, document in read.items() if document}
    if problems:
        raise ContractProblems(problems)
    contracts = {
        path: document for path, document in documents.items() if path.count("/") == 1 and is_contract_file(path)
    }
    shared = {path: document for path, document in documents.items() if is_shared_file(path) and is_contract_file(path)}
    return Snapshot(
        name=name,
        files={**own, **files},
        documents=documents,
        contracts=contracts,
        library=SchemaLibrary({**shared, **contracts}),
        dialects=_locate_dialects(documents[DIALECTS_FILE]),
        accepted={
            contract_name(document): document for path, document in documents.items() if path.endswith(ACCEPTED_SUFFIX)
        },
        attachments=read_attachments(
            {
                resolve_path(document, file)
                for document in contracts.values()
                for _, _, file in list_static_files(document)
            }
        ),
    )


def _locate_dialects(document: Document) -> dict[str, tuple[Place, Any]]:
    """Return the dialects of a file with their places."""
    return {name: (Place(document, "").at(name), value) for name, value in list_dialects(document).items()}
