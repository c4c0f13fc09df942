"""The response to bytes that are no HTTP request; without a path, its body is JSON-RPC's."""

from __future__ import annotations

from toolaccord.transports.mcp import jsonrpc

_MESSAGE = (
    "The request is not valid HTTP, or has too many header fields or chunks: mend it, and send it on a new connection."
)
_BODY = jsonrpc.error_response(None, jsonrpc.INVALID_REQUEST, _MESSAGE)
_HEADERS = (
    b"content-type: application/json",
    b"content-length: %d" % len(_BODY),
    b"connection: close",
    b"x-content-type-options: nosniff",
    b"cache-control: no-store",
)
INVALID_REQUEST = b"\r\n".join((b"HTTP/1.1 400 Bad Request", *_HEADERS, b"", _BODY))
