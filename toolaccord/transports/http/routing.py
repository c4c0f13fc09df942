"""Routes of an application over HTTP, with the bodies of their requests read within limits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from toolaccord.callers.rules import METADATA_PATH, TokenRules
from toolaccord.transports.http.body import BodyLimits, read_body, replay_body
from toolaccord.transports.http.disconnect import ClientDisconnected
from toolaccord.transports.http.errors import TOOLS_PATH, Rejection, unknown_path, unknown_tool
from toolaccord.transports.http.header_fields import read_fields

_LOG = logging.getLogger(__name__)
JSON = "application/json"
"""The media type of JSON."""
POST = ("POST",)
"""The methods of a route with a body."""


@dataclass(frozen=True, slots=True)
class Route:
    """An application, and the requests that it answers."""

    app: ASGIApp
    """Answers a request; a body arrives in one message."""
    methods: tuple[str, ...] = ("GET", "HEAD")
    """The allowed methods."""
    media_types: tuple[str, ...] = (JSON,)
    """The allowed media types of a body; an empty one allows requests without the header."""


class Router:
    """Passes each request to the route of its path."""

    def __init__(self, routes: Mapping[str, Route], limits: BodyLimits, find_other: Callable[[str], Route]) -> None:
        """*find_other* returns the route of a path that is not in *routes*, or raises Rejection."""
        self._routes = routes
        self._limits = limits
        self._find_other = find_other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Raises Rejection."""
        path: str = scope["path"]
        route = self._routes.get(path) or self._find_other(path)
        if scope["method"] not in route.methods:
            raise Rejection(405, f"Use {' or '.join(route.methods)}.", headers={"Allow": ", ".join(route.methods)})
        try:
            if scope["method"] == "POST":
                _check_media_type(scope, route)
                receive = replay_body(await read_body(scope, receive, self._limits), receive)
            await route.app(scope, receive, send)
        except ClientDisconnected:
            _LOG.debug("the client disconnected")


def find_no_route(path: str) -> Route:
    """Raise Rejection for a *path* that the server does not have."""
    raise unknown_tool() if path.startswith(TOOLS_PATH) else unknown_path()


def page(make_response: Callable[[], Response]) -> Route:
    """Return the route of a page without parameters."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await make_response()(scope, receive, send)

    return Route(serve)


def health_page() -> Route:
    """Return the route of `/health`, which answers as long as the process does."""
    return page(lambda: Response(b'{"status":"ok"}', media_type=JSON))


def list_metadata_routes(rules: TokenRules, name: str) -> dict[str, Route]:
    """Return the routes of the metadata of a protected resource (RFC 9728).

    One has the path of the endpoint, and one has none. There are none without an authorization server. *name* is for
    people.
    """
    if rules.jwt is None:
        return {}
    metadata = {
        "resource": rules.jwt.audience,
        "authorization_servers": [rules.jwt.issuer],
        "bearer_methods_supported": ["header"],
        **({"scopes_supported": sorted(rules.known_scopes)} if rules.known_scopes else {}),
        "resource_name": name,
    }
    route = page(partial(Response, orjson.dumps(metadata), media_type=JSON))
    return {METADATA_PATH: route, f"{METADATA_PATH}{urlsplit(rules.jwt.audience).path}": route}


def _check_media_type(scope: Scope, route: Route) -> None:
    """Raise Rejection for an encoded body, or one of another media type than the *route* allows."""
    fields = read_fields(scope)
    if fields.get("content-encoding", "identity").lower() != "identity":
        message = "Send the body without Content-Encoding: this server decodes none."
        raise Rejection(415, message, headers={"Accept-Encoding": "identity"})
    media_type = fields.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in route.media_types:
        allowed = " or ".join(filter(None, route.media_types))
        raise Rejection(415, f"Send the body as JSON, with the header Content-Type: {allowed}.")
