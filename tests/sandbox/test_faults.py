"""Faults between a server and the sandbox's stand-in for a source."""

import sandbox
from generated.tradestream.strategy.client import StrategyClient
from toolaccord.pytest import Serve
from toolaccord.testing.faults import Relay


async def test_a_server_goes_on_when_the_database_of_the_sandbox_is_back(serve: Serve) -> None:
    with sandbox.environment({"DATABASE_URL"}) as values:
        async with (
            Relay(values["DATABASE_URL"]).running() as relay,
            serve(StrategyClient, settings={"database_url": relay.url}) as strategy,
        ):
            await relay.refuse()
            failed = await strategy.call("get_top_strategies", {"symbol": "ADA/USD", "limit": 3})
            relay.accept()
            found = await strategy.call("get_top_strategies", {"symbol": "ADA/USD", "limit": 3})
    assert failed.code == "DATABASE_ERROR"
    assert len(found.result["items"]) == 3
