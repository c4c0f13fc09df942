"""Candle stores to write into by hand, for every system whose handlers read candles."""

from collections.abc import AsyncIterator

import pytest

from tests.handlers.candles.stores import Store, flux_store, influxql_store, sandbox_store


@pytest.fixture(params=["sandbox", "influxql", "flux double"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """A candle store of each kind."""
    match request.param:
        case "sandbox":
            opening = sandbox_store()
        case "influxql":
            given = [request.getfixturevalue(name) for name in ("influxdb_url", "influx_database")]
            opening = influxql_store(*given)
        case _:
            opening = flux_store(request.getfixturevalue("flux_parser"))
    async with opening as store:
        yield store
