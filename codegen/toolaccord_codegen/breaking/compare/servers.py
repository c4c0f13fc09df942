"""Compare the contracts of two folders and match their servers and tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.server_contracts import ServerContract
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.access import access_changes
from toolaccord_codegen.breaking.compare.agents import agent_changes
from toolaccord_codegen.breaking.compare.asks import ask_changes
from toolaccord_codegen.breaking.compare.attachments import include_contents, list_attachments
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair, Surroundings
from toolaccord_codegen.breaking.compare.dialects import dialect_changes
from toolaccord_codegen.breaking.compare.events import event_changes
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.prompts import prompt_changes
from toolaccord_codegen.breaking.compare.protobuf import proto_changes
from toolaccord_codegen.breaking.compare.renames import find_renames
from toolaccord_codegen.breaking.compare.resources import resource_changes
from toolaccord_codegen.breaking.compare.settings import setting_changes
from toolaccord_codegen.breaking.compare.sources import privilege_changes, renamed_source_changes, source_changes
from toolaccord_codegen.breaking.compare.tools.older_versions import accepted_call
from toolaccord_codegen.breaking.compare.tools.tool import tool_changes
from toolaccord_codegen.breaking.compare.transports import transport_changes
from toolaccord_codegen.loading.documents import split_reference
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.records import read_incomplete
from toolaccord_codegen.loading.references import schema_roots, subschemas
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place
from toolaccord_codegen.snapshots import Snapshot

PARTS = (
    transport_changes,
    access_changes,
    setting_changes,
    source_changes,
    privilege_changes,
    event_changes,
    resource_changes,
    prompt_changes,
    ask_changes,
)
"""The comparisons of the parts of a server's contract beside its tools."""


def folder_changes(old: Snapshot, new: Snapshot, today: date | None = None) -> Iterator[tuple[str, Change]]:
    """Yield every change with the path of its contract.

    *today* decides which versions are past their last day. Without it, none is.
    """
    before, after = ({**state.files, **state.attachments} for state in (old, new))
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if not changed:
        return
    is_shared_changed = any(name not in state.contracts for state in (old, new) for name in changed & {*state.files})
    for name, document in old.contracts.items():
        reached = {each for state in (old, new) for each in _list_reached(state, name)}
        if not is_shared_changed and changed.isdisjoint(reached):
            continue
        if _is_of_same_kind(old, new, name):
            yield from ((name, change) for change in _contract_changes(old, new, name, today))
        else:
            kind = "agent" if document.is_agent else "server"
            message, place = f"{document.display_path} was removed with its {kind}", Place(document, f"/{kind}/name")
            yield name, Change(rule=f"{kind.upper()}_REMOVED", old=place, new=None, message=message)
    for name, document in new.contracts.items():
        if not _is_of_same_kind(old, new, name):
            kind = "agent" if document.is_agent else "server"
            message = f"{document.display_path} is a new {kind}"
            place = Place(document, f"/{kind}/name")
            yield name, Change(rule=f"{kind.upper()}_ADDED", old=None, new=place, message=message)


def _list_reached(state: Snapshot, contract: str) -> set[str]:
    """List a contract, the files that its references lead to, and those that it names."""
    found, todo = set(list_attachments(state, contract)), {contract}
    while todo:
        name = todo.pop()
        found.add(name)
        if document := state.library.documents.get(name):
            schemas = [part for root, schema in schema_roots(document) for _, part in subschemas(schema, root)]
            references = [part["$ref"] for part in schemas if isinstance(part.get("$ref"), str)]
            todo |= {split_reference(document, reference)[0] for reference in references} - found
    return found


def _is_of_same_kind(old: Snapshot, new: Snapshot, name: str) -> bool:
    """Return True if both states have a contract at a path, of a server or of an agent."""
    kinds = [state.contracts[name].is_agent for state in (old, new) if name in state.contracts]
    return len(kinds) == 2 and len({*kinds}) == 1


def _contract_changes(old: Snapshot, new: Snapshot, name: str, today: date | None) -> Iterator[Change]:
    """Yield every change of one contract."""
    states = [include_contents(state, state.contract(name)) for state in (old, new)]
    renames = find_renames(*states)
    before, after = renames.apply(states[0]), states[1]
    around = Surroundings(
        contracts=(_read_server(before), _read_server(after)),
        dialects=(_read_dialect(old, before), _read_dialect(new, after)),
        today=today,
    )
    contract = ContractPair(old=before, new=after, around=around)
    yield from renamed_source_changes(contract, renames)
    if new.contracts[name].is_agent:
        yield from agent_changes(contract)
        return
    yield from field_changes(contract, ServerContract)
    yield from _name_changes(contract.at("server"))
    yield from dialect_changes(contract, old, new)
    for part_changes in PARTS:
        yield from part_changes(contract)
    yield from proto_changes(contract, old, new)
    yield from _list_tool_changes(contract)


def _read_server(contract: ContractValue) -> ServerContract:
    """Return the contract of a server; that of an agent has nothing of it."""
    return read_incomplete(ServerContract, None if contract.place.document.is_agent else contract.value)


def _read_dialect(state: Snapshot, contract: ContractValue) -> Dialect:
    """Return the dialect of a contract, empty where there is none."""
    _, value = state.dialects.get(str(contract.at("dialect").value), (None, None))
    return read_incomplete(Dialect, value)


def _name_changes(server: ContractPair) -> Iterator[Change]:
    """Yield the change of the server's name, which the addresses of its contracts have."""
    before, after = server.values("name")
    if before != after:
        yield server.change("SERVER_RENAMED", f"the server was renamed from {before} to {after}", "name")
        if all(side.contracts_as_resources for side in server.around.contracts):
            text = f"the contracts of tools moved from contract://{before}/ to contract://{after}/"
            yield server.change("RESOURCE_URI_CHANGED", text, "name", detail="contracts_as_resources")


def _list_tool_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield tools that came, went or were renamed, and the changes of all others."""
    before, after = (side.listed_by("tools", "name") for side in (contract.old, contract.new))
    renamed = {tool: other for tool in before if tool not in after for other in _new_names(before[tool], before, after)}
    for tool, value in before.items():
        if tool in after:
            yield from tool_changes(contract.pair(value, after[tool], tool=tool))
            continue
        facts: dict[str, Any] = {"tool": tool, "old": value.place.at("name"), "lost_value": accepted_call(value, value)}
        if tool in renamed:
            place = after[renamed[tool]].place.at("name")
            yield contract.change("TOOL_RENAMED", f"the tool was renamed to {renamed[tool]}", new=place, **facts)
        else:
            yield contract.change("TOOL_REMOVED", "the tool was removed", "tools", **facts)
    for tool, value in after.items():
        if tool not in before and tool not in renamed.values():
            yield contract.change("TOOL_ADDED", "the tool was added", "tools", tool=tool, new=value.place.at("name"))


def _new_names(
    tool: ContractValue, before: Mapping[str, ContractValue], after: Mapping[str, ContractValue]
) -> list[str]:
    """Return the new name of a removed tool.

    It is the only added tool with the same schemas.
    """
    removed = [other for name, other in before.items() if name not in after and _has_same_schemas(other, tool)]
    added = [name for name, other in after.items() if name not in before and _has_same_schemas(tool, other)]
    return added if len(added) == len(removed) == 1 else []


def _has_same_schemas(tool: ContractValue, other: ContractValue) -> bool:
    """Return True if two tools have the same parameters and returns."""
    return all(equal_json(tool.node(key).constraints, other.node(key).constraints) for key in ("parameters", "returns"))
