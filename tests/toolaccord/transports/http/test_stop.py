"""Shutdown of a server over HTTP."""

import asyncio
import json
import signal
from typing import Any

import httpx
import pytest

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, Gate, started

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


async def start_call(server: Listener, route: str) -> asyncio.Task[httpx.Response]:
    """Start a call that waits at the gate until it is opened."""
    calls = {
        "rest": lambda: server.client.post("/mcp/tools/misbehave", json=AT_THE_GATE["arguments"]),
        "handshake": lambda: server.client.post("/mcp", json=message(), headers=MCP),
        "stateless": lambda: server.client.post("/mcp", json=message(_meta=META), headers=MODERN),
    }
    task = asyncio.create_task(calls[route]())
    await server.process.log_has("at the gate")
    return task


async def is_port_closed(server: Listener) -> bool:
    """Return whether the port accepts no connection."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    except ConnectionError:
        return True
    writer.close()
    return False


@pytest.mark.parametrize("route", ["rest", "handshake", "stateless"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_call_in_flight_is_finished_and_a_new_one_is_answered_503(number: int, route: str, gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_GRACE_S": "3600"}) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in await reader.readuntil(b"}")
        call = await start_call(server, route)
        server.process.signal(number)
        await server.process.log_has("no more requests are accepted")
        writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        last = (await asyncio.wait_for(reader.read(), PATIENCE_S)).lower()  # to the end: the connection is closed
        assert b" 503 " in last
        assert b"connection: close" in last
        assert await is_port_closed(server)
        gate.open()
        response = await call
        assert response.status_code == 200
        assert '"done":1' in response.text.replace("\\", "")
        assert await server.process.exit_code() == 0
        assert b"shelf closed: ***" in server.process.logged
        writer.close()


async def test_a_draining_server_answers_calls_and_is_not_ready_and_closes_connections(gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_DRAIN_S": "3600"}) as server:
        assert (await server.client.get("/ready")).status_code == 200
        server.process.signal(signal.SIGTERM)
        await server.process.log_has("not ready any more")
        ready = await server.client.get("/ready")
        assert (ready.status_code, ready.json()) == (503, {"status": "not ready", "sources": {"shelf": "ok"}})
        response = await server.client.post("/mcp/tools/get_book", json={"id": 7})
        assert response.status_code == 200
        assert response.headers["connection"] == "close"
        call = asyncio.create_task(server.client.post("/mcp", json=message(), headers=MCP))
        await server.process.log_has("at the gate")
        gate.open()
        streamed = await call
        assert streamed.headers.get_list("connection") == ["close"]
        assert '"done":1' in streamed.text.replace("\\", "")
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0


@pytest.mark.parametrize("route", ["rest", "handshake", "stateless"])
async def test_a_call_that_exceeds_the_grace_time_is_answered_503(route: str, gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_GRACE_S": "0.2"}) as server:
        call = await start_call(server, route)
        server.process.signal(signal.SIGTERM)
        response = await call
        assert "The server is stopping" in response.text
        assert response.status_code == 503
        assert await server.process.exit_code() == 0
        for text in (b"calls in flight were abandoned", b"shelf closed: ***", b'"status":"cancelled"'):
            assert text in server.process.logged
        assert b"Traceback" not in server.process.logged


async def test_an_open_event_stream_ends_with_an_error_when_its_call_is_cancelled(gate: Gate) -> None:
    async with listening("--reference", environ=gate.environ | LONG | {"MCP_GRACE_S": "0.2"}) as server:
        call = await start_call(server, "handshake")
        server.process.signal(signal.SIGTERM)
        response = await call
        assert (response.status_code, response.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
        events = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
        error = {"code": -32603, "message": "The server is stopping"}
        assert [json.loads(data) for data in events] == [{"jsonrpc": "2.0", "id": 1, "error": error}]
        assert await server.process.exit_code() == 0
        assert b"without completing response" not in server.process.logged
        assert b'"level":"error"' not in server.process.logged.lower()


async def test_a_second_signal_stops_the_process_at_once(gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG | {"MCP_GRACE_S": "3600", "MCP_DRAIN_S": "3600"}) as server:
        call = await start_call(server, "rest")
        server.process.signal(signal.SIGTERM)
        await server.process.log_has("asked to stop")
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        cancelled, closed = (
            server.process.logged.find(text) for text in (b'"status":"cancelled"', b"shelf closed: ***")
        )
        assert 0 < cancelled < closed
        assert b"ERROR" not in server.process.logged
        with pytest.raises(httpx.HTTPError):
            (await call).raise_for_status()


async def test_silent_connections_do_not_delay_the_end() -> None:
    async with listening(environ={"MCP_GRACE_S": "3600"}) as server:
        connections = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
        connections[1][1].write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await connections[1][0].readuntil(b"}")
        connections[2][1].write(b"GET /hea")
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        for _, writer in connections:
            writer.close()


async def test_clients_that_never_read_do_not_delay_the_end_beyond_the_grace_time() -> None:
    async with listening(environ={"MCP_GRACE_S": "0.2"}) as server:
        writers = []
        for _ in range(10):
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            assert isinstance(writer.transport, asyncio.Transport)
            writer.transport.pause_reading()
            writer.write(b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            writers.append(writer)
        assert (await server.client.get("/health")).status_code == 200
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        assert b"ended by force" not in server.process.logged
        assert b"Traceback" not in server.process.logged
        for writer in writers:
            writer.close()


async def test_a_process_with_a_stuck_event_loop_is_ended_by_force() -> None:
    async with listening(environ={"MCP_GRACE_S": "0"}) as server:
        call = asyncio.create_task(server.client.post("/mcp/tools/misbehave", json={"how": "block"}))
        await server.process.log_has('"stuck"')
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        assert b"ended by force" in server.process.logged
        with pytest.raises(httpx.HTTPError):
            await call


async def test_a_disconnect_cancels_the_call(gate: Gate) -> None:
    async with listening(environ=gate.environ | LONG) as server:
        call = await start_call(server, "rest")
        call.cancel()
        await server.process.log_has('"status":"cancelled"')
        assert (await server.client.get("/health")).status_code == 200


async def test_a_port_in_use_is_reported_in_a_sentence() -> None:
    async with (
        listening() as server,
        started("--transport", "http", "--port", str(server.port)) as second,
    ):
        assert await second.exit_code() == 1
        assert f"cannot listen on localhost port {server.port}".encode() in second.logged
        assert b"Traceback" not in second.logged
