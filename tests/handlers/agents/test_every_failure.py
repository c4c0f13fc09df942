"""Signals whatever subset of the tools fails, in whatever way."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.handlers.agents.scripted_tools import (
    DATABASE_ERROR,
    GONE,
    VALIDATOR,
    ScriptedTools,
    ToolOutcome,
    current,
    hours,
    ranking,
)
from tests.handlers.agents.specification import partial_confidence, specified_action
from toolaccord.errors import BrokenAnswer, TimedOut, Unauthorised
from toolaccord.json_values import JsonObject

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
    requested = len(list_ranked(tools))
    expected = partial_confidence(signals, scores, requested, missing)
    assert 0.30 <= payload["confidence"] <= 0.85
    assert payload["confidence"] == pytest.approx(float(expected), rel=1e-9)
    assert payload["action"] == specified_action(signals, requested)
    assert ("top_strategy" in payload) == bool(requested)
    counts = (payload["strategies_bullish"], payload["strategies_bearish"], payload["strategies_neutral"])
    assert counts == tuple(map(signals.count, ("BUY", "SELL", "HOLD")))
    assert payload["strategies_analyzed"] == len(votes)


def expected_labels(tools: ScriptedTools) -> tuple[str, ...]:
    """Return the labels of the data that the tools do not give."""
    ranked = list_ranked(tools)
    signals = tools.signals[: len(ranked)]
    voting = sum(not isinstance(each, Exception) and "signal" in each for each in signals)
    lacks_context = has_failed(tools.price) or has_failed(tools.candles)
    lacking = {
        "strategies": has_failed(tools.ranking) or any(map(has_failed, signals)) or (2 * voting <= len(ranked) != 0),
        "market_context": lacks_context,
        "volatility": has_failed(tools.volatility) and not lacks_context,
    }
    return tuple(label for label, is_missing in lacking.items() if is_missing)


def list_ranked(tools: ScriptedTools) -> list[Any]:
    """Return the strategies whose signals are requested."""
    ranked: list[Any] = [] if has_failed(tools.ranking) else cast("JsonObject", tools.ranking)["items"]
    return ranked


def has_failed(outcome: ToolOutcome) -> bool:
    """Return whether *outcome* is a failure; silence of a strategy is none."""
    if isinstance(outcome, Exception) or not outcome:
        return True
    return outcome.get("code") not in {None, "NO_SIGNAL", "STRATEGY_NOT_FOUND"}
