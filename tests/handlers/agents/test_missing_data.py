"""Signals without some of their data: the error table of the specification."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Collection

import pytest

from generated.tradestream.errors import InvalidSymbol, SymbolNotFound
from tests.handlers.agents.scripted_tools import (
    AGENT,
    COMPLETE,
    DATABASE_ERROR,
    GONE,
    SCORES,
    SIGNALS,
    TOOLS,
    VALIDATOR,
    ScriptedTools,
    ToolOutcome,
    current,
)
from tests.toolaccord.scripted_connection import settle
from toolaccord.agent.clients import read_retry
from toolaccord.client.policies import ClientCache, ClientPolicies, Deadline
from toolaccord.errors import BrokenAnswer, TimedOut, Unauthorised
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.deadline import deadline_in


def all_fail(outcome: ToolOutcome = GONE) -> ScriptedTools:
    return ScriptedTools(outcome, (outcome,) * 5, outcome, outcome, outcome)


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


async def test_without_strategies_the_signal_holds_with_the_lowest_confidence() -> None:
    tools = ScriptedTools(ranking=DATABASE_ERROR)
    signal = await tools.answer()
    assert (signal.action, signal.strategies_analyzed, signal.top_strategy, signal.is_degraded) == (
        "HOLD",
        0,
        None,
        True,
    )
    assert signal.confidence == 0.30
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


async def test_one_missing_signal_leaves_the_votes_of_the_others_and_counts_against_them() -> None:
    tools = ScriptedTools(signals=(*map(current, SIGNALS[:4]), TimedOut("no answer within 4 s")))
    signal = await tools.answer()
    assert (signal.strategies_analyzed, signal.strategies_bullish, signal.strategies_bearish) == (4, 4, 0)
    assert signal.confidence == pytest.approx(0.85 * (0.8 + 0.2 * sum(SCORES[:4]) / 5) * 0.80)
    assert tools.missing.labels == ("strategies",)


@pytest.mark.parametrize("code", ["NO_SIGNAL", "STRATEGY_NOT_FOUND"])
async def test_a_strategy_without_a_current_signal_counts_against_the_others_and_costs_nothing_more(code: str) -> None:
    tools = ScriptedTools(signals=({"code": code}, *map(current, SIGNALS[1:])))
    signal = await tools.answer()
    assert signal.top_strategy is not None
    assert (signal.strategies_analyzed, signal.top_strategy.name, signal.is_degraded) == (4, "MACD_CROSS", None)
    assert signal.confidence == pytest.approx(0.70 * (0.8 + 0.2 * sum(SCORES[1:]) / 5))


async def test_if_no_strategy_has_a_signal_the_confidence_is_the_lowest() -> None:
    silent = ScriptedTools(signals=({"code": "NO_SIGNAL"},) * 5)
    signal = await silent.answer()
    assert (signal.action, signal.confidence, signal.is_degraded) == ("HOLD", 0.30, True)
    assert signal.reasoning.startswith("No strategy has a current signal, so the action is HOLD. Degraded signal, ")
    silent.price = GONE
    assert (await silent.answer()).confidence == 0.30


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
    assert payload["confidence"] == 0.30
    assert payload["market_context"]["volume_ratio"] == 1.45
    assert "get_strategy_signal (TimedOut)" in payload["reasoning"]


async def answer_while_time_passes(hanging: Collection[str]) -> ScriptedTools:
    """Return the tools after an answer whose calls had 8 s."""
    clock = ManualClock()
    policies = ClientPolicies(
        retry=read_retry(AGENT.retry), clock=clock, deadline=Deadline(timeout_s=8, attempt_timeout_s=2)
    )
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
    assert (await ScriptedTools(ranking=misleading).answer()).confidence == 0.30
