"""Error responses to requests that reach no tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from starlette.responses import Response

from toolaccord.call.response import failure_body
from toolaccord.declarations.tool import Server
from toolaccord.transports.mcp import jsonrpc

_Occasion: TypeAlias = Literal["access", "unknown_tool", "arguments", "internal"]

MCP_PATH = "/mcp"
TOOLS_PATH = "/mcp/tools/"
TASKS_PATH = "/mcp/tasks/"


class Rejection(Exception):
    """A request is answered with an error before it reaches a tool."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        occasion: _Occasion = "arguments",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status."""
        self.message = message
        """A sentence for the caller."""
        self.occasion: _Occasion = occasion
        """The occasion, which the dialect maps to a code."""
        self.headers = dict(headers or {})
        """Further headers of the response."""


ErrorBuilder: TypeAlias = Callable[[str, Rejection, str], Response]
"""Returns the response to a request, from its path, its rejection and its correlation id."""


class ErrorResponses:
    """Makes error responses: JSON-RPC on the MCP endpoint, the dialect's envelope elsewhere."""

    def __init__(self, server: Server[Any]) -> None:
        self._dialect = server.dialect
        self._returns = {f"{TOOLS_PATH}{tool.name}": tool.returns for tool in server.tools}

    def build(self, path: str, rejection: Rejection, corr_id: str) -> Response:
        """Return the response to a request for *path*."""
        body = self._jsonrpc_error(rejection) if path == MCP_PATH else self._envelope(path, rejection, corr_id)
        return Response(body, rejection.status, rejection.headers, "application/json")

    def _jsonrpc_error(self, rejection: Rejection) -> bytes:
        code = jsonrpc.INTERNAL_ERROR if rejection.occasion == "internal" else jsonrpc.INVALID_REQUEST
        return jsonrpc.error_response(None, code, rejection.message)

    def _envelope(self, path: str, rejection: Rejection, corr_id: str) -> bytes:
        code = getattr(self._dialect.occasions, rejection.occasion)
        return failure_body(self._dialect, code, rejection.message, corr_id, self._returns.get(path))


def unknown_path() -> Rejection:
    """Return the rejection of a request for a path that the server does not have."""
    return Rejection(404, "This server has no such page: POST to /mcp for MCP, or GET /docs.", occasion="unknown_tool")


def unknown_tool() -> Rejection:
    """Return the rejection of a call of a tool that the server does not have."""
    return Rejection(
        404, "This server has no such tool: POST to /mcp/tools/list for its tools.", occasion="unknown_tool"
    )


def stopping() -> Rejection:
    """Return the rejection of a request that the server cannot finish before it stops."""
    return Rejection(
        503,
        "The server is stopping: try again, and you may reach another replica.",
        occasion="internal",
        headers={"Connection": "close"},
    )


def too_many_connections() -> Rejection:
    """Return the rejection of a request on a connection beyond the limit."""
    message = "The server has as many connections as it allows: try again later."
    return Rejection(503, message, occasion="internal", headers={"Retry-After": "1"})


def keys_unavailable() -> Rejection:
    """Return the rejection of a token that may be valid, while nobody can verify it."""
    message = "The keys of the authorization server are not known yet: try again later."
    return Rejection(503, message, occasion="internal", headers={"Retry-After": "30"})


def internal_error() -> Rejection:
    """Return the rejection of a request on which the server failed."""
    return Rejection(
        500,
        "The server failed to answer; its log has the reason under the X-Correlation-ID of this response.",
        occasion="internal",
    )
