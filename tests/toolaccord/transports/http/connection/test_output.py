"""Responses that clients take slowly, or never."""

import asyncio
from dataclasses import replace
from typing import cast

import pytest
from starlette.types import Receive, Scope, Send

from tests.toolaccord.transports.http.connection.connection_server import (
    HEAD,
    LIMITS,
    SMALL,
    advance_until,
    connected,
    count,
    read_response,
    read_to_end,
    respond,
    running,
)
from tests.toolaccord.transports.http.connection.fake_transport import FakeTransport
from toolaccord.testing import ManualClock
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.connection.open_connections import Connections
from toolaccord.transports.http.connection.output_limit import OutputLimit
from toolaccord.transports.http.connection.piecewise_transport import PiecewiseTransport

LARGE = b"x" * 32_000_000
"""More than the system buffers for a connection."""


class Streams:
    """An application that responds with LARGE, and counts the requests that it was started for."""

    def __init__(self) -> None:
        self.started = 0
        self.sent = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/small":
            await count(scope, receive, send)
            return
        self.started += 1
        await respond(send, 200, LARGE)
        self.sent.set()


def pause_reading(writer: asyncio.StreamWriter) -> None:
    assert isinstance(writer.transport, asyncio.Transport)
    writer.transport.pause_reading()


def resume_reading(writer: asyncio.StreamWriter) -> None:
    assert isinstance(writer.transport, asyncio.Transport)
    writer.transport.resume_reading()


async def test_a_connection_whose_client_reads_nothing_is_aborted() -> None:
    clock, sent, aborted = ManualClock(), asyncio.Event(), asyncio.Event()

    async def stream(_: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": LARGE, "more_body": True})
        sent.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        aborted.set()

    async with running(stream, clock=clock) as port, connected(port) as (_, writer):
        pause_reading(writer)
        writer.write(HEAD % b"/" + SMALL)
        await sent.wait()
        await advance_until(clock, 30, aborted.wait())


async def test_the_next_request_starts_only_when_the_client_has_taken_the_response() -> None:
    app = Streams()
    async with running(app) as port, connected(port) as (reader, writer):
        pause_reading(writer)
        writer.write((HEAD % b"/large" + SMALL) * 3)
        await app.sent.wait()
        async with connected(port) as (other, second):
            for _ in range(3):  # turns in which the next request would start
                second.write(HEAD % b"/small" + SMALL)
                assert await read_response(other) == ["/small", 2]
        assert app.started == 1
        resume_reading(writer)
        for number in (1, 2, 3):
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(len(LARGE))
            assert app.started <= number + 1
        assert app.started == 3


async def test_a_request_that_arrives_while_a_response_is_buffered_waits_too() -> None:
    app = Streams()
    async with running(app) as port, connected(port) as (_, writer):
        pause_reading(writer)
        writer.write(HEAD % b"/large" + SMALL)
        await app.sent.wait()
        writer.write(HEAD % b"/large" + SMALL)
        async with connected(port) as (other, second):
            for _ in range(3):
                second.write(HEAD % b"/small" + SMALL)
                assert await read_response(other) == ["/small", 2]
        assert app.started == 1


async def test_beyond_the_limit_of_all_output_the_client_that_waits_longest_is_aborted() -> None:
    app = Streams()
    async with (
        running(app, limits=replace(LIMITS, max_output_bytes=40_000_000)) as port,
        connected(port) as (first_reader, first),
        connected(port) as (second_reader, second),
    ):
        for writer in (first, second):
            pause_reading(writer)
            writer.write(HEAD % b"/large" + SMALL)
            await app.sent.wait()
            app.sent.clear()
        resume_reading(first)
        assert len(await read_to_end(first_reader)) < len(LARGE)
        resume_reading(second)
        await second_reader.readuntil(b"\r\n\r\n")
        assert await second_reader.readexactly(len(LARGE)) == LARGE


class BufferRecorder(LimitedConnection):
    """A connection that records what asyncio buffers."""

    peak_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._raw_transport = cast(asyncio.Transport, transport)
        super().connection_made(transport)

    def pause_writing(self) -> None:
        BufferRecorder.peak_bytes = max(BufferRecorder.peak_bytes, self._raw_transport.get_write_buffer_size())
        super().pause_writing()


@pytest.mark.parametrize("framing", [[], [(b"content-length", b"32000000")]], ids=["chunked", "with a length"])
async def test_a_connection_buffers_one_piece_of_a_large_response(framing: list[tuple[bytes, bytes]]) -> None:
    sent = asyncio.Event()

    async def stream(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [*framing, (b"connection", b"close")]})
        await send({"type": "http.response.body", "body": LARGE})
        sent.set()

    BufferRecorder.peak_bytes = 0
    async with running(stream, protocol=BufferRecorder) as port, connected(port) as (reader, writer):
        pause_reading(writer)
        writer.write(HEAD % b"/" + SMALL)
        await sent.wait()
        resume_reading(writer)
        received = await read_to_end(reader)
        assert LARGE in received
        assert received.startswith(b"HTTP/1.1 200 ")
    assert 0 < BufferRecorder.peak_bytes <= 65_536


def piecewise(size: int) -> tuple[FakeTransport, PiecewiseTransport]:
    """Return a transport, of which *size* bytes are buffered already, and the one before it."""
    transport = FakeTransport(size)
    return transport, PiecewiseTransport(transport)


def test_small_data_wait_behind_the_rest_of_large_data() -> None:
    transport, output = piecewise(0)
    output.write(b"a" * 65_537)
    output.write(b"b")
    assert output.get_write_buffer_size() == 65_538
    for data in (b"a" * 65_536, b"a", b"b"):
        assert transport.take() == data
        output.write_rest()
    assert output.get_write_buffer_size() == 0


def test_the_limit_of_all_output_counts_what_waits_to_be_buffered() -> None:
    transports = [FakeTransport(), FakeTransport()]
    connections = Connections(replace(LIMITS, max_output_bytes=1_500_000), ManualClock())
    for transport in transports:
        output = PiecewiseTransport(transport)
        output.write(b"x" * 1_000_000)
        assert connections.add_output(output) == 1_000_000
    assert [transport.is_aborted for transport in transports] == [True, False]


def test_a_connection_closes_after_the_rest_of_its_data() -> None:
    transport, output = piecewise(0)
    output.write(b"x" * 65_537)
    output.close()
    assert output.is_closing()
    assert not transport.is_closed
    transport.take()
    output.write_rest()
    assert transport.is_closed
    assert transport.take() == b"x"


def test_an_aborted_connection_keeps_no_data() -> None:
    transport, output = piecewise(1)
    output.write(b"x" * 65_537)
    output.abort()
    assert transport.is_aborted
    assert output.get_write_buffer_size() == 1


def test_a_broken_connection_keeps_no_data() -> None:
    transport, output = piecewise(1)
    output.write(b"x" * 65_537)
    transport.take()
    transport.close()
    assert output.write_rest()
    assert output.get_write_buffer_size() == 0


def output_of(size: int) -> tuple[ManualClock, FakeTransport, OutputLimit]:
    """Return the limit of a connection that has buffered *size* bytes."""
    clock, transport = ManualClock(), FakeTransport(size)
    return clock, transport, OutputLimit(Connections(LIMITS, clock), transport)


async def test_a_client_that_takes_64_kib_in_thirty_seconds_keeps_its_connection() -> None:
    clock, transport, limit = output_of(1_000_000)
    limit.start()
    while transport.size > 65_536:
        transport.size -= 65_536
        clock.advance(30)
        assert not transport.is_aborted
    clock.advance(29)
    assert not transport.is_aborted
    clock.advance(1)
    assert transport.is_aborted


async def test_a_client_that_takes_less_than_64_kib_in_thirty_seconds_is_aborted() -> None:
    clock, transport, limit = output_of(1_000_000)
    limit.start()
    transport.size -= 65_535
    clock.advance(30)
    assert transport.is_aborted


async def test_a_client_that_has_taken_all_is_not_aborted_later() -> None:
    clock, transport, limit = output_of(1_000_000)
    limit.start()
    limit.stop()
    clock.advance(3600)
    assert not transport.is_aborted
