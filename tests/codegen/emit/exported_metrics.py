"""Metrics of the shipped servers and agents as they export them, without a process."""

import asyncio
import importlib
from contextlib import AsyncExitStack
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.contracts.shipped import compiled_contracts
from tests.servers.validation.test_requests_on_stdio import SETTINGS
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.agent.queue.metrics import QueueMetrics
from toolaccord.call.pipeline import Pipeline
from toolaccord.telemetry.metrics import Metrics
from toolaccord.telemetry.task_metrics import TaskMetrics
from toolaccord.testing import ManualClock


@cache
def expositions() -> dict[str, str]:
    """Return the text at `/metrics` of each server and each agent, by its name."""
    contracts = compiled_contracts()
    servers = {each.name: asyncio.run(expose_server(f"{each.system}.{each.module}")) for each in contracts.contracts}
    return servers | {each.name: expose_agent(f"{each.system}.{each.module}") for each in contracts.agents}


@cache
def exported_labels(name: str) -> dict[str, set[str]]:
    """Return the labels of each series of a server or an agent, by the name of the series.

    Prometheus adds two of them.
    """
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(expositions()[name]):
        for sample in family.samples:
            labels.setdefault(sample.name, {"instance", "job"}).update(sample.labels)
    return labels


async def expose_server(module: str) -> str:
    """Return the metrics of a server after a call of each tool, with real sources.

    These did not connect.
    """
    generated: Any = importlib.import_module(f"generated.{module}.server")
    server = generated.server(importlib.import_module(f"handlers.{module}"))
    clock = ManualClock()
    values = {setting.name: SETTINGS.get(setting.env, setting.default) for setting in server.settings}
    async with AsyncExitStack() as stack:
        sources = {source.name: source.open(values, clock) for source in server.sources}
        for source in sources.values():
            stack.push_async_callback(source.close)
        metrics = Metrics(server, sources)
        Pipeline(server, sources, values, clock, metrics=metrics)
        for tool in server.tools:
            metrics.record_call(tool.name, "tests", "success", 0.1, None)
        if deferring := [tool.name for tool in server.tools if tool.task]:
            TaskMetrics(deferring, metrics.registry)
        if server.sessions:
            metrics.observe_sessions(lambda: 1)
        return _expose(metrics.registry)


def expose_agent(module: str) -> str:
    """Return the metrics of an agent that has started."""
    generated: Any = importlib.import_module(f"generated.{module}.agent")
    agent = generated.agent(importlib.import_module(f"handlers.{module}"))
    metrics = AgentMetrics(agent)
    if agent.model:
        metrics.record_model("tests", is_replaced=False)
    if agent.batch and agent.batch.queue:
        QueueMetrics(agent.name.replace("-", "_"), metrics.registry)
    return _expose(metrics.registry)


def _expose(registry: CollectorRegistry) -> str:
    return generate_latest(registry).decode()
