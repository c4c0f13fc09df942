"""Opening of an agent's model; only an agent that has one loads the libraries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from toolpact.agent.call import LanguageModel
from toolpact.agent.declarations import Agent
from toolpact.agent.metrics import AgentMetrics
from toolpact.client.base import ServerClient
from toolpact.server.startup import StartError
from toolpact.timing.clock import Clock


@asynccontextmanager
async def open_model(
    agent: Agent[Any, Any, Any],
    settings: Mapping[str, Any],
    clients: Mapping[str, ServerClient],
    metrics: AgentMetrics,
    clock: Clock,
) -> AsyncIterator[LanguageModel | None]:
    """Provide the model that *settings* name, after checking it; None if they name none.

    The model may call tools through *clients*. Raises StartError.
    """
    if agent.model is None or not settings[agent.model.name]:
        if agent.model:
            metrics.record_model("", is_replaced=False)
        yield None
        return
    try:
        from toolpact.agent.model.connecting import connect_model  # noqa: PLC0415 - takes a second
    except ModuleNotFoundError as error:
        (env,) = (each.env for each in agent.settings if each.name == agent.model.name)
        sentence = f'{env} needs the package {error.name}: install toolpact with its extra "model"'
        raise StartError(sentence) from error
    async with connect_model(agent, agent.model, settings, clients, metrics, clock) as model:
        yield model
