"""Prometheus rules of a server: latency and error ratio of its tools, and availability."""

from __future__ import annotations

from collections.abc import Iterable

from toolaccord.contract.operations import When
from toolaccord.semantics.envelope_schemas import select_standard_codes
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

MAX_FAULT_RATIO = 0.05
"""Share of calls that may fail by the server's fault without an alert."""
MIN_SERVER_ERROR = 500
"""Lowest HTTP status of a fault of the server or of its sources."""
TOO_MANY_REQUESTS = 429
"""A fault too: all callers share a source's rate limit, and none of them can raise it."""


def build_rule_files(contracts: Iterable[Contract], layout: Layout) -> Tree:
    """Build the prometheus.rules.yml of each server."""
    name = "prometheus.rules.yml"
    return {
        f"{contract.system}/{contract.module}/{name}": render_template(
            name, layout, contract=contract, fault_codes=list_fault_codes(contract), max_fault_ratio=MAX_FAULT_RATIO
        )
        for contract in contracts
    }


def list_fault_codes(contract: Contract) -> list[str]:
    """List the error codes that are no caller's fault, sorted."""
    dialect = contract.dialect
    errors = [error for tool in contract.tools for error in tool.errors if error.when != When(occasion="rate_limit")]
    own = {error.code for error in errors if _is_fault(error.http)}
    standard = [each for tool in contract.tools for each in select_standard_codes(dialect, tool).items()]
    others = {code for occasion, code in standard if occasion != "rate_limit"}
    return sorted(own | {code for code in others if _is_fault(dialect.codes[code]["http"])})


def _is_fault(status: int) -> bool:
    """Tell if an error with this HTTP status is no caller's fault."""
    return status >= MIN_SERVER_ERROR or status == TOO_MANY_REQUESTS
