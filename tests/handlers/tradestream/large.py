"""A large TradeStream database, made by PostgreSQL itself.

Identifiers count up, so that tests can name rows.
"""

from uuid import UUID

import asyncpg

SPECS, IMPLEMENTATIONS, STRATEGIES, SIGNALS = 5_000, 100_000, 20_000, 1_000_000
DECISIONS, POSITIONS = 200_000, 20_000

# Rows are written without looking up the rows that they refer to, which are there.
SETTINGS = "SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '256MB'"

ID = "CREATE FUNCTION pg_temp.id(bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS $$ SELECT lpad(to_hex($1), 32, '0')::uuid $$"

ROWS = (
    f"""
    INSERT INTO strategy_specs (spec_id, name, indicators, entry_conditions, exit_conditions, parameters, source)
    SELECT pg_temp.id(n), 'SPEC_' || n, d, d, d, d, CASE n % 4 WHEN 0 THEN 'LLM_GENERATED' ELSE 'CANONICAL' END
    FROM generate_series(0, {SPECS - 1}) n,
         (SELECT jsonb_agg(jsonb_build_object('id', i, 'type', 'EMA', 'params', i)) d FROM generate_series(1, 8) i) x
    """,
    f"""
    INSERT INTO strategy_implementations
        (impl_id, spec_id, symbol, parameters, status, forward_sharpe, forward_accuracy)
    SELECT pg_temp.id(n), pg_temp.id(n % {SPECS}), 'S' || n % 200 || '/USD', '{{"period": 14}}',
           (ARRAY['CANDIDATE', 'VALIDATED', 'DEPLOYED', 'RETIRED'])[1 + n / {SPECS} % 4],
           CASE WHEN n / {SPECS} % 4 > 0 THEN sin(n) END, CASE WHEN n / {SPECS} % 4 > 0 THEN 0.5 END
    FROM generate_series(0, {IMPLEMENTATIONS - 1}) n
    """,
    f"""
    INSERT INTO strategies (strategy_id, impl_id, symbol, name, is_active)
    SELECT pg_temp.id(n), pg_temp.id(n), 'S' || n % 200 || '/USD', 'SPEC', n % 10 > 0
    FROM generate_series(0, {STRATEGIES - 1}) n
    """,
    f"""
    INSERT INTO strategy_performance
    SELECT pg_temp.id(n), first, first + 27, 10, 0.5, sin(n), 0.1
    FROM generate_series(0, {STRATEGIES - 1}) n, unnest(ARRAY[date '2026-09-01', date '2026-10-01']) first
    """,
    f"""
    INSERT INTO signals (signal_id, strategy_id, symbol, signal, confidence, price, parameters, triggered_at)
    SELECT pg_temp.id(n), pg_temp.id(n % {STRATEGIES}), 'S' || n % 200 || '/USD', 'BUY', 0.5, 100, '{{}}',
           timestamptz '2026-11-21 12:00Z' - n * interval '1 second'
    FROM generate_series(0, {SIGNALS - 1}) n
    """,
    f"""
    INSERT INTO agent_decisions (decision_id, symbol, action, confidence, reasoning, created_at)
    SELECT pg_temp.id(n), 'S' || n % 200 || '/USD', (ARRAY['BUY', 'SELL', 'HOLD'])[1 + n % 3], 0.5, repeat('because ', 20),
           timestamptz '2026-11-21 12:00Z' - n * interval '1 minute'
    FROM generate_series(0, {DECISIONS - 1}) n
    """,
    "INSERT INTO accounts SELECT 'account ' || n, 100, 100, 0 FROM generate_series(0, 1999) n",
    f"""
    INSERT INTO positions (account_id, symbol, side, size, entry_price, current_price, opened_at, closed_at)
    SELECT 'account ' || n % 20, 'S' || n / 20 % 200 || '/USD', 'LONG', 1, 100, 101, opened, CASE WHEN n % 3 > 0 THEN opened END
    FROM (SELECT n, timestamptz '2026-11-21 12:00Z' - n * interval '1 minute' AS opened
          FROM generate_series(0, {POSITIONS - 1}) n) x
    """,
)

INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename = ANY('{signals, agent_decisions}') AND indexname NOT LIKE '%pkey'
"""


async def fill(url: str) -> None:
    """Write the rows into the migrated, empty database at *url*, and let it count them."""
    connection: asyncpg.Connection = await asyncpg.connect(url)
    try:
        await connection.execute(SETTINGS)
        await connection.execute(ID)
        indexes = await connection.fetch(INDEXES)
        for index in indexes:
            await connection.execute(f"DROP INDEX {index['indexname']}")
        for statement in ROWS:
            await connection.execute(statement)
        # VACUUM marks only rows as visible whose commits are on disk, and the plans need the marks.
        await connection.execute("SET synchronous_commit = on")
        for index in indexes:  # all at once, which is several times faster than row by row
            await connection.execute(index["indexdef"])
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


def identifier(number: int) -> str:
    """Return the identifier of the row with *number* in its table."""
    return str(UUID(int=number))
