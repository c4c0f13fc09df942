"""Error responses of an agent over HTTP, in the form that each binding has."""

from __future__ import annotations

from typing import Any

import orjson
from a2a.utils.error_handlers import A2A_DOMAIN, ERROR_INFO_TYPE
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP, ContentTypeNotSupportedError
from starlette.responses import Response

from toolaccord.agent.a2a.card import ENDPOINT
from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.routing import JSON
from toolaccord.transports.mcp import jsonrpc

JSONRPC_PATHS = (ENDPOINT, f"{ENDPOINT}/")
"""Paths of JSON-RPC; some clients append a slash."""
_CODES = {
    "access": "UNAUTHORIZED",
    "unknown_tool": "NOT_FOUND",
    "arguments": "INVALID_PARAMETERS",
    "internal": "INTERNAL",
}
"""Codes by the occasion of a rejection."""
_GRPC_STATUSES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
"""Statuses of gRPC by that of HTTP, which HTTP+JSON names; others are INVALID_ARGUMENT."""


def build_error(path: str, rejection: Rejection, corr_id: str) -> Response:
    """Return the response to a request for *path* that is rejected."""
    code = _CODES[rejection.occasion]
    if path in JSONRPC_PATHS:
        body = jsonrpc.error_response(None, _number(rejection), rejection.message)
    elif path.startswith(f"{ENDPOINT}/"):
        body = _status_body(code, rejection)
    else:
        body = error_body(code, rejection.message, {"corr_id": corr_id})
    return Response(body, rejection.status, rejection.headers, JSON)


def error_body(code: str, message: str, details: dict[str, Any] | None = None) -> bytes:
    """Return the body of an error of plain HTTP."""
    return orjson.dumps({"error": {"code": code, "message": message, "details": details or {}}})


def _number(rejection: Rejection) -> int:
    """Return the code of JSON-RPC for *rejection*."""
    if rejection.status == 415:
        return JSON_RPC_ERROR_CODE_MAP[ContentTypeNotSupportedError]
    return jsonrpc.INTERNAL_ERROR if rejection.occasion == "internal" else jsonrpc.INVALID_REQUEST


def _status_body(reason: str, rejection: Rejection) -> bytes:
    """Return the body of an error of HTTP+JSON, as the SDK writes them."""
    details = [{"@type": ERROR_INFO_TYPE, "reason": reason, "domain": A2A_DOMAIN, "metadata": {}}]
    status = _GRPC_STATUSES.get(rejection.status, "INVALID_ARGUMENT")
    error = {"code": rejection.status, "status": status, "message": rejection.message, "details": details}
    return orjson.dumps({"error": error})
