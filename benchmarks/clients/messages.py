"""The messages of the benchmarks' client, as bytes, and its checks of the answers."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

Object = dict[str, Any]

INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Era(Enum):
    """The two eras of the protocol, by the newest version of each."""

    HANDSHAKE = "2025-11-25"
    """A session begins with `initialize`, as in most of today's hosts."""
    STATELESS = "2026-07-28"
    """Each request carries the client's version and capabilities in `_meta`."""


_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": Era.STATELESS.value,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
"""The `_meta` of a stateless request."""
NUMBERED = "number 0"
"""Text that differs in each line, so that no call repeats another."""
_FAILURES = (b'"isError":true', b'"error":{"code":-')


class AnswerError(Exception):
    """A server answered with an error or a wrong result, or not at all."""


def request(method: str, params: Object | None = None) -> bytes:
    """Return the bytes of a request with the id 0."""
    body: Object = {"jsonrpc": "2.0", "id": 0, "method": method}
    return json.dumps(body if params is None else body | {"params": params}, separators=(",", ":")).encode()


def initialize_request() -> bytes:
    """Return the request that starts a session."""
    who = {"name": "bench", "version": "1"}
    return request("initialize", {"protocolVersion": Era.HANDSHAKE.value, "capabilities": {}, "clientInfo": who})


def call(tool: str, era: Era = Era.HANDSHAKE, **arguments: Any) -> bytes:
    """Return the request that calls a tool."""
    meta = {"_meta": _ENVELOPE} if era is Era.STATELESS else {}
    return request("tools/call", {"name": tool, "arguments": arguments, **meta})


def number_lines(message: bytes, first: int, count: int) -> bytes:
    """Return *count* lines of the request *message*; ids and NUMBERED texts count from *first*."""
    head, tail = message.split(b'"id":0', 1)
    numbers = range(first, first + count)
    if NUMBERED.encode() not in tail:
        return b"".join(b'%b"id":%d%b\n' % (head, number, tail) for number in numbers)
    before, after = tail.split(NUMBERED.encode())
    return b"".join(b'%b"id":%d%bnumber %d%b\n' % (head, number, before, number, after) for number in numbers)


def check_answer(answer: bytes) -> bytes:
    """Return *answer*, which may be a part of one.

    Raises:
        AnswerError: It is an error.
    """
    if any(failure in answer for failure in _FAILURES):
        raise AnswerError(answer[:500].decode(errors="replace"))
    return answer


def result(answer: bytes) -> Object:
    """Return the result in a whole *answer*, which is JSON or a server-sent event.

    Raises:
        AnswerError: It has none.
    """
    text = answer if answer.startswith(b"{") else b"{" + answer.partition(b"data: {")[2].partition(b"\n")[0]
    found: Object | None = json.loads(text).get("result")
    if found is None or found.get("isError"):
        raise AnswerError(answer[:500].decode(errors="replace"))
    return found
