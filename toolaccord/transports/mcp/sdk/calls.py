"""Calls that reach the pipeline through the MCP SDK's server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolaccord.call.context import BoundOperation, IncomingCall
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.contract.dialects import Dialect
from toolaccord.declarations.envelopes import extract_values
from toolaccord.handler import Caller
from toolaccord.json_values import JsonObject
from toolaccord.transports.mcp import request_meta
from toolaccord.transports.mcp.apps import can_show_views, is_view_host

Context = ServerRequestContext[Any, Any]
Connect = Callable[[IncomingCall], Awaitable[IncomingCall]]

_TOO_MANY_REQUESTS = 429


def receive_call(
    pipeline: Pipeline, context: Context, called: str | BoundOperation, arguments: JsonObject
) -> IncomingCall:
    """Return the call of a tool, by its name, or of another operation. Raises UnknownTool."""
    return pipeline.receive(
        called,
        arguments,
        read_meta(context),
        version=(context.params or {}).get("version"),  # the SDK's record has no member for it
        caller=_name_caller(context),
        identity=identity_of(context),
    ).by(proven_by(context))


def identity_of(context: Context) -> str | None:
    """Return the proven identity of a caller; empty if unproven, None on stdio."""
    return None if context.request is None else request_meta.caller_identity(context.request.scope)


def proven_by(context: Context) -> Caller | None:
    """Return the proven caller of a request; None without one."""
    return None if context.request is None else request_meta.proven_caller(context.request.scope)


def shows_views(context: Context) -> bool:
    """Return whether the host shows views, as its capabilities or the header of its session say."""
    declared = context.session.client_capabilities
    if declared is not None:
        return can_show_views(declared.extensions)
    return context.request is not None and is_view_host(context.request.headers)


def read_meta(context: Context) -> dict[str, Any] | None:
    """Return the `_meta` of the request, completed by the HTTP headers if there are any."""
    value = (context.params or {}).get("_meta")
    meta = value if isinstance(value, dict) else None
    return meta if context.request is None else request_meta.complete_meta(context.request.headers, meta)


def _name_caller(context: Context) -> str:
    """Return the name of the client; empty if unknown."""
    client = context.session.client_params
    if client:
        return client.client_info.name
    return "" if context.request is None else request_meta.client_product(context.request.headers)


async def run_operation(
    pipeline: Pipeline,
    context: Context,
    operation: BoundOperation,
    arguments: JsonObject,
    connect: Connect | None = None,
) -> Answer:
    """Return the answer of an *operation*, which may be an error.

    *connect* gives the call its ways to the caller.
    """
    call = receive_call(pipeline, context, operation, arguments)
    return await pipeline.answer(call if connect is None else await connect(call))


def error_message(dialect: Dialect, answer: Answer) -> str:
    """Return the sentence of an error."""
    return str(extract_values(dialect.failure, answer.body).get("message", ""))


def to_exception(dialect: Dialect, answer: Answer) -> MCPError:
    """Return the JSON-RPC error of an error; its data is the dialect's envelope."""
    is_callers = answer.http < 500 and answer.http != _TOO_MANY_REQUESTS
    code = types.INVALID_PARAMS if is_callers else types.INTERNAL_ERROR
    return MCPError(code, error_message(dialect, answer), answer.body)


def to_question(answer: Answer) -> JsonObject:
    """Return the questions of a call as its result. Raises MCPError for a missing capability."""
    if capability := answer.missing_capability:
        message = f"The call asks its caller, and needs a client with the capability {capability}"
        data: JsonObject = {"requiredCapabilities": {capability: {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, message, data)
    return {"resultType": "input_required", **answer.body, "_meta": {"corr_id": answer.corr_id}}


def require_first_page(params: types.PaginatedRequestParams | None, noun: str) -> None:
    """Raise MCPError for a request of another page than the only one of *noun*."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, f"There is one page of {noun} and no cursor")


def connection_of(context: Context) -> Connection:
    """Return the connection of a request, for which the SDK has no public way."""
    connection: Connection = context.session._connection  # noqa: SLF001 - see above
    return connection
