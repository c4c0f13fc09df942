"""Parts of an agent that a mode needs, so that it requires no settings of other modes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolaccord.agent.cli import Options
from toolaccord.agent.declarations import Agent, Batch
from toolaccord.contract.agents import Queue


def select_parts(agent: Agent[Any, Any, Any], options: Options) -> Agent[Any, Any, Any]:
    """Return *agent* with the parts that the mode of *options* needs."""
    if agent.batch is None or agent.batch.queue is None or options.queue:
        return agent
    if options.enqueue:
        return _select_scheduler(agent, agent.batch, agent.batch.queue)
    return _remove_queue(agent, agent.batch.queue)


def _select_scheduler(agent: Agent[Any, Any, Any], batch: Batch, queue: Queue) -> Agent[Any, Any, Any]:
    """Return *agent* with the queue, and without what answers requests."""
    sources: list[Any] = [source for source in agent.sources if source.name == queue.source]
    needed = {batch.all, *(source.url for source in sources)}
    return replace(
        agent,
        settings=tuple(setting for setting in agent.settings if setting.name in needed),
        sources=tuple(sources),
        uses=(),
        events=(),
        model=None,
        cache=None,
        metrics=(),
    )


def _remove_queue(agent: Agent[Any, Any, Any], queue: Queue) -> Agent[Any, Any, Any]:
    """Return *agent* without the source of its queue, unless events need that."""
    if any(event.source == queue.source for event in agent.events):
        return agent
    sources: tuple[Any, ...] = agent.sources
    removed = {source.url for source in sources if source.name == queue.source}
    kept = tuple(source for source in sources if source.name != queue.source)
    unneeded = removed - {getattr(source, "url", None) for source in kept}
    return replace(
        agent, sources=kept, settings=tuple(setting for setting in agent.settings if setting.name not in unneeded)
    )
