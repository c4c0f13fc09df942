"""Metrics of a small server as text, and calls of a tool."""

from __future__ import annotations

from math import inf

from toolaccord_codegen.cli.top.figures import Traffic


def expose(*, calls: int = 0, cancelled: int = 0, errors: int = 0, in_flight: int = 0, circuit: str = "closed") -> str:
    """Return what a server with one tool and one source sends, whose calls took 0.1 s at most.

    *cancelled* are some of the *calls*.
    """
    done = calls - cancelled
    lines = ["# TYPE mcp_tool_duration_seconds histogram"]
    for status, count in (("success", done), ("cancelled", cancelled)):
        labels = f'tool="get_book",status="{status}"'
        lines += [f'mcp_tool_duration_seconds_bucket{{{labels},le="{bound}"}} {count}' for bound in ("0.1", "+Inf")]
        lines.append(f"mcp_tool_duration_seconds_count{{{labels}}} {count}")
    lines += ["# TYPE mcp_errors_total counter", f'mcp_errors_total{{tool="get_book",error_code="NO_BOOK"}} {errors}']
    lines += ["# TYPE mcp_calls_in_flight gauge", f'mcp_calls_in_flight{{tool="get_book"}} {in_flight}']
    lines.append("# TYPE mcp_source_circuit gauge")
    lines += [
        f'mcp_source_circuit{{source="shelf",state="{each}"}} {int(each == circuit)}' for each in ("closed", "open")
    ]
    lines.append("# TYPE mcp_pool_connections gauge")
    lines += [
        f'mcp_pool_connections{{source="shelf",state="{each}"}} {n}' for each, n in (("in_use", 1), ("limit", 10))
    ]
    return "\n".join([*lines, ""])


def traffic(name: str, *, calls: float, seconds: float) -> Traffic:
    """Return calls that took some *seconds* each."""
    return Traffic(name=name, calls=calls, buckets={seconds: calls, inf: calls}, total=calls)
