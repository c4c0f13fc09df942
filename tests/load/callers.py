"""Clients that call a server once a second over HTTP, never try twice, and remember what happened."""

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import aiohttp

REVISION = "2026-07-28"
_MOST = aiohttp.ClientTimeout(total=30)

Route: TypeAlias = Callable[[aiohttp.ClientSession, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Question:
    """A call, and what is the right answer to it."""

    tool: str
    """The tool."""
    arguments: Mapping[str, Any]
    """Its arguments."""
    right: Any
    """The answer without what says how it was made."""


@dataclass(slots=True)
class Record:
    """What all clients saw."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """How long each answer took, by tool."""
    faults: list[str] = field(default_factory=list)
    """What went wrong, a sentence each."""

    def percentile_ms(self, tool: str, share: float) -> float:
        """Return the milliseconds within which *share* of the answers of *tool* came."""
        ordered = sorted(self.seconds[tool])
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def over_rest(client: aiohttp.ClientSession, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call by the tool's own route; return the envelope, of an error of the tool too. Raises aiohttp.ClientError."""
    async with client.post(f"/mcp/tools/{tool}", json=dict(arguments)) as response:
        if response.status >= 500:
            response.raise_for_status()
        return dict(await response.json())


async def over_mcp(client: aiohttp.ClientSession, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call by the protocol's own route; return the envelope. Raises aiohttp.ClientError."""
    prefix = "io.modelcontextprotocol"
    meta = {f"{prefix}/protocolVersion": REVISION, f"{prefix}/clientCapabilities": {}}
    params = {"name": tool, "arguments": dict(arguments), "_meta": meta}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with client.post("/mcp", json=message, headers=headers) as response:
        response.raise_for_status()
        result = (await response.json())["result"]
        return dict(json.loads(result["content"][0]["text"]))


def data(envelope: Mapping[str, Any]) -> Any:
    """Return what an answer says, without what says how it was made."""
    return {name: value for name, value in envelope.items() if name != "_metadata"}


async def crowd(url: str, clients: int, seconds: int, questions: Sequence[Question]) -> Record:
    """Let *clients* call the server at *url* once a second for *seconds*, half of them by each route."""
    record = Record()
    began = time.monotonic()
    routes = itertools.cycle([over_rest, over_mcp])
    every = [
        _client(url, ask, began + number / clients, _turns(questions, number, seconds), record)
        for number, ask in zip(range(clients), routes, strict=False)
    ]
    await asyncio.gather(*every)
    return record


def _turns(questions: Sequence[Question], first: int, calls: int) -> Iterable[Question]:
    """Return the questions of a client, in turns, begun at the *first*."""
    return itertools.islice(itertools.cycle(questions), first // 2, first // 2 + calls)


async def _client(url: str, ask: Route, begins: float, questions: Iterable[Question], record: Record) -> None:
    """Ask a question each second."""
    async with aiohttp.ClientSession(url, timeout=_MOST) as client:
        for number, question in enumerate(questions):
            await asyncio.sleep(begins + number - time.monotonic())
            started = time.monotonic()
            try:
                said = data(await ask(client, question.tool, question.arguments))
            except (aiohttp.ClientError, TimeoutError, KeyError, ValueError) as error:
                record.faults.append(f"{question.tool}, second {number}: {error!r}")
                continue
            record.seconds.setdefault(question.tool, []).append(time.monotonic() - started)
            if said != question.right:
                record.faults.append(f"{question.tool}, second {number}: a wrong answer")
