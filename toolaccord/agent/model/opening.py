"""Opening of an agent's model; only an agent that has one loads the libraries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from toolaccord import extras
from toolaccord.agent.call import LanguageModel
from toolaccord.agent.declarations import Agent
from toolaccord.agent.metrics import AgentMetrics
from toolaccord.client.base import ServerClient
from toolaccord.timing.clock import Clock


@asynccontextmanager
async def open_model(
    agent: Agent[Any, Any, Any],
    settings: Mapping[str, Any],
    clients: Mapping[str, ServerClient],
    metrics: AgentMetrics,
    clock: Clock,
) -> AsyncIterator[LanguageModel | None]:
    """Provide the model that *settings* name, after checking it; None if they name none.

    The model may call tools through *clients*. Raises StartError and MissingExtra.
    """
    if agent.model is None or not settings[agent.model.name]:
        if agent.model:
            metrics.record_model("", is_replaced=False)
        yield None
        return
    with extras.needed("model"):
        from toolaccord.agent.model.connecting import connect_model  # noqa: PLC0415 - takes a second
    async with connect_model(agent, agent.model, settings, clients, metrics, clock) as model:
        yield model
