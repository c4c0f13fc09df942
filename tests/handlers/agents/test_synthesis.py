"""Votes and actions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.agents.synthesis import Action, count_votes


@pytest.mark.parametrize(
    "signals, action",
    [
        (["BUY", "BUY", "BUY", "BUY", "SELL"], "BUY"),
        (["SELL", "SELL", "HOLD"], "SELL"),
        (["HOLD", "HOLD", "BUY"], "HOLD"),
        (["BUY", "SELL"], "HOLD"),
        (["BUY", "BUY", "SELL", "SELL", "HOLD"], "HOLD"),
        (["BUY", "BUY", "HOLD", "HOLD", "SELL"], "HOLD"),
        (["SELL"], "SELL"),
        ([], "HOLD"),
    ],
)
def test_the_most_frequent_signal_is_the_action_and_a_tie_holds(signals: list[Action], action: Action) -> None:
    assert count_votes(signals, len(signals)).action == action


@given(st.lists(st.sampled_from(["BUY", "SELL", "HOLD"]), max_size=9))
def test_buying_and_selling_mirror_each_other(signals: list[Action]) -> None:
    mirror: dict[Action, Action] = {"BUY": "SELL", "SELL": "BUY", "HOLD": "HOLD"}
    assert count_votes([mirror[each] for each in signals], 9).action == mirror[count_votes(signals, 9).action]


@given(st.lists(st.sampled_from(["BUY", "SELL", "HOLD"])))
def test_every_strategy_has_one_vote(signals: list[Action]) -> None:
    votes = count_votes(signals, len(signals))
    assert (votes.bullish, votes.bearish, votes.total) == (signals.count("BUY"), signals.count("SELL"), len(signals))
