import re
import socket
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.toolaccord.demo.framed import framed
from tests.toolaccord.demo.framed import request as relay_request
from tests.toolaccord.process import PATIENCE_S, Process, call, started

ADDRESS = re.compile(rb"metrics are at (http://127\.0\.0\.1:(\d+)/metrics)")


@pytest.fixture
async def server() -> AsyncIterator[Process]:
    async with started("--metrics-port", "0") as server:
        await server.shake_hands()
        await server.log_has("metrics are at")
        yield server


async def read(server: Process) -> httpx.Response:
    found = ADDRESS.search(server.logged)
    assert found
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
        return await client.get(found[1].decode())


async def test_a_stdio_server_serves_its_metrics(server: Process) -> None:
    for number in range(3):
        await server.send(call(number, "get_book", id=7))
        await server.receive()
    answer = await read(server)
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert 'mcp_tool_calls_total{client="test",status="success",tool="get_book"} 3.0' in answer.text.splitlines()
    server.close_input()
    assert await server.exit_code() == 0
    assert b"Traceback" not in server.logged


async def test_a_server_of_frames_serves_its_metrics() -> None:
    async with framed("--metrics-port", "0") as relay:
        await relay.log_has("metrics are at")
        await relay.send(relay_request(1, "echo", text="a"))
        await relay.receive()
        lines = (await read(relay)).text.splitlines()
        assert 'mcp_tool_calls_total{client="unknown",status="success",tool="echo"} 1.0' in lines


async def test_metrics_are_served_on_loopback_alone(server: Process) -> None:
    found = ADDRESS.search(server.logged)
    assert found
    with pytest.raises(ConnectionRefusedError):  # a server on all addresses would accept it
        socket.create_connection(("127.0.0.2", int(found[2])), PATIENCE_S)


async def test_a_port_in_use_is_reported_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with started("--metrics-port", str(port)) as server:
            assert await server.exit_code() == 1
    assert f"cannot listen on 127.0.0.1 port {port}: ".encode() in server.logged
    assert b"Traceback" not in server.logged


async def test_the_metrics_port_is_rejected_over_http() -> None:
    async with started("--transport", "http", "--port", "0", "--metrics-port", "0") as server:
        assert await server.exit_code() == 2
    assert b"over HTTP the metrics are at /metrics" in server.logged
