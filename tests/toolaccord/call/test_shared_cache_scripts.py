"""The scripts of the shared cache on a real Redis."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.services.valkey import Valkey
from toolaccord.call.shared_cache import FIND, RELEASE, STORE
from toolaccord.sources.redis import Redis, RedisError, RedisSource
from toolaccord.sources.redis.stored_results import READ
from toolaccord.timing.clock import SystemClock

LEASE_MS = 1_000_000
"""So long that the time of a test does not count."""
KEYS = ["value", "lease"]
DECLARED = RedisSource(name="state", url="url", max_connections=2, connection_timeout_s=20, timeout_s=20)


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[Redis]:
    valkey.command("FLUSHALL")
    redis = DECLARED.open({"url": valkey.url}, SystemClock())
    await redis.set("lease", "mine", ttl_ms=LEASE_MS)
    yield redis
    await redis.close()


async def test_a_value_is_stored_and_the_lease_released(redis: Redis) -> None:
    assert await redis.run_script(STORE, KEYS, ["mine", b"result", 5000])
    value, left_ms, _ = await redis.run_script(READ, KEYS[:1], [])
    assert value == b"result"
    assert LEASE_MS < left_ms <= LEASE_MS + 5000
    assert await redis.get("lease") is None


async def test_a_value_lives_shorter_by_the_time_that_the_lease_has_lost(redis: Redis) -> None:
    await redis.set("lease", "mine", ttl_ms=LEASE_MS // 2)
    assert await redis.run_script(STORE, KEYS, ["mine", b"result", 5000])
    _, left_ms, _ = await redis.run_script(READ, KEYS[:1], [])
    assert left_ms <= LEASE_MS // 2 + 5000


async def test_a_value_that_has_expired_on_its_way_is_not_stored(redis: Redis) -> None:
    assert await redis.run_script(STORE, KEYS, ["mine", b"result", -LEASE_MS]) == 0
    assert [await redis.get(key) for key in KEYS] == [None, None]


async def test_only_the_holder_of_the_lease_stores_and_releases(redis: Redis) -> None:
    assert await redis.run_script(STORE, KEYS, ["other", b"result", 5000]) == 0
    await redis.run_script(RELEASE, KEYS[1:], ["other"])
    assert [await redis.get(key) for key in KEYS] == [None, b"mine"]
    await redis.run_script(RELEASE, KEYS[1:], ["mine"])
    assert await redis.get("lease") is None


async def test_a_key_of_another_type_or_without_a_value_holds_nothing(redis: Redis, valkey: Valkey) -> None:
    assert (await redis.run_script(READ, KEYS[:1], []))[:2] == [None, 0]
    valkey.command("LPUSH", "value", "foreign")
    assert (await redis.run_script(READ, KEYS[:1], []))[:2] == [None, 0]
    assert await redis.run_script(STORE, KEYS, ["mine", b"result", 5000])
    assert (await redis.run_script(READ, KEYS[:1], []))[0] == b"result"


async def test_a_look_finds_the_value_or_takes_a_lease_that_nobody_has(redis: Redis) -> None:
    assert await redis.run_script(FIND, KEYS, ["other", 5000]) == 0
    await redis.delete("lease")
    assert await redis.run_script(FIND, KEYS, ["other", LEASE_MS]) == 1
    assert await redis.run_script(FIND, KEYS, ["other", LEASE_MS]) == 1, "a repetition has its own lease"
    assert await redis.run_script(FIND, KEYS, ["mine", LEASE_MS]) == 0
    assert await redis.run_script(STORE, KEYS, ["other", b"result", 5000])
    value, left_ms = await redis.run_script(FIND, KEYS, ["mine", LEASE_MS])
    assert value == b"result"
    assert left_ms <= LEASE_MS + 5000
    assert await redis.get("lease") is None


async def test_a_full_redis_is_read_and_gives_no_lease(redis: Redis, valkey: Valkey) -> None:
    await redis.set("value", b"result", ttl_ms=LEASE_MS)
    await redis.delete("lease")
    with valkey.full():
        assert (await redis.run_script(FIND, KEYS, ["mine", LEASE_MS]))[0] == b"result"
        with pytest.raises(RedisError) as raised:
            await redis.run_script(FIND, ["nothing", "lease"], ["mine", LEASE_MS])
    assert raised.value.failure == "full"


async def test_a_foreign_value_without_an_end_has_no_time_left(redis: Redis) -> None:
    await redis.set("value", "foreign")
    assert (await redis.run_script(READ, KEYS[:1], []))[:2] == [b"foreign", -1]


async def test_a_full_redis_rejects_the_value_and_releases_the_lease(redis: Redis, valkey: Valkey) -> None:
    with valkey.full():
        with pytest.raises(RedisError) as raised:
            await redis.run_script(STORE, KEYS, ["mine", b"result", 5000])
        assert raised.value.failure == "full"
        assert [await redis.get(key) for key in KEYS] == [None, None]
