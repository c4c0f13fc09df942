"""Candle stores to write into by hand, of each kind."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sandbox import candles
from tests.services import influxd
from tests.services.candles import Candle, WrittenCandles
from tests.services.flux_double import TOKEN, FluxDouble, serving
from tests.services.flux_parser import FluxParser
from toolaccord.sources.influxdb import Influxdb, InfluxdbSource
from toolaccord.timing.clock import SystemClock

DECLARED = InfluxdbSource(
    name="influxdb",
    url="url",
    token="token",
    org="org",
    bucket="bucket",
    query_language="language",
    max_connections=5,
    idle_timeout_s=60,
    connection_timeout_s=3,
)


@dataclass(frozen=True, slots=True)
class Store:
    """A store and a way to write into it."""

    source: Influxdb
    write: Callable[[Iterable[Candle]], None]


@asynccontextmanager
async def closing(source: Influxdb) -> AsyncIterator[Influxdb]:
    """*source*, closed at the end."""
    try:
        yield source
    finally:
        await source.close()


def opened(url: str, *, token: str = "", bucket: str = "candles", language: str = "influxql") -> Influxdb:
    settings = {"url": url, "token": token, "org": "tradestream-org", "bucket": bucket, "language": language}
    return DECLARED.open(settings, SystemClock())


@asynccontextmanager
async def sandbox_store() -> AsyncIterator[Store]:
    """The sandbox's stand-in for InfluxDB."""
    written = WrittenCandles()
    with candles.serve(written) as url:
        async with closing(opened(url)) as source:
            yield Store(source, written.write)


@asynccontextmanager
async def influxql_store(url: str, database: str) -> AsyncIterator[Store]:
    """A real InfluxDB."""
    async with closing(opened(url, bucket=database)) as source:
        yield Store(source, lambda rows: influxd.write(url, database, rows))


@asynccontextmanager
async def flux_store(parser: FluxParser) -> AsyncIterator[Store]:
    """A protocol double, and no InfluxDB."""
    double = FluxDouble(parser, {"candles": []})
    async with serving(double) as url, closing(opened(url, token=TOKEN, language="flux")) as source:
        yield Store(source, double.buckets["candles"].extend)
