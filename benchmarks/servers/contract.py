"""The contract of the measured tools, with copies, and with a cache for some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Object = dict[str, Any]

FOLDER = Path(__file__).parent
CACHED = {"top_strategies": "cached_strategies", "candles": "cached_candles"}
"""The names of the cached copies of the tools."""
_CACHE = {"cache": {"ttl_s": 3600}}


def contract(more: int = 0) -> Object:
    """Return the contract of the tools, their cached copies, and *more* copies of the first."""
    whole: Object = json.loads((FOLDER / "contracts/bench/market.json").read_text(encoding="utf-8"))
    tools = whole["tools"]
    cached = [tool | {"name": CACHED[tool["name"]]} | _CACHE for tool in tools]
    return whole | {"tools": [*tools, *cached, *(tools[0] | {"name": name} for name in copies(more))]}


def copies(more: int) -> list[str]:
    """Return the names of *more* copies of the first tool."""
    return [f"top_strategies_{number}" for number in range(more)]


def inline_references(schema: Any, defs: Object) -> Any:
    """Return *schema* with its references written out, as a server publishes it."""
    if isinstance(schema, list):
        return [inline_references(each, defs) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inline_references(defs[schema["$ref"].rpartition("/")[2]], defs)
    return {key: inline_references(value, defs) for key, value in schema.items()}
