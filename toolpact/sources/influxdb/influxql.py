"""InfluxDB in InfluxQL: `GET /query`, which 1.x, 2.x and 3.x answer, by httpx2."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import orjson

from toolpact.sources import PoolState
from toolpact.sources.addresses import connecting
from toolpact.sources.influxdb import Access, InfluxdbError, InfluxdbSource, Language, Row
from toolpact.sources.request_count import RequestCount

if TYPE_CHECKING:
    import httpx2

_CLOSING_S = 1.0
_LONGEST_SAID = 300


class InfluxqlClient:
    """A bucket that is asked in InfluxQL; connects at the first query, and again after the server was away."""

    def __init__(self, declared: InfluxdbSource, given: Access) -> None:
        self._declared = declared
        self._given = given
        self._client: httpx2.AsyncClient | None = None
        self._requests = RequestCount(declared.max_connections)

    @property
    def kind(self) -> str:
        """What answers."""
        return self._declared.kind

    @property
    def language(self) -> Language:
        """What `query` understands."""
        return "influxql"

    @property
    def bucket(self) -> str:
        """The database; 2.x maps it to the bucket of the same name."""
        return self._given.bucket

    async def start(self) -> None:
        """Connect. Raises InfluxdbError."""
        await self.check()

    async def check(self) -> None:
        """Ask the server for nothing. Raises InfluxdbError."""
        await self._get("/ping", {})

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSING_S)

    def pool_state(self) -> PoolState:
        """Return how many of the client's connections are in use."""
        return self._requests.pool_state()

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all statements of *text*. Raises InfluxdbError."""
        # 3.x reads nothing but the address; POST is for statements that write.
        response = await self._get("/query", {"db": self.bucket, "q": text, "epoch": "ms"})
        try:
            answer: dict[str, Any] = orjson.loads(response.content)
            _raise_error_in(answer, self.bucket, None if response.is_success else response.status_code)
            if not response.is_success:
                raise InfluxdbError(f"GET /query: status {response.status_code}", status=response.status_code)
            return list(_rows(answer))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            said = f"GET /query: status {response.status_code}, and the answer is no result of a query"
            raise InfluxdbError(said, status=response.status_code) from error

    async def _get(self, path: str, params: dict[str, str]) -> httpx2.Response:
        import httpx2  # noqa: PLC0415 - 50 ms that a server need not pay before its first answer

        try:
            with connecting(InfluxdbError):
                client = self._opened()
            request = client.build_request("GET", path, params=params)
            with self._requests.one_more(), connecting(InfluxdbError):
                return await client.send(request)
        except httpx2.PoolTimeout as error:
            raise InfluxdbError(f"no connection within {self._declared.connection_timeout_s} s") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise InfluxdbError(f"GET {path}: {type(error).__name__}: {error}") from error

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2  # noqa: PLC0415 - see _get

            declared, parts = self._declared, urlsplit(self._given.url)
            # A query takes as long as its caller's deadline lets it; only connecting has a limit here.
            limit = httpx2.Timeout(None, connect=declared.connection_timeout_s, pool=declared.connection_timeout_s)
            self._client = httpx2.AsyncClient(
                base_url=parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(),
                auth=_user(self._given),
                headers=_headers(self._given.token),
                limits=httpx2.Limits(
                    max_connections=declared.max_connections,
                    max_keepalive_connections=declared.max_connections,
                    keepalive_expiry=declared.idle_timeout_s,
                ),
                timeout=limit,
                trust_env=not self._given.loopback,
            )
        return self._client


def _user(given: Access) -> tuple[str, str] | None:
    """Name and password for 1.x; no token of 2.x or 3.x has a colon."""
    parts = urlsplit(given.url)
    if parts.username:
        return unquote(parts.username), unquote(parts.password or "")
    name, colon, password = given.token.partition(":")
    return (name, password) if colon else None


def _headers(token: str) -> dict[str, str]:
    known = {"Authorization": f"Token {token}"} if token and ":" not in token else {}
    return {"Accept": "application/json"} | known


def _raise_error_in(answer: dict[str, Any], bucket: str, status: int | None) -> None:
    """Raise what went wrong by the answer's own words: success may hold an error, and half of the rows."""
    parts = (answer, *answer.get("results", ()))
    if said := [str(part["error"]) for part in parts if "error" in part]:
        # Of several statements 1.x says "not executed" alone, where of one it says that there is no such database.
        raise InfluxdbError(f"database {bucket}: {'; '.join(said)}"[:_LONGEST_SAID], status=status)
    if any(part.get("partial") for each in parts for part in (each, *(each.get("series") or ()))):
        raise InfluxdbError("the server cut the answer short, or has too many rows to say so", status=status)


def _rows(answer: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows; no data is a missing `series` (1.x) or an empty one (3.x)."""
    for result in answer["results"]:
        for series in result.get("series") or ():
            columns, tags = series["columns"], series.get("tags") or {}
            for values in series["values"]:
                yield tags | dict(zip(columns, values, strict=True))
