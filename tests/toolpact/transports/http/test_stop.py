"""How a server that listens comes to its end."""

import asyncio
import json
import signal
from typing import Any

import httpx
import pytest

from tests.toolpact.listener import Listener, listening
from tests.toolpact.process import PATIENCE_S, Gate, started

LONG = {"LIBRARY_TIMEOUT_MS": "3600000"}
MCP = {"Accept": "application/json, text/event-stream"}
MODERN = MCP | {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "misbehave"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
AT_THE_GATE: dict[str, Any] = {"name": "misbehave", "arguments": {"how": "gate"}}


def message(**extra: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": AT_THE_GATE | extra}


async def held(server: Listener, how: str) -> asyncio.Task[httpx.Response]:
    """Begin a call that stays at the gate until it is opened."""
    begun = {
        "rest": lambda: server.client.post("/mcp/tools/misbehave", json=AT_THE_GATE["arguments"]),
        "handshake": lambda: server.client.post("/mcp", json=message(), headers=MCP),
        "stateless": lambda: server.client.post("/mcp", json=message(_meta=META), headers=MODERN),
    }
    task = asyncio.create_task(begun[how]())
    await server.process.log_has("at the gate")
    return task


async def refused(server: Listener) -> bool:
    """Return whether a new connection is refused."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except ConnectionError:
        return True
    writer.close()
    return False


@pytest.mark.parametrize("how", ["rest", "handshake", "stateless"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_call_in_flight_is_finished_and_a_new_one_is_refused(number: int, how: str, gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_GRACE_S": "3600"}) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in await reader.readuntil(b"}")
        call = await held(server, how)
        server.process.signal(number)
        await server.process.log_has("no more requests are accepted")
        writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        told = (await asyncio.wait_for(reader.read(), PATIENCE_S)).lower()  # to the end: the connection is closed
        assert b" 503 " in told
        assert b"connection: close" in told
        assert await refused(server)
        gate.open()
        answer = await call
        assert answer.status_code == 200
        assert '"done":1' in answer.text.replace("\\", "")
        assert await server.process.exit_code() == 0
        assert b"shelf closed: ***" in server.process.logged
        writer.close()


async def test_while_it_drains_calls_are_taken_but_it_is_not_ready_and_keeps_no_connection(gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_DRAIN_S": "3600"}) as server:
        assert (await server.client.get("/ready")).status_code == 200
        server.process.signal(signal.SIGTERM)
        await server.process.log_has("not ready any more")
        ready = await server.client.get("/ready")
        assert (ready.status_code, ready.json()) == (503, {"status": "not ready", "sources": {"shelf": "ok"}})
        answer = await server.client.post("/mcp/tools/get_book", json={"id": 7})
        assert answer.status_code == 200
        assert answer.headers["connection"] == "close"
        call = asyncio.create_task(server.client.post("/mcp", json=message(), headers=MCP))
        await server.process.log_has("at the gate")
        gate.open()
        streamed = await call
        assert streamed.headers.get_list("connection") == ["close"]
        assert '"done":1' in streamed.text.replace("\\", "")
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0


@pytest.mark.parametrize("how", ["rest", "handshake", "stateless"])
async def test_a_call_that_takes_longer_than_the_grace_is_given_up(how: str, gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_GRACE_S": "0.2"}) as server:
        call = await held(server, how)
        server.process.signal(signal.SIGTERM)
        answer = await call
        assert "The server is stopping" in answer.text
        assert answer.status_code == 503
        assert await server.process.exit_code() == 0
        for said in (b"calls in flight were abandoned", b"shelf closed: ***", b'"status":"cancelled"'):
            assert said in server.process.logged
        assert b"Traceback" not in server.process.logged


async def test_a_stream_that_has_begun_ends_with_an_error_when_its_call_is_given_up(gate: Gate) -> None:
    async with listening("--reference", environ=gate.environ | LONG | {"MCP_GRACE_S": "0.2"}) as server:
        call = await held(server, "handshake")
        server.process.signal(signal.SIGTERM)
        answer = await call
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
        told = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
        error = {"code": -32603, "message": "The server is stopping"}
        assert [json.loads(data) for data in told] == [{"jsonrpc": "2.0", "id": 1, "error": error}]
        assert await server.process.exit_code() == 0
        assert b"without completing response" not in server.process.logged
        assert b'"level":"error"' not in server.process.logged.lower()


async def test_a_second_signal_ends_the_process_at_once(gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_GRACE_S": "3600", "MCP_DRAIN_S": "3600"}) as server:
        call = await held(server, "rest")
        server.process.signal(signal.SIGTERM)
        await server.process.log_has("asked to stop")
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        given_up, closed = (
            server.process.logged.find(said) for said in (b'"status":"cancelled"', b"shelf closed: ***")
        )
        assert 0 < given_up < closed
        assert b"ERROR" not in server.process.logged
        with pytest.raises(httpx.HTTPError):
            (await call).raise_for_status()


async def test_connections_that_say_nothing_hold_nobody_up() -> None:
    async with listening(environ={"MCP_GRACE_S": "3600"}) as server:
        open_ends = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
        open_ends[1][1].write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await open_ends[1][0].readuntil(b"}")
        open_ends[2][1].write(b"GET /hea")
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        for _, writer in open_ends:
            writer.close()


async def test_a_loop_that_is_stuck_is_ended_by_force() -> None:
    async with listening(environ={"MCP_GRACE_S": "0"}) as server:
        call = asyncio.create_task(server.client.post("/mcp/tools/misbehave", json={"how": "block"}))
        await server.process.log_has('"stuck"')
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        assert b"ended by force" in server.process.logged
        with pytest.raises(httpx.HTTPError):
            await call


async def test_a_client_that_leaves_gives_its_call_up(gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG) as server:
        call = await held(server, "rest")
        call.cancel()
        await server.process.log_has('"status":"cancelled"')
        assert (await server.client.get("/health")).status_code == 200


async def test_a_port_that_is_taken_is_said_in_a_sentence() -> None:
    async with (
        listening() as server,
        started("--transport", "http", "--port", str(server.port)) as second,
    ):
        assert await second.exit_code() == 1
        assert f"cannot listen on 127.0.0.1 port {server.port}".encode() in second.logged
        assert b"Traceback" not in second.logged
