"""What the benchmarks' client says, as bytes that are made once, and the little that it looks for in an answer."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

Object = dict[str, Any]

INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Era(Enum):
    """The two eras of the protocol, by the newest version of each."""

    HANDSHAKE = "2025-11-25"
    """A connection is opened by `initialize`; what today's hosts speak."""
    STATELESS = "2026-07-28"
    """Every request says itself who asks, and how."""


_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": Era.STATELESS.value,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
"""What a request of the second era says of who asks."""
_FAILURES = (b'"isError":true', b'"error":{"code":-')


class Failed(Exception):
    """A server answered with an error, with something else than was asked, or not at all."""


def request(method: str, params: Object | None = None) -> bytes:
    """The bytes of a request, whose id is 0."""
    body: Object = {"jsonrpc": "2.0", "id": 0, "method": method}
    return json.dumps(body if params is None else body | {"params": params}, separators=(",", ":")).encode()


def hello() -> bytes:
    """The request that opens a connection."""
    who = {"name": "bench", "version": "1"}
    return request("initialize", {"protocolVersion": Era.HANDSHAKE.value, "capabilities": {}, "clientInfo": who})


def call(tool: str, era: Era = Era.HANDSHAKE, **arguments: Any) -> bytes:
    """The request that calls a tool."""
    meta = {"_meta": _ENVELOPE} if era is Era.STATELESS else {}
    return request("tools/call", {"name": tool, "arguments": arguments, **meta})


def numbered(message: bytes, first: int, count: int) -> bytes:
    """Return *count* lines of the request *message*, with ids from *first* on."""
    head, tail = message.split(b'"id":0', 1)
    return b"".join(b'%b"id":%d%b\n' % (head, number, tail) for number in range(first, first + count))


def judged(answer: bytes) -> bytes:
    """Return *answer*, or a part of one.

    Raises:
        Failed: It is an error.
    """
    if any(failure in answer for failure in _FAILURES):
        raise Failed(answer[:500].decode(errors="replace"))
    return answer


def result(answer: bytes) -> Object:
    """The result in a whole *answer*, be it JSON or an event that holds it.

    Raises:
        Failed: It has none.
    """
    text = answer if answer.startswith(b"{") else b"{" + answer.partition(b"data: {")[2].partition(b"\n")[0]
    found: Object | None = json.loads(text).get("result")
    if found is None or found.get("isError"):
        raise Failed(answer[:500].decode(errors="replace"))
    return found
