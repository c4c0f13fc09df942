"""The number of connections, and the descriptors that they need."""

import asyncio
import os
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.transports.http.connection.connection_server import LIMITS, connected
from tests.toolaccord.transports.http.connection.fake_transport import FakeTransport
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.transports.http.connection.open_connections import Connections
from toolaccord.transports.http.server import AcceptErrorHandler

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
READY = HEALTH.replace(b"health", b"ready")
METRICS = HEALTH.replace(b"health", b"metrics")
START = HEALTH.replace(b"/health", b"/")


@asynccontextmanager
async def idle_connections(server: Listener, number: int) -> AsyncIterator[None]:
    """Open *number* connections that say nothing, or not yet."""
    async with AsyncExitStack() as stack:
        for _ in range(number):
            await stack.enter_async_context(connected(server.port))
        yield


async def request(server: Listener, text: bytes) -> bytes:
    """Return the response to a request on a connection of its own, which the server closes."""
    async with connected(server.port) as (reader, writer):
        writer.write(text)
        return await reader.read()


async def status_when_there_is_room(server: Listener, text: bytes) -> bytes:
    """Return the first response that is not 503."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            async with connected(server.port) as (reader, writer):
                writer.write(text)
                if b" 503 " not in (line := await reader.readline()):
                    return line


async def test_beyond_the_limit_of_connections_probes_are_answered_and_nothing_else() -> None:
    async with listening(environ={"MCP_MAX_CONNECTIONS": "5"}) as server:
        async with idle_connections(server, 5):
            for text in (HEALTH, READY, METRICS):
                response = await request(server, text)
                assert response.startswith(b"HTTP/1.1 200 ")
                assert b"connection: close" in response.lower()
            rejected = await request(server, START)
            assert rejected.startswith(b"HTTP/1.1 503 ")
            assert b"has as many connections as it allows" in rejected
        assert b" 200 " in await status_when_there_is_room(server, START)


async def test_idle_connections_beyond_all_descriptors_shut_no_probe_out() -> None:
    async with listening(module="tests.toolaccord.few_descriptors") as server:
        async with idle_connections(server, 600):
            assert (await request(server, HEALTH)).startswith(b"HTTP/1.1 200 ")
        assert b" 200 " in await status_when_there_is_room(server, START)
        assert b"cannot accept" not in server.process.logged
        assert b"the limit of 400 open files allows only 88 connections" in server.process.logged


async def test_the_oldest_probe_makes_room_for_a_new_one() -> None:
    connections = Connections(replace(LIMITS, max_connections=1, max_probes=2), ManualClock())
    regular, *probes = (FakeTransport() for _ in range(4))
    assert not connections.add(regular)
    assert [connections.add(probe) for probe in probes] == [True, True, True]
    assert [probe.is_aborted for probe in probes] == [True, False, False]
    assert not regular.is_aborted


async def test_a_closed_connection_makes_room() -> None:
    connections = Connections(replace(LIMITS, max_connections=1), ManualClock())
    first = FakeTransport()
    connections.add(first)
    connections.remove(first)
    assert not connections.add(FakeTransport())


async def test_data_are_discarded_for_64_clients_at_a_time() -> None:
    connections = Connections(LIMITS, ManualClock())
    clients = [FakeTransport() for _ in range(65)]
    for client in clients:
        connections.add_discarding(client)
    assert [client.is_aborted for client in clients] == [True] + [False] * 64


@contextmanager
def no_descriptors_left() -> Iterator[None]:
    """Let this process open no file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(path.name) for path in Path("/dev/fd").iterdir())
    copies = [os.dup(0)]
    while copies[-1] <= highest:
        copies.append(os.dup(0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (copies[-1] + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for copy in copies:
            os.close(copy)


async def test_without_descriptors_one_line_is_logged_and_connections_are_accepted_afterwards() -> None:
    loop, failed, accepted = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    handler = AcceptErrorHandler(ManualClock())

    def on_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        handler(loop, context)
        failed.set()

    def on_connection(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        accepted.set()

    loop.set_exception_handler(on_failure)
    async with await asyncio.start_server(on_connection, "127.0.0.1", 0, backlog=32) as server:
        with capture_logs() as records, socket.create_connection(server.sockets[0].getsockname()):
            with no_descriptors_left():
                await asyncio.wait_for(failed.wait(), PATIENCE_S)
            await asyncio.wait_for(accepted.wait(), PATIENCE_S)
    loop.set_exception_handler(None)
    assert [record.getMessage() for record in records] == [
        "cannot accept connections, and tries again: [Errno 24] Too many open files"
    ]


async def test_the_failure_to_accept_is_logged_once_a_second() -> None:
    clock = ManualClock()
    handler, loop = AcceptErrorHandler(clock), asyncio.get_running_loop()
    context = {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many open files")}
    with capture_logs() as records:
        for _ in range(300):
            handler(loop, context)
            clock.advance(0.01)
    assert len(records) == 3


async def test_other_failures_of_the_event_loop_are_logged_as_ever() -> None:
    with capture_logs() as records:
        AcceptErrorHandler(ManualClock())(asyncio.get_running_loop(), {"message": "a callback failed"})
    assert [record.getMessage() for record in records] == ["a callback failed"]
