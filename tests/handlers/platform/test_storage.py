"""Handlers of storage-mcp on a real Redis."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from generated.platform.errors import StorageQuotaExceeded, UnreadableState
from generated.platform.storage.models import (
    Metadata,
    StorageSharedStateGetRequest,
    StorageSharedStateGetResult,
    StorageSharedStateSetRequest,
    StorageSharedStateSetResult,
)
from generated.platform.storage.server import StorageCall
from handlers.platform.shared_state import MAX_BYTES
from handlers.platform.storage import storage_shared_state_get, storage_shared_state_set
from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S
from toolaccord import SourceError
from toolaccord.sources.redis import Redis, RedisError, RedisSource
from toolaccord.timing.clock import SystemClock

NAME = "shared:task:key"
METADATA = "metadata:{shared:task:key}"
SOURCE = RedisSource(name="state", url="url", max_connections=20, connection_timeout_s=20, timeout_s=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)
WITH_FIXTURES = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
async def call(server: Valkey) -> AsyncIterator[StorageCall]:
    server.command("FLUSHALL")
    redis = SOURCE.open({"url": server.url}, SystemClock())
    yield call_with(redis)
    await redis.close()


def call_with(redis: Redis) -> StorageCall:
    return StorageCall(state=redis, now=datetime(2000, 1, 1, tzinfo=UTC), idempotency=None)


async def get(call: StorageCall, key: str = "key") -> StorageSharedStateGetResult:
    return await storage_shared_state_get(StorageSharedStateGetRequest(corr_id="task", key=key), call)


async def found(call: StorageCall, key: str = "key") -> tuple[Any, Metadata]:
    """Return the value of a key that exists, and its metadata."""
    result = await get(call, key)
    assert result.exists
    assert result.metadata is not None
    return result.value, result.metadata


async def put(call: StorageCall, value: Any, key: str = "key", ttl_seconds: int = 300) -> StorageSharedStateSetResult:
    request = StorageSharedStateSetRequest(corr_id="task", key=key, value=value, ttl_seconds=ttl_seconds)
    return await storage_shared_state_set(request, call)


async def test_a_missing_key_does_not_exist_and_has_neither_value_nor_metadata(call: StorageCall) -> None:
    assert (await get(call)).model_dump(exclude_unset=True) == {"exists": False}


@WITH_FIXTURES
@given(value=JSON)
@example(value=2**64)
@example(value=[-(2**63) - 1, 1.0, -0.0])
async def test_any_json_comes_back_as_it_was_stored(call: StorageCall, server: Valkey, value: Any) -> None:
    result = await put(call, value)
    back, _ = await found(call)
    assert json.dumps(json.loads(server.command("GET", NAME))) == json.dumps(value)  # as any program reads it
    assert json.dumps(back) == json.dumps(value)  # 1 is not 1.0, and 0.0 is not -0.0
    assert (result.stored, result.size_bytes) == (True, server.command("STRLEN", NAME))


async def test_a_value_of_one_mebibyte_is_stored_and_a_larger_one_leaves_the_old_one(call: StorageCall) -> None:
    largest = "x" * (MAX_BYTES - 2)
    assert (await put(call, largest)).size_bytes == MAX_BYTES
    with pytest.raises(StorageQuotaExceeded, match=f"{MAX_BYTES + 1} bytes") as raised:
        await put(call, largest + "x")
    assert raised.value.details == {"size_bytes": MAX_BYTES + 1}
    assert (await found(call))[0] == largest


async def test_each_task_and_each_key_has_a_value_of_its_own(call: StorageCall) -> None:
    for corr_id, key in [("a", "b"), ("a", "b.c"), ("a-b", "b"), ("a", "B")]:
        request = StorageSharedStateSetRequest(corr_id=corr_id, key=key, value=[corr_id, key])
        await storage_shared_state_set(request, call)
    result = await storage_shared_state_get(StorageSharedStateGetRequest(corr_id="a", key="b"), call)
    assert result.value == ["a", "b"]


@pytest.mark.parametrize("ttl_seconds", [1, 300, 86_400])
async def test_a_value_expires_by_redis_own_clock(call: StorageCall, server: Valkey, ttl_seconds: int) -> None:
    stored = await put(call, 1, ttl_seconds=ttl_seconds)
    expires_ms = server.command("PEXPIRETIME", NAME)
    assert stored.expires_at == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=expires_ms)
    if ttl_seconds > 1:
        _, metadata = await found(call)
        assert math.ceil(server.command("PTTL", NAME) / 1000) <= metadata.ttl_seconds <= ttl_seconds
        assert metadata.updated_at == stored.expires_at - timedelta(seconds=ttl_seconds)


async def test_an_expired_value_does_not_exist_and_its_metadata_begin_anew(call: StorageCall, server: Valkey) -> None:
    await put(call, 1)
    await found(call)
    server.command("PEXPIREAT", NAME, 1)
    assert not (await get(call)).exists
    await put(call, 2)
    value, metadata = await found(call)
    assert (value, metadata.access_count, metadata.created_at) == (2, 1, metadata.updated_at)


async def test_a_value_without_an_end_says_so(call: StorageCall, server: Valkey) -> None:
    await put(call, 1)
    server.command("PERSIST", NAME)
    assert (await found(call))[1].ttl_seconds == -1


async def test_created_at_and_the_count_of_reads_survive_an_overwrite(call: StorageCall) -> None:
    await put(call, 0)
    _, first = await found(call)
    later, number = first, 0
    async with asyncio.timeout(PATIENCE_S):
        while later.updated_at == first.updated_at:
            number += 1
            await put(call, number, ttl_seconds=500)
            value, later = await found(call)
            assert (value, later.access_count) == (number, number + 1)
    assert later.created_at == first.created_at == first.updated_at < later.updated_at
    assert 400 < later.ttl_seconds <= 500


async def test_a_full_redis_stores_nothing_and_still_answers_reads(call: StorageCall, server: Valkey) -> None:
    await put(call, "before")
    _, before = await found(call)
    with server.full():
        for key in ("key", "new"):
            with pytest.raises(StorageQuotaExceeded, match="memory of Redis is full") as raised:
                await put(call, "after", key)
            assert raised.value.details == {"size_bytes": 7}
            assert isinstance(raised.value.__cause__, RedisError)
        value, metadata = await found(call)
        assert (value, metadata.updated_at, metadata.access_count) == ("before", before.updated_at, 1)
        assert not (await get(call, "new")).exists
    await put(call, "after")
    value, metadata = await found(call)
    assert (value, metadata.access_count) == ("after", 2)


async def test_a_replica_answers_reads_without_counting_them(call: StorageCall, server: Valkey) -> None:
    await put(call, "value")
    server.command("REPLICAOF", "127.0.0.1", "1")
    try:
        value, metadata = await found(call)
        with pytest.raises(RedisError):
            await put(call, "other")
    finally:
        server.command("REPLICAOF", "NO", "ONE")
    assert (value, metadata.access_count) == ("value", 0)


@WITH_FIXTURES
@given(value=JSON, ttl_s=st.integers(10, 86_400), separators=st.sampled_from([(",", ":"), (", ", ": ")]))
@example(value=2**64, ttl_s=10, separators=(",", ":"))
async def test_a_value_that_another_program_stored_by_setex_is_read_exactly(
    call: StorageCall, server: Valkey, value: Any, ttl_s: int, separators: tuple[str, str]
) -> None:
    server.command("FLUSHALL")
    server.command("SETEX", NAME, ttl_s, json.dumps(value, separators=separators))
    back, first = await found(call)
    assert json.dumps(back) == json.dumps(value)
    assert 0 < first.ttl_seconds <= ttl_s
    assert (first.access_count, first.created_at) == (1, first.updated_at)
    assert (await found(call))[1] == first.model_copy(update={"access_count": 2})


async def test_the_metadata_of_a_value_never_describe_the_one_of_another_program_that_replaced_it(
    call: StorageCall, server: Valkey
) -> None:
    await put(call, "ours")
    _, ours = await found(call)
    value, theirs = None, ours
    async with asyncio.timeout(PATIENCE_S):
        while theirs.updated_at == ours.updated_at:
            server.command("SET", NAME, f'"theirs {theirs.access_count}"')
            value, theirs = await found(call)
    assert value == f"theirs {theirs.access_count - 1}"
    assert (theirs.created_at, theirs.ttl_seconds) == (ours.created_at, -1)
    assert server.command("TTL", METADATA) > 80_000  # metadata of a value without an end end after a day


async def test_metadata_end_with_their_value(call: StorageCall, server: Valkey) -> None:
    await put(call, 1, ttl_seconds=500)
    assert server.command("PEXPIRETIME", METADATA) - server.command("PEXPIRETIME", NAME) in range(2)
    server.command("SETEX", NAME, 9000, 2)
    await found(call)
    assert server.command("TTL", METADATA) in range(8000, 9001)


@WITH_FIXTURES
@given(text=st.binary(max_size=50))
@example(text=b"")
@example(text=b"{'single': 'quotes'}")
@example(text=b"NaN")
@example(text=b"[-1e999]")
@example(text=b"9" * 5000)
@example(text=b'"\\ud800"')
@example(text=b"[" * 2000 + b"]" * 2000)
async def test_a_text_of_another_program_is_json_or_an_error_that_says_what_to_do(
    call: StorageCall, server: Valkey, text: bytes
) -> None:
    server.command("SET", NAME, text)
    error = None
    try:
        assert (await get(call)).value == json.loads(text)
    except UnreadableState as raised:
        error = raised
    if error is not None:
        assert "set the key again" in error.message
        assert error.details == {"key": "key"}
        await put(call, 1)
        assert (await get(call)).value == 1


@pytest.mark.parametrize(
    "command, what",
    [
        (("HSET", NAME, "json", "1"), "a hash instead of a string"),
        (("RPUSH", NAME, "1"), "a list instead of a string"),
        (("SET", NAME, "1" * (MAX_BYTES + 1)), f"{MAX_BYTES + 1} bytes; at most {MAX_BYTES} can be read"),
    ],
    ids=["hash", "list", "size"],
)
async def test_a_key_that_holds_no_shared_state_says_what_it_holds_until_it_is_set(
    call: StorageCall, server: Valkey, command: tuple[str, ...], what: str
) -> None:
    server.command(*command)
    with pytest.raises(UnreadableState, match=what):
        await get(call)
    await put(call, 1)
    assert (await get(call)).value == 1


@pytest.mark.parametrize("fields", [["created_ms", "x"], ["created_ms", "9" * 30]], ids=str)
async def test_metadata_of_another_program_are_a_failure_of_the_source(
    call: StorageCall, server: Valkey, fields: list[Any]
) -> None:
    await put(call, 1)
    server.command("HSET", METADATA, *fields)
    with pytest.raises(SourceError):
        await get(call)
