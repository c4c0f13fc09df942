import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolaccord.demo import counter
from toolaccord.call.cache import Cache, Loaded, cache_key
from toolaccord.contract.policies import CachePolicy
from toolaccord.json_values import JsonObject
from toolaccord.testing import ManualClock


class Loads:
    """A load function that counts its calls, and waits while its gate is closed."""

    def __init__(self) -> None:
        self.count = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.ttl_s = 30.0

    async def __call__(self) -> Loaded:
        self.count += 1
        number = self.count
        await self.gate.wait()
        if self.error:
            raise self.error
        return Loaded(b"%d" % number, self.ttl_s)


def new_cache(clock: ManualClock | None = None, max_bytes: int = 1_000_000) -> Cache:
    return Cache(clock or ManualClock(), max_bytes=max_bytes)


async def test_a_value_is_cached_until_it_expires() -> None:
    clock, load = ManualClock(), Loads()
    cache = new_cache(clock)
    first = await cache.get_or_load(b"k", load)
    assert (first.value, first.remaining_s) == (b"1", None)
    clock.advance(29.5)
    kept = await cache.get_or_load(b"k", load)
    assert (kept.value, kept.remaining_s) == (b"1", 0.5)
    clock.advance(0.5)
    later = await cache.get_or_load(b"k", load)
    assert (later.value, later.remaining_s) == (b"2", None)


async def test_each_load_sets_the_time_to_live_of_its_value() -> None:
    clock, load = ManualClock(), Loads()
    cache = new_cache(clock)
    load.ttl_s = 2
    await cache.get_or_load(b"k", load)
    clock.advance(2)
    load.ttl_s = 0
    assert (await cache.get_or_load(b"k", load)).value == b"2"
    assert (await cache.get_or_load(b"k", load)).value == b"3", "a value of no time is not given again"


async def test_concurrent_callers_share_one_load_of_a_key() -> None:
    cache, load = new_cache(), Loads()
    load.gate.clear()
    callers = [asyncio.create_task(cache.get_or_load(b"k", load)) for _ in range(100)]
    await asyncio.sleep(0)
    load.gate.set()
    assert {found.value for found in await asyncio.gather(*callers)} == {b"1"}
    assert load.count == 1


async def test_a_fresh_value_replaces_the_cached_one() -> None:
    cache, load = new_cache(), Loads()
    await cache.get_or_load(b"k", load)
    assert (await cache.get_or_load(b"k", load, fresh=True)).value == b"2"
    assert (await cache.get_or_load(b"k", load)).value == b"2"


async def test_a_caller_who_wants_a_fresh_value_never_joins_an_ordinary_load() -> None:
    cache, load = new_cache(), Loads()
    load.gate.clear()
    plain = asyncio.create_task(cache.get_or_load(b"k", load))
    await asyncio.sleep(0)
    fresh = [asyncio.create_task(cache.get_or_load(b"k", load, fresh=True)) for _ in range(3)]
    await asyncio.sleep(0)
    load.gate.set()
    assert (await plain).value == b"1"
    assert {(await each).value for each in fresh} == {b"2"}
    assert (await cache.get_or_load(b"k", load)).value == b"2", "the older load must not overwrite the fresher one"


async def test_an_error_reaches_every_waiting_caller_and_is_never_cached() -> None:
    cache, load = new_cache(), Loads()
    load.error = ValueError("no")
    results = await asyncio.gather(*(cache.get_or_load(b"k", load) for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [ValueError] * 3
    load.error = None
    assert (await cache.get_or_load(b"k", load)).value == b"2"


async def test_a_failed_refresh_leaves_the_cached_value() -> None:
    cache, load = new_cache(), Loads()
    await cache.get_or_load(b"k", load)
    load.error = ValueError("no")
    with pytest.raises(ValueError, match="no"):
        await cache.get_or_load(b"k", load, fresh=True)
    assert (await cache.get_or_load(b"k", load)).value == b"1"


async def test_cancelling_the_first_caller_does_not_fail_the_others() -> None:
    cache, load = new_cache(), Loads()
    load.gate.clear()
    first, second = (asyncio.create_task(cache.get_or_load(b"k", load)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    load.gate.set()
    assert (await second).value == b"1"
    assert first.cancelled()


async def test_a_load_without_waiters_is_cancelled_and_not_joined() -> None:
    cache, load = new_cache(), Loads()
    load.gate.clear()
    caller = asyncio.create_task(cache.get_or_load(b"k", load))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait({caller})
    load.gate.set()
    assert (await cache.get_or_load(b"k", load)).value == b"2"


async def test_a_full_cache_evicts_the_least_recently_used_value() -> None:
    cache, load = new_cache(max_bytes=2 * (512 + 2)), Loads()
    for name in (b"a", b"b", b"a", b"c"):
        await cache.get_or_load(name, load)
    assert (await cache.get_or_load(b"a", load)).value == b"1"
    assert (await cache.get_or_load(b"b", load)).value == b"4"


def constant(value: bytes, ttl_s: float = 30) -> Callable[[], Awaitable[Loaded]]:
    async def load() -> Loaded:
        return Loaded(value, ttl_s)

    return load


async def test_a_cache_never_holds_more_bytes_than_its_bound() -> None:
    cache = new_cache(max_bytes=10_000)
    for number in range(1100):
        await cache.get_or_load(b"%d" % number, constant(b"x" * number))
        assert cache.held_bytes <= 10_000
    assert cache.lookup(b"1099") is not None
    assert cache.evictions > 1000


async def test_a_value_larger_than_the_bound_is_not_cached_and_replaces_the_older_one() -> None:
    cache = new_cache(max_bytes=10_000)
    await cache.get_or_load(b"other", constant(b"1"))
    await cache.get_or_load(b"k", constant(b"2"))
    await cache.get_or_load(b"k", constant(b"x" * 10_000), fresh=True)
    assert cache.lookup(b"k") is None
    assert cache.lookup(b"other") is not None
    assert cache.evictions == 0


async def test_a_bound_of_nothing_disables_the_cache() -> None:
    cache, load = new_cache(max_bytes=0), Loads()
    assert (await cache.get_or_load(b"k", load)).value == b"1"
    assert (await cache.get_or_load(b"k", load)).value == b"2"
    assert cache.held_bytes == 0


async def test_values_that_nobody_looks_up_again_are_removed_after_they_expire() -> None:
    clock = ManualClock()
    cache = new_cache(clock)
    for number, ttl_s in enumerate((5, 25, 5, 45)):
        await cache.get_or_load(b"%d" % number, constant(b"x" * 1000, ttl_s))
    sizes = []
    for _ in range(6):
        sizes.append(cache.held_bytes // 1000)
        clock.advance(10)
    assert sizes == [6, 3, 3, 1, 1, 0]
    assert cache.evictions == 0, "an expired value is not evicted"


async def test_the_counted_bytes_are_those_that_the_process_holds() -> None:
    cache = new_cache(max_bytes=64 << 20)
    for size in (0, 100, 10_000):
        tracemalloc.start()
        before, counted = tracemalloc.get_traced_memory()[0], cache.held_bytes
        for number in range(1100):
            await cache.get_or_load(b"%d of a key of usual length %d" % (number, size), constant(bytes(size)))
        gc.collect()
        held = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert held <= cache.held_bytes - counted <= held + 1100 * 512


def key(arguments: JsonObject, *, name: str = "t", version: str = "1") -> bytes:
    """Return the cache key of a call whose parameter `fresh` bypasses the cache."""
    tool = replace(counter.server().tools[0], name=name, version=version, cache=CachePolicy(ttl_s=1, bypass="fresh"))
    found = cache_key(tool, arguments)
    assert found is not None
    return found


def test_a_tool_without_a_cache_policy_has_no_key() -> None:
    assert cache_key(replace(counter.server().tools[0], cache=None), {}) is None


def test_a_key_does_not_depend_on_order_or_on_the_bypass() -> None:
    assert key({"a": 1, "b": 2}) == key({"b": 2, "fresh": True, "a": 1})
    assert key({"a": 1}) != key({"a": 1}, version="2")
    assert key({"a": 1}) != key({"a": 1}, name="u")
    assert key({"a": 1}) != key({"a": "1"})
    assert key({"a": 10**30}) != key({"a": 10**30 + 1})


Step = tuple[str, bytes, float]
steps = st.lists(
    st.tuples(
        st.sampled_from(["get", "fresh", "fail"]), st.sampled_from([b"a", b"b", b"c"]), st.sampled_from([0, 1, 4])
    )
)


def loader(value: int | None) -> Callable[[], Awaitable[Loaded]]:
    async def load() -> Loaded:
        if value is None:
            raise ValueError
        return Loaded(b"%d" % value, 5)

    return load


async def assert_as_described(taken: list[Step]) -> None:
    """Compare a cache with a dictionary of values and expiry times, step by step."""
    clock = ManualClock()
    cache = new_cache(clock)
    kept: dict[bytes, tuple[int, float]] = {}
    for number, (what, name, seconds) in enumerate(taken):
        clock.advance(seconds)
        loads = what == "fresh" or name not in kept or clock.monotonic() >= kept[name][1]
        if loads and what != "fail":
            kept[name] = number, clock.monotonic() + 5
        try:
            found = await cache.get_or_load(name, loader(None if what == "fail" else number), fresh=what == "fresh")
        except ValueError:
            assert (what, loads) == ("fail", True)
        else:
            assert (found.value, found.remaining_s is None) == (b"%d" % kept[name][0], loads)


@given(steps)
def test_a_cache_behaves_like_a_dictionary_with_expiry_times(taken: list[Step]) -> None:
    asyncio.run(assert_as_described(taken))


def test_a_key_is_short_for_arguments_of_any_length() -> None:
    one, other = ({"a": "x" * 10_000 + end} for end in "yz")
    assert key(one) == key(dict(one))
    assert key(one) != key(other)
    assert len(key(one)) < 100
