"""Signals from the outcomes of tools: acceptance criteria, error table, and every failure."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated.agents.signal_generator.models import Signal, SignalRequest
from generated.tradestream.errors import InvalidSymbol, SymbolNotFound
from handlers.agents import signal_generator
from tests.handlers.agents.scripted_tools import (
    AGENT,
    NAMES,
    NOW,
    SCORES,
    SIGNALS,
    TOOLS,
    Channel,
    ScriptedTools,
    ToolOutcome,
    current,
    hours,
    ranking,
)
from tests.handlers.agents.specification import partial_confidence
from tests.toolpact.scripted_connection import settle
from toolpact.client.policies import ClientCache, ClientPolicies, Deadline
from toolpact.errors import BrokenAnswer, ServerGone, SourceError, TimedOut, Unauthorised
from toolpact.testing import ManualClock, capture_logs
from toolpact.timing.deadline import deadline_in

GONE = ServerGone("nobody answers")
DATABASE_ERROR = {"code": "DATABASE_ERROR"}
COMPLETE = 0.81226
"""Confidence of the specification's example by its code."""
PAYLOAD = next(event.payload for event in AGENT.events if event.name == "raw_signal")
VALIDATOR = jsonschema.Draft202012Validator(PAYLOAD, format_checker=jsonschema.FormatChecker())


def all_fail(outcome: ToolOutcome = GONE) -> ScriptedTools:
    return ScriptedTools(outcome, (outcome,) * 5, outcome, outcome, outcome)


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
    ids: list[tuple[str, str | None]] = []

    class Publisher:
        address = "channel:raw-signals"

        async def publish(self, payload: Signal, /, *, message_id: str | None = None) -> None:
            ids.append((payload.signal_id, message_id))

    tools = ScriptedTools()
    signal = await signal_generator.answer(
        SignalRequest(symbol="ETH/USD"), replace(tools.build_call(), raw_signal=Publisher())
    )
    assert ids == [(signal.signal_id, signal.signal_id)]


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


async def test_without_market_data_the_confidence_is_a_tenth_lower() -> None:
    tools = ScriptedTools(price=GONE, candles=GONE, volatility=GONE)
    signal = await tools.answer()
    assert signal.confidence == pytest.approx(COMPLETE * 0.90)
    assert (signal.action, signal.market_context, signal.is_degraded) == ("BUY", None, True)
    assert tools.missing.labels == ("market_context",)
    assert (
        "Degraded signal due to unavailable tools: get_current_price (ServerGone), get_candles (ServerGone), "
        "get_volatility (ServerGone). The penalty for it is 10%."
    ) in signal.reasoning


async def test_without_volatility_the_rest_of_the_context_stays() -> None:
    tools = ScriptedTools(volatility={"code": "INSUFFICIENT_DATA", "details": {"symbol": "ETH/USD", "available": 3}})
    signal = await tools.answer()
    assert signal.confidence == pytest.approx(COMPLETE * 0.95)
    assert signal.market_context is not None
    assert signal.market_context.model_dump(exclude_none=True) == {
        "current_price": 2450.5,
        "price_change_1h": 0.023,
        "volume_ratio": 1.45,
    }
    assert tools.missing.labels == ("volatility",)


async def test_without_strategies_the_signal_holds_with_the_degraded_confidence() -> None:
    tools = ScriptedTools(ranking=DATABASE_ERROR)
    signal = await tools.answer()
    assert (signal.action, signal.strategies_analyzed, signal.top_strategy, signal.is_degraded) == (
        "HOLD",
        0,
        None,
        True,
    )
    assert signal.confidence == pytest.approx((0.70 - 0.20) * (1 - 0.20))
    assert signal.reasoning.startswith(
        "The signals of the strategies are unknown, so the action is HOLD. "
        "Degraded signal due to unavailable tools: get_top_strategies (DATABASE_ERROR). The penalty for it is 20%."
    )


async def test_if_all_tools_fail_the_signal_holds_with_0_30() -> None:
    tools = all_fail()
    signal = await tools.answer()
    assert (signal.action, signal.confidence, signal.market_context) == ("HOLD", 0.30, None)
    assert tools.missing.labels == ("strategies", "market_context")
    VALIDATOR.validate(tools.channel.published[0][1])


async def test_one_missing_signal_leaves_the_votes_of_the_others() -> None:
    tools = ScriptedTools(signals=(*map(current, SIGNALS[:4]), TimedOut("no answer within 4 s")))
    signal = await tools.answer()
    assert (signal.strategies_analyzed, signal.strategies_bullish, signal.strategies_bearish) == (4, 4, 0)
    assert signal.confidence == pytest.approx(0.85 * (0.8 + 0.2 * sum(SCORES[:4]) / 4) * 0.80)
    assert tools.missing.labels == ("strategies",)


@pytest.mark.parametrize("code", ["NO_SIGNAL", "STRATEGY_NOT_FOUND"])
async def test_a_strategy_without_a_current_signal_has_no_vote_and_no_penalty(code: str) -> None:
    tools = ScriptedTools(signals=({"code": code}, *map(current, SIGNALS[1:])))
    signal = await tools.answer()
    assert signal.top_strategy is not None
    assert (signal.strategies_analyzed, signal.top_strategy.name, signal.is_degraded) == (4, "MACD_CROSS", None)
    assert signal.confidence == pytest.approx(0.70 * (0.8 + 0.2 * sum(SCORES[1:]) / 4))


async def test_if_no_strategy_has_a_signal_the_confidence_is_the_lowest() -> None:
    silent = ScriptedTools(signals=({"code": "NO_SIGNAL"},) * 5)
    signal = await silent.answer()
    assert (signal.action, signal.confidence, signal.is_degraded) == ("HOLD", 0.30, None)
    assert signal.reasoning.startswith("No strategy has a current signal, so the action is HOLD.")
    silent.price = GONE
    assert (await silent.answer()).confidence == pytest.approx(0.27)


async def test_old_strategies_replace_failed_ones_for_a_fifth_of_the_confidence() -> None:
    tools, clock = cached_tools()
    await tools.answer()
    clock.advance(400)
    tools.ranking = GONE
    signal = await tools.answer()
    assert (signal.action, signal.strategies_analyzed, signal.is_degraded) == ("BUY", 5, True)
    assert signal.confidence == pytest.approx(COMPLETE * 0.80)
    assert "get_top_strategies (result of 400 s ago). The penalty for it is 20%." in signal.reasoning


async def test_an_old_price_is_shown_and_costs_a_tenth_of_the_confidence() -> None:
    tools, clock = cached_tools()
    await tools.answer()
    clock.advance(100)
    tools.price = GONE
    signal = await tools.answer()
    assert signal.market_context is not None
    assert signal.market_context.current_price == 2450.5
    assert signal.confidence == pytest.approx(COMPLETE * 0.90)


def cached_tools() -> tuple[ScriptedTools, ManualClock]:
    clock = ManualClock()
    lifetimes = {use.tool: use.cache for use in TOOLS.values() if use.cache}
    policies = ClientPolicies(cache=ClientCache(tools=lifetimes, prefix="test:"), clock=clock)
    return ScriptedTools(policies=policies), clock


async def test_tools_that_hang_are_called_three_times_and_leave_time_for_a_signal() -> None:
    with capture_logs(logging.WARNING) as logs:
        tools = await answer_while_time_passes(TOOLS)
    assert tools.channel.published[0][1]["confidence"] == 0.30
    assert Counter(tool for tool, _ in tools.sent) == dict.fromkeys(TOOLS.keys() - {"get_strategy_signal"}, 3)
    assert tools.clock.monotonic() <= 8
    assert {log.levelname for log in logs} == {"WARNING"}


async def test_a_tool_that_hangs_leaves_the_data_of_the_others() -> None:
    payload = (await answer_while_time_passes({"get_strategy_signal"})).channel.published[0][1]
    assert payload["confidence"] == pytest.approx(0.40)
    assert payload["market_context"]["volume_ratio"] == 1.45
    assert "get_strategy_signal (TimedOut)" in payload["reasoning"]


async def answer_while_time_passes(hanging: Collection[str]) -> ScriptedTools:
    """Return the tools after an answer whose calls had 8 s."""
    clock = ManualClock()
    policies = ClientPolicies(retry=AGENT.retry, clock=clock, deadline=Deadline(timeout_s=8, attempt_timeout_s=2))
    tools = ScriptedTools(policies=policies, hanging=hanging, clock=clock)
    with deadline_in(clock, 8):
        answering = asyncio.create_task(tools.answer())
    await clock.wait_for_timer()
    while not answering.done():
        clock.advance(0.25)
        await settle()
    await answering
    return tools


@pytest.mark.parametrize("tool", ["ranking", "price", "candles", "volatility"])
async def test_a_symbol_that_a_tool_rejects_is_an_error_and_no_signal(tool: str) -> None:
    tools = ScriptedTools()
    setattr(tools, tool, {"code": "INVALID_SYMBOL"})
    with pytest.raises(InvalidSymbol):
        await tools.answer()
    assert tools.channel.published == []


async def test_a_symbol_without_strategies_is_an_error_and_no_signal() -> None:
    tools = all_fail()
    tools.ranking = {"code": "SYMBOL_NOT_FOUND", "details": {"symbol": "ETH/USD"}}
    with pytest.raises(SymbolNotFound):
        await tools.answer()
    assert tools.channel.published == []


async def test_a_symbol_without_a_price_lacks_only_its_market_context() -> None:
    tools = ScriptedTools(price={"code": "SYMBOL_NOT_FOUND", "details": {"symbol": "ETH/USD"}})
    assert (await tools.answer()).confidence == pytest.approx(COMPLETE * 0.90)


@pytest.mark.parametrize(
    "error, level",
    [
        (GONE, "WARNING"),
        (TimedOut("no answer within 4 s"), "WARNING"),
        (DATABASE_ERROR, "WARNING"),
        ({"code": "NO_DATA", "details": {"symbol": "ETH/USD", "timeframe": "1h"}}, "WARNING"),
        (Unauthorised("the token was rejected"), "ERROR"),
        (BrokenAnswer("the answer breaks the contract"), "ERROR"),
        ({"code": "TIMEOUT"}, "WARNING"),
        ({"code": "INVALID_PARAMETER"}, "ERROR"),
    ],
)
async def test_a_failure_that_people_must_mend_is_an_error_in_the_log(error: ToolOutcome, level: str) -> None:
    with capture_logs(logging.WARNING) as logs:
        await ScriptedTools(candles=error).answer()
    assert [(log.levelname, log.getMessage().startswith("get_candles failed: ")) for log in logs] == [(level, True)]


async def test_a_failure_does_not_depend_on_its_text() -> None:
    misleading = {"code": "DATABASE_ERROR", "message": "INVALID_SYMBOL: 404 not found"}
    assert (await ScriptedTools(ranking=misleading).answer()).confidence == pytest.approx(0.40)


async def test_an_unpublished_signal_is_an_error() -> None:
    class Broken(Channel):
        async def publish(self, _channel: str, _payload: bytes) -> None:
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


FAILURES: list[ToolOutcome] = [
    GONE,
    TimedOut("no answer within 4 s"),
    Unauthorised("the token was rejected"),
    BrokenAnswer("the answer breaks the contract"),
    DATABASE_ERROR,
    {"code": "TIMEOUT"},
    {"code": "RATE_LIMITED", "details": {"retry_after_s": 60}},
    {"code": "INTERNAL_ERROR"},
    {"code": "NEVER_HEARD_OF"},
    {},
]
SCORE = st.floats(0, 1) | st.floats(allow_nan=False, allow_infinity=False)
AMOUNT = st.floats(0, allow_infinity=False)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)


def failing_or(outcomes: st.SearchStrategy[Any], *codes: str) -> st.SearchStrategy[Any]:
    """Return outcomes of a tool, which often fails, also with one of its own *codes*."""
    own = [{"code": code} for code in codes]
    return outcomes | st.sampled_from([*FAILURES, *own])


SIGNAL = failing_or(st.sampled_from(["BUY", "SELL", "HOLD"]).map(current), "NO_SIGNAL", "STRATEGY_NOT_FOUND")
PRICES = st.fixed_dictionaries(
    {"price": NUMBER, "volume_24h": AMOUNT, "timestamp": st.just("2026-11-23T12:33:00Z")},
    optional={"change_1h": NUMBER},
)
SPREADS = st.fixed_dictionaries({"volatility": AMOUNT, "atr": AMOUNT, "high_low_range": AMOUNT})


@settings(deadline=None)
@given(
    tools=st.builds(
        ScriptedTools,
        ranking=failing_or(st.lists(SCORE, max_size=6).map(lambda scores: ranking(tuple(scores)))),
        signals=st.tuples(*[SIGNAL] * 6),
        price=failing_or(PRICES, "SYMBOL_NOT_FOUND", "STALE_DATA"),
        candles=failing_or(st.lists(AMOUNT, max_size=25).map(lambda volumes: hours(*volumes)), "NO_DATA"),
        volatility=failing_or(SPREADS, "INSUFFICIENT_DATA"),
    )
)
async def test_whatever_fails_there_is_one_signal_that_fits_the_schema(tools: ScriptedTools) -> None:
    await tools.answer()
    ((channel, payload),) = tools.channel.published
    assert channel == "channel:raw-signals"
    VALIDATOR.validate(payload)
    votes = [(each["signal"], each["score"]) for each in payload["strategy_breakdown"]]
    missing, signals, scores = expected_labels(tools), [vote[0] for vote in votes], [vote[1] for vote in votes]
    assert tools.missing.labels == missing
    assert payload.get("is_degraded", False) == bool(missing)
    assert 0.27 <= payload["confidence"] <= 0.95
    assert payload["confidence"] == pytest.approx(float(partial_confidence(signals, scores, missing)), rel=1e-9)
    counts = (payload["strategies_bullish"], payload["strategies_bearish"], payload["strategies_neutral"])
    assert counts == tuple(map(signals.count, ("BUY", "SELL", "HOLD")))
    assert payload["strategies_analyzed"] == len(votes)


def expected_labels(tools: ScriptedTools) -> tuple[str, ...]:
    """Return the labels of the data that the tools do not give."""
    signals = tools.signals[: 0 if has_failed(tools.ranking) else len(tools.ranking["items"])]  # type: ignore[index]
    lacks_context = has_failed(tools.price) or has_failed(tools.candles)
    lacking = {
        "strategies": has_failed(tools.ranking) or any(map(has_failed, signals)),
        "market_context": lacks_context,
        "volatility": has_failed(tools.volatility) and not lacks_context,
    }
    return tuple(label for label, is_missing in lacking.items() if is_missing)


def has_failed(outcome: ToolOutcome) -> bool:
    """Return whether *outcome* is a failure; silence of a strategy is none."""
    if isinstance(outcome, Exception) or not outcome:
        return True
    return outcome.get("code") not in {None, "NO_SIGNAL", "STRATEGY_NOT_FOUND"}
