"""The dashboard of all servers of a system: which of them to look at."""

from __future__ import annotations

from collections.abc import Sequence

from toolaccord_codegen.emit.dashboards.panels import Dashboard, Panel, Row
from toolaccord_codegen.emit.dashboards.servers import POOLED, UNOBSERVED, hit_ratio, pool_use, rate
from toolaccord_codegen.emit.prometheus_rules import FAULT_RATIO, MAX_FAULT_RATIO, P95, P95_TARGET
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

_JOB = 'job=~"$job"'


def describe_system(system: str, servers: Sequence[Contract], agents: Sequence[Agent], layout: Layout) -> Dashboard:
    """Describe the dashboard of all servers and agents of a system."""
    owners: list[Contract | Agent] = [*servers, *agents]
    jobs, documents = [each.name for each in owners], ", ".join(each.document.name for each in owners)
    return Dashboard(
        key=f"{system}/",
        title=f"All of {system}",
        description=f"Needs prometheus.rules.yml of each. {layout.header(documents)}",
        tags=[system],
        variables={"job": f'label_values(up{{job=~"{"|".join(jobs)}"}}, job)'},
        rows=[
            Row("At a glance", _glance(servers, jobs)),
            Row("Calls", _calls([each.name for each in servers])),
            Row("Cache and sources", _resources(servers)),
            Row("Versions and tasks", _versions_and_tasks(servers)),
        ],
    )


def _glance(servers: Sequence[Contract], jobs: Sequence[str]) -> list[Panel | None]:
    tools = [tool for server in servers for tool in server.tools]
    against_target = f"{P95}{{{_JOB}}} / on (job, tool) {P95_TARGET}{{{_JOB}}}"
    slow = Panel(
        title="Slowest tool against the contract's target",
        remedy="Above 100 % look at the dashboard of that server for the tool that is slow.",
        unit="percentunit",
        queries={"{{job}}": f"max by (job) ({against_target})"},
        names=jobs,
        limit=1,
    )
    return [
        Panel(
            title="Replicas that answer",
            remedy="If a line falls, look whether processes of that server run, and read their last log lines.",
            unit="short",
            queries={"{{job}}": f"sum by (job) (up{{{_JOB}}})"},
            names=jobs,
        ),
        slow if any(tool.p95_ms is not None for tool in tools) else None,
        Panel(
            title="Calls of the worst tool that fail by the server's fault",
            remedy="Above the line look at the dashboard of that server for the error code.",
            unit="percentunit",
            queries={"{{job}}": f"max by (job) ({FAULT_RATIO}{{{_JOB}}})"},
            names=jobs,
            limit=MAX_FAULT_RATIO,
        ),
    ]


def _calls(jobs: Sequence[str]) -> list[Panel]:
    rejected = rate("mcp_overload_rejections_total", _JOB, "job")
    return [
        Panel(
            title="Calls",
            remedy="If a server gets far more calls than usual, look on its dashboard which client makes them.",
            unit="reqps",
            queries={"{{job}}": rate("mcp_tool_calls_total", _JOB, "job")},
            names=jobs,
        ),
        Panel(
            title="Errors",
            remedy="If errors rise, look on the dashboard of the server which codes they have.",
            unit="reqps",
            queries={"{{job}}": rate("mcp_errors_total", _JOB, "job")},
            names=jobs,
        ),
        Panel(
            title="Calls rejected for overload",
            remedy="If calls are rejected, start more replicas of that server.",
            unit="reqps",
            queries={"{{job}}": rejected},
            names=jobs,
        ),
    ]


def _resources(servers: Sequence[Contract]) -> list[Panel | None]:
    cached = [server.name for server in servers if any(tool.cache for tool in server.tools)]
    kinds = {server.name: {source.kind for source in server.sources} for server in servers}
    pooled = [name for name, each in kinds.items() if each & POOLED]
    observed = [name for name, each in kinds.items() if each - UNOBSERVED]
    hits = Panel(
        title="Share of cache lookups that hit",
        remedy="If it falls, look on the dashboard of the server which tool's results are no longer found.",
        unit="percentunit",
        queries={"{{job}}": hit_ratio(_JOB, "job")},
        names=cached,
    )
    pools = Panel(
        title="Connections of the fullest pool, of its limit",
        remedy="At 100 % calls wait for connections: look on the dashboard of the server which source it is.",
        unit="percentunit",
        queries={"{{job}}": f"max by (job) ({pool_use(_JOB, 'job, source')})"},
        names=pooled,
        limit=1,
    )
    circuits = f'mcp_source_circuit{{{_JOB}, state!="closed"}}'
    outages = Panel(
        title="Circuits that are not closed",
        remedy="Above zero repair the source that the dashboard of the server names; all servers that use it show it.",
        unit="short",
        queries={"{{job}}": f"sum by (job) (max without (state) ({circuits}))"},
        names=observed,
    )
    return [hits if cached else None, pools if pooled else None, outages if observed else None]


def _versions_and_tasks(servers: Sequence[Contract]) -> list[Panel | None]:
    older = [server.name for server in servers if any(tool.versions for tool in server.tools)]
    deferring = [server.name for server in servers if any(tool.task for tool in server.tools)]
    versions = Panel(
        title="Calls of deprecated versions",
        remedy="Before you remove a version, ask the clients that still call it to move on.",
        unit="reqps",
        queries={"{{job}}": rate("mcp_deprecated_calls_total", _JOB, "job")},
        names=older,
    )
    waiting = Panel(
        title="Tasks that wait",
        remedy="If it grows, start more workers of that server.",
        unit="short",
        queries={"{{job}}": f"sum by (job) (max by (job, tool) (mcp_tasks_waiting{{{_JOB}}}))"},
        names=deferring,
    )
    return [versions if older else None, waiting if deferring else None]
