"""Sources that answer as a test says."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Unpack

import orjson

from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.http import HttpResponse, HttpUnavailable
from toolaccord.sources.http.api import Method, RequestOptions
from toolaccord.sources.http.prepared_request import prepare
from toolaccord.sources.http.uri import build_path
from toolaccord.sources.postgresql import Row, Statements
from toolaccord.sources.read_only import ReadOnly
from toolaccord.sources.redis import RedisError

_SUCCESSES = range(200, 300)


class FakeSource:
    """A source that counts its starts and closings."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.started = 0
        self.closed = 0

    async def start(self) -> None:
        """Count a start."""
        self.started += 1

    async def check(self) -> None:
        """Answer that the source is available."""

    async def close(self) -> None:
        """Count a close."""
        self.closed += 1


class FakePostgresql(FakeSource):
    """A database whose rows come from *answer*.

    *answer* takes a statement and its values, and may raise. Transactions are not isolated, and nothing knows whether
    a statement only reads. Use a real database to test faults and effects.
    """

    def __init__(self, answer: Callable[[str, tuple[Any, ...]], list[Row]]) -> None:
        super().__init__("postgresql")
        self._answer = answer

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of *answer*."""
        return self._answer(sql, values)

    async def fetch_one(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of *answer*; None without one."""
        return next(iter(self._answer(sql, values)), None)

    async def fetch_values(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the values of the rows of *answer*."""
        return [tuple(row.values()) for row in self._answer(sql, values)]

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Statements]:
        """Run several statements, without isolation."""
        yield self


class FakeHttp(FakeSource):
    """An HTTP service that answers with *pages*, by path or by `METHOD path`.

    A page is JSON, or an HttpResponse. An exception is raised; every other path is a 404.
    """

    def __init__(self, pages: Mapping[str, Any]) -> None:
        super().__init__("http")
        self._pages = pages
        self.requests: list[tuple[str, dict[str, Any]]] = []
        """Path and parameters of each `get_json`, in order."""
        self.sent: list[tuple[str, str, RequestOptions]] = []
        """Method, path and further parts of each request, in order."""
        self.is_queueing = False
        """True to have handlers act as if requests waited for a slot."""

    def reading(self, rejection: str, /) -> ReadOnly:
        """Return the service for operations that send safe methods alone, as the real source does."""
        return _ReadingHttp(self, (), rejection)

    async def request(self, method: Method, path: str, **options: Unpack[RequestOptions]) -> HttpResponse:
        """Return the response at *path*, expanded; `errors` are raised as the real source does."""
        self.sent.append((method, path, options))
        place = build_path(path, options.get("values"), None)
        page = self._pages.get(f"{method} {place}", self._pages.get(place, HttpResponse(status=404)))
        if isinstance(page, Exception):
            raise page
        response = page if isinstance(page, HttpResponse) else HttpResponse(status=200, content=orjson.dumps(page))
        if response.status in options.get("errors", {}):
            raise options["errors"][response.status]
        if response.status not in _SUCCESSES:
            raise HttpUnavailable(
                f"{method} {place}: status {response.status}", status=response.status, response=response
            )
        return response

    async def get_json(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the page at *path*."""
        self.requests.append((path, dict(params or {})))
        return (await self.request("GET", path, params=params)).json()


class _ReadingHttp(ReadOnly):
    async def request(self, method: Method, path: str, **options: Unpack[RequestOptions]) -> Any:
        """Return the response to a safe request. Raises UndeclaredEffect."""
        if not prepare(method, path, options).is_safe:
            raise UndeclaredEffect(self._rejection)
        return await self._source.request(method, path, **options)


class UnreachableRedis(FakeSource):
    """A Redis that does not answer: limits count in memory, and nothing is shared."""

    def __init__(self) -> None:
        super().__init__("redis")
        self.commands = 0
        """Number of commands that failed."""

    async def get(self, *_: Any, **__: Any) -> Any:
        """Raise RedisError."""
        self.commands += 1
        raise RedisError("nobody answers")

    set = delete = run_script = publish = get


class FakeEvents(UnreachableRedis):
    """A broker in the place of a source that carries events, which shows what was published.

    As a Redis, it stores nothing.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.published: list[tuple[str, Any]] = []
        """Subject or channel, empty for ZeroMQ, and payload of each event, in order.

        A payload that is no JSON is text.
        """
        self._first: dict[str, bytes] = {}

    def reading(self, rejection: str) -> ReadOnly:
        """Return the broker without what changes it, which raises UndeclaredEffect."""
        return ReadOnly(self, ("set", "delete", "publish", "publish_once"), rejection)

    async def publish(self, *message: Any, message_id: str | None = None) -> bool:
        """Take a message, after its address if it has one.

        Return False if its id came before.
        """
        *address, payload = message
        if message_id is not None and message_id in self._first:
            return False
        if message_id is not None:
            self._first[message_id] = payload
        self.published.append(("".join(address), _parse(payload)))
        return True

    async def publish_once(self, subject: str, payload: bytes, *, message_id: str) -> bytes:
        """Take a message, and return the first one of its id."""
        await self.publish(subject, payload, message_id=message_id)
        return self._first[message_id]


def _parse(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except ValueError:
        return payload.decode()
