import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc.aio
import pytest
from google.protobuf.wrappers_pb2 import BytesValue, StringValue

from sandbox.conversations import Conversations
from tests.toolpact.process import PATIENCE_S
from toolpact.sources import Pooled, PoolState
from toolpact.sources.grpc import Grpc, GrpcError, GrpcSource, GrpcTimeout
from toolpact.testing import ManualClock
from toolpact.timing.clock import SystemClock

ECHO = "/test.Service/Echo"
LARGE = 40 * 1024 * 1024
TOLERANT = [("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)]

Context = grpc.aio.ServicerContext[Any, Any]
Behaviour = Callable[[bytes, Context], Awaitable[bytes]]


async def echo(request: bytes, _context: Context) -> bytes:
    return request


@dataclass
class Service:
    """A real service whose one method does what the test says."""

    behaviour: Behaviour = echo
    peers: list[str] = field(default_factory=list)
    here: int = 0
    most: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: bytes, context: Context) -> bytes:
        self.peers.append(context.peer())
        self.here += 1
        self.most = max(self.most, self.here)
        self.arrived.set()
        try:
            return await self.behaviour(request, context)
        finally:
            self.here -= 1
            self.left.set()


@asynccontextmanager
async def serving(service: Service, port: int = 0, *, options: Any = TOLERANT) -> AsyncIterator[int]:
    """The port at which *service* is served with *options*; calls in flight are cut off at the end."""
    server = grpc.aio.server(options=options)
    method = grpc.unary_unary_rpc_method_handler(service.answer)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Service", {"Echo": method}),))
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


@asynccontextmanager
async def opened(port: int, clock: Any = None, **limits: Any) -> AsyncIterator[Grpc]:
    declared = {"max_connections": 3, "keepalive_interval_s": 30, "keepalive_timeout_s": 10, "max_in_flight": 6}
    source = GrpcSource(name="service", target="target", **declared | limits)
    service = source.open({"target": f"127.0.0.1:{port}"}, clock or SystemClock())
    try:
        yield service
    finally:
        await service.close()


async def say(service: Grpc, words: str = "hello", timeout_s: float = PATIENCE_S) -> str:
    return (await service.call(ECHO, StringValue(value=words), StringValue, timeout_s)).value


async def forever(_request: bytes, _context: Context) -> bytes:
    await asyncio.Event().wait()
    return b""


def refusing(status: grpc.StatusCode) -> Behaviour:
    async def refuse(_request: bytes, context: Context) -> bytes:
        await context.abort(status, "no")
        return b""

    return refuse


async def test_a_call_is_answered_with_a_message_of_the_kind_asked_for() -> None:
    async with serving(Service()) as port, opened(port) as service:
        assert service.kind == "grpc"
        assert await say(service, "a message") == "a message"


async def test_calls_are_spread_over_as_many_connections_as_the_contract_says() -> None:
    there = Service()
    async with serving(there) as port, opened(port) as service:
        for _ in range(6):
            await say(service)
    assert len(there.peers) == 6
    assert len(set(there.peers)) == 3


async def test_connections_are_counted_by_what_they_do() -> None:
    there = Service(forever)
    async with serving(there) as port, opened(port) as service:
        assert isinstance(service, Pooled)
        assert service.pool_state() == PoolState(idle=0, in_use=0, limit=3)
        await service.start()
        asking = asyncio.create_task(say(service))
        await there.arrived.wait()
        assert service.pool_state() == PoolState(idle=2, in_use=1, limit=3)
        asking.cancel()
        await asyncio.wait({asking})
        assert service.pool_state() == PoolState(idle=3, in_use=0, limit=3)
        await service.close()
        assert service.pool_state() == PoolState(idle=0, in_use=0, limit=3)


async def test_a_source_that_was_started_has_nothing_to_wait_for() -> None:
    there = Service()
    async with serving(there) as port, opened(port) as service:
        await service.start()
        await asyncio.gather(*(say(service) for _ in range(3)))
    assert len(set(there.peers)) == 3


async def test_starting_while_the_service_is_away_is_no_fault() -> None:
    with nobody() as port:
        async with opened(port) as service:
            await service.start()
            assert isinstance(service, Pooled)
            assert service.pool_state() == PoolState(idle=3, in_use=0, limit=3)


async def test_no_more_calls_are_in_flight_than_the_contract_says_and_the_others_wait() -> None:
    there, full = Service(), asyncio.Event()

    async def wait_for_the_others(request: bytes, _context: Context) -> bytes:
        if there.here == 4:
            full.set()
        await full.wait()
        return request

    there.behaviour = wait_for_the_others
    async with serving(there) as port, opened(port, max_in_flight=4) as service:
        said = await asyncio.gather(*(say(service, str(number)) for number in range(40)))
    assert said == [str(number) for number in range(40)]
    assert there.most == 4


async def test_a_request_is_made_when_its_turn_has_come() -> None:
    there, making, made = Service(), 0, list[int]()

    async def make() -> StringValue:
        nonlocal making
        making += 1
        made.append(making)
        await asyncio.sleep(0)
        return StringValue(value="made")

    async def count_and_echo(request: bytes, _context: Context) -> bytes:
        nonlocal making
        making -= 1
        return request

    there.behaviour = count_and_echo
    async with serving(there) as port, opened(port, max_in_flight=2) as service:
        answers = await asyncio.gather(*(service.call(ECHO, make, StringValue, 10) for _ in range(20)))
    assert {answer.value for answer in answers} == {"made"}
    assert max(made) <= 3  # two in flight, and one whose answer is still on its way back


async def test_what_making_a_request_raises_is_raised_and_nothing_is_sent() -> None:
    async def fail() -> StringValue:
        raise LookupError("nothing to send")

    there = Service()
    async with serving(there) as port, opened(port, max_in_flight=1) as service:
        with pytest.raises(LookupError, match="nothing to send"):
            await service.call(ECHO, fail, StringValue, 10)
        assert await say(service) == "hello"
    assert len(there.peers) == 1


async def test_a_late_answer_is_a_timeout_and_the_service_hears_that_nobody_waits() -> None:
    there = Service(forever)
    async with serving(there) as port, opened(port) as service:
        with pytest.raises(GrpcTimeout):
            await say(service, timeout_s=0.2)
        async with asyncio.timeout(PATIENCE_S):
            await there.left.wait()


async def test_the_seconds_are_those_of_the_servers_clock() -> None:
    there, clock = Service(forever), ManualClock()
    async with serving(there) as port, opened(port, clock) as service:
        saying = asyncio.create_task(say(service, timeout_s=60))
        await there.arrived.wait()
        clock.advance(60)
        with pytest.raises(GrpcTimeout, match="within 60 s"):
            await saying


async def test_waiting_for_a_turn_counts() -> None:
    there, clock = Service(forever), ManualClock()
    async with serving(there) as port, opened(port, clock, max_in_flight=1) as service:
        first = asyncio.create_task(say(service, timeout_s=60))
        await there.arrived.wait()
        second = asyncio.create_task(say(service, timeout_s=1))
        await clock.asked()
        await asyncio.sleep(0)
        clock.advance(1)
        with pytest.raises(GrpcTimeout):
            await second
        clock.advance(59)
        with pytest.raises(GrpcTimeout):
            await first
    assert len(there.peers) == 1


async def test_a_caller_who_gives_up_gives_the_turn_back() -> None:
    there = Service(forever)
    async with serving(there) as port, opened(port, max_in_flight=1) as service:
        saying = asyncio.create_task(say(service))
        await there.arrived.wait()
        saying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saying
        there.behaviour = echo
        assert await say(service) == "hello"


async def test_a_service_that_is_not_there_is_unavailable_at_once() -> None:
    with nobody() as port:
        async with opened(port) as service, asyncio.timeout(PATIENCE_S):
            with pytest.raises(GrpcError) as caught:
                await say(service, timeout_s=3600)
    assert caught.value.status == "UNAVAILABLE"


@pytest.mark.parametrize(
    "status",
    [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.CANCELLED, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE],
)
async def test_a_status_that_is_not_ok_is_an_error_that_names_it(status: grpc.StatusCode) -> None:
    there = Service(refusing(status))
    async with serving(there) as port, opened(port) as service:
        with pytest.raises(GrpcError, match="no") as caught:
            await say(service)
        assert caught.value.status == status.name
        there.behaviour = echo
        assert await say(service) == "hello"


async def test_a_deadline_that_the_service_itself_missed_is_a_timeout() -> None:
    async with serving(Service(refusing(grpc.StatusCode.DEADLINE_EXCEEDED))) as port, opened(port) as service:
        with pytest.raises(GrpcTimeout):
            await say(service)


async def test_after_a_restart_of_the_service_the_next_call_works_on_every_connection() -> None:
    with nobody() as port:
        async with opened(port) as service:
            for _ in range(2):
                async with serving(Service(), port):
                    for _ in range(3):
                        assert await say(service) == "hello"


async def test_a_service_that_was_missed_is_found_by_the_next_call_once_it_is_back() -> None:
    with nobody() as port:
        async with opened(port) as service:
            for _ in range(6):
                with pytest.raises(GrpcError):
                    await say(service)
            async with serving(Service(), port):
                for _ in range(3):
                    assert await say(service) == "hello"


async def away(service: Grpc) -> None:
    """Wait until every channel says that nobody is there; each notices in its own time."""
    refused = 0
    while refused < 4:
        try:
            await service.check()
        except GrpcError:
            refused += 1
        else:
            refused = 0
            await asyncio.sleep(0.01)


async def test_whether_a_service_is_there_can_be_asked_without_a_call() -> None:
    with nobody() as port:
        async with opened(port) as service, asyncio.timeout(PATIENCE_S):
            for _ in range(2):
                await away(service)
                async with serving(Service(), port):
                    for _ in range(4):
                        await service.check()
                    assert await say(service) == "hello"


async def test_a_service_that_stops_in_the_middle_of_a_call_is_an_error() -> None:
    there = Service(forever)
    with nobody() as port:
        async with opened(port) as service:
            async with serving(there, port):
                saying = asyncio.create_task(say(service))
                await there.arrived.wait()
            with pytest.raises(GrpcError) as caught:
                await saying
            assert caught.value.status in {"UNAVAILABLE", "CANCELLED"}
            async with serving(Service(), port):
                assert await say(service) == "hello"


async def test_messages_may_be_large_on_the_way_there_and_back() -> None:
    async with serving(Service()) as port, opened(port) as service:
        answer = await service.call(ECHO, BytesValue(value=bytes(LARGE)), BytesValue, 30)
    assert len(answer.value) == LARGE


async def test_a_connection_whose_other_end_falls_silent_is_noticed_while_it_is_in_use() -> None:
    there = Service(forever)
    async with (
        serving(there) as port,
        silenceable(port) as (between, silence),
        opened(between, max_connections=1, keepalive_interval_s=0.2, keepalive_timeout_s=0.2) as service,
    ):
        saying = asyncio.create_task(say(service, timeout_s=3600))
        await there.arrived.wait()
        silence.set()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(GrpcError) as caught:
                await saying
    assert caught.value.status == "UNAVAILABLE"


async def test_a_service_with_default_settings_bears_the_pings_of_a_call_as_long_as_two_intervals() -> None:
    async def a_while(request: bytes, _context: Context) -> bytes:
        await asyncio.sleep(1.0)
        return request

    async with (
        serving(Service(a_while), options=[]) as port,
        opened(port, max_connections=1, keepalive_interval_s=0.45) as service,
    ):
        for _ in range(2):
            assert await say(service) == "hello"


async def test_a_source_that_is_closed_gives_up_its_calls() -> None:
    there = Service(forever)
    async with serving(there) as port, opened(port) as service:
        saying = asyncio.create_task(say(service))
        await there.arrived.wait()
        await service.close()
        with pytest.raises(GrpcError) as caught:
            await saying
    assert caught.value.status == "CANCELLED"


def test_a_declaration_does_not_load_the_library() -> None:
    program = "import sys, toolpact.sources.grpc; raise SystemExit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@contextmanager
def nobody() -> Iterator[int]:
    """A port of this machine at which nobody listens unless a test does: nobody else is given it."""
    with socket.socket() as unheard:
        unheard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        unheard.bind(("127.0.0.1", 0))
        yield unheard.getsockname()[1]


@asynccontextmanager
async def silenceable(port: int) -> AsyncIterator[tuple[int, asyncio.Event]]:
    """A port that leads to *port* until the event is set; then nothing passes, and nothing is closed."""
    silence = asyncio.Event()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if not silence.is_set():
                writer.write(data)

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.gather(pass_on(reader, there_writer), pass_on(there_reader, writer))
        finally:
            there_writer.transport.abort()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(Conversations(listener, lead)):
        yield listener.getsockname()[1], silence


async def test_a_caller_that_leaves_at_any_moment_takes_no_turn_along() -> None:
    async with serving(Service()) as port, opened(port, max_in_flight=1) as service:
        for ticks in range(1, 16):
            leaving = asyncio.create_task(say(service))
            for _ in range(ticks):
                await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.wait({leaving})
            assert await say(service) == "hello"


@pytest.mark.parametrize("target", ["[::1", "127.0.0.1:notaport", "127.0.0.1:99999", f"{'a' * 64}.example:1", ""])
async def test_an_address_that_cannot_be_one_is_a_failure_of_the_source(target: str) -> None:
    source = GrpcSource(
        name="service",
        target="target",
        max_connections=1,
        keepalive_interval_s=30,
        keepalive_timeout_s=10,
        max_in_flight=1,
    )
    service = source.open({"target": target}, SystemClock())
    with pytest.raises((GrpcError, GrpcTimeout)):
        await say(service, timeout_s=1)
    await service.close()
