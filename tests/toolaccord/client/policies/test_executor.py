"""Limits and budgets of calls, and the cost of a client without policies."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from tests.toolaccord.demo.library import GetBookRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.process import ROOT
from tests.toolaccord.scripted_connection import Recorder, ScriptedConnection, settle
from toolaccord.client.policies import ClientPolicies, Retry
from toolaccord.errors import ServerGone, TimedOut
from toolaccord.testing import ManualClock
from toolaccord.timing.deadline import deadline_in, run_within

EMMA = {"id": 7, "title": "Emma"}
A_BOOK = GetBookRequest(id=7)


def client_of(connection: ScriptedConnection, **policies: Any) -> LibraryClient:
    """Return a client under policies."""
    return LibraryClient(connection, ClientPolicies(**policies))


async def test_no_more_requests_than_the_limit_are_in_flight_and_all_are_answered() -> None:
    connection = ScriptedConnection(EMMA)
    connection.gate.clear()
    client = client_of(connection, max_concurrent=3)
    calls = [asyncio.create_task(client.get_book(A_BOOK)) for _ in range(10)]
    await settle()
    assert connection.in_flight == 3
    connection.gate.set()
    await asyncio.gather(*calls)
    assert (len(connection.sent), connection.most_in_flight) == (10, 3)


async def test_a_call_waits_for_its_turn_until_its_deadline() -> None:
    connection, clock, observer = ScriptedConnection(EMMA), ManualClock(), Recorder()
    connection.gate.clear()
    client = client_of(connection, max_concurrent=1, clock=clock, observer=observer)
    first = asyncio.create_task(client.get_book(A_BOOK))
    await settle()
    second = asyncio.create_task(client.get_book(A_BOOK, timeout_s=1))
    await settle()
    clock.advance(1)
    with pytest.raises(TimedOut):
        await second
    connection.gate.set()
    await first
    await client.get_book(A_BOOK)
    assert len(connection.sent) == 2, "the call that gave up has sent nothing, and holds no place"


async def test_a_call_in_its_pause_leaves_its_place_to_others() -> None:
    clock = ManualClock()
    connection = ScriptedConnection(ServerGone("gone"), EMMA)
    client = client_of(connection, max_concurrent=1, clock=clock, retry=Retry())
    pausing = asyncio.create_task(client.get_book(A_BOOK))
    await settle()
    assert (await client.get_book(A_BOOK)).title == "Emma"
    clock.advance(1)
    await pausing


async def test_a_call_inside_a_deadline_has_no_more_time_than_that() -> None:
    clock = ManualClock()
    connection = ScriptedConnection(EMMA)
    await run_within(clock, 2.5, client_of(connection, clock=clock).get_book(A_BOOK, timeout_s=60))
    assert [sent.timeout_s for sent in connection.sent] == [2.5]


async def test_a_call_waits_for_its_turn_no_longer_than_the_deadline_around_it() -> None:
    connection, clock = ScriptedConnection(EMMA), ManualClock()
    connection.gate.clear()
    client = client_of(connection, max_concurrent=1, clock=clock)
    first = asyncio.create_task(client.get_book(A_BOOK))
    await settle()
    with deadline_in(clock, 1):
        second = asyncio.create_task(client.get_book(A_BOOK, timeout_s=60))
    await settle()
    clock.advance(1)
    await settle()
    assert second.done()
    with pytest.raises(TimedOut):
        await second
    connection.gate.set()
    await first


async def test_an_exception_of_an_observer_reaches_the_caller() -> None:
    class Broken(Recorder):
        def on_attempt(self, *_: Any) -> None:
            raise RuntimeError("a counter is missing")

    with pytest.raises(RuntimeError, match="a counter is missing"):
        await client_of(ScriptedConnection(EMMA), observer=Broken()).get_book(A_BOOK)


def test_a_client_without_policies_and_credentials_loads_nothing_for_them() -> None:
    code = (
        "import sys; from generated.tradestream.strategy.client import StrategyClient as Client;"
        "Client.stdio(), Client.http('http://127.0.0.1:9/mcp'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    unwanted = (
        "toolaccord.client.policies",
        "toolaccord.client.reconnecting",
        "toolaccord.client.authorizing",
        "toolaccord.client.credentials",
        "mcp.client.auth.extensions",
        "jwt",
        "tenacity",
        "redis",
        "toolaccord.sources",
    )
    assert [name for name in done.stdout.split() if name.startswith(unwanted)] == []
