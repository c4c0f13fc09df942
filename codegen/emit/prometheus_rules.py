"""Prometheus rules of a server: latency and error ratio of its tools, and availability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from codegen.emit.envelopes import select_standard_codes
from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract, Tool
from codegen.ir.layout import Layout

Rule = Mapping[str, Any]

WINDOW = "5m"
"""Time over which rates are computed."""
P95_METRIC = f"job_tool:mcp_tool_duration_seconds:p95_{WINDOW}"
FAULT_RATIO_METRIC = f"job_tool:mcp_errors:fault_ratio_{WINDOW}"
MAX_FAULT_RATIO = 0.05
"""Share of calls that may fail by the server's fault without an alert."""
MIN_SERVER_ERROR = 500
"""Lowest HTTP status of a fault of the server or of its sources."""
TOO_MANY_REQUESTS = 429
"""A fault too: all callers share a source's rate limit, and none of them can raise it."""


def build_rule_files(contracts: Iterable[Contract], layout: Layout) -> Tree:
    """Build the prometheus.rules.yml of each server."""
    return {
        f"{contract.system}/{contract.module}/prometheus.rules.yml": _format_rules(contract, layout)
        for contract in contracts
    }


def _format_rules(contract: Contract, layout: Layout) -> str:
    """Format the rules of one server as YAML."""
    header = (
        f"# Prometheus rules of {contract.name}. Prometheus must scrape it under the job name {contract.name}.\n"
        f"# {layout.header(contract.document.name)}\n"
    )
    return header + yaml.safe_dump(build_rules(contract), sort_keys=False, width=float("inf"), allow_unicode=True)


def build_rules(contract: Contract) -> dict[str, Any]:
    """Build the recording and alerting rules of one server."""
    recording = [_record_p95(contract), _record_fault_ratio(contract)]
    slow = [_alert_slow_tool(contract, tool) for tool in contract.tools if tool.p95_ms is not None]
    alerting = [*slow, _alert_failing_tool(contract), _alert_server_down(contract)]
    return {
        "groups": [
            {"name": contract.name, "rules": recording},
            {"name": f"{contract.name} alerts", "rules": alerting},
        ]
    }


def _record_p95(contract: Contract) -> Rule:
    """Record the 95th percentile of each tool's latency, in seconds, without cancelled calls."""
    rate = f'rate(mcp_tool_duration_seconds_bucket{{job="{contract.name}", status!="cancelled"}}[{WINDOW}])'
    return {"record": P95_METRIC, "expr": f"histogram_quantile(0.95, sum by (job, tool, le) ({rate}))"}


def _record_fault_ratio(contract: Contract) -> Rule:
    """Record the share of each tool's calls that failed by a fault of server or source."""
    codes = "|".join(list_fault_codes(contract))
    errors = f'rate(mcp_errors_total{{job="{contract.name}", error_code=~"{codes}"}}[{WINDOW}])'
    calls = f'rate(mcp_tool_calls_total{{job="{contract.name}"}}[{WINDOW}])'
    return {"record": FAULT_RATIO_METRIC, "expr": f"sum by (job, tool) ({errors}) / sum by (job, tool) ({calls})"}


def list_fault_codes(contract: Contract) -> list[str]:
    """List the error codes that are no caller's fault, sorted."""
    dialect = contract.dialect
    own = {error.code for tool in contract.tools for error in tool.errors if _is_fault(error.http)}
    standard = {code for tool in contract.tools for code in select_standard_codes(dialect, tool).values()}
    return sorted(own | {code for code in standard if _is_fault(dialect.codes[code]["http"])})


def _is_fault(status: int) -> bool:
    """Tell if an error with this HTTP status is no caller's fault."""
    return status >= MIN_SERVER_ERROR or status == TOO_MANY_REQUESTS


def _alert_slow_tool(contract: Contract, tool: Tool) -> Rule:
    """Alert when a tool misses its latency target."""
    target_s = (tool.p95_ms or 0) / 1000
    return _build_alert(
        contract,
        "ToolSlow",
        f'{P95_METRIC}{{job="{contract.name}", tool="{tool.name}"}} > {target_s:g}',
        "10m",
        {"severity": "warning", "tool": tool.name},
        summary=f"{tool.name} of {contract.name} is slow",
        description=(
            f"The 95th percentile is {{{{ $value | humanizeDuration }}}}; the contract's target is {tool.p95_ms} ms. "
            "Compare mcp_pool_connections with the sources' limits, then mcp_cache_misses_total with mcp_cache_hits_total."
        ),
    )


def _alert_failing_tool(contract: Contract) -> Rule:
    """Alert when a tool fails too often."""
    return _build_alert(
        contract,
        "ToolFailing",
        f'{FAULT_RATIO_METRIC}{{job="{contract.name}"}} > {MAX_FAULT_RATIO:g}',
        "10m",
        {"severity": "critical"},
        summary=f"{{{{ $labels.tool }}}} of {contract.name} fails",
        description=(
            "{{ $value | humanizePercentage }} of its calls fail by the fault of the server or of its sources. "
            "See the codes in mcp_errors_total, the failing source in /ready, and the reason in the log."
        ),
    )


def _alert_server_down(contract: Contract) -> Rule:
    """Alert when Prometheus cannot scrape a server."""
    return _build_alert(
        contract,
        "ServerDown",
        f'up{{job="{contract.name}"}} == 0',
        "2m",
        {"severity": "critical"},
        summary=f"{contract.name} at {{{{ $labels.instance }}}} does not answer",
        description=(
            "Prometheus could not read /metrics for two minutes. Check that the process runs, and read its last log "
            "lines. If the server has a token, Prometheus must send it."
        ),
    )


def _build_alert(
    contract: Contract, name: str, expr: str, duration: str, labels: Mapping[str, str], **annotations: str
) -> Rule:
    """Build an alerting rule that fires after *expr* held for *duration*."""
    all_labels = {"server": contract.name, **labels}
    return {"alert": name, "expr": expr, "for": duration, "labels": all_labels, "annotations": annotations}
