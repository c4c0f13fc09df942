"""A service that answers JSON, by httpx2, connected when first needed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import orjson

from toolpact.errors import SourceError
from toolpact.sources import PoolState
from toolpact.sources.addresses import connecting
from toolpact.sources.http import HttpBadResponse, HttpRateLimited, HttpSource, HttpTimeout, HttpUnavailable
from toolpact.sources.http.rate_limit import Pace
from toolpact.sources.http.retry import retried, retry_after_s
from toolpact.sources.request_count import RequestCount
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    import httpx2

Params: TypeAlias = Mapping[str, str | int | float | bool]

_CLOSING_S = 1.0
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
_HEARD_S = 10.0
"""Seconds for which a service with a limit is judged by the last answer: a probe every so often is all that it is asked."""
_LONGEST_PAUSE_S = 60.0
"""Seconds for which one `Retry-After` may keep all callers from asking."""


class HttpClient:
    """A service behind one base URL."""

    def __init__(
        self, declared: HttpSource, url: str, clock: Clock, chance: Callable[[], float] = random.random
    ) -> None:
        self._declared = declared
        self._url = url
        self._clock = clock
        self._chance = chance
        limit = declared.requests_per_second
        self._pace = None if limit is None else Pace(limit, clock)
        self._places = asyncio.Semaphore(declared.max_connections)
        self._requests = RequestCount(declared.max_connections)
        self._client: httpx2.AsyncClient | None = None
        self._away: SourceError | None = None
        """Why the service is taken to be away, by what came of the last request."""
        self._heard_at = float("-inf")

    @property
    def kind(self) -> str:
        """What answers."""
        return self._declared.kind

    async def start(self) -> None:
        """Load the client; it connects at the first request."""
        self._opened()

    async def check(self) -> None:
        """Ask for the base URL: any answer but that of a broken server will do. Raises HttpUnavailable.

        It waits for no turn: where none is free, and for a while where there is a limit, it goes by the last request.
        """
        if self._probe_is_due():
            await self._probe()
        if self._away:
            raise HttpUnavailable("the last request failed") from self._away

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSING_S)

    def pool_state(self) -> PoolState:
        """Return how many of the client's connections are in use."""
        return self._requests.pool_state()

    async def get_json(self, path: str, params: Params | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Raises HttpTimeout, HttpUnavailable, HttpRateLimited or HttpBadResponse.
        """
        content = await retried(
            self._declared.retries or 0, self._clock, self._chance, lambda: self._attempt(path, params)
        )
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise HttpBadResponse(f"GET {path}: the answer is not JSON") from error

    def _probe_is_due(self) -> bool:
        """Whether a probe takes nothing from a call, and would say something new."""
        if self._places.locked():
            return False
        if self._pace is None:
            return True
        return self._pace.is_free() and self._clock.monotonic() - self._heard_at >= _HEARD_S

    async def _probe(self) -> None:
        try:
            await self._attempt("", None)
        except SourceError:
            pass  # what it means is remembered
        except asyncio.CancelledError:
            self._heard(HttpTimeout("GET: a probe was given up before it was answered"))
            raise

    async def _attempt(self, path: str, params: Params | None) -> bytes:
        """Return what one request is answered."""
        seconds = self._declared.timeout_s
        async with self._turn(path):
            with self._remembered():
                try:
                    response = await run_within(self._clock, seconds, self._get(path, params))
                except DeadlineExceeded as error:
                    raise HttpTimeout(f"GET {path}: no answer within {seconds} s") from error
                if response.status_code == _TOO_MANY_REQUESTS:
                    raise self._limited(path, response.headers.get("Retry-After"))
                if not response.is_success:
                    status = response.status_code
                    raise HttpUnavailable(f"GET {path}: status {status}", status=status)
                return response.content

    @contextmanager
    def _remembered(self) -> Iterator[None]:
        """Remember what comes of a request."""
        try:
            yield
        except SourceError as failure:
            self._heard(failure)
            raise
        self._heard(None)

    def _heard(self, failure: SourceError | None) -> None:
        answered = isinstance(failure, HttpUnavailable) and failure.status and failure.status < _SERVER_ERROR
        away = isinstance(failure, HttpTimeout | HttpUnavailable) and not answered
        self._away = failure if away else None
        self._heard_at = self._clock.monotonic()

    def _limited(self, path: str, retry_after: str | None) -> HttpRateLimited:
        """Return the failure of a status of 429, having paused all callers for as long as the service asks for."""
        after_s = retry_after_s(retry_after, self._clock.now())
        if self._pace and after_s:
            self._pace.pause_until(self._clock.monotonic() + min(after_s, _LONGEST_PAUSE_S))
        return HttpRateLimited(
            f"GET {path}: status {_TOO_MANY_REQUESTS}", status=_TOO_MANY_REQUESTS, retry_after_s=after_s
        )

    @asynccontextmanager
    async def _turn(self, path: str) -> AsyncIterator[None]:
        """Hold one of the connections, once a request may begin."""
        async with self._pace.turn() if self._pace else nullcontext():
            await self._place(path)
            try:
                if self._pace:
                    await self._pace.begin()
            except BaseException:
                self._places.release()
                raise
        try:
            yield
        finally:
            self._places.release()

    async def _place(self, path: str) -> None:
        """Take one of the connections."""
        seconds = self._declared.connection_timeout_s
        try:
            await run_within(self._clock, seconds, self._places.acquire(), dispose=lambda _: self._places.release())
        except DeadlineExceeded as error:
            raise HttpTimeout(f"GET {path}: every connection was busy for {seconds} s") from error

    async def _get(self, path: str, params: Params | None) -> httpx2.Response:
        import httpx2  # noqa: PLC0415 - 50 ms that a server need not pay before its first answer

        try:
            client = self._opened()
            request = client.build_request("GET", path, params=params)
            with self._requests.one_more(), connecting(HttpUnavailable):
                return await client.send(request)
        except httpx2.TimeoutException as error:
            raise HttpTimeout(f"GET {path}: {type(error).__name__}") from error
        except httpx2.DecodingError as error:
            raise HttpBadResponse(f"GET {path}: the answer cannot be decoded") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            broken = isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)
            raise HttpUnavailable(f"GET {path}: {type(error).__name__}: {error}", broken=broken) from error

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2  # noqa: PLC0415 - see _get

            declared = self._declared
            with connecting(HttpUnavailable):
                self._client = httpx2.AsyncClient(
                    base_url=self._url,
                    headers={"User-Agent": f"{declared.client} (toolpact; httpx2/{httpx2.__version__})"},
                    limits=httpx2.Limits(max_connections=declared.max_connections),
                    timeout=httpx2.Timeout(
                        declared.timeout_s, connect=declared.connection_timeout_s, pool=declared.connection_timeout_s
                    ),
                    # A proxy cannot reach this machine's loopback.
                    trust_env=urlsplit(self._url).hostname not in _LOOPBACK,
                )
        return self._client
