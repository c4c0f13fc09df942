"""Swagger UI, a viewer of the OpenAPI document, which loads nothing from elsewhere."""

from __future__ import annotations

import html
from functools import cache
from importlib import resources

from starlette.responses import Response

DOCS_PATH = "/docs"
DOCS_ASSETS = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
    "viewer.js": "text/javascript; charset=utf-8",
}
"""The files that the page loads, with their media types."""
_CACHE_CONTROL = "private, max-age=3600"
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE_TEMPLATE = """<!doctype html>
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


def render_page(title: str) -> Response:
    """Return the page, with relative links, so that a proxy may serve it below another path."""
    text = _PAGE_TEMPLATE.format(title=html.escape(title))
    headers = {"Content-Security-Policy": _CONTENT_SECURITY_POLICY, "Referrer-Policy": "no-referrer"}
    return Response(text, headers=headers, media_type="text/html")


def read_asset(name: str) -> Response:
    """Return one of `DOCS_ASSETS`."""
    return Response(_load_asset(name), headers={"Cache-Control": _CACHE_CONTROL}, media_type=DOCS_ASSETS[name])


@cache
def _load_asset(name: str) -> bytes:
    """Return the content of an asset, of which responses then share one copy."""
    return (resources.files("toolaccord.transports.http") / "swagger_ui" / name).read_bytes()
