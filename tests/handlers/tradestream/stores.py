"""Candle stores to write into by hand, of every language there is."""

import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.candles.minutes import Candle
from sandbox.candles.store import INSERT, create
from tests.services import influxd
from tests.services.flux_double import TOKEN, FluxDouble, serving
from tests.services.flux_parser import FluxParser
from toolpact.sources.influxdb import Influxdb, InfluxdbSource
from toolpact.timing.clock import SystemClock

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
async def sqlite_store(folder: Path) -> AsyncIterator[Store]:
    """A file, as the sandbox has it."""
    path = folder / "candles with a space.sqlite"
    create(path)

    def write(rows: Iterable[Candle]) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.executemany(INSERT, rows)

    async with closing(opened(f"sqlite://{str(path).replace(' ', '%20')}")) as source:
        yield Store(source, write)


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
