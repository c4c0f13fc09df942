"""Bucket of an InfluxDB over HTTP, whatever the query language."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote, urlsplit

import orjson

from toolaccord.contract.source_kinds.influxdb import InfluxdbSource
from toolaccord.source_faults import TOO_LARGE
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import describe_place, translate_address_errors
from toolaccord.sources.availability import Availability
from toolaccord.sources.client_tls import FreshContext, split_tls
from toolaccord.sources.http_response import ResponseTooLarge, describe_status, explain, fetch
from toolaccord.sources.influxdb.api import BucketAddress, InfluxdbError, Row
from toolaccord.sources.request_count import RequestCount
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    import httpx2

_CLOSE_TIMEOUT_S = 1.0
_LONGEST_MESSAGE = 300
_ROWS_PER_TURN = 1000
"""Rows that are read before other calls go on."""


class Bucket:
    """A bucket of an InfluxDB; a subclass for each language adds the queries.

    Connects at the first request, and again after the server was unavailable.
    """

    kind: ClassVar = "influxdb"
    """Kind of the system that answers."""

    def __init__(self, limits: InfluxdbSource, address: BucketAddress, clock: Clock) -> None:
        self._limits = limits
        self._address = address
        self._client: httpx2.AsyncClient | None = None
        self._tls: FreshContext | None = None
        unavailable = partial(InfluxdbError, is_lost=True)
        self.availability = Availability(self.kind, limits.name, describe_place(address.url), clock, unavailable)
        """State of the source, as calls and checks found it."""
        self._requests = RequestCount(limits.max_connections)

    @property
    def bucket(self) -> str:
        """Name of the bucket; in InfluxQL, of the database."""
        return self._address.bucket

    async def start(self) -> None:
        """Connect. Raises InfluxdbError."""
        await self.check()

    async def check(self) -> None:
        """Ping the server. Raises InfluxdbError."""
        await self._fetch("GET", "/ping")

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSE_TIMEOUT_S)

    def pool_state(self) -> PoolState:
        """Return the number of connections in use."""
        return self._requests.pool_state()

    async def _fetch(self, method: str, path: str, **content: Any) -> bytes:
        """Return the body of a successful response. Raises InfluxdbError."""
        with self.availability.request():
            return await self._request(method, path, **content)

    async def _request(self, method: str, path: str, **content: Any) -> bytes:
        import httpx2  # noqa: PLC0415 - takes 50 ms to load, too long before the first answer

        limits = self._limits
        try:
            with translate_address_errors(InfluxdbError), self._requests.track():
                response, body = await fetch(
                    self._open_client(), method, path, source=limits.name, limit=limits.max_response_bytes, **content
                )
        except (httpx2.PoolTimeout, httpx2.ConnectTimeout) as error:
            message = f"no connection within {limits.connection_timeout_s} s"
            raise InfluxdbError(message, is_lost=True, reason=explain(error)) from error
        except ResponseTooLarge as error:
            raise InfluxdbError(f"{method} {path}: {error}", reason=TOO_LARGE) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            is_lost = not isinstance(error, httpx2.DecodingError)
            message = f"{method} {path}: {type(error).__name__}: {error}"
            raise InfluxdbError(message, is_lost=is_lost, reason=explain(error)) from error
        if not response.is_success:
            message = f"{method} {path}: {describe_status(response)}{_reason(body)}"
            raise InfluxdbError(message[:_LONGEST_MESSAGE], status=response.status_code)
        return body

    def _open_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2  # noqa: PLC0415 - see _fetch

            address, files = split_tls(self._address.url)
            self._tls = FreshContext(files) if files else None
            limits, parts = self._limits, urlsplit(address)
            # The caller's deadline limits the query; only connecting has a timeout here.
            timeout = httpx2.Timeout(None, connect=limits.connection_timeout_s, pool=limits.connection_timeout_s)
            self._client = httpx2.AsyncClient(
                base_url=parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(),
                verify=self._tls.context if self._tls else httpx2.create_ssl_context(),
                auth=_basic_auth(self._address),
                headers=_headers(self._address.token),
                limits=httpx2.Limits(
                    max_connections=limits.max_connections,
                    max_keepalive_connections=limits.max_connections,
                    keepalive_expiry=limits.idle_timeout_s,
                ),
                timeout=timeout,
                trust_env=not self._address.is_loopback,
            )
        elif self._tls:
            self._tls.refresh()
        return self._client


async def collect_rows(rows: Iterable[Row]) -> list[Row]:
    """Return *rows* as they are parsed, while other calls go on."""
    found: list[Row] = []
    for row in rows:
        found.append(row)
        if not len(found) % _ROWS_PER_TURN:
            await asyncio.sleep(0)
    return found


def _basic_auth(address: BucketAddress) -> tuple[str, str] | None:
    """Return user name and password for 1.x. Tokens of 2.x and 3.x never hold a colon."""
    parts = urlsplit(address.url)
    if parts.username:
        return unquote(parts.username), unquote(parts.password or "")
    name, colon, password = address.token.partition(":")
    return (name, password) if colon else None


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Token {token}"} if token and ":" not in token else {}


def _reason(body: bytes) -> str:
    """Return the reason of a rejection: `error` in 1.x and 3.x, `message` in 2.x."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    reason = (answer.get("error") or answer.get("message")) if isinstance(answer, dict) else None
    return f": {reason}" if reason else ""
