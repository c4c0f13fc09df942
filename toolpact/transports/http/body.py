"""The body of a request: whole, not too large, and not too slow."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.types import Message, Receive, Scope

from toolpact.transports.http import headers
from toolpact.transports.http.errors import Refused


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """What a body may be."""

    largest_bytes: int
    """How large."""
    slowest_s: float
    """Seconds within which all of it must have come."""


class ClientGone(Exception):
    """The client left before its request was whole."""


async def read(scope: Scope, receive: Receive, limits: BodyLimits) -> bytes:
    """Return the body of a request. Raises Refused, or ClientGone where nobody waits for an answer."""
    declared = headers.of(scope).get("content-length", "")
    if declared.isdecimal() and int(declared) > limits.largest_bytes:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.slowest_s):
            return await _whole(receive, limits)
    except TimeoutError:
        raise Refused(408, "The body did not come in time.", headers={"Connection": "close"}) from None


async def _whole(receive: Receive, limits: BodyLimits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limits.largest_bytes:
            raise _too_large(limits)
        if not message.get("more_body", False):
            return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return what receives *body*, and then what *receive* does: in the end, that the client is gone."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


async def departure(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _too_large(limits: BodyLimits) -> Refused:
    return Refused(413, f"The body is larger than {limits.largest_bytes} bytes.")
