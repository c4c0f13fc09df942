"""Describe the change of a schema keyword and format its values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

CONTEXT_CHARACTERS = 20
"""Characters shown before the first difference of two texts."""


@dataclass(frozen=True, slots=True)
class KeywordChange:
    """A change of one or more keywords of a schema."""

    rule: str
    keys: tuple[str, ...]
    """The changed keywords."""
    message: str
    narrows: bool = False
    """True if old values may be rejected now."""
    widens: bool = False
    """True if new values may be admitted now."""
    circumstance: str = ""
    enum_value: tuple[int, Any] | None = None
    """The value that an enum lost or gained, after its index."""


def format_value(value: Any) -> str:
    """Return a value for a message, cut at 60 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def format_optional(value: Any) -> str:
    """Return a value for a message, or `none`."""
    return "none" if value is None else format_value(value)


def describe_text_change(key: str, before: Any, after: Any) -> str:
    """Return a message about a changed text, from its first difference on."""
    if after is None:
        return f"the {key} was removed"
    was, now = str(before or ""), str(after)
    parts_at = next((at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), len(was))
    start = max(0, parts_at - CONTEXT_CHARACTERS)
    return f"the {key} now reads {format_value(('...' if start else '') + now[start:])}"
