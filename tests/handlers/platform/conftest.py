"""Databases of limits to write into by hand."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import settings

from generated.platform.risk.server import RiskCall
from sandbox.platform.database import SCHEMA
from tests.conftest import NewDatabase
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.timing.clock import SystemClock

settings.register_profile("platform", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("platform")

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def risk_url(new_database: NewDatabase) -> Iterator[str]:
    """The URL of a database with the tables of risk-mcp and no rows."""
    with new_database() as url:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, SCHEMA.migrate(url)).result()
        yield url


@pytest.fixture
async def risk_call(risk_url: str) -> AsyncIterator[RiskCall]:
    """A call of risk-mcp at NOW."""
    declared = PostgresqlSource(
        name="postgres", url="url", min_connections=1, max_connections=2, idle_timeout_s=60, connection_timeout_s=30
    )
    postgres = declared.open({"url": risk_url}, SystemClock())
    unused: Any = None  # the handler reads and writes no cache
    yield RiskCall(postgres=postgres, stream=unused, risk_alert=unused, idempotency=None, now=NOW)
    await postgres.close()
