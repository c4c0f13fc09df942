import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from runtime.clock import SystemClock
from runtime.sources.http import Http, HttpBadResponse, HttpSource, HttpTimeout, HttpUnavailable
from runtime.testing import ManualClock

Serve = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
DECLARED = HttpSource(name="iss", url="base", max_connections=2, connection_timeout_s=2.0, timeout_s=5.0)


@asynccontextmanager
async def service(serve: Serve, clock: SystemClock | ManualClock | None = None) -> AsyncIterator[Http]:
    """Give a client of a service that answers each request as *serve* says."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await serve(head.split(b"\r\n")[0], writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    http = DECLARED.open({"base": f"http://127.0.0.1:{port}/iss"}, clock or SystemClock())
    try:
        yield http
    finally:
        await http.close()
        server.close()


def answer(body: bytes, status: str = "200 OK") -> Serve:
    async def serve(_request: bytes, writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)

    return serve


async def test_json_is_read_below_the_base_url() -> None:
    asked: list[bytes] = []

    async def serve(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await answer(b'{"a": [1, 2.5]}')(request, writer)

    async with service(serve) as http:
        await http.start()
        assert await http.get_json("engines/stock.json", {"limit": 5, "on": "a b"}) == {"a": [1, 2.5]}
    assert asked == [b"GET /iss/engines/stock.json?limit=5&on=a+b HTTP/1.1"]


@pytest.mark.parametrize("status", ["404 Not Found", "503 Busy", "302 Found"])
async def test_a_status_that_is_not_success_is_a_failure_that_knows_it(status: str) -> None:
    async with service(answer(b"{}", status)) as http:
        with pytest.raises(HttpUnavailable) as raised:
            await http.get_json("x")
    assert raised.value.status == int(status[:3])


async def test_an_answer_that_is_not_json_is_a_failure() -> None:
    async with service(answer(b"<html>")) as http:
        with pytest.raises(HttpBadResponse):
            await http.get_json("x")


async def test_a_service_that_is_away_is_a_failure_without_a_status() -> None:
    http = DECLARED.open({"base": "http://127.0.0.1:1"}, SystemClock())
    with pytest.raises(HttpUnavailable) as raised:
        await http.get_json("x")
    assert raised.value.status is None
    await http.close()


async def test_a_service_that_drips_is_given_up_when_its_time_is_over() -> None:
    clock, dripping = ManualClock(), asyncio.Event()

    async def serve(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n1")
        dripping.set()

    async with service(serve, clock) as http:
        asking = asyncio.create_task(http.get_json("x"))
        await dripping.wait()
        clock.advance(5)
        with pytest.raises(HttpTimeout):
            await asking


async def test_a_broken_connection_is_a_failure_and_the_next_call_works() -> None:
    broken = True

    async def serve(request: bytes, writer: asyncio.StreamWriter) -> None:
        if broken:
            writer.close()
        else:
            await answer(b"1")(request, writer)

    async with service(serve) as http:
        with pytest.raises(HttpUnavailable):
            await http.get_json("x")
        broken = False
        assert await http.get_json("x") == 1


UNUSABLE = [
    "http://[::1",
    "http://127.0.0.1:notaport",
    "http://127.0.0.1:99999",
    f"http://{'a' * 64}.example",
    "http://",
]


@pytest.mark.parametrize("url", UNUSABLE)
async def test_an_address_that_cannot_be_one_is_a_failure_of_the_source(url: str) -> None:
    http = DECLARED.open({"base": url}, SystemClock())
    with pytest.raises(HttpUnavailable):
        await http.get_json("x")
    await http.close()


async def test_a_caller_that_leaves_at_any_moment_takes_no_connection_along() -> None:
    async with service(answer(b"[1]")) as http:
        for ticks in range(1, 24):
            leaving = asyncio.create_task(http.get_json("x"))
            for _ in range(ticks):
                await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.wait({leaving})
            assert await asyncio.gather(*(http.get_json("x") for _ in range(4))) == [[1]] * 4
