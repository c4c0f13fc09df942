"""Connections of the demo to a server that it starts, over MCP or Content-Length."""

import asyncio
import itertools
import json
import re
import socket
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from sandbox import API_KEY
from sandbox.demo.answers import Answer, read_answer, read_body, read_protocol_error
from sandbox.demo.calls import Arguments, Lookups, Recorder


@dataclass(frozen=True, slots=True)
class Command:
    """A command that starts a server."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: Path


Connect: TypeAlias = Callable[[Command, TextIO], AbstractAsyncContextManager[Recorder]]
"""Starts a server whose log goes to a file, and yields a recorder of calls to it."""
PROXYLESS = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@asynccontextmanager
async def connect_mcp(command: Command, log: TextIO) -> AsyncIterator[Recorder]:
    """Speak MCP with a server, as a host does."""
    port = _find_free_port()
    program, *arguments = command.arguments
    arguments += ["--metrics-port", str(port)]
    parameters = StdioServerParameters(
        command=program, args=arguments, env=dict(command.environment), cwd=command.folder
    )
    async with Client(stdio_client(parameters, errlog=log)) as client:
        await client.list_tools()

        async def send(tool: str, arguments: Arguments, meta: Any) -> Answer:
            try:
                return read_answer(await client.call_tool(tool, arguments, meta=meta))
            except MCPError as error:
                return read_protocol_error(error)

        yield Recorder(send, partial(_count_lookups, port))


@asynccontextmanager
async def connect_framed(command: Command, log: TextIO) -> AsyncIterator[Recorder]:
    """Speak JSON-RPC with Content-Length headers, with the sandbox's key in each request."""
    port = _find_free_port()
    process = await asyncio.create_subprocess_exec(
        *(*command.arguments, "--transport", "content-length", "--metrics-port", str(port)),
        env=command.environment,
        cwd=command.folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    writer, reader, ids = process.stdin, process.stdout, itertools.count(1)

    async def send(method: str, arguments: Arguments, _meta: Any) -> Answer:
        request = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": {"api_key": API_KEY} | arguments}
        body = json.dumps(request).encode()
        writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        header = await reader.readuntil(b"\r\n\r\n")
        answer = json.loads(await reader.readexactly(int(header.split(b":")[1])))
        is_error = "error" in answer
        return read_body(answer if is_error else answer["result"], is_error=is_error)

    try:
        await send("none", {}, None)  # the time of the first call is not that of the start
        yield Recorder(send, partial(_count_lookups, port))
    finally:
        writer.close()
        await process.wait()


async def _count_lookups(port: int) -> Lookups:
    """Return the lookups that a server's metrics count."""
    text = await asyncio.to_thread(_read_metrics, port)
    hits, misses = (
        re.findall(rf"^mcp_cache_{name}_total{{.*}} ([0-9.e+]+)$", text, re.MULTILINE) for name in Lookups._fields
    )
    return Lookups(round(sum(map(float, hits))), round(sum(map(float, misses))))


def _read_metrics(port: int) -> str:
    with PROXYLESS.open(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
        text: str = response.read().decode()
        return text


def _find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port
