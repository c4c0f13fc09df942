"""Formats of texts that compiler and library check; others are annotations."""

from __future__ import annotations

from typing import Any

CHECKED_FORMATS = frozenset({"date", "date-time", "uuid"})
"""Formats whose texts are validated (RFC 3339, RFC 9562). Models have types for them."""


def is_annotation(keyword: str, value: Any) -> bool:
    """Return True for a `format` that is published and not checked; its value may be any JSON."""
    return keyword == "format" and not (isinstance(value, str) and value in CHECKED_FORMATS)
