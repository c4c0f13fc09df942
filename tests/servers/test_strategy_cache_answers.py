"""strategy-mcp on a real PostgreSQL whose rows change: what is kept, for how long, and what pages hold."""

import asyncio
from typing import Any

import pytest

from tests.contracts.reading import tool
from tests.servers.manifest import answers, cached, paginated
from tests.servers.market import ROOM, TOOLS, TOP, Ask, connection, locked, until_waiting
from tests.servers.station import Answer, Station
from toolpact.testing import ManualClock


def each_cached_tool() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("tool", [pytest.param(name, marks=cached(name)) for name in TOOLS])


async def write(url: str, share: float) -> None:
    """Let every strategy have been right that often, and every signal be that sure."""
    async with connection(url) as writing:
        await writing.execute("UPDATE strategy_performance SET accuracy = $1", share)
        await writing.execute("UPDATE signals SET confidence = $1", share)


def share(said: Answer) -> float:
    """The share in an answer, that `write` wrote."""
    data = said.body["data"]
    found: float = data["confidence"] if "confidence" in data else data["items"][0]["accuracy"]
    return found


@each_cached_tool()
async def test_a_result_is_given_again_until_it_is_too_old(
    ask: Ask, market: str, clock: ManualClock, tool: str
) -> None:
    await write(market, 0.25)
    first = await ask(tool)
    assert (share(first), first.metadata["cached"], first.metadata["cache_ttl_remaining"]) == (0.25, False, None)
    assert first.metadata["source"] == "postgresql"
    await write(market, 0.5)
    clock.advance(ttl_s(tool) - 1)
    kept = await ask(tool)
    assert (share(kept), kept.metadata["cached"], kept.metadata["cache_ttl_remaining"]) == (0.25, True, 1)
    clock.advance(1)
    fresh = await ask(tool)
    assert (share(fresh), fresh.metadata["cached"]) == (0.5, False)


@each_cached_tool()
async def test_force_refresh_asks_the_database_and_replaces_what_was_kept(ask: Ask, market: str, tool: str) -> None:
    await write(market, 0.25)
    await ask(tool)
    await write(market, 0.75)
    forced = await ask(tool, force_refresh=True)
    assert (share(forced), forced.metadata["cached"]) == (0.75, False)
    kept = await ask(tool, force_refresh=False)
    assert (share(kept), kept.metadata["cached"], kept.metadata["cache_ttl_remaining"]) == (0.75, True, ttl_s(tool))


def ttl_s(name: str) -> float:
    found: float = tool(ROOM, name)["cache"]["ttl_s"]
    return found


@each_cached_tool()
async def test_callers_at_the_same_time_share_one_query(ask: Ask, strategy: Station, market: str, tool: str) -> None:
    async with locked(market) as holder:
        calls = [asyncio.create_task(ask(tool)) for _ in range(20)]
        await until_waiting(holder)
    assert len({share(await call) for call in calls}) == 1
    assert strategy.asked == 1
    await ask(tool)
    assert strategy.asked == 1


@cached(TOP)
async def test_a_default_that_is_said_and_a_number_spelt_otherwise_make_no_other_request(ask: Ask) -> None:
    first = await ask(TOP)
    for same in ({"limit": 5}, {"limit": 5.0, "metric": "sharpe"}, {"offset": 0.0, "force_refresh": False}):
        kept = await ask(TOP, **same)
        assert (kept.metadata["cached"], kept.body["data"]) == (True, first.body["data"])
    assert not (await ask(TOP, limit=6)).metadata["cached"]


@answers(TOP, "SYMBOL_NOT_FOUND")
async def test_an_error_is_never_kept(ask: Ask, strategy: Station) -> None:
    for asked in (1, 2):
        assert (await ask(TOP, symbol="NOTHING/USD")).code == "SYMBOL_NOT_FOUND"
        assert strategy.asked == asked


@paginated(TOP)
@pytest.mark.parametrize("metric", ["sharpe", "accuracy", "return"])
@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_pages_neither_repeat_nor_lose_a_row(ask: Ask, market: str, metric: str, limit: int) -> None:
    await write(market, 0.5)  # all scores are equal where accuracy is the metric
    whole = await ask(TOP, metric=metric, limit=100)
    total = whole.body["data"]["pagination"]["total"]
    assert total == len(whole.body["data"]["items"]) > 20
    rows: list[Any] = []
    more = True
    while more:
        page = (await ask(TOP, metric=metric, limit=limit, offset=len(rows))).body["data"]
        assert page["pagination"]["total"] == total
        rows += page["items"]
        more = page["pagination"]["has_more"]
    assert rows == whole.body["data"]["items"]
    assert (await ask(TOP, offset=total, metric=metric)).body["data"]["items"] == []
    assert (await ask(TOP, offset=total - 1, metric=metric)).body["data"]["items"] == rows[-1:]
