"""Rejected answers leave no memory behind, measured in a process with real sockets."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from tests.services import nats
from tests.toolaccord.process import ROOT
from tests.toolaccord.sources.rejecting_process import CALLERS, LIMIT
from toolaccord.testing.socket_server import SocketServer

ANSWERS = 12
"""Answers of 4 MiB: bodies that stay would take three times what is allowed."""
MIB = 1024 * 1024
ALLOWED_MIB = 16
TIMES_LIMIT = 10
"""Memory of an answer while it is read, with its values of Python, in times of the limit."""
_OK = b"HTTP/1.1 200 OK\r\n"
_TOO_LARGE = b"x" * (LIMIT + MIB)
_BOMB = gzip.compress(b" " * (100 * MIB), 1)
_NO_RESULT = b"[%s]" % b",".join([b'"0123456789abcdefghijklmnopqrstuvwxyz"'] * 100_000)
_HTTP_ANSWERS = {
    "announced": _OK + b"Content-Length: %d\r\n\r\n" % len(_TOO_LARGE) + _TOO_LARGE,
    "chunked": _OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(_TOO_LARGE), _TOO_LARGE),
    "compressed": _OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(_BOMB) + _BOMB,
    "failed": b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (LIMIT, b"x" * LIMIT),
    "invalid": _OK + b"Content-Length: %d\r\n\r\n" % LIMIT + b"x" * LIMIT,
    "no result": _OK + b"Content-Length: %d\r\n\r\n" % len(_NO_RESULT) + _NO_RESULT,
}


async def check_memory(kind: str, url: str) -> None:
    """Have a process reject the answers of the source at *url*, and check its memory."""
    command = [sys.executable, "-m", "tests.toolaccord.sources.rejecting_process", kind, url, str(ANSWERS)]
    ran = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, capture_output=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    assert found["codes"] == ["SHELF_GONE"]
    assert found["after"] - found["before"] <= ALLOWED_MIB, found
    assert found["peak"] - found["before"] <= ALLOWED_MIB + CALLERS * TIMES_LIMIT * LIMIT / MIB, found


@pytest.mark.parametrize(
    "kind, answer",
    [
        *(("http", answer) for answer in _HTTP_ANSWERS),
        *(("influxql", answer) for answer in ("compressed", "no result")),
        *(("flux", answer) for answer in ("chunked", "invalid")),
    ],
)
async def test_rejected_answers_over_http_leave_no_memory_behind(kind: str, answer: str) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(_HTTP_ANSWERS[answer])
            await writer.drain()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, connected)):
        await check_memory(kind, f"http://127.0.0.1:{listener.getsockname()[1]}")


async def test_rejected_replies_over_grpc_leave_no_memory_behind() -> None:
    reply = StringValue(value=_TOO_LARGE.decode()).SerializeToString()
    get = grpc.unary_unary_rpc_method_handler(lambda _request, _context: reply)
    with ThreadPoolExecutor(CALLERS) as threads:
        server = grpc.server(threads)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Service", {"Get": get}),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            await check_memory("grpc", f"127.0.0.1:{port}")
        finally:
            server.stop(None).wait()


async def test_rejected_rows_of_postgresql_leave_no_memory_behind(postgres_url: str) -> None:
    await check_memory("postgresql", postgres_url)


async def test_rejected_messages_of_nats_leave_no_memory_behind(tmp_path: Path) -> None:
    with nats.running(tmp_path) as server:
        async with nats.jetstream(server.url) as streams:
            await streams.add_stream(name="news", subjects=["news"], allow_direct=True)
            for _ in range(10):
                await streams.publish("news", b"x" * MIB)
        await check_memory("nats", server.url)


async def test_files_above_the_limit_leave_no_memory_behind(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(_TOO_LARGE)
    await check_memory("files", str(large))
