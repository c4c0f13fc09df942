"""Bodies of requests, checked before the SDK reads them."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from toolaccord.schema.value_count import has_more_values
from toolaccord.transports.http.body import replay_body
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.routing import JSON
from toolaccord.transports.mcp import jsonrpc

_MAX_VALUES = 5000
"""Members and items of a body.

protobuf's parser of JSON takes 30 ms for them, in which nobody else is served.
"""


def read_json(body: bytes) -> Any:
    """Return the JSON value of *body*. Raises Rejection."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Rejection(400, "The body is not JSON, or nested too deeply.") from None
    if has_more_values(value, _MAX_VALUES):
        raise Rejection(413, f"The body has more than {_MAX_VALUES} members and items.")
    return value


class CheckedBody:
    """Passes requests to *app* whose body is acceptable, or empty.

    The body arrives in one message.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises Rejection."""
        if scope["method"] == "POST":
            body: bytes = (await receive())["body"]
            if body:
                read_json(body)
            receive = replay_body(body, receive)
        await self._app(scope, receive, send)


class CheckedJsonRpc:
    """Passes requests of JSON-RPC to *app* whose body is acceptable.

    The body arrives in one message.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        body: bytes = (await receive())["body"]
        try:
            read_json(body)
        except Rejection as rejection:
            code = jsonrpc.PARSE_ERROR if rejection.status == 400 else jsonrpc.INVALID_REQUEST
            await Response(jsonrpc.error_response(None, code, rejection.message), media_type=JSON)(scope, receive, send)
            return
        await self._app(scope, replay_body(body, receive), send)
