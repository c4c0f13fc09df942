"""A process that rejects answers of one source, and prints what that costs in memory."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from google.protobuf.wrappers_pb2 import StringValue

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, LibraryCall, MisbehaveRequest, MisbehaveResult, ShelfGone
from toolaccord.call.pipeline import Pipeline
from toolaccord.sources.files import FilesSource
from toolaccord.sources.grpc import GrpcSource
from toolaccord.sources.http import HttpSource
from toolaccord.sources.influxdb import InfluxdbSource
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.testing import pipeline
from toolaccord.timing.clock import SystemClock

CALLERS = 12
"""Calls in flight."""
LIMIT = 4 * 1024 * 1024
"""Largest answer that the sources admit, in bytes."""
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Kind:
    """A kind of source, and a request whose answer is rejected."""

    source: Any
    request: Callable[[Any], Awaitable[object]]
    settings: Mapping[str, str]


_LARGE = "SELECT repeat('x', 5000000) AS text, 'NaN'::float8 AS number"
_HTTP = HttpSource(
    name="news",
    url="url",
    max_connections=CALLERS,
    connection_timeout_s=_TIMEOUT_S,
    timeout_s=_TIMEOUT_S,
    max_response_bytes=LIMIT,
)
_INFLUXDB = InfluxdbSource(
    name="news",
    url="url",
    token="token",
    org="org",
    bucket="bucket",
    query_language="language",
    max_connections=CALLERS,
    idle_timeout_s=60,
    connection_timeout_s=_TIMEOUT_S,
    max_response_bytes=LIMIT,
)
_GRPC = GrpcSource(
    name="news",
    target="url",
    max_connections=CALLERS,
    keepalive_interval_s=30,
    keepalive_timeout_s=10,
    max_in_flight=CALLERS,
    max_response_bytes=LIMIT,
)
_POSTGRESQL = PostgresqlSource(
    name="news",
    url="url",
    min_connections=1,
    max_connections=CALLERS,
    idle_timeout_s=60,
    connection_timeout_s=_TIMEOUT_S,
)
_NATS = NatsSource(
    name="news",
    url="url",
    connection_timeout_s=_TIMEOUT_S,
    timeout_s=_TIMEOUT_S,
    max_outstanding=4,
    max_pending_bytes=1000,
    max_response_bytes=LIMIT,
)
_BUCKET = {"token": "", "org": "", "bucket": "b"}
KINDS = {
    "http": Kind(_HTTP, lambda http: http.get_json("a"), {}),
    "influxql": Kind(_INFLUXDB, lambda bucket: bucket.query("q"), {**_BUCKET, "language": "influxql"}),
    "flux": Kind(_INFLUXDB, lambda bucket: bucket.query("q"), {**_BUCKET, "language": "flux"}),
    "grpc": Kind(_GRPC, lambda grpc: grpc.call("/test.Service/Get", StringValue(), StringValue, _TIMEOUT_S), {}),
    "postgresql": Kind(_POSTGRESQL, lambda database: database.fetch(_LARGE), {}),
    "nats": Kind(_NATS, lambda nats: nats.last_messages("news", timedelta(hours=1), limit=100), {}),
    "files": Kind(
        FilesSource(name="news", paths={"large": "url"}, max_bytes=LIMIT), lambda files: files.read("large"), {}
    ),
}


class Rejecting(Librarian):
    """Handlers of which one rejects every answer of a source."""

    def __init__(self, request: Callable[[], Awaitable[object]]) -> None:
        self._request = request

    async def misbehave(self, _request: MisbehaveRequest, _call: LibraryCall, /) -> MisbehaveResult:
        answer = await self._request()
        raise ShelfGone(f"An answer of the type {type(answer).__name__} is rejected.")


async def _reject(kind: Kind, url: str, calls: int) -> dict[str, Any]:
    """Return codes and resident memory before and after *calls* calls, and its peak, in MiB."""
    source = kind.source.open({"url": url, **kind.settings}, SystemClock())
    server = library.server(Rejecting(lambda: kind.request(source)))
    shelf, settings = library.WoodenShelf("wood"), {"shelf_url": "wood"}
    # One each: equal calls of one pipeline would share a request.
    pipelines = [pipeline(server, sources={"shelf": shelf}, settings=settings) for _ in range(CALLERS)]
    codes: set[str | None] = set()

    async def ask(calls: Pipeline, count: int) -> None:
        for _ in range(count):
            codes.add((await calls.call("misbehave", {"how": "crash"})).code)

    async def ask_all(count: int) -> None:
        await asyncio.gather(*(ask(calls, count // CALLERS) for calls in pipelines))

    await ask_all(CALLERS)  # loads every library
    _forget_peak()
    before = _memory_in_use_mib()
    await ask_all(calls)
    peak = _memory_mib("VmHWM")
    figures = {"before": before, "after": _memory_in_use_mib(), "peak": peak}
    await source.close()
    return {"codes": sorted(map(str, codes)), **figures}


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _memory_in_use_mib() -> float:
    """Return the resident memory without what the allocator holds for later, in MiB."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return _memory_mib("VmRSS")


def _memory_mib(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found
    return int(found[1]) / 1024


if __name__ == "__main__":
    name, address, count = sys.argv[1:]
    sys.stdout.write(json.dumps(asyncio.run(_reject(KINDS[name], address, int(count)))))
