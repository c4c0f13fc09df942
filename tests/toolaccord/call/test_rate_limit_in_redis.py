"""Rate limits that replicas share in a real Valkey."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.demo.gate import Porter
from tests.toolaccord.generated.demo.gate.server import server
from toolaccord.call.pipeline import Pipeline
from toolaccord.declarations.tool import Server
from toolaccord.sources.breaker import PAUSE_S
from toolaccord.sources.redis import Redis
from toolaccord.sources.redis.rate_limit import count_call
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.testing.faults import Relay
from toolaccord.timing.clock import SystemClock

CALLS, WINDOW_S = 3, 60
TIMEOUT_S, SLOW_S = 10, 3
"""Deadline of a call, and delay of each answer, which a cache would not wait for."""


def slow_gate() -> Server[Any]:
    """Return the gate with a long deadline and short timeouts of its Redis."""
    declared = server(Porter())
    return replace(declared, tools=tuple(replace(each, timeout_ms=1000 * TIMEOUT_S) for each in declared.tools))


def port_of(valkey: Valkey) -> int:
    port = urlsplit(valkey.url).port
    assert port is not None
    return port


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as service:
        yield service


@pytest.fixture
async def pools(valkey: Valkey) -> AsyncIterator[list[Redis]]:
    """The pools of two replicas."""
    valkey.command("FLUSHALL")
    (declared,) = server(Porter()).sources
    async with AsyncExitStack() as stack:
        pools: list[Redis] = []
        for _ in range(2):
            pools.append(declared.open({"redis_url": valkey.url}, SystemClock()))  # type: ignore[arg-type]
            stack.push_async_callback(pools[-1].close)
        yield pools


@pytest.fixture
def replicas(pools: list[Redis]) -> list[Pipeline]:
    return [pipeline(server(Porter()), sources={"state": pool}, clock=SystemClock()) for pool in pools]


async def codes(replica: Pipeline, count: int, **arguments: Any) -> list[str | None]:
    """Return the codes of *count* calls at once, None for each success."""
    calls = (replica.call("ring", {"name": "Ann"} | arguments) for _ in range(count))
    return [answer.code for answer in await asyncio.gather(*calls)]


def identify(replicas: list[Pipeline], identity: str) -> list[Any]:
    """Return functions that call each replica with a proven identity."""

    def calling(replica: Pipeline) -> Any:
        async def call() -> str | None:
            return (await replica.answer(replica.receive("ring", {"name": "Ann"}, identity=identity))).code

        return call

    return [calling(replica) for replica in replicas]


async def test_replicas_share_the_limit_of_a_caller(replicas: list[Pipeline]) -> None:
    first, second = identify(replicas, "ann")
    answers = [await first(), await second(), await first(), await second(), await first()]
    assert answers == [None] * 3 + ["MCP-006"] * 2
    assert await identify(replicas, "bob")[1]() is None


async def test_of_many_calls_at_once_through_two_replicas_as_many_are_accepted_as_allowed(
    replicas: list[Pipeline],
) -> None:
    calls = [call() for _ in range(50) for call in identify(replicas, "ann")]
    assert sorted(await asyncio.gather(*calls), key=str) == ["MCP-006"] * 97 + [None] * 3


async def test_replicas_share_the_limit_exactly_while_redis_answers_slowly(valkey: Valkey) -> None:
    valkey.command("FLUSHALL")
    (declared,) = server(Porter()).sources
    async with AsyncExitStack() as stack:
        relay = await stack.enter_async_context(Relay(port_of(valkey)).running())
        replicas = []
        for _ in range(2):
            pool: Any = declared.open({"redis_url": f"redis://127.0.0.1:{relay.port}"}, SystemClock())
            stack.push_async_callback(pool.close)
            replicas.append(pipeline(slow_gate(), sources={"state": pool}, clock=SystemClock()))
        relay.delay_s = SLOW_S
        calls = [call() for _ in range(25) for call in identify(replicas, "ann")]
        answers = await asyncio.gather(*calls)
    assert answers.count(None) == CALLS
    assert answers.count("MCP-006") == 50 - CALLS


async def test_invalid_calls_count_in_the_store(replicas: list[Pipeline]) -> None:
    (replica, _) = replicas
    assert sorted(await codes(replica, 5, name=7)) == ["MCP-001"] * 3 + ["MCP-006"] * 2  # type: ignore[type-var]


async def test_the_time_to_wait_is_that_until_the_oldest_counted_call_leaves_the_window(
    pools: list[Redis], valkey: Valkey
) -> None:
    for _ in range(CALLS):
        assert await count_call(pools[0], "key", CALLS, WINDOW_S) == 0
    before = _now(valkey)
    wait_us = await count_call(pools[1], "key", CALLS, WINDOW_S) * 1_000_000
    after = _now(valkey)
    oldest = int(valkey.command("LINDEX", "key", 0))
    assert before <= oldest + WINDOW_S * 1_000_000 - wait_us <= after


async def test_a_call_is_accepted_once_the_oldest_one_has_left_the_window(pools: list[Redis], valkey: Valkey) -> None:
    for _ in range(CALLS):
        await count_call(pools[0], "key", CALLS, WINDOW_S)
    valkey.command("LSET", "key", 0, _now(valkey) - WINDOW_S * 1_000_000)
    assert await count_call(pools[0], "key", CALLS, WINDOW_S) == 0
    assert await count_call(pools[0], "key", CALLS, WINDOW_S) > 0


async def test_calls_after_a_step_back_of_the_clock_are_accepted(pools: list[Redis], valkey: Valkey) -> None:
    for _ in range(CALLS):
        valkey.command("RPUSH", "key", _now(valkey) + 3600 * 1_000_000)
    assert await count_call(pools[0], "key", CALLS, WINDOW_S) == 0


async def test_a_key_expires_with_its_window_and_holds_no_more_times_than_the_limit(
    pools: list[Redis], valkey: Valkey
) -> None:
    for _ in range(10):
        await count_call(pools[0], "key", CALLS, WINDOW_S)
        valkey.command("LSET", "key", 0, 1)  # the oldest call has left the window
    assert valkey.command("LLEN", "key") == CALLS
    assert 0 < valkey.command("PTTL", "key") <= WINDOW_S * 1000


async def test_keys_hold_no_name_of_a_caller(replicas: list[Pipeline], valkey: Valkey) -> None:
    (replica, _) = replicas
    await replica.answer(replica.receive("ring", {"name": "Ann"}, caller="s3cr3t", identity=""))
    (key,) = valkey.command("KEYS", "*")
    assert key.startswith(b"toolaccord:rate_limit:gate-mcp:ring:")
    assert b"s3cr3t" not in key


@pytest.mark.parametrize("fault", ["stopped", "frozen", "full"])
async def test_a_replica_accepts_no_more_than_the_limit_while_redis_is_away(
    replicas: list[Pipeline], valkey: Valkey, fault: str
) -> None:
    first, second = identify(replicas, "ann")
    assert (await first(), await second()) == (None, None)
    with capture_logs() as records, getattr(valkey, fault)():
        answers = [await first() for _ in range(6)]
    assert answers == [None] * 2 + ["MCP-006"] * 4
    warnings = [record for record in records if record.levelname == "WARNING"]
    assert len([record for record in warnings if "the shared store state is" in record.getMessage()]) == 1


async def test_the_calls_that_a_replica_accepted_alone_count_after_redis_has_returned(
    pools: list[Redis], valkey: Valkey
) -> None:
    clock = ManualClock()
    replica = pipeline(server(Porter()), sources={"state": pools[0]}, clock=clock)
    with valkey.stopped():
        assert await codes(replica, 2) == [None, None]
    clock.advance(PAUSE_S)
    assert await codes(replica, 1) == [None]
    assert valkey.command("DBSIZE") == 1, "the last call was counted in Redis"
    assert await codes(replica, 2) == ["MCP-006"] * 2


async def test_a_caller_that_is_limited_costs_redis_nothing(replicas: list[Pipeline], valkey: Valkey) -> None:
    first, _ = identify(replicas, "ann")
    assert [await first() for _ in range(CALLS)] == [None] * CALLS
    valkey.command("CONFIG", "RESETSTAT")
    assert [await first() for _ in range(5)] == ["MCP-006"] * 5
    assert "cmdstat_evalsha" not in valkey.command("INFO", "commandstats")


def _now(valkey: Valkey) -> int:
    """Return the microseconds since 1970 on the server's clock."""
    seconds, microseconds = map(int, valkey.command("TIME"))
    return seconds * 1_000_000 + microseconds
