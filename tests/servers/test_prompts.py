"""Prove the prompts of our servers, on PostgreSQL."""

from collections.abc import AsyncIterator

import mcp_types as types
import pytest

from tests.servers.contracts import Observations
from tests.servers.harness import ServerUnderTest, open_server
from toolpact.testing import ManualClock

ANALYZE = types.PromptReference(name="analyze-symbol")


@pytest.fixture
async def strategy(market: str, clock: ManualClock, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    async with open_server("tradestream.strategy", {"database_url": market}, observations, clock) as server:
        yield server


async def complete(server: ServerUnderTest, text: str) -> list[str]:
    """Return the completions of a symbol."""
    return (await server.client.complete(ANALYZE, {"name": "symbol", "value": text})).completion.values


async def test_symbols_of_active_strategies_complete_what_a_person_types(strategy: ServerUnderTest) -> None:
    known = await complete(strategy, "")
    assert "ETH/USD" in known
    assert await complete(strategy, "et") == [symbol for symbol in known if symbol.startswith("ET")]
    assert await complete(strategy, "%") == []


async def test_analyze_symbol_names_the_symbol_and_the_number_of_strategies(strategy: ServerUnderTest) -> None:
    (message,) = (await strategy.client.get_prompt("analyze-symbol", {"symbol": "ETH/USD", "strategies": "3"})).messages
    assert isinstance(message.content, types.TextContent)
    assert "get_top_strategies for ETH/USD with limit 3." in message.content.text
