"""Connection over streamable HTTP: a call is one request, so failures do not spread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Unpack

import httpx2
import mcp_types as types
import orjson
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from toolaccord.client.challenges import NoToken, find_needed_scopes
from toolaccord.client.connection import ConnectionOptions
from toolaccord.client.sdk import SdkConnection
from toolaccord.timing.retrying import parse_retry_after

if TYPE_CHECKING:
    from toolaccord.client.credentials import ClientCredentials

_TIMEOUT = httpx2.Timeout(30, read=300, pool=None)
"""Limits in seconds for a request whose call was cancelled; a call has its own time limit."""
_TRANSPORT_STATUSES = {401, 403, 421, 429, 502, 503, 504}
"""Statuses that concern the transport, even if the body is a JSON-RPC error."""


def connect(
    server: str, url: str, token: str | ClientCredentials | None, **options: Unpack[ConnectionOptions]
) -> SdkConnection:
    """Return a connection to *server* at the endpoint *url*.

    *token* becomes a bearer token; credentials get one when the server wants it.
    """
    display_url = httpx2.URL(url).copy_with(userinfo=b"", query=None, fragment=None)
    return SdkConnection(f"{server} at {display_url}", _open_transport(url, token), **options)


@asynccontextmanager
async def _open_transport(url: str, token: str | ClientCredentials | None) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"} if isinstance(token, str) else {}
    auth = None
    if token is not None and not isinstance(token, str):
        from toolaccord.client.authorizing import CredentialsAuth  # noqa: PLC0415 - few clients have credentials

        auth = CredentialsAuth(url, token)
    async with (
        _HttpClient(headers=headers, timeout=_TIMEOUT, auth=auth) as http_client,
        streamable_http_client(url, http_client=http_client) as streams,
    ):
        yield streams


class _HttpClient(httpx2.AsyncClient):
    """HTTP client that returns each failure as a JSON-RPC error response.

    An exception would end the SDK's transport, and every call with it.
    """

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return the response, or a JSON-RPC error if the SDK cannot read it or none arrived."""
        try:
            response = await super().send(request, **options)
            if not _is_stream(response):
                await response.aread()
        except httpx2.RequestError as error:
            message = str(error) or type(error).__name__
            if (asked := error.request.url).netloc != request.url.netloc:
                message = f"{asked.scheme}://{asked.netloc.decode()}, which gives its tokens, did not answer: {message}"
            return _build_response(request, types.ErrorData(code=types.CONNECTION_CLOSED, message=message))
        except NoToken as error:
            data: dict[str, Any] = {"http_status": error.http_status, "has_token": False, "scopes": error.scopes}
            failure = types.ErrorData(code=types.INTERNAL_ERROR, message=str(error), data=data)
            return _build_response(request, failure)
        status = response.status_code
        if status < 400 or (status not in _TRANSPORT_STATUSES and _is_rpc_error(response)):
            return response
        await response.aclose()
        message = _read_error_message(response)
        retry_after_s = parse_retry_after(response.headers.get("retry-after"), datetime.now(UTC))
        scopes = find_needed_scopes(status, response.headers)
        data = {"http_status": status, "retry_after_s": retry_after_s, "scopes": scopes}
        rejection = types.ErrorData(code=types.INTERNAL_ERROR, message=message, data=data)
        return _build_response(request, rejection)


def _is_stream(response: httpx2.Response) -> bool:
    return response.is_success and response.headers.get("content-type", "").startswith("text/event-stream")


def _is_rpc_error(response: httpx2.Response) -> bool:
    try:
        types.JSONRPCError.model_validate_json(response.content)
    except ValidationError:
        return False
    return True


def _read_error_message(response: httpx2.Response) -> str:
    """Return `error.message` of the body, or the reason phrase if the body has none."""
    try:
        message = orjson.loads(response.content)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = None
    return message if isinstance(message, str) else response.reason_phrase


def _build_response(request: httpx2.Request, error: types.ErrorData) -> httpx2.Response:
    body = types.JSONRPCError(jsonrpc="2.0", id=None, error=error)
    return httpx2.Response(503, json=body.model_dump(mode="json", exclude_none=False), request=request)
