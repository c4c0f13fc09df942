"""Clients that end their data before they have their response: some read it, some are gone."""

import asyncio

import pytest
from starlette.types import Receive, Scope, Send

from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.transports.http.connection.connection_server import (
    HEAD,
    SMALL,
    advance_until,
    connected,
    count,
    running,
)
from toolaccord.testing import ManualClock
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.sse import StreamEnder

INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.parametrize("requests", [1, 3])
async def test_a_half_closed_client_gets_its_responses_and_then_the_end(requests: int) -> None:
    opened = asyncio.Event()

    async def respond_when_opened(scope: Scope, receive: Receive, send: Send) -> None:
        await opened.wait()
        await count(scope, receive, send)

    async with running(respond_when_opened) as port, connected(port) as (reader, writer):
        writer.write((HEAD % b"/" + SMALL) * requests)
        writer.write_eof()
        async with connected(port) as (_, second):  # the server has read the first client's end before
            second.write(HEAD % b"/" + SMALL)
            opened.set()
        assert (await reader.read()).count(b'\r\n\r\n["/", 2]') == requests


async def test_a_half_closed_client_of_a_long_call_gets_interim_responses_and_its_response() -> None:
    clock, opened = ManualClock(), asyncio.Event()

    async def respond_when_opened(scope: Scope, receive: Receive, send: Send) -> None:
        await opened.wait()
        await count(scope, receive, send)

    async with running(respond_when_opened, clock=clock) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + SMALL)
        writer.write_eof()
        for _ in range(3):
            assert await advance_until(clock, 1, reader.readexactly(len(INTERIM))) == INTERIM
        opened.set()
        rest = (await reader.read()).replace(INTERIM, b"")
        assert rest.startswith(b"HTTP/1.1 200 ")
        assert rest.endswith(b'["/", 2]')


async def test_a_client_of_http_1_0_gets_no_interim_response() -> None:
    clock, waited = ManualClock(), asyncio.Event()

    async def respond_later(scope: Scope, receive: Receive, send: Send) -> None:
        await waited.wait()
        await count(scope, receive, send)

    async with running(respond_later, clock=clock) as port, connected(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        writer.write_eof()
        for _ in range(100):
            clock.advance(1)
            await asyncio.sleep(0)
        waited.set()
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")


class Ends(LimitedConnection):
    """Connections that note the end of a client's data."""

    noted: asyncio.Event

    def eof_received(self) -> bool:  # type: ignore[override] # as in LimitedConnection
        self.noted.set()
        return super().eof_received()


EVENT = b"event: message\r\ndata: {}\r\n\r\n"


async def start_stream(send: Send) -> None:
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": EVENT, "more_body": True})


@pytest.mark.parametrize("started", [b"", EVENT])
async def test_a_call_is_cancelled_within_0_2_s_after_its_client_is_gone(
    started: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, called, disconnected = ManualClock(), asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(Ends, "noted", asyncio.Event(), raising=False)

    async def wait_for_disconnect(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if started:
            await start_stream(send)
        called.set()
        assert (await receive())["type"] == "http.disconnect"
        disconnected.set()

    async with running(StreamEnder(wait_for_disconnect), clock=clock, protocol=Ends) as port:
        async with connected(port) as (reader, writer):
            writer.write(HEAD % b"/" + SMALL)
            await called.wait()
            if started:
                await reader.readuntil(started)
        await Ends.noted.wait()
        for seconds in (0.05, 0.1):
            clock.advance(seconds)
            async with connected(port):  # the packets of the first client have arrived before
                pass
        await asyncio.wait_for(disconnected.wait(), PATIENCE_S)


async def test_a_half_closed_client_of_a_stream_gets_comments_and_its_events() -> None:
    clock, opened = ManualClock(), asyncio.Event()

    async def stream_when_opened(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await start_stream(send)
        await opened.wait()
        await send({"type": "http.response.body", "body": EVENT})

    async with running(StreamEnder(stream_when_opened), clock=clock) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + SMALL)
        writer.write_eof()
        for _ in range(2):
            await advance_until(clock, 1, reader.readuntil(b"\r\n3\r\n:\n\n\r\n"))
        opened.set()
        assert (await reader.read()).endswith(b"%x\r\n%b\r\n0\r\n\r\n" % (len(EVENT), EVENT))


@pytest.mark.parametrize("sent", [SMALL, b"Content-Length: 2\r\n\r\n{"])
async def test_the_application_receives_the_disconnect_of_a_client_that_is_gone(sent: bytes) -> None:
    clock, received = ManualClock(), asyncio.Queue[str]()

    async def record_messages(_: Scope, receive: Receive, __: Send) -> None:
        while (message := await receive())["type"] != "http.disconnect":
            received.put_nowait(message["type"])
        received.put_nowait(message["type"])

    async with running(record_messages, clock=clock) as port:
        async with connected(port) as (_, writer):
            writer.write(HEAD % b"/" + sent)
            assert await received.get() == "http.request"
        assert await advance_until(clock, 1, received.get()) == "http.disconnect"
