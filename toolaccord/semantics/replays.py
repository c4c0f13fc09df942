"""The member of an envelope that only the result of a repeated call has."""

from __future__ import annotations

from typing import Any

REPLAYED = {"$": "replayed"}
"""The placeholder: true if the result is that of an earlier call with the same key."""


def omit_replayed(template: Any) -> Any:
    """Return a dialect's *template* without the placeholder, for calls that repeat nothing."""
    if not isinstance(template, dict):
        return template
    return {name: omit_replayed(part) for name, part in template.items() if part != REPLAYED}
