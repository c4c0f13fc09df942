"""MCP's extension for views, called MCP Apps: the hosts that show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from toolaccord.resources.view_pages import MEDIA_TYPE
from toolaccord.transports.mcp.capabilities import VIEWS

SESSION_FIELD = "mcp-session-id"
_PREFIX = "views-"


def can_show_views(extensions: Any) -> bool:
    """Return whether a client that declares these *extensions* shows views of our media type."""
    settings = extensions.get(VIEWS) if isinstance(extensions, Mapping) else None
    types = settings.get("mimeTypes") if isinstance(settings, Mapping) else None
    return isinstance(types, list) and MEDIA_TYPE in types


def declares_views(message: Any) -> bool:
    """Return whether a *message*, a JSON value, is an `initialize` of a host that shows views."""
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return False
    params = message.get("params")
    capabilities = params.get("capabilities") if isinstance(params, dict) else None
    return isinstance(capabilities, dict) and can_show_views(capabilities.get("extensions"))


def new_session_id() -> str:
    """Return the id of a session of which nothing is kept: it says that the host shows views."""
    return f"{_PREFIX}{uuid4().hex}"


def is_view_host(fields: Mapping[str, str]) -> bool:
    """Return whether a request with these header *fields* has such an id."""
    return fields.get(SESSION_FIELD, "").startswith(_PREFIX)
