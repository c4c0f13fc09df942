"""Compare the keys that callers send, and the scopes that they need."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.access import AgentAccess, OperationAccess
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.transports import list_common_transports
from toolaccord_codegen.loading.schema_nodes import ContractValue


def access_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changed keys, and scopes that callers need now, or no longer."""
    for transport in list_common_transports(contract):
        yield from _key_changes(contract, transport)
    yield from _scope_changes(contract)


def agent_access_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield scopes that callers of an agent need now, or no longer."""
    before, after = ({*side.scopes} for side in contract.at("access").records(AgentAccess))
    yield from _differences(contract, before, after, before ^ after)


def _scope_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield the scopes that operations of both sides need now, or no longer.

    One that the server began or ceased to demand is yielded once, for all of them.
    """
    own = _list_scopes(contract)
    demands = [
        (each, [mine | ours for mine, ours in zip(_list_scopes(each), own, strict=True)])
        for each in _pair_operations(contract)
    ]
    everywhere = {scope for scope in own[0] ^ own[1] if any(scope in before ^ after for _, (before, after) in demands)}
    yield from _differences(contract, own[0], own[1], everywhere)
    for each, (before, after) in demands:
        yield from _differences(each, before, after, (before ^ after) - everywhere)


def _pair_operations(contract: ContractPair) -> Iterator[ContractPair]:
    """Yield the tools, resources and prompts that both sides have."""
    for key, noun in (("tools", ""), ("resources", "resource"), ("prompts", "prompt")):
        old, new = (side.listed_by(key, "name") for side in (contract.old, contract.new))
        for name in [name for name in old if name in new]:
            facts = {"label": f"{noun} {name}"} if noun else {"tool": name}
            yield contract.pair(old[name], new[name], **facts)


def _list_scopes(part: ContractPair) -> list[set[str]]:
    """Return the scopes that a server or an operation names in both states."""
    return [{*side.scopes} for side in part.at("access").records(OperationAccess)]


def _differences(part: ContractPair, before: set[str], after: set[str], reported: set[str]) -> Iterator[Change]:
    """Yield the *reported* scopes that only one side needs."""
    for scope in sorted((after - before) & reported):
        yield part.change("SCOPE_ADDED", f"callers need the scope {scope}", "access", "scopes", detail=scope)
    for scope in sorted((before - after) & reported):
        message = f"callers no longer need the scope {scope}"
        yield part.change("SCOPE_REMOVED", message, "access", "scopes", detail=scope)


def _key_changes(contract: ContractPair, transport: str) -> Iterator[Change]:
    """Yield another form or another variable of the key on a transport."""
    before, after = (_describe_key(side, transport) for side in (contract.old, contract.new))
    if before != after:
        message = f"the key on {transport} changed from {before} to {after}"
        yield contract.change("ACCESS_CHANGED", message, "access", transport, detail=transport)


def _describe_key(contract: ContractValue, transport: str) -> str:
    """Return the form of a key with its variable; `none` without a key."""
    key = contract.at("access", transport)
    if key.value is None:
        return "none"
    env = contract.at("settings", str(key.at("setting").value), "env").value
    return " ".join(format_optional(each) for each in (key.at("scheme").value, key.at("name").value, env) if each)
