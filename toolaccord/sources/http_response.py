"""Responses over HTTP, read as streams up to a limit."""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing, closing
from mmap import mmap
from typing import TYPE_CHECKING, Any

from toolaccord.source_faults import BUSY, INVALID_ADDRESS, INVALID_ANSWER, NO_ANSWER

if TYPE_CHECKING:
    import httpx2

_CLOSED = re.compile("disconnected|closed")
"""Part of the texts for a connection that ended too early; others are of no HTTP."""
_LONGEST_ERROR_BODY = 65_536
"""Most bytes that are read of an unsuccessful response, whose reason is short."""


class ResponseTooLarge(Exception):
    """A response exceeds the limit of its source."""

    def __init__(self, source: str, limit: int) -> None:
        super().__init__(f"the response exceeds max_response_bytes of the source {source}, {limit} bytes")


async def fetch(
    client: httpx2.AsyncClient, method: str, path: str, *, source: str, limit: int, **content: Any
) -> tuple[httpx2.Response, bytes]:
    """Return the response to one request, and its body: at most *limit* bytes after decoding.

    Follows no redirect. A response that exceeds the limit, or announces that it will, is not read further, and its
    connection is closed. A long body of an unsuccessful one is empty. Raises ResponseTooLarge, and what httpx2 raises.
    """
    async with client.stream(method, path, follow_redirects=False, **content) as response:
        if not response.is_success:  # its status counts, and decides on a retry
            return response, await read_body(response, min(limit, _LONGEST_ERROR_BODY)) or b""
        announced = int(response.headers.get("Content-Length", "0"))  # httpx2 has checked that it is a number
        if announced > limit and method != "HEAD":
            raise ResponseTooLarge(source, limit)
        body = await read_body(response, limit)
        if body is None:
            raise ResponseTooLarge(source, limit)
        return response, body


async def read_body(response: httpx2.Response, limit: int) -> bytes | None:
    """Return the decoded body of a stream; None if it has more than *limit* bytes."""
    size = 0
    # Memory of its own: malloc would move a growing body again and again, and hardly give the pieces back.
    with closing(mmap(-1, limit)) as body:
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                end = size + len(piece)
                if end > limit:
                    return None
                body[size:end] = piece
                size = end
                await asyncio.sleep(0)  # many pieces may have arrived at once, and other calls go on
        return body[:size]


def explain(error: Exception) -> str | None:
    """Return the reason of a request without a response; None if only its cause has one."""
    import httpx2  # noqa: PLC0415 - takes 50 ms to load, too long before the first answer

    match error:
        case httpx2.PoolTimeout():
            return BUSY
        case httpx2.TimeoutException():
            return NO_ANSWER
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol() | httpx2.LocalProtocolError():
            return INVALID_ADDRESS
        case httpx2.DecodingError():
            return INVALID_ANSWER
        case httpx2.RemoteProtocolError():
            return None if _CLOSED.search(str(error)) else INVALID_ANSWER
        case _:
            return None


def describe_status(response: httpx2.Response) -> str:
    """Return the status of an unsuccessful *response*, for the log."""
    hint = ", and no redirect is followed; the setting must hold the final URL" if response.is_redirect else ""
    return f"status {response.status_code}{hint}"
