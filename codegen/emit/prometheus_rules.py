"""What Prometheus watches of a server: how long calls take, how many fail, whether it answers at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from codegen.emit.envelopes import unbound
from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract, Tool
from codegen.ir.layout import Layout

Rule = Mapping[str, Any]

WINDOW = "5m"
"""Over which calls are counted."""
P95 = f"job_tool:mcp_tool_duration_seconds:p95_{WINDOW}"
FAULTS = f"job_tool:mcp_errors:fault_ratio_{WINDOW}"
MOST_FAULTS = 0.05
"""The share of calls that may fail by the server's fault before somebody is told."""
SERVER_FAULT = 500
"""From this status on, an error is the server's or one of its sources', not the caller's."""
TOO_MANY_REQUESTS = 429
"""So is this one: all callers share the limit of a source, and none of them can mend it."""


def alert_files(contracts: Iterable[Contract], layout: Layout) -> Tree:
    """The prometheus.rules.yml of each server."""
    return {
        f"{contract.system}/{contract.module}/prometheus.rules.yml": text(contract, layout) for contract in contracts
    }


def text(contract: Contract, layout: Layout) -> str:
    """The rules of one server, as YAML."""
    about = (
        f"# What Prometheus watches of {contract.name}, which it must scrape under the job name {contract.name}.\n"
        f"# {layout.header(contract.document.name)}\n"
    )
    return about + yaml.safe_dump(rules(contract), sort_keys=False, width=float("inf"), allow_unicode=True)


def rules(contract: Contract) -> dict[str, Any]:
    """The rules of one server."""
    slow = [slow_tool(contract, tool) for tool in contract.tools if tool.p95_ms is not None]
    return {
        "groups": [
            {"name": contract.name, "rules": [p95(contract), faults(contract)]},
            {"name": f"{contract.name} alerts", "rules": [*slow, failing_tool(contract), server_down(contract)]},
        ]
    }


def p95(contract: Contract) -> Rule:
    """The recorded 95th percentile of each tool, in seconds; calls that were given up by their caller do not count."""
    rate = f'rate(mcp_tool_duration_seconds_bucket{{job="{contract.name}", status!="cancelled"}}[{WINDOW}])'
    return {"record": P95, "expr": f"histogram_quantile(0.95, sum by (job, tool, le) ({rate}))"}


def faults(contract: Contract) -> Rule:
    """The recorded share of each tool's calls that failed by the server's fault, or a source's."""
    codes = "|".join(fault_codes(contract))
    errors = f'rate(mcp_errors_total{{job="{contract.name}", error_code=~"{codes}"}}[{WINDOW}])'
    calls = f'rate(mcp_tool_calls_total{{job="{contract.name}"}}[{WINDOW}])'
    return {"record": FAULTS, "expr": f"sum by (job, tool) ({errors}) / sum by (job, tool) ({calls})"}


def fault_codes(contract: Contract) -> list[str]:
    """The codes that are no caller's fault."""
    dialect = contract.dialect
    own = {error.code for tool in contract.tools for error in tool.errors if is_fault(error.http)}
    standard = {code for tool in contract.tools for code in unbound(dialect, tool).values()}
    return sorted(own | {code for code in standard if is_fault(dialect.codes[code]["http"])})


def is_fault(status: int) -> bool:
    """Whether an error with this HTTP status is no caller's fault."""
    return status >= SERVER_FAULT or status == TOO_MANY_REQUESTS


def slow_tool(contract: Contract, tool: Tool) -> Rule:
    """An alert for a tool that misses its target."""
    target_s = (tool.p95_ms or 0) / 1000
    return alert(
        contract,
        "ToolSlow",
        f'{P95}{{job="{contract.name}", tool="{tool.name}"}} > {target_s:g}',
        "10m",
        {"severity": "warning", "tool": tool.name},
        summary=f"{tool.name} of {contract.name} is slow",
        description=(
            f"95 of 100 calls took up to {{{{ $value | humanizeDuration }}}}; the contract's target is {tool.p95_ms} ms. "
            "Compare mcp_pool_connections with the sources' limits, then mcp_cache_misses_total with mcp_cache_hits_total."
        ),
    )


def failing_tool(contract: Contract) -> Rule:
    """An alert for each tool that fails too often."""
    return alert(
        contract,
        "ToolFailing",
        f'{FAULTS}{{job="{contract.name}"}} > {MOST_FAULTS:g}',
        "10m",
        {"severity": "critical"},
        summary=f"{{{{ $labels.tool }}}} of {contract.name} fails",
        description=(
            "{{ $value | humanizePercentage }} of its calls fail, and not by their callers' fault. "
            "mcp_errors_total says with which codes, /ready which source does not answer, and the log why."
        ),
    )


def server_down(contract: Contract) -> Rule:
    """An alert for a server that cannot be scraped."""
    return alert(
        contract,
        "ServerDown",
        f'up{{job="{contract.name}"}} == 0',
        "2m",
        {"severity": "critical"},
        summary=f"{contract.name} at {{{{ $labels.instance }}}} does not answer",
        description=(
            "Its /metrics could not be read for two minutes. See whether the process lives and what it logged last; "
            "with a token, Prometheus needs it too."
        ),
    )


def alert(contract: Contract, name: str, expr: str, since: str, labels: Mapping[str, str], **annotations: str) -> Rule:
    """An alerting rule."""
    known = {"server": contract.name, **labels}
    return {"alert": name, "expr": expr, "for": since, "labels": known, "annotations": annotations}
