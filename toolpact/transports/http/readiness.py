"""Whether the sources of a server answer, asked so that probes cannot wear them out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolpact.sources import Pooled, Source
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import run_within
from toolpact.transports.http.security import Traffic

_LOG = logging.getLogger(__name__)
_ASKED_S = 2.0
"""Seconds within which a source must answer."""
_KEPT_S = 1.0
"""Seconds for which an answer is given again."""


class Readiness:
    """Answers `/ready`."""

    def __init__(self, sources: Mapping[str, Source], traffic: Traffic, clock: Clock) -> None:
        self._sources = sources
        self._traffic = traffic
        self._clock = clock
        self._asking: asyncio.Task[dict[str, str]] | None = None
        self._asked = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request: 200 if calls can be answered, else 503."""
        sources = await self._known()
        ready = not self._traffic.leaving and "unavailable" not in sources.values()
        body = orjson.dumps({"status": "ready" if ready else "not ready", "sources": sources})
        await Response(body, 200 if ready else 503, media_type="application/json")(scope, receive, send)

    async def _known(self) -> dict[str, str]:
        """Return how each source is; all who ask at the same time share one answer, and so does whoever asks soon after."""
        now = self._clock.monotonic()
        if self._asking is None or (self._asking.done() and now - self._asked > _KEPT_S):
            self._asking = asyncio.create_task(self._ask())
            self._asked = now
        return await asyncio.shield(self._asking)

    async def _ask(self) -> dict[str, str]:
        answers = await asyncio.gather(*(self._answers(name, source) for name, source in self._sources.items()))
        return dict(zip(self._sources, answers, strict=True))

    async def _answers(self, name: str, source: Source) -> str:
        if isinstance(source, Pooled) and (now := source.pool_state()).in_use >= now.limit:
            return "ok"  # calls ask it already, and a probe would only wait behind them
        try:
            await run_within(self._clock, _ASKED_S, source.check())
        except Exception as error:
            _LOG.warning("source %s does not answer", name, exc_info=error)
            return "unavailable"
        return "ok"
