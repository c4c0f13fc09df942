"""Values that JSON text cannot represent, and schemas that exclude them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

from toolaccord.schema.violations import Path, Violation, json_pointer

MAX_DEPTH = 64
"""Number of arrays and objects that may be nested."""


def is_representable(value: Any, levels: int = MAX_DEPTH) -> bool:
    """Return whether JSON represents all of *value*; a fast check, False for unusual types too."""
    kind = type(value)
    if kind not in {dict, list}:
        return _is_representable_leaf(value)
    if kind is dict and not all(type(name) is str and (name.isascii() or _is_unicode(name)) for name in value):
        return False
    for member in value.values() if kind is dict else value:
        kind = type(member)  # most members pass here, without the cost of a call
        if kind is int or (kind is str and member.isascii()) or (kind is float and -math.inf < member < math.inf):
            continue
        if (levels == 1 and kind in {dict, list}) or not is_representable(member, levels - 1):
            return False
    return True


def _is_representable_leaf(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return _is_unicode(value)
    return kind is int or kind is bool or value is None or (kind is float and math.isfinite(value))


def unrepresentable_places(value: Any, max_places: int | None = None) -> Iterator[tuple[Path, Violation]]:
    """Yield the places that JSON cannot represent, of the first *max_places* or of all.

    Those are numbers that are not finite, text that is not Unicode, and deep nesting.
    """
    for path, here in islice(_places(value), max_places):
        if reason := unrepresentable_reason(here, len(path)):
            yield path, Violation(json_pointer(path), "type", reason)


def _places(value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield every place in *value* with its path, in order; those too deep are left out."""
    pending: list[Iterator[tuple[Path, Any]]] = [iter([((), value)])]
    while pending:
        for path, here in pending[-1]:
            yield path, here
            if isinstance(here, dict | list) and len(path) < MAX_DEPTH:
                pending.append(_members(path, here))
                break
        else:
            pending.pop()


def _members(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    return (((*path, name), member) for name, member in members)


def unrepresentable_reason(value: Any, depth: int) -> str | None:
    """Return the reason why JSON cannot represent *value*, its members aside; None if it can."""
    if isinstance(value, float):
        return None if math.isfinite(value) else "must be a finite number"
    if isinstance(value, str):
        return None if _is_unicode(value) else "must be valid Unicode text"
    if isinstance(value, dict | list) and depth >= MAX_DEPTH:
        return f"must not be nested more than {MAX_DEPTH} levels deep"
    if isinstance(value, dict) and not _is_unicode("".join(value)):
        return "must have names that are valid Unicode text"
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_fully_typed(schema: Any, levels: int = MAX_DEPTH) -> bool:
    """Return whether every place that *schema* admits has a type, down to the last.

    A valid value then has only finite numbers and limited nesting. Text that is not Unicode remains possible; orjson
    rejects it.
    """
    if not isinstance(schema, dict) or not levels:
        return schema is False
    if "enum" in schema or "const" in schema:
        return True
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    if "type" not in schema:
        return bool(branches) and all(is_fully_typed(branch, levels) for branch in branches)
    return all(is_fully_typed(part, levels - 1) for part in _member_schemas(schema))


def _member_schemas(schema: Any) -> Iterator[Any]:
    """Yield the schemas of the members that a value of *schema* may have."""
    types = schema["type"]
    if "object" in types:
        yield schema.get("additionalProperties", True)
        yield from schema.get("properties", {}).values()
        yield from schema.get("patternProperties", {}).values()
    if "array" in types:
        yield schema.get("items", True)
        yield from schema.get("prefixItems", ())
