"""Connections with TLS, which have the limits of those without."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from tests.services.certificate import Authority
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
from toolaccord.config.access_rules import TlsFiles
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.timing.clock import SystemClock
from toolaccord.transports.http.connection.certificate import Certificate
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.connection.open_connections import ConnectionLimits
from toolaccord.transports.http.connection.tls_connection import accept

LARGE = b"x" * 32_000_000
"""More than the system buffers for a connection."""


class Secured:
    """A certificate, and a context that trusts its authority."""

    def __init__(self, folder: Path) -> None:
        authority = Authority(folder)
        issued = authority.issue("server")
        self.certificate = Certificate(TlsFiles(issued.certificate, issued.key), SystemClock())
        self.trust = ssl.create_default_context(cafile=authority.file)

    @asynccontextmanager
    async def running(
        self, app: object, *, limits: ConnectionLimits = LIMITS, clock: ManualClock | None = None
    ) -> AsyncIterator[int]:
        """Yield the port of a server of *app*."""
        async with running(app, limits=limits, clock=clock, protocol=accept, certificate=self.certificate) as port:  # type: ignore[arg-type]
            yield port


def doubt(port: int) -> None:
    """Shake hands without trust, and tell the server, as asyncio's clients do not."""
    context = ssl.create_default_context()
    with socket.create_connection(("127.0.0.1", port)) as connection, pytest.raises(ssl.SSLCertVerificationError):
        context.wrap_socket(connection, server_hostname="127.0.0.1")


@pytest.fixture
def secured(tmp_path: Path) -> Secured:
    return Secured(tmp_path)


async def test_requests_are_served_one_after_another_with_the_scheme_https(secured: Secured) -> None:
    schemes = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        schemes.append(scope["scheme"])
        await count(scope, receive, send)

    async with secured.running(note) as port, connected(port, secured.trust) as (reader, writer):
        writer.write((HEAD % b"/" + SMALL) * 2)
        assert [await read_response(reader), await read_response(reader)] == [["/", 2], ["/", 2]]
        tls = writer.get_extra_info("ssl_object")
        assert tls.version() == "TLSv1.3"
    assert schemes == ["https", "https"]


async def test_a_client_with_tls_1_1_is_rejected(secured: Secured) -> None:
    secured.trust.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        secured.trust.maximum_version = ssl.TLSVersion.TLSv1_1
    secured.trust.set_ciphers("ALL:@SECLEVEL=0")
    async with secured.running(count) as port:
        with pytest.raises(OSError):  # noqa: PT011 - an alert, or the end of the connection
            await asyncio.open_connection("127.0.0.1", port, ssl=secured.trust)


async def test_a_client_of_plain_http_is_named_in_the_log_once_a_minute(secured: Secured) -> None:
    with capture_logs() as records:
        async with secured.running(count) as port:
            for _ in range(2):
                async with connected(port) as (reader, writer):
                    writer.write(HEAD % b"/" + SMALL)
                    await read_to_end(reader)
    assert [each.getMessage() for each in records] == [
        "a TLS handshake failed: the client speaks HTTP without TLS; its URL must begin with https://"
    ]


async def test_a_client_that_does_not_trust_the_authority_is_named_in_the_log(secured: Secured) -> None:
    with capture_logs() as records:
        async with secured.running(count) as port:
            await asyncio.to_thread(doubt, port)
            async with connected(port, secured.trust) as (reader, writer):  # until the server has read the alert
                writer.write(HEAD % b"/" + SMALL)
                await read_response(reader)
    assert any("does not trust the authority" in each.getMessage() for each in records)


async def test_a_connection_without_a_handshake_has_a_place_and_ends_with_the_time_to_the_first_byte(
    secured: Secured,
) -> None:
    probes = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        connection: LimitedConnection = scope["state"]["connection"]
        probes.append(connection.is_probe)
        await count(scope, receive, send)

    limits = replace(LIMITS, max_connections=1, first_byte_timeout_s=0.2)
    async with secured.running(note, limits=limits) as port, connected(port) as (silent, _):
        for _ in range(2):
            async with connected(port, secured.trust) as (reader, writer):
                writer.write(HEAD % b"/" + SMALL)
                await read_response(reader)
            await silent.read()  # to the end that the server makes
    assert probes == [True, False]


async def test_a_client_that_reads_nothing_is_aborted(secured: Secured) -> None:
    clock, sent, aborted = ManualClock(), asyncio.Event(), asyncio.Event()

    async def stream(_: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": LARGE, "more_body": True})
        sent.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        aborted.set()

    async with secured.running(stream, clock=clock) as port, connected(port, secured.trust) as (_, writer):
        assert isinstance(writer.transport, asyncio.Transport)
        writer.transport.pause_reading()
        writer.write(HEAD % b"/" + SMALL)
        await sent.wait()
        await advance_until(clock, 30, aborted.wait())


@pytest.mark.parametrize("size", [1, 70_000, len(LARGE)])
async def test_a_last_response_arrives_whole_and_the_connection_ends_without_the_client(
    size: int, secured: Secured
) -> None:
    async def respond_last(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
        await send({"type": "http.response.body", "body": LARGE[:size]})

    async with secured.running(respond_last) as port, connected(port, secured.trust) as (reader, writer):
        writer.write(HEAD % b"/" + SMALL)
        received = await read_to_end(reader)
    assert LARGE[:size] in received


async def test_the_rest_of_a_rejected_body_is_discarded_until_the_client_has_read_the_response(
    secured: Secured,
) -> None:
    async def reject(_: Scope, __: Receive, send: Send) -> None:
        await respond(send, 413, b"{}")

    clock = ManualClock()
    async with secured.running(reject, clock=clock) as port, connected(port, secured.trust) as (reader, writer):
        writer.write(HEAD % b"/" + b"Content-Length: 3000000\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 413 ")
        writer.write(b"x" * 100_000)
        await writer.drain()
        await advance_until(clock, 5, read_to_end(reader))
