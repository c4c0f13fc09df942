"""Files of Kubernetes: a manifest for each workload, and a base for each system."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.emit.kubernetes import workloads
from toolaccord_codegen.emit.kubernetes.peers import INTERNET
from toolaccord_codegen.emit.kubernetes.workloads import Workload, describe_agent, describe_server
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.layout import Layout

FOLDER = "kubernetes"
"""The folder of a system's files."""


def build_kubernetes_files(contracts: Contracts, layout: Layout) -> Tree:
    """Build the folder of each system with a server over HTTP or an agent.

    There are none unless the project wants them. Raises CommandError for two names that Kubernetes cannot tell apart.
    """
    files: Tree = {}
    systems: dict[str, list[str]] = {}
    for system, workload in _list_workloads(contracts, layout) if layout.kubernetes else ():
        file = f"{workload.name}.yaml"
        if any(file in taken for taken in systems.values()):
            raise CommandError(f"{workload.document}: Kubernetes already has a {workload.name}; rename this one")
        systems.setdefault(system, []).append(file)
        about = {"workload": workload, "numbers": workloads, "internet": INTERNET}
        files[f"{system}/{FOLDER}/{file}"] = render_template("kubernetes/workload.yaml", layout, **about)
    for system, names in systems.items():
        base = render_template("kubernetes/kustomization.yaml", layout, system=system, names=sorted(names))
        files[f"{system}/{FOLDER}/kustomization.yaml"] = base
    return files


def _list_workloads(contracts: Contracts, layout: Layout) -> Iterator[tuple[str, Workload]]:
    """Yield each workload with its system."""
    for contract in contracts.contracts:
        if "http" in contract.transports:
            yield contract.system, describe_server(contract, layout)
    for agent in contracts.agents:
        yield from ((agent.system, workload) for workload in describe_agent(agent, layout))
