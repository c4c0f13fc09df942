"""The cache that replicas share, on a model of Redis whose clock the tests move."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolaccord.demo import forecast
from tests.toolaccord.generated.demo.forecast.models import ForecastRequest
from tests.toolaccord.model_redis import ModelRedis
from toolaccord.call.response import Answer
from toolaccord.config.overrides import apply_overrides
from toolaccord.sources.breaker import PAUSE_S
from toolaccord.sources.redis import RedisError
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.timing.clock import sleep

TTL_S, PROVISIONAL_TTL_S, MEMORY_TTL_S, TIMEOUT_S = 60, 10, 5, 8


class Replicas:
    """Two replicas on one Redis; a load takes *load_s* on their clock."""

    def __init__(self, **overrides: float) -> None:
        """*overrides* are the operator's, by the names of settings of the tool."""
        self.clock = ManualClock()
        self.redis = ModelRedis(self.clock)
        self.loaded_at: list[float] = []
        """End of each load."""
        self.load_s: float = 0
        self.error: Exception | None = None
        server = apply_overrides(
            forecast.server(self._load), {f"forecast.{name}": value for name, value in overrides.items()}
        )
        sources = {"state": self.redis}
        self.metrics = [Metrics(server, sources) for _ in range(2)]
        self._pipelines = [
            pipeline(server, sources=sources, clock=self.clock, metrics=metrics) for metrics in self.metrics
        ]

    async def _load(self, _request: ForecastRequest) -> int:
        if self.load_s:
            await sleep(self.clock, self.load_s)
        if self.error:
            raise self.error
        self.loaded_at.append(self.clock.monotonic())
        return len(self.loaded_at)

    async def call(self, replica: int, place: str = "Riga", **arguments: Any) -> Answer:
        return await self._pipelines[replica].call("forecast", {"place": place} | arguments)

    async def load_of(self, replica: int, place: str = "Riga", **arguments: Any) -> int:
        """Return the number of the load that a call gets."""
        answer = await self.call(replica, place, **arguments)
        number: int = answer.body["data"]["load"]
        return number

    def start(self, replica: int, place: str = "Riga", **arguments: Any) -> asyncio.Task[Answer]:
        return asyncio.create_task(self.call(replica, place, **arguments))

    async def pass_time(self, seconds: float, step_s: float = 0.05) -> None:
        """Advance the clock in small steps, and let everything run that is due."""
        for _ in range(math.ceil(seconds / step_s)):
            await settle()
            self.clock.advance(step_s)
        await settle()

    def count(self, replica: int, series: str, level: str) -> float | None:
        return self.metrics[replica].registry.get_sample_value(series, {"tool": "forecast", "level": level})


async def settle() -> None:
    """Let every task run that can."""
    for _ in range(40):
        await asyncio.sleep(0)


def answer_to(call: asyncio.Task[Answer]) -> Answer:
    """Return the answer to a call that must be finished by now."""
    assert call.done(), "the call still waits"
    return call.result()


def metadata(answer: Answer) -> tuple[bool, int | None]:
    """Return `cached` and `cache_ttl_remaining` of an answer."""
    found = answer.body["_metadata"]
    return found["cached"], found["cache_ttl_remaining"]


async def test_replicas_share_a_result_and_report_its_remaining_time() -> None:
    replicas = Replicas()
    assert metadata(await replicas.call(0)) == (False, None)
    replicas.clock.advance(20)
    assert metadata(await replicas.call(1)) == (True, TTL_S - 20)
    replicas.clock.advance(2)
    assert metadata(await replicas.call(1)) == (True, TTL_S - 22), "a copy in memory reports the time of its result"
    assert len(replicas.loaded_at) == 1


async def test_a_copy_in_memory_is_read_without_redis_until_it_is_too_old() -> None:
    replicas = Replicas()
    await replicas.call(0)
    before = replicas.redis.commands.total()
    replicas.clock.advance(MEMORY_TTL_S * 0.99)
    await replicas.call(0)
    assert replicas.redis.commands.total() == before
    replicas.clock.advance(MEMORY_TTL_S * 0.02)
    await replicas.call(0)
    assert replicas.redis.commands.total() == before + 1
    assert len(replicas.loaded_at) == 1


async def test_a_copy_never_outlives_the_shared_result() -> None:
    replicas = Replicas()
    await replicas.call(0)
    replicas.clock.advance(TTL_S - 1)
    assert await replicas.load_of(1) == 1
    replicas.clock.advance(1)
    assert await replicas.load_of(1) == 2


async def test_a_provisional_result_is_shared_for_its_own_time() -> None:
    replicas = Replicas()
    await replicas.call(0, "Today")
    replicas.clock.advance(PROVISIONAL_TTL_S - 1)
    assert metadata(await replicas.call(1, "Today")) == (True, 1)
    replicas.clock.advance(1)
    assert metadata(await replicas.call(1, "Today")) == (False, None)


async def test_the_operator_sets_the_time_of_both_levels() -> None:
    replicas = Replicas(cache_ttl_s=3, cache_provisional_ttl_s=0)
    assert [await replicas.load_of(0), await replicas.load_of(1)] == [1, 1]
    replicas.clock.advance(3)
    assert [await replicas.load_of(0), await replicas.load_of(1)] == [2, 2]
    assert [await replicas.load_of(0, "Today"), await replicas.load_of(0, "Today")] == [3, 4]
    assert [await replicas.load_of(1, "Today")] == [5]


async def test_an_operator_who_allows_no_copies_has_every_result_from_redis() -> None:
    replicas = Replicas(cache_memory_ttl_s=0)
    await replicas.call(0)
    assert metadata(await replicas.call(0)) == (True, TTL_S)
    assert await replicas.load_of(1, fresh=True) == 2
    assert await replicas.load_of(0) == 2


async def test_a_cache_that_the_operator_disables_asks_no_redis() -> None:
    replicas = Replicas(cache_ttl_s=0, cache_provisional_ttl_s=0)
    assert [await replicas.load_of(0), await replicas.load_of(0)] == [1, 2]
    assert not replicas.redis.commands


async def test_a_fresh_result_replaces_that_of_all_replicas() -> None:
    replicas = Replicas()
    assert [await replicas.load_of(0), await replicas.load_of(1)] == [1, 1]
    assert await replicas.load_of(0, fresh=True) == 2
    assert await replicas.load_of(0) == 2
    assert await replicas.load_of(1) == 1, "its copy may be used for memory_ttl_s"
    replicas.clock.advance(MEMORY_TTL_S)
    assert await replicas.load_of(1) == 2


async def test_an_older_load_does_not_replace_a_fresh_result() -> None:
    replicas = Replicas()
    replicas.load_s = 3
    slow = replicas.start(0)
    await settle()
    replicas.load_s = 0
    assert await replicas.load_of(1, fresh=True) == 1
    await replicas.pass_time(3.5)
    assert answer_to(slow).body["data"]["load"] == 2, "its caller gets what was loaded for it"
    replicas.clock.advance(MEMORY_TTL_S)
    assert [await replicas.load_of(0), await replicas.load_of(1)] == [1, 1]


async def test_replicas_share_one_load_of_fifty_callers() -> None:
    replicas = Replicas()
    replicas.load_s = 1
    calls = [replicas.start(number % 2) for number in range(50)]
    await replicas.pass_time(1.5)
    assert {answer_to(call).body["data"]["load"] for call in calls} == {1}
    assert len(replicas.loaded_at) == 1


async def test_a_load_needs_two_round_trips_and_a_copy_one() -> None:
    replicas = Replicas()
    await replicas.call(0)
    assert replicas.redis.commands == {"find": 1, "store": 1}
    await replicas.call(1)
    assert replicas.redis.commands == {"find": 2, "store": 1}


async def test_a_result_stored_between_two_commands_of_another_replica_is_not_loaded_again() -> None:
    replicas = Replicas()
    await replicas.call(0)
    stored = dict(replicas.redis.values)
    ((key, (_, expires_at)),) = stored.items()
    replicas.redis.values = {key: (b"damaged", expires_at)}
    replicas.redis.before["set"] = lambda: replicas.redis.values.update(stored)
    assert await replicas.load_of(1) == 1
    assert replicas.redis.values == stored, "no lease is left"


async def test_a_replica_that_waits_looks_less_and_less_often() -> None:
    replicas = Replicas()
    replicas.load_s = 1.9
    calls = [replicas.start(0), replicas.start(1)]
    await replicas.pass_time(2, step_s=0.002)
    assert {answer_to(call).body["data"]["load"] for call in calls} == {1}
    assert 10 < replicas.redis.commands["find"] < 40, "a look every 2 ms would be a thousand"


async def test_a_replica_waits_half_of_its_time_for_another_one_and_then_loads_itself() -> None:
    replicas = Replicas()
    replicas.load_s = 3600
    holder = replicas.start(0)
    await settle()
    replicas.load_s = 1
    waiter = replicas.start(1)
    await replicas.pass_time(TIMEOUT_S * 0.5 - 0.2)
    assert not waiter.done()
    await replicas.pass_time(1.5)
    assert not answer_to(waiter).is_error
    await replicas.pass_time(TIMEOUT_S)
    assert answer_to(holder).code == "TIMEOUT"
    assert await replicas.load_of(0) == 1


async def test_a_failed_load_is_not_shared_and_frees_the_others() -> None:
    replicas = Replicas()
    replicas.load_s, replicas.error = 1, RuntimeError("rain")
    failing = replicas.start(0)
    await settle()
    waiting = replicas.start(1)
    await replicas.pass_time(1.01)
    replicas.error = None
    assert answer_to(failing).code == "INTERNAL_ERROR"
    await replicas.pass_time(1.5)
    assert answer_to(waiting).body["data"]["load"] == 1


async def test_an_abandoned_load_frees_the_others() -> None:
    replicas = Replicas()
    replicas.load_s = 3600
    abandoned = replicas.start(0)
    await settle()
    abandoned.cancel()
    await settle()
    replicas.load_s = 0
    assert await replicas.load_of(1) == 1
    assert abandoned.cancelled()


async def test_older_versions_share_the_results_of_the_newest() -> None:
    replicas = Replicas()
    await replicas.call(0)
    older = await replicas._pipelines[1].call("forecast", {"city": "Riga"}, version="1.0.0")
    assert (older.body["data"]["load"], older.body["_metadata"]["cached"]) == (1, True)


async def test_different_arguments_have_different_results() -> None:
    replicas = Replicas()
    assert [await replicas.load_of(number % 2, place) for number, place in enumerate(["a", "b", "a", "b"])] == [
        1,
        2,
        1,
        2,
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: value[:-1],
        lambda value: value[:20] + bytes([value[20] ^ 1]) + value[21:],
        lambda value: b"1" + value[1:],
        lambda _value: b"",
        lambda _value: b'{"load":7,"text":"made up"}',
    ],
)
async def test_a_damaged_or_foreign_entry_is_loaded_again(damage: Callable[[bytes], bytes]) -> None:
    replicas = Replicas()
    await replicas.call(0)
    ((key, (value, expires_at)),) = replicas.redis.values.items()
    replicas.redis.values[key] = damage(value), expires_at
    assert await replicas.load_of(1) == 2
    replicas.clock.advance(MEMORY_TTL_S)
    assert await replicas.load_of(0) == 2


async def test_an_entry_of_another_call_is_loaded_again() -> None:
    replicas = Replicas()
    await replicas.call(0, "a")
    await replicas.call(0, "b")
    (one, first), (other, _) = replicas.redis.values.items()
    replicas.redis.values[other] = first
    assert await replicas.load_of(1, "b") == 3
    assert one != other


async def test_no_caller_waits_for_a_redis_that_is_away_until_a_second_has_passed() -> None:
    replicas = Replicas()
    replicas.redis.error = RedisError("no connection")
    for number in range(10):
        assert not (await replicas.call(0, f"place {number}")).is_error
    assert replicas.redis.commands.total() == 1
    replicas.redis.error = None
    replicas.clock.advance(PAUSE_S)
    assert await replicas.load_of(0, "shared") == await replicas.load_of(1, "shared")


async def test_a_silent_redis_leaves_a_call_most_of_its_time_and_delays_no_other() -> None:
    replicas = Replicas()
    replicas.redis.is_silent = True
    replicas.load_s = TIMEOUT_S * 0.7
    first = replicas.start(0)
    await replicas.pass_time(TIMEOUT_S * 0.99)
    assert not answer_to(first).is_error
    replicas.load_s = 0
    replicas.clock.advance(PAUSE_S)
    probing = replicas.start(0, "one")
    await settle()
    assert not probing.done(), "it tries Redis again"
    other = replicas.start(0, "other")
    await settle()
    assert answer_to(other).body["data"]["load"] == 2
    await replicas.pass_time(TIMEOUT_S * 0.3)
    assert not answer_to(probing).is_error


async def test_without_redis_a_replica_answers_from_its_own_results_as_long_as_from_copies() -> None:
    replicas = Replicas()
    replicas.redis.error = RedisError("no connection")
    assert metadata(await replicas.call(0)) == (False, None)
    replicas.clock.advance(MEMORY_TTL_S - 1)
    assert metadata(await replicas.call(0)) == (True, 1)
    assert await replicas.load_of(1) == 2
    replicas.clock.advance(1)
    assert await replicas.load_of(0) == 3


async def test_a_full_redis_still_answers_what_it_has() -> None:
    replicas = Replicas()
    await replicas.call(0)
    replicas.redis.write_error = RedisError("OOM", failure="full")
    with capture_logs() as lines:
        for number in range(5):
            await replicas.call(0, f"place {number}")
            replicas.clock.advance(PAUSE_S)
            assert await replicas.load_of(1) == 1
        replicas.redis.write_error = None
        await replicas.call(0, "another")
    changes = [line.getMessage() for line in lines if "shared store" in line.getMessage()]
    assert changes == [
        "the shared store state is read_only, and this process goes on without it: OOM",
        "the shared store state is available again",
    ]


async def test_a_result_too_large_for_the_store_is_cached_in_memory_alone() -> None:
    replicas = Replicas()
    assert [await replicas.load_of(replica, "Large") for replica in (0, 1, 0)] == [1, 2, 1]
    assert not replicas.redis.values, "not even a lease is left"


async def test_each_level_counts_its_hits_and_misses_and_shows_its_time() -> None:
    replicas = Replicas()
    await replicas.call(0)
    await replicas.call(0)
    await replicas.call(1)
    await replicas.call(1, fresh=True)
    counts = {
        (replica, level): (
            replicas.count(replica, "mcp_cache_hits_total", level),
            replicas.count(replica, "mcp_cache_misses_total", level),
        )
        for replica in (0, 1)
        for level in ("memory", "shared")
    }
    assert counts == {(0, "memory"): (1, 1), (0, "shared"): (0, 1), (1, "memory"): (0, 2), (1, "shared"): (1, 1)}
    assert replicas.count(0, "mcp_cache_ttl_seconds", "memory") == MEMORY_TTL_S
    assert replicas.count(0, "mcp_cache_ttl_seconds", "shared") == TTL_S


async def test_the_state_of_the_store_is_a_metric() -> None:
    replicas = Replicas()
    replicas.redis.error = RedisError("no connection")
    await replicas.call(0)

    def value(series: str, **labels: str) -> float | None:
        return replicas.metrics[0].registry.get_sample_value(series, {"source": "state"} | labels)

    states = {
        state: value("mcp_shared_store_state", state=state) for state in ("available", "read_only", "unavailable")
    }
    assert states == {"available": 0, "read_only": 0, "unavailable": 1}
    assert value("mcp_shared_store_failures_total") == 1


Step = tuple[str, int, str, float]
steps = st.lists(
    st.tuples(
        st.sampled_from(["call", "call", "call", "fresh", "freeze", "thaw", "away", "back", "full", "empty", "slow"]),
        st.integers(0, 1),
        st.sampled_from(["Riga", "Today"]),
        st.sampled_from([0, 0.3, 1, 2.5, 4.9, 9, 30]),
    ),
    max_size=25,
)


def disturb(redis: ModelRedis, fault: str, seconds: float) -> None:
    """Do what *fault* says to Redis, or end what an earlier one did."""
    if fault == "freeze":
        redis.freeze()
    elif fault == "thaw":
        redis.thaw()
    elif fault == "empty":
        redis.values.clear()
    redis.latency_s = seconds / 100 if fault == "slow" else 0
    redis.error = RedisError("no connection") if fault == "away" else None
    redis.write_error = RedisError("OOM", failure="full") if fault == "full" else None


async def assert_young(replicas: Replicas, call: Awaitable[Answer], place: str) -> None:
    """Compare the time of an answer with the end of its load."""
    answer = await call
    if answer.is_error:
        assert answer.code == "TIMEOUT"
        return
    ttl_s = PROVISIONAL_TTL_S if place == "Today" else TTL_S
    age_s = replicas.clock.monotonic() - replicas.loaded_at[answer.body["data"]["load"] - 1]
    cached, remaining_s = metadata(answer)
    assert age_s < ttl_s if cached else age_s <= TIMEOUT_S
    assert remaining_s is None or remaining_s <= math.ceil(ttl_s - age_s + 1e-6)


async def assert_no_answer_is_too_old(taken: list[Step]) -> None:
    """Take the steps; calls may still run while the next ones begin."""
    replicas = Replicas()
    checks = []
    for action, replica, place, seconds in taken:
        if action in {"call", "fresh"}:
            replicas.load_s = min(seconds, 3)
            call = replicas.call(replica, place, fresh=action == "fresh")
            checks.append(asyncio.create_task(assert_young(replicas, call, place)))
        else:
            disturb(replicas.redis, action, seconds)
        await replicas.pass_time(seconds, step_s=max(0.25, seconds / 8))
    await replicas.pass_time(2 * TIMEOUT_S, step_s=0.5)
    assert all(check.done() for check in checks)
    await asyncio.gather(*checks)


@given(steps)
def test_no_answer_is_ever_older_than_its_time_to_live(taken: list[Step]) -> None:
    asyncio.run(assert_no_answer_is_too_old(taken))
