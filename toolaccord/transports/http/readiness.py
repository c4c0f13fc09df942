"""Readiness of a server: the state of its sources, cached to protect them from probes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolaccord.errors import SourceError
from toolaccord.sources import Pooled, Source
from toolaccord.sources.availability import Observed, report_deadline, report_failure
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within
from toolaccord.transports.http.traffic import Traffic

_LOG = logging.getLogger(__name__)
_CHECK_TIMEOUT_S = 2.0
"""Seconds within which a source must answer."""
_CACHE_TTL_S = 1.0
"""Seconds for which a result is reused."""


class Readiness:
    """Answers `/ready`."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        traffic: Traffic,
        clock: Clock,
        *,
        dispensable: Collection[str] = (),
        ask_all: Callable[[], Awaitable[Mapping[str, Any]]] | None = None,
    ) -> None:
        """*dispensable* are the names of sources without which every call can be answered.

        *ask_all* returns the number of `wanted` workers, and the `states` of those that accept connections.
        """
        self._ask_all = ask_all
        self._sources = sources
        self._dispensable = dispensable
        self._traffic = traffic
        self._clock = clock
        self._check: asyncio.Task[dict[str, str]] | None = None
        self._checked_at = 0.0
        self._reasons: dict[str, str] = {}
        """The reasons of sources for which calls fail, by the sources' names."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request: 200 if calls can be answered, else 503."""
        state = _join(**await self._ask_all()) if self._ask_all else await self.read_state()
        is_ready = state.pop("is_ready")
        body = orjson.dumps({"status": "ready" if is_ready else "not ready"} | state)
        await Response(body, 200 if is_ready else 503, media_type="application/json")(scope, receive, send)

    async def read_state(self) -> dict[str, Any]:
        """Return the state of this process: `is_ready`, `sources`, and `reasons` if there are some."""
        states = await self._source_states()
        needed = {state for name, state in states.items() if name not in self._dispensable}
        is_ready = not self._traffic.is_draining and "unavailable" not in needed
        return {"is_ready": is_ready, "sources": states} | self._describe()

    async def _source_states(self) -> dict[str, str]:
        """Return the state of each source. Requests within a second share one check."""
        now = self._clock.monotonic()
        if self._check is None or (self._check.done() and now - self._checked_at > _CACHE_TTL_S):
            self._check = asyncio.create_task(self._check_all())
            self._checked_at = now
        return await asyncio.shield(self._check)

    async def _check_all(self) -> dict[str, str]:
        states = await asyncio.gather(*(self._check_source(name, source) for name, source in self._sources.items()))
        return dict(zip(self._sources, states, strict=True))

    async def _check_source(self, name: str, source: Source) -> str:
        if _uses_every_connection(source):
            return _state_of(source)  # a check would only wait for a connection
        try:
            await run_within(self._clock, _CHECK_TIMEOUT_S, source.check())
        except SourceError as error:
            report_failure(error)
            if error.is_outage and error.attempt:
                self._reasons.pop(name, None)  # the source logs it
            else:
                self._note(name, error.why)
            return "unavailable"
        except DeadlineExceeded as error:
            if report_deadline(error):
                self._reasons.pop(name, None)  # see above
            else:
                self._note(name, f"no answer within {_CHECK_TIMEOUT_S:g} s")
            return "unavailable"
        except Exception as error:
            self._note(name, f"the check failed: {type(error).__name__}")
            _LOG.debug("source %s could not be checked", name, exc_info=error)
            return "unavailable"
        self._note(name, None)
        return _state_of(source)

    def _note(self, name: str, reason: str | None) -> None:
        """Store the reason why calls of a source fail, None for none, and log a change."""
        before = self._reasons.pop(name, None)
        if reason is not None:
            self._reasons[name] = reason
        if reason is not None and reason != before:
            _LOG.warning("source %s: %s", name, reason)
        elif before is not None and reason is None:
            _LOG.info("source %s: no longer: %s", name, before)

    def _describe(self) -> dict[str, dict[str, str]]:
        return {"reasons": self._reasons} if self._reasons else {}


def _join(wanted: int, states: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the state of all workers: a caller may reach any of those that accept connections."""
    sources: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for state in states:
        sources |= {name: each for name, each in state["sources"].items() if sources.get(name) != "unavailable"}
        reasons |= state.get("reasons", {})
    is_ready = bool(states) and all(state["is_ready"] for state in states)
    workers = {"wanted": wanted, "accepting": len(states)}
    return {"is_ready": is_ready, "sources": sources, "workers": workers} | ({"reasons": reasons} if reasons else {})


def _uses_every_connection(source: Source) -> bool:
    return isinstance(source, Pooled) and (pool := source.pool_state()).in_use >= pool.limit


def _state_of(source: Source) -> str:
    """Return the state of *source* for calls: its circuit breaker may reject them."""
    is_open = isinstance(source, Observed) and source.availability.breaker.state == "open"
    return "unavailable" if is_open else "ok"
