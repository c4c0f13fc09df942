"""Prove that each tool of the platform answers each fault of Redis and NATS in time."""

import asyncio
import json
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from typing import Any, TypeAlias

import httpx
import pytest

from tests.contracts.reading import contracts, tool
from tests.servers.backends import ALERT, SET_STATE
from tests.servers.contracts import Observations
from tests.servers.platform import SERVERS, PlatformTool, Stores, make_arguments, open_stores, open_tool
from tests.services import nats
from tests.services.served import free_port
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing.faults import Relay

DELAYS_S = {"redis": 0.2, "nats": 5.0}
"""Real seconds by which a slow store is late: more than its timeouts.

For Redis they are less than a count may wait, on the servers' clock.
"""
SILENCE_S = 1.0
"""Seconds without an answer after which Redis is away, and calls are counted without it."""
TURNS = 50
"""Turns of the event loop in which a broken connection is noticed."""
FAULTS = ("stopped", "frozen", "slow", "restarted")
COUNTED = [name for name in SERVERS if tool(SERVERS[name], name).get("rate_limit", {}).get("store") == "state"]
"""The tools whose calls Redis counts."""
Failure: TypeAlias = tuple[str | None, dict[str, Any] | None]
"""A failure's code and details; None for the answer of a call that works."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory, limits_url: str) -> Iterator[Stores]:
    with open_stores(tmp_path_factory.mktemp("stores"), limits_url) as each:
        yield each


@asynccontextmanager
async def break_store(fault: str, kind: str, stores: Stores, opened: PlatformTool) -> AsyncIterator[None]:
    """Let the store of *kind* fail meanwhile."""
    server: Any = stores.valkey if kind == "redis" else stores.nats
    relay = opened.relays[kind]
    breaks: dict[str, AbstractContextManager[None]] = {
        "stopped": stop(server),
        "frozen": server.frozen(),
        "restarted": nullcontext(),
        "slow": nullcontext(),
    }
    if fault == "restarted":
        server.stop()
        server.start()
        relay.reset()
        for _ in range(TURNS):  # the server under test sees its connections end before the next call
            await asyncio.sleep(0)
    relay.delay_s = DELAYS_S[kind] if fault == "slow" else 0.0
    with breaks[fault]:
        yield
    if fault == "slow":
        relay.delay_s = 0.0
        relay.reset()


@contextmanager
def stop(server: Any) -> Iterator[None]:
    """Stop a server meanwhile."""
    server.stop()
    try:
        yield
    finally:
        server.start()


def needed_kinds(name: str) -> set[str]:
    """Return the kinds of sources without which a tool has no result."""
    contract, declared = contracts()[SERVERS[name]], tool(SERVERS[name], name)
    effects = declared["effects"]
    sources = {name for key in ("reads", "adds", "writes") for name in effects.get(key, ())}
    sources |= {contract["events"][event]["source"] for event in effects.get("publishes", ())}
    return {contract["sources"][source]["kind"] for source in sources}


def late(name: str) -> Failure:
    """Return the failure of a tool's call that ends at its deadline."""
    return "MCP-004", {"tool": name, "timeout_ms": tool(SERVERS[name], name)["deadline"]["timeout_ms"]}


def without(kind: str, name: str) -> Failure:
    """Return how a tool's call fails without the store of *kind*, if it does."""
    return ("MCP-003", {"service": kind}) if kind in needed_kinds(name) else (None, None)


def during(fault: str, kind: str, name: str) -> Failure:
    """Return how the first call of a tool fails during a fault, if it does."""
    if fault == "restarted":
        return None, None
    is_uncounted = (fault, kind) == ("frozen", "redis")
    return late(name) if is_uncounted else without(kind, name)


def pair_with_stores() -> list[tuple[str, str]]:
    """Return each tool with the kinds of stores that its server has."""
    return [
        (name, kind)
        for name, server in SERVERS.items()
        for kind in DELAYS_S
        if any(source["kind"] == kind for source in contracts()[server]["sources"].values())
    ]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name, kind", pair_with_stores())
async def test_a_fault_of_a_store_has_the_promised_answer_within_the_deadline_and_the_next_call_works(
    name: str, fault: str, kind: str, stores: Stores, observations: Observations
) -> None:
    async with open_tool(name, stores, observations) as opened:
        assert (await opened.call()).code is None
        async with break_store(fault, kind, stores, opened):
            answer = await opened.call()
        assert (answer.code, answer.details) == during(fault, kind, name)
        assert (await opened.call()).code is None


@pytest.mark.parametrize("name", COUNTED)
async def test_after_a_second_of_silence_calls_are_answered_without_the_count_of_redis(
    name: str, stores: Stores, observations: Observations
) -> None:
    async with open_tool(name, stores, observations) as opened:
        assert (await opened.call()).code is None
        with stores.valkey.frozen():
            assert (await opened.call()).code == late(name)[0]
            opened.clock.advance(SILENCE_S)
            found_silent, after_silence = await opened.call(), await opened.call()
        promised = without("redis", name)
        assert (after_silence.code, after_silence.details) == promised
        if promised[0] is None:  # one that needs Redis has a tenth of its deadline left for it
            assert found_silent.code is None
        assert (await opened.call()).code is None


@pytest.mark.parametrize("name", COUNTED)
async def test_a_full_redis_rejects_only_what_has_to_be_written_and_the_next_call_works(
    name: str, stores: Stores, observations: Observations
) -> None:
    async with open_tool(name, stores, observations) as opened:
        assert (await opened.call()).code is None
        with stores.valkey.full():
            answer = await opened.call()
        assert answer.code == {SET_STATE: "MCP-014"}.get(name)
        assert (await opened.call()).code is None


@pytest.mark.parametrize("redis", ["answers", "is away"])
async def test_an_alert_of_a_killed_server_is_acknowledged_with_the_time_of_the_stored_message(
    redis: str, stores: Stores
) -> None:
    away = {} if redis == "answers" else {"REDIS_URL": f"redis://127.0.0.1:{free_port()}"}
    environment = stores.environment | away
    alert, headers = make_arguments(ALERT, 1), {"Idempotency-Key": secrets.token_hex(8)}

    async def trigger(server: Listener) -> httpx.Response:
        return await server.client.post(f"/mcp/tools/{ALERT}", json=alert, headers=headers)

    async def find_stored() -> list[dict[str, Any]]:
        async with nats.jetstream(stores.nats.url) as streams:
            count = (await streams.stream_info("RISK_ALERTS")).state.last_seq
            texts = [(await streams.get_msg("RISK_ALERTS", number)).data for number in range(1, count + 1)]
        return [each for each in map(json.loads, filter(None, texts)) if each["message"] == alert["message"]]

    async with asyncio.timeout(PATIENCE_S), Relay(stores.nats.url).running() as relay:
        lossy = environment | {"NATS_URL": relay.url}
        async with listening(module="generated.platform.risk", environ=lossy) as first:
            await first.client.get("/ready")
            relay.delay_s = PATIENCE_S  # no acknowledgement reaches the server
            unanswered = asyncio.create_task(trigger(first))
            while not (stored := await find_stored()):
                pass
            first.process.signal(signal.SIGKILL)
            with suppress(httpx.TransportError):
                assert not (await unanswered).is_success
        async with listening(module="generated.platform.risk", environ=environment) as second:
            while not (response := await trigger(second)).is_success:  # the killed call's marker expires
                pass
    assert response.json()["timestamp"] == stored[0]["timestamp"]
    assert await find_stored() == stored
