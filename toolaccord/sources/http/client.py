"""Client of an HTTP service, with a rate limit, retries and a connection pool."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from copy import copy
from functools import partial
from typing import Any, ClassVar, Self, Unpack

from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.errors import SourceError, UndeclaredEffect
from toolaccord.source_faults import BUSY
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.http.api import (
    HttpBadRequest,
    HttpRateLimited,
    HttpResponse,
    HttpTimeout,
    HttpUnavailable,
    Method,
    QueryParams,
    RequestOptions,
)
from toolaccord.sources.http.connection import HttpConnections
from toolaccord.sources.http.prepared_request import Credentials, PreparedRequest, prepare
from toolaccord.sources.http.rate_limit import RateLimiter
from toolaccord.sources.http.retry import retry
from toolaccord.sources.http.shared_requests import SharedRequests
from toolaccord.sources.http_response import describe_status
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within
from toolaccord.timing.retrying import parse_retry_after

_TOO_MANY_REQUESTS = 429
_PROBE_INTERVAL_S = 10.0
"""Seconds between two probes of a rate-limited service. In between, the last outcome counts."""
_LONGEST_PAUSE_S = 60.0
"""Longest time in seconds for which one `Retry-After` pauses all callers."""


class HttpClient:
    """A service behind one base URL. Connects at the first request."""

    kind: ClassVar = "http"
    """Kind of the system that answers."""

    def __init__(
        self,
        limits: HttpSource,
        url: str,
        clock: Clock,
        *,
        product: str,
        credentials: Credentials | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._jitter = jitter
        rate = limits.requests_per_second
        self._rate_limiter = None if rate is None else RateLimiter(rate, clock)
        self._shared = SharedRequests(clock)
        self._slots = asyncio.Semaphore(limits.max_connections)
        credentials = credentials or Credentials()
        self._fault = credentials.find_fault()
        self._connections = HttpConnections(limits, url, credentials, product)
        self.availability = Availability(self.kind, limits.name, describe_place(url), clock, HttpUnavailable)
        """State of the source, as calls and checks found it."""
        self.rejection = ""
        """Text of the UndeclaredEffect that an unsafe request raises; empty if it is sent."""

    @property
    def pace(self) -> RateLimiter | None:
        """Return the rate limit, which replicas may share; None without one."""
        return self._rate_limiter

    def reading(self, rejection: str, /) -> Self:
        """Return the source for operations that send safe methods alone; both share everything."""
        reading = copy(self)
        reading.rejection = rejection
        return reading

    async def start(self) -> None:
        """Load httpx2; the first request connects. Raises HttpBadRequest for unusable credentials."""
        self._check_credentials()
        self._connections.open()

    async def check(self) -> None:
        """Request the base URL; any answer below status 500 will do.

        The outcome of the last request counts instead while no connection or slot is free. A rate-limited service gets
        no probe within ten seconds of any request. Raises HttpUnavailable, or HttpBadRequest for unusable credentials.
        """
        self._check_credentials()
        if self._should_probe():
            await self._probe()
        if self.availability.last_failure:
            raise self.availability.unavailable(self.availability.last_failure)

    async def close(self) -> None:
        """Close every connection."""
        await self._connections.close()

    def pool_state(self) -> PoolState:
        """Return the number of connections in use."""
        return self._connections.pool_state()

    @property
    def is_queueing(self) -> bool:
        """Return whether a request would wait for a slot of the rate limit."""
        return self._rate_limiter is not None and not self._rate_limiter.has_free_slot(self._shared.waiting)

    async def request(self, method: Method, path: str, **options: Unpack[RequestOptions]) -> HttpResponse:
        """Return the successful response to a request of *path* below the base URL.

        Equal safe requests that wait for a slot share one. Raises as `Http.request` says.
        """
        request = prepare(method, path, options)
        if self.rejection and not request.is_safe:
            raise UndeclaredEffect(self.rejection)
        self._check_credentials()
        try:
            return await self._request_shared(request)
        except (HttpUnavailable, HttpRateLimited) as error:
            declared = options.get("errors", {}).get(error.status or 0)
            if declared is None:
                raise
            if error.is_outage or error.is_retryable:
                raise declared from error
        raise declared  # outside the block: a rejected request is no failure of the source

    async def get_json(self, path: str, params: QueryParams | None = None) -> Any:
        """Return the JSON at *path* below the base URL. Raises as `request` does."""
        return (await self.request("GET", path, params=params)).json()

    def _check_credentials(self) -> None:
        """Raise HttpBadRequest, no answer of the service, for unusable credentials."""
        if self._fault:
            raise self.availability.attempt().failed(HttpBadRequest(self._fault, reason=self._fault))

    async def _request_shared(self, request: PreparedRequest) -> HttpResponse:
        """Return the response to a request, or to an equal one that waits for a slot."""

        async def send(on_slot: Callable[[], None] | None = None) -> HttpResponse:
            attempt = partial(self._attempt, request, on_slot)
            retries = self._limits.retries or 0 if request.is_repeatable else 0
            return await retry(retries, self.availability.retries, self._clock, self._jitter, attempt)

        is_shared = self._rate_limiter is not None and request.is_safe
        return await (self._shared.get(request.key, send) if is_shared else send())

    def _should_probe(self) -> bool:
        """Return whether a probe delays no call, and the last outcome is old enough."""
        if self._slots.locked():
            return False
        if self._rate_limiter is None:
            return True
        return self._rate_limiter.has_free_slot() and self.availability.idle_s >= _PROBE_INTERVAL_S

    async def _probe(self) -> None:
        attempt = self.availability.attempt()
        try:
            await self._attempt(prepare("GET", "", {}))
        except SourceError:
            pass  # the last outcome has it
        except asyncio.CancelledError:
            attempt.missed(HttpTimeout("GET: a probe was cancelled before the service answered"))
            raise

    async def _attempt(self, request: PreparedRequest, on_slot: Callable[[], None] | None = None) -> HttpResponse:
        """Return the response to one request; call *on_slot* before it is sent."""
        seconds = self._limits.timeout_s
        self.availability.admit()
        async with self._slot(request):
            if on_slot is not None:
                on_slot()
            with self.availability.attempt():
                try:
                    received, body = await run_within(self._clock, seconds, self._connections.send(request))
                except DeadlineExceeded as error:
                    raise HttpTimeout(f"{request}: no answer within {seconds} s") from error
                response = HttpResponse(
                    status=received.status_code,
                    content=body,
                    headers=received.headers,
                    availability=self.availability,
                )
                if response.status == _TOO_MANY_REQUESTS:
                    raise self._pause_callers(request, received.headers.get("Retry-After"))
                if not received.is_success:
                    message = f"{request}: {describe_status(received)}"
                    raise HttpUnavailable(message, status=response.status, response=response)
                return response

    def _pause_callers(self, request: PreparedRequest, retry_after: str | None) -> HttpRateLimited:
        """Pause all callers as the `Retry-After` of a status 429 asks; return the error to raise."""
        retry_after_s = parse_retry_after(retry_after, self._clock.now())
        if self._rate_limiter and retry_after_s:
            self._rate_limiter.pause_until(self._clock.monotonic() + min(retry_after_s, _LONGEST_PAUSE_S))
        return HttpRateLimited(
            f"{request}: status {_TOO_MANY_REQUESTS}", status=_TOO_MANY_REQUESTS, retry_after_s=retry_after_s
        )

    @asynccontextmanager
    async def _slot(self, request: PreparedRequest) -> AsyncIterator[None]:
        """Hold a connection and, if there is a rate limit, a slot for one request."""
        limiter = self._rate_limiter
        async with limiter.queued() if limiter else nullcontext():
            await self._acquire_connection(request)
            try:
                if limiter:
                    await limiter.take_slot()
            except BaseException:
                self._slots.release()
                raise
        try:
            yield
        finally:
            self._slots.release()

    async def _acquire_connection(self, request: PreparedRequest) -> None:
        """Take a connection. Raises HttpTimeout."""
        seconds, slots = self._limits.connection_timeout_s, self._slots
        attempt = self.availability.attempt()
        try:
            with attempt.waiting():
                await run_within(self._clock, seconds, slots.acquire(), dispose=lambda _: slots.release())
        except DeadlineExceeded as error:
            message = f"{request}: every connection was busy for {seconds} s"
            raise attempt.failed(HttpTimeout(message, reason=BUSY)) from error
