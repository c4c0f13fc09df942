"""The pace towards a service, which replicas share in a real Redis, also while it is away."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources.http import HttpSource
from toolaccord.sources.http.rate_limit import RateLimiter
from toolaccord.sources.redis import Redis, RedisSource
from toolaccord.sources.redis.api import Script
from toolaccord.sources.redis.pace import SharedPace, share_paces
from toolaccord.sources.redis.shared_store import SharedStore
from toolaccord.testing import ManualClock
from toolaccord.timing.clock import SystemClock

CALLS, WINDOW_S = 4, 0.4


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[Redis]:
    opened = RedisSource(name="redis", url="url").open({"url": valkey.url}, SystemClock())
    yield opened
    await opened.close()


def open_pace(redis: Redis, service: str, clock: ManualClock | SystemClock) -> SharedPace:
    return SharedPace(SharedStore("redis", redis, clock), redis, service, CALLS, WINDOW_S, clock)


async def test_replicas_start_no_more_requests_together_than_one_may(redis: Redis) -> None:
    clock = SystemClock()
    limiters = [RateLimiter(CALLS / WINDOW_S, clock) for _ in range(3)]
    starts: list[float] = []
    for limiter in limiters:
        limiter.burst, limiter.window_s = CALLS, WINDOW_S
        limiter.share(open_pace(redis, "together", clock).take_slot)

    async def request(limiter: RateLimiter) -> None:
        async with limiter.queued():
            await limiter.take_slot()
            starts.append(clock.monotonic())

    await asyncio.gather(*(request(limiter) for limiter in limiters for _ in range(4)))
    # Redis has counted before the request starts, so a start may be late, and the next one not.
    assert len(starts) == 12
    assert starts[-1] - starts[0] >= 2 * WINDOW_S - 0.05


async def test_services_have_paces_of_their_own(redis: Redis) -> None:
    first, second = (open_pace(redis, service, SystemClock()) for service in ("one", "another"))
    assert [await first.take_slot() for _ in range(CALLS)] == [0] * CALLS
    assert 0 < await first.take_slot() <= WINDOW_S
    assert await second.take_slot() == 0


async def test_a_replica_with_a_faster_pace_does_not_hasten_one_with_a_slower_pace(redis: Redis) -> None:
    clock = SystemClock()
    fast, slow = (
        SharedPace(SharedStore("redis", redis, clock), redis, "unlike", calls, window_s, clock)
        for calls, window_s in ((3, 0.05), (1, 30.0))
    )
    assert await fast.take_slot() == 0
    left_ms = await redis.run_script(
        Script("return redis.call('PTTL', KEYS[1])"), ["toolaccord:pace:{unlike}:starts"], []
    )
    assert left_ms > 30_000
    assert 29 < await slow.take_slot() <= 30


async def test_a_replica_with_fewer_starts_does_not_hide_those_of_others(redis: Redis) -> None:
    clock, starts = SystemClock(), 3
    many, few = (
        SharedPace(SharedStore("redis", redis, clock), redis, "hidden", calls, window_s, clock)
        for calls, window_s in ((starts, 1.0), (1, 0.000001))
    )
    assert [await many.take_slot() for _ in range(starts - 1)] == [0] * (starts - 1)
    assert await few.take_slot() == 0
    assert await many.take_slot() > 0


async def test_while_the_store_is_away_each_replica_keeps_to_its_part(valkey: Valkey) -> None:
    clock = ManualClock()
    async with AsyncExitStack() as stack:
        replicas = []
        for _ in range(3):
            redis = RedisSource(name="redis", url="url").open({"url": valkey.url}, SystemClock())
            stack.push_async_callback(redis.close)
            replicas.append(open_pace(redis, "away", clock))
        for replica in [*replicas, *replicas]:
            await replica.take_slot()
        valkey.stop()
        try:
            for _ in range(2):
                waits = [await replica.take_slot() for replica in replicas]
                assert waits == pytest.approx([3 * WINDOW_S / CALLS] * 3)
                clock.advance(3 * WINDOW_S / CALLS)
                assert [await replica.take_slot() for replica in replicas] == [0, 0, 0]
        finally:
            valkey.start()


async def test_a_request_without_a_deadline_does_not_wait_for_a_silent_redis() -> None:
    clock = SystemClock()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        redis = RedisSource(name="redis", url="url", timeout_s=0.05, connection_timeout_s=0.05).open(
            {"url": url}, clock
        )
        async with asyncio.timeout(PATIENCE_S):
            assert await open_pace(redis, "silent", clock).take_slot() == 0
        await redis.close()


async def test_sources_with_a_store_take_their_slots_there(redis: Redis) -> None:
    clock = SystemClock()
    declared = HttpSource(name="crm", url="crm", requests_per_second=2, store="redis")
    settings = {"crm": "http://crm.example/api"}
    replicas = [declared.open(settings, clock) for _ in range(2)]
    for replica in replicas:
        stores = {"redis": SharedStore("redis", redis, clock)}
        share_paces([declared], {"crm": replica, "redis": redis}, stores, settings, clock)
    for replica in replicas:
        async with replica.pace.queued():  # type: ignore[attr-defined]
            await replica.pace.take_slot()  # type: ignore[attr-defined]
    pace = SharedPace(SharedStore("redis", redis, clock), redis, "crm.example:80", 2, 1.0, clock)
    assert await pace.take_slot() > 0
    for replica in replicas:
        await replica.close()
