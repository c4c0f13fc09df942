"""The tools of strategy-mcp: ranking, current signals and consensus, read from PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from generated.tradestream.errors import NoActiveStrategies, NoSignal, StrategyNotFound, SymbolNotFound
from generated.tradestream.strategy import queries
from generated.tradestream.strategy.models import (
    GetStrategyConsensusRequest,
    GetStrategyConsensusResult,
    GetStrategySignalRequest,
    GetTopStrategiesRequest,
)
from generated.tradestream.strategy.server import StrategyCall
from handlers.tradestream.consensus import find_consensus
from handlers.tradestream.identifiers import not_found_message, parse_identifier
from toolaccord import Page

MIN_SIGNALS = 10
"""Signals in the measured period from which a strategy ranks above those with fewer."""
PRIOR_SIGNALS = 20
"""Signals as much as which the mean of the symbol's strategies counts in the rank of one."""


async def get_top_strategies(request: GetTopStrategiesRequest, call: StrategyCall) -> Page[queries.TopStrategiesRow]:
    """Return the measured active strategies of a symbol, best first.

    Those with enough signals come before others, and the score of a few signals counts less than that of many.
    """
    page = await queries.top_strategies(
        call.postgres,
        symbol=request.symbol,
        metric=request.metric,
        enough_signals=MIN_SIGNALS,
        prior_signals=PRIOR_SIGNALS,
        limit=request.limit,
        offset=request.offset,
    )
    if page.total == 0:
        raise SymbolNotFound(f"No strategies found for {request.symbol}.", symbol=request.symbol)
    return page


async def get_strategy_signal(request: GetStrategySignalRequest, call: StrategyCall) -> queries.NewestSignalRow:
    """Return the newest signal of a strategy, unless it is too old."""
    strategy_id, symbol = request.strategy_id, request.symbol
    known = parse_identifier(strategy_id)
    if known is None:
        raise StrategyNotFound(not_found_message("Strategy", strategy_id), strategy_id=strategy_id)
    since = _oldest_current(call)
    signal = await queries.newest_signal(call.postgres, strategy_id=known, symbol=symbol, since=since)
    if signal is not None:
        return signal
    if not await queries.is_strategy(call.postgres, strategy_id=known):
        raise StrategyNotFound(not_found_message("Strategy", strategy_id), strategy_id=strategy_id)
    raise NoSignal(f"The strategy has no current signal for {symbol}.", strategy_id=strategy_id, symbol=symbol)


async def get_strategy_consensus(
    request: GetStrategyConsensusRequest,
    call: StrategyCall,
) -> GetStrategyConsensusResult:
    """Return the consensus of the active strategies that have a current signal."""
    found = await queries.current_signals(call.postgres, symbol=request.symbol, since=_oldest_current(call))
    if found.strategies == 0:
        raise NoActiveStrategies(f"No active strategies found for {request.symbol}.", symbol=request.symbol)
    consensus, confidence = find_consensus(found)
    return GetStrategyConsensusResult(
        bullish_count=found.bullish,
        bearish_count=found.bearish,
        neutral_count=found.neutral,
        consensus=consensus,
        confidence=confidence,
    )


def _oldest_current(call: StrategyCall) -> datetime:
    """Return the earliest time of a current signal."""
    return call.now - timedelta(seconds=call.settings.signal_max_age_s)


async def complete_analyze_symbol_symbol(prefix: str, call: StrategyCall) -> Sequence[str]:
    """Find the symbols of active strategies."""
    return await queries.known_symbols(call.postgres, beginning=prefix)
