"""Responses over HTTP, read as streams up to a limit."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2


class ResponseTooLarge(Exception):
    """A response exceeds the limit of its source."""

    def __init__(self, source: str, limit: int) -> None:
        super().__init__(f"the response exceeds max_response_bytes of the source {source}, {limit} bytes")


async def fetch(
    client: httpx2.AsyncClient, method: str, path: str, *, source: str, limit: int, **content: Any
) -> tuple[httpx2.Response, bytes]:
    """Return the response to one request, and its body: at most *limit* bytes after decoding.

    Follows no redirect. A response that exceeds the limit is not read further, and its connection is closed. The body
    of an unsuccessful one is then cut. Raises ResponseTooLarge, and what httpx2 raises.
    """
    body = bytearray()  # a list would cost forty bytes for each piece, however small
    async with client.stream(method, path, follow_redirects=False, **content) as response:
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                if len(body) + len(piece) > limit:
                    if not response.is_success:
                        break  # its status counts, and decides on a retry
                    raise ResponseTooLarge(source, limit)
                body += piece
                await asyncio.sleep(0)  # many pieces may have arrived at once, and other calls go on
        return response, bytes(body)


def describe_status(response: httpx2.Response) -> str:
    """Return the status of an unsuccessful *response*, for the log."""
    hint = ", and no redirect is followed; the setting must hold the final URL" if response.is_redirect else ""
    return f"status {response.status_code}{hint}"
