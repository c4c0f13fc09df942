"""A client's cache in a real Valkey, which is stopped, frozen, filled and damaged."""

import asyncio
import itertools
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any, Self

import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.demo.library import GetBookRequest, ListBooksRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS
from tests.toolaccord.scripted_connection import Recorder, ScriptedConnection
from toolaccord.client.calls import CallResult
from toolaccord.client.policies import ClientCache, ClientPolicies, ToolCache
from toolaccord.client.policies.shared_results import SharedResults
from toolaccord.errors import ServerGone
from toolaccord.sources.breaker import PAUSE_S
from toolaccord.sources.redis.stored_results import encode
from toolaccord.testing import ManualClock, capture_logs

EMMA, PERSUASION = {"id": 7, "title": "Emma"}, {"id": 7, "title": "Persuasion"}
GONE = ServerGone("gone")
HOUR_S = 3600.0


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture(autouse=True)
def empty(valkey: Valkey) -> None:
    valkey.command("FLUSHALL")


class Readers:
    """Clients that share a cache; each has its own clock, which stands still."""

    def __init__(self, valkey: Valkey, **times: float) -> None:
        self._cache = ClientCache(
            tools={GET_BOOK: ToolCache(**({"ttl_s": HOUR_S} | times)), LIST_BOOKS: ToolCache(ttl_s=HOUR_S)},
            prefix="test:",
            url=valkey.url,
        )
        self._stack = AsyncExitStack()
        self.clock = ManualClock()
        self.observer = Recorder()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def join(self, *outcomes: Any) -> LibraryClient:
        """Return one more client."""
        policies = ClientPolicies(cache=self._cache, clock=self.clock, observer=self.observer)
        return await self._stack.enter_async_context(LibraryClient(ScriptedConnection(*outcomes), policies))


async def read(client: LibraryClient, number: int = 7) -> CallResult[Any]:
    """Return the result of get_book."""
    return await client.call(GET_BOOK, GetBookRequest(id=number))


def only_key(valkey: Valkey) -> str:
    """Return the only key."""
    (key,) = valkey.command("KEYS", "*")
    return str(key.decode())


async def test_a_result_of_one_client_replaces_the_calls_of_another(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        await read(await readers.join(EMMA))
        other = await readers.join(GONE)
        results = [await read(other) for _ in range(2)]
    assert [(result.result.title, result.cached, result.is_stale) for result in results] == [("Emma", True, False)] * 2
    assert all(result.age_s is not None and 0 <= result.age_s < HOUR_S for result in results)
    assert readers.observer.names() == ["attempt", "miss", "hit", "hit"]


async def test_a_result_lives_in_redis_as_long_as_it_is_of_use(valkey: Valkey) -> None:
    async with Readers(valkey, ttl_s=10, stale_if_error_s=HOUR_S) as readers:
        await read(await readers.join(EMMA))
    key = only_key(valkey)
    assert key.startswith("test:library-mcp:get_book:")
    assert HOUR_S * 1000 - 60_000 < valkey.command("PTTL", key) <= HOUR_S * 1000


async def test_the_age_of_a_result_counts_by_the_clock_of_redis(valkey: Valkey) -> None:
    async with Readers(valkey, ttl_s=100, stale_if_error_s=HOUR_S) as readers:
        await read(await readers.join(EMMA))
        key = only_key(valkey)
        valkey.command("PEXPIRE", key, 3_550_000)
        young = await read(await readers.join(GONE))
        assert young.age_s is not None
        assert (young.is_stale, 50 <= young.age_s < 100) == (False, True)
        valkey.command("PEXPIRE", key, 3_400_000)
        stale = await read(await readers.join(GONE))
        assert stale.age_s is not None
        assert (stale.is_stale, stale.age_s >= 200) == (True, True)
        valkey.command("PEXPIRE", key, 0)
        with pytest.raises(ServerGone):
            await read(await readers.join(GONE))


async def test_a_call_that_needs_time_makes_its_result_no_older(valkey: Valkey) -> None:
    clock = ManualClock()
    results = SharedResults(valkey.url, clock)
    found = await results.look_up("key")
    assert found is not None
    clock.advance(30)
    await results.store("key", found, b"{}", lifetime_s=100)
    assert valkey.command("PEXPIRETIME", "key") == found.redis_ms + 130_000
    await results.close()


async def test_an_answer_that_redis_stores_late_is_as_old_as_it_is(valkey: Valkey) -> None:
    results = SharedResults(valkey.url, ManualClock())
    found = await results.look_up("key")
    assert found is not None
    await results.store("key", found._replace(redis_ms=found.redis_ms - 60_000), b"{}", lifetime_s=100)
    assert valkey.command("PTTL", "key") <= 40_000
    await results.store("late", found._replace(redis_ms=found.redis_ms - 100_000), b"{}", lifetime_s=100)
    assert valkey.command("EXISTS", "late") == 0
    await results.close()


async def test_without_redis_each_client_has_its_own_results_and_looks_again_after_a_second(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        first, second = await readers.join(EMMA), await readers.join(EMMA)
        await read(first)
        with capture_logs() as logs, valkey.stopped():
            assert (await read(first)).age_s == 0, "from memory"
            for number in (8, 9):
                assert (await read(first, number)).age_s is None
                assert (await read(first, number)).age_s == 0
        warnings = [record.getMessage() for record in logs if "shared store" in record.msg]
        assert len(warnings) == 1
        assert "the shared store of the client's cache is unavailable" in warnings[0]
        assert (await read(second, 8)).age_s is None, "Redis has lost it, and had never received it"
        readers.clock.advance(PAUSE_S)
        await read(first, 10)
        assert (await read(second, 10)).cached


async def test_a_client_answers_while_redis_is_frozen(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        client = await readers.join(EMMA)
        await read(client)
        with valkey.frozen():
            assert (await read(client)).cached
            assert (await read(client, 8)).result.title == "Emma"
            assert (await read(client, 8)).cached


async def test_a_full_redis_is_read_and_a_client_keeps_its_own_results(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        await read(await readers.join(EMMA))
        client = await readers.join(PERSUASION)
        with valkey.full():
            assert (await read(client, 8)).age_s is None
            assert (await read(client, 8)).age_s == 0
            assert (await read(client)).result.title == "Emma"


def damaged_forms(key: str, text: bytes) -> list[bytes]:
    """Return damaged and foreign forms of a stored answer, and whole ones of broken answers."""
    without_title = json.dumps({"data": {"id": 7}}).encode()
    broken = [b"", b"no JSON", b" \xff\xfe", without_title, b'{"data": [']
    return [
        b"",
        b"x",
        text[:-1],
        text[:10],
        text[:17],
        b"1" + text[1:],
        text[:20] + bytes([text[20] ^ 1]) + text[21:],
        encode("another", b"{}", 3_600_000),
        b"1764000000000 {}",
        *(encode(key, each, 3_600_000) for each in broken),
    ]


async def test_a_damaged_answer_in_redis_is_a_miss_and_is_replaced(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        await read(await readers.join(EMMA))
        key = only_key(valkey)
        stored = valkey.command("GET", key)
        for damaged in damaged_forms(key, stored):
            valkey.command("SET", key, damaged, "PX", 3_600_000)
            assert (await read(await readers.join(PERSUASION))).result.title == "Persuasion", damaged
            again = await read(await readers.join(GONE))
            assert (again.result.title, again.cached) == ("Persuasion", True)
        for ttl in ([], ["PX", 2 * 3_600_000]):  # without an end, and of the future, since Redis's clock was set back
            valkey.command("SET", key, encode(key, b"{}", 3_600_000), *ttl)
            assert (await read(await readers.join(PERSUASION))).result.title == "Persuasion", ttl
        valkey.command("DEL", key)
        valkey.command("LPUSH", key, "a value of another type")
        assert (await read(await readers.join(PERSUASION))).result.title == "Persuasion"


async def test_an_answer_beyond_a_megabyte_stays_in_memory(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        client = await readers.join({"id": 7, "title": "x" * (1 << 20)})
        await read(client)
        assert (await read(client)).cached
    assert valkey.command("DBSIZE") == 0


async def test_a_call_that_bypasses_the_cache_replaces_the_result_for_all(valkey: Valkey) -> None:
    place = {"offset": 0, "limit": 2, "total": 1, "has_more": False}
    pages = [{"items": [book], "pagination": place} for book in (EMMA, PERSUASION)]
    async with Readers(valkey) as readers:
        client = await readers.join(*pages)
        await client.list_books(ListBooksRequest(shelf="A"))
        await client.list_books(ListBooksRequest(shelf="A", fresh=True))
        other = await readers.join(GONE)
        assert (await other.list_books(ListBooksRequest(shelf="A"))).items[0].title == "Persuasion"


async def test_many_concurrent_calls_look_up_and_load_each_key_once(valkey: Valkey) -> None:
    async with Readers(valkey) as readers:
        client = await readers.join(EMMA)
        await asyncio.gather(*(read(client, number) for number, _ in itertools.product(range(1, 21), range(10))))
        other = await readers.join(GONE)
        await asyncio.gather(*(read(other, number) for number, _ in itertools.product(range(1, 21), range(10))))
    assert readers.observer.names().count("attempt") == 20
    assert readers.observer.names().count("hit") == 200
