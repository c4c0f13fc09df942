from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

ID = "11111111-1111-4111-8111-111111111111"
SPEC = {
    "name": "NEW",
    "indicators": "[]",
    "entry_conditions": "[]",
    "exit_conditions": "[]",
    "parameters": "[]",
    "source": "CANONICAL",
}
IMPLEMENTATION = {"spec_id": ID, "symbol": "ETH/USD", "parameters": "{}"}
MONTH = {
    "strategy_id": ID,
    "period_start": "2026-10-01",
    "period_end": "2026-10-31",
    "signals_count": "5",
    "accuracy": "0.5",
    "sharpe": "1.5",
    "total_return": "0.1",
}
SIGNAL = {
    "strategy_id": ID,
    "symbol": "ETH/USD",
    "signal": "BUY",
    "confidence": "0.5",
    "price": "100",
    "parameters": "{}",
}


@pytest.mark.parametrize(
    "table, row",
    [
        ("strategies", {"impl_id": "00000000-0000-4000-8000-000000000000", "symbol": "ETH/USD", "name": "X"}),
        ("strategy_specs", SPEC | {"source": "MIGRATED"}),
        ("strategy_specs", SPEC | {"indicators": "{}"}),
        ("strategy_specs", SPEC | {"name": "KNOWN"}),
        ("strategy_implementations", IMPLEMENTATION | {"symbol": "eth-usd"}),
        ("strategy_implementations", IMPLEMENTATION | {"forward_sharpe": "NaN"}),
        ("strategy_implementations", IMPLEMENTATION | {"forward_accuracy": "1.5"}),
        ("strategy_implementations", IMPLEMENTATION | {"parameters": "[]"}),
        ("strategy_performance", MONTH | {"sharpe": "Infinity"}),
        ("strategy_performance", MONTH | {"accuracy": "NaN"}),
        ("strategy_performance", MONTH | {"period_end": "2026-09-30"}),
        ("strategy_performance", MONTH | {"signals_count": "-1"}),
        ("signals", SIGNAL | {"signal": "CLOSE_LONG"}),
        ("signals", SIGNAL | {"confidence": "-0.1"}),
        ("signals", SIGNAL | {"price": "NaN"}),
        ("signals", SIGNAL | {"triggered_at": "infinity"}),
    ],
)
async def test_the_schema_refuses_what_no_answer_may_hold(postgres_url: str, table: str, row: dict[str, str]) -> None:
    async with _strategy(postgres_url) as connection:
        with pytest.raises(asyncpg.IntegrityConstraintViolationError):
            await connection.execute(_insertion(table, row))


@pytest.mark.parametrize("table, row", [("strategy_performance", MONTH), ("signals", SIGNAL)])
async def test_the_schema_takes_the_same_rows_without_the_fault(
    postgres_url: str, table: str, row: dict[str, str]
) -> None:
    async with _strategy(postgres_url) as connection:
        assert await connection.execute(_insertion(table, row)) == "INSERT 0 1"


@asynccontextmanager
async def _strategy(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Yield a transaction that is rolled back, with an implementation of KNOWN and its strategy."""
    connection: asyncpg.Connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute(_insertion("strategy_specs", SPEC | {"name": "KNOWN", "spec_id": ID}))
    await connection.execute(_insertion("strategy_implementations", IMPLEMENTATION | {"impl_id": ID}))
    strategy = {"strategy_id": ID, "impl_id": ID, "symbol": "ETH/USD", "name": "X"}
    await connection.execute(_insertion("strategies", strategy))
    try:
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()


def _insertion(table: str, row: dict[str, str]) -> str:
    values = ", ".join(f"'{value}'" for value in row.values())
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"
