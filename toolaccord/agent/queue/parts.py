"""Parts of an agent that a mode needs, so that it requires no settings of other modes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from toolaccord.agent.cli import Options
from toolaccord.agent.declarations import Agent
from toolaccord.contract.agents import Batch, Queue


def select_parts(agent: Agent[Any, Any, Any], options: Options) -> Agent[Any, Any, Any]:
    """Return *agent* with the parts that the mode of *options* needs."""
    queue = agent.batch.queue if agent.batch else None
    if agent.batch and queue and options.enqueue and not options.queue:
        return _select_scheduler(agent, agent.batch, queue)
    unneeded = {None if options.a2a else agent.tasks.store, queue.source if queue and not options.queue else None}
    return _remove_sources(agent, unneeded - {event.source for event in agent.events})


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


def _remove_sources(agent: Agent[Any, Any, Any], names: Collection[str | None]) -> Agent[Any, Any, Any]:
    """Return *agent* without the sources *names*, and the settings that they alone have."""
    sources: tuple[Any, ...] = agent.sources
    removed = {source.url for source in sources if source.name in names}
    kept = tuple(source for source in sources if source.name not in names)
    unneeded = removed - {getattr(source, "url", None) for source in kept}
    return replace(
        agent, sources=kept, settings=tuple(setting for setting in agent.settings if setting.name not in unneeded)
    )
