"""A typed client over HTTP: of a server, and of endpoints that are not a server."""

import asyncio
import itertools
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from tests.toolaccord.demo.library import BookNotFound, GetBookRequest, ListBooksRequest, MisbehaveRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS, MISBEHAVE
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S
from toolaccord.client.connection import Era
from toolaccord.errors import (
    BrokenAnswer,
    CallFailed,
    RateLimited,
    ServerGone,
    TimedOut,
    TransportError,
    TransportRejection,
    Unauthorised,
    Unavailable,
    UndeclaredError,
)
from toolaccord.testing.socket_server import SocketServer

ERAS: list[Era] = ["auto", "handshake", "stateless"]
TOKEN = "the-right-token"
A_BOOK = GetBookRequest(id=7)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
async def server() -> AsyncIterator[Listener]:
    async with listening(environ={"MCP_AUTH_TOKEN": TOKEN}) as running:
        yield running


def client_of(port: int, token: str | None = TOKEN, era: Era = "auto") -> LibraryClient:
    """Return a client of the server on *port*."""
    return LibraryClient.http(f"http://127.0.0.1:{port}/mcp", token=token, era=era)


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_returns_a_result_or_raises_the_declared_error_in_both_eras(era: Era, server: Listener) -> None:
    async with client_of(server.port, era=era) as client:
        answered = await client.call(GET_BOOK, A_BOOK, corr_id="mine")
        assert (answered.result.title, answered.corr_id) == ("get 7", "mine")
        with pytest.raises(BookNotFound, match="there is no book 999"):
            await client.call(GET_BOOK, GetBookRequest(id=999))
        with pytest.raises(UndeclaredError, match="INTERNAL_ERROR: The server failed to answer"):
            await client.call(MISBEHAVE, MisbehaveRequest(how="crash"))
        pages = [page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A", limit=100))]
        assert [len(page.items) for page in pages] == [100, 100]


async def test_more_calls_than_connections_each_receive_their_own_answer(server: Listener) -> None:
    async with client_of(server.port) as client:
        answers = await asyncio.gather(*(client.call(GET_BOOK, GetBookRequest(id=each)) for each in range(1, 151)))
        assert [answer.result.id for answer in answers] == list(range(1, 151))


async def test_opening_with_a_wrong_token_raises_unauthorised(server: Listener) -> None:
    for token, era in itertools.product((None, "a wrong one"), ERAS):
        with pytest.raises(Unauthorised, match=r"\(401\): .*token.* MCP_AUTH_TOKEN") as caught:
            async with client_of(server.port, token, era):
                raise AssertionError("it is open")
        assert "a wrong one" not in str(caught.value)


async def test_a_call_that_times_out_raises_and_does_not_affect_other_calls(server: Listener) -> None:
    async with client_of(server.port) as client:
        with pytest.raises(TimedOut, match=r"did not answer misbehave within 0\.1 s"):
            await client.call(MISBEHAVE, MisbehaveRequest(how="wait"), timeout_s=0.1)
        assert (await client.call(GET_BOOK, A_BOOK)).result.id == 7


@pytest.mark.parametrize("era", ERAS)
async def test_calls_in_flight_raise_server_gone_when_the_server_dies(era: Era) -> None:
    async with listening() as server, client_of(server.port, era=era) as client, asyncio.timeout(PATIENCE_S):
        waiting = [asyncio.create_task(client.call(MISBEHAVE, MisbehaveRequest(how="wait"))) for _ in range(3)]
        await client.call(GET_BOOK, A_BOOK)
        server.process.signal(signal.SIGKILL)
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [ServerGone] * 3
        with pytest.raises(ServerGone, match=f"No answer from library-mcp at http://127.0.0.1:{server.port}/mcp"):
            await client.call(GET_BOOK, A_BOOK)


async def test_a_client_keeps_working_after_its_server_restarts() -> None:
    async with listening() as first:
        port = first.port
        client = client_of(port)
        await client.__aenter__()
    with pytest.raises(ServerGone):
        await client.call(GET_BOOK, A_BOOK)
    async with listening("--port", str(port)):
        assert (await client.call(GET_BOOK, A_BOOK)).result.id == 7
        await client.__aexit__(None, None, None)


@asynccontextmanager
async def answer_always(response: bytes) -> AsyncIterator[int]:
    """Listen on a port, and answer every request with *response*; yields the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response)
        writer.close()
        await writer.wait_closed()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, answer)):
        yield listener.getsockname()[1]


def http(status: str, body: bytes, kind: str = "text/html", length: int | None = None) -> bytes:
    """Return a response, with *length* as its Content-Length if given."""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length or len(body)}\r\nConnection: close\r\n"
    )
    return head.encode() + b"\r\n" + body


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "status, kind", [("429 Too Many Requests", RateLimited), ("503 Service Unavailable", Unavailable)]
)
@pytest.mark.parametrize(
    "header, retry_after_s",
    [("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("-1", None), ("9" * 5000, 999_999_999.0)],
)
async def test_a_busy_endpoint_has_a_class_of_its_own_and_says_when_to_come_back(
    status: str, kind: type[CallFailed], header: str, retry_after_s: float | None, era: Era
) -> None:
    response = http(status, b"busy").replace(b"\r\n", f"\r\nRetry-After: {header}\r\n".encode(), 1)
    async with answer_always(response) as port, asyncio.timeout(PATIENCE_S):
        with pytest.raises(kind) as raised:
            async with client_of(port, era=era):
                raise AssertionError("it is open")
    assert isinstance(raised.value, TransportRejection)
    assert raised.value.details == ({} if retry_after_s is None else {"retry_after_s": retry_after_s})
    assert raised.value.retryable


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "response, sentence",
    [
        (http("502 Bad Gateway", b"<h1>nginx</h1>"), "answered with the HTTP status 502: Bad Gateway"),
        (http("503 Service Unavailable", b'{"error": {"message": "Stopping"}}'), "the HTTP status 503: Stopping"),
        (http("404 Not Found", b"[]"), "answered with the HTTP status 404: Not Found"),
        (http("403 Forbidden", b""), r"rejected the call \(403\): Forbidden\. .* MCP_ALLOWED_ORIGINS"),
        (http("200 OK", b"<h1>Welcome</h1>"), "Unexpected content type: text/html"),
        (http("200 OK", b"{", "application/json", length=999), "No answer from library-mcp at .*peer closed"),
        (b"SSH-2.0-OpenSSH\r\n", "No answer from library-mcp at "),
        (b"", "No answer from library-mcp at .*Server disconnected"),
    ],
)
async def test_an_endpoint_that_is_not_a_server_raises_an_error_with_a_clear_sentence(
    response: bytes, sentence: str, era: Era
) -> None:
    async with answer_always(response) as port, asyncio.timeout(PATIENCE_S):
        with pytest.raises((TransportError, BrokenAnswer), match=sentence):
            async with client_of(port, era=era):
                raise AssertionError("it is open")


@pytest.mark.parametrize("token", ["s3cr3t\n", " s3cr3t", "s3cr3t\u00e9"])
def test_a_token_that_fits_into_no_header_is_rejected_and_never_shown(token: str) -> None:
    with pytest.raises(ValueError, match="the token for library-mcp has a space") as caught:
        LibraryClient.http("http://127.0.0.1:9/mcp", token=token)
    assert "s3cr3t" not in str(caught.value)


async def test_errors_show_an_address_without_its_password() -> None:
    client = LibraryClient.http("http://joe:s3cr3t@127.0.0.1:9/mcp?key=s3cr3t")
    with pytest.raises(ServerGone, match=r"library-mcp at http://127\.0\.0\.1:9/mcp") as caught:
        async with client:
            raise AssertionError("it is open")
    assert "s3cr3t" not in str(caught.value)
