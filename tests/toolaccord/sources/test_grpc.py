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

from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources import Pooled, PoolState
from toolaccord.sources.grpc import Grpc, GrpcError, GrpcSource, GrpcTimeout
from toolaccord.testing import ManualClock
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import SystemClock

ECHO = "/test.Service/Echo"
LARGE = 40 * 1024 * 1024
TOLERANT = [("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)]

Context = grpc.aio.ServicerContext[Any, Any]
Behaviour = Callable[[bytes, Context], Awaitable[bytes]]


async def echo(request: bytes, _context: Context) -> bytes:
    return request


@dataclass
class Service:
    """A real service whose one method has the behaviour that the test sets."""

    behaviour: Behaviour = echo
    peers: list[str] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: bytes, context: Context) -> bytes:
        self.peers.append(context.peer())
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.arrived.set()
        try:
            return await self.behaviour(request, context)
        finally:
            self.in_flight -= 1
            self.finished.set()


@asynccontextmanager
async def serving(service: Service, port: int = 0, *, options: Any = TOLERANT) -> AsyncIterator[int]:
    """Serve *service* with *options* and give its port; cancel the calls in flight at the end."""
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
async def open_source(port: int, clock: Any = None, **limits: Any) -> AsyncIterator[Grpc]:
    declared = {"max_connections": 3, "keepalive_interval_s": 30, "keepalive_timeout_s": 10, "max_in_flight": 6}
    source = GrpcSource(name="service", target="target", **declared | limits)
    service = source.open({"target": f"127.0.0.1:{port}"}, clock or SystemClock())
    try:
        yield service
    finally:
        await service.close()


async def echo_words(service: Grpc, words: str = "hello", timeout_s: float = PATIENCE_S) -> str:
    return (await service.call(ECHO, StringValue(value=words), StringValue, timeout_s)).value


async def forever(_request: bytes, _context: Context) -> bytes:
    await asyncio.Event().wait()
    return b""


def refusing(status: grpc.StatusCode) -> Behaviour:
    async def refuse(_request: bytes, context: Context) -> bytes:
        await context.abort(status, "no")
        return b""

    return refuse


async def test_a_call_returns_a_message_of_the_requested_type() -> None:
    async with serving(Service()) as port, open_source(port) as service:
        assert service.kind == "grpc"
        assert await echo_words(service, "a message") == "a message"


async def test_calls_are_spread_over_the_declared_connections() -> None:
    stub = Service()
    async with serving(stub) as port, open_source(port) as service:
        for _ in range(6):
            await echo_words(service)
    assert len(stub.peers) == 6
    assert len(set(stub.peers)) == 3


async def test_idle_and_used_connections_are_counted() -> None:
    stub = Service(forever)
    async with serving(stub) as port, open_source(port) as service:
        assert isinstance(service, Pooled)
        assert service.pool_state() == PoolState(idle=0, in_use=0, limit=3)
        await service.start()
        call = asyncio.create_task(echo_words(service))
        await stub.arrived.wait()
        assert service.pool_state() == PoolState(idle=2, in_use=1, limit=3)
        call.cancel()
        await asyncio.wait({call})
        assert service.pool_state() == PoolState(idle=3, in_use=0, limit=3)
        await service.close()
        assert service.pool_state() == PoolState(idle=0, in_use=0, limit=3)


async def test_a_started_source_has_connected() -> None:
    stub = Service()
    async with serving(stub) as port, open_source(port) as service:
        await service.start()
        await asyncio.gather(*(echo_words(service) for _ in range(3)))
    assert len(set(stub.peers)) == 3


async def test_a_source_starts_without_its_service() -> None:
    with unused_port() as port:
        async with open_source(port) as service:
            await service.start()
            assert isinstance(service, Pooled)
            assert service.pool_state() == PoolState(idle=3, in_use=0, limit=3)


async def test_calls_beyond_the_declared_number_in_flight_wait() -> None:
    stub, full = Service(), asyncio.Event()

    async def wait_for_the_others(request: bytes, _context: Context) -> bytes:
        if stub.in_flight == 4:
            full.set()
        await full.wait()
        return request

    stub.behaviour = wait_for_the_others
    async with serving(stub) as port, open_source(port, max_in_flight=4) as service:
        answers = await asyncio.gather(*(echo_words(service, str(number)) for number in range(40)))
    assert answers == [str(number) for number in range(40)]
    assert stub.most_in_flight == 4


async def test_a_request_is_made_when_its_call_may_be_sent() -> None:
    stub, making, made = Service(), 0, list[int]()

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

    stub.behaviour = count_and_echo
    async with serving(stub) as port, open_source(port, max_in_flight=2) as service:
        answers = await asyncio.gather(*(service.call(ECHO, make, StringValue, 10) for _ in range(20)))
    assert {answer.value for answer in answers} == {"made"}
    assert max(made) <= 3  # two in flight, and one whose answer is still on its way back


async def test_an_error_while_a_request_is_made_is_raised_and_nothing_is_sent() -> None:
    async def fail() -> StringValue:
        raise LookupError("nothing to send")

    stub = Service()
    async with serving(stub) as port, open_source(port, max_in_flight=1) as service:
        with pytest.raises(LookupError, match="nothing to send"):
            await service.call(ECHO, fail, StringValue, 10)
        assert await echo_words(service) == "hello"
    assert len(stub.peers) == 1


async def test_a_late_answer_is_a_timeout_and_cancels_the_call_on_the_service() -> None:
    stub = Service(forever)
    async with serving(stub) as port, open_source(port) as service:
        with pytest.raises(GrpcTimeout):
            await echo_words(service, timeout_s=0.2)
        async with asyncio.timeout(PATIENCE_S):
            await stub.finished.wait()


async def test_the_timeout_follows_the_clock_of_the_server() -> None:
    stub, clock = Service(forever), ManualClock()
    async with serving(stub) as port, open_source(port, clock) as service:
        call = asyncio.create_task(echo_words(service, timeout_s=60))
        await stub.arrived.wait()
        clock.advance(60)
        with pytest.raises(GrpcTimeout, match="within 60 s"):
            await call


async def test_the_timeout_covers_the_wait_for_other_calls() -> None:
    stub, clock = Service(forever), ManualClock()
    async with serving(stub) as port, open_source(port, clock, max_in_flight=1) as service:
        first = asyncio.create_task(echo_words(service, timeout_s=60))
        await stub.arrived.wait()
        second = asyncio.create_task(echo_words(service, timeout_s=1))
        await clock.wait_for_timer()
        await asyncio.sleep(0)
        clock.advance(1)
        with pytest.raises(GrpcTimeout):
            await second
        clock.advance(59)
        with pytest.raises(GrpcTimeout):
            await first
    assert len(stub.peers) == 1


async def test_a_cancelled_call_admits_the_next() -> None:
    stub = Service(forever)
    async with serving(stub) as port, open_source(port, max_in_flight=1) as service:
        call = asyncio.create_task(echo_words(service))
        await stub.arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        stub.behaviour = echo
        assert await echo_words(service) == "hello"


async def test_a_service_that_cannot_be_reached_is_unavailable_at_once() -> None:
    with unused_port() as port:
        async with open_source(port) as service, asyncio.timeout(PATIENCE_S):
            with pytest.raises(GrpcError) as caught:
                await echo_words(service, timeout_s=3600)
    assert caught.value.status == "UNAVAILABLE"


@pytest.mark.parametrize(
    "status",
    [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.CANCELLED, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE],
)
async def test_the_error_of_a_call_names_its_status(status: grpc.StatusCode) -> None:
    stub = Service(refusing(status))
    async with serving(stub) as port, open_source(port) as service:
        with pytest.raises(GrpcError, match="no") as caught:
            await echo_words(service)
        assert caught.value.status == status.name
        stub.behaviour = echo
        assert await echo_words(service) == "hello"


async def test_a_deadline_that_the_service_missed_is_a_timeout() -> None:
    async with serving(Service(refusing(grpc.StatusCode.DEADLINE_EXCEEDED))) as port, open_source(port) as service:
        with pytest.raises(GrpcTimeout):
            await echo_words(service)


async def test_after_a_restart_of_the_service_the_next_call_works_on_every_connection() -> None:
    with unused_port() as port:
        async with open_source(port) as service:
            for _ in range(2):
                async with serving(Service(), port):
                    for _ in range(3):
                        assert await echo_words(service) == "hello"


async def test_the_next_call_reaches_a_service_that_is_back() -> None:
    with unused_port() as port:
        async with open_source(port) as service:
            for _ in range(6):
                with pytest.raises(GrpcError):
                    await echo_words(service)
            async with serving(Service(), port):
                for _ in range(3):
                    assert await echo_words(service) == "hello"


async def wait_until_unavailable(service: Grpc) -> None:
    """Wait until every channel, each at its own time, reports the service as unavailable."""
    failures = 0
    while failures < 4:
        try:
            await service.check()
        except GrpcError:
            failures += 1
        else:
            failures = 0
            await asyncio.sleep(0.01)


async def test_a_check_finds_out_whether_the_service_is_available() -> None:
    with unused_port() as port:
        async with open_source(port) as service, asyncio.timeout(PATIENCE_S):
            for _ in range(2):
                await wait_until_unavailable(service)
                async with serving(Service(), port):
                    for _ in range(4):
                        await service.check()
                    assert await echo_words(service) == "hello"


async def test_a_service_that_stops_in_the_middle_of_a_call_is_an_error() -> None:
    stub = Service(forever)
    with unused_port() as port:
        async with open_source(port) as service:
            async with serving(stub, port):
                call = asyncio.create_task(echo_words(service))
                await stub.arrived.wait()
            with pytest.raises(GrpcError) as caught:
                await call
            assert caught.value.status in {"UNAVAILABLE", "CANCELLED"}
            async with serving(Service(), port):
                assert await echo_words(service) == "hello"


async def test_a_reply_beyond_the_limit_is_a_failure() -> None:
    async with serving(Service()) as port, open_source(port, max_response_bytes=1_000_000) as service:
        await service.call(ECHO, BytesValue(value=bytes(999_000)), BytesValue, 30)
        with pytest.raises(GrpcError) as raised:
            await service.call(ECHO, BytesValue(value=bytes(1_000_000)), BytesValue, 30)
    assert raised.value.status == "RESOURCE_EXHAUSTED"


async def test_requests_and_replies_may_be_large() -> None:
    async with serving(Service()) as port, open_source(port, max_response_bytes=2 * LARGE) as service:
        answer = await service.call(ECHO, BytesValue(value=bytes(LARGE)), BytesValue, 30)
    assert len(answer.value) == LARGE


async def test_a_connection_in_use_that_goes_silent_is_closed() -> None:
    stub = Service(forever)
    async with (
        serving(stub) as port,
        silenceable_proxy(port) as (between, silence),
        open_source(between, max_connections=1, keepalive_interval_s=0.2, keepalive_timeout_s=0.2) as service,
    ):
        call = asyncio.create_task(echo_words(service, timeout_s=3600))
        await stub.arrived.wait()
        silence.set()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(GrpcError) as caught:
                await call
    assert caught.value.status == "UNAVAILABLE"


async def test_a_service_with_default_settings_tolerates_the_pings_of_a_call_of_two_intervals() -> None:
    async def wait_a_second(request: bytes, _context: Context) -> bytes:
        await asyncio.sleep(1.0)
        return request

    async with (
        serving(Service(wait_a_second), options=[]) as port,
        open_source(port, max_connections=1, keepalive_interval_s=0.45) as service,
    ):
        for _ in range(2):
            assert await echo_words(service) == "hello"


async def test_closing_a_source_cancels_its_calls() -> None:
    stub = Service(forever)
    async with serving(stub) as port, open_source(port) as service:
        call = asyncio.create_task(echo_words(service))
        await stub.arrived.wait()
        await service.close()
        with pytest.raises(GrpcError) as caught:
            await call
    assert caught.value.status == "CANCELLED"


def test_a_declaration_does_not_load_the_library() -> None:
    program = "import sys, toolaccord.sources.grpc; raise SystemExit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@contextmanager
def unused_port() -> Iterator[int]:
    """Reserve a port of this machine: only a test can listen on it."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@asynccontextmanager
async def silenceable_proxy(port: int) -> AsyncIterator[tuple[int, asyncio.Event]]:
    """Give a port that leads to *port*, until the event is set.

    From then on nothing passes, and nothing is closed.
    """
    silence = asyncio.Event()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if not silence.is_set():
                writer.write(data)

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.gather(pass_on(reader, there_writer), pass_on(there_reader, writer))
        finally:
            there_writer.transport.abort()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, connect)):
        yield listener.getsockname()[1], silence


async def test_a_call_cancelled_at_any_moment_admits_the_next() -> None:
    async with serving(Service()) as port, open_source(port, max_in_flight=1) as service:
        for ticks in range(1, 16):
            call = asyncio.create_task(echo_words(service))
            for _ in range(ticks):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.wait({call})
            assert await echo_words(service) == "hello"


@pytest.mark.parametrize("target", ["[::1", "127.0.0.1:notaport", "127.0.0.1:99999", f"{'a' * 64}.example:1", ""])
async def test_an_invalid_address_is_a_failure_of_the_source(target: str) -> None:
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
        await echo_words(service, timeout_s=1)
    await service.close()
