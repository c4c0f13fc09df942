"""Sessions over HTTP, which a contract asks for or needs."""

from __future__ import annotations

from typing import Any

from toolaccord_codegen.loading.references import as_object, list_items


def has_sessions(contract: Any) -> bool:
    """Return True where a contract of any shape has sessions, or a key that needs them."""
    askers = (("asks", key) for key in ("tools", "resources", "prompts"))
    needs = (("logging", "tools"), ("subscribe", "resources"), *askers)
    needed = any(key in each for key, owners in needs for _, each in list_items(contract, owners))
    return "sessions" in as_object(contract) or needed
