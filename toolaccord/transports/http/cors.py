"""CORS: the web origins whose pages may call a server, and their response headers."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import Message

from toolaccord.transports.http.errors import Rejection
from toolaccord.transports.http.header_fields import Fields

_METHODS = "GET, POST, DELETE"
_EXPOSED_HEADERS = "X-Correlation-ID, WWW-Authenticate, Mcp-Session-Id, Location"
_PREFLIGHT_MAX_AGE_S = "600"
_FOREIGN_ORIGIN = "Pages of that Origin may not call this server; its operator allows them in MCP_ALLOWED_ORIGINS."


class CorsPolicy:
    """Rules for pages of other origins.

    The server's own pages, and callers that are not pages, are always allowed.
    """

    def __init__(self, allowed_origins: Collection[str]) -> None:
        self._allowed_origins = allowed_origins

    def check(self, fields: Fields, scheme: str) -> None:
        """Raise Rejection for a page of a foreign origin, and for repeated origins.

        *scheme* is that of the request; with its Host it is the server's own origin.
        """
        if "origin" not in fields:
            return
        origin, own_origin = fields["origin"].lower(), f"{scheme}://{fields.get('host', '').lower()}"
        is_allowed = origin in self._allowed_origins or origin == own_origin
        if "origin" in fields.repeated or not is_allowed:
            raise Rejection(403, _FOREIGN_ORIGIN, occasion="access")

    def preflight_response(self, method: str, fields: Fields) -> Response | None:
        """Return the response to a preflight request, which has no token; else None."""
        if method != "OPTIONS" or "access-control-request-method" not in fields or not self._allowed_origin(fields):
            return None
        headers = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": fields.get("access-control-request-headers", ""),
            "Access-Control-Max-Age": _PREFLIGHT_MAX_AGE_S,
        }
        return Response(status_code=204, headers=headers)

    def add_headers(self, fields: Fields, response_start: Message) -> None:
        """Let the page of an allowed origin read the response that starts with *response_start*."""
        if not self._allowed_origins:
            return
        headers = MutableHeaders(scope=response_start)
        headers.add_vary_header("Origin")
        if origin := self._allowed_origin(fields):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _EXPOSED_HEADERS

    def _allowed_origin(self, fields: Fields) -> str | None:
        """Return the single origin of a request if it is an allowed one, else None."""
        origin = fields.get_single("origin")
        return origin if origin is not None and origin.lower() in self._allowed_origins else None
