"""Answers of tools as tests read them."""

import json
from typing import Any

from mcp.types import CallToolResult, TextContent


def body(answer: CallToolResult) -> dict[str, Any]:
    """Return the JSON that *answer* carries as its only text."""
    (part,) = answer.content
    assert isinstance(part, TextContent)
    said: dict[str, Any] = json.loads(part.text)
    return said


def code(said: dict[str, Any]) -> str | None:
    """Return the code of an error, whichever dialect it is in; None for a success."""
    error = said.get("error") or {}
    found: str | None = error.get("code", error.get("error_type"))
    return found
