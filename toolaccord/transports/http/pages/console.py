"""The start page: the console for browsers, and the routes of the server for other clients.

The console's files, and those of the views that it shows, hold no data. So they need no token, which a browser could
not send when it opens a page. The console asks for one, and sends it to the routes that hold data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolaccord.transports.http.header_fields import Fields, read_fields
from toolaccord.transports.http.routing import Route

START_PATH = "/"
PACKAGES = {"/console/": "toolaccord.console", "/views/": "toolaccord.views"}
"""The packages whose files browsers may load, by the folders of their URLs."""
ROUTES = {
    "mcp": "/mcp",
    "tools": "/mcp/tools/list",
    "docs": "/docs",
    "openapi": "/openapi.json",
    "health": "/health",
    "ready": "/ready",
    "metrics": "/metrics",
}
"""The routes that the start page names."""
_PAGE = "console.html"
_FRAME = "/views/frame.html"
_MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SANDBOX = "sandbox allow-scripts; frame-ancestors 'self'"
"""Policy of the frame, beside its own: it writes the page of a view into itself."""


class StartPage:
    """Answers `/`: a browser gets the console, any other client the routes."""

    def __init__(self, name: str, version: str) -> None:
        self._routes = orjson.dumps({"server": name, "version": version, "routes": ROUTES})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if _is_browser(read_fields(scope)):
            headers = {"Content-Security-Policy": _CONTENT_SECURITY_POLICY, "Referrer-Policy": "no-referrer"}
            response = _read_file(PACKAGES["/console/"], _PAGE).answer(scope, headers)
        else:
            response = Response(self._routes, media_type="application/json")
        response.headers["Vary"] = "Accept"
        await response(scope, receive, send)


def holds_no_data(path: str, fields: Fields) -> bool:
    """Return whether a request is for a file that is the same on every server."""
    return path.startswith((*PACKAGES,)) or (path == START_PATH and _is_browser(fields))


def find_file(path: str) -> Route | None:
    """Return the route of a file that browsers may load; None without one."""
    prefix, package = next(((each, of) for each, of in PACKAGES.items() if path.startswith(each)), ("", ""))
    name = path.removeprefix(prefix)
    if not package or (path != _FRAME and name not in _list_files(package)):
        return None
    headers = {"Content-Security-Policy": _SANDBOX} if path == _FRAME else {}
    return Route(partial(_serve_file, package, name, headers))


async def _serve_file(
    package: str, name: str, headers: Mapping[str, str], scope: Scope, receive: Receive, send: Send
) -> None:
    await _read_file(package, name).answer(scope, headers)(scope, receive, send)


@dataclass(frozen=True, slots=True)
class _File:
    """A file in memory, of which all responses share one copy."""

    content: bytes
    media_type: str
    etag: str

    def answer(self, scope: Scope, headers: Mapping[str, str]) -> Response:
        """Return the response to a request: without the content if the browser has it.

        Browsers ask each time, since modules of two versions of the library do not fit each other.
        """
        headers = {**headers, "Cache-Control": "private, no-cache", "ETag": self.etag}
        if self.etag in read_fields(scope).get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers, media_type=self.media_type)


@cache
def _list_files(package: str) -> frozenset[str]:
    """Return the paths of the files in *package* that browsers may load."""
    return frozenset(_walk(resources.files(package)))


def _walk(folder: Traversable, prefix: str = "") -> Iterator[str]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _walk(each, f"{prefix}{each.name}/")
        elif PurePosixPath(each.name).suffix in _MEDIA_TYPES:
            yield f"{prefix}{each.name}"


@cache
def _read_file(package: str, name: str) -> _File:
    content = (resources.files(package) / name).read_bytes()
    media_type = _MEDIA_TYPES.get(PurePosixPath(name).suffix, "text/html; charset=utf-8")
    return _File(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')


def _is_browser(fields: Fields) -> bool:
    return "text/html" in fields.get("accept", "")
