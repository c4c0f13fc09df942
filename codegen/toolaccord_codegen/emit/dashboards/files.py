"""Files of dashboards: in a folder of each system, which Grafana can provision."""

from __future__ import annotations

from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.emit.dashboards.agents import describe_agent
from toolaccord_codegen.emit.dashboards.panels import Dashboard
from toolaccord_codegen.emit.dashboards.servers import describe_server
from toolaccord_codegen.emit.dashboards.systems import describe_system
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.loading.json_layout import format_json

ALL = "all-servers"
"""The file of a whole system; no server's module is named so."""


def build_dashboard_files(contracts: Contracts, layout: Layout) -> Tree:
    """Build the dashboards of each server, each agent and each system."""
    return {
        f"{path}.json": format_json(each.to_json()) for path, each in describe_dashboards(contracts, layout).items()
    }


def describe_dashboards(contracts: Contracts, layout: Layout) -> dict[str, Dashboard]:
    """Describe each dashboard, by its path without a suffix."""
    found = {f"{each.system}/dashboards/{each.module}": describe_server(each, layout) for each in contracts.contracts}
    found |= {f"{each.system}/dashboards/{each.module}": describe_agent(each, layout) for each in contracts.agents}
    for system in sorted({contract.system for contract in contracts.contracts}):
        servers = [each for each in contracts.contracts if each.system == system]
        agents = [each for each in contracts.agents if each.system == system]
        found[f"{system}/dashboards/{ALL}"] = describe_system(system, servers, agents, layout)
    return found
