"""Server in memory, whose pipeline notes the promises that its answers show."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields, is_dataclass
from typing import Any

import orjson

from toolaccord.call.cache import CacheResult
from toolaccord.call.context import IncomingCall
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer, Outcome
from toolaccord.contract.settings import SettingValue
from toolaccord.declarations.settings import SettingsError, read_settings
from toolaccord.declarations.tool import Server
from toolaccord.deferral.calls import TaskCalls
from toolaccord.extras import require_driver
from toolaccord.pytest.contract_coverage import CACHED, Observations, has_later_page
from toolaccord.server.startup import list_source_kinds
from toolaccord.shutdown import connect_sources
from toolaccord.sources import Listener, Source
from toolaccord.testing.tasks import running_tasks
from toolaccord.timing.clock import Clock, SystemClock


class ObservedPipeline(Pipeline):
    """Pipeline that notes the promises that its answers show."""

    def __init__(
        self,
        server: Server[Any],
        sources: Mapping[str, Source],
        settings: Mapping[str, Any],
        clock: Clock,
        observations: Observations,
    ) -> None:
        super().__init__(server, sources, settings, clock)
        self._observations = observations

    def _finish(self, call: IncomingCall, outcome: Outcome) -> Answer:
        answer = super()._finish(call, outcome)
        cached = page = None
        if isinstance(outcome, CacheResult):
            cached = None if outcome.remaining_s is None else CACHED
            page = (
                has_later_page(call.arguments, orjson.loads(outcome.value)) if call.bound.operation.paginated else None
            )
        self._observations.note(self.server.name, call.bound.operation.name, answer.code, cached, page)
        return answer


@asynccontextmanager
async def open_pipeline(
    server: Server[Any],
    environ: Mapping[str, str],
    observations: Observations,
    sources: Mapping[str, Source],
    clock: Clock | None,
) -> AsyncIterator[tuple[Pipeline, TaskCalls | None]]:
    """Yield the pipeline of *server* with sources that *sources* may replace, and its tasks.

    Raises SettingsError, ValueError for a source that the contract lacks, and MissingExtra.
    """
    clock, opened = clock or SystemClock(), dict(sources)
    if unknown := sorted(opened.keys() - {each.name for each in server.sources}):
        raise ValueError(f"{server.name} has no source {unknown[0]!r}.")
    for each in server.sources:
        if each.name not in opened:
            require_driver(each.kind)
    values = _read_settings(server, environ, opened.keys())
    async with AsyncExitStack() as stack:
        for each in server.sources:
            if each.name not in opened:
                opened[each.name] = each.open(values, clock)
                stack.push_async_callback(opened[each.name].close)
        await connect_sources({name: each for name, each in opened.items() if isinstance(each, Listener)})
        pipeline = ObservedPipeline(server, opened, values, clock, observations)
        await stack.enter_async_context(pipeline.open_state())
        yield pipeline, await stack.enter_async_context(running_tasks(pipeline, clock))


def _read_settings(
    server: Server[Any], environ: Mapping[str, str], sources: Collection[str]
) -> dict[str, SettingValue]:
    """Return the values of all settings; those of replaced *sources* may be missing.

    Raises SettingsError.
    """
    replaced: list[Any] = [each for each in server.sources if each.name in sources]
    needless = {getattr(each, field.name) for each in replaced if is_dataclass(each) for field in fields(each)}
    needed = [each for each in server.settings if each.name not in needless or each.env in environ]
    values = {each.name: each.default for each in server.settings}
    try:
        return values | read_settings(needed, environ, list_source_kinds(server.sources))
    except SettingsError as error:
        error.add_note("Tests give settings by their names in the contract: serve(…, settings={…}).")
        raise
