"""Another MCP server as a source: calls, errors, limits, and drafts that forward to it."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from toolaccord.errors import UndeclaredEffect
from toolaccord.sources.mcp import McpRejected, McpSource, McpTimeout, McpUnavailable
from toolaccord.sources.mcp.client import McpClient
from toolaccord.testing import ManualClock, pipeline
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import Clock, SystemClock
from toolaccord_codegen.__main__ import main

ORIGINAL = f"{sys.executable} {Path(__file__).with_name('original_server.py')}"
DECLARED = McpSource(name="original", server="address", max_in_flight=1)
INITIALIZED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "O", "version": "1"},
}
NAMES = ("--package", "forwarding", "--handlers", "forwarding_handlers")


@asynccontextmanager
async def opened(address: str = ORIGINAL, declared: McpSource = DECLARED, **parts: Any) -> AsyncIterator[McpClient]:
    """Give a source of the server at an address."""
    source = declared.open({"address": address}, parts.get("clock", SystemClock()))
    assert isinstance(source, McpClient)
    try:
        yield source
    finally:
        await source.close()


class Restarting:
    """A server over HTTP that loses its session, hangs, or answers with one status."""

    def __init__(self) -> None:
        self.session, self.status, self.opened, self.hangs = "1", 200, 0, False
        self.arrived = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"(?i)content-length: (\d+)", head)
        request = json.loads(await reader.readexactly(int(length[1])) if length else b"{}")
        self.arrived.set()
        if self.hangs:
            await reader.read()
        status, answer = self._answer(request, re.search(r"(?i)mcp-session-id: (\S+)", head))
        body = json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **answer})
        headers = f"Content-Type: application/json\r\nMcp-Session-Id: {self.session}\r\nConnection: close"
        writer.write(f"HTTP/1.1 {status} x\r\n{headers}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()

    def _answer(self, request: dict[str, Any], session: re.Match[str] | None) -> tuple[int, dict[str, Any]]:
        failed = {"error": {"code": -32600, "message": "Session not found"}}
        if request.get("method") == "initialize":
            self.opened += 1
            return 200, {"result": INITIALIZED}
        if session is None:
            return 400, failed
        if session[1] != self.session:
            return 404, failed
        if "id" not in request:
            return (202 if request else 405), {}
        return self.status, ({"result": {"content": []}} if self.status == 200 else failed)


@asynccontextmanager
async def restarting(clock: Clock) -> AsyncIterator[tuple[Restarting, McpClient]]:
    """Give such a server and a source of it."""
    server, listener = Restarting(), socket.create_server(("127.0.0.1", 0))
    serving = SocketServer(listener, server.serve)
    try:
        async with opened(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", clock=clock) as source:
            yield server, source
    finally:
        await serving.aclose()


async def test_a_session_that_the_server_lost_is_opened_again() -> None:
    async with restarting(SystemClock()) as (server, source):
        await source.call_tool("add", {})
        server.session = "2"
        with pytest.raises(McpUnavailable):
            await source.call_tool("add", {})
        await source.call_tool("add", {})
        assert server.opened == 2


async def test_a_server_error_is_an_outage_and_opens_a_new_connection() -> None:
    async with restarting(SystemClock()) as (server, source):
        await source.start()
        server.status = 503
        with pytest.raises(McpUnavailable) as raised:
            await source.call_tool("add", {})
        assert "status 503" in raised.value.why
        assert source.availability.answers == 0
        server.status = 400
        with pytest.raises(McpRejected):
            await source.call_tool("add", {})
        assert server.opened == 2


async def test_a_first_connection_that_hangs_is_given_up() -> None:
    clock = ManualClock()
    async with restarting(clock) as (server, source):
        server.hangs = True
        first = asyncio.create_task(source.start())
        await server.arrived.wait()
        clock.advance(30)
        second = asyncio.create_task(source.start())
        await asyncio.sleep(0)
        clock.advance(31)
        with pytest.raises(McpTimeout, match="not ready within 60"):
            await first
        with pytest.raises(McpUnavailable):
            await second
        server.hangs = False
        await source.call_tool("add", {})


async def test_the_end_of_an_old_connection_closes_no_newer_one() -> None:
    async with restarting(SystemClock()) as (server, source):
        old = await source._connect()
        await source.close()
        new = await source._connect()
        await source._drop(old)
        assert await source._connect() is new
        assert server.opened == 2


async def test_a_tool_that_only_reads_calls_such_tools_alone() -> None:
    async with opened() as source:
        reading = source.reading("add it to writes")
        assert (await reading.call_tool("add", {"a": 1, "b": 2})).structured == {"sum": 3}
        for name in ("echo", "unknown"):
            with pytest.raises(UndeclaredEffect, match="add it to writes"):
                await reading.call_tool(name, {"text": "x"})
        assert (await source.call_tool("echo", {"text": "x"})).content[0]["text"] == "x"


async def test_a_process_that_is_started_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "s3cret")
    async with opened(f"env SHOWN=yes {ORIGINAL}") as source:
        names = (await source.call_tool("environment", {})).structured
    assert {"PATH", "SHOWN"} <= set(names)
    assert "DATABASE_PASSWORD" not in names


async def test_calls_errors_and_a_process_that_ends() -> None:
    async with opened() as source:
        await source.start()
        await source.check()
        result = await source.call_tool("add", {"a": 1, "b": 2})
        assert (result.structured, result.content[0]["text"]) == ({"sum": 3}, '{"sum": 3}')
        with pytest.raises(McpRejected) as tool_error:
            await source.call_tool("fail", {"text": "s3cret"})
        assert "s3cret" not in tool_error.value.why
        assert not tool_error.value.is_outage
        with pytest.raises(McpRejected):
            await source.call_tool("unknown", {})
        with pytest.raises(McpUnavailable):
            await source.call_tool("exit", {})
        assert (await source.call_tool("add", {"a": 2, "b": 2})).structured == {"sum": 4}  # in a new process


async def test_a_call_without_an_answer_and_those_behind_it_end_in_time() -> None:
    clock = ManualClock()
    async with opened(clock=clock) as source:
        await source.start()
        first = asyncio.create_task(source.call_tool("hang", {}))
        await asyncio.sleep(0)
        second = asyncio.create_task(source.call_tool("add", {"a": 1, "b": 1}))
        for _ in range(10):
            await asyncio.sleep(0)
        clock.advance(21)
        with pytest.raises(McpTimeout, match="no answer within 20"):
            await first
        assert (await second).structured == {"sum": 2}


async def test_a_result_that_is_too_large_is_rejected() -> None:
    async with opened(declared=McpSource(name="original", server="address", max_response_bytes=1024)) as source:
        with pytest.raises(McpRejected, match="exceeds max_response_bytes"):
            await source.call_tool("echo", {"text": "x" * 2000})


@pytest.mark.parametrize("address", ["no-such-program-here x", "http://127.0.0.1:1/mcp", f"{sys.executable} -c pass"])
async def test_a_server_that_cannot_be_reached_is_an_outage(address: str) -> None:
    async with opened(address) as source:
        with pytest.raises((McpUnavailable, McpTimeout)) as raised:
            await source.check()
    assert raised.value.is_outage
    assert "no-such-program" not in raised.value.why


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder current into which the original is imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["import", "acme/drafted", "--from-server", ORIGINAL, *NAMES]) == 0
    yield tmp_path
    assert Path.cwd() == Path(os.path.realpath(tmp_path))


async def test_a_draft_of_a_server_forwards_until_it_is_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    contract = json.loads((project / "contracts/acme/drafted.json").read_text())
    assert contract["sources"] == {"upstream": {"kind": "mcp", "server": {"setting": "drafted_server"}}}
    assert contract["settings"]["drafted_server"]["default"] == ORIGINAL
    server = importlib.import_module("forwarding.acme.drafted.server").server(
        importlib.import_module("forwarding_handlers.acme.drafted")
    )
    (declared,) = server.sources
    source = declared.open({"drafted_server": ORIGINAL}, SystemClock())
    try:
        calls = pipeline(server, sources={"upstream": source})
        assert (await calls.call("add", {"a": 1, "b": 2})).body == {"sum": 3}
        echoed = await calls.call("echo", {"text": "hé"})
        assert json.loads(echoed.content or b"")[0]["text"] == "hé"
        failed = await calls.call("fail", {"text": "s3cret"})
        assert failed.body["error"]["code"] == "INTERNAL"
        assert "s3cret" not in json.dumps(failed.body)
        assert (await calls.call("add", {"a": "x", "b": 2})).body["error"]["code"] == "INVALID_ARGUMENTS"
    finally:
        await source.close()
