"""Requests that are answered before a tool is reached: why, and in whose words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import orjson
from starlette.responses import Response

from toolpact.declarations.envelopes import EnvelopeValues, render
from toolpact.declarations.tool import Server
from toolpact.transports.mcp import jsonrpc

_Occasion: TypeAlias = Literal["access", "unknown_tool", "arguments", "internal"]

MCP_PATH = "/mcp"


class Refused(Exception):
    """A request is not served; the text is for its caller."""

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
        """The occasion, whose code the dialect knows."""
        self.headers = dict(headers or {})
        """What else the answer says."""


class Refusals:
    """Puts a refusal into the words of whoever asked: JSON-RPC on the MCP endpoint, the dialect's envelope elsewhere."""

    def __init__(self, server: Server[Any]) -> None:
        self._dialect = server.dialect
        self._returns = {f"/mcp/tools/{tool.name}": tool.returns for tool in server.tools}

    def response(self, path: str, refused: Refused, corr_id: str) -> Response:
        """Return the answer to a request of *path*."""
        body = self._mcp(refused) if path == MCP_PATH else self._envelope(path, refused, corr_id)
        return Response(body, refused.status, refused.headers, "application/json")

    def _mcp(self, refused: Refused) -> bytes:
        code = jsonrpc.INTERNAL_ERROR if refused.occasion == "internal" else jsonrpc.INVALID_REQUEST
        return jsonrpc.error_response(None, code, refused.message)

    def _envelope(self, path: str, refused: Refused, corr_id: str) -> bytes:
        values = {"code": getattr(self._dialect.occasions, refused.occasion), "message": refused.message, "details": {}}
        values |= {"latency_ms": 0, "source": None, "corr_id": corr_id}
        filling = EnvelopeValues(values=values, returns=self._returns.get(path, {}))
        return orjson.dumps(render(self._dialect.failure, filling))
