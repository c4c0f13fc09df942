"""Compare transports and sessions."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue


def transport_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield transports that were gained or lost, and changed sessions."""
    before, after = (list_transports(side, list(DEFAULT_TRANSPORTS)) for side in (contract.old, contract.new))
    yield from _compare(contract, before, after)
    kept = [transport for transport in before if transport in after]
    old, new = (side.listed_by("tools", "name") for side in (contract.old, contract.new))
    for name in [name for name in old if name in new]:
        on = [[each for each in list_transports(tool, kept) if each in kept] for tool in (old[name], new[name])]
        yield from _compare(ContractPair(old=old[name], new=new[name], tool=name), *on)
    had, has = _has_sessions(contract.old), _has_sessions(contract.new)
    if has and not had:
        yield contract.change("SESSIONS_ADDED", "the server now has sessions", "sessions")
    elif had and not has:
        yield contract.change("SESSIONS_REMOVED", "the server no longer has sessions", "sessions")


def _has_sessions(contract: ContractValue) -> bool:
    """Return True for a contract with sessions, or with a key that needs them."""
    owners = {"logging": ("tools",), "subscribe": ("resources",), "asks": ("tools", "resources", "prompts")}
    needed = (
        key in as_object(each.value) for key in owners for owner in owners[key] for each in contract.listed(owner)
    )
    return "sessions" in as_object(contract.value) or any(needed)


def list_transports(part: ContractValue, default: list[str]) -> list[str]:
    """Return the transports of a server or a tool."""
    declared = as_object(part.value).get("transports")
    return default if declared is None else [str(each) for each in as_array(declared)]


def _compare(part: ContractPair, before: list[str], after: list[str]) -> Iterator[Change]:
    """Yield the transports on one side only."""
    noun = "the tool" if part.tool else "the server"
    for transport in [each for each in before if each not in after]:
        yield part.change("TRANSPORT_REMOVED", f"{noun} is no longer on {transport}", "transports", detail=transport)
    for transport in [each for each in after if each not in before]:
        yield part.change("TRANSPORT_ADDED", f"{noun} is now on {transport}", "transports", detail=transport)
