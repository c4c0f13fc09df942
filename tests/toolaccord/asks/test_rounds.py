"""Rounds of a call, without a transport."""

from typing import Any

import pytest

from toolaccord.asks.channel import ELICITATION, InputRequired
from toolaccord.asks.rounds import Rounds, RoundState

YES = {"action": "accept", "content": {"yes": True}}


async def run_round(state: RoundState, message: str, responses: dict[str, Any]) -> dict[str, Any]:
    """Ask one question in a round; return the answer. Raises InputRequired."""
    rounds = Rounds(state, responses, lambda _method: True)
    return await rounds.run(rounds.send("sure", ELICITATION, {"message": message}))


async def test_an_answer_does_not_count_for_a_question_with_another_text() -> None:
    with pytest.raises(InputRequired) as first:
        await run_round(RoundState(), "Buy 10?", {})
    state = RoundState.decode(first.value.state)
    assert await run_round(state, "Buy 10?", {"sure": YES}) == YES
    with pytest.raises(InputRequired) as second:
        await run_round(state, "Buy 1000?", {"sure": YES})
    assert second.value.requests["sure"]["params"]["message"] == "Buy 1000?"
