"""Extras of toolaccord that each server and agent needs, for its image or bundle."""

from __future__ import annotations

from collections.abc import Iterable

from toolaccord.contract.sources import Source
from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.loading.source_kinds import is_custom

FILE = "extras.txt"
_EXTRAS = {"zmq_pub": "zmq", "zmq_sub": "zmq", "files": ""}
"""Extras of kinds of sources whose name they do not have."""


def build_extras_file(contracts: Contracts, layout: Layout) -> Tree:
    """Build the file with a line for each server and agent: its command and its extras."""
    extras = {each.name: list_server_extras(each) for each in contracts.contracts}
    extras |= {agent.name: list_agent_extras(agent) for agent in contracts.agents}
    lines = [f"{name} {' '.join(sorted(found))}" for name, found in sorted(extras.items())]
    return {FILE: "\n".join((f"# {layout.header('**/*.json')}", *lines, ""))}


def list_source_extras(sources: Iterable[Source]) -> set[str]:
    """List the extras that bring the drivers of *sources*.

    A project itself requires those of its own kinds.
    """
    return {_EXTRAS.get(each.kind, each.kind) for each in sources if not is_custom(each.kind)} - {""}


def list_server_extras(contract: Contract) -> set[str]:
    """List the extras of a server with its sources, its transports and traces."""
    return {"telemetry", *{"http"}.intersection(contract.transports), *list_source_extras(contract.sources)}


def list_agent_extras(agent: Agent) -> set[str]:
    """List the extras of an agent with A2A, and those of the servers that it always starts."""
    started = (use.server for use in agent.uses if use.url is None)
    model = {"model"} if agent.model else set()
    return {"a2a", "http", "telemetry", *model, *list_source_extras(agent.sources)}.union(
        *map(list_server_extras, started)
    )
