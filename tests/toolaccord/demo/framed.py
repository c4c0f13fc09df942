"""The relay over content-length as a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.toolaccord.process import PATIENCE_S, Process, start

KEY = "the-key-of-the-relay"


class FramedProcess(Process):
    """A running server that is spoken to in frames."""

    async def send(self, *messages: Any) -> None:
        """Send messages, a frame each."""
        await self.write(b"".join(frame(json.dumps(message).encode()) for message in messages))

    async def receive(self) -> dict[str, Any]:
        """Return the next answer; whatever is no frame fails the test."""
        assert self._process.stdout
        async with asyncio.timeout(PATIENCE_S):
            header = await self._process.stdout.readuntil(b"\r\n\r\n")
            body = await self._process.stdout.readexactly(length_of(header))
        answer: dict[str, Any] = json.loads(body)
        return answer

    async def rest(self) -> list[dict[str, Any]]:
        """Return the answers up to the end of output."""
        assert self._process.stdout
        return bodies(await asyncio.wait_for(self._process.stdout.read(), PATIENCE_S))

    def lines(self, message: str = "request") -> list[dict[str, Any]]:
        """Return the lines of the log with *message* so far."""
        logged = [json.loads(line) for line in self.logged.splitlines()]
        return [line for line in logged if line["message"] == message]


def frame(body: bytes) -> bytes:
    """Return a frame."""
    return b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body


def length_of(header: bytes) -> int:
    """Return the length in a header, which holds nothing else."""
    name, _, length = header.removesuffix(b"\r\n\r\n").partition(b": ")
    assert name == b"Content-Length"
    assert length.isdigit()
    return int(length)


def bodies(output: bytes) -> list[dict[str, Any]]:
    """Return the messages in *output*; whatever is no frame fails the test."""
    messages = []
    while output:
        header, found, output = output.partition(b"\r\n\r\n")
        assert found
        length = length_of(header + found)
        assert len(output) >= length
        messages.append(json.loads(output[:length]))
        output = output[length:]
    return messages


def request(request_id: Any, method: str, /, **params: Any) -> dict[str, Any]:
    """Return a request with the key."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {"api_key": KEY} | params}


@asynccontextmanager
async def framed(*arguments: str, environ: Mapping[str, str] | None = None) -> AsyncIterator[FramedProcess]:
    """Give a running relay."""
    variables = {"RELAY_KEY": KEY} | dict(environ or {})
    where = ("--transport", "content-length", *arguments)
    running = FramedProcess(await start(*where, module="tests.toolaccord.demo.relay", environ=variables))
    try:
        yield running
    finally:
        await running.end()
