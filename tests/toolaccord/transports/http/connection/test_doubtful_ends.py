"""Requests whose ends are split, missing, early or invalid, beside other requests."""

import asyncio
import json
import logging
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from tests.toolaccord.transports.http.connection.connection_server import (
    CHUNKED,
    HEAD,
    SMALL,
    connected,
    count,
    read_response,
    read_to_end,
    respond,
    running,
)
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.connection.open_connections import Connections

PIPELINED = HEAD % b"/1" + SMALL + HEAD % b"/2" + b"X-A: 1\r\n" + SMALL + b"GET /3 HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def yield_to_server() -> None:
    """Let the server read what was sent."""
    for _ in range(10):
        await asyncio.sleep(0)


def recorded(seen: list[Connections]) -> type[LimitedConnection]:
    """Return a protocol that adds the connections of its server to *seen*."""

    class Recorded(LimitedConnection):
        def __init__(self, connections: Connections, **arguments: Any) -> None:
            super().__init__(connections, **arguments)
            seen.append(connections)

    return Recorded


async def test_pipelined_requests_are_answered_wherever_they_are_split() -> None:
    async with running(count) as port:
        for place in range(1, len(PIPELINED)):
            async with connected(port) as (reader, writer):
                writer.write(PIPELINED[:place])
                await yield_to_server()
                writer.write(PIPELINED[place:])
                assert [await read_response(reader) for _ in range(3)] == [["/1", 2], ["/2", 2], ["/3", 0]]


async def test_pipelined_requests_are_answered_byte_by_byte() -> None:
    async with running(count) as port, connected(port) as (reader, writer):
        for place in range(len(PIPELINED)):
            writer.write(PIPELINED[place : place + 1])
            await yield_to_server()
        assert [await read_response(reader) for _ in range(3)] == [["/1", 2], ["/2", 2], ["/3", 0]]


@pytest.mark.parametrize("invalid", [b"no HTTP\r\n\r\n", b"GET /2 HTTP/1.1\r\n" + b"X: 1\r\n" * 300 + b"\r\n"])
async def test_an_invalid_request_is_never_answered_in_place_of_an_earlier_one(invalid: bytes) -> None:
    async def wait(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - never responds
        await asyncio.Event().wait()

    async with running(wait) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/1" + SMALL)
        await yield_to_server()
        writer.write(invalid)
        assert await read_to_end(reader) == b""


async def test_a_running_request_notices_the_end_of_its_connection_while_another_one_waits() -> None:
    disconnected = asyncio.Event()
    seen: list[Connections] = []

    async def wait(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - never responds
        while (await receive())["type"] != "http.disconnect":
            pass
        disconnected.set()

    async with running(wait, protocol=recorded(seen)) as port, connected(port) as (_, writer):
        writer.write((HEAD % b"/" + SMALL) * 2)
        await yield_to_server()
        seen[-1].abort_all()
        await disconnected.wait()


async def test_a_half_closed_client_that_sent_a_line_end_after_its_body_gets_its_response() -> None:
    opened = asyncio.Event()

    async def respond_when_opened(scope: Scope, receive: Receive, send: Send) -> None:
        await opened.wait()
        await count(scope, receive, send)

    async with running(respond_when_opened) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + SMALL)
        await yield_to_server()
        writer.write(b"\r\n")
        await yield_to_server()
        writer.write_eof()
        await yield_to_server()
        opened.set()
        assert await read_response(reader) == ["/", 2]


async def test_a_trailer_is_no_header() -> None:
    async def respond_with_names(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - no body
        await respond(send, 200, json.dumps([name.decode() for name, _ in scope["headers"]]).encode())

    async with running(respond_with_names) as port, connected(port) as (reader, writer):
        writer.write(HEAD % b"/" + CHUNKED + b"0\r\nAuthorization: Bearer x\r\n\r\n")
        assert await read_response(reader) == ["host", "transfer-encoding"]


async def test_a_large_last_response_ends_the_connection_once(caplog: pytest.LogCaptureFixture) -> None:
    body = b"x" * 8_000_000

    async def respond_largely(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - no body
        await respond(send, 200, body)

    with caplog.at_level(logging.ERROR):
        async with running(respond_largely) as port, connected(port) as (reader, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert (await read_to_end(reader)).endswith(body)
    assert caplog.records == []


async def test_clients_that_end_within_a_body_do_not_slow_the_discarding_of_others() -> None:
    seen: list[Connections] = []
    async with running(count, protocol=recorded(seen)) as port:
        for _ in range(3):
            async with connected(port) as (reader, writer):
                writer.write(HEAD % b"/" + b"Content-Length: 10\r\n\r\nabc")
                await yield_to_server()
                writer.write_eof()
                assert await read_to_end(reader) == b""
        assert seen[-1].discard_interval_s == 0
