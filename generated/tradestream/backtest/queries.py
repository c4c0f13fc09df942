"""Queries of backtest-mcp.

Generated from handlers/tradestream/backtest.sql; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from datetime import date as _date
from typing import Any, NamedTuple
from uuid import UUID

from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.queries import Query
from toolaccord.sources.postgresql.queries import first_value as _first_value


class ConfigurationRow(NamedTuple):
    """A row of configuration."""

    name: str
    parameters: Any


class MeasuredPeriodsRow(NamedTuple):
    """A row of measured_periods."""

    period_start: _date
    period_end: _date
    signals_count: int
    accuracy: float
    sharpe: float
    total_return: float


_CONFIGURATION = Query(
    """
SELECT p.name, i.parameters
FROM strategies s
JOIN strategy_implementations i ON i.impl_id = s.impl_id
JOIN strategy_specs p ON p.spec_id = i.spec_id
WHERE s.strategy_id = :strategy_id
""",
    ConfigurationRow._make,
)
_STRATEGY_SYMBOL: Query[str] = Query(
    """
SELECT symbol FROM strategies WHERE strategy_id = :strategy_id
""",
    _first_value,
)
_MEASURED_PERIODS = Query(
    """
SELECT period_start, period_end, signals_count, accuracy, sharpe, total_return
FROM strategy_performance
WHERE strategy_id = :strategy_id AND period_end BETWEEN :first AND :last
""",
    MeasuredPeriodsRow._make,
    finite=(3, 4, 5),
)


async def configuration(postgres: Statements, *, strategy_id: UUID) -> ConfigurationRow | None:
    """Return the name of the spec that a strategy runs, and its parameters."""
    return await _CONFIGURATION.one(postgres, {"strategy_id": strategy_id})


async def strategy_symbol(postgres: Statements, *, strategy_id: UUID) -> str | None:
    """Return the symbol on which a strategy runs."""
    return await _STRATEGY_SYMBOL.one(postgres, {"strategy_id": strategy_id})


async def measured_periods(
    postgres: Statements, *, strategy_id: UUID, first: _date, last: _date
) -> list[MeasuredPeriodsRow]:
    """Return the measured periods of a strategy that end between two days."""
    return await _MEASURED_PERIODS.many(postgres, {"strategy_id": strategy_id, "first": first, "last": last})
