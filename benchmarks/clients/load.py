"""Clients that call a server once a second over HTTP, never retry, and record each answer."""

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import aiohttp

REVISION = "2026-07-28"
_TIMEOUT = aiohttp.ClientTimeout(total=30)

Route: TypeAlias = Callable[[aiohttp.ClientSession, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call and its right answer."""

    tool: str
    """The tool's name."""
    arguments: Mapping[str, Any]
    """Its arguments."""
    answer: Any
    """The envelope without `_metadata`."""


@dataclass(slots=True)
class Record:
    """The latencies and failures of all clients together."""

    latencies_s: dict[str, list[float]] = field(default_factory=dict)
    """Seconds from request to answer, by tool."""
    failures: list[str] = field(default_factory=list)
    """A sentence for each call without its right answer."""


async def over_rest(client: aiohttp.ClientSession, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call by the tool's REST route; return the envelope. Raises aiohttp.ClientError."""
    async with client.post(f"/mcp/tools/{tool}", json=dict(arguments)) as response:
        return dict(await response.json())


async def _over_mcp(client: aiohttp.ClientSession, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call by MCP's streamable HTTP; return the envelope. Raises aiohttp.ClientError."""
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
        result = (await response.json())["result"]
        return dict(json.loads(result["content"][0]["text"]))


def without_metadata(envelope: Mapping[str, Any]) -> Any:
    """Return the part of an envelope that is the same in every right answer."""
    return {name: value for name, value in envelope.items() if name != "_metadata"}


async def call_each_second(url: str, clients: int, seconds: int, calls: Sequence[ExpectedCall]) -> Record:
    """Let *clients* call the server at *url* once a second, half of them by each route."""
    record = Record()
    start = time.monotonic()
    routes = itertools.cycle([over_rest, _over_mcp])
    running = [
        _client(url, route, start + number / clients, _rotate(calls, number // 2, seconds), record)
        for number, route in zip(range(clients), routes, strict=False)
    ]
    await asyncio.gather(*running)
    return record


def _rotate(calls: Sequence[ExpectedCall], first: int, count: int) -> Iterable[ExpectedCall]:
    """Return *count* of *calls* in turns, starting at index *first*."""
    return itertools.islice(itertools.cycle(calls), first, first + count)


async def _client(url: str, route: Route, start: float, calls: Iterable[ExpectedCall], record: Record) -> None:
    async with aiohttp.ClientSession(url, timeout=_TIMEOUT) as client:
        for second, call in enumerate(calls):
            await asyncio.sleep(start + second - time.monotonic())
            sent = time.monotonic()
            try:
                answer = without_metadata(await route(client, call.tool, call.arguments))
            except (aiohttp.ClientError, TimeoutError, KeyError, ValueError) as error:
                record.failures.append(f"{call.tool}, second {second}: {error!r}")
                continue
            record.latencies_s.setdefault(call.tool, []).append(time.monotonic() - sent)
            if answer != call.answer:
                record.failures.append(
                    f"{call.tool}, second {second}: a wrong answer: {answer.get('error', 'other data')}"
                )
