"""MCP over streamable HTTP, both eras, by the front and the SDK: a request is a whole exchange, so that replicas are equal."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import mcp_types as types
import pydantic_core
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolpact.call.pipeline import Pipeline
from toolpact.transports.http.body import replayed
from toolpact.transports.http.mcp_fast_path import HttpFront
from toolpact.transports.mcp import jsonrpc
from toolpact.transports.mcp.sdk_server import create_mcp_server


class McpEndpoint:
    """Answers `POST /mcp`; the body comes whole, in one message."""

    def __init__(self, pipeline: Pipeline, max_body_bytes: int, *, reference: bool = False) -> None:
        self._front = None if reference else HttpFront(pipeline)
        # The guard has checked Host, Origin and token of every route, so the SDK's checks, which know this one alone and
        # other words, are off. Its limit of a body cannot be: it is ours, and never met.
        self._manager = StreamableHTTPSessionManager(
            create_mcp_server(pipeline.server, pipeline),
            json_response=False,
            stateless=True,
            security_settings=None,
            max_request_body_size=max_body_bytes,
        )

    def open(self) -> AbstractAsyncContextManager[None]:
        """Serve within; may be entered once."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body: bytes = (await receive())["body"]
        if self._front is not None and await self._front.answer(scope, body, receive, send):
            return
        if fault := _fault(body):
            await Response(fault, 400, media_type="application/json")(scope, receive, send)
            return
        await self._manager.handle_request(scope, replayed(body, receive), send)


def _fault(body: bytes) -> bytes | None:
    """Return the refusal of a *body* that is no message: the SDK would answer with the text of its exception."""
    try:
        value = pydantic_core.from_json(body)
    except ValueError:
        return jsonrpc.error_response(None, jsonrpc.PARSE_ERROR, "Parse error: the body is not JSON")
    try:
        message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        message = None
    if message is None or (isinstance(message, types.JSONRPCNotification) and "id" in value):
        return jsonrpc.error_response(None, jsonrpc.INVALID_REQUEST, "Invalid request: not one JSON-RPC message")
    return None
