"""Less data never means more confidence: the judgement over every subset of missing results."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, Literal, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated.agents.signal_generator.models import Signal
from generated.tradestream.errors import NoSignal
from generated.tradestream.market_data.client import GET_CANDLES, GET_CURRENT_PRICE, GET_VOLATILITY
from generated.tradestream.market_data.models import GetCandlesResult, GetCurrentPriceResult, GetVolatilityResult
from generated.tradestream.strategy.client import GET_STRATEGY_SIGNAL, GET_TOP_STRATEGIES
from generated.tradestream.strategy.models import GetStrategySignalResult, GetTopStrategiesResult
from handlers.agents.evidence import Evidence, Outcome
from handlers.agents.judgement import judge
from tests.handlers.agents.scripted_tools import (
    AGENT,
    CANDLES,
    GONE,
    NOW,
    PRICE,
    SCORES,
    VOLATILITY,
    ScriptedTools,
    current,
    ranking,
)
from tests.handlers.agents.specification import specified_action, specified_confidence
from toolaccord.agent.missing import MissingLabels

State: TypeAlias = Literal["fresh", "stale", "silent", "failed"]
"""Outcome of a call: its result, a cached one in its place, no current signal, or nothing."""
LESS: dict[State, tuple[State, ...]] = {
    "fresh": ("stale", "silent"),
    "stale": ("failed",),
    "silent": ("failed",),
    "failed": (),
}
"""The states with less data, by one step."""
ACTIONS = ("BUY", "SELL", "HOLD")
NUMBER = 5
CALLS = NUMBER + 4
"""The ranking, the signals, the price, the candles and the volatility, in this order."""
ALTERNATIVES: tuple[State, ...] = ("fresh", "failed")
COMPLETE, NOTHING = (tuple(itertools.repeat(each, CALLS)) for each in ALTERNATIVES)
SIGNALS = range(1, NUMBER + 1)
SILENT = NoSignal("", strategy_id="", symbol="")
SCORE = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
RESULTS = {each: GetStrategySignalResult.model_validate(current(each)) for each in ACTIONS}
MARKET = (
    (GET_CURRENT_PRICE, GetCurrentPriceResult.model_validate(PRICE)),
    (GET_CANDLES, GetCandlesResult.model_validate(CANDLES)),
    (GET_VOLATILITY, GetVolatilityResult.model_validate(VOLATILITY)),
)


def outcome(tool: Any, result: Any, state: State) -> Outcome[Any]:
    """Return what came of a call."""
    if state == "failed":
        return Outcome(tool=tool, error=GONE, as_of=NOW)
    if state == "silent":
        return Outcome(tool=tool, error=SILENT, as_of=NOW)
    return Outcome(tool=tool, result=result, stale_age_s=100 if state == "stale" else None, as_of=NOW)


class Market:
    """A symbol with five strategies, whose signals and scores are given."""

    def __init__(self, signals: Sequence[str], scores: Sequence[float]) -> None:
        self.signals, self.scores = signals, scores
        results: list[tuple[Any, Any]] = [
            (GET_TOP_STRATEGIES, GetTopStrategiesResult.model_validate(ranking(tuple(scores))))
        ]
        results += [(GET_STRATEGY_SIGNAL, RESULTS[each]) for each in signals]
        states: tuple[State, ...] = ("fresh", "stale", "silent", "failed")
        self._outcomes = [
            {state: outcome(tool, result, state) for state in states} for tool, result in (*results, *MARKET)
        ]
        self._judged: dict[tuple[State, ...], Signal] = {}

    def judge(self, states: tuple[State, ...]) -> Signal:
        """Return the signal from calls with these *states*."""
        if states not in self._judged:
            ranked, *calls = (each[state] for each, state in zip(self._outcomes, states, strict=True))
            signals = tuple(calls[:NUMBER]) if ranked.result else ()
            price, candles, volatility = calls[NUMBER:]
            evidence = Evidence(
                symbol="ETH/USD",
                requested_at=NOW,
                ranking=ranked,
                signals=signals,
                price=price,
                candles=candles,
                volatility=volatility,
            )
            missing = MissingLabels(AGENT.uses)
            for tool in evidence.missing:
                missing.add(tool)
            self._judged[states] = judge(evidence, missing.confidence_penalty, NOW)
        return self._judged[states]

    def check(self, states: tuple[State, ...]) -> None:
        """Compare the signal with those of a step less data."""
        more = self.judge(states)
        for place, state in enumerate(states):
            for worse in LESS[state]:
                if worse == "silent" and place not in SIGNALS:
                    continue
                fewer = (*states[:place], worse, *states[place + 1 :])
                less = self.judge(fewer)
                assert less.confidence <= more.confidence, (states, fewer)
                assert less.action in (more.action, "HOLD"), (states, fewer)
                assert less.is_degraded or not (more.is_degraded or worse != "silent"), (states, fewer)


def subsets() -> Iterator[tuple[State, ...]]:
    """Yield every combination of failing calls; signals are requested after a ranking only."""
    for states in itertools.product(ALTERNATIVES, repeat=CALLS):
        if states[0] == "fresh" or "fresh" not in states[: NUMBER + 1]:
            yield states


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("votes", [*itertools.combinations_with_replacement(ACTIONS, NUMBER)], ids="-".join)
def test_no_subset_of_failing_calls_gives_more_confidence_or_another_direction(
    votes: tuple[str, ...], seed: int
) -> None:
    draw = random.Random(f"{votes} {seed}")
    signals = draw.sample(votes, NUMBER)  # any subset of calls fails, and their scores are in any order
    scores = tuple(draw.choice((0.0, 1.0, draw.random())) for _ in signals)
    market = Market(signals, scores)
    complete = market.judge(COMPLETE)
    assert complete.confidence == pytest.approx(float(specified_confidence(market.signals, scores)), rel=1e-12)
    assert complete.action == specified_action(market.signals, NUMBER)
    assert complete.is_degraded is None
    for states in subsets():
        less = market.judge(states)
        assert 0.30 <= less.confidence <= complete.confidence
        assert less.action in (complete.action, "HOLD")
        assert less.is_degraded == ("failed" in states or None)
    assert market.judge(NOTHING).confidence == 0.30


@settings(deadline=None, max_examples=3)
@given(
    signals=st.tuples(*[st.sampled_from(ACTIONS)] * NUMBER),
    scores=st.tuples(*[SCORE] * NUMBER),
    market=st.tuples(*[st.sampled_from(["fresh", "stale", "failed"])] * 3),
)
def test_each_step_to_an_old_a_silent_or_a_failed_result_lowers_or_keeps_the_confidence(
    signals: tuple[str, ...], scores: tuple[float, ...], market: tuple[State, ...]
) -> None:
    judged = Market(signals, scores)
    strategies: tuple[State, ...] = ("fresh", "stale", "silent", "failed")
    for each in itertools.product(strategies, repeat=NUMBER + 1):
        if each[0] != "silent":
            judged.check((*each, *market))


@pytest.mark.parametrize(
    "signals, action, confidence, mark",
    [
        (["BUY", "BUY", "SELL", "SELL", "HOLD"], "HOLD", 0.45, None),
        (["BUY", "BUY", GONE, GONE, "HOLD"], "HOLD", 0.344, True),
        (["BUY", GONE, GONE, GONE, GONE], "HOLD", 0.328, True),
        (["BUY", *[{"code": "NO_SIGNAL"}] * 4], "HOLD", 0.328, True),
        (["BUY", "BUY", "BUY", {"code": "NO_SIGNAL"}, {"code": "NO_SIGNAL"}], "BUY", 0.602, None),
        (["BUY", "BUY", "BUY", GONE, GONE], "BUY", 0.4816, True),
        (["BUY", "BUY", "BUY", "SELL", GONE], "BUY", 0.4928, True),
        (["BUY", "BUY", "SELL", {"code": "NO_SIGNAL"}, {"code": "NO_SIGNAL"}], "HOLD", 0.43, None),
    ],
)
async def test_votes_count_over_the_strategies_that_were_requested(
    signals: list[Any], action: str, confidence: float, mark: Literal[True] | None
) -> None:
    outcomes = tuple(current(each) if isinstance(each, str) else each for each in signals)
    signal = await ScriptedTools(ranking((0.5,) * 5), outcomes).answer()
    assert (signal.action, signal.is_degraded) == (action, mark)
    assert signal.confidence == pytest.approx(confidence)


async def test_the_best_strategy_is_named_although_no_strategy_has_a_current_signal() -> None:
    signal = await ScriptedTools(signals=({"code": "NO_SIGNAL"},) * 5).answer()
    assert signal.top_strategy is not None
    assert signal.top_strategy.model_dump(exclude_none=True) == {"name": "RSI_REVERSAL", "score": SCORES[0]}


async def test_a_signal_has_the_time_of_its_judgement_and_the_id_of_its_requested_minute() -> None:
    tools = ScriptedTools()
    prompt = await tools.answer(now=NOW)
    tools.clock.advance(75)
    late = await tools.answer(now=NOW)
    assert (prompt.timestamp, late.timestamp) == (NOW, NOW + timedelta(seconds=75))
    assert late.signal_id == prompt.signal_id


@pytest.mark.parametrize("ahead_s", [0, 1, 90])
async def test_no_signal_is_older_than_its_data_also_if_the_clock_of_a_server_is_ahead(ahead_s: int) -> None:
    newest = NOW + timedelta(seconds=ahead_s)
    for tools in (
        ScriptedTools(price={**PRICE, "timestamp": newest.isoformat()}),
        ScriptedTools(signals=({**current("BUY"), "triggered_at": newest.isoformat()},) * 5),
    ):
        assert (await tools.answer()).timestamp == newest
