"""Servers of the last run, which stay as they are while their inputs are unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolaccord_codegen.emit.output_tree import Tree, compute_digest, read_text
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.loading.documents import Document, is_shared_file

if TYPE_CHECKING:  # an unchanged check must not load the compiler
    from toolaccord_codegen.compiler import Contracts
    from toolaccord_codegen.ir.contract import Contract
    from toolaccord_codegen.loading.protobuf import ProtoFile
    from toolaccord_codegen.loading.static_files import StaticFile


class CachedServer(NamedTuple):
    """A server without problems, and its files."""

    reached: list[str]
    """The schemas of other documents that its references lead to, as `name#pointer`."""
    documents: str
    """A digest of its contract, of these schemas, and of what every contract may use."""
    surroundings: str
    """A digest of everything else from which its files are rendered, except the compiler."""
    files: Mapping[str, str]
    """Digests of its files by path."""


@dataclass(frozen=True, slots=True)
class ServerCache:
    """Servers that this compiler checked and rendered."""

    folder: Path = Path()
    """The output folder."""
    recorded: Mapping[str, CachedServer] = field(default_factory=dict)
    """The servers of the last run, by contract."""
    current: dict[str, CachedServer] = field(default_factory=dict)
    """The servers of this run, by contract; it grows with each server."""

    def is_checked(self, contract: str, documents: Mapping[str, Document]) -> bool:
        """Return True if the last run found no problem in a contract, from the same documents."""
        recorded = self.recorded.get(contract)
        return recorded is not None and recorded.documents == _digest_documents(contract, recorded.reached, documents)

    def load(self, contract: str, documents: Mapping[str, Document], surroundings: str) -> Tree | None:
        """Return a server's files; None where its inputs or any of the files changed."""
        recorded = self.recorded.get(contract)
        if recorded is None or recorded.surroundings != surroundings or not self.is_checked(contract, documents):
            return None
        files = {path: read_text(self.folder / path) for path in recorded.files}
        found = {path: text for path, text in files.items() if text is not None}
        if {path: compute_digest(text) for path, text in found.items()} != recorded.files:
            return None
        self.current[contract] = recorded
        return found

    def record(self, contracts: Contracts, contract: Contract, surroundings: str, files: Tree) -> None:
        """Record a server that was rendered."""
        name = contract.document.name
        known = self.recorded[name].reached if self.is_checked(name, contracts.documents_by_name) else []
        reached = sorted({*known, *contracts.library.list_reached(name)})
        digest = _digest_documents(name, reached, contracts.documents_by_name)
        digests = {path: compute_digest(text) for path, text in files.items()}
        self.current[name] = CachedServer(reached, digest, surroundings, digests)


def digest_surroundings(contracts: Contracts, layout: Layout) -> str:
    """Return a digest of the inputs of rendering other than documents and the compiler."""
    files: list[ProtoFile | StaticFile] = [*contracts.protocols, *contracts.static_files]
    others = [(each.name, each.digest()) for each in files]
    sources = {source.kind for contract in contracts.contracts for source in contract.sources}
    kinds = [repr(contracts.kinds.find(kind)) for kind in sorted(sources)]
    return compute_digest(json.dumps([repr(layout), others, kinds]))


def _digest_documents(contract: str, reached: Iterable[str], documents: Mapping[str, Document]) -> str:
    """Return a digest of a contract, and of all in other documents on which its files depend.

    These are schemas that it reaches, and the files at the top of the folder, but of shared schemas only the names.
    """
    from toolaccord_codegen.loading.references import list_definitions  # noqa: PLC0415 - see above

    whole = {name for name in documents if "/" not in name and not is_shared_file(name)}
    texts = {name: documents[name].text for name in sorted({contract, *whole})}
    names = {
        name: [*list_definitions(document).items()] for name, document in documents.items() if is_shared_file(name)
    }
    schemas = [_find_schema(documents, *place.split("#", 1)) for place in reached]
    return compute_digest(json.dumps([texts, names, schemas]))


def _find_schema(documents: Mapping[str, Document], name: str, pointer: str) -> Any:
    """Return the schema at a pointer into a document; None if it is not there any more."""
    try:
        return documents[name].value_at(pointer)
    except (LookupError, ValueError, TypeError):
        return None
