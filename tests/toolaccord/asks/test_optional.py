"""Asks of callers that cannot be asked."""

import pytest

from toolaccord.asks.answers import Declined
from toolaccord.asks.asker import Asker
from toolaccord.asks.channel import MissingCapability
from toolaccord.contract.asks import Roots, Sampling
from toolaccord.declarations.asks import Ask

OPTIONAL: list[Ask] = [
    Roots(name="ask", optional=True),
    Sampling(name="ask", message="Praise it.", system_prompt=None, max_tokens=9, optional=True),
]


def asker(ask: Ask) -> Asker:
    """Ask a caller without any channel."""
    return Asker({ask.name: ask}, str, [ask.name], None)


@pytest.mark.parametrize("ask", OPTIONAL, ids=lambda ask: type(ask).__name__)
async def test_a_caller_that_cannot_be_asked_has_declined_what_is_optional(ask: Ask) -> None:
    assert await asker(ask).ask() == Declined()


async def test_a_call_fails_if_its_caller_cannot_be_asked_what_is_not_optional() -> None:
    with pytest.raises(MissingCapability):
        await asker(Roots(name="ask")).ask()
