"""InfluxQL queries to InfluxDB 1.x, 2.x and 3.x: `GET /query`, over httpx2."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import orjson

from toolpact.sources import PoolState
from toolpact.sources.addresses import translate_address_errors
from toolpact.sources.influxdb.api import BucketAddress, InfluxdbError, InfluxdbLimits, Language, Row
from toolpact.sources.request_count import RequestCount

if TYPE_CHECKING:
    import httpx2

_CLOSE_TIMEOUT_S = 1.0
_LONGEST_MESSAGE = 300


class InfluxqlClient:
    """A bucket queried in InfluxQL.

    Connects at the first query, and again after the server was unavailable.
    """

    def __init__(self, limits: InfluxdbLimits, address: BucketAddress) -> None:
        self._limits = limits
        self._address = address
        self._client: httpx2.AsyncClient | None = None
        self._requests = RequestCount(limits.max_connections)

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "influxdb"

    @property
    def language(self) -> Language:
        """Language of `query`."""
        return "influxql"

    @property
    def bucket(self) -> str:
        """Name of the database; 2.x maps it to the bucket of the same name."""
        return self._address.bucket

    async def start(self) -> None:
        """Connect. Raises InfluxdbError."""
        await self.check()

    async def check(self) -> None:
        """Ping the server. Raises InfluxdbError."""
        await self._get("/ping", {})

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSE_TIMEOUT_S)

    def pool_state(self) -> PoolState:
        """Return the number of connections in use."""
        return self._requests.pool_state()

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all statements of *text*. Raises InfluxdbError."""
        # 3.x reads parameters from the URL alone; POST is for statements that write.
        response = await self._get("/query", {"db": self.bucket, "q": text, "epoch": "ms"})
        try:
            answer: dict[str, Any] = orjson.loads(response.content)
            _raise_error_in(answer, self.bucket, None if response.is_success else response.status_code)
            if not response.is_success:
                raise InfluxdbError(f"GET /query: status {response.status_code}", status=response.status_code)
            return list(_rows(answer))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            message = f"GET /query: status {response.status_code}, and the answer is not a query result"
            raise InfluxdbError(message, status=response.status_code) from error

    async def _get(self, path: str, params: dict[str, str]) -> httpx2.Response:
        import httpx2  # noqa: PLC0415 - takes 50 ms to load, too long before the first answer

        try:
            with translate_address_errors(InfluxdbError):
                client = self._open_client()
            request = client.build_request("GET", path, params=params)
            with self._requests.track(), translate_address_errors(InfluxdbError):
                return await client.send(request)
        except httpx2.PoolTimeout as error:
            raise InfluxdbError(f"no connection within {self._limits.connection_timeout_s} s") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise InfluxdbError(f"GET {path}: {type(error).__name__}: {error}") from error

    def _open_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2  # noqa: PLC0415 - see _get

            limits, parts = self._limits, urlsplit(self._address.url)
            # The caller's deadline limits the query; only connecting has a timeout here.
            timeout = httpx2.Timeout(None, connect=limits.connection_timeout_s, pool=limits.connection_timeout_s)
            self._client = httpx2.AsyncClient(
                base_url=parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(),
                auth=_basic_auth(self._address),
                headers=_headers(self._address.token),
                limits=httpx2.Limits(
                    max_connections=limits.max_connections,
                    max_keepalive_connections=limits.max_connections,
                    keepalive_expiry=limits.idle_timeout_s,
                ),
                timeout=timeout,
                trust_env=not self._address.is_loopback,
                verify=parts.scheme != "http",  # reading the certificates takes 70 ms, and HTTP needs none
            )
        return self._client


def _basic_auth(address: BucketAddress) -> tuple[str, str] | None:
    """Return user name and password for 1.x. Tokens of 2.x and 3.x never hold a colon."""
    parts = urlsplit(address.url)
    if parts.username:
        return unquote(parts.username), unquote(parts.password or "")
    name, colon, password = address.token.partition(":")
    return (name, password) if colon else None


def _headers(token: str) -> dict[str, str]:
    authorization = {"Authorization": f"Token {token}"} if token and ":" not in token else {}
    return {"Accept": "application/json"} | authorization


def _raise_error_in(answer: dict[str, Any], bucket: str, status: int | None) -> None:
    """Raise the error that *answer* holds.

    A successful answer may hold an error, and half of the rows.
    """
    parts = (answer, *answer.get("results", ()))
    if errors := [str(part["error"]) for part in parts if "error" in part]:
        # 1.x names a missing database only for a single statement; of several it reports "not executed".
        raise InfluxdbError(f"database {bucket}: {'; '.join(errors)}"[:_LONGEST_MESSAGE], status=status)
    if any(part.get("partial") for each in parts for part in (each, *(each.get("series") or ()))):
        raise InfluxdbError("the server cut the answer short, or has too many rows to report otherwise", status=status)


def _rows(answer: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows. Without data, `series` is missing (1.x) or empty (3.x)."""
    for result in answer["results"]:
        for series in result.get("series") or ():
            columns, tags = series["columns"], series.get("tags") or {}
            for values in series["values"]:
                yield tags | dict(zip(columns, values, strict=True))
