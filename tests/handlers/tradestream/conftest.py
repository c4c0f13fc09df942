"""Databases to write into by hand, and the calls that handlers are given."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from generated.tradestream.strategy.server import StrategyCall, StrategySettings
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource
from toolaccord.timing.clock import SystemClock

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Book:
    """Writes rows; columns that a test does not name have defaults."""

    postgres: Postgresql

    async def strategy(self, symbol: str, *, active: bool = True, strategy_id: UUID | None = None) -> UUID:
        """The identifier of a new strategy for *symbol*."""
        spec = await self.postgres.fetch_one(
            "INSERT INTO strategy_specs (name, indicators, entry_conditions, exit_conditions, parameters, source)"
            " VALUES ($1, '[]', '[]', '[]', '[]', 'CANONICAL') RETURNING spec_id",
            f"SPEC_{uuid4()}",
        )
        assert spec is not None
        implementation = await self.postgres.fetch_one(
            "INSERT INTO strategy_implementations (spec_id, symbol, parameters) VALUES ($1, $2, '{}') RETURNING impl_id",
            spec["spec_id"],
            symbol,
        )
        assert implementation is not None
        strategy_id = strategy_id or uuid4()
        await self.postgres.fetch(
            "INSERT INTO strategies (strategy_id, impl_id, symbol, name, is_active) VALUES ($1, $2, $3, 'NAME', $4)",
            strategy_id,
            implementation["impl_id"],
            symbol,
            active,
        )
        return strategy_id

    async def month(
        self,
        strategy_id: UUID,
        month: int,
        *,
        sharpe: float,
        accuracy: float = 0.5,
        gained: float = 0.1,
        signals: int | None = None,
    ) -> None:
        """Write the strategy's performance in a month of 2026.

        By default, it has as many signals as the number of the month.
        """
        await self.postgres.fetch(
            "INSERT INTO strategy_performance VALUES ($1, $2, $3, $4, $5, $6, $7)",
            strategy_id,
            date(2026, month, 1),
            date(2026, month, 28),
            month if signals is None else signals,
            accuracy,
            sharpe,
            gained,
        )

    async def signal(
        self,
        strategy_id: UUID,
        symbol: str,
        signal: str,
        *,
        age: timedelta = timedelta(hours=1),
        confidence: float = 0.5,
    ) -> None:
        """A signal that is *age* old at NOW."""
        await self.postgres.fetch(
            "INSERT INTO signals (strategy_id, symbol, signal, confidence, price, parameters, triggered_at)"
            " VALUES ($1, $2, $3, $4, 100, '{\"period\": 14}', $5)",
            strategy_id,
            symbol,
            signal,
            confidence,
            NOW - age,
        )


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Postgresql]:
    declared = PostgresqlSource(
        name="postgres", url="url", min_connections=1, max_connections=2, idle_timeout_s=300, connection_timeout_s=5
    )
    source = declared.open({"url": postgres_url}, SystemClock())
    yield source
    await source.close()


@pytest.fixture
def book(postgres: Postgresql) -> Book:
    return Book(postgres)


@pytest.fixture
def call(postgres: Postgresql) -> StrategyCall:
    return StrategyCall(postgres=postgres, settings=StrategySettings(signal_max_age_s=86_400), now=NOW)
