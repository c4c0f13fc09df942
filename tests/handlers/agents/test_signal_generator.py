"""Signals from complete data, and their publication."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from generated.agents.signal_generator.models import Signal, SignalRequest
from handlers.agents import signal_generator
from tests.handlers.agents.scripted_tools import (
    COMPLETE,
    NAMES,
    NOW,
    SCORES,
    SIGNALS,
    TOOLS,
    VALIDATOR,
    Channel,
    ScriptedTools,
    current,
    ranking,
)
from tests.toolaccord.scripted_connection import settle
from toolaccord.errors import SourceError
from toolaccord.handler import Publication


async def test_complete_data_gives_the_signal_of_the_specification() -> None:
    tools = ScriptedTools()
    signal = await tools.answer()
    assert json.loads(signal.model_dump_json(exclude_none=True, exclude={"signal_id", "reasoning"})) == {
        "symbol": "ETH/USD",
        "action": "BUY",
        "confidence": pytest.approx(COMPLETE),
        "strategies_analyzed": 5,
        "strategies_bullish": 4,
        "strategies_bearish": 1,
        "strategies_neutral": 0,
        "top_strategy": {"name": "RSI_REVERSAL", "score": 0.89, "signal": "BUY", "parameters": {"rsiPeriod": 14}},
        "strategy_breakdown": [
            {"name": name, "signal": each, "score": score}
            for name, each, score in zip(NAMES, SIGNALS, SCORES, strict=True)
        ],
        "market_context": {
            "current_price": 2450.5,
            "price_change_1h": 0.023,
            "volume_ratio": 1.45,
            "volatility_1h": 0.018,
        },
        "timestamp": "2026-11-23T12:34:56Z",
    }
    assert tools.missing.labels == ()


async def test_the_signal_is_published_once_as_it_is_returned() -> None:
    tools = ScriptedTools()
    signal = await tools.answer()
    as_sent = json.loads(signal.model_dump_json(exclude_none=True))
    assert tools.channel.published == [("channel:raw-signals", as_sent)]
    VALIDATOR.validate(tools.channel.published[0][1])


async def test_the_signal_is_published_under_its_id() -> None:
    ids: list[tuple[str, str | None, int | None]] = []

    class Publisher:
        address = "channel:raw-signals"

        async def publish(
            self, payload: Signal, /, *, message_id: str | None = None, revision: Signal | None = None
        ) -> Publication:
            ids.append((payload.signal_id, message_id, revision.revision if revision else None))
            return "published"

        async def publish_once(self, payload: Signal, /) -> Signal:
            raise AssertionError(payload)

    tools = ScriptedTools()
    signal = await signal_generator.answer(
        SignalRequest(symbol="ETH/USD"), replace(tools.build_call(), raw_signal=Publisher())
    )
    assert ids == [(signal.signal_id, signal.signal_id, 2)]


async def test_the_reasoning_has_each_strategy_with_its_signal_and_score() -> None:
    assert (await ScriptedTools().answer()).reasoning == (
        "4 of 5 top strategies signal BUY (4 BUY, 1 SELL and 0 HOLD). "
        "The price is 2450.5, up 2.30% in the last hour. "
        "The volume of the last hour is 1.45 times the mean of the day before. "
        "Hourly returns vary by 1.80%. "
        "Strategies: RSI_REVERSAL BUY (score 0.89), MACD_CROSS BUY (score 0.85), BOLLINGER_BOUNCE BUY (score 0.78), "
        "EMA_TREND BUY (score 0.72), VOLUME_BREAKOUT SELL (score 0.65)."
    )


async def test_the_tools_receive_what_the_formula_needs() -> None:
    tools = ScriptedTools()
    await tools.answer()
    eth = {"symbol": "ETH/USD"}
    assert sorted(tools.sent, key=repr) == [
        ("get_candles", eth | {"timeframe": "1h", "limit": 25}),
        ("get_current_price", eth),
        *(("get_strategy_signal", {"strategy_id": f"id-{n}"} | eth) for n in range(5)),
        ("get_top_strategies", eth | {"limit": 5, "metric": "accuracy"}),
        ("get_volatility", eth | {"timeframe": "1h"}),
    ]


async def test_independent_tools_are_called_at_the_same_time() -> None:
    tools = ScriptedTools(hanging=TOOLS)
    answering = asyncio.create_task(tools.answer())
    await settle()
    answering.cancel()
    assert {tool for tool, *_ in tools.sent} == TOOLS.keys() - {"get_strategy_signal"}
    tools = ScriptedTools(hanging={"get_strategy_signal"})
    answering = asyncio.create_task(tools.answer())
    await settle()
    answering.cancel()
    assert [tool for tool, *_ in tools.sent].count("get_strategy_signal") == 5


async def test_signals_of_one_symbol_in_one_minute_have_one_id() -> None:
    start = NOW.replace(second=0)
    moments = [start, start + timedelta(seconds=59.9), start + timedelta(minutes=1), start - timedelta(seconds=1)]
    ids = [(await ScriptedTools().answer(now=moment)).signal_id for moment in moments]
    other = (await ScriptedTools().answer("BTC/USD", start)).signal_id
    assert ids[0] == ids[1] == "sig-5f165cf275d8"
    assert len({*ids, other}) == 4


async def test_an_unpublished_signal_is_an_error() -> None:
    class Broken(Channel):
        async def run_script(self, *_command: object) -> bytes:
            raise SourceError("Redis is away")

    with pytest.raises(SourceError):
        await ScriptedTools(channel=Broken()).answer()


async def test_a_hundred_strategies_with_long_names_fit_the_reasoning() -> None:
    ranked = ranking((0.5,) * 100)
    for item in ranked["items"]:
        item["name"] = "N" * 200
    tools = ScriptedTools(ranked, (current("BUY"),) * 100)
    signal = await tools.answer()
    assert len(signal.reasoning) == 8000
    VALIDATOR.validate(tools.channel.published[0][1])
