"""The confidence against the specification's code, computed in fractions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.agents.confidence import calculate_confidence
from handlers.agents.synthesis import Action, Votes, count_votes
from tests.handlers.agents.specification import specified_confidence

ACTIONS = st.sampled_from(["BUY", "SELL", "HOLD"])
SCORED = st.lists(st.tuples(ACTIONS, st.fractions(0, 1, max_denominator=1000)), min_size=1, max_size=100)
PENALTIES = st.sampled_from([Fraction(n, 100) for n in (0, 5, 10, 20, 25, 30)])


@given(SCORED)
def test_the_confidence_is_that_of_the_specified_code(scored: list[tuple[Action, Fraction]]) -> None:
    signals, scores = [signal for signal, _ in scored], [score for _, score in scored]
    confidence = calculate_confidence(count_votes(signals, len(signals)), [float(score) for score in scores])
    assert confidence == pytest.approx(float(specified_confidence(signals, scores)), rel=1e-12)


@pytest.mark.parametrize(
    "agreeing, lowest, highest",
    [(5, 0.68, 0.85), (4, 0.68, 0.85), (3, 0.56, 0.70), (2, 0.40, 0.50)],
)
def test_scores_from_0_to_1_give_the_bands_of_the_code_and_not_of_its_comment(
    agreeing: int, lowest: float, highest: float
) -> None:
    votes = Votes(requested=5, bullish=agreeing, bearish=(5 - agreeing) // 2, neutral=(6 - agreeing) // 2)
    assert calculate_confidence(votes, [0.0] * 5) == pytest.approx(lowest)
    assert calculate_confidence(votes, [1.0] * 5) == pytest.approx(highest)


def test_the_example_of_the_specification_has_the_confidence_of_its_code() -> None:
    votes = Votes(requested=5, bullish=4, bearish=1, neutral=0)
    assert calculate_confidence(votes, [0.89, 0.85, 0.78, 0.72, 0.65]) == pytest.approx(0.81226)


def test_a_confidence_without_a_vote_is_the_lowest() -> None:
    assert calculate_confidence(Votes(requested=5, bullish=0, bearish=0, neutral=0), []) == 0.30


@given(SCORED, st.data(), PENALTIES)
def test_one_more_strategy_that_agrees_never_lowers_the_confidence(
    scored: list[tuple[Action, Fraction]], data: st.DataObject, penalty: Fraction
) -> None:
    signals, scores = [signal for signal, _ in scored], [float(score) for _, score in scored]
    votes = count_votes(signals, len(signals))
    actions: tuple[Action, ...] = ("BUY", "SELL", "HOLD")
    leaders = [each for each in actions if signals.count(each) == votes.agreement]
    leader = data.draw(st.sampled_from(leaders))
    changed = data.draw(st.integers(0, len(signals) - 1))
    agreeing = count_votes([leader if place == changed else each for place, each in enumerate(signals)], len(signals))
    before = calculate_confidence(votes, scores, float(penalty))
    assert calculate_confidence(agreeing, scores, float(penalty)) >= before


@pytest.mark.parametrize("score", [-1e308, -3.0, 0.0, 1.0, 4.0, 1e308])
@pytest.mark.parametrize("penalty", [0.0, 0.05, 0.1, 0.2, 0.3, 1.0])
def test_no_score_and_no_penalty_leave_the_range(score: float, penalty: float) -> None:
    votes = Votes(requested=2, bullish=2, bearish=0, neutral=0)
    assert 0.30 <= calculate_confidence(votes, [score, score], penalty) <= 0.85
