"""The web origins whose pages may call a server, and what their browsers must be told for it (CORS)."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import Message

from toolpact.transports.http.errors import Refused
from toolpact.transports.http.headers import Fields

_METHODS = "GET, POST"
_READABLE = "X-Correlation-ID, WWW-Authenticate"
_KEPT_S = "600"


class Origins:
    """Knows the allowed origins. A server's own pages, and callers that are no pages, are always allowed."""

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = allowed

    def check(self, fields: Fields) -> None:
        """Raise Refused for the page of a foreign origin, and where there are two."""
        if "origin" not in fields:
            return
        origin, own = fields["origin"].lower(), fields.get("host", "").lower()
        if "origin" in fields.repeated or (origin not in self._allowed and origin.partition("://")[2] != own):
            raise Refused(403, "Pages of that Origin may not call this server.", occasion="access")

    def preflight(self, method: str, fields: Fields) -> Response | None:
        """Return the answer to a browser that asks whether a page may call, which it does without a token; else None."""
        if method != "OPTIONS" or "access-control-request-method" not in fields or not self._named(fields):
            return None
        told = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": fields.get("access-control-request-headers", ""),
            "Access-Control-Max-Age": _KEPT_S,
        }
        return Response(status_code=204, headers=told)

    def mark(self, asked: Fields, answered: Message) -> None:
        """Let the page of an allowed origin read the answer that begins with *answered*."""
        if not self._allowed:
            return
        headers = MutableHeaders(scope=answered)
        headers.add_vary_header("Origin")
        if origin := self._named(asked):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _READABLE

    def _named(self, fields: Fields) -> str | None:
        """Return the origin of a request if it is an allowed one, and the only one."""
        origin = fields.sole("origin")
        return origin if origin is not None and origin.lower() in self._allowed else None
