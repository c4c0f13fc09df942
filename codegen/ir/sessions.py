"""Sessions over HTTP, which a contract asks for or needs."""

from __future__ import annotations

from typing import Any

from codegen.loading.references import as_object, list_items


def has_sessions(contract: Any) -> bool:
    """Return True where a contract of any shape has sessions, or a key that needs them."""
    return "sessions" in as_object(contract) or any("logging" in tool for _, tool in list_items(contract, "tools"))
