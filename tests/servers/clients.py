"""Talk to a server process line by line, and hold a scripted conversation with it."""

import asyncio
import json
import os
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from sandbox.backtester.specs import read_specs
from sandbox.tradestream.strategies import generate_implementations, spec_id
from tests.contracts.reading import ROOT, contracts, tool
from tests.servers.backends import (
    BACKTEST,
    BALANCE,
    CONSENSUS,
    GET_STATE,
    IMPLEMENTATIONS,
    LIMITS,
    METRICS,
    PING,
    POSITIONS,
    QUOTE,
    RECENT,
    RESULT,
    RUN,
    SAVE,
    SET_STATE,
    SIGNAL,
    SPEC,
    SPECS,
    STATUS,
    SUBMIT,
    SYMBOL,
    TOP,
    TRADE,
    UNKNOWN_ID,
    WINDOW,
)
from toolaccord.testing import Era

JsonObject: TypeAlias = dict[str, Any]
_Request: TypeAlias = tuple[str, JsonObject]
"""Method and parameters."""

BUSY = ("MCP-003", "MCP-004")
"""Codes of the platform that callers answer by another call."""
_LONGEST_LINE = 1 << 26
_PATIENCE_S = 60
_CLIENT_INFO = {"name": "tests", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": _CLIENT_INFO,
}


INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT_INFO}
"""Parameters of the request that opens a session of the handshake era."""
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def format_line(era: Era, id_: int, method: str, params: JsonObject) -> bytes:
    """Return a request as a line."""
    meta = {"_meta": _META} if era == "stateless" else {}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params | meta}).encode() + b"\n"


class StdioClient:
    """A client of one process. It sends lines exactly as the test gives them, also invalid ones."""

    def __init__(self, process: asyncio.subprocess.Process, era: Era) -> None:
        self._process = process
        self._era = era
        self._last_id = 0
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """Return the response to one request."""
        return (await self.request_all([(method, params)]))[0]

    async def request_all(self, requests: Sequence[_Request]) -> list[JsonObject]:
        """Send all *requests* without waiting, and return the responses in their order."""
        ids = range(self._last_id + 1, self._last_id + 1 + len(requests))
        self._last_id = ids[-1]
        lines = [format_line(self._era, each, *request) for each, request in zip(ids, requests, strict=True)]
        return await self._exchange(ids, lines)

    async def _exchange(self, ids: Sequence[int], lines: Sequence[bytes]) -> list[JsonObject]:
        sending = asyncio.create_task(self._send(lines))
        responses: dict[int, JsonObject] = {}
        async with asyncio.timeout(_PATIENCE_S):
            while len(responses) < len(ids):
                message = json.loads(await self._stdout.readline())
                if "id" in message:
                    responses[message["id"]] = message
            await sending
        return [responses[each] for each in ids]

    async def call_with_text(self, tool: str, arguments: str) -> JsonObject:
        """Call *tool* with *arguments* as JSON text, which is sent unchanged; return the response."""
        self._last_id += 1
        line = format_line(self._era, self._last_id, "tools/call", {"name": tool, "arguments": "HERE"})
        return (await self._exchange([self._last_id], [line.replace(b'"HERE"', arguments.encode())]))[0]

    async def initialize(self) -> None:
        """Initialize the session, in the handshake era."""
        if self._era == "handshake":
            await self.request("initialize", INITIALIZE)
            await self._send([INITIALIZED])

    def close(self) -> None:
        """Close the server's input."""
        self._stdin.close()

    async def wait_for_exit(self) -> int:
        """Close the server's input and return the exit code."""
        self.close()
        async with asyncio.timeout(_PATIENCE_S):
            return await self._process.wait()

    async def _send(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            self._stdin.write(line)
            await self._stdin.drain()


@asynccontextmanager
async def start_server(
    *arguments: str, era: Era = "stateless", environment: Mapping[str, str] | None = None
) -> AsyncIterator[StdioClient]:
    """Start `python -m ARGUMENTS` and give its client.

    The process must end by itself, with exit code 0.
    """
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            limit=_LONGEST_LINE,
            cwd=ROOT,
            env=os.environ | dict(environment or {}),
        )
        client = StdioClient(process, era)
        try:
            await client.initialize()
            yield client
            assert await client.wait_for_exit() == 0
        finally:
            if process.returncode is None:
                process.kill()
            client.close()
            await process.communicate()  # until its pipes are closed too


# --- scripted conversations ----------------------------------------------------------------------------------------

Script: TypeAlias = list[tuple[str, JsonObject, str | None]]
"""Tool, arguments, and the expected error code; None for a result."""

_BACKTEST, _PERFORMANCE = "run_backtest", "get_historical_performance"
_STRATEGY = next(
    str(each.strategy_id) for each in generate_implementations(1) if each.is_strategy and each.spec.name == "EMA_MACD"
)
"""A strategy of the sample market."""
_SPEC_ID = str(spec_id(1, read_specs()[0]))
"""A spec of the sample data."""
UNKNOWN_TOOLS = ["no_such_tool", "", "get_top_strategies ", "GET_TOP_STRATEGIES"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The requests to one process and its answers."""

    listings: list[JsonObject]
    """The results of tools/list, requested twice."""
    calls: list[tuple[str, JsonObject, str | None, JsonObject]]
    """Tool, arguments, the expected error code, and the result of tools/call."""
    unknown: list[JsonObject]
    """The whole responses to calls of UNKNOWN_TOOLS."""
    malformed: JsonObject
    """The whole response to a call whose arguments are a list."""


def script_calls(module: str, strategy_id: str) -> Script:
    """Return the calls to make to the server of *module*.

    The strategy must have a current signal for SYMBOL.
    """
    scripts: dict[str, Script] = {
        "tradestream.strategy": [
            (TOP, {"symbol": SYMBOL}, None),
            (TOP, {"symbol": SYMBOL}, None),
            (TOP, {"symbol": SYMBOL, "limit": 2.0, "offset": 1, "metric": "return", "force_refresh": True}, None),
            (TOP, {"symbol": SYMBOL, "offset": 1_000_000}, None),
            (SIGNAL, {"symbol": SYMBOL, "strategy_id": strategy_id}, None),
            (CONSENSUS, {"symbol": SYMBOL}, None),
            (TOP, {}, "INVALID_SYMBOL"),
            (TOP, {"symbol": SYMBOL, "limit": "5"}, "INVALID_PARAMETER"),
            (TOP, {"symbol": SYMBOL, "metric": None}, None),
            (TOP, {"symbol": "NOTHING/USD"}, "SYMBOL_NOT_FOUND"),
            (SIGNAL, {"symbol": SYMBOL, "strategy_id": UNKNOWN_ID}, "STRATEGY_NOT_FOUND"),
            (SIGNAL, {"symbol": "BTC/USD", "strategy_id": strategy_id}, "NO_SIGNAL"),
            (CONSENSUS, {"symbol": "NOTHING/USD"}, "NO_ACTIVE_STRATEGIES"),
        ],
        "tradestream.market_data": [
            ("get_candles", {"symbol": SYMBOL, "timeframe": "5m", "limit": 3.0, "offset": 1, "force_refresh": True}, None),
            ("get_candles", {"symbol": SYMBOL, "timeframe": "5m", "offset": 1_000_000}, None),
            ("get_current_price", {"symbol": SYMBOL}, None),
            ("get_current_price", {"symbol": SYMBOL}, None),
            ("get_volatility", {"symbol": SYMBOL}, None),
            ("get_candles", {"symbol": "ETH/USD' OR '1'='1"}, "INVALID_SYMBOL"),
            ("get_candles", {"symbol": SYMBOL, "timeframe": "2h"}, "INVALID_TIMEFRAME"),
            ("get_candles", {"symbol": SYMBOL, "limit": 1001}, "INVALID_PARAMETER"),
            ("get_candles", {"symbol": "NOTHING/USD"}, "NO_DATA"),
            ("get_current_price", {}, "INVALID_SYMBOL"),
            ("get_current_price", {"symbol": "NOTHING/USD"}, "SYMBOL_NOT_FOUND"),
            ("get_volatility", {"symbol": "NOTHING/USD"}, "INSUFFICIENT_DATA"),
            ("get_volatility", {"symbol": SYMBOL, "timeframe": "1m"}, "INVALID_TIMEFRAME"),
        ],
        "tradestream.backtest": [
            (_BACKTEST, {"symbol": SYMBOL, "strategy_id": _STRATEGY, "start_date": _format_day(-2)}, None),
            (_BACKTEST, {"symbol": "NEW/USD", "strategy_id": _STRATEGY}, "INSUFFICIENT_DATA"),
            (_BACKTEST, {"symbol": SYMBOL, "strategy_id": UNKNOWN_ID}, "STRATEGY_NOT_FOUND"),
            (_BACKTEST, {"symbol": SYMBOL, "strategy_id": _STRATEGY, "start_date": _format_day(2)}, "INVALID_DATE_RANGE"),
            (_BACKTEST, {"symbol": SYMBOL, "strategy_id": _STRATEGY, "end_date": "2026-02-30"}, "INVALID_PARAMETER"),
            (_BACKTEST, {"symbol": SYMBOL}, "INVALID_PARAMETER"),
            (_BACKTEST, {}, "INVALID_SYMBOL"),
            (_PERFORMANCE, {"strategy_id": _STRATEGY}, None),
            (_PERFORMANCE, {"strategy_id": _STRATEGY, "period": "1y", "symbol": None}, None),
            (_PERFORMANCE, {"strategy_id": _STRATEGY, "period": "1y", "force_refresh": True}, None),
            (_PERFORMANCE, {"strategy_id": _STRATEGY, "period": "2y"}, "INVALID_PERIOD"),
            (_PERFORMANCE, {"strategy_id": _STRATEGY, "symbol": "NEW/USD"}, "NO_PERFORMANCE_DATA"),
            (_PERFORMANCE, {"strategy_id": UNKNOWN_ID}, "STRATEGY_NOT_FOUND"),
        ],
        "moex.iss": [
            ("get_security_snapshot", {"ticker": ticker}, expected)
            for ticker, expected in {
                "SBER": None, "KROT": None, "TATNP": None, "NOPE": "INVALID_TICKER", "": "INVALID_TICKER",
                "NSVZ": "NO_DATA", "HTTP500": "ISS_UNAVAILABLE", "NOTJSON": "ISS_BAD_RESPONSE", "ABSURD": "ISS_BAD_RESPONSE",
            }.items()
        ] + [("get_security_snapshot", {"ticker": "SBER", "board": 1}, "VALIDATION_ERROR")],
        "gateway.swimmy": [
            (PING, {}, None),
            (STATUS, {}, None),
            (METRICS, {}, None),
            (RUN, BACKTEST | {"request_id": "REQ-42"}, None),
            (RESULT, {"request_id": "REQ-41"}, None),
            (RESULT, {}, None),
            (PING, {"api_key": "key"}, "INVALID_PARAMS"),
            (RUN, {}, "INVALID_PARAMS"),
            (RUN, BACKTEST | {"type": "CLOSE"}, "INVALID_PARAMS"),
            (RUN, BACKTEST | {"candles_file": "data/x.csv"}, "INCONSISTENT_PARAMS"),
            (RUN, BACKTEST | {"start_time": 2, "end_time": 1}, "INCONSISTENT_PARAMS"),
            (RESULT, {"request_id": "REQ 42"}, "INVALID_PARAMS"),
        ],
    }  # fmt: skip
    return (scripts | _script_store_calls() | _script_signal_calls() | _script_platform_calls())[module]


def _script_platform_calls() -> dict[str, Script]:
    now = datetime.now(UTC)
    order = {"instrument": SYMBOL, "side": "buy", "qty": 1, "timestamp": now.isoformat()}
    limit = order | {"order_type": "limit", "limit_price": 1000.5}
    hour = {"start": (now - timedelta(hours=2)).isoformat(), "end": (now - timedelta(hours=1)).isoformat()}
    check = {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": 10_000, "direction": "long"}
    window = {"symbol": SYMBOL, **hour, "interval": "5m", "features": ["sma", "macd"]}
    state = {"corr_id": secrets.token_hex(8), "key": "signal.EURUSD"}
    return {
        "platform.features": [
            (WINDOW, window, None),
            (WINDOW, window, None),
            (WINDOW, window | {"interval": "1d"}, "MCP-001"),
            (WINDOW, window | {"features": []}, "MCP-001"),
            (WINDOW, window | {"start": "2020-02-29T00:00:00Z", "end": "2020-03-01T00:00:00Z"}, "MCP-010"),
            (WINDOW, window | {"symbol": "NEW/USD"}, "MCP-010"),
        ],
        "platform.risk": [
            (LIMITS, check, None),
            (LIMITS, check, None),
            (LIMITS, check | {"quantity": 1e9, "time_horizon": "swing", "current_positions": {"SPY": -10}}, None),
            (LIMITS, check | {"direction": "buy"}, "MCP-001"),
            (LIMITS, check | {"quantity": 0}, "MCP-001"),
            (LIMITS, check | {"portfolio_id": "port_7"}, "MCP-011"),
            (LIMITS, check | {"symbol": "NOTHNG"}, "MCP-011"),
        ],
        "platform.storage": [
            (GET_STATE, state, None),
            (SET_STATE, state | {"value": {"side": None, "strength": 1.0}, "ttl_seconds": 60}, None),
            (GET_STATE, state, None),
            (SET_STATE, state | {"value": None}, None),
            (GET_STATE, state, None),
            (SET_STATE, state, "MCP-001"),
            (GET_STATE, state | {"key": "a:b"}, "MCP-001"),
            (SET_STATE, state | {"value": 1, "ttl_seconds": 86_401}, "MCP-001"),
            (SET_STATE, state | {"value": "x" * 1_048_575}, "MCP-014"),
        ],
        "platform.execution": [
            (QUOTE, order, None),
            (QUOTE, order, None),
            (QUOTE, limit, None),
            (QUOTE, order | {"side": "sell", "order_type": "stop", "stop_price": 1000}, None),
            (QUOTE, limit | {"order_type": "stop"}, "MCP-001"),
            (QUOTE, order | {"qty": 0}, "MCP-001"),
            (QUOTE, order | {"timestamp": _format_day(2) + "T00:00:00Z"}, "MCP-001"),
            (QUOTE, order | {"timestamp": "2020-02-29T00:00:00Z"}, "MCP-010"),
            (QUOTE, order | {"instrument": "NEW/USD"}, "MCP-010"),
            (QUOTE, order | {"qty": 1e12}, "MCP-012"),
        ],
    }


def _script_signal_calls() -> dict[str, Script]:
    (example,) = tool("agents.signals", "publish_signal")["examples"]
    unknown = example["arguments"] | {"evidence_id": f"sig-{secrets.token_hex(8)}"}
    return {
        "agents.signals": [
            ("collect_evidence", {"symbol": SYMBOL}, None),
            ("collect_evidence", {"symbol": "eth"}, "INVALID_SYMBOL"),
            ("publish_signal", unknown, "EVIDENCE_NOT_FOUND"),
            ("publish_signal", unknown | {"evidence_id": "abc"}, "INVALID_PARAMETER"),
            ("publish_signal", {}, "INVALID_PARAMETER"),
        ]
    }


def _script_store_calls() -> dict[str, Script]:
    trade = {"symbol": SYMBOL, "side": "BUY", "size": 1, "price": 1000.0}
    decision = {"symbol": SYMBOL, "action": "BUY", "confidence": 0.5, "reasoning": "A test.\nIn two lines."}
    spec = {"name": f"SPEC_{secrets.token_hex(8).upper()}", **SPEC}
    undefined = [{"type": "IS_RISING", "indicator": "moon"}]
    return {
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
            (RECENT, {"symbol": None}, None),
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
            (IMPLEMENTATIONS, {"spec_id": _SPEC_ID}, None),
            (IMPLEMENTATIONS, {"spec_id": _SPEC_ID, "status": "ALL", "limit": 2, "offset": 1}, None),
            (IMPLEMENTATIONS, {"spec_id": _SPEC_ID, "status": "LIVE"}, "INVALID_STATUS"),
            (IMPLEMENTATIONS, {"spec_id": "abc123"}, "SPEC_NOT_FOUND"),
            (SUBMIT, spec, None),
            (SUBMIT, spec, "DUPLICATE_NAME"),
            (SUBMIT, spec | {"name": "a spec"}, "INVALID_NAME"),
            (SUBMIT, spec | {"indicators": [{"id": "moon", "type": "MOON_PHASE"}]}, "INVALID_INDICATORS"),
            (SUBMIT, spec | {"exit_conditions": undefined, "name": "ANOTHER"}, "INVALID_CONDITIONS"),
            (SUBMIT, spec | {"parameters": [{"name": "x"}]}, "SCHEMA_VALIDATION_ERROR"),
        ],
    }


def _format_day(days: int) -> str:
    """Return the date that is *days* from today, in UTC."""
    return str((datetime.now(UTC) + timedelta(days=days)).date())


async def hold_conversation(module: str, era: Era, environment: dict[str, str], script: Script) -> Conversation:
    """List the tools of a process and make every call of *script*."""
    async with start_server(f"generated.{module}", era=era, environment=environment) as client:
        listings = [(await client.request("tools/list", {}))["result"] for _ in range(2)]
        unknown = [await _call(client, name, {}) for name in UNKNOWN_TOOLS]
        malformed = await _call(client, contracts()[module]["tools"][0]["name"], ["ETH/USD"])
        results = [await _call_patiently(client, name, arguments) for name, arguments, _ in script]
    calls = [(*each, result) for each, result in zip(script, results, strict=True)]
    return Conversation(listings=listings, calls=calls, unknown=unknown, malformed=malformed)


async def _call_in_time(client: StdioClient, name: str, arguments: Any) -> JsonObject:
    """Return the result of a call, repeated while a slow machine exceeds deadlines of 50 ms."""
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            result: JsonObject = (await _call(client, name, arguments))["result"]
            if '"MCP-004"' not in result["content"][0]["text"]:
                return result


async def _call(client: StdioClient, name: str, arguments: Any) -> JsonObject:
    return await client.request("tools/call", {"name": name, "arguments": arguments})


async def _call_patiently(client: StdioClient, name: str, arguments: Any) -> JsonObject:
    """Return the result of a call, repeated while a busy machine makes it miss its deadline."""
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            result: JsonObject = (await _call(client, name, arguments))["result"]
            error = result.get("structuredContent", {}).get("error") or {}
            if error.get("code") not in BUSY:
                return result
