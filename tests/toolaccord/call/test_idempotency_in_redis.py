"""Repeated calls whose keys are in Redis, on a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.demo.mail import Postman
from tests.toolaccord.generated.demo.mail.server import server
from tests.toolaccord.process import PATIENCE_S
from toolaccord.call.pipeline import Pipeline
from toolaccord.contract.policies import TaskPolicy
from toolaccord.errors import SourceError
from toolaccord.sources.redis import Redis, RedisError, RedisSource, Script, idempotency
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import FakeSource, ManualClock, capture_logs, pipeline
from toolaccord.timing.clock import Clock, SystemClock

KEYED = {"idempotency_key": "order:1"}


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
async def redis(valkey: Valkey) -> AsyncIterator[Redis]:
    valkey.command("FLUSHALL")
    async with opened(valkey) as source:
        yield source


@pytest.fixture
async def replica(valkey: Valkey) -> AsyncIterator[Redis]:
    """The same Redis, through the pool of another process."""
    async with opened(valkey) as source:
        yield source


@asynccontextmanager
async def opened(valkey: Valkey, timeout_s: float = 10) -> AsyncIterator[Redis]:
    (declared,) = server(Postman()).sources
    limits = replace(cast("RedisSource", declared), timeout_s=timeout_s, connection_timeout_s=timeout_s)
    source = limits.open({"redis_url": valkey.url}, SystemClock())
    try:
        yield source
    finally:
        await source.close()


class Hooked(FakeSource):
    """A Redis that runs *hook* in the place of each script.

    The hook gets the number of the script, from 0, and a function that runs it.
    """

    def __init__(self, redis: Redis, hook: Callable[[int, Callable[[], Awaitable[Any]]], Awaitable[Any]]) -> None:
        super().__init__("redis")
        self._redis = redis
        self._hook = hook
        self.scripts = 0
        """Number of scripts so far."""

    async def run_script(self, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        self.scripts += 1
        return await self._hook(self.scripts - 1, lambda: self._redis.run_script(script, keys, arguments))


def serving(redis: Any, postman: Postman | None = None, clock: Clock | None = None) -> Pipeline:
    return pipeline(server(postman or Postman()), sources={"state": redis}, clock=clock or SystemClock())


def gated() -> tuple[Postman, asyncio.Event]:
    """Return handlers that wait for an event after they have sent a letter, and the event."""
    gate = asyncio.Event()

    async def wait(_key: str, _letter: str) -> None:
        await gate.wait()

    return Postman(wait), gate


def stored(valkey: Valkey) -> list[bytes]:
    """Return the values of all keys."""
    return [valkey.command("GET", name) for name in sorted(valkey.command("KEYS", "*"))]


def ttl_ms(valkey: Valkey) -> int:
    """Return the milliseconds for which the only key will live."""
    (name,) = valkey.command("KEYS", "*")
    left: int = valkey.command("PTTL", name)
    return left


# --- repeated -----------------------------------------------------------------------------------------------------------


async def test_a_repeated_call_acts_once_and_gets_the_same_bytes(redis: Redis, replica: Redis) -> None:
    postman = Postman()
    first = await serving(redis, postman).call("send", {"text": "naïve ☃", "weight": 0.1}, KEYED)
    again = await serving(replica, postman).call("send", {"weight": 0.1, "text": "naïve ☃"}, KEYED)
    assert first.json == again.json
    assert first.body["weight"] == 0.1
    assert postman.texts == ["naïve ☃"]


async def test_a_replay_has_a_field_in_the_log_and_a_series_that_starts_at_zero(redis: Redis) -> None:
    declared = server(Postman())
    metrics = Metrics(declared, {})
    serving = pipeline(declared, sources={"state": redis}, clock=SystemClock(), metrics=metrics)

    def replays() -> float | None:
        return metrics.registry.get_sample_value("mcp_replayed_calls_total", {"tool": "send"})

    with capture_logs() as logs:
        answers = [await serving.call("send", {"text": "a"}, KEYED) for _ in range(2)]
        assert replays() == 1
        answers.append(await serving.call("send", {"text": "b"}, KEYED))
    assert [answer.is_replayed for answer in answers] == [False, True, False]
    assert answers[0].json == answers[1].json
    fields = [record.__dict__["fields"] for record in logs if record.message == "call"]
    assert [each.get("replayed") for each in fields] == [None, True, None]
    assert replays() == 1
    assert Metrics(declared, {}).registry.get_sample_value("mcp_replayed_calls_total", {"tool": "send"}) == 0


async def test_a_key_in_the_request_takes_the_place_of_the_derived_one(redis: Redis) -> None:
    postman = Postman()
    server = serving(redis, postman, ManualClock())
    answers = [await server.call("send", {"text": "a"}, meta) for meta in (KEYED, None, KEYED, {})]
    assert [answer.json for answer in answers] == [answers[0].json, answers[1].json] * 2
    assert postman.texts == ["a", "a"]
    assert postman.keys[0] == "order:1"


async def test_keys_of_other_callers_and_other_tools_are_different_keys(redis: Redis) -> None:
    postman = Postman()
    server = serving(redis, postman)
    for caller in ("alice", "bob", "", "half \ud800"):
        for meta in (KEYED, None):
            assert (await server.call("send", {"text": "a"}, meta, caller=caller)).code is None
    assert (await server.call("post", {"text": "a"}, KEYED, caller="alice")).code is None
    assert len(postman.texts) == 9
    assert len(set(postman.keys)) == 5, "the key of the requests, and a derived one for each caller"


async def test_a_key_belongs_to_the_proven_identity_whatever_name_its_caller_gives(redis: Redis) -> None:
    postman = Postman()
    server = serving(redis, postman)
    for meta in (KEYED, None):
        for identity, caller in (("a", "alice"), ("b", "alice"), ("", "alice"), ("", "proven a"), ("a", "bob")):
            call = server.receive("send", {"text": "a"}, meta, caller=caller, identity=identity)
            assert (await server.answer(call)).code is None
    assert len(postman.texts) == 8, "only the last call of five repeats one"


async def test_redis_holds_no_text_of_the_arguments_in_its_keys(redis: Redis, valkey: Valkey) -> None:
    await serving(redis).call("send", {"text": "confidential"}, {"idempotency_key": "my-key"}, caller="alice")
    (name,) = valkey.command("KEYS", "*")
    assert name.startswith(b"toolaccord:idempotency:mail-mcp:send:")
    assert not any(text in name for text in (b"confidential", b"my-key", b"alice"))


async def test_a_tool_that_only_derives_keys_ignores_those_of_the_request(redis: Redis) -> None:
    postman = Postman()
    server = serving(redis, postman, ManualClock())
    answers = {(await server.call("remind", {}, {"idempotency_key": key})).json for key in ("a", "b", "white space")}
    assert len(answers) == 1
    assert postman.texts == ["reminder"]


async def test_without_a_key_every_call_of_a_tool_that_derives_none_acts(redis: Redis, valkey: Valkey) -> None:
    postman = Postman()
    server = serving(redis, postman)
    assert [(await server.call("post", {"text": "a"})).code for _ in range(2)] == [None, None]
    assert (postman.texts, stored(valkey)) == (["a", "a"], [])


# --- derived ----------------------------------------------------------------------------------------------------------


async def test_a_derived_key_is_that_of_equal_arguments_in_one_span_of_the_window(redis: Redis) -> None:
    postman, clock = Postman(), ManualClock()
    server = serving(redis, postman, clock)
    for arguments in (
        {"text": "a"},
        {"text": "a", "weight": 1},
        {"weight": 1.0, "text": "a"},
        {"text": "a", "weight": None},
        {"text": "b"},
    ):
        assert (await server.call("send", arguments)).code is None
    assert postman.texts == ["a", "b"]
    clock.advance(59.9)
    assert (await server.call("send", {"text": "a"})).code is None
    assert postman.texts == ["a", "b"]
    clock.advance(0.1)
    assert (await server.call("send", {"text": "a"})).code is None
    assert postman.texts == ["a", "b", "a"]
    assert all(len(key) == 64 for key in postman.keys)


async def test_the_handler_gets_the_same_derived_key_in_every_process(
    redis: Redis, replica: Redis, valkey: Valkey
) -> None:
    first, second, clock = Postman(), Postman(), ManualClock()
    assert (await serving(redis, first, clock).call("send", {"text": "a"}, caller="alice")).code is None
    valkey.command("FLUSHALL")
    assert (await serving(replica, second, clock).call("send", {"text": "a"}, caller="alice")).code is None
    assert first.keys == second.keys != [""]


# --- at the same time ------------------------------------------------------------------------------------------------


async def test_fifty_concurrent_calls_on_two_servers_act_once(redis: Redis, replica: Redis) -> None:
    postman, gate = gated()
    servers = [serving(redis, postman), serving(replica, postman)]
    calls = [asyncio.create_task(servers[turn % 2].call("send", {"text": "a"}, KEYED)) for turn in range(50)]
    await postman.arrived.wait()
    gate.set()
    answers = {answer.json for answer in await asyncio.gather(*calls)}
    assert len(answers) == 1
    assert postman.texts == ["a"]


async def test_the_second_of_two_concurrent_calls_acts_if_the_first_fails(redis: Redis, replica: Redis) -> None:
    gate, second = asyncio.Event(), Postman()

    async def fail(_key: str, _letter: str) -> None:
        await gate.wait()
        raise SourceError("the post office is closed")

    async def look(_number: int, run: Callable[[], Awaitable[Any]]) -> Any:
        found = await run()
        gate.set()  # the first call has the key
        return found

    first = Postman(fail)
    failing = asyncio.create_task(serving(redis, first).call("send", {"text": "a"}, KEYED))
    await first.arrived.wait()
    waiting = await serving(Hooked(replica, look), second).call("send", {"text": "a"}, KEYED)
    assert (await failing).code == "MCP-003"
    assert waiting.code is None
    assert (first.texts, second.texts) == (["a"], ["a"])


async def test_a_waiting_call_looks_at_growing_intervals_until_its_deadline(redis: Redis, replica: Redis) -> None:
    first, gate = gated()
    running = asyncio.create_task(serving(redis, first).call("send", {"text": "a"}, KEYED))
    await first.arrived.wait()
    clock, second, found = PausingClock(), Postman(), asyncio.Semaphore(0)

    async def count(_number: int, run: Callable[[], Awaitable[Any]]) -> Any:
        answer = await run()
        found.release()
        return answer

    waiting = asyncio.create_task(serving(Hooked(replica, count), second, clock).call("send", {"text": "a"}, KEYED))
    for _ in range(8):
        await found.acquire()
        clock.advance(await clock.pauses.get())
    assert clock.waited == [0.005, 0.01, 0.02, 0.04, 0.08, 0.1, 0.1, 0.1]
    clock.advance(20)
    assert (await waiting).code == "MCP-004"
    gate.set()
    assert (await running).code is None
    assert second.texts == []


class PausingClock(ManualClock):
    """A clock that lists the pauses of the code under test; deadlines are longer."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: asyncio.Queue[float] = asyncio.Queue()
        self.waited: list[float] = []

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Any:
        timer = super().call_later(seconds, callback)
        if seconds < 1:
            self.waited.append(seconds)
            self.pauses.put_nowait(seconds)
        return timer


LONG_TASKS = TaskPolicy(mode="optional", timeout_s=600, redeliver_after_s=5)


@pytest.mark.parametrize("changes", [{"asks": ("sure",)}, {"task": LONG_TASKS}], ids=["a person", "a long task"])
async def test_a_key_lives_as_long_as_a_call_that_may_outlive_its_deadline(
    redis: Redis, valkey: Valkey, changes: dict[str, Any]
) -> None:
    (postman, gate), clock = gated(), ManualClock()
    declared = server(postman)
    lasting = replace(declared, tools=tuple(replace(tool, **changes) for tool in declared.tools))
    calls = pipeline(lasting, sources={"state": redis}, clock=clock)
    running = asyncio.create_task(calls.call("send", {"text": "a"}, KEYED))
    await postman.arrived.wait()
    assert ttl_ms(valkey) <= 21_000  # so soon another worker may have the key of one that died
    valkey.command("PEXPIRE", *valkey.command("KEYS", "*"), 15_000)
    clock.advance(7)
    async with asyncio.timeout(PATIENCE_S):
        while ttl_ms(valkey) <= 15_000:
            await redis.get("another")
    gate.set()
    assert (await running).code is None
    assert stored(valkey)[0].startswith(b"result ")


# --- ended without an answer ------------------------------------------------------------------------------------------


async def test_an_abandoned_call_leaves_its_key_until_its_deadline_and_a_second(redis: Redis, valkey: Valkey) -> None:
    postman, _gate = gated()
    call = asyncio.create_task(serving(redis, postman).call("send", {"text": "a"}, KEYED))
    await postman.arrived.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert 0 < ttl_ms(valkey) <= 21_000
    await expire(redis, valkey)
    second = Postman()
    assert (await serving(redis, second).call("send", {"text": "a"}, KEYED)).code is None
    assert second.texts == ["a"]


async def test_a_call_past_its_deadline_leaves_its_key_too(redis: Redis, valkey: Valkey) -> None:
    clock = ManualClock()
    postman, _gate = gated()
    call = asyncio.create_task(serving(redis, postman, clock).call("send", {"text": "a"}, KEYED))
    await postman.arrived.wait()
    clock.advance(20)
    assert (await call).code == "MCP-004"
    assert 0 < ttl_ms(valkey) <= 21_000


async def test_a_late_result_is_stored_if_nobody_took_the_key_over(redis: Redis, valkey: Valkey) -> None:
    postman, gate = gated()
    call = asyncio.create_task(serving(redis, postman).call("send", {"text": "a"}, KEYED))
    await postman.arrived.wait()
    await expire(redis, valkey)
    gate.set()
    first, again = await call, await serving(redis, postman).call("send", {"text": "a"}, KEYED)
    assert first.json == again.json
    assert postman.texts == ["a"]


async def test_a_late_call_answers_with_the_stored_result_of_the_one_that_took_its_key_over(
    redis: Redis, valkey: Valkey
) -> None:
    slow, gate = gated()
    late = asyncio.create_task(serving(redis, slow).call("send", {"text": "a"}, KEYED))
    await slow.arrived.wait()
    await expire(redis, valkey)
    first = await serving(redis).call("send", {"text": "a"}, KEYED)
    (value,) = stored(valkey)
    gate.set()
    assert (await late).json == first.json
    assert stored(valkey) == [value]


async def test_a_late_call_fails_if_the_key_has_the_result_of_other_arguments(redis: Redis, valkey: Valkey) -> None:
    slow, gate = gated()
    late = asyncio.create_task(serving(redis, slow).call("send", {"text": "a"}, KEYED))
    await slow.arrived.wait()
    await expire(redis, valkey)
    await serving(redis).call("send", {"text": "b"}, KEYED)
    value = stored(valkey)
    gate.set()
    assert (await late).code == "MCP-003"
    assert stored(valkey) == value


@pytest.mark.parametrize("text", ["a", "b"])
async def test_a_late_call_fails_while_the_one_that_took_its_key_over_runs(
    redis: Redis, valkey: Valkey, text: str
) -> None:
    """A conflict would tell its caller that nothing happened, although its letter was sent."""
    slow, gate = gated()
    late = asyncio.create_task(serving(redis, slow).call("send", {"text": "a"}, KEYED))
    await slow.arrived.wait()
    await expire(redis, valkey)
    quick, second_gate = gated()
    second = asyncio.create_task(serving(redis, quick).call("send", {"text": text}, KEYED))
    await quick.arrived.wait()
    marker = stored(valkey)
    gate.set()
    assert (await late).code == "MCP-003"
    assert stored(valkey) == marker
    second_gate.set()
    first = await second
    assert first.json == (await serving(redis).call("send", {"text": text}, KEYED)).json
    assert quick.texts == [text]


async def test_a_late_call_that_fails_does_not_free_the_key_of_the_one_that_took_it_over(
    redis: Redis, valkey: Valkey
) -> None:
    slow, gate = gated()
    late = asyncio.create_task(serving(redis, slow).call("send", {"text": "bounce"}, KEYED))
    await slow.arrived.wait()
    await expire(redis, valkey)
    first = await serving(redis).call("send", {"text": "a"}, KEYED)
    gate.set()
    assert (await late).code == "BOUNCED"
    assert (await serving(redis).call("send", {"text": "a"}, KEYED)).json == first.json


async def expire(redis: Redis, valkey: Valkey) -> None:
    """Delete the only key, as its expiry would."""
    (name,) = valkey.command("KEYS", "*")
    await redis.delete(name.decode())


# --- rejected ---------------------------------------------------------------------------------------------------------


async def test_other_arguments_under_the_same_key_are_a_conflict(redis: Redis) -> None:
    postman, gate = gated()
    server = serving(redis, postman)
    first = asyncio.create_task(server.call("send", {"text": "a"}, KEYED))
    await postman.arrived.wait()
    running = await server.call("send", {"text": "b"}, KEYED)
    gate.set()
    assert (await first).code is None
    finished = await server.call("send", {"text": "b"}, KEYED)
    for answer in (running, finished):
        assert (answer.code, answer.http) == ("MCP-005", 409)
        assert answer.body["error"]["details"] == {"idempotency_key": "order:1"}
    assert postman.texts == ["a"]


async def test_an_error_frees_the_key(redis: Redis, valkey: Valkey) -> None:
    server = serving(redis)
    assert (await server.call("send", {"text": "bounce"}, KEYED)).code == "BOUNCED"
    assert stored(valkey) == []
    assert (await server.call("send", {"text": "b"}, KEYED)).code is None


async def test_a_malformed_key_is_a_violation_and_nothing_is_done(redis: Redis, valkey: Valkey) -> None:
    postman = Postman()
    answer = await serving(redis, postman).call("send", {"text": "a"}, {"idempotency_key": "white space"})
    assert (answer.code, answer.http) == ("MCP-001", 400)
    assert (postman.texts, stored(valkey)) == ([], [])


async def test_a_result_is_remembered_for_the_window(redis: Redis, valkey: Valkey) -> None:
    await serving(redis).call("send", {"text": "a"}, KEYED)
    assert 21_000 < ttl_ms(valkey) <= 60_000
    await expire(redis, valkey)
    assert (await serving(redis).call("send", {"text": "b"}, KEYED)).code is None


# --- faults of Redis --------------------------------------------------------------------------------------------------


async def test_nothing_is_done_while_redis_is_stopped_and_the_next_call_works(valkey: Valkey, redis: Redis) -> None:
    postman = Postman()
    server = serving(redis, postman)
    with valkey.stopped():
        for meta in (KEYED, None):
            assert (await server.call("send", {"text": "a"}, meta)).code == "MCP-003"
    assert postman.texts == []
    assert (await server.call("send", {"text": "a"}, KEYED)).code is None


async def test_nothing_is_done_while_redis_does_not_answer(valkey: Valkey) -> None:
    postman = Postman()
    async with opened(valkey, timeout_s=0.02) as redis:
        with valkey.frozen():
            assert (await serving(redis, postman).call("send", {"text": "a"}, KEYED)).code == "MCP-003"
    assert postman.texts == []


async def test_a_full_redis_still_replays_results_and_nothing_new_is_done(valkey: Valkey, redis: Redis) -> None:
    postman = Postman()
    server = serving(redis, postman)
    first = await server.call("send", {"text": "a"}, KEYED)
    with valkey.full():
        assert (await server.call("send", {"text": "a"}, KEYED)).json == first.json
        assert (await server.call("send", {"text": "a"}, {"idempotency_key": "new"})).code == "MCP-003"
    assert postman.texts == ["a"]


@pytest.mark.parametrize("fault", [Valkey.stopped, Valkey.full])
async def test_a_result_that_cannot_be_stored_is_not_acknowledged(
    valkey: Valkey, redis: Redis, fault: Callable[[Valkey], Any]
) -> None:
    postman, gate = gated()
    call = asyncio.create_task(serving(redis, postman).call("send", {"text": "a"}, KEYED))
    await postman.arrived.wait()
    with fault(valkey):
        gate.set()
        assert (await call).code == "MCP-003"
    assert not [value for value in stored(valkey) if value.startswith(b"result")]


async def test_a_lost_answer_to_the_storing_is_not_acknowledged_and_the_next_call_gets_the_stored_result(
    redis: Redis,
) -> None:
    async def lose(number: int, run: Callable[[], Awaitable[Any]]) -> Any:
        found = await run()
        if number == 1:
            raise RedisError("no answer", failure="timeout")
        return found

    postman = Postman()
    assert (await serving(Hooked(redis, lose), postman).call("send", {"text": "a"}, KEYED)).code == "MCP-003"
    assert (await serving(redis, postman).call("send", {"text": "a"}, KEYED)).code is None
    assert postman.texts == ["a"]


async def test_repeating_a_command_after_a_lost_answer_changes_nothing(redis: Redis, valkey: Valkey) -> None:
    async def twice(_number: int, run: Callable[[], Awaitable[Any]]) -> Any:
        await run()
        return await run()

    postman = Postman()
    doubled = serving(Hooked(redis, twice), postman)
    assert (await doubled.call("send", {"text": "bounce"}, KEYED)).code == "BOUNCED"
    assert stored(valkey) == []
    first = await doubled.call("send", {"text": "a"}, KEYED)
    assert first.code is None
    assert (await doubled.call("send", {"text": "a"}, KEYED)).json == first.json
    assert postman.texts == ["bounce", "a"]


async def test_an_error_is_answered_even_if_the_key_cannot_be_released(redis: Redis, valkey: Valkey) -> None:
    async def lose(number: int, run: Callable[[], Awaitable[Any]]) -> Any:
        if number:
            raise RedisError("no answer", failure="timeout")
        return await run()

    with capture_logs() as records:
        answer = await serving(Hooked(redis, lose)).call("send", {"text": "bounce"}, KEYED)
    assert answer.code == "BOUNCED"
    assert any("could not release its idempotency key" in record.getMessage() for record in records)
    assert 0 < ttl_ms(valkey) <= 21_000


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "foreign": lambda _value: b"not ours",
    "empty": lambda _value: b"",
    "no result": lambda value: value[: value.index(b"{")],
    "a cut result": lambda value: value[:-1],
    "another result": lambda value: value[: value.index(b"{")] + b"{}",
    "another digest": lambda value: value[:75] + (b"0" if value[75:76] != b"0" else b"1") + value[76:],
    "no digest": lambda value: b" ".join([*value.split(b" ", 3)[:2], b"{}"]),
    "another state": lambda value: value.replace(b"result", b"failed", 1),
    "no fingerprint": lambda _value: b"result",
    "bytes that are no text": lambda _value: b"result \xff\xfe {}",
    "a marker without its token": lambda value: b"running " + value.split()[1],
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
async def test_a_damaged_value_is_never_sent_and_nothing_is_done_and_the_log_names_the_key(
    redis: Redis, valkey: Valkey, damage: Callable[[bytes], bytes]
) -> None:
    postman = Postman()
    await serving(redis, postman).call("send", {"text": "a"}, KEYED)
    (name,) = valkey.command("KEYS", "*")
    await redis.set(name.decode(), damage(valkey.command("GET", name)))
    with capture_logs() as records:
        answer = await serving(redis, postman).call("send", {"text": "a"}, KEYED)
    assert (answer.code, answer.body["error"]["details"]) == ("MCP-003", {"service": "redis"})
    assert postman.texts == ["a"]
    assert any(f"{name.decode()} has a damaged value" in str(vars(record)) for record in records)
    assert not any(record.exc_info for record in records)


async def test_a_result_copied_from_another_key_is_never_sent(redis: Redis, valkey: Valkey) -> None:
    postman = Postman()
    server = serving(redis, postman)
    await server.call("send", {"text": "a"}, KEYED, caller="alice")
    (first,) = valkey.command("KEYS", "*")
    await server.call("send", {"text": "a"}, KEYED, caller="bob")
    (second,) = (name for name in valkey.command("KEYS", "*") if name != first)
    await redis.set(second.decode(), valkey.command("GET", first))
    answer = await server.call("send", {"text": "a"}, KEYED, caller="bob")
    assert answer.code == "MCP-003"


async def test_a_stored_result_that_the_contract_no_longer_admits_is_never_sent(redis: Redis, valkey: Valkey) -> None:
    postman = Postman()
    await serving(redis, postman).call("send", {"text": "a"}, KEYED)
    (name,) = valkey.command("KEYS", "*")
    fingerprint, result = valkey.command("GET", name).split()[1], b"{}"
    digest = idempotency._digest(name.decode(), result)
    await redis.set(name.decode(), b"result %s %s %s" % (fingerprint, digest, result))
    answer = await serving(redis, postman).call("send", {"text": "a"}, KEYED)
    assert (answer.code, answer.body["error"]["details"]) == ("MCP-009", {})
    assert postman.texts == ["a"]


# --- older versions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meta", [KEYED, None])
async def test_a_call_repeated_in_an_older_version_acts_once(redis: Redis, meta: Any) -> None:
    postman = Postman()
    server = serving(redis, postman, ManualClock())
    older = [await server.call("send", {"words": "a"}, meta, version="0.9.0") for _ in range(2)]
    newest = await server.call("send", {"text": "a"}, meta)
    assert older[0].json == older[1].json
    assert older[0].body["id"] == newest.body["letter"]
    assert postman.texts == ["a"]
