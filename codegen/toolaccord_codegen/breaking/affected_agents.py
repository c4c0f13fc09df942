"""Find the agents that a change of a server breaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.documents import resolve_path
from toolaccord_codegen.loading.scalars import is_in_range
from toolaccord_codegen.loading.schema_nodes import Place
from toolaccord_codegen.snapshots import Snapshot

REMOVALS = frozenset({"TOOL_REMOVED", "TOOL_RENAMED"})
"""Rules of changes after which no call of a tool succeeds."""
SERVER_RULES = frozenset({"DIALECT_CHANGED", "SERVER_REMOVED"})
"""Rules of changes after which no call of any tool succeeds."""
INNER_RULES = frozenset(
    ["FIELD_REMOVED", "FIELD_RENAMED", "NULL_ADDED", "REQUIRED_REMOVED", "TYPE_CHANGED", "TYPE_WIDENED", "UNION_MEMBER_ADDED", "UNION_MEMBER_REMOVED"]
)  # fmt: skip
"""Rules of changes that also affect what is inside the changed value."""


@dataclass(frozen=True, slots=True)
class AgentUse:
    """Use of a server by an agent of the old state."""

    agent: str
    version: str
    """The range of the server's versions."""
    tools: Mapping[str, tuple[str, ...] | None]
    """Pointers to what it reads of results, by tool; None where it reads an unknown part."""


def list_uses(old: Snapshot, new: Snapshot) -> Mapping[str, list[AgentUse]]:
    """List the uses of servers by the path of their contract, of agents that both states have."""
    uses: defaultdict[str, list[AgentUse]] = defaultdict(list)
    for path, document in old.contracts.items():
        if not document.is_agent or path not in new.contracts:
            continue
        contract = old.contract(path).read(AgentContract)
        for use in contract.uses:
            tools = {tool.name: tool.reads or None for tool in use.tools}
            target = resolve_path(document, use.contract)
            uses[target].append(AgentUse(contract.agent.name, use.version, tools))
    return uses


def broken_agents(change: Change, uses: list[AgentUse]) -> list[str]:
    """Return the names of the agents that a breaking change of a server breaks, each once."""
    return list(dict.fromkeys(use.agent for use in uses if _is_affected(change, use)))


def is_certain(change: Change) -> bool:
    """Return True if a breaking change breaks every agent that uses what it concerns.

    Other changes break those that send certain arguments, for instance, which their contracts do not say.
    """
    return change.rule in REMOVALS | SERVER_RULES or change.direction is Direction.OUTPUT


def _is_affected(change: Change, use: AgentUse) -> bool:
    """Return True if a breaking change concerns what an agent uses."""
    if change.tool is None:
        return change.rule in SERVER_RULES
    if change.rule in REMOVALS or change.direction is not Direction.OUTPUT:
        return change.tool in use.tools
    reads = use.tools.get(change.tool, ())
    return reads is None or any(_is_read(change, pointer) for pointer in reads)


def _is_read(change: Change, read: str) -> bool:
    """Return True if a change in a result concerns the value at a pointer."""
    place = change.pointer
    is_inside = f"{place}/".startswith(f"{read}/")
    return is_inside or (change.rule in INNER_RULES and f"{read}/".startswith(f"{place}/"))


def range_changes(old: Snapshot, new: Snapshot) -> Iterator[tuple[str, Change]]:
    """Yield the paths of servers whose new version is outside of an agent's range."""
    for path, uses in list_uses(old, new).items():
        if path not in old.contracts or path not in new.contracts:
            continue
        before, after = (state.contract(path).at("server", "version").value for state in (old, new))
        for use in uses:
            if is_in_range(before, use.version) and not is_in_range(after, use.version):
                places = [Place(state.contracts[path], "/server/version") for state in (old, new)]
                message = f"the version {after} is outside of {use.version}, the range of the agent {use.agent}"
                yield (
                    path,
                    Change(rule="AGENT_OUT_OF_RANGE", old=places[0], new=places[1], message=message, subject=use.agent),
                )
