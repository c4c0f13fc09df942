"""Drafts of OpenAPI 3.0 and 3.1 documents: one tool for each operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import Draft, Forward, Identity, as_text, assemble, describe_server
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.json_values import clean_json
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import Names, model_name, reserve_models
from toolaccord_codegen.drafts.operations import ELSEWHERE, Operation, OperationDrafter, resolve
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
UNUSED = ("webhooks", "externalDocs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The operations that become tools; all if both are empty."""

    tags: frozenset[str] = frozenset()
    operations: frozenset[str] = frozenset()

    def admits(self, operation: Mapping[str, Any]) -> bool:
        """Return True for an operation that becomes a tool."""
        if not self.tags and not self.operations:
            return True
        names = {tag for tag in as_array(operation.get("tags")) if isinstance(tag, str)}
        return bool(names & self.tags) or operation.get("operationId") in self.operations


def draft_openapi(document: Any, identity: Identity, selection: Selection) -> Draft:
    """Return the contract of a server with the operations of a document, and the differences.

    Raises ValueError for another document, and if no operation is selected.
    """
    _require_openapi_3(as_object(document))
    losses = Losses()
    cleaned = as_object(clean_json(document, losses))
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


def _require_openapi_3(document: Mapping[str, Any]) -> None:
    """Raise ValueError for a document of another kind or version."""
    if "swagger" in document:
        advice = "convert it to OpenAPI 3 first, for example with `npx swagger2openapi FILE --outfile NEW`"
        raise ValueError(f"it is a document of Swagger {document['swagger']}; {advice}")
    if "openapi" not in document:
        raise ValueError('it is no OpenAPI document: it has no key "openapi"')
    if not str(document["openapi"]).startswith("3."):
        raise ValueError(f"it is a document of OpenAPI {document['openapi']}, and only 3.0 and 3.1 are read")


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
            if operation and selection.admits(operation):
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
    contract = assemble(identity, server, parts, url=_base_url(document, losses))
    for key in UNUSED:
        if key in document:
            losses.drop(f"/{key}", key, Effect.SAME, "the language has no such key")
    return _add_credentials(contract, document, identity, losses)


def _base_url(document: Mapping[str, Any], losses: Losses) -> str | None:
    """Return the URL of the first server, with the defaults of its variables; None without one."""
    servers = as_array(document.get("servers"))
    if len(servers) > 1:
        losses.drop("/servers", "servers", Effect.SAME, "the source has the URL of the first server as its default")
    server = as_object(servers[0]) if servers else {}
    url = str(server.get("url", ""))
    for name, variable in as_object(server.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(as_object(variable).get("default", "")))
    is_whole = url.startswith(("http://", "https://")) and urlsplit(url).hostname and "{" not in url
    if servers and not is_whole:
        losses.drop("/servers/0/url", "servers", Effect.SAME, "it is no whole URL; set it in the environment")
    return url.rstrip("/") if is_whole else None


def _add_credentials(contract: Record, document: Record, identity: Identity, losses: Losses) -> Record:
    """Return the contract with a secret setting if the service wants credentials."""
    schemes = as_object(as_object(document.get("components")).get("securitySchemes"))
    if not schemes:
        return contract
    reason = "an http source sends no credentials; handlers find them in call.settings.credentials"
    losses.change("/components/securitySchemes", "securitySchemes", Effect.SAME, reason)
    setting = {
        "env": f"{identity.name.upper()}_CREDENTIALS",
        "description": f"Credentials of the service: {', '.join(schemes)}",
        "default": "",
        "secret": True,
    }
    settings = {**contract.get("settings", {}), "credentials": setting}
    order = ("$schema", "contract", "server", "dialect")
    head = {key: contract[key] for key in order}
    return {
        **head,
        "settings": settings,
        **{key: value for key, value in contract.items() if key not in {*order, "settings"}},
    }
