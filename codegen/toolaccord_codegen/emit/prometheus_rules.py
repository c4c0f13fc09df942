"""Prometheus rules of a server: latency and error ratio of its tools, and availability."""

from __future__ import annotations

from collections.abc import Iterable

from toolaccord.contract.policies import When
from toolaccord.semantics.envelope_schemas import select_standard_codes
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

MAX_FAULT_RATIO = 0.05
"""Share of calls that may fail by the server's fault without an alert."""
P95 = "job_tool:mcp_tool_duration_seconds:p95_5m"
"""Recorded 95th percentile of a tool's calls, in seconds."""
P95_TARGET = "job_tool:mcp_tool_duration_seconds:p95_target"
"""Recorded target of the contract for it, in seconds."""
FAULT_RATIO = "job_tool:mcp_errors:fault_ratio_5m"
"""Recorded share of a tool's calls that fail by the server's fault."""
MIN_SERVER_ERROR = 500
"""Lowest HTTP status of a fault of the server or of its sources."""
TOO_MANY_REQUESTS = 429
"""A fault too: all callers share a source's rate limit, and none of them can raise it."""


def build_rule_files(contracts: Iterable[Contract], layout: Layout) -> Tree:
    """Build the prometheus.rules.yml of each server."""
    name = "prometheus.rules.yml"
    about = {"p95": P95, "p95_target": P95_TARGET, "fault_ratio": FAULT_RATIO, "max_fault_ratio": MAX_FAULT_RATIO}
    return {
        f"{contract.system}/{contract.module}/{name}": render_template(
            name, layout, contract=contract, fault_codes=list_fault_codes(contract), **about
        )
        for contract in contracts
    }


def list_error_codes(contract: Contract) -> list[str]:
    """List every error code of a server's tools, sorted."""
    own = {error.code for tool in contract.tools for error in tool.errors}
    standard = (select_standard_codes(contract.dialect, tool).values() for tool in contract.tools)
    return sorted(own.union(*standard))


def list_fault_codes(contract: Contract) -> list[str]:
    """List the error codes that are no caller's fault, sorted."""
    dialect = contract.dialect
    errors = [error for tool in contract.tools for error in tool.errors if error.when != When(occasion="rate_limit")]
    own = {error.code for error in errors if _is_fault(error.http)}
    standard = [each for tool in contract.tools for each in select_standard_codes(dialect, tool).items()]
    others = {code for occasion, code in standard if occasion != "rate_limit"}
    return sorted(own | {code for code in others if _is_fault(dialect.codes[code].http)})


def _is_fault(status: int) -> bool:
    """Tell if an error with this HTTP status is no caller's fault."""
    return status >= MIN_SERVER_ERROR or status == TOO_MANY_REQUESTS
