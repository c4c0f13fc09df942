"""Prepare the backends of servers: databases with sample data, and the exchange's stand-in."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

import asyncpg

from sandbox import ACCOUNT
from sandbox.tradestream.database import SCHEMA
from sandbox.tradestream.load import load
from tests.servers.contracts import Observations
from tests.servers.harness import NOW, Answer, ServerUnderTest, open_server
from tests.services.exchange import Exchange
from toolaccord.testing import ManualClock

SYMBOL = "ETH/USD"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


def run_in_thread(work: Coroutine[Any, Any, Any]) -> Any:
    """Run *work* in an event loop of its own and return its result."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


# --- PostgreSQL ----------------------------------------------------------------------------------------------------

_HERE = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
_COUNT_WAITING = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND {_HERE}"
KILL_WAITING = f"SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE NOT granted AND {_HERE}"
"""Ends every session that waits for a lock."""


@asynccontextmanager
async def connect_database(url: str) -> AsyncIterator[Connection]:
    """Give a connection of the test's own."""
    opened: Connection = await asyncpg.connect(url)
    try:
        yield opened
    finally:
        await opened.close()


async def load_invalid_rows(url: str, statements: str) -> None:
    """Load the sample market into an empty database, and rows that the contracts exclude."""
    await SCHEMA.migrate(url)
    await load(url, 1, NOW)
    async with connect_database(url) as connection:
        await connection.execute(statements)


@asynccontextmanager
async def lock_tables(url: str, *tables: str) -> AsyncIterator[Connection]:
    """Hold an exclusive lock on *tables*."""
    async with connect_database(url) as holder, holder.transaction():
        await holder.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
        yield holder


async def wait_for_blocked_queries(holder: Connection, count: int = 1) -> None:
    """Wait until *count* queries wait for a lock."""
    async with asyncio.timeout(60):
        while await holder.fetchval(_COUNT_WAITING) < count:
            pass


def set_role(url: str, role: str) -> str:
    """Return *url* for sessions that have only the rights of *role*."""
    parts = urlsplit(url)
    return parts._replace(query=urlencode([*parse_qsl(parts.query), ("role", role)])).geturl()


# --- the server of strategies --------------------------------------------------------------------------------------

STRATEGY_SERVER = "tradestream.strategy"
TOP, SIGNAL, CONSENSUS = STRATEGY_TOOLS = ("get_top_strategies", "get_strategy_signal", "get_strategy_consensus")
STRATEGY_TABLES = ("strategies", "signals")
"""Tables of which every one of these tools reads at least one."""
STRATEGY_WITH_SIGNAL = """
SELECT s.strategy_id::text FROM strategies s JOIN signals g USING (strategy_id)
WHERE s.symbol = $1 AND s.is_active ORDER BY g.triggered_at DESC, s.strategy_id LIMIT 1
"""
"""Selects the identifier of a strategy that has a current signal for a symbol."""

CallTool: TypeAlias = Callable[..., Coroutine[Any, Any, Answer]]
"""Calls a tool; strategy and symbol are filled in."""


def bind_strategy(server: ServerUnderTest, strategy_id: str) -> CallTool:
    """Return a function that calls tools of *server* about one strategy and SYMBOL."""

    async def call(name: str, **more: Any) -> Answer:
        arguments = {"symbol": SYMBOL} | ({"strategy_id": strategy_id} if name == SIGNAL else {})
        return await server.call(name, **arguments | more)

    return call


# --- the gateway ---------------------------------------------------------------------------------------------------

GATEWAY_SERVER = "gateway.swimmy"
PING, STATUS, METRICS, RUN, RESULT = GATEWAY_TOOLS = (
    "health.ping", "system.status", "system.metrics", "backtest.submit", "backtest.status",
)  # fmt: skip
"""The tools of the gateway that MCP offers."""
BACKTEST: dict[str, Any] = {
    "strategy": {"name": "t", "sma_short": 5, "sma_long": 20, "sl": 0.5, "tp": 1, "volume": 0.01},
    "symbol": "USDJPY",
    "data_id": "USDJPY_H1",
}
"""Arguments of a backtest that the Guardian runs."""

# --- the servers that keep state in PostgreSQL ---------------------------------------------------------------------

POSITIONS, BALANCE, TRADE = PORTFOLIO_TOOLS = ("get_positions", "get_balance", "validate_trade")
RECENT, SAVE = DECISION_TOOLS = ("get_recent_decisions", "save_decision")
SPECS, IMPLEMENTATIONS, SUBMIT = SPEC_TOOLS = ("get_top_specs", "get_implementations", "submit_new_spec")
STORE_TOOLS = (*PORTFOLIO_TOOLS, *DECISION_TOOLS, *SPEC_TOOLS)
PAGED_TOOLS = (POSITIONS, RECENT, SPECS, IMPLEMENTATIONS)
CACHED_TOOLS = (RECENT, SPECS, IMPLEMENTATIONS)
WRITING_TOOLS = (SAVE, SUBMIT)
STORE_SERVERS: Mapping[str, str] = {
    **dict.fromkeys(PORTFOLIO_TOOLS, "tradestream.portfolio"),
    **dict.fromkeys(DECISION_TOOLS, "tradestream.decisions"),
    **dict.fromkeys(SPEC_TOOLS, "tradestream.strategy_db"),
}
"""The server of each tool."""
STORE_TABLES = ("accounts", "positions", "agent_decisions", "strategy_specs", "strategy_implementations")
"""Tables of which every tool reads or writes at least one."""
SPEC: Mapping[str, Any] = {
    "indicators": [{"id": "rsi", "type": "RSI", "params": {"period": 14}}],
    "entry_conditions": [{"type": "UNDER_CONSTANT", "indicator": "rsi", "params": {"value": 30}}],
    "exit_conditions": [{"type": "IS_FALLING", "indicator": "rsi"}],
    "parameters": [],
}
_WIDEST_SPEC = "SELECT spec_id::text FROM strategy_implementations GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"


class StoreServer:
    """A server with state, on a database with the sample data."""

    def __init__(self, server: ServerUnderTest, spec_id: str) -> None:
        self.server = server
        self._spec_id = spec_id

    async def call(self, name: str, /, _key: str | None = None, **more: Any) -> Answer:
        """Call a tool; required arguments are filled in."""
        return await self.server.call(name, _key=_key, **self.valid_arguments(name) | more)

    def valid_arguments(self, name: str) -> dict[str, Any]:
        """Return valid arguments of *name*; a spec has another name each time."""
        if name == SUBMIT:
            return {"name": f"SPEC_{secrets.token_hex(8).upper()}", **SPEC}
        arguments: dict[str, dict[str, Any]] = {
            TRADE: {"symbol": SYMBOL, "side": "BUY", "size": 0.1, "price": 1000},
            SAVE: {"symbol": SYMBOL, "action": "HOLD", "confidence": 0.5, "reasoning": "A test."},
            IMPLEMENTATIONS: {"spec_id": self._spec_id, "status": "ALL"},
        }
        return arguments.get(name, {})


@asynccontextmanager
async def open_store_server(
    tool: str, url: str, observations: Observations, clock: ManualClock | None = None, account: str = ACCOUNT
) -> AsyncIterator[StoreServer]:
    """Give the server of *tool* on the database at *url*, which may be unreachable."""
    settings = {"database_url": url, "account_id": account}
    async with open_server(STORE_SERVERS[tool], settings, observations, clock) as server:
        yield StoreServer(server, await _find_widest_spec(url) if tool == IMPLEMENTATIONS else "")


async def _find_widest_spec(url: str) -> str:
    """Return the spec with most implementations; any identifier without a database."""
    try:
        async with connect_database(url) as connection:
            return str(await connection.fetchval(_WIDEST_SPEC))
    except OSError:
        return UNKNOWN_ID


# --- the exchange --------------------------------------------------------------------------------------------------

EXCHANGE_SERVER = "moex.iss"
SNAPSHOT, SERIES, INDEX = EXCHANGE_TOOLS = (
    "get_security_snapshot",
    "get_ohlcv_timeseries",
    "get_index_constituents_metrics",
)
_EXCHANGE_ARGUMENTS: dict[str, dict[str, Any]] = {
    SNAPSHOT: {"ticker": "SBER"},
    SERIES: {"ticker": "SBER", "from_date": "2026-09-01", "to_date": "2026-11-20"},
    INDEX: {"index_ticker": "IMOEX", "as_of_date": "2026-11-18"},
}
"""Arguments with which each tool has a result."""
_STEP_S = 0.1
"""Seconds by which the manual clock advances at once."""
_LULL_S = 0.005
"""Seconds of real time after which a call without an answer in flight waits for the clock."""
_TURNS = 50
"""Turns of the event loop in which a timed-out call ends.

A slow machine may need longer than _LULL_S for them.
"""


@dataclass(frozen=True, slots=True)
class ExchangeServer:
    """The server of the exchange, the exchange's stand-in, and the clock of both."""

    server: ServerUnderTest
    exchange: Exchange
    clock: ManualClock

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Call *tool* with valid arguments and *arguments*; advance the clock while it waits."""
        task = asyncio.create_task(self.server.call(tool, **(_EXCHANGE_ARGUMENTS[tool] | arguments)))
        while not (await asyncio.wait([task], timeout=_LULL_S))[0]:
            if not self.exchange.active_requests:
                self.clock.advance(_STEP_S)
                for _ in range(_TURNS):
                    await asyncio.sleep(0)
        return await task


@asynccontextmanager
async def open_exchange_server(
    observations: Observations, *, fixed_prices: bool = False, **options: Any
) -> AsyncIterator[ExchangeServer]:
    """Give the server on a stand-in made with *options*.

    Prices do not change with the clock if *fixed_prices* is set.
    """
    clock = ManualClock(NOW)
    with Exchange((lambda: NOW) if fixed_prices else clock.now, **options).running() as exchange:
        async with open_server(EXCHANGE_SERVER, {"iss_base_url": exchange.url}, observations, clock) as server:
            yield ExchangeServer(server, exchange, clock)


# --- the trading platform ------------------------------------------------------------------------------------------

GET_STATE = "storage.shared_state.get"
LIMITS = "risk.position_limits_check"
QUOTE = "execution.sim_quote"
SET_STATE = "storage.shared_state.set"
WINDOW = "features.ohlcv_window"
TICKS = "features.live_market_data"
ALERT = "risk.trigger_alert"
