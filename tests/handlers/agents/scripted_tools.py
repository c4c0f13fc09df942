"""Tools of the signal generator with prepared outcomes, behind real clients and publishers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, cast

import jsonschema

from generated.agents.signal_generator.agent import SignalGeneratorCall, SignalGeneratorSettings, agent
from generated.agents.signal_generator.models import Signal, SignalRequest
from generated.tradestream.market_data.client import MarketDataClient
from generated.tradestream.strategy.client import StrategyClient
from handlers.agents import signal_generator
from toolaccord.agent.call import LanguageModel
from toolaccord.agent.missing import MissingLabels
from toolaccord.call.events import BoundEvent, EventPublisher
from toolaccord.client.calls import Policies
from toolaccord.client.connection import ToolResponse
from toolaccord.errors import ServerGone, TimedOut
from toolaccord.json_values import JsonObject
from toolaccord.sources.redis import Script
from toolaccord.sources.redis.api import Value
from toolaccord.testing import FakeSource, ManualClock
from toolaccord.timing.clock import sleep

NOW = datetime(2026, 11, 23, 12, 34, 56, tzinfo=UTC)
AGENT = agent(signal_generator)
TOOLS = {use.tool.name: use for server in AGENT.uses for use in server.tools}

ToolOutcome: TypeAlias = Exception | JsonObject
"""An exception, a result, or an error of the dialect: a dict with `code`."""

SIGNALS = ("BUY", "BUY", "BUY", "BUY", "SELL")
SCORES = (0.89, 0.85, 0.78, 0.72, 0.65)
NAMES = ("RSI_REVERSAL", "MACD_CROSS", "BOLLINGER_BOUNCE", "EMA_TREND", "VOLUME_BREAKOUT")
"""The strategies of the specification's example."""


def ranking(scores: tuple[float, ...] = SCORES) -> JsonObject:
    """Return a result of get_top_strategies."""
    items = [
        {"strategy_id": f"id-{n}", "name": NAMES[n % 5], "score": x, "sharpe": 1.5, "accuracy": x, "signals_count": 9}
        for n, x in enumerate(scores)
    ]
    return {"items": items, "pagination": _page(len(items))}


def current(signal: str) -> JsonObject:
    """Return a result of get_strategy_signal."""
    return {
        "signal": signal,
        "confidence": 0.5,
        "triggered_at": "2026-11-23T12:00:00Z",
        "parameters": {"rsiPeriod": 14},
    }


def hours(*volumes: float) -> JsonObject:
    """Return a result of get_candles, one candle an hour."""
    begins = [datetime(2026, 11, 22, 11, tzinfo=UTC) + timedelta(hours=hour) for hour in range(len(volumes))]
    prices = dict.fromkeys(("open", "high", "low", "close"), 2450.5)
    items = [
        {"timestamp": begin.isoformat(), "volume": volume, **prices}
        for begin, volume in zip(begins, volumes, strict=True)
    ]
    return {"items": items, "pagination": _page(len(items))}


def _page(count: int) -> JsonObject:
    return {"offset": 0, "limit": 100, "total": count, "has_more": False}


PRICE: JsonObject = {"price": 2450.5, "change_1h": 0.023, "volume_24h": 9000.0, "timestamp": "2026-11-23T12:33:00Z"}
CANDLES = hours(*[100.0] * 24, 145.0)
VOLATILITY: JsonObject = {"volatility": 0.018, "atr": 31.2, "high_low_range": 210.0}


class Channel(FakeSource):
    """A Redis that keeps what is published."""

    def __init__(self) -> None:
        super().__init__("redis")
        self.published: list[tuple[str, JsonObject]] = []

    async def run_script(self, _script: Script, _keys: Sequence[str], arguments: Sequence[Value]) -> bytes:
        """Append the payload of the script that publishes once."""
        channel, _window_ms, _token, payload, *_ = arguments
        self.published.append((str(channel), json.loads(cast("bytes", payload))))
        return b"p"


COMPLETE = 0.81226
"""Confidence of the specification's example by its code."""
GONE = ServerGone("nobody answers")
DATABASE_ERROR: JsonObject = {"code": "DATABASE_ERROR"}
VALIDATOR = jsonschema.Draft202012Validator(
    next(event.payload for event in AGENT.events if event.name == "raw_signal"),
    format_checker=jsonschema.FormatChecker(),
)
"""Validator of the published signals, of another make than the publisher's."""


@dataclass
class ScriptedTools:
    """Both servers, whose tools have the given outcomes, and the channel of the signals."""

    ranking: ToolOutcome = field(default_factory=ranking)
    signals: tuple[ToolOutcome, ...] = field(default_factory=lambda: tuple(current(each) for each in SIGNALS))
    price: ToolOutcome = field(default_factory=lambda: PRICE)
    candles: ToolOutcome = field(default_factory=lambda: CANDLES)
    volatility: ToolOutcome = field(default_factory=lambda: VOLATILITY)
    policies: Policies | None = None
    channel: Channel = field(default_factory=Channel)
    missing: MissingLabels = field(default_factory=lambda: MissingLabels(AGENT.uses))
    sent: list[tuple[str, JsonObject]] = field(default_factory=list)
    """Tool and arguments of each request."""
    hanging: Collection[str] = ()
    """Tools that never answer."""
    model: LanguageModel | None = None
    """The language model of their callers."""
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))
    """Clock by which their callers give up and judge."""

    def __post_init__(self) -> None:
        self.strategy = StrategyClient(self, self.policies)
        self.market_data = MarketDataClient(self, self.policies)

    async def open(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    async def call(self, tool: str, arguments: JsonObject, _meta: JsonObject, timeout_s: float) -> ToolResponse:
        """Return the response of *tool*, or raise what it has to."""
        self.sent.append((tool, arguments))
        if tool in self.hanging:
            await sleep(self.clock, timeout_s)
            raise TimedOut("no answer in time")
        outcome = self._outcomes()[" ".join([tool, *filter(None, [arguments.get("strategy_id")])])]
        if isinstance(outcome, Exception):
            raise outcome
        body = {"error": {"message": "", "details": {}} | outcome} if "code" in outcome else {"data": outcome}
        return ToolResponse(text=json.dumps(body), is_error="code" in outcome, corr_id="abc")

    def _outcomes(self) -> Mapping[str, ToolOutcome]:
        signals = {f"get_strategy_signal id-{n}": each for n, each in enumerate(self.signals)}
        return signals | {
            "get_top_strategies": self.ranking,
            "get_current_price": self.price,
            "get_candles": self.candles,
            "get_volatility": self.volatility,
        }

    def build_call(self, now: datetime = NOW) -> SignalGeneratorCall:
        """Return the record that the handler takes for one request."""
        self.missing = MissingLabels(AGENT.uses)
        source: Any = self.channel
        raw_signal, signal_error = (EventPublisher(BoundEvent(event, source), None) for event in AGENT.events)
        return SignalGeneratorCall(
            strategy=self.strategy,
            market_data=self.market_data,
            bus=source,
            raw_signal=raw_signal,
            signal_error=signal_error,
            settings=SignalGeneratorSettings(max_strategies=5),
            now=now,
            read_clock=self.clock.now,
            corr_id="abc",
            missing=self.missing,
            model=self.model,
        )

    async def answer(self, symbol: str = "ETH/USD", now: datetime = NOW) -> Signal:
        """Return the handler's answer."""
        return await signal_generator.answer(SignalRequest(symbol=symbol), self.build_call(now))
