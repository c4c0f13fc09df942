"""Compare transports and sessions."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from toolaccord.contract.tools import Tool
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.ir.contract import DEFAULT_TRANSPORTS


def transport_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield transports that were gained or lost, and changed sessions."""
    before, after = contract.around.contracts
    ways = list_common_transports(contract)
    yield from _compare(contract, before.transports or DEFAULT_TRANSPORTS, after.transports or DEFAULT_TRANSPORTS)
    old, new = (side.listed_by("tools", "name") for side in (contract.old, contract.new))
    for name in [name for name in old if name in new]:
        tool = contract.pair(old[name], new[name], tool=name)
        on = ([each for each in side.transports or ways if each in ways] for side in tool.records(Tool))
        yield from _compare(tool, *on)
    if before.has_sessions is not after.has_sessions:
        rule = "SESSIONS_ADDED" if after.has_sessions else "SESSIONS_REMOVED"
        yield contract.change(rule, RULES[rule].summary, "sessions")


def list_common_transports(contract: ContractPair) -> list[str]:
    """List the transports of a server that both states have."""
    before, after = (side.transports or DEFAULT_TRANSPORTS for side in contract.around.contracts)
    return [each for each in before if each in after]


def _compare(part: ContractPair, before: Collection[str], after: Collection[str]) -> Iterator[Change]:
    """Yield the transports on one side only."""
    noun = "the tool" if part.tool else "the server"
    for transport in [each for each in before if each not in after]:
        yield part.change("TRANSPORT_REMOVED", f"{noun} is no longer on {transport}", "transports", detail=transport)
    for transport in [each for each in after if each not in before]:
        yield part.change("TRANSPORT_ADDED", f"{noun} is now on {transport}", "transports", detail=transport)
