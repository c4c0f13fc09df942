"""Redis source against a real server that is stopped, frozen, filled and restarted."""

import asyncio
import logging
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.services.certificate import write_certificate
from tests.services.valkey import PERSISTENT, Valkey
from toolaccord.sources import Pooled, PoolState
from toolaccord.sources.redis import Redis, RedisError, RedisSource, Script, Value
from toolaccord.sources.redis.publication import publish_once
from toolaccord.testing import capture_logs
from toolaccord.testing.faults import Relay
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import SystemClock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

DECLARED = RedisSource(name="state", url="url", max_connections=2, connection_timeout_s=20, timeout_s=20)
IMPATIENT = replace(DECLARED, connection_timeout_s=1, timeout_s=1)
"""For faults in which somebody waits to the end of a timeout."""
COUNT = Script("return redis.call('INCR', KEYS[1])")
PUT = Script("redis.call('SET', KEYS[1], ARGV[1]); return ARGV[1]", is_idempotent=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey"), *PERSISTENT).running() as server:
        yield server


@pytest.fixture(autouse=True)
def _empty(server: Valkey) -> None:
    server.command("FLUSHALL")


def open_source(url: str, declared: RedisSource = DECLARED) -> Redis:
    return declared.open({"url": url}, SystemClock())


def url_of(port: int) -> str:
    return f"redis://127.0.0.1:{port}/0"


@pytest.fixture
async def redis(server: Valkey) -> AsyncIterator[Redis]:
    async with aclosing(_Closing(open_source(server.url))) as closing:
        yield closing.redis


@pytest.fixture
async def impatient(server: Valkey) -> AsyncIterator[Redis]:
    async with aclosing(_Closing(open_source(server.url, IMPATIENT))) as closing:
        yield closing.redis


@pytest.fixture
async def relay(server: Valkey) -> AsyncIterator[Relay]:
    async with Relay(server.port).running() as relay:
        yield relay


class _Closing:
    """Closes a source at the end of `aclosing`."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    async def aclose(self) -> None:
        await self.redis.close()


async def failure_of(redis: Redis, key: str = "any") -> str:
    """Return the kind of failure of a read."""
    with pytest.raises(RedisError) as raised:
        await redis.get(key)
    return raised.value.failure


async def test_values_are_bytes_and_come_back_as_they_were_stored(redis: Redis) -> None:
    values: list[tuple[Value, bytes]] = [
        (b"\xff\x00", b"\xff\x00"),
        ("\u00fc", "\u00fc".encode()),
        (7, b"7"),
        (b"", b""),
    ]
    for value, expected in values:
        assert await redis.set("key", value)
        assert await redis.get("key") == expected
    await redis.delete("key")
    assert await redis.get("key") is None


async def test_a_value_lives_as_long_as_its_writer_says(redis: Redis, server: Valkey) -> None:
    assert await redis.set("for ever", 1)
    assert await redis.set("an hour", 1, ttl_ms=3_600_000)
    assert server.command("PTTL", "for ever") == -1
    assert 3_500_000 < server.command("PTTL", "an hour") <= 3_600_000


async def test_a_present_value_stays_where_only_an_absent_one_may_be_stored(redis: Redis) -> None:
    assert await redis.set("key", "first", only_if_absent=True)
    assert not await redis.set("key", "second", only_if_absent=True)
    assert await redis.get("key") == b"first"


async def test_the_text_of_a_script_is_sent_only_to_a_server_that_lacks_it(redis: Redis, server: Valkey) -> None:
    script = Script("return {KEYS[1], ARGV[1], ARGV[2], 5, false}")
    server.command("CONFIG", "RESETSTAT")
    for _ in range(3):
        assert await redis.run_script(script, ["key"], [b"\xff", 7]) == [b"key", b"\xff", b"7", 5, None]
    calls = {name: server.command("INFO", "commandstats")[f"cmdstat_{name}"]["calls"] for name in ("eval", "evalsha")}
    assert calls == {"eval": 1, "evalsha": 3}
    server.command("SCRIPT", "FLUSH")
    assert await redis.run_script(script, ["key"], ["", 0]) == [b"key", b"", b"0", 5, None]


async def test_a_script_that_fails_is_rejected_and_the_next_command_works(redis: Redis) -> None:
    with pytest.raises(RedisError) as raised:
        await redis.run_script(Script("return redis.call('NO SUCH COMMAND')"), [], [])
    assert raised.value.failure == "rejected"
    assert await redis.get("key") is None


@asynccontextmanager
async def subscription(server: Valkey, channel: str) -> AsyncIterator[asyncio.StreamReader]:
    """Provide what Redis sends to a subscriber of *channel*, one message after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"SUBSCRIBE {channel}\r\n".encode())
    assert await reader.readuntil(b":1\r\n")
    yield reader
    writer.close()
    await writer.wait_closed()


async def test_a_published_payload_reaches_a_subscriber(redis: Redis, server: Valkey) -> None:
    async with subscription(server, "news") as news:
        await redis.publish("news", b"\xff")
        assert await news.readuntil(b"\xff\r\n") == b"*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\n\xff\r\n"


async def test_a_message_is_published_once_under_one_id_and_a_rejected_one_again(redis: Redis, server: Valkey) -> None:
    server.command("ACL", "SETUSER", "mute", "on", "nopass", "allkeys", "+@all", "resetchannels")
    async with (
        subscription(server, "news") as news,
        aclosing(_Closing(open_source(server.url.replace("//", "//mute:any@")))) as mute,
    ):
        with pytest.raises(RedisError, match="ACL failure"):
            await publish_once(mute.redis, "news", [b"rejected"], message_id="one", token="a", window_s=60)
        for payload, message_id in ((b"first", "one"), (b"second", "one"), (b"third", "two")):
            token = payload.decode()
            publication = await publish_once(redis, "news", [payload], message_id=message_id, token=token, window_s=60)
            assert publication == ("duplicate" if payload == b"second" else "published")
        received = await news.readuntil(b"third\r\n")
    assert [payload in received for payload in (b"rejected", b"first", b"second")] == [False, True, False]


async def test_a_final_message_replaces_a_provisional_one_of_its_id_once(redis: Redis, server: Valkey) -> None:
    outcomes = []
    async with subscription(server, "news") as news:
        for number, revision in enumerate(([], [], [b"revised"], [b"again"], [])):
            payload, token = f"message-{number}".encode(), str(number)
            for _attempt in range(2):
                publication = await publish_once(
                    redis, "news", [payload, *revision], message_id="one", token=token, window_s=60
                )
                outcomes.append(publication)
        await redis.publish("news", b"end")
        received = await news.readuntil(b"end\r\n")
    assert outcomes == [
        *["published"] * 2, *["duplicate"] * 2, *["replaced"] * 2, *["duplicate"] * 2, *["duplicate"] * 2,
    ]  # fmt: skip
    assert [received.count(each) for each in (b"message-", b"message-0", b"revised", b"again")] == [1, 1, 1, 0]


async def test_a_message_that_begins_final_is_not_replaced(redis: Redis) -> None:
    outcomes = [
        await publish_once(redis, "news", [b"x", b"y"], message_id="one", token=token, window_s=60)
        for token in ("1", "2")
    ]
    assert outcomes == ["published", "duplicate"]


async def test_a_message_whose_acknowledgement_is_lost_is_sent_again_and_published_once(
    server: Valkey, relay: Relay
) -> None:
    async with (
        subscription(server, "news") as news,
        aclosing(_Closing(open_source(url_of(relay.port), replace(DECLARED, retries=1)))) as closing,
    ):
        await publish_once(closing.redis, "news", [b"first"], message_id="one", token="a", window_s=60)
        relay.delay_s = 20
        publishing = asyncio.create_task(
            publish_once(closing.redis, "news", [b"second"], message_id="two", token="a", window_s=60)
        )
        await relay.is_delaying.wait()
        relay.delay_s = 0
        relay.reset()
        await publishing
        await closing.redis.publish("news", b"third")
        received = await news.readuntil(b"third\r\n")
    assert (received.count(b"second"), relay.connections) == (1, 2)


async def test_idle_and_used_connections_are_counted(redis: Redis) -> None:
    assert isinstance(redis, Pooled)
    assert redis.pool_state() == PoolState(idle=0, in_use=0, limit=2)
    await redis.start()
    assert redis.pool_state() == PoolState(idle=1, in_use=0, limit=2)
    call = asyncio.create_task(redis.get("key"))
    await asyncio.sleep(0)
    assert redis.pool_state() == PoolState(idle=0, in_use=1, limit=2)
    await call
    await redis.close()
    assert redis.pool_state() == PoolState(idle=0, in_use=0, limit=2)


async def test_more_callers_than_connections_are_all_served(redis: Redis) -> None:
    async def write_and_read(number: int) -> bytes | None:
        await redis.set(f"key {number}", number)
        return await redis.get(f"key {number}")

    assert await asyncio.gather(*map(write_and_read, range(200))) == [b"%d" % number for number in range(200)]


async def test_a_stopped_server_is_unreachable_and_a_started_one_answers(redis: Redis, server: Valkey) -> None:
    await redis.start()
    with server.stopped():
        assert [await failure_of(redis) for _ in range(4)] == ["unreachable"] * 4
        with pytest.raises(RedisError):
            await redis.check()
    assert await redis.get("key") is None


async def test_a_frozen_server_is_a_timeout_and_a_thawed_one_answers(impatient: Redis, server: Valkey) -> None:
    await impatient.set("key", "value")
    with server.frozen():
        failures = await asyncio.gather(*(failure_of(impatient) for _ in range(4)))
    assert failures == ["timeout"] * 4
    assert await impatient.get("key") == b"value"


async def test_a_restarted_server_answers_over_new_connections(server: Valkey) -> None:
    redis = open_source(server.url, replace(DECLARED, retries=1))
    await asyncio.gather(*(redis.set(f"key {number}", number) for number in range(2)))
    server.restart()
    assert [await redis.get(f"key {number}") for number in range(2)] == [b"0", b"1"]
    await redis.close()


async def test_a_full_server_rejects_writes_and_still_answers_reads(redis: Redis, server: Valkey) -> None:
    await redis.set("key", "before")
    with server.full():
        for write in (redis.set("key", "after"), redis.run_script(PUT, ["key"], ["after"])):
            with pytest.raises(RedisError) as raised:
                await write
            assert raised.value.failure == "full"
        assert await redis.get("key") == b"before"
    assert await redis.run_script(PUT, ["key"], ["after"]) == b"after"


async def test_a_replica_is_read_only_and_its_connection_is_not_used_again(redis: Redis, server: Valkey) -> None:
    server.command("REPLICAOF", "127.0.0.1", "1")
    try:
        with pytest.raises(RedisError) as raised:
            await redis.set("key", "value")
        assert raised.value.failure == "read_only"
        assert isinstance(redis, Pooled)
        assert redis.pool_state().idle == 0
    finally:
        server.command("REPLICAOF", "NO", "ONE")
    assert await redis.set("key", "value")


async def test_a_late_answer_is_a_timeout_and_no_later_command_gets_it(relay: Relay) -> None:
    async with aclosing(_Closing(open_source(url_of(relay.port), replace(IMPATIENT, max_connections=1)))) as closing:
        redis = closing.redis
        await redis.set("late", "late")
        relay.delay_s = 1.5
        assert await failure_of(redis, "late") == "timeout"
        relay.delay_s = 0
        assert await redis.get("other") is None
        assert await redis.get("late") == b"late"


async def test_an_answer_that_waits_for_a_busy_process_is_no_timeout(server: Valkey) -> None:
    redis = open_source(server.url, replace(DECLARED, timeout_s=0.2))
    await redis.start()
    for _ in range(2):
        call = asyncio.create_task(redis.get("key"))
        await asyncio.sleep(0)
        limit = time.monotonic() + 0.25
        while time.monotonic() < limit:  # the event loop stands still, and the server answers
            server.command("PING")
        assert await call is None
    await redis.close()


async def test_an_exhausted_pool_is_a_timeout_of_those_who_wait(relay: Relay) -> None:
    declared = replace(DECLARED, max_connections=1, connection_timeout_s=1)
    async with aclosing(_Closing(open_source(url_of(relay.port), declared))) as closing:
        await closing.redis.start()
        relay.delay_s = 2
        call = asyncio.create_task(closing.redis.get("key"))
        await asyncio.sleep(0)
        with pytest.raises(RedisError, match="no connection within 1 s") as raised:
            await closing.redis.get("key")
        assert raised.value.failure == "timeout"
        assert await call is None


@pytest.mark.parametrize(
    "answer, failure, idle",
    [
        ("@user_script: 4: -OOM command not allowed when used memory > 'maxmemory'.", "full", 1),
        ("@user_script: 4: -READONLY You can't write against a read only replica.", "read_only", 0),
        ("@user_script: 4: Unknown Redis command called from Lua script", "rejected", 1),
    ],
)
async def test_a_script_that_redis_6_rejects_fails_like_its_command(answer: str, failure: str, idle: int) -> None:
    async with answering(f"-ERR Error running script (call to f_a782): @user_script:4: {answer}\r\n") as redis:
        with pytest.raises(RedisError) as raised:
            await redis.run_script(PUT, ["key"], ["value"])
        assert raised.value.failure == failure
        assert isinstance(redis, Pooled)
        assert redis.pool_state().idle == idle


async def test_the_error_of_an_unknown_command_repeats_no_arguments() -> None:
    answer = "-ERR unknown command 'EVALSHA', with args beginning with: '7d' '1' 'key' 'private' \r\n"
    async with answering(answer) as redis:
        with pytest.raises(RedisError) as raised:
            await redis.run_script(PUT, ["key"], ["private"])
    assert str(raised.value) == "ERR unknown command 'EVALSHA'"


@asynccontextmanager
async def answering(answer: str) -> AsyncIterator[Redis]:
    """Open a source whose server has one *answer*."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1024):
            writer.write(answer.encode())

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, serve)):
        redis = open_source(url_of(listener.getsockname()[1]))
        yield redis
        await redis.close()


@pytest.mark.parametrize(
    "garbage",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"$abc\r\n", b"*1\r\n" * 5000, b":\r\n", b"$3\r\nab", b"", b"\x00" * 100_000],
)
async def test_a_server_that_is_no_redis_is_a_failure_of_the_source(garbage: bytes) -> None:
    async def speak_nonsense(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(garbage)
        await writer.drain()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, speak_nonsense)):
        redis = open_source(url_of(listener.getsockname()[1]))
        assert await failure_of(redis) in ("unreachable", "invalid")
        await redis.close()


@pytest.mark.parametrize("answer", ["$536870912\r\n", "*3\r\n" + "$6000000\r\n{text}\r\n" * 2 + "$6000000\r\n"])
async def test_an_answer_above_16_mib_is_not_read_to_its_end(answer: str) -> None:
    async with answering(answer.replace("{text}", "x" * 6_000_000)) as redis:
        with pytest.raises(RedisError) as raised:
            await redis.get("key")
        assert isinstance(redis, Pooled)
        assert redis.pool_state().idle == 0
    assert raised.value.failure == "too_large"
    assert not raised.value.is_outage


async def test_a_value_of_16_mib_less_its_frame_is_read(server: Valkey) -> None:
    redis = open_source(server.url)
    value = bytes((16 << 20) - 20)
    await redis.set("key", value)
    assert await redis.get("key") == value
    await redis.close()


@pytest.mark.parametrize("is_warm", [False, True])
async def test_a_caller_cancelled_at_any_moment_loses_no_connection_and_leaves_no_answer(
    server: Valkey, *, is_warm: bool
) -> None:
    redis = open_source(server.url, replace(DECLARED, max_connections=1))
    await redis.set("other", "an answer to somebody else")
    for ticks in range(24):
        if not is_warm:
            await redis.close()
        call = asyncio.create_task(redis.get("other"))
        for _ in range(ticks):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait({call})
        assert await redis.get("mine") is None
    await redis.close()


async def test_callers_cancelled_while_they_wait_leave_the_pool_to_the_others(redis: Redis) -> None:
    for _ in range(50):
        calls = [asyncio.create_task(redis.get("key")) for _ in range(20)]
        await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        await asyncio.wait(calls)
        assert [call.cancelled() for call in calls] == [True, False] * 10
    assert isinstance(redis, Pooled)
    assert redis.pool_state().in_use == 0


class Counted:
    """A server that closes every connection at its first command, and counts the commands."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.commands = 0

    async def serve(self, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        """Read the start of a command and disconnect."""
        if await reader.read(1):
            self.commands += 1


@pytest.mark.parametrize("retries", [None, 0, 3])
async def test_only_a_command_that_may_run_twice_is_repeated_as_often_as_the_contract_says(retries: int | None) -> None:
    counted, attempts = Counted(), 1 + (retries or 0)
    async with aclosing(SocketServer(counted.listener, counted.serve)):
        calls: list[tuple[Callable[[Redis], Awaitable[object]], int]] = [
            (lambda redis: redis.get("key"), attempts),
            (lambda redis: redis.set("key", "value"), attempts),
            (lambda redis: redis.delete("key"), attempts),
            (lambda redis: redis.run_script(PUT, ["key"], ["value"]), attempts),
            (lambda redis: redis.check(), attempts),
            (lambda redis: redis.set("key", "value", only_if_absent=True), 1),
            (lambda redis: redis.run_script(COUNT, ["key"], []), 1),
            (lambda redis: redis.publish("channel", "payload"), 1),
        ]
        for call, expected in calls:
            redis = open_source(url_of(counted.listener.getsockname()[1]), replace(DECLARED, retries=retries))
            counted.commands = 0
            with pytest.raises(RedisError), capture_logs(logging.DEBUG) as logs:
                await call(redis)
            repeated = [record for record in logs if record.getMessage().startswith("repeating")]
            assert (counted.commands, len(repeated)) == (expected, expected - 1)
            await redis.close()


async def test_a_repetition_after_a_broken_connection_gives_the_answer(relay: Relay) -> None:
    redis = open_source(url_of(relay.port), replace(DECLARED, retries=1))
    await redis.set("key", "value")
    relay.delay_s = 20
    call = asyncio.create_task(redis.get("key"))
    await relay.is_delaying.wait()
    relay.delay_s = 0
    relay.reset()
    assert await call == b"value"
    await redis.close()


async def test_no_command_is_repeated_if_the_deadline_leaves_no_time_for_an_answer() -> None:
    counted = Counted()
    async with aclosing(SocketServer(counted.listener, counted.serve)):
        redis = open_source(url_of(counted.listener.getsockname()[1]), replace(DECLARED, retries=3))
        with pytest.raises(RedisError):
            await run_within(SystemClock(), DECLARED.timeout_s, redis.get("key"))
        assert counted.commands == 1
        await redis.close()


async def test_a_deadline_ends_a_command_on_a_frozen_server(redis: Redis, server: Valkey) -> None:
    await redis.start()
    with server.frozen(), pytest.raises(DeadlineExceeded):
        await run_within(SystemClock(), 0.1, redis.get("key"))
    assert await redis.get("key") is None


async def test_close_ends_commands_in_flight_and_leaves_no_connection(relay: Relay) -> None:
    redis = open_source(url_of(relay.port))
    await redis.start()
    relay.delay_s = 60
    calls = [asyncio.create_task(failure_of(redis)) for _ in range(3)]
    await relay.is_delaying.wait()
    await redis.close()
    assert await asyncio.gather(*calls) == ["unreachable"] * 3
    relay.delay_s = 0
    assert await redis.get("key") is None
    await redis.close()


async def test_a_source_closed_while_it_connects_leaves_no_connection(server: Valkey) -> None:
    for ticks in range(12):
        redis = open_source(server.url)
        call = asyncio.create_task(redis.get("key"))
        for _ in range(ticks):
            await asyncio.sleep(0)
        await redis.close()
        await asyncio.gather(call, return_exceptions=True)
        await redis.close()
    ours = server.command("CLIENT", "LIST", "TYPE", "normal").decode().splitlines()
    assert len(ours) == 1  # the connection that asks


async def test_a_wrong_password_is_rejected_without_a_trace_of_it(server: Valkey, redis: Redis) -> None:
    server.command("ACL", "SETUSER", "guest", "on", ">r1ght-pass", "~*", "+@all")
    wrong = open_source(server.url.replace("//", "//guest:wr0ng-pass@"), replace(DECLARED, retries=2))
    with pytest.raises(RedisError) as raised, capture_logs() as logs:
        await wrong.start()
    assert raised.value.failure == "login"
    assert "wr0ng" not in f"{raised.value!r} {raised.value.__cause__!r} {[each.getMessage() for each in logs]}"
    right = open_source(server.url.replace("//", "//guest:r1ght-pass@"))
    assert await right.set("key", "value")
    assert await redis.get("key") == b"value"
    await right.close()
    await wrong.close()


async def test_a_database_and_a_unix_socket_can_be_named(tmp_path: Path) -> None:
    with Valkey(tmp_path, "--unixsocket", "r.sock").running():
        one, other = (open_source(f"unix://{tmp_path}/r.sock?db={number}") for number in (1, 2))
        await one.set("key", "value")
        assert (await one.get("key"), await other.get("key")) == (b"value", None)
        await one.close()
        await other.close()


async def test_tls_is_used_only_with_a_server_whose_certificate_is_trusted(relay: Relay, tmp_path: Path) -> None:
    certificate, context = write_certificate(tmp_path)
    async with await asyncio.start_server(relay.connected, "127.0.0.1", 0, ssl=context) as tls:
        url = f"rediss://127.0.0.1:{tls.sockets[0].getsockname()[1]}/0"
        trusting, doubting = open_source(f"{url}?ssl_ca_certs={certificate}"), open_source(url)
        assert await trusting.set("key", "value")
        assert await trusting.get("key") == b"value"
        assert await failure_of(doubting) == "unreachable"
        await trusting.close()
        await doubting.close()


async def test_parameters_of_the_address_do_not_change_what_values_are(server: Valkey) -> None:
    redis = open_source(f"{server.url}?decode_responses=yes&protocol=3&socket_timeout=0.000001")
    await redis.set("key", b"\xff")
    assert await redis.get("key") == b"\xff"
    await redis.close()


@pytest.mark.parametrize("address", ["redis://joe:hunter2@h?unknown=1", "redis://joe:hunter2@h?db=x"])
async def test_an_invalid_address_is_a_failure_that_does_not_repeat_it(address: str) -> None:
    redis = open_source(address)
    with pytest.raises(RedisError, match="the address is invalid") as raised:
        await redis.get("key")
    assert "hunter2" not in str(raised.value)
    await redis.close()


async def test_a_server_killed_in_the_middle_of_a_script_is_unreachable(redis: Redis, server: Valkey) -> None:
    endless = asyncio.create_task(redis.run_script(Script("while true do end"), [], []))
    await asyncio.sleep(0)
    server.stop(signal.SIGKILL)
    with pytest.raises(RedisError) as raised:
        await endless
    assert raised.value.failure == "unreachable"
    server.start()
    assert await redis.get("key") is None
