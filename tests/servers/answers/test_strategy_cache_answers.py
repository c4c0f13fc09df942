"""Prove that strategy-mcp caches and pages as promised, on rows that change."""

import asyncio
from typing import Any

import pytest

from tests.contracts.reading import tool
from tests.servers.backends import (
    STRATEGY_SERVER,
    STRATEGY_TABLES,
    STRATEGY_TOOLS,
    TOP,
    CallTool,
    connect_database,
    lock_tables,
    wait_for_blocked_queries,
)
from tests.servers.contracts import answers, cached, paginated
from tests.servers.harness import Answer, ServerUnderTest
from toolaccord.testing import ManualClock


def parametrize_cached_tools() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("tool", [pytest.param(name, marks=cached(name)) for name in STRATEGY_TOOLS])


async def write_share(url: str, share: float) -> None:
    """Set the accuracy of every strategy and the confidence of every signal."""
    async with connect_database(url) as connection:
        await connection.execute("UPDATE strategy_performance SET accuracy = $1", share)
        await connection.execute("UPDATE signals SET confidence = $1", share)


def read_share(answer: Answer) -> float:
    """Return the accuracy or confidence in an answer."""
    data = answer.body["data"]
    found: float = data["confidence"] if "confidence" in data else data["items"][0]["accuracy"]
    return found


@parametrize_cached_tools()
async def test_a_result_is_cached_until_it_expires(
    call_tool: CallTool, market: str, clock: ManualClock, tool: str
) -> None:
    await write_share(market, 0.25)
    first = await call_tool(tool)
    assert (read_share(first), first.metadata["cached"], first.metadata["cache_ttl_remaining"]) == (0.25, False, None)
    assert first.metadata["source"] == "postgresql"
    await write_share(market, 0.5)
    clock.advance(ttl_s(tool) - 1)
    again = await call_tool(tool)
    assert (read_share(again), again.metadata["cached"], again.metadata["cache_ttl_remaining"]) == (0.25, True, 1)
    clock.advance(1)
    fresh = await call_tool(tool)
    assert (read_share(fresh), fresh.metadata["cached"]) == (0.5, False)


@parametrize_cached_tools()
async def test_force_refresh_queries_the_database_and_replaces_the_cached_result(
    call_tool: CallTool, market: str, tool: str
) -> None:
    await write_share(market, 0.25)
    await call_tool(tool)
    await write_share(market, 0.75)
    forced = await call_tool(tool, force_refresh=True)
    assert (read_share(forced), forced.metadata["cached"]) == (0.75, False)
    again = await call_tool(tool, force_refresh=False)
    assert (read_share(again), again.metadata["cached"], again.metadata["cache_ttl_remaining"]) == (
        0.75,
        True,
        ttl_s(tool),
    )


def ttl_s(name: str) -> float:
    found: float = tool(STRATEGY_SERVER, name)["cache"]["ttl_s"]
    return found


@parametrize_cached_tools()
async def test_callers_at_the_same_time_share_one_query(
    call_tool: CallTool, strategy_server: ServerUnderTest, market: str, tool: str
) -> None:
    async with lock_tables(market, *STRATEGY_TABLES) as holder:
        calls = [asyncio.create_task(call_tool(tool)) for _ in range(20)]
        await wait_for_blocked_queries(holder)
    assert len({read_share(await call) for call in calls}) == 1
    assert strategy_server.source_requests == 1
    await call_tool(tool)
    assert strategy_server.source_requests == 1


@cached(TOP)
async def test_explicit_defaults_and_other_notations_of_a_number_hit_the_same_cached_result(
    call_tool: CallTool,
) -> None:
    first = await call_tool(TOP)
    for same in ({"limit": 5}, {"limit": 5.0, "metric": "sharpe"}, {"offset": 0.0, "force_refresh": False}):
        again = await call_tool(TOP, **same)
        assert (again.metadata["cached"], again.body["data"]) == (True, first.body["data"])
    assert not (await call_tool(TOP, limit=6)).metadata["cached"]


@answers(TOP, "SYMBOL_NOT_FOUND")
async def test_an_error_is_never_cached(call_tool: CallTool, strategy_server: ServerUnderTest) -> None:
    for requests in (1, 2):
        assert (await call_tool(TOP, symbol="NOTHING/USD")).code == "SYMBOL_NOT_FOUND"
        assert strategy_server.source_requests == requests


@paginated(TOP)
@pytest.mark.parametrize("metric", ["sharpe", "accuracy", "return"])
@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_pages_neither_repeat_nor_lose_a_row(call_tool: CallTool, market: str, metric: str, limit: int) -> None:
    await write_share(market, 0.5)  # all scores are equal where accuracy is the metric
    whole = await call_tool(TOP, metric=metric, limit=100)
    total = whole.body["data"]["pagination"]["total"]
    assert total == len(whole.body["data"]["items"]) > 7
    rows: list[Any] = []
    more = True
    while more:
        page = (await call_tool(TOP, metric=metric, limit=limit, offset=len(rows))).body["data"]
        assert page["pagination"]["total"] == total
        rows += page["items"]
        more = page["pagination"]["has_more"]
    assert rows == whole.body["data"]["items"]
    assert (await call_tool(TOP, offset=total, metric=metric)).body["data"]["items"] == []
    assert (await call_tool(TOP, offset=total - 1, metric=metric)).body["data"]["items"] == rows[-1:]
