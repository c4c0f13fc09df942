"""Drafts of OpenAPI documents, and of Swagger 2.0: one tool for each operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import Draft, Identity, as_text, assemble, describe_server
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.forwards import Forward
from toolaccord_codegen.drafts.json_values import clean_json
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import Names, model_name, reserve_models
from toolaccord_codegen.drafts.openapi.operations import ELSEWHERE, Operation, OperationDrafter, resolve
from toolaccord_codegen.drafts.openapi.security import draft_upstream
from toolaccord_codegen.drafts.openapi.swagger import convert_swagger
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
Place = tuple[str, str]
"""The path and the method of an operation."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
UNUSED = ("webhooks", "externalDocs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The operations that become tools; all if both are empty."""

    tags: frozenset[str] = frozenset()
    operations: frozenset[str] = frozenset()
    places: frozenset[Place] | None = None
    """Paths and methods of the only operations; None for all."""

    def admits(self, place: Place, operation: Mapping[str, Any]) -> bool:
        """Return True for an operation that becomes a tool."""
        if self.places is not None and place not in self.places:
            return False
        if not self.tags and not self.operations:
            return True
        names = {tag for tag in as_array(operation.get("tags")) if isinstance(tag, str)}
        identifier = operation.get("operationId")
        return bool(names & self.tags) or (isinstance(identifier, str) and identifier in self.operations)


def draft_openapi(document: Any, identity: Identity, selection: Selection) -> Draft:
    """Return the contract of a server with the operations of a document, and the differences.

    Raises ValueError for another document, and if no operation is selected.
    """
    _require_openapi(as_object(document))
    losses = Losses()
    cleaned = as_object(clean_json(document, losses))
    if "swagger" in cleaned:
        cleaned = convert_swagger(cleaned, losses)
    chosen = _name_operations(_list_operations(cleaned, selection, losses), identity, losses)
    if not chosen:
        raise ValueError(_describe_choices(cleaned))
    reserved = reserve_models(name for name, _ in chosen)
    definitions = Definitions(cleaned, name_of=model_name, is_shared=True, taken=identity.taken | reserved)
    drafter = OperationDrafter(cleaned, definitions, losses)
    tools: list[Record] = []
    forwards: dict[str, Forward] = {}
    for name, operation in chosen:
        with losses.of(f"operation {operation.name}"):
            tool, forward = drafter.draft(name, operation)
        tools.append(tool)
        forwards |= {name: forward} if forward else {}
    contract = _assemble(cleaned, identity, tools, definitions, losses)
    return Draft(contract=contract, losses=tuple(losses.found), forwards=forwards)


def list_places(document: Any, selection: Selection) -> Iterator[tuple[str, Place]]:
    """Yield the first tag of each selected operation, or an empty text, and its place."""
    for operation in _list_operations(as_object(document), selection, Losses()):
        tag = next((tag for tag in as_array(operation.record.get("tags")) if isinstance(tag, str)), "")
        yield tag, (operation.path, operation.method)


def _require_openapi(document: Mapping[str, Any]) -> None:
    """Raise ValueError for a document of another kind or version."""
    version = document.get("openapi", document.get("swagger"))
    if version is None:
        raise ValueError('it is no OpenAPI document: it has no key "openapi"')
    if not str(version).startswith("3.") and str(version) != "2.0":
        raise ValueError(f"it is a document of OpenAPI {version}, and only 2.0, 3.0 and 3.1 are read")


def _name_operations(
    operations: Iterable[Operation], identity: Identity, losses: Losses
) -> list[tuple[str, Operation]]:
    """Return operations with the names of their tools."""
    names = Names(identity.mcp_name, losses, renaming=Effect.SAME)
    named = []
    for operation in operations:
        with losses.of(f"operation {operation.name}"):
            named.append((names.tool(operation.name, join_pointer(operation.at, "operationId")), operation))
    return named


def _list_operations(document: Mapping[str, Any], selection: Selection, losses: Losses) -> Iterator[Operation]:
    """Yield the selected operations."""
    for path, written in as_object(document.get("paths")).items():
        item, place = resolve(Definitions(document), written, join_pointer("", "paths", path))
        if "$ref" in item:
            losses.drop(join_pointer(place, "$ref"), "$ref", Effect.NARROWER, ELSEWHERE)
        for method in METHODS:
            operation = as_object(item.get(method))
            if operation and selection.admits((path, method), operation):
                shared, at = as_array(item.get("parameters")), join_pointer(place, method)
                yield Operation(path=path, method=method, at=at, record=operation, shared=shared)


def _describe_choices(document: Mapping[str, Any]) -> str:
    """Return the reason why nothing is selected, with the tags that the document has."""
    everything = [*_list_operations(document, Selection(), Losses())]
    if not everything:
        return "it has no operations"
    tags = sorted({str(tag) for each in everything for tag in as_array(each.record.get("tags"))})
    known = f"; its tags are {', '.join(tags)}" if tags else ""
    return f"it has no such operation{known}"


def _assemble(
    document: Record, identity: Identity, tools: list[Record], definitions: Definitions, losses: Losses
) -> Record:
    """Return the whole contract."""
    info = as_object(document.get("info"))
    summary = as_text(info.get("summary"), as_text(info.get("description"), "").partition("\n")[0])
    server = describe_server(identity, info.get("title"), info.get("version"), summary, losses)
    parts = {"tools": tools, "$defs": dict(sorted(definitions.schemas.items()))}
    contract = assemble(identity, server, parts, draft_upstream(document, identity, losses))
    for key in UNUSED:
        if key in document:
            losses.drop(f"/{key}", key, Effect.SAME, "the language has no such key")
    return contract
