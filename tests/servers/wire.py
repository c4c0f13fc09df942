"""A server as a process, spoken to in lines: what is sent is exactly what the test says."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.contracts.reading import ROOT
from toolpact.testing import Era

Request = tuple[str, dict[str, Any]]
"""Method and parameters."""

_LONGEST_LINE = 1 << 26
_TO_ANSWER_S = 60
_CLIENT = {"name": "tests", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": _CLIENT,
}


class Wire:
    """The conversation with one process."""

    def __init__(self, process: asyncio.subprocess.Process, era: Era) -> None:
        self._process = process
        self._era = era
        self._last = 0
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one request."""
        return (await self.ask_all([(method, params)]))[0]

    async def ask_all(self, requests: Sequence[Request]) -> list[dict[str, Any]]:
        """Send all *requests* without waiting, and return their answers in the order of the requests."""
        ids = range(self._last + 1, self._last + 1 + len(requests))
        self._last = ids[-1]
        return await self._exchange(
            ids, [self._line(each, *request) for each, request in zip(ids, requests, strict=True)]
        )

    async def _exchange(self, ids: Sequence[int], lines: Sequence[bytes]) -> list[dict[str, Any]]:
        sending = asyncio.create_task(self._send(lines))
        answers: dict[int, dict[str, Any]] = {}
        async with asyncio.timeout(_TO_ANSWER_S):
            while len(answers) < len(ids):
                answer = json.loads(await self._stdout.readline())
                if "id" in answer:
                    answers[answer["id"]] = answer
            await sending
        return [answers[each] for each in ids]

    async def call_with(self, tool: str, arguments: str) -> dict[str, Any]:
        """Call *tool* with *arguments*, which are JSON text and sent as they are; return the answer."""
        self._last += 1
        line = self._line(self._last, "tools/call", {"name": tool, "arguments": "HERE"})
        return (await self._exchange([self._last], [line.replace(b'"HERE"', arguments.encode())]))[0]

    async def hello(self) -> None:
        """Open the conversation, where the era wants that."""
        if self._era == "handshake":
            about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}
            await self.ask("initialize", about)
            await self._send([b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'])

    def close(self) -> None:
        """Say nothing more."""
        self._stdin.close()

    async def end(self) -> int:
        """Close the conversation and return the exit code."""
        self.close()
        async with asyncio.timeout(_TO_ANSWER_S):
            return await self._process.wait()

    def _line(self, given: int, method: str, params: dict[str, Any]) -> bytes:
        meta = {"_meta": _META} if self._era == "stateless" else {}
        return json.dumps({"jsonrpc": "2.0", "id": given, "method": method, "params": params | meta}).encode() + b"\n"

    async def _send(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            self._stdin.write(line)
            await self._stdin.drain()


@asynccontextmanager
async def talk(
    *arguments: str, era: Era = "stateless", environment: Mapping[str, str] | None = None
) -> AsyncIterator[Wire]:
    """Start `python -m ARGUMENTS` and talk to it; it must end by itself, with exit code 0."""
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            limit=_LONGEST_LINE,
            cwd=ROOT,
            env=os.environ | dict(environment or {}),
        )
        wire = Wire(process, era)
        try:
            await wire.hello()
            yield wire
            assert await wire.end() == 0
        finally:
            if process.returncode is None:
                process.kill()
            wire.close()
            await process.communicate()  # until its pipes are closed too
