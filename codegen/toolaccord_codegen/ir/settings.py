"""Schemas of settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEYWORDS = ("minimum", "maximum", "minLength", "maxLength", "pattern", "enum")
"""JSON Schema keywords that a setting may have beside its type."""


def setting_schema(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a setting's value."""
    return {"type": setting.get("type", "string")} | {key: setting[key] for key in KEYWORDS if key in setting}
