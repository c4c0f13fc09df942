"""JSON-RPC error to a call of a tool that the server does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from toolaccord.call.response import failure_body
from toolaccord.contract.dialects import Dialect
from toolaccord.telemetry import correlation
from toolaccord.transports.mcp import jsonrpc
from toolaccord.transports.mcp.jsonrpc import ProtocolError

MESSAGE = "This server has no such tool."
_MAX_NAME_CHARACTERS = 128


def unknown_tool(dialect: Dialect, name: str, meta: Mapping[str, Any] | None) -> ProtocolError:
    """Return the error to a call of the unknown tool *name*.

    Its data is the dialect's failure envelope, if the dialect wants that.
    """
    data = None
    if dialect.failure_in_protocol_errors:
        corr_id = correlation.resolve_corr_id(meta)
        data = orjson.loads(failure_body(dialect, dialect.occasions.unknown_tool, MESSAGE, corr_id))
    return ProtocolError(jsonrpc.INVALID_PARAMS, f"Unknown tool: {name[:_MAX_NAME_CHARACTERS]}", data)
