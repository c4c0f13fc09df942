"""The tools of strategy-mcp: ranking, current signals and consensus, read from PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from generated.tradestream.errors import NoActiveStrategies, NoSignal, StrategyNotFound, SymbolNotFound
from generated.tradestream.strategy.models import (
    GetStrategyConsensusRequest,
    GetStrategyConsensusResult,
    GetStrategySignalRequest,
    GetStrategySignalResult,
    GetTopStrategiesRequest,
    Strategy,
)
from generated.tradestream.strategy.server import StrategyCall
from handlers.tradestream.consensus import Signals, find_consensus
from handlers.tradestream.identifiers import is_identifier, not_found_message
from handlers.tradestream.pages import to_page, to_record
from toolaccord import Page

MIN_SIGNALS = 10
"""Signals in the measured period from which a strategy ranks above those with fewer."""
PRIOR_SIGNALS = 20
"""Signals as much as which the mean of the symbol's strategies counts in the rank of one."""

# The newest row counts, and the key breaks ties, so that repeated calls agree. Few signals prove little. So a
# strategy's score is shrunk towards the mean (empirical Bayes, docs/decisions/0032-partial-data-and-publication.md).
# It is computed in numeric, because sums of doubles may overflow.
TOP_STRATEGIES = """
WITH measured AS (
    SELECT s.strategy_id, s.name, newest.sharpe, newest.accuracy, newest.signals_count,
           CASE $2::text
               WHEN 'sharpe' THEN newest.sharpe
               WHEN 'accuracy' THEN newest.accuracy
               WHEN 'return' THEN newest.total_return
           END AS score
    FROM strategies s
    CROSS JOIN LATERAL (
        SELECT p.sharpe, p.accuracy, p.signals_count, p.total_return
        FROM strategy_performance p
        WHERE p.strategy_id = s.strategy_id
        ORDER BY p.period_end DESC, p.period_start DESC
        LIMIT 1
    ) newest
    WHERE s.symbol = $1 AND s.is_active
), prior AS (
    SELECT coalesce(
        sum(score::numeric * signals_count) / nullif(sum(signals_count), 0), avg(score::numeric)
    ) AS mean
    FROM measured
), ranked AS (
    SELECT measured.*, row_number() OVER (ORDER BY
        signals_count >= $5 DESC,
        (score::numeric * signals_count + mean * $6) / (signals_count + $6) DESC,
        strategy_id
    ) AS rank
    FROM measured, prior
)
SELECT (SELECT count(*) FROM ranked) AS total, page.*
FROM (SELECT) AS always
LEFT JOIN ranked page ON page.rank > $4 AND page.rank <= $4::bigint + $3
ORDER BY page.rank
"""

STRATEGY_SIGNAL = """
SELECT current.signal, current.confidence, current.triggered_at, current.parameters
FROM strategies s
LEFT JOIN LATERAL (
    SELECT g.signal, g.confidence, g.triggered_at, g.parameters
    FROM signals g
    WHERE g.strategy_id = s.strategy_id AND g.symbol = $2 AND g.triggered_at >= $3
    ORDER BY g.triggered_at DESC, g.signal_id DESC
    LIMIT 1
) current ON true
WHERE s.strategy_id = $1::text::uuid
"""

# One look into the index per symbol, of which there are hundreds. DISTINCT would read every active strategy.
KNOWN_SYMBOLS = """
WITH RECURSIVE known (symbol) AS (
    (SELECT symbol FROM strategies WHERE is_active ORDER BY symbol LIMIT 1)
    UNION ALL
    SELECT (SELECT s.symbol FROM strategies AS s WHERE s.is_active AND s.symbol > known.symbol ORDER BY s.symbol LIMIT 1)
    FROM known
    WHERE known.symbol IS NOT NULL
)
SELECT symbol
FROM known
WHERE starts_with(symbol, upper($1))
ORDER BY symbol
"""

CURRENT_SIGNALS = """
SELECT count(*) AS strategies,
       count(*) FILTER (WHERE current.signal = 'BUY') AS bullish,
       count(*) FILTER (WHERE current.signal = 'SELL') AS bearish,
       count(*) FILTER (WHERE current.signal = 'HOLD') AS neutral,
       avg(current.confidence) FILTER (WHERE current.signal = 'BUY') AS bullish_confidence,
       avg(current.confidence) FILTER (WHERE current.signal = 'SELL') AS bearish_confidence,
       avg(current.confidence) AS mean_confidence
FROM strategies s
LEFT JOIN LATERAL (
    SELECT g.signal, g.confidence
    FROM signals g
    WHERE g.strategy_id = s.strategy_id AND g.symbol = s.symbol AND g.triggered_at >= $2
    ORDER BY g.triggered_at DESC, g.signal_id DESC
    LIMIT 1
) current ON true
WHERE s.symbol = $1 AND s.is_active
"""


async def get_top_strategies(request: GetTopStrategiesRequest, call: StrategyCall) -> Page[Strategy]:
    """Return the measured active strategies of a symbol, best first.

    Those with enough signals come before others, and the score of a few signals counts less than that of many.
    """
    page = (request.limit, request.offset)
    rows = await call.postgres.fetch(TOP_STRATEGIES, request.symbol, request.metric, *page, MIN_SIGNALS, PRIOR_SIGNALS)
    if rows[0]["total"] == 0:
        raise SymbolNotFound(f"No strategies found for {request.symbol}.", symbol=request.symbol)
    return to_page(Strategy, rows, "strategy_id")


async def get_strategy_signal(request: GetStrategySignalRequest, call: StrategyCall) -> GetStrategySignalResult:
    """Return the newest signal of a strategy, unless it is too old."""
    strategy_id, symbol = request.strategy_id, request.symbol
    row = None
    if is_identifier(strategy_id):
        row = await call.postgres.fetch_one(STRATEGY_SIGNAL, strategy_id, symbol, _oldest_current(call))
    if row is None:
        raise StrategyNotFound(not_found_message("Strategy", strategy_id), strategy_id=strategy_id)
    if row["signal"] is None:
        raise NoSignal(f"The strategy has no current signal for {symbol}.", strategy_id=strategy_id, symbol=symbol)
    return to_record(GetStrategySignalResult, row)


async def get_strategy_consensus(
    request: GetStrategyConsensusRequest,
    call: StrategyCall,
) -> GetStrategyConsensusResult:
    """Return the consensus of the active strategies that have a current signal."""
    row = await call.postgres.fetch_one(CURRENT_SIGNALS, request.symbol, _oldest_current(call))
    if row is None or row["strategies"] == 0:
        raise NoActiveStrategies(f"No active strategies found for {request.symbol}.", symbol=request.symbol)
    signals = Signals(
        bullish=row["bullish"],
        bearish=row["bearish"],
        neutral=row["neutral"],
        bullish_confidence=row["bullish_confidence"],
        bearish_confidence=row["bearish_confidence"],
        mean_confidence=row["mean_confidence"],
    )
    consensus, confidence = find_consensus(signals)
    return GetStrategyConsensusResult(
        bullish_count=signals.bullish,
        bearish_count=signals.bearish,
        neutral_count=signals.neutral,
        consensus=consensus,
        confidence=confidence,
    )


def _oldest_current(call: StrategyCall) -> datetime:
    """Return the earliest time of a current signal."""
    return call.now - timedelta(seconds=call.settings.signal_max_age_s)


async def complete_analyze_symbol_symbol(prefix: str, call: StrategyCall) -> Sequence[str]:
    """Find the symbols of active strategies."""
    return [row["symbol"] for row in await call.postgres.fetch(KNOWN_SYMBOLS, prefix)]
