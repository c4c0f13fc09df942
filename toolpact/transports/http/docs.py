"""A page that shows a server's description with Swagger UI, all of it from this server."""

from __future__ import annotations

import html
from importlib import resources

from starlette.responses import Response

PATH = "/docs"
ASSETS = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
    "viewer.js": "text/javascript; charset=utf-8",
}
"""The files that the page loads, and what they are."""
_KEPT = "private, max-age=3600"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/viewer.js"></script>
</head>
<body>
<div id="viewer"></div>
</body>
</html>
"""


def page(title: str) -> Response:
    """Return the page. Its addresses are relative, so that a proxy may put the server below a path of its own."""
    text = _PAGE.format(title=html.escape(title))
    headers = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer"}
    return Response(text, headers=headers, media_type="text/html")


def asset(name: str) -> Response:
    """Return one of `ASSETS`."""
    file = resources.files("toolpact.transports.http") / "swagger_ui" / name
    return Response(file.read_bytes(), headers={"Cache-Control": _KEPT}, media_type=ASSETS[name])
