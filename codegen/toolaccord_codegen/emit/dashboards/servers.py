"""The dashboard of a server: calls, latency, cache, sources, tasks, versions, sessions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from toolaccord.contract.policies import When
from toolaccord_codegen.emit.dashboards.panels import TARGET, Dashboard, Panel, Row
from toolaccord_codegen.emit.prometheus_rules import FAULT_RATIO, MAX_FAULT_RATIO, P95, P95_TARGET, list_error_codes
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

STATUSES = ("success", "deferred", "input_required", "cancelled", "error")
"""Values of the label `status`, in the order of their colours."""
LEVELS = ("memory", "shared")
"""Levels of a cache."""
POOLED = frozenset({"grpc", "http", "influxdb", "postgresql", "redis"})
"""Kinds of sources that report their connections."""
UNOBSERVED = frozenset({"files"})
"""Kinds of sources that have no outages."""
TASK_STATES = ("completed", "input_required", "cancelled", "failed", "working")
"""States in which runs leave tasks."""
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
"""Shares of the calls that are at most as slow, by the name of the series."""


def describe_server(contract: Contract, layout: Layout) -> Dashboard:
    """Describe the dashboard of a server."""
    job = f'job="{contract.name}"'
    labels = f'{job}, instance=~"$instance"'
    return Dashboard(
        key=f"{contract.system}/{contract.module}",
        title=f"{contract.title} ({contract.name})",
        description=f"Needs prometheus.rules.yml of {contract.name}. {layout.header(contract.document.name)}",
        tags=[contract.system],
        variables={
            "instance": f"label_values(up{{{job}}}, instance)",
            "tool": f"label_values(mcp_tool_duration_seconds_count{{{job}}}, tool)",
        },
        rows=[
            _glance(contract, job),
            _calls(contract, labels),
            Row("Latency", [_latency(contract, job, labels)]),
            _cache(contract, labels),
            _sources(contract, labels),
            _tasks(contract, labels),
            _clients(contract, labels),
        ],
    )


def rate(metric: str, labels: str, by: str = "") -> str:
    """Return the query of a counter's rise a second, by labels."""
    return f"sum by ({by}) (rate({metric}{{{labels}}}[$__rate_interval]))"


def hit_ratio(labels: str, by: str, hits: str = "mcp_cache_hits_total", misses: str = "mcp_cache_misses_total") -> str:
    """Return the query of the share of lookups that hit, by labels."""
    found = rate(hits, labels, by)
    return f"{found} / ({found} + {rate(misses, labels, by)})"


def pool_use(labels: str, by: str) -> str:
    """Return the query of the share of connections that are in use, by labels."""
    used, limit = (f'mcp_pool_connections{{{labels}, state="{state}"}}' for state in ("in_use", "limit"))
    return f"sum by ({by}) ({used}) / sum by ({by}) ({limit})"


def quantiles(metric: str, labels: str) -> dict[str, str]:
    """Return the queries of a histogram's quantiles."""
    buckets = rate(f"{metric}_bucket", labels, "le")
    return {name: f"histogram_quantile({share:g}, {buckets})" for name, share in QUANTILES.items()}


def watch_replicas(job: str) -> Panel:
    """Return the panel of the replicas that Prometheus knows, and of those that answer."""
    return Panel(
        title="Replicas",
        remedy="If fewer answer than are known, look whether the others run, and read their last log lines.",
        unit="short",
        queries={"answer": f"sum(up{{{job}}})", "known": f"count(up{{{job}}})"},
        names=["answer", "known"],
    )


def _glance(contract: Contract, job: str) -> Row:
    tools = [tool.name for tool in contract.tools]
    has_target = any(tool.p95_ms is not None for tool in contract.tools)
    slow = Panel(
        title="95th percentile against the contract's target",
        remedy="Above 100 % for ten minutes ToolSlow fires: look at the pools of sources, then at the cache.",
        unit="percentunit",
        queries={"{{tool}}": f"{P95}{{{job}}} / on (job, tool) {P95_TARGET}{{{job}}}"},
        names=tools,
        limit=1,
    )
    failing = Panel(
        title="Calls that fail by the server's fault",
        remedy="Above the line for ten minutes ToolFailing fires: find the code among the errors, and its cause in the log.",
        unit="percentunit",
        queries={"{{tool}}": f"{FAULT_RATIO}{{{job}}}"},
        names=tools,
        limit=MAX_FAULT_RATIO,
    )
    return Row("At a glance", [watch_replicas(job), slow if has_target else None, failing])


def _calls(contract: Contract, labels: str) -> Row:
    tools = [tool.name for tool in contract.tools]
    return Row(
        "Calls",
        [
            Panel(
                title="Calls by status",
                remedy="If errors or cancellations rise, look which codes and which clients they belong to.",
                unit="reqps",
                queries={"{{status}}": rate("mcp_tool_calls_total", labels, "status")},
                names=STATUSES,
            ),
            Panel(
                title="Calls by tool",
                remedy="If one tool is called far more often than usual, look which client does it.",
                unit="reqps",
                queries={"{{tool}}": rate("mcp_tool_calls_total", labels, "tool")},
                names=tools,
            ),
            Panel(
                title="Calls by client",
                remedy="If one client crowds out the others, slow it down, or give its tools a rate limit.",
                unit="reqps",
                queries={"{{client}}": rate("mcp_tool_calls_total", labels, "client")},
            ),
            Panel(
                title="Errors by code",
                remedy="If a code rises, read the lines of the log that have it as error_code: each names its cause.",
                unit="reqps",
                queries={"{{error_code}}": rate("mcp_errors_total", labels, "error_code")},
                names=list_error_codes(contract),
            ),
            Panel(
                title="Calls in flight",
                remedy="If calls pile up, compare their latency with the pools, or start more replicas.",
                unit="short",
                queries={"{{tool}}": f"sum by (tool) (mcp_calls_in_flight{{{labels}}})"},
                names=tools,
            ),
            _rejections(contract, labels),
        ],
    )


def _rejections(contract: Contract, labels: str) -> Panel:
    kinds = {"overload": rate("mcp_overload_rejections_total", labels, "tool")}
    if codes := "|".join(_list_rate_limit_codes(contract)):
        kinds["rate limit"] = rate("mcp_errors_total", f'{labels}, error_code=~"{codes}"', "tool")
    return Panel(
        title="Calls rejected before they ran",
        remedy="If overload rejects calls, start more replicas; if the rate limit does, ask the client to wait.",
        unit="reqps",
        queries={f"{{{{tool}}}}, {kind}": expr for kind, expr in kinds.items()},
        names=[f"{tool.name}, {kind}" for kind, tool in product(kinds, contract.tools)],
    )


def _list_rate_limit_codes(contract: Contract) -> list[str]:
    """List the codes of calls beyond a rate limit."""
    limited = [each for each in contract.operations if each.rate_limit]
    own = {error.code for each in limited for error in each.errors if error.when == When(occasion="rate_limit")}
    standard = contract.dialect.occasions.rate_limit
    return sorted(own | ({standard} if limited and standard else set()))


def _latency(contract: Contract, job: str, labels: str) -> Panel:
    own = f'{labels}, tool="$tool", status!="cancelled"'
    has_target = any(tool.p95_ms is not None for tool in contract.tools)
    target = {TARGET: f'{P95_TARGET}{{{job}, tool="$tool"}}'} if has_target else {}
    return Panel(
        title="$tool",
        remedy="If p95 is above the target, look at the pools and the cache; if p99 alone is, look for slow calls in the log.",
        unit="s",
        queries=quantiles("mcp_tool_duration_seconds", own) | target,
        names=list(QUANTILES),
        repeat="tool",
    )


def _cache(contract: Contract, labels: str) -> Row:
    cached = [tool for tool in contract.tools if tool.cache]
    if not cached:
        return Row("Cache", [])
    names = [
        f"{tool.name}, {level}"
        for level in LEVELS
        for tool in cached
        if level == "memory" or (tool.cache and tool.cache.store)
    ]
    return Row(
        "Cache",
        [
            Panel(
                title="Share of lookups that hit",
                remedy="If it falls, look for a shorter TTL, evictions, or callers whose arguments never repeat.",
                unit="percentunit",
                queries={"{{tool}}, {{level}}": hit_ratio(labels, "tool, level")},
                names=names,
            ),
            Panel(
                title="Time to live",
                remedy="If it is not what you set, look which MCP_ variable or setting of the server overrides the contract.",
                unit="s",
                queries={"{{tool}}, {{level}}": f"max by (tool, level) (mcp_cache_ttl_seconds{{{labels}}})"},
                names=names,
            ),
            Panel(
                title="Bytes of cached results",
                remedy="If it stays at its limit while results are evicted, give the cache more bytes.",
                unit="bytes",
                queries={"{{instance}}": f"sum by (instance) (mcp_cache_bytes{{{labels}}})"},
            ),
            Panel(
                title="Results evicted to make room",
                remedy="If results are evicted all the time, give the cache more bytes or shorten the TTL.",
                unit="cps",
                queries={"{{instance}}": rate("mcp_cache_evictions_total", labels, "instance")},
            ),
        ],
    )


def _sources(contract: Contract, labels: str) -> Row:
    pooled = [source.name for source in contract.sources if source.kind in POOLED]
    observed = [source.name for source in contract.sources if source.kind not in UNOBSERVED]
    pools = Panel(
        title="Connections in use, of the limit",
        remedy="If it stays at 100 %, calls wait for connections: raise the limit of the source, or look why it is slow.",
        unit="percentunit",
        queries={"{{source}}": pool_use(labels, "source")},
        names=pooled,
        limit=1,
    )
    return Row(
        "Sources",
        [pools if pooled else None, *(_outages(observed, labels) if observed else ()), *_stores(contract, labels)],
    )


def _outages(sources: list[str], labels: str) -> Iterable[Panel]:
    rejected = rate("mcp_source_rejections_total", labels, "source")
    refused = rate("mcp_source_refused_retries_total", labels, "source")
    yield Panel(
        title="Replicas for which a source is down",
        remedy='If it is above zero, read the line "is unavailable" of the log, which has the reason.',
        unit="short",
        queries={"{{source}}": f"sum by (source) (1 - mcp_source_up{{{labels}}})"},
        names=sources,
    )
    yield Panel(
        title="Replicas whose circuit is not closed",
        remedy="Above zero for two minutes SourceCircuitOpen fires: repair the source, and the circuit closes by itself.",
        unit="short",
        queries={
            "{{source}}": f'sum by (source) (max without (state) (mcp_source_circuit{{{labels}, state!="closed"}}))'
        },
        names=sources,
    )
    yield Panel(
        title="Requests without an answer",
        remedy="If it rises, look whether the source is overloaded or the network loses packets.",
        unit="reqps",
        queries={"{{source}}": rate("mcp_source_failures_total", labels, "source")},
        names=sources,
    )
    yield Panel(
        title="Requests that were not sent",
        remedy="If it rises, the source fails often enough that the server spares it: look at its outages first.",
        unit="reqps",
        queries={"{{source}}, circuit open": rejected, "{{source}}, retry refused": refused},
        names=[f"{source}, {why}" for why in ("circuit open", "retry refused") for source in sources],
    )


def _stores(contract: Contract, labels: str) -> Iterable[Panel]:
    stores = contract.optional_stores
    if not stores:
        return
    yield Panel(
        title="Replicas without the shared store",
        remedy='Above zero for ten minutes SharedStoreDown fires: read the lines of the log with the words "shared store".',
        unit="short",
        queries={"{{source}}": f'sum by (source) (1 - mcp_shared_store_state{{{labels}, state="available"}})'},
        names=stores,
    )
    yield Panel(
        title="Failed operations on the shared store",
        remedy="If it rises, look whether the store is slow, full or read-only.",
        unit="ops",
        queries={"{{source}}": rate("mcp_shared_store_failures_total", labels, "source")},
        names=stores,
    )


def _tasks(contract: Contract, labels: str) -> Row:
    tools = [tool.name for tool in contract.tools if tool.task]
    if not tools:
        return Row("Tasks", [])
    return Row(
        "Tasks",
        [
            Panel(
                title="Runs of tasks by outcome",
                remedy="If runs fail, read the lines of the log that name the task; its caller got the same error.",
                unit="ops",
                queries={"{{status}}": rate("mcp_task_runs_total", labels, "status")},
                names=TASK_STATES,
            ),
            Panel(
                title="Time until a task runs",
                remedy="If it grows, tasks come faster than they end: start more workers.",
                unit="s",
                queries=quantiles("mcp_task_wait_seconds", labels),
                names=list(QUANTILES),
            ),
            Panel(
                title="Tasks that run and wait",
                remedy="If more wait than run for long, start more workers, or look why the running ones are slow.",
                unit="short",
                queries={
                    "{{tool}}, running": f"sum by (tool) (mcp_tasks_running{{{labels}}})",
                    "{{tool}}, waiting": f"max by (tool) (mcp_tasks_waiting{{{labels}}})",
                },
                names=[f"{tool}, {state}" for state in ("running", "waiting") for tool in tools],
            ),
            Panel(
                title="Workers that died during a task",
                remedy="If it is above zero, look for a worker that was killed or ran out of memory at that time.",
                unit="short",
                queries={
                    "{{tool}}": f"sum by (tool) (increase(mcp_task_worker_deaths_total{{{labels}}}[$__rate_interval]))"
                },
                names=tools,
            ),
        ],
    )


def _clients(contract: Contract, labels: str) -> Row:
    """Return the row of what a server keeps for its clients: versions, keys, sessions, streams."""
    older = [f"{tool.name} {version.version}" for tool in contract.tools for version in tool.versions]
    deprecated = Panel(
        title="Calls of deprecated versions",
        remedy="Before you remove a version, ask the clients that still call it to move on.",
        unit="reqps",
        queries={"{{tool}} {{version}}": rate("mcp_deprecated_calls_total", labels, "tool, version")},
        names=older,
    )
    keyed = [tool.name for tool in contract.tools if tool.idempotency]
    replays = Panel(
        title="Calls answered with an earlier result",
        remedy="If it rises, a client repeats calls with the same idempotency key: look whether its time-out is too short.",
        unit="reqps",
        queries={"{{tool}}": rate("mcp_replayed_calls_total", labels, "tool")},
        names=keyed,
    )
    sessions = Panel(
        title="Open sessions",
        remedy="If it only grows, a client opens sessions without ending them: look which one calls.",
        unit="short",
        queries={"{{instance}}": f"sum by (instance) (mcp_sessions{{{labels}}})"},
    )
    subscribers = Panel(
        title="Clients that wait for changes",
        remedy="If it falls to zero while clients run, look whether a proxy ends long connections.",
        unit="short",
        queries={"{{instance}}": f"sum by (instance) (mcp_subscribers{{{labels}}})"},
    )
    has_sessions = contract.sessions and "http" in contract.transports
    return Row(
        "Clients",
        [
            deprecated if older else None,
            replays if keyed else None,
            sessions if has_sessions else None,
            subscribers if contract.watched_resources else None,
        ],
    )
