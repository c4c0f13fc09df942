"""The web origins whose pages may call a server, and what their browsers must be told for it (CORS)."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from runtime.transports.http_refusals import Refused

_METHODS = "GET, POST"
_READABLE = "X-Correlation-ID, WWW-Authenticate"
_KEPT_S = "600"


class Origins:
    """Knows the allowed origins. A server's own pages, and callers that are no pages, are always allowed."""

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = allowed

    def check(self, headers: Headers) -> None:
        """Raise Refused for the page of a foreign origin, and where there are two."""
        origins = [origin.lower() for origin in headers.getlist("origin")]
        own = headers.get("host", "").lower()
        if len(origins) > 1 or any(each not in self._allowed and each.partition("://")[2] != own for each in origins):
            raise Refused(403, "Pages of that Origin may not call this server.", occasion="access")

    def preflight(self, method: str, headers: Headers) -> Response | None:
        """Return the answer to a browser that asks whether a page may call, which it does without a token; else None."""
        if method != "OPTIONS" or "access-control-request-method" not in headers or not self._named(headers):
            return None
        told = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": headers.get("access-control-request-headers", ""),
            "Access-Control-Max-Age": _KEPT_S,
        }
        return Response(status_code=204, headers=told)

    def mark(self, asked: Headers, answered: MutableHeaders) -> None:
        """Let the page of an allowed origin read an answer."""
        if self._allowed:
            answered.add_vary_header("Origin")
        if origin := self._named(asked):
            answered["Access-Control-Allow-Origin"] = origin
            answered["Access-Control-Expose-Headers"] = _READABLE

    def _named(self, headers: Headers) -> str | None:
        """Return the origin of a request if it is an allowed one, and the only one."""
        origins = headers.getlist("origin")
        return origins[0] if len(origins) == 1 and origins[0].lower() in self._allowed else None
