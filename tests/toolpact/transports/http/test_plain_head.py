"""Plain requests, which are answered without h11: the same bytes to a connection that has nothing but h11 are answered alike."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import h11
import httpx
import httpx2
import pytest
import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from tests.toolpact.process import PATIENCE_S
from toolpact.transports.http import plain_head
from toolpact.transports.http.body import WHOLE
from toolpact.transports.http.protocol import PlainProtocol, TimedProtocol

HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PLAIN = HEAD + b"Content-Length: 2\r\n\r\n{}"
LAST = HEAD + b"Content-Length: 4\r\nConnection: close\r\n\r\nlast"
SLOWEST_S = 30.0


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with what was received; the path says how."""
    message = await receive()
    body: bytes = message["body"]
    while message["more_body"]:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
    seen = {
        name: str(scope[name]) for name in ("method", "path", "raw_path", "query_string", "http_version", "headers")
    }
    told = json.dumps(seen | {"body": body.decode()}).encode()
    length = (b"Content-Length", str(len(told)).encode())
    status, headers, parts = {
        "/chunks": (200, [], [told[:9], b"", told[9:]]),
        "/parts": (200, [length], [told[:9], told[9:]]),
        "/last": (200, [length, (b"Connection", b"close")], [told]),
        "/nothing": (204, [], [b""]),
        "/unchanged": (304, [length], [b""]),
        "/teapot": (418, [length], [told]),
        "/short": (200, [length], [told[:9]]),
        "/long": (200, [length], [told + b"!"]),
        "/unlike": (200, [(b"Content-Length", b"few")], [told]),
        "/split": (200, [length, (b"X-A", b"1\r\nX-B: 2")], [told]),
        "/silent": (200, [length], []),
        "/twice": (200, [length], [told, told]),
    }.get(scope["path"], (200, [length], [told]))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for number, part in enumerate(parts, 1):
        await send({"type": "http.response.body", "body": part, "more_body": number < len(parts)})
    if scope["path"] == "/twice":
        await send({"type": "http.response.body", "body": told})


@asynccontextmanager
async def serving(
    protocol: Callable[..., asyncio.Protocol], app: Any = echo, state: ServerState | None = None
) -> AsyncIterator[int]:
    """Give the port of a server whose connections are of *protocol*, and kept in *state*."""
    config = uvicorn.Config(app, ws="none", lifespan="off", log_config=None, access_log=False, interface="asgi3")
    made = partial(protocol, SLOWEST_S, config=config, server_state=state or ServerState(), app_state={})
    async with await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def arrived() -> None:
    """Wait until what was sent has come: both ends are of this loop."""
    for _ in range(5):
        await asyncio.sleep(0)


async def answered(port: int, *parts: bytes) -> bytes:
    """Send *parts*, each once the one before has arrived, and return all that comes back until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await arrived()
    answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    return answer


def posted(path: bytes = b"/mcp", *, lines: bytes = b"", body: bytes = b"{}", length: bytes | None = None) -> bytes:
    """Return a request that is plain but for *lines*."""
    said = str(len(body)).encode() if length is None else length
    return b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: %b\r\n%b\r\n%b" % (path, said, lines, body)


UNUSUAL = [
    posted(lines=b"Transfer-Encoding: chunked\r\n"),
    posted(lines=b"Expect: 100-continue\r\n"),
    posted(lines=b"Connection: Upgrade\r\nUpgrade: h2c\r\n"),
    posted(lines=b"Upgrade: h2c\r\n"),
    posted(lines=b"Connection: keep-alive, close\r\n"),
    posted(lines=b"Content-Length: 2\r\n"),
    posted(lines=b"content-length: 3\r\n"),
    posted(lines=b"Host: elsewhere\r\n"),
    posted(lines=b"X-A: 1\r\nx-a: 2\r\n"),
    posted(lines=b"X-A: 1\r\n 2\r\n"),
    posted(lines=b"X-A : 1\r\n"),
    posted(lines=b"X-A: \xff\r\n"),
    posted(lines=b"X-A: a\tb\r\n"),
    posted(lines=b"X-A: 1\rX-B: 2\r\n"),
    posted(lines=b"X-A: 1\nX-B: 2\r\n"),
    posted(lines=b"X-A: \x00\r\n"),
    posted(lines=b": 1\r\n"),
    posted(lines=b"X-A\r\n"),
    posted(lines=b"X-A: %b\r\n" % (b"a" * 20_000)),
    posted(length=b"+2"),
    posted(length=b"2, 2"),
    posted(length=b"0x2"),
    posted(length=b"2 2"),
    posted(length=b""),
    posted(length=b"-1"),
    posted(length=b"9" * 30),
    posted(b"http://localhost/mcp"),
    posted(b"/m%63p"),
    posted(b"/mcp#x"),
    posted(b"*"),
    posted(b"/mcp /x"),
    posted().replace(b"POST", b"GET"),
    posted().replace(b"POST", b"post"),
    posted().replace(b"HTTP/1.1", b"HTTP/1.0"),
    posted().replace(b"HTTP/1.1", b"HTTP/1.1 "),
    posted().replace(b"\r\n", b"\n"),
    posted().replace(b"Host: localhost\r\n", b""),
    b"\r\n" + posted(),
    b"POST /mcp HTTP/1.1\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]


@pytest.mark.parametrize("request_", UNUSUAL)
async def test_what_is_not_plain_is_left_to_h11(request_: bytes) -> None:
    assert plain_head.read(request_) is None
    async with serving(PlainProtocol) as ours, serving(TimedProtocol) as h11s:
        end = posted(lines=b"Connection: close\r\n", body=b"x" * 99)  # ends what still waits for more
        assert await answered(ours, request_ + end) == await answered(h11s, request_ + end)


FIELD = st.tuples(
    st.sampled_from([b"Host", b"host", b"Content-Length", b"Connection", b"Transfer-Encoding", b"Expect", b"X-A", b"x-b"]),
    st.sampled_from([*[b":", b": "] * 3, b":\t", b" :", b":  ", b""]),
    st.sampled_from([b"2", b"02", b"2 ", b"a", b"keep-alive", b"Keep-Alive", b"close", b"chunked", b"", b"a b", b"\x7f", b"\xe9"]),
    st.sampled_from([*[b"\r\n"] * 9, b"\n", b"\r", b"\r\n ", b"\r\n\r\n"]),
)  # fmt: skip
LINE = st.sampled_from(
    [b"POST /mcp HTTP/1.1\r\n", b"POST /a/b.c-d_e?version=1.0.0&x HTTP/1.1\r\n", b"POST  /mcp HTTP/1.1\r\n"]
)
FIELDS = st.lists(FIELD, max_size=4).map(lambda fields: b"".join(b"".join(field) for field in fields))
REQUEST = st.builds(
    lambda line, before, after, body: line + before + b"Host: a\r\nContent-Length: 2\r\n" + after + b"\r\n" + body,
    LINE, FIELDS, FIELDS, st.sampled_from([b"{}", b"", b"{", b"{}{}"]),
)  # fmt: skip


@settings(max_examples=400)
@given(REQUEST)
def test_what_is_plain_is_read_as_h11_reads_it(data: bytes) -> None:
    head = plain_head.read(data)
    if head is None:
        return
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(data[: head.end])
    request = connection.next_event()
    assert isinstance(request, h11.Request)
    target = head.path + (b"?" + head.query if b"?" in request.target else b"")
    assert (request.method, request.target, request.http_version) == (b"POST", target, b"1.1")
    assert list(request.headers) == head.headers
    assert not connection.they_are_waiting_for_100_continue
    if len(data) < head.end:
        return
    read = connection.next_event()
    assert isinstance(read, h11.Data)
    assert bytes(read.data) == data[head.body : head.end]
    assert isinstance(connection.next_event(), h11.EndOfMessage)
    assert connection.their_state is h11.DONE
    assert connection.trailing_data == (b"", False)


@pytest.mark.parametrize(
    "path", [b"/mcp", b"/mcp?version=1.0.0", b"/chunks", b"/parts", b"/nothing", b"/unchanged", b"/teapot"]
)
@pytest.mark.parametrize("headers", [b"", b"X-A:\r\nx_b:  1 \r\n", b"Connection: Keep-Alive\r\n"])
async def test_a_plain_request_is_answered_as_by_h11(path: bytes, headers: bytes) -> None:
    request = posted(path, lines=headers, body="ü".encode())
    assert plain_head.read(request)
    async with serving(PlainProtocol) as ours, serving(TimedProtocol) as h11s:
        for parts in ([request], [request, request], [request[:-1], request[-1:]], [request[:30], request[30:]]):
            answer = await answered(ours, *parts, LAST)
            assert answer.lower() == (await answered(h11s, *parts, LAST)).lower()
            assert answer.count(b"HTTP/1.1 ") == len([each for each in parts if each == request]) + 1 or len(parts) == 2


async def test_requests_that_come_before_the_answer_are_answered_in_turn() -> None:
    opened, order = asyncio.Event(), []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        order.append(scope["query_string"])
        if scope["query_string"] == b"1":
            await opened.wait()
        order.append(scope["query_string"])
        await echo(scope, receive, send)

    async with serving(PlainProtocol, slow) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(posted(b"/mcp?1"))
        await arrived()
        writer.write(posted(b"/mcp?2"))
        await arrived()
        writer.write(posted(b"/mcp?3") + LAST)
        await arrived()
        opened.set()
        answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
        writer.close()
    assert order == [b"1", b"1", b"2", b"2", b"3", b"3", b"", b""]
    assert answer.count(b"HTTP/1.1 200 OK") == 4


async def test_what_common_clients_send_is_plain() -> None:
    async def telling(scope: Scope, _: Receive, send: Send) -> None:
        plain = b"plain" if scope.get("extensions") == WHOLE else b"not p"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"Content-Length", b"5")]})
        await send({"type": "http.response.body", "body": plain})

    async with serving(PlainProtocol, telling) as port:
        url, headers = f"http://127.0.0.1:{port}/mcp", {"Accept": "application/json, text/event-stream"}
        for client in (httpx.AsyncClient(trust_env=False), httpx2.AsyncClient(trust_env=False)):
            async with client:
                said = [(await client.post(url, json={"id": 7}, headers=headers)).text for _ in range(3)]
            assert said == ["plain"] * 3
        opencode = b"Connection: keep-alive\r\nUser-Agent: opencode\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\n"
        assert (await answered(port, posted(lines=opencode), LAST)).count(b"plain") == 1


async def test_an_answer_that_asks_for_it_ends_the_connection() -> None:
    async with serving(PlainProtocol) as port:
        answer = await answered(port, posted(b"/last"))
    assert answer.lower().count(b"connection: close") == 1


@pytest.mark.parametrize("path", [b"/short", b"/long", b"/split", b"/silent", b"/twice"])
async def test_an_application_that_breaks_http_reaches_no_caller_with_it(path: bytes) -> None:
    async with serving(PlainProtocol) as port:
        answer = await answered(port, posted(path), LAST)
    assert b"X-B" not in answer
    assert b"!" not in answer


async def test_an_answer_that_is_begun_twice_is_not_taken_for_whole() -> None:
    async def twice(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        await send({"type": "http.response.start", "status": 500, "headers": []})

    async with serving(PlainProtocol, twice) as ours, serving(TimedProtocol, twice) as h11s:
        answer = await answered(ours, PLAIN)
        assert answer.endswith(b"4\r\nhalf\r\n")
        assert answer.lower() == (await answered(h11s, PLAIN)).lower()


async def test_an_answer_that_cannot_be_written_is_an_error_that_the_caller_is_told() -> None:
    async with serving(PlainProtocol) as port:
        assert (await answered(port, posted(b"/unlike"))).startswith(b"HTTP/1.1 500 ")


@pytest.mark.parametrize("sent", [len(PLAIN) - 2, len(PLAIN) - 1, len(PLAIN)])
async def test_at_the_end_a_request_whose_head_has_come_is_still_answered(sent: int) -> None:
    state = ServerState()
    async with serving(PlainProtocol, state=state) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(PLAIN[:sent])
        await arrived()
        for connection in state.connections:
            connection.shutdown()
        writer.write(PLAIN[sent:])
        answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("behind", [b"", PLAIN])
async def test_a_caller_that_leaves_is_told_of_to_the_application(behind: bytes) -> None:
    received: asyncio.Queue[str] = asyncio.Queue()

    async def waiting(_: Scope, receive: Receive, send: Send) -> None:
        received.put_nowait((await receive())["type"])
        received.put_nowait((await receive())["type"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async with serving(PlainProtocol, waiting) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(PLAIN)
        assert await received.get() == "http.request"
        writer.write(behind)
        await arrived()
        writer.close()
        assert await asyncio.wait_for(received.get(), PATIENCE_S) == "http.disconnect"


async def test_what_comes_behind_a_request_in_hand_is_not_read_without_end() -> None:
    async def waiting(_: Scope, receive: Receive, __: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    state = ServerState()
    async with serving(PlainProtocol, waiting, state) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(PLAIN)
        await arrived()
        writer.write(PLAIN * 10_000)
        await arrived()
        (connection,) = state.connections
        assert not connection.transport.is_reading()
        connection.transport.abort()
        writer.close()


async def test_a_body_that_is_not_right_behind_its_head_is_refused_before_it_is_there() -> None:
    async def refusing(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 401, "headers": [(b"Content-Length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async with serving(PlainProtocol, refusing) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(PLAIN[:-1])
        assert await asyncio.wait_for(reader.readline(), PATIENCE_S) == b"HTTP/1.1 401 Unauthorized\r\n"
        writer.close()
