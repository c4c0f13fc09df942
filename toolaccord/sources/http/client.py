"""Client of an HTTP service over httpx2, with a rate limit, retries and a connection pool."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from toolaccord.errors import SourceError
from toolaccord.source_faults import BUSY, TOO_LARGE
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import describe_place, is_loopback, translate_address_errors
from toolaccord.sources.availability import Availability
from toolaccord.sources.http.api import (
    HttpBadResponse,
    HttpLimits,
    HttpRateLimited,
    HttpTimeout,
    HttpUnavailable,
    QueryParams,
)
from toolaccord.sources.http.rate_limit import RateLimiter
from toolaccord.sources.http.retry import retry
from toolaccord.sources.http.shared_requests import SharedRequests
from toolaccord.sources.http_response import ResponseTooLarge, describe_status, explain, fetch
from toolaccord.sources.request_count import RequestCount
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within
from toolaccord.timing.retrying import parse_retry_after

if TYPE_CHECKING:
    import httpx2

_CLOSE_TIMEOUT_S = 1.0
_TOO_MANY_REQUESTS = 429
_PROBE_INTERVAL_S = 10.0
"""Seconds between two probes of a rate-limited service. In between, the last outcome counts."""
_LONGEST_PAUSE_S = 60.0
"""Longest time in seconds for which one `Retry-After` pauses all callers."""


class HttpClient:
    """A service behind one base URL. Connects at the first request."""

    def __init__(
        self,
        limits: HttpLimits,
        url: str,
        clock: Clock,
        *,
        product: str,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._limits = limits
        self._url = url
        self._clock = clock
        self._product = product
        self._jitter = jitter
        rate = limits.requests_per_second
        self._rate_limiter = None if rate is None else RateLimiter(rate, clock)
        self._shared = SharedRequests(clock)
        self._connections = asyncio.Semaphore(limits.max_connections)
        self._requests = RequestCount(limits.max_connections)
        self.availability = Availability(self.kind, limits.name, describe_place(url))
        """State of the source, as calls and checks found it."""
        self._client: httpx2.AsyncClient | None = None
        self._failure: SourceError | None = None
        """Failure of the last request, if it shows that the service is unavailable."""
        self._last_outcome_at = float("-inf")

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "http"

    async def start(self) -> None:
        """Load httpx2; the first request connects."""
        self._open_client()

    async def check(self) -> None:
        """Request the base URL; any answer below status 500 will do.

        The outcome of the last request counts instead while no connection or slot is free. A rate-limited service gets
        no probe within ten seconds of any request. Raises HttpTimeout or HttpUnavailable.
        """
        if self._should_probe():
            await self._probe()
        if self._failure:
            raise copy(self._failure)

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSE_TIMEOUT_S)

    def pool_state(self) -> PoolState:
        """Return the number of connections in use."""
        return self._requests.pool_state()

    @property
    def is_queueing(self) -> bool:
        """Return whether a request would wait for a slot of the rate limit."""
        return self._rate_limiter is not None and not self._rate_limiter.has_free_slot(self._shared.waiting)

    async def get_json(self, path: str, params: QueryParams | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Equal requests that wait for a slot share one. Raises HttpTimeout, HttpUnavailable, HttpRateLimited or
        HttpBadResponse.
        """

        async def send(on_slot: Callable[[], None] | None = None) -> bytes:
            attempt = partial(self._request, path, params, on_slot)
            return await retry(self._limits.retries or 0, self._clock, self._jitter, attempt)

        key = (path, tuple(sorted((params or {}).items())))
        content = await (self._shared.get(key, send) if self._rate_limiter else send())
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise self.availability.attempt().failed(HttpBadResponse(f"GET {path}: the answer is not JSON")) from error

    def _should_probe(self) -> bool:
        """Return whether a probe delays no call, and the last outcome is old enough."""
        if self._connections.locked():
            return False
        if self._rate_limiter is None:
            return True
        is_outdated = self._clock.monotonic() - self._last_outcome_at >= _PROBE_INTERVAL_S
        return self._rate_limiter.has_free_slot() and is_outdated

    async def _probe(self) -> None:
        attempt = self.availability.attempt()
        try:
            await self._request("", None)
        except SourceError:
            pass  # _record_outcome has stored it
        except asyncio.CancelledError:
            self._set_outcome(attempt.failed(HttpTimeout("GET: a probe was cancelled before the service answered")))
            raise

    async def _request(self, path: str, params: QueryParams | None, on_slot: Callable[[], None] | None = None) -> bytes:
        """Return the body of the answer to one request; call *on_slot* before it is sent."""
        seconds = self._limits.timeout_s
        async with self._connection(path):
            if on_slot is not None:
                on_slot()
            with self._record_outcome(), self.availability.attempt():
                try:
                    response, body = await run_within(self._clock, seconds, self._send(path, params))
                except DeadlineExceeded as error:
                    raise HttpTimeout(f"GET {path}: no answer within {seconds} s") from error
                if response.status_code == _TOO_MANY_REQUESTS:
                    raise self._pause_callers(path, response.headers.get("Retry-After"))
                if not response.is_success:
                    message = f"GET {path}: {describe_status(response)}"
                    raise HttpUnavailable(message, status=response.status_code)
                return body

    @contextmanager
    def _record_outcome(self) -> Iterator[None]:
        """Store the outcome of a request, for `check`."""
        try:
            yield
        except SourceError as failure:
            self._set_outcome(failure)
            raise
        self._set_outcome(None)

    def _set_outcome(self, failure: SourceError | None) -> None:
        self._failure = None
        if failure and failure.is_outage:
            # A copy has no traceback, whose frames would live as long, and no cause, which has the reason.
            self._failure = copy(failure)
            self._failure.reason = failure.why
        self._last_outcome_at = self._clock.monotonic()

    def _pause_callers(self, path: str, retry_after: str | None) -> HttpRateLimited:
        """Pause all callers as the `Retry-After` of a status 429 asks; return the error to raise."""
        retry_after_s = parse_retry_after(retry_after, self._clock.now())
        if self._rate_limiter and retry_after_s:
            self._rate_limiter.pause_until(self._clock.monotonic() + min(retry_after_s, _LONGEST_PAUSE_S))
        return HttpRateLimited(
            f"GET {path}: status {_TOO_MANY_REQUESTS}", status=_TOO_MANY_REQUESTS, retry_after_s=retry_after_s
        )

    @asynccontextmanager
    async def _connection(self, path: str) -> AsyncIterator[None]:
        """Hold a connection and, if there is a rate limit, a slot for one request."""
        limiter = self._rate_limiter
        async with limiter.queued() if limiter else nullcontext():
            await self._acquire_connection(path)
            try:
                if limiter:
                    await limiter.take_slot()
            except BaseException:
                self._connections.release()
                raise
        try:
            yield
        finally:
            self._connections.release()

    async def _acquire_connection(self, path: str) -> None:
        """Take a connection. Raises HttpTimeout."""
        seconds, connections = self._limits.connection_timeout_s, self._connections
        attempt = self.availability.attempt()
        try:
            with attempt.waiting():
                await run_within(self._clock, seconds, connections.acquire(), dispose=lambda _: connections.release())
        except DeadlineExceeded as error:
            message = f"GET {path}: every connection was busy for {seconds} s"
            raise attempt.failed(HttpTimeout(message, reason=BUSY)) from error

    async def _send(self, path: str, params: QueryParams | None) -> tuple[httpx2.Response, bytes]:
        import httpx2  # noqa: PLC0415 - takes 50 ms to load, too long before the first answer

        limits = self._limits
        try:
            client = self._open_client()
            with self._requests.track(), translate_address_errors(HttpUnavailable):
                return await fetch(
                    client, "GET", path, source=limits.name, limit=limits.max_response_bytes, params=params
                )
        except ResponseTooLarge as error:
            raise HttpBadResponse(f"GET {path}: {error}", reason=TOO_LARGE) from error
        except httpx2.TimeoutException as error:
            raise HttpTimeout(f"GET {path}: {type(error).__name__}") from error
        except httpx2.DecodingError as error:
            raise HttpBadResponse(f"GET {path}: the answer cannot be decoded") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failed = isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)
            message = f"GET {path}: {type(error).__name__}: {error}"
            raise HttpUnavailable(message, connection_failed=failed, reason=explain(error)) from error

    def _open_client(self) -> httpx2.AsyncClient:
        """Return the client, created at the first call. Raises HttpUnavailable for an invalid URL."""
        if self._client is None:
            import httpx2  # noqa: PLC0415 - see _send

            limits = self._limits
            with translate_address_errors(HttpUnavailable):
                self._client = httpx2.AsyncClient(
                    base_url=self._url,
                    headers={"User-Agent": f"{self._product} (toolaccord; httpx2/{httpx2.__version__})"},
                    limits=httpx2.Limits(max_connections=limits.max_connections),
                    timeout=httpx2.Timeout(
                        limits.timeout_s, connect=limits.connection_timeout_s, pool=limits.connection_timeout_s
                    ),
                    trust_env=not is_loopback(urlsplit(self._url).hostname),  # which no proxy can reach
                )
        return self._client
