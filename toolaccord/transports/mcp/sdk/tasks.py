"""MCP's extension for tasks on the MCP SDK's server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolaccord.json_values import JsonObject
from toolaccord.tasks.service import UnknownTask
from toolaccord.tasks.task import TaskKey
from toolaccord.transports.mcp.jsonrpc import ProtocolError
from toolaccord.transports.mcp.sdk.calls import Context, identity_of
from toolaccord.transports.mcp.tasks import METHODS, TaskMethods, has_extension, missing_extension


class _TaskParams(types.RequestParams):
    """The parameters of a request about a task."""

    task_id: str
    """The id of the task."""


class _UpdateParams(_TaskParams):
    """The parameters of `tasks/update`."""

    input_responses: dict[str, Any]
    """The answers, by the keys of their questions."""


class SdkTasks:
    """The tasks of one server, for requests that reach the SDK."""

    def __init__(self, methods: TaskMethods) -> None:
        self.methods = methods
        """The methods and documents, which the fast path has, too."""

    def serve(self, mcp_server: McpServer[Any]) -> None:
        """Serve the methods by *mcp_server*; below 2026-07-28 it has none of them."""
        mcp_server.middleware.append(_hide_from_handshake)
        for method, names in METHODS.items():
            params_type = _UpdateParams if "inputResponses" in names else _TaskParams
            mcp_server.add_request_handler(method, params_type, self._answer)

    def takes(self, context: Context, tool: str) -> bool:
        """Return whether a call of *tool* becomes a task.

        Raises MCPError for one that must, and cannot.
        """
        with _as_mcp_errors():
            return self.methods.takes(tool, is_declared=_declares(context))

    async def find(self, context: Context, task_ids: list[str]) -> list[TaskKey]:
        """Return the keys of those of *task_ids* that are tasks of the caller. Raises MCPError."""
        with _as_mcp_errors():
            _require_extension(context)
            return await self.methods.find(task_ids, identity_of(context))

    async def describe(self, key: TaskKey) -> JsonObject | None:
        """Return a task as a `DetailedTask`; None if it is over. Raises SourceError."""
        try:
            return self.methods.describe(await self.methods.service.get(key))
        except UnknownTask:
            return None

    async def _answer(self, context: Context, params: _TaskParams) -> JsonObject:
        request = context.request
        if request and decode_header_value(request.headers.get(MCP_NAME_HEADER)) != params.task_id:
            message = f"{MCP_NAME_HEADER} header does not match the request body's 'taskId' parameter"
            raise MCPError(types.HEADER_MISMATCH, message)
        with _as_mcp_errors():
            _require_extension(context)
            members = params.model_dump(by_alias=True, exclude={"meta"})
            result = await self.methods.answer_in_time(context.method, members, identity_of(context))
        answer: JsonObject = json.loads(result)
        return answer


async def _hide_from_handshake(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Reject the methods for tasks below 2026-07-28, as a server without them does."""
    if ctx.method in METHODS and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)
    return await call_next(ctx)


def _declares(context: Context) -> bool:
    """Return whether the client handles tasks, which one of the handshake era never does."""
    declared = context.session.client_capabilities
    is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
    return is_modern and declared is not None and has_extension(declared.extensions)


def _require_extension(context: Context) -> None:
    """Raise ProtocolError if the client does not handle tasks."""
    if not _declares(context):
        raise missing_extension()


@contextmanager
def _as_mcp_errors() -> Iterator[None]:
    """Turn a ProtocolError within the block into the SDK's MCPError."""
    try:
        yield
    except ProtocolError as error:
        raise MCPError(error.code, error.message, error.data) from None
