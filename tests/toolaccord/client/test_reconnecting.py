"""A connection that opens again, over connections that the tests end."""

import asyncio

import pytest

from tests.toolaccord.scripted_connection import ScriptedConnection, settle
from toolaccord.client.reconnecting import ReconnectingConnection
from toolaccord.errors import ServerGone, TimedOut

PATIENCE_S = 60


class Server:
    """Connections to a server, in the order in which they were made."""

    def __init__(self) -> None:
        self.made: list[ScriptedConnection] = []
        self.is_ready = asyncio.Event()
        self.is_ready.set()
        self.closed: list[ScriptedConnection] = []

    def connect(self) -> ScriptedConnection:
        server = self

        class Made(ScriptedConnection):
            async def open(self) -> None:
                await server.is_ready.wait()

            async def close(self) -> None:
                server.closed.append(self)

        self.made.append(Made({"number": len(self.made)}))
        return self.made[-1]


def call(connection: ReconnectingConnection, timeout_s: float = PATIENCE_S) -> "asyncio.Task[object]":
    """Start a call."""
    return asyncio.create_task(connection.call("get_book", {}, {}, timeout_s))


async def test_a_late_failure_of_an_ended_connection_leaves_the_new_one_open() -> None:
    server = Server()
    connection = ReconnectingConnection("library-mcp", server.connect, ends_with_server=True)
    await connection.open()
    (first,) = server.made
    first.outcomes = [ServerGone("gone")]
    open_gate, first.gate = first.gate, asyncio.Event()
    late = call(connection)
    await settle()
    late_gate, first.gate = first.gate, open_gate
    with pytest.raises(ServerGone):
        await call(connection)
    await call(connection)
    late_gate.set()
    with pytest.raises(ServerGone):
        await late
    await call(connection)
    assert (len(server.made), server.closed) == (2, [first])
    await connection.close()


async def test_an_opening_goes_on_when_the_time_of_the_call_that_started_it_is_over() -> None:
    server = Server()
    connection = ReconnectingConnection("library-mcp", server.connect, ends_with_server=True)
    server.is_ready.clear()
    opening = asyncio.create_task(connection.open())
    await settle()
    with pytest.raises(TimedOut, match=r"library-mcp was not ready within 0 s\."):
        await call(connection, timeout_s=0)
    patient = call(connection)
    server.is_ready.set()
    await asyncio.gather(opening, patient)
    assert len(server.made) == 1
    await connection.close()


async def test_over_http_a_failed_call_leaves_the_connection_open() -> None:
    server = Server()
    connection = ReconnectingConnection("library-mcp", server.connect, ends_with_server=False)
    await connection.open()
    server.made[0].outcomes = [ServerGone("gone"), {"id": 7}]
    with pytest.raises(ServerGone):
        await call(connection)
    await call(connection)
    assert (len(server.made), server.closed) == (1, [])
    await connection.close()
    assert server.closed == server.made
