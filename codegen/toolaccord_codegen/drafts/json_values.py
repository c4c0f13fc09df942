"""JSON from elsewhere, made fit for a contract: its texts, numbers and depth."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.losses import Effect, Losses

SURROGATE = re.compile("[\ud800-\udfff]")
LARGEST_INTEGER = 2**63
DEEPEST = 60
"""Levels of a value that a draft keeps; contracts may have a hundred around and in it."""


def clean_json(value: Any, losses: Losses, at: str = "", depth: int = 0) -> Any:
    """Return a value without half surrogate pairs, and cut below DEEPEST levels; note both."""
    if isinstance(value, str) and SURROGATE.search(value):
        losses.change(at, "text", Effect.SAME, "half of a surrogate pair is no text; it became U+FFFD")
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict | list) and depth >= DEEPEST:
        losses.drop(at, "nesting", Effect.WIDER, f"the value has more than {DEEPEST} levels")
        return {} if isinstance(value, dict) else []
    if isinstance(value, dict):
        return {
            SURROGATE.sub("\ufffd", str(key)): clean_json(part, losses, join_pointer(at, str(key)), depth + 1)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [clean_json(part, losses, join_pointer(at, index), depth + 1) for index, part in enumerate(value)]
    return value


def is_storable(value: Any) -> bool:
    """Return True if every number of a value is a 64-bit integer or a finite double."""
    if isinstance(value, dict):
        return all(map(is_storable, value.values()))
    if isinstance(value, list):
        return all(map(is_storable, value))
    if isinstance(value, int):
        return -LARGEST_INTEGER <= value < LARGEST_INTEGER
    return not isinstance(value, float) or isfinite(value)
