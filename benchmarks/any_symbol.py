"""Servers that know every symbol, and the signal generator, to measure its queue.

`python -m benchmarks.any_symbol strategy --transport http --port 0` runs one of them. They answer at once, by a hash of
the symbol, so what is measured is the agent and its queue. The generator's messages may wait for an hour.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal
from zlib import crc32

from generated.agents.signal_generator.agent import agent
from generated.tradestream.market_data import models as market
from generated.tradestream.market_data import server as market_data
from generated.tradestream.strategy import models
from generated.tradestream.strategy import server as strategy
from handlers.agents import signal_generator
from toolaccord import Page
from toolaccord.agent.main import run as run_agent
from toolaccord.server.main import run as run_server

SIGNALS: tuple[Literal["BUY", "SELL", "HOLD"], ...] = ("BUY", "SELL", "HOLD")


class Strategies:
    """Handlers of strategy-mcp."""

    async def get_top_strategies(
        self, request: models.GetTopStrategiesRequest, _call: strategy.StrategyCall, /
    ) -> Page[Any]:
        """Return five strategies."""
        scores = (0.9, 0.8, 0.7, 0.6, 0.5)
        found = [
            models.Strategy(
                strategy_id=f"{request.symbol}-{score}",
                name="RSI",
                score=score,
                sharpe=1,
                accuracy=score,
                signals_count=9,
            )
            for score in scores
        ]
        return Page(items=found[: request.limit], total=len(found))

    async def get_strategy_signal(
        self, request: models.GetStrategySignalRequest, call: strategy.StrategyCall, /
    ) -> models.GetStrategySignalResult:
        """Return a signal by the strategy's id."""
        signal = SIGNALS[crc32(request.strategy_id.encode()) % 3]
        return models.GetStrategySignalResult(signal=signal, confidence=0.5, triggered_at=call.now, parameters={})

    async def get_strategy_consensus(
        self, _request: models.GetStrategyConsensusRequest, _call: strategy.StrategyCall, /
    ) -> models.GetStrategyConsensusResult:
        """Reject the call, which no agent makes."""
        raise NotImplementedError

    async def complete_analyze_symbol_symbol(self, _prefix: str, _call: strategy.StrategyCall, /) -> Sequence[str]:
        """Reject the completion, which no agent needs."""
        raise NotImplementedError


class Prices:
    """Handlers of market-data-mcp."""

    async def get_candles(self, request: market.GetCandlesRequest, call: market_data.MarketDataCall, /) -> Page[Any]:
        """Return a candle for each hour."""
        hour = call.now.replace(minute=0, second=0, microsecond=0)
        begins = [hour - timedelta(hours=age) for age in range(request.limit)]
        candles = [market.Candle(timestamp=each, open=2, high=3, low=1, close=2, volume=5) for each in reversed(begins)]
        return Page(items=candles, total=len(candles))

    async def get_current_price(
        self, request: market.GetCurrentPriceRequest, call: market_data.MarketDataCall, /
    ) -> market.GetCurrentPriceResult:
        """Return a price by the symbol."""
        price = 1 + crc32(request.symbol.encode()) % 1000
        return market.GetCurrentPriceResult(price=price, change_1h=0.01, volume_24h=120, timestamp=call.now)

    async def get_volatility(
        self, _request: market.GetVolatilityRequest, _call: market_data.MarketDataCall, /
    ) -> market.GetVolatilityResult:
        """Return one volatility."""
        return market.GetVolatilityResult(volatility=0.02, atr=1, high_low_range=2)

    async def complete_detect_patterns_symbol(
        self, _call: market_data.MarketDataCall, /
    ) -> Mapping[str, Sequence[str]]:
        """Reject the completion, which no agent needs."""
        raise NotImplementedError


def run_generator(argv: list[str]) -> int:
    """Run the signal generator, whose messages may wait for an hour; return the exit code."""
    declared = agent(signal_generator)
    assert declared.batch
    assert declared.batch.queue
    queue = replace(declared.batch.queue, max_age_s=3600)
    return run_agent(
        replace(declared, batch=replace(declared.batch, queue=queue)), sandbox=None, package=None, argv=argv
    )


PROGRAMS: Mapping[str, Callable[[list[str]], int]] = {
    "strategy": lambda argv: run_server(strategy.server(Strategies()), sandbox=None, package=None, argv=argv),
    "market_data": lambda argv: run_server(market_data.server(Prices()), sandbox=None, package=None, argv=argv),
    "signal_generator": run_generator,
}

if __name__ == "__main__":
    raise SystemExit(PROGRAMS[sys.argv[1]](sys.argv[2:]))
