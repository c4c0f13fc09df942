"""Faults of the network between each kind of source and a real server of it."""

from __future__ import annotations

import asyncio

import pytest

from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.sources.test_breaker import KINDS, Kind
from toolaccord.errors import SourceError
from toolaccord.testing import ManualClock
from toolaccord.testing.faults import Relay
from toolaccord.timing.deadline import DeadlineExceeded, run_within

EXCEPTIONS = {("corrupt", "postgresql"), ("corrupt", "redis"), ("drop", "mcp")}
"""Kinds that wait for more bytes, and one whose session ends with a lost answer.

The next call then fails, too.
"""
CASES = [
    pytest.param(kind, fault, id=f"{name} {fault}")
    for name, kind in KINDS.items()
    for fault in ("reset", "close", "corrupt", "drop")
    if (fault, name) not in EXCEPTIONS
]


@pytest.mark.parametrize("kind,fault", CASES)
async def test_a_fault_of_the_network_is_one_of_the_source_and_the_next_call_gets_an_answer(
    kind: Kind, fault: str, request: pytest.FixtureRequest
) -> None:
    clock = ManualClock()
    async with asyncio.timeout(PATIENCE_S), kind.serving(request) as url, Relay(url, clock).running() as relay:
        source = kind.open(relay, clock)
        try:
            await kind.request(source)
            relay.delay_s, relay.drops, relay.corrupts = 1, fault == "drop", fault == "corrupt"
            relay.is_delaying.clear()
            calling = asyncio.create_task(run_within(clock, 60, kind.request(source)))
            await relay.is_delaying.wait()
            if fault in ("reset", "close"):
                getattr(relay, fault)()
                relay.heal()
            clock.advance(61 if fault == "drop" else 1)
            (outcome,) = await asyncio.gather(calling, return_exceptions=True)
            is_repeated = kind.repeats and fault in ("reset", "close")
            assert is_repeated or isinstance(outcome, SourceError | DeadlineExceeded)
            relay.heal()
            await kind.request(source)
            assert source.availability.breaker.state == "closed"
        finally:
            await source.close()
