"""The dashboard of an agent: requests, tools, its queue, and the metrics of its contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.agents import Metric
from toolaccord_codegen.emit.dashboards.panels import Dashboard, Panel, Row
from toolaccord_codegen.emit.dashboards.servers import QUANTILES, hit_ratio, quantiles, rate, watch_replicas
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.naming import Identifier


def describe_agent(agent: Agent, layout: Layout) -> Dashboard:
    """Describe the dashboard of an agent."""
    job = f'job="{agent.name}"'
    labels = f'{job}, instance=~"$instance"'
    prefix = Identifier(agent.name)
    return Dashboard(
        key=f"{agent.system}/{agent.module}",
        title=f"{agent.title} ({agent.name})",
        description=layout.header(agent.document.name),
        tags=[agent.system],
        variables={"instance": f"label_values(up{{{job}}}, instance)"},
        rows=[
            Row("Requests", [watch_replicas(job), *_requests(agent, prefix, labels)]),
            Row("Tools", list(_tools(agent, prefix, labels))),
            Row("Queue", list(_queue(agent, prefix, labels))),
            Row("Results", [_result(metric, prefix, labels) for metric in agent.declared.metrics]),
        ],
    )


def _requests(agent: Agent, prefix: str, labels: str) -> Iterator[Panel]:
    yield Panel(
        title="Latency",
        remedy="If p95 is above the line, look which tools are retried, and at the dashboards of their servers.",
        unit="ms",
        queries=quantiles(f"{prefix}_latency_ms", labels),
        names=list(QUANTILES),
        limit=agent.declared.limits.p95_ms,
    )
    yield Panel(
        title="Requests in flight",
        remedy="If requests pile up, compare their latency with the target, or start more replicas.",
        unit="short",
        queries={"{{instance}}": f"sum by (instance) ({prefix}_requests_in_flight{{{labels}}})"},
    )
    yield Panel(
        title="Errors by type",
        remedy="If a type rises, read the lines of the log that have it: each names its cause.",
        unit="reqps",
        queries={"{{type}}": rate(f"{prefix}_errors_total", labels, "type")},
    )
    if agent.events:
        yield Panel(
            title="Publications by outcome",
            remedy="If events are not published, look whether their stream runs, and read the log.",
            unit="ops",
            queries={"{{event}}, {{outcome}}": rate(f"{prefix}_publications_total", labels, "event, outcome")},
        )
    if agent.model:
        yield Panel(
            title="Models replaced by the fallback",
            remedy="If it is above zero, look whether the model of the settings exists and answers.",
            unit="short",
            queries={"{{from}}": f"sum by (from) ({prefix}_model_fallback_total{{{labels}}})"},
        )


def _tools(agent: Agent, prefix: str, labels: str) -> Iterator[Panel]:
    tools = [tool.tool.name for use in agent.uses for tool in use.tools]
    yield Panel(
        title="Requests to tools, with retries",
        remedy="If one tool is asked far more often, look whether its calls are retried or its cache is too short.",
        unit="reqps",
        queries={"{{tool}}": rate(f"{prefix}_tool_calls_total", labels, "tool")},
        names=tools,
    )
    if agent.declared.retry:
        yield Panel(
            title="Retries, and calls that failed after all",
            remedy="If calls fail after all retries, look at the dashboard of the server that has the tool.",
            unit="reqps",
            queries={
                "{{tool}}, retried": rate(f"{prefix}_retry_total", labels, "tool"),
                "{{tool}}, failed": rate(f"{prefix}_retry_exhausted_total", labels, "tool"),
            },
            names=[f"{tool}, {end}" for end in ("retried", "failed") for tool in tools],
        )
    cached = [tool.tool.name for use in agent.uses for tool in use.tools if tool.cache]
    if cached:
        ratio = hit_ratio(labels, "data_type", f"{prefix}_cache_hit_total", f"{prefix}_cache_miss_total")
        yield Panel(
            title="Share of lookups that hit the cache",
            remedy="If it falls, look whether requests are about other things than before.",
            unit="percentunit",
            queries={"{{data_type}}": ratio},
            names=cached,
        )


def _queue(agent: Agent, prefix: str, labels: str) -> Iterator[Panel]:
    if agent.batch:
        yield Panel(
            title="Share of the newest batch that succeeded",
            remedy="Below the line AgentBatchFailing fires: find the type among the errors, and its cause in the log.",
            unit="percentunit",
            queries={"{{instance}}": f"min by (instance) ({prefix}_batch_success_rate{{{labels}}})"},
            limit=agent.batch.min_success_rate,
        )
    if agent.batch and agent.batch.queue:
        yield Panel(
            title="Messages that wait",
            remedy="If it grows, start more workers, or look at the latency.",
            unit="short",
            queries={"pending": f"max({prefix}_queue_pending{{{labels}}})"},
            names=["pending"],
        )
        fates = {"enqueued": "enqueued", "redelivered": "delivered again", "expired": "too old", "given_up": "given up"}
        yield Panel(
            title="Messages by fate",
            remedy="If messages are too old, start more workers; if they are given up, the log names each.",
            unit="ops",
            queries={name: rate(f"{prefix}_queue_{fate}_total", labels) for fate, name in fates.items()},
            names=list(fates.values()),
        )


def _result(metric: Metric, prefix: str, labels: str) -> Panel:
    """Return the panel of a metric of results, which the contract declares."""
    name, title = f"{prefix}_{metric.name}", metric.name.replace("_", " ").capitalize()
    counter = rate(f"{name.removesuffix('_total')}_total", labels, ", ".join(metric.labels))
    legend = " ".join(f"{{{{{label}}}}}" for label in metric.labels) or metric.name
    return Panel(
        title=title,
        remedy=f"{metric.description.rstrip('.')}: if it changes suddenly, look which requests or which release did.",
        unit="ops" if metric.value is None else "short",
        queries={legend: counter} if metric.value is None else quantiles(name, labels),
        names=[] if metric.value is None else list(QUANTILES),
    )
