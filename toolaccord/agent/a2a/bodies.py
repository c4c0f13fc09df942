"""Bodies of requests, checked before the SDK reads them."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import a2a.server.routes  # noqa: F401 - the adapter cannot be imported before it
import orjson
from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.response_helpers import build_error_response
from a2a.types import TaskState
from a2a.utils.constants import PROTOCOL_VERSION_0_3
from a2a.utils.errors import InvalidParamsError, VersionNotSupportedError
from a2a.utils.version_validator import validate_version
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from toolaccord.json_values import JsonObject
from toolaccord.schema.value_count import has_more_values
from toolaccord.transports.http.body import replay_body
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.header_fields import read_fields
from toolaccord.transports.http.routing import JSON
from toolaccord.transports.mcp import jsonrpc

_MAX_VALUES = 5000
"""Members and items of a body.

protobuf's parser of JSON takes 30 ms for them, in which nobody else is served.
"""
_UNKNOWN_STATE = f"The status of a task is one of {', '.join(TaskState.keys()[1:])}."


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
    """Passes requests to *app* whose body is acceptable or empty, with a known state.

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
        for state in parse_qs(scope["query_string"].decode("latin-1")).get("status", ()):
            if not _is_known(state):
                raise Rejection(400, _UNKNOWN_STATE)
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
        error = await _find_error(scope, body)
        app = self._app if error is None else Response(error, media_type=JSON)
        await app(scope, replay_body(body, receive), send)


async def _find_error(scope: Scope, body: bytes) -> bytes | None:
    """Return the error response to a request that the SDK should not read, else None."""
    try:
        message = read_json(body)
    except Rejection as rejection:
        code = jsonrpc.PARSE_ERROR if rejection.status == 400 else jsonrpc.INVALID_REQUEST
        return jsonrpc.error_response(None, code, rejection.message)
    if not isinstance(message, dict):
        return None
    try:
        method = message.get("method")
        if isinstance(method, str) and method in JSONRPC03Adapter.METHOD_TO_MODEL:  # the SDK would answer -32603
            await _require_version_0_3(ServerCallContext(state={"headers": read_fields(scope)}))
        _require_known_state(message)
    except (VersionNotSupportedError, InvalidParamsError) as error:
        return orjson.dumps(build_error_response(message.get("id"), error))
    return None


def _require_known_state(message: JsonObject) -> None:
    """Raise InvalidParamsError for a list of tasks in an unknown state, which the SDK ignores."""
    params = message.get("params")
    state = params.get("status") if message.get("method") == "ListTasks" and isinstance(params, dict) else None
    if isinstance(state, str) and not _is_known(state):
        raise InvalidParamsError(_UNKNOWN_STATE)


def _is_known(state: str) -> bool:
    """Return whether the SDK heeds a state, given by its name or its number; it ignores others."""
    return state in {name for each in TaskState.items() for name in map(str, each)}


@validate_version(PROTOCOL_VERSION_0_3)
async def _require_version_0_3(context: ServerCallContext) -> None:
    """Raise VersionNotSupportedError for a request of another version."""
