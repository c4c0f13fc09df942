"""The tools of the servers that keep state in PostgreSQL: their rooms, valid arguments, and how their database fails."""

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from sandbox.tradestream.account import ACCOUNT
from sandbox.tradestream.specs import read_specs
from sandbox.tradestream.strategies import spec_id
from tests.servers.market import SYMBOL, Connection, connection
from tests.servers.seen import Seen
from tests.servers.station import Answer, Station, station
from toolpact.testing import ManualClock

POSITIONS, BALANCE, TRADE = OF_PORTFOLIO = ("get_positions", "get_balance", "validate_trade")
RECENT, SAVE = OF_DECISIONS = ("get_recent_decisions", "save_decision")
SPECS, IMPLEMENTATIONS, SUBMIT = OF_SPECS = ("get_top_specs", "get_implementations", "submit_new_spec")
TOOLS = (*OF_PORTFOLIO, *OF_DECISIONS, *OF_SPECS)
LISTS = (POSITIONS, RECENT, SPECS, IMPLEMENTATIONS)
CACHED = (RECENT, SPECS, IMPLEMENTATIONS)
WRITES = (SAVE, SUBMIT)

ROOMS: Mapping[str, str] = {
    **dict.fromkeys(OF_PORTFOLIO, "tradestream.portfolio"),
    **dict.fromkeys(OF_DECISIONS, "tradestream.decisions"),
    **dict.fromkeys(OF_SPECS, "tradestream.strategy_db"),
}
SPEC: Mapping[str, Any] = {
    "indicators": [{"id": "rsi", "type": "RSI", "params": {"period": 14}}],
    "entry_conditions": [{"type": "UNDER_CONSTANT", "indicator": "rsi", "params": {"value": 30}}],
    "exit_conditions": [{"type": "IS_FALLING", "indicator": "rsi"}],
    "parameters": [],
}
TABLES = ("accounts", "agent_decisions", "strategy_specs")
"""What every tool needs one of."""
WIDEST_SPEC = "SELECT spec_id::text FROM strategy_implementations GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"


A_SPEC = str(spec_id(1, read_specs()[0]))
"""A spec of the sample data."""


def store_script(room: str) -> list[tuple[str, dict[str, Any], str | None]]:
    """What a process is asked: tool, arguments, and the code that is due; None for a result."""
    trade = {"symbol": SYMBOL, "side": "BUY", "size": 1, "price": 1000.0}
    decision = {"symbol": SYMBOL, "action": "BUY", "confidence": 0.5, "reasoning": "A test.\nIn two lines."}
    spec = {"name": f"SPEC_{secrets.token_hex(8).upper()}", **SPEC}
    nowhere = [{"type": "IS_RISING", "indicator": "moon"}]
    scripts: dict[str, list[tuple[str, dict[str, Any], str | None]]] = {
        "tradestream.portfolio": [
            (POSITIONS, {}, None),
            (POSITIONS, {"symbol": SYMBOL, "limit": 2.0}, None),
            (POSITIONS, {"offset": 1_000_000}, None),
            (POSITIONS, {"symbol": "eth"}, "INVALID_SYMBOL"),
            (POSITIONS, {"limit": 201}, "INVALID_PARAMETER"),
            (BALANCE, {}, None),
            (BALANCE, {"account": "another"}, "INVALID_PARAMETER"),
            (TRADE, trade, None),
            (TRADE, trade | {"size": 50}, None),
            (TRADE, {"symbol": "ZZZ/USD", "side": "SELL", "size": 1}, None),
            (TRADE, trade | {"size": 1e9}, "INSUFFICIENT_BALANCE"),
            (TRADE, trade | {"side": "HOLD"}, "INVALID_SIDE"),
            (TRADE, trade | {"size": 0}, "INVALID_SIZE"),
        ],
        "tradestream.decisions": [
            (RECENT, {}, None),
            (RECENT, {}, None),
            (RECENT, {"symbol": SYMBOL, "action": "HOLD", "limit": 1, "offset": 1, "force_refresh": True}, None),
            (RECENT, {"action": "WAIT"}, "INVALID_ACTION"),
            (RECENT, {"symbol": None}, "INVALID_SYMBOL"),
            (SAVE, decision, None),
            (SAVE, decision | {"tool_calls": [{"tool": "get_candles"}], "opportunity_score": 100}, None),
            (SAVE, decision | {"tool_calls": ["get_candles", None, [1]]}, None),
            (SAVE, decision | {"confidence": 72}, "INVALID_CONFIDENCE"),
            (SAVE, decision | {"reasoning": "x" * 10_001}, "REASONING_TOO_LONG"),
            (SAVE, decision | {"opportunity_score": -1}, "INVALID_PARAMETER"),
        ],
        "tradestream.strategy_db": [
            (SPECS, {}, None),
            (SPECS, {"source": "LLM_GENERATED", "limit": 1}, None),
            (SPECS, {"source": "MIGRATED"}, "INVALID_SOURCE"),
            (IMPLEMENTATIONS, {"spec_id": A_SPEC}, None),
            (IMPLEMENTATIONS, {"spec_id": A_SPEC, "status": "ALL", "limit": 2, "offset": 1}, None),
            (IMPLEMENTATIONS, {"spec_id": A_SPEC, "status": "LIVE"}, "INVALID_STATUS"),
            (IMPLEMENTATIONS, {"spec_id": "abc123"}, "SPEC_NOT_FOUND"),
            (SUBMIT, spec, None),
            (SUBMIT, spec, "DUPLICATE_NAME"),
            (SUBMIT, spec | {"name": "a spec"}, "INVALID_NAME"),
            (SUBMIT, spec | {"indicators": [{"id": "moon", "type": "MOON_PHASE"}]}, "INVALID_INDICATORS"),
            (SUBMIT, spec | {"exit_conditions": nowhere, "name": "ANOTHER"}, "INVALID_CONDITIONS"),
            (SUBMIT, spec | {"parameters": [{"name": "x"}]}, "SCHEMA_VALIDATION_ERROR"),
        ],
    }
    return scripts[room]


class Store:
    """A server of a store on a database with the sample data."""

    def __init__(self, station: Station, spec_id: str) -> None:
        self.station = station
        self._spec_id = spec_id

    async def ask(self, name: str, /, _key: str | None = None, **more: Any) -> Answer:
        """Call a tool; what it needs is filled in."""
        return await self.station.ask(name, _key=_key, **self.valid(name) | more)

    def valid(self, name: str) -> dict[str, Any]:
        """Arguments that *name* takes; a spec has another name each time."""
        if name == SUBMIT:
            return {"name": f"SPEC_{secrets.token_hex(8).upper()}", **SPEC}
        usual: dict[str, dict[str, Any]] = {
            TRADE: {"symbol": SYMBOL, "side": "BUY", "size": 0.1, "price": 1000},
            SAVE: {"symbol": SYMBOL, "action": "HOLD", "confidence": 0.5, "reasoning": "A test."},
            IMPLEMENTATIONS: {"spec_id": self._spec_id, "status": "ALL"},
        }
        return usual.get(name, {})


@asynccontextmanager
async def store(
    tool: str, url: str, seen: Seen, clock: ManualClock | None = None, account: str = ACCOUNT
) -> AsyncIterator[Store]:
    """Give the server that has *tool*, on the database at *url*, which need not be there."""
    settings = {"database_url": url, "account_id": account}
    async with station(ROOMS[tool], settings, seen, clock) as serving:
        yield Store(serving, await widest_spec(url) if tool == IMPLEMENTATIONS else "")


async def widest_spec(url: str) -> str:
    """The spec with the most implementations; any identifier where the database is not there."""
    try:
        async with connection(url) as asking:
            return str(await asking.fetchval(WIDEST_SPEC))
    except OSError:
        return "00000000-0000-4000-8000-000000000000"


@asynccontextmanager
async def all_locked(url: str) -> AsyncIterator[Connection]:
    """Hold a lock that every tool waits for."""
    async with connection(url) as holder, holder.transaction():
        await holder.execute(f"LOCK TABLE {', '.join(TABLES)} IN ACCESS EXCLUSIVE MODE")
        yield holder


def in_role(url: str, role: str) -> str:
    """The *url* of a session that has only the rights of *role*."""
    parts = urlsplit(url)
    return parts._replace(query=urlencode([*parse_qsl(parts.query), ("role", role)])).geturl()
