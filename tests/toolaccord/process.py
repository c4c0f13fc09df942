"""The library as a process of its own, spoken to byte by byte."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
"""Seconds after which a test gives up; far more than anything here takes."""


class Process:
    """A running server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.logged = bytearray()
        self._more = asyncio.Event()
        self._stderr = asyncio.create_task(self._drain())

    @property
    def pid(self) -> int:
        return self._process.pid

    async def _drain(self) -> None:
        while self._process.stderr and (chunk := await self._process.stderr.read(65536)):
            self.logged += chunk
            self._more.set()

    async def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self._process.stdin
        self._process.stdin.write(data)
        await self._process.stdin.drain()

    async def send(self, *messages: Any) -> None:
        """Send messages, a line each."""
        await self.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    async def receive(self) -> dict[str, Any]:
        """Return the next answer; whatever is not JSON fails the test."""
        assert self._process.stdout
        line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE_S)
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def receive_all(self, *ids: Any) -> dict[Any, dict[str, Any]]:
        """Return the answers to *ids*, which may come in any order, and nothing else in between."""
        answers = [await self.receive() for _ in ids]
        by_id = {answer["id"]: answer for answer in answers}
        assert set(by_id) == set(ids)
        return by_id

    async def shake_hands(self) -> None:
        """Open a connection of the handshake era."""
        await self.send(
            request(
                "hello",
                "initialize",
                protocolVersion="2025-11-25",
                capabilities={},
                clientInfo={"name": "test", "version": "1"},
            )
        )
        assert (await self.receive())["id"] == "hello"
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def log_has(self, text: str, start: int = 0) -> None:
        """Wait until *text* has been logged, after the first *start* bytes."""
        async with asyncio.timeout(PATIENCE_S):
            while self.logged.find(text.encode(), start) < 0:
                self._more.clear()
                await self._more.wait()

    def close_input(self) -> None:
        """Say that nothing more will come."""
        assert self._process.stdin
        self._process.stdin.close()

    def close_output(self) -> None:
        """Read no more answers."""
        self._process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]

    async def read_all(self) -> bytes:
        """Return all that is left of the output."""
        assert self._process.stdout
        return await asyncio.wait_for(self._process.stdout.read(), PATIENCE_S)

    async def rest(self) -> list[dict[str, Any]]:
        """Return the answers up to the end of output."""
        return [json.loads(line) for line in (await self.read_all()).splitlines()]

    def wait_until_asleep(self) -> None:
        """Wait until the process sleeps; CPython misses a signal that comes just before."""
        ends_at, place = time.monotonic() + PATIENCE_S, Path(f"/proc/{self.pid}/wchan")
        while place.read_text("ascii") not in {"hrtimer_nanosleep", "0"}:  # 0 if the system does not tell
            assert time.monotonic() < ends_at

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    async def exit_code(self) -> int:
        """Wait for the end of the process and of what it logs."""
        code = await asyncio.wait_for(self._process.wait(), PATIENCE_S)
        await self._stderr
        return code

    async def end(self) -> None:
        """Make sure that nothing is left running."""
        if self._process.returncode is None:
            self._process.kill()
        self.close_input()
        await self._stderr
        await asyncio.wait_for(self._process.communicate(), PATIENCE_S)  # until its pipes are closed too


@asynccontextmanager
async def started(
    *arguments: str,
    module: str = "tests.toolaccord.demo.library",
    environ: Mapping[str, str] | None = None,
    stderr: int = asyncio.subprocess.PIPE,
) -> AsyncIterator[Process]:
    """Give a running server with SHELF_URL and *environ* in its environment."""
    process = await start(*arguments, module=module, environ=environ, stderr=stderr)
    running = Process(process)
    try:
        yield running
    finally:
        await running.end()


async def start(
    *arguments: str, module: str, environ: Mapping[str, str] | None, stderr: int = asyncio.subprocess.PIPE
) -> asyncio.subprocess.Process:
    """Start a server, which SIGHUP stops even where `nohup` started the tests."""
    with handled_signals():
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            module,
            *arguments,
            cwd=ROOT,
            env=os.environ | {"SHELF_URL": "shelf://joe:s3cr3t@wall"} | dict(environ or {}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            limit=2**26,
        )


@contextmanager
def handled_signals() -> Iterator[None]:
    """Handle SIGHUP and SIGINT meanwhile, if they are ignored, which a new program inherits.

    `nohup` ignores the one, and a shell that runs a job in the background the other.
    """
    ignored = [each for each in (signal.SIGHUP, signal.SIGINT) if signal.getsignal(each) is signal.SIG_IGN]
    for each in ignored:
        signal.signal(each, lambda _signal, _frame: None)
    try:
        yield
    finally:
        for each in ignored:
            signal.signal(each, signal.SIG_IGN)


class Gate:
    """Holds each `misbehave` of the library that is at the gate, until it is opened."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "gate"
        os.mkfifo(self._path)
        self._held = os.open(self._path, os.O_RDWR)  # what is written stays, whether or not somebody reads yet

    @property
    def environ(self) -> dict[str, str]:
        """The environment that names the gate to a server."""
        return {"LIBRARY_GATE": str(self._path)}

    def open(self) -> None:
        """Let everybody pass."""
        os.write(self._held, b"x")

    def close(self) -> None:
        """Leave nothing open."""
        os.close(self._held)


def request(given: Any, method: str, **params: Any) -> dict[str, Any]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": given, "method": method, "params": params}


def call(given: Any, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Return a call of a tool in the handshake era."""
    return request(given, "tools/call", name=tool, arguments=arguments)


def stateless_call(given: Any, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Return a call of a tool in the stateless era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    return request(given, "tools/call", name=tool, arguments=arguments, _meta=meta)


def data(answer: dict[str, Any]) -> Any:
    """Return the data of a tool's answer."""
    return answer["result"]["structuredContent"]["data"]


def code(answer: dict[str, Any]) -> str:
    """Return the code of a tool's error."""
    found: str = answer["result"]["structuredContent"]["error"]["code"]
    return found
