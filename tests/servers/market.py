"""strategy-mcp and a market to ask it about; and ways to get into the way of its queries."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import asyncpg

from handlers.tradestream.migrate import migrate
from sandbox.tradestream.load import load
from tests.servers.station import NOW, Answer, Station

ROOM = "tradestream.strategy"
TOP, SIGNAL, CONSENSUS = TOOLS = ("get_top_strategies", "get_strategy_signal", "get_strategy_consensus")
SYMBOL = "ETH/USD"
NOBODY = "00000000-0000-4000-8000-000000000000"

A_STRATEGY = """
SELECT s.strategy_id::text FROM strategies s JOIN signals g USING (strategy_id)
WHERE s.symbol = $1 AND s.is_active ORDER BY g.triggered_at DESC, s.strategy_id LIMIT 1
"""
"""The identifier of a strategy that has a current signal for a symbol."""
HERE = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
WAITING = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND {HERE}"
KILL_WAITING = f"SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE NOT granted AND {HERE}"

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Ask: TypeAlias = Callable[..., Coroutine[Any, Any, Answer]]
"""Calls a tool; strategy and symbol are filled in."""


def asking(station: Station, strategy_id: str) -> Ask:
    async def ask(name: str, **more: Any) -> Answer:
        arguments = {"symbol": SYMBOL} | ({"strategy_id": strategy_id} if name == SIGNAL else {})
        return await station.ask(name, **arguments | more)

    return ask


def apart(work: Coroutine[Any, Any, Any]) -> Any:
    """Do *work* in an event loop of its own and return what it returns."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@asynccontextmanager
async def connection(url: str) -> AsyncIterator[Connection]:
    """A connection of the test's own."""
    opened: Connection = await asyncpg.connect(url)
    try:
        yield opened
    finally:
        await opened.close()


async def spoil(url: str, statements: str) -> None:
    """Fill an empty database with the sample market, and write into it what the contracts exclude."""
    await migrate(url)
    await load(url, 1, NOW)
    async with connection(url) as spoiling:
        await spoiling.execute(statements)


@asynccontextmanager
async def locked(url: str) -> AsyncIterator[Connection]:
    """Hold a lock that every tool waits for."""
    async with connection(url) as holder, holder.transaction():
        await holder.execute("LOCK TABLE strategies IN ACCESS EXCLUSIVE MODE")
        yield holder


async def until_waiting(holder: Connection, count: int = 1) -> None:
    """Wait until *count* queries wait for a lock."""
    async with asyncio.timeout(60):
        while await holder.fetchval(WAITING) < count:
            pass
