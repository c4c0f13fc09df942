"""Limits of the data that a connection sends."""

import asyncio
import json
from dataclasses import replace

import pytest
from starlette.types import Receive, Scope, Send

from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.transports.http.connection.connection_server import (
    CHUNKED,
    HEAD,
    LIMITS,
    SMALL,
    advance_until,
    connected,
    count,
    read_response,
    read_to_end,
    reject,
    respond,
    running,
    send_forever,
)
from toolaccord.testing import ManualClock
from toolaccord.transports.http.connection.limited_connection import LimitedConnection

TINY_CHUNK = b"1\r\n \r\n"
OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"


@pytest.mark.parametrize(
    "start, part",
    [
        (b"GET /", b"a" * 10_000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-A: 1\r\n" * 1000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a" * 10_000),
    ],
)
async def test_a_head_without_end_closes_the_connection(start: bytes, part: bytes) -> None:
    async with running(count) as port, connected(port) as (_, writer):
        writer.write(start)
        with pytest.raises(ConnectionError):
            await send_forever(writer, part)


@pytest.mark.parametrize("end", [b"Content-Length: 0\r\n\r\n", CHUNKED + b"0\r\n"])
async def test_a_request_with_more_than_256_fields_is_answered_400(end: bytes) -> None:
    async with running(count) as port:
        for fields, status in ((254, b" 200 "), (255, b" 400 ")):
            async with connected(port) as (reader, writer):
                many, last = b"X-Field: 1\r\n" * fields, b"\r\n" * end.startswith(b"Transfer")
                writer.write(HEAD % b"/" + (end + many if last else many + end) + last)
                assert status in await reader.readline()


async def read_to_end_of_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


async def test_a_body_in_too_many_chunks_is_answered_400() -> None:
    async with running(count, limits=replace(LIMITS, max_chunks=1000)) as port:
        async with connected(port) as (reader, writer):
            writer.write(HEAD % b"/" + CHUNKED + TINY_CHUNK * 999 + b"0\r\n\r\n")  # the end is a chunk, too
            assert await read_response(reader) == ["/", 999]
        async with connected(port) as (reader, writer):
            writer.write(HEAD % b"/" + CHUNKED + TINY_CHUNK * 1000 + b"0\r\n\r\n")
            assert b" 400 " in await reader.readline()


@pytest.mark.parametrize("start, part", [(b"0\r\nX-A: ", b"x" * 1000), (b"", b"1;%b\r\n \r\n" % (b"x" * 1000))])
async def test_trailers_and_extensions_of_chunks_without_end_close_the_connection(start: bytes, part: bytes) -> None:
    async with running(count) as port, connected(port) as (_, writer):
        writer.write(HEAD % b"/" + CHUNKED + start)
        with pytest.raises(ConnectionError):
            await send_forever(writer, part)


@pytest.mark.parametrize("size", [30, 1000, 60_000])
async def test_a_body_in_chunks_of_usual_sizes_is_read(size: int) -> None:
    times = 600_000 // size - 1
    async with running(count) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED)
        for _ in range(times):
            writer.write(b"%x\r\n%b\r\n" % (size, b"x" * size))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        assert await read_response(reader) == ["/", times * size]


async def test_tiny_chunks_are_parsed_a_kilobyte_at_a_time_and_large_bodies_in_larger_pieces() -> None:
    sizes: list[int] = []

    class Recorder(LimitedConnection):
        def get_buffer(self, sizehint: int) -> memoryview:
            buffer = super().get_buffer(sizehint)
            sizes.append(len(buffer))
            return buffer

    async with running(count, protocol=Recorder) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED + TINY_CHUNK * 10_000 + b"0\r\n\r\n")
        assert await read_response(reader) == ["/", 10_000]
        assert set(sizes) == {1024}
        sizes.clear()
        writer.write(HEAD % b"/" + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)
        assert await read_response(reader) == ["/", 1_000_000]
        assert max(sizes) == 16_384


async def test_many_requests_on_one_connection_do_not_exhaust_its_credit() -> None:
    request = HEAD % b"/" + b"X-A: %b\r\n" % (b"a" * 30_000) + SMALL
    async with running(count) as port, connected(port) as (reader, writer):
        for _ in range(40):
            writer.write(request)
            assert await read_response(reader) == ["/", 2]


async def test_white_space_around_a_header_value_is_no_part_of_it() -> None:
    async def respond_with_values(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - no body
        await respond(send, 200, json.dumps([value.decode() for _, value in scope["headers"]]).encode())

    async with running(respond_with_values) as port, connected(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: \t localhost \t\r\nMcp-Name:echo  \r\n\r\n")
        assert await read_response(reader) == ["localhost", "echo"]


async def test_pipelined_requests_are_answered_in_order_however_many_they_are() -> None:
    async with running(count) as port, connected(port) as (reader, writer):
        writer.write(b"".join(HEAD % b"/%d" % number + SMALL for number in range(1000)))
        assert [await read_response(reader) for _ in range(1000)] == [[f"/{number}", 2] for number in range(1000)]


async def test_a_pipelined_request_waits_for_the_response_to_the_one_before() -> None:
    opened, order = asyncio.Event(), []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        order.append(scope["path"])
        await opened.wait()
        await count(scope, receive, send)

    async with running(slow) as port, connected(port) as (reader, writer):
        writer.write(b"".join(HEAD % b"/%d" % number + SMALL for number in range(3)))
        await writer.drain()
        opened.set()
        assert [await read_response(reader) for _ in range(3)] == [["/0", 2], ["/1", 2], ["/2", 2]]
        assert order == ["/0", "/1", "/2"]


async def test_more_than_32_waiting_requests_close_the_connection() -> None:
    for requests, is_served in ((32, True), (33, False)):
        async with running(count) as port, connected(port) as (reader, writer):
            writer.write(b"GET / HTTP/1.1\r\n\r\n" * requests)
            assert (b" 200 OK" in await read_to_end_of_head(reader)) is is_served


@pytest.mark.parametrize("start, limit_s", [(b"", 10), (b"G", 30), (b"GET /health HT", 30), (HEAD % b"/", 30)])
async def test_a_connection_is_closed_whose_head_does_not_arrive_in_time(start: bytes, limit_s: int) -> None:
    clock = ManualClock()
    async with running(count, clock=clock) as port, connected(port) as (reader, writer):
        writer.write(start)
        await clock.wait_for_timer()
        await advance_until(clock, 1, read_to_end(reader))
        assert limit_s <= clock.monotonic()


async def test_bytes_one_by_one_do_not_prolong_the_time_of_a_head() -> None:
    clock = ManualClock()
    async with running(count, clock=clock) as port, connected(port) as (_, writer):
        writer.write(HEAD % b"/" + b"X-A: ")
        with pytest.raises(ConnectionError):
            await advance_until(clock, 1, send_forever(writer, b"a"))


async def test_the_time_limit_also_holds_for_the_head_of_a_second_request() -> None:
    clock = ManualClock()
    async with running(count, clock=clock) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + SMALL + b"GET /sec")
        await read_response(reader)
        assert await advance_until(clock, 1, read_to_end(reader)) == b""


@pytest.mark.parametrize("next_bytes", [b"", b"\r\n", b"GET /sec"])
async def test_the_time_limit_of_a_head_does_not_hold_for_a_response_before_it(next_bytes: bytes) -> None:
    clock, opened = ManualClock(), asyncio.Event()

    async def respond_when_opened(scope: Scope, receive: Receive, send: Send) -> None:
        clock.advance(3600)
        opened.set()
        await count(scope, receive, send)

    async with running(respond_when_opened, clock=clock) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + SMALL + next_bytes)
        await opened.wait()
        assert await read_response(reader) == ["/", 2]


async def test_after_an_early_response_the_rest_is_discarded_and_never_parsed() -> None:
    async with running(reject) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED + TINY_CHUNK)
        received = await reader.readuntil(b"\r\n\r\n")
        for _ in range(20):
            writer.write(b"this is no chunk" * 1000)
            await writer.drain()
        writer.write_eof()
        assert b" 401 " in received
        assert await reader.read() == b""


async def test_the_rest_after_an_early_response_is_discarded_for_five_seconds() -> None:
    clock = ManualClock()
    async with running(reject, clock=clock) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED + TINY_CHUNK)
        assert b" 401 " in await reader.readuntil(b"\r\n\r\n")
        started = clock.monotonic()
        with pytest.raises(ConnectionError):
            await advance_until(clock, 0.1, send_forever(writer, TINY_CHUNK * 1000))
        assert clock.monotonic() - started >= 4.9


async def test_a_whole_request_with_an_early_response_keeps_its_connection() -> None:
    async with running(reject) as port, connected(port) as (reader, writer):
        for _ in range(2):
            writer.write(HEAD % b"/" + SMALL)
            assert b" 401 " in await reader.readuntil(b"\r\n\r\n")


class SmallReads(LimitedConnection):
    """A connection that reads seven bytes at a time."""

    def get_buffer(self, sizehint: int) -> memoryview:
        return super().get_buffer(sizehint)[:7]


class SingleBytes(LimitedConnection):
    """A connection that reads one byte at a time."""

    def get_buffer(self, sizehint: int) -> memoryview:
        return super().get_buffer(sizehint)[:1]


@pytest.mark.parametrize("protocol", [SingleBytes, SmallReads, LimitedConnection])
@pytest.mark.parametrize("body", [SMALL, CHUNKED + b"2\r\n{}\r\n0\r\n\r\n"])
async def test_offers_of_another_protocol_are_ignored_wherever_the_head_is_split(
    body: bytes, protocol: type[LimitedConnection]
) -> None:
    async with running(count, protocol=protocol) as port, connected(port) as (reader, writer):
        for path in (b"/1", b"/2"):
            writer.write(HEAD % path + OFFER + body)
            assert await read_response(reader) == [path.decode(), 2]
            writer.write(HEAD % path + b"Content-Length: 26\r\n\r\n\r\nUpgrade: within a body\r\n")
            assert await read_response(reader) == [path.decode(), 26]


async def test_an_offer_is_ignored_while_the_application_still_runs_after_its_response() -> None:
    closed = asyncio.Event()

    async def linger(scope: Scope, receive: Receive, send: Send) -> None:
        await count(scope, receive, send)
        await closed.wait()

    async with running(linger) as port, connected(port) as (reader, writer):
        for path in (b"/1", b"/2"):
            writer.write(HEAD % path + OFFER + SMALL)
            assert await read_response(reader) == [path.decode(), 2]
        closed.set()


@pytest.mark.parametrize("line", [b"\x16\x03\x01 a TLS client\r", b"BREW /pot HTTP/1.1\r"])
async def test_an_invalid_request_line_is_rejected_before_the_head_is_whole(line: bytes) -> None:
    async with running(count) as port, connected(port) as (reader, writer):
        writer.write(line)
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")


async def test_a_response_with_connection_close_reaches_a_client_that_still_sends() -> None:
    async def respond_last(_: Scope, __: Receive, send: Send) -> None:
        headers = [(b"content-length", b"4"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": b"last"})

    async with running(respond_last) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 3000000\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), PATIENCE_S)).endswith(b"\r\n\r\nlast")
        writer.write(b"x" * 100_000)
        await writer.drain()
