"""The records that handlers get with a request: sources, events, settings and time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.loading.source_kinds import SourceKinds


@dataclass(frozen=True, slots=True)
class CallMember:
    """A member of a call record."""

    name: str
    annotation: str
    description: str = ""
    tools: frozenset[str] | None = None
    """The tools that declare it; None for what every handler gets."""
    default: str = ""
    """Its default, as code; empty for a member that every call gets."""
    is_effect: bool = False
    """True for what a tool must declare: a source, an event, an ask."""

    def is_of(self, tool: Tool) -> bool:
        """Return whether a tool's handler may use it."""
        return self.tools is None or tool.name in self.tools


class NarrowCall(NamedTuple):
    """The call record of a tool that declares less than its server."""

    tool: Tool
    members: tuple[CallMember, ...]


def list_members(contract: Contract, kinds: SourceKinds, payloads: Mapping[str, str]) -> list[CallMember]:
    """Return the members of a server's call record. *payloads* are the models of events."""
    return [*_list_effects(contract, kinds, payloads), *_list_others(contract)]


def list_narrow_calls(contract: Contract, members: list[CallMember]) -> dict[str, NarrowCall]:
    """Return the record of each tool that declares less than its server, by its class.

    A state has a type of the handlers' own, so a server with one has none of these classes.
    """
    if contract.lifespan:
        return {}
    narrow = {
        f"{tool.class_name}Call": NarrowCall(tool, tuple(member for member in members if member.is_of(tool)))
        for tool in contract.tools
        if tool.class_name != contract.class_name
        and any(member.is_effect and not member.is_of(tool) for member in members)
    }
    return dict(sorted(narrow.items()))


def _list_effects(contract: Contract, kinds: SourceKinds, payloads: Mapping[str, str]) -> Iterator[CallMember]:
    """Yield the sources and events, but no store that the library alone uses."""
    declared = {name for each in contract.operations for name in each.reads}
    declared |= {name for tool in contract.tools for name in tool.writes}
    for source in contract.sources:
        if source.name in contract.stores and source.name not in declared:
            continue
        users = [tool.name for tool in contract.tools if source.name in {*tool.reads, *tool.adds, *tool.effects.writes}]
        protocol = kinds.find(source.kind).protocol
        yield CallMember(source.name, protocol, tools=frozenset(users), is_effect=True)
    for event in contract.events:
        users = [tool.name for tool in contract.tools if event.name in tool.effects.publishes]
        annotation = f"Publisher[{payloads[event.name]}]"
        yield CallMember(event.name, annotation, event.description, frozenset(users), is_effect=True)


def _list_others(contract: Contract) -> Iterator[CallMember]:
    """Yield what is no source and no event."""
    name = contract.class_name
    if contract.handler_settings:
        yield CallMember("settings", f"{name}Settings")
    yield CallMember("now", "datetime", "Time of the call, in UTC.")
    caller = "Caller that a token proves; None on stdio, and for a server without tokens."
    yield CallMember("caller", "Caller | None", caller, default="None")
    if contract.lifespan:
        yield CallMember("state", "State", "State of the server, which `lifespan` of the handlers yields.")
    if keyed := _name(contract, "idempotency"):
        yield CallMember(
            "idempotency", "IdempotencyKey | None", "Idempotency key of the call; None if it has none.", keyed
        )
    if reporting := _name(contract, "progress"):
        text = "Sends progress to a caller that wants it, in tools whose contract declares progress."
        yield CallMember("progress", "Progress", text, reporting)
    if logging := _name(contract, "logging"):
        text = "Sends log messages to the client, in tools whose contract declares logging."
        yield CallMember("log", "ClientLog", text, logging)
    if contract.watched_resources:
        yield CallMember("changed", f"{name}Changes", "Reports changes of resources to the clients that subscribed.")
    if contract.asks:
        asking = _name(contract, "asks")
        text = "Asks the caller, in tools whose contract declares the ask."
        yield CallMember("ask", f"{name}Asks", text, asking, is_effect=True)


def _name(contract: Contract, key: str) -> frozenset[str]:
    """Return the names of the tools that have a key."""
    return frozenset(tool.name for tool in contract.tools if getattr(tool, key))
