"""A connection to a server over streamable HTTP, each call a request of its own: one that fails leaves the others alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Unpack

import httpx2
import mcp_types as types
import orjson
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from toolpact.client.connection import Connection, ConnectionOptions
from toolpact.client.sdk import SdkConnection

_TIMEOUT = httpx2.Timeout(30, read=300, pool=None)
"""Seconds, for the request of a call that was given up: a call has a limit of its own."""
_TRANSPORT_STATUSES = {401, 403, 421, 502, 503, 504}
"""Statuses that say nothing about the message, whatever the body looks like."""


def connection(server: str, url: str, token: str | None, **options: Unpack[ConnectionOptions]) -> Connection:
    """Return the way to the *server* whose endpoint is *url*, usually ending in `/mcp`; *token* is sent as a bearer token."""
    shown = httpx2.URL(url).copy_with(userinfo=b"", query=None, fragment=None)
    return SdkConnection(f"{server} at {shown}", _transport(url, token), **options)


@asynccontextmanager
async def _transport(url: str, token: str | None) -> AsyncIterator[Any]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        _Messenger(headers=headers, timeout=_TIMEOUT) as messenger,
        streamable_http_client(url, http_client=messenger) as streams,
    ):
        yield streams


class _Messenger(httpx2.AsyncClient):
    """Makes every failure an answer to its own request: as an exception it would end the SDK's transport, and all calls."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return the response; a JSON-RPC error in its place where there is none, or none that the SDK reads."""
        try:
            response = await super().send(request, **options)
            if not _is_stream(response):
                await response.aread()
        except httpx2.RequestError as error:
            said = str(error) or type(error).__name__
            return _answer(request, types.ErrorData(code=types.CONNECTION_CLOSED, message=said))
        status = response.status_code
        if status < 400 or (status not in _TRANSPORT_STATUSES and _is_rpc_error(response)):
            return response
        await response.aclose()
        refusal = types.ErrorData(code=types.INTERNAL_ERROR, message=_message(response), data={"http_status": status})
        return _answer(request, refusal)


def _is_stream(response: httpx2.Response) -> bool:
    return response.is_success and response.headers.get("content-type", "").startswith("text/event-stream")


def _is_rpc_error(response: httpx2.Response) -> bool:
    try:
        types.JSONRPCError.model_validate_json(response.content)
    except ValidationError:
        return False
    return True


def _message(response: httpx2.Response) -> str:
    """Return what an error's body says, if it is JSON with a message as every dialect has it; else what its status says."""
    try:
        said = orjson.loads(response.content)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        said = None
    return said if isinstance(said, str) else response.reason_phrase


def _answer(request: httpx2.Request, error: types.ErrorData) -> httpx2.Response:
    body = types.JSONRPCError(jsonrpc="2.0", id=None, error=error)
    return httpx2.Response(503, json=body.model_dump(mode="json", exclude_none=False), request=request)
