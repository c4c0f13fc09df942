"""Bodies of requests, read whole within limits of size and time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.types import Message, Receive, Scope

from toolaccord.transports.http.disconnect import ClientDisconnected
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.mcp import jsonrpc


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Limits of a body."""

    max_bytes: int
    """The largest size."""
    timeout_s: float
    """Seconds within which the body must be whole."""


async def read_body(scope: Scope, receive: Receive, limits: BodyLimits) -> bytes:
    """Return the body of a request. Raises Rejection and ClientDisconnected."""
    content_length = read_fields(scope).get("content-length", "")
    if content_length.isdecimal() and int(content_length) > limits.max_bytes:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.timeout_s):
            return await _receive_all(receive, limits)
    except TimeoutError:
        raise Rejection(
            408, "The body did not come in time: send the request again.", headers={"Connection": "close"}
        ) from None


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a function that receives *body* in one message, and then the messages of *receive*."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_replayed() -> Message:
        return pending.pop() if pending else await receive()

    return receive_replayed


async def _receive_all(receive: Receive, limits: BodyLimits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnected
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limits.max_bytes:
            raise _too_large(limits)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large(limits: BodyLimits) -> Rejection:
    return Rejection(413, f"The body is larger than {limits.max_bytes} bytes: send a smaller one.")


async def receive_json(receive: Receive) -> Any:
    """Return the JSON value of the body of a request. Raises Rejection."""
    message = await receive()
    try:
        return jsonrpc.parse(message["body"])
    except ValueError:
        raise Rejection(400, "The body is not JSON.") from None
