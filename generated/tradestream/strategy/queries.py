"""Queries of strategy-mcp.

Generated from handlers/tradestream/strategy.sql; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import datetime as _datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from toolaccord import Page
from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.queries import Query
from toolaccord.sources.postgresql.queries import first_value as _first_value


class TopStrategiesRow(NamedTuple):
    """A row of top_strategies."""

    strategy_id: UUID
    name: str
    score: float
    sharpe: float
    accuracy: float
    signals_count: int


class NewestSignalRow(NamedTuple):
    """A row of newest_signal."""

    signal: Literal["BUY", "SELL", "HOLD"]
    confidence: float
    triggered_at: _datetime
    parameters: Any


class CurrentSignalsRow(NamedTuple):
    """A row of current_signals."""

    strategies: int
    bullish: int
    bearish: int
    neutral: int
    bullish_confidence: float | None
    bearish_confidence: float | None
    mean_confidence: float | None


_TOP_STRATEGIES = Query(
    """
WITH measured AS (
    SELECT s.strategy_id, s.name, newest.sharpe, newest.accuracy, newest.signals_count,
           newest.sharpe AS score       -- when :metric = sharpe
           newest.accuracy AS score     -- when :metric = accuracy
           newest.total_return AS score -- when :metric = return
    FROM strategies s
    CROSS JOIN LATERAL (
        SELECT p.sharpe, p.accuracy, p.signals_count, p.total_return
        FROM strategy_performance p
        WHERE p.strategy_id = s.strategy_id
        ORDER BY p.period_end DESC, p.period_start DESC
        LIMIT 1
    ) newest
    WHERE s.symbol = :symbol AND s.is_active
), prior AS (
    SELECT coalesce(
        sum(score::numeric * signals_count) / nullif(sum(signals_count), 0), avg(score::numeric)
    ) AS mean
    FROM measured
)
SELECT m.strategy_id, m.name, m.score, m.sharpe, m.accuracy, m.signals_count
FROM measured m, prior
ORDER BY m.signals_count >= :enough_signals DESC,
    (m.score::numeric * m.signals_count + prior.mean * :prior_signals::integer)
        / (m.signals_count + :prior_signals::integer) DESC,
    m.strategy_id
""",
    TopStrategiesRow._make,
    finite=(2, 3, 4),
)
_NEWEST_SIGNAL = Query(
    """
SELECT g.signal, g.confidence, g.triggered_at, g.parameters
FROM signals g
WHERE g.strategy_id = :strategy_id AND g.symbol = :symbol AND g.triggered_at >= :since
ORDER BY g.triggered_at DESC, g.signal_id DESC
LIMIT 1
""",
    NewestSignalRow._make,
    finite=(1, 2),
)
_IS_STRATEGY: Query[bool] = Query(
    """
SELECT EXISTS (SELECT FROM strategies WHERE strategy_id = :strategy_id) AS is_strategy
""",
    _first_value,
)
_KNOWN_SYMBOLS: Query[str] = Query(
    """
WITH RECURSIVE known (symbol) AS (
    (SELECT symbol FROM strategies WHERE is_active ORDER BY symbol LIMIT 1)
    UNION ALL
    SELECT (SELECT s.symbol FROM strategies AS s WHERE s.is_active AND s.symbol > known.symbol ORDER BY s.symbol LIMIT 1)
    FROM known
    WHERE known.symbol IS NOT NULL
)
SELECT coalesce(symbol, '') AS symbol
FROM known
WHERE starts_with(symbol, upper(:beginning))
ORDER BY 1
""",
    _first_value,
)
_CURRENT_SIGNALS = Query(
    """
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
    WHERE g.strategy_id = s.strategy_id AND g.symbol = s.symbol AND g.triggered_at >= :since
    ORDER BY g.triggered_at DESC, g.signal_id DESC
    LIMIT 1
) current ON true
WHERE s.symbol = :symbol AND s.is_active
""",
    CurrentSignalsRow._make,
    finite=(4, 5, 6),
)


async def top_strategies(
    postgres: Statements,
    *,
    symbol: str,
    enough_signals: int,
    prior_signals: int,
    limit: int,
    offset: int,
    metric: Literal["sharpe", "accuracy", "return"],
) -> Page[TopStrategiesRow]:
    """Return the measured active strategies of a symbol, best first.

    The newest row of a strategy counts, and the key breaks ties, so that repeated calls agree. Few signals prove
    little,
    so a score is shrunk towards the mean (empirical Bayes, docs/decisions/0032-partial-data-and-publication.md).
    It is
    computed in numeric, because sums of doubles may overflow.
    """
    return await _TOP_STRATEGIES.page(
        postgres,
        {
            "symbol": symbol,
            "enough_signals": enough_signals,
            "prior_signals": prior_signals,
            "limit": limit,
            "offset": offset,
            "metric": metric,
        },
    )


async def newest_signal(
    postgres: Statements, *, strategy_id: UUID, symbol: str, since: _datetime
) -> NewestSignalRow | None:
    """Return the newest signal of a strategy on a symbol since a time."""
    return await _NEWEST_SIGNAL.one(postgres, {"strategy_id": strategy_id, "symbol": symbol, "since": since})


async def is_strategy(postgres: Statements, *, strategy_id: UUID) -> bool:
    """Return whether there is a strategy with an id."""
    return await _IS_STRATEGY.single(postgres, {"strategy_id": strategy_id})


async def known_symbols(postgres: Statements, *, beginning: str) -> list[str]:
    """Return the symbols of active strategies that begin with a text, in any case.

    It takes one look into the index per symbol, of which there are hundreds. DISTINCT would read every active
    strategy.
    """
    return await _KNOWN_SYMBOLS.many(postgres, {"beginning": beginning})


async def current_signals(postgres: Statements, *, since: _datetime, symbol: str) -> CurrentSignalsRow:
    """Count the newest signals of active strategies on a symbol, with their mean confidence."""
    return await _CURRENT_SIGNALS.single(postgres, {"since": since, "symbol": symbol})
