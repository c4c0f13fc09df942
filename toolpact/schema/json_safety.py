"""What JSON can say of a value, and which schemas admit nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from toolpact.schema.violations import Path, Violation, pointer

DEEPEST = 64
"""How many arrays and objects may lie within each other."""


def is_sayable(value: Any, levels: int = DEEPEST) -> bool:
    """Return whether JSON says all of *value*, quickly; whatever is of an unusual type has to be looked at closely."""
    kind = type(value)
    if kind not in {dict, list}:
        return _is_sayable_leaf(value)
    if kind is dict and not all(type(name) is str and (name.isascii() or _is_unicode(name)) for name in value):
        return False
    for member in value.values() if kind is dict else value:
        kind = type(member)  # most are leaves of these kinds, for which a call would cost more than the question
        if kind is int or (kind is str and member.isascii()) or (kind is float and -math.inf < member < math.inf):
            continue
        if (levels == 1 and kind in {dict, list}) or not is_sayable(member, levels - 1):
            return False
    return True


def _is_sayable_leaf(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return _is_unicode(value)
    return kind is int or kind is bool or value is None or (kind is float and math.isfinite(value))


def unsayable(value: Any) -> Iterator[tuple[Path, Violation]]:
    """Yield what no JSON text says: numbers that are not finite, text that is not Unicode, endless nesting."""
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, here = waiting.pop()
        if fault := _unsayable_itself(here, len(path)):
            yield path, Violation(pointer(path), "type", fault)
        elif isinstance(here, dict):
            waiting += [((*path, name), member) for name, member in reversed(here.items())]
        elif isinstance(here, list):
            waiting += [((*path, index), item) for index, item in reversed(list(enumerate(here)))]


def _unsayable_itself(value: Any, depth: int) -> str | None:
    """Return what JSON has against *value*, its members aside; None where nothing."""
    if isinstance(value, float):
        return None if math.isfinite(value) else "must be a finite number"
    if isinstance(value, str):
        return None if _is_unicode(value) else "must be valid Unicode text"
    if isinstance(value, dict | list) and depth >= DEEPEST:
        return f"must not be nested more than {DEEPEST} levels deep"
    if isinstance(value, dict) and not all(map(_is_unicode, value)):
        return "must have names that are valid Unicode text"
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_closed(schema: Any, levels: int = DEEPEST) -> bool:
    """Return whether every place that *schema* admits has a type, down to the last.

    Then no number in a valid value is without end, and none is nested without end: of what JSON cannot say, only texts are left, and those
    its encoder finds.
    """
    if not isinstance(schema, dict) or not levels:
        return schema is False
    if "enum" in schema or "const" in schema:
        return True
    branches = schema.get("anyOf") or schema.get("oneOf") or ()
    if "type" not in schema:
        return bool(branches) and all(is_closed(branch, levels) for branch in branches)
    return all(is_closed(part, levels - 1) for part in _parts(schema))


def _parts(schema: Any) -> Iterator[Any]:
    """Yield the schemas of the members that a value of *schema* may have."""
    types = schema["type"]
    if "object" in types:
        yield schema.get("additionalProperties", True)
        yield from schema.get("properties", {}).values()
        yield from schema.get("patternProperties", {}).values()
    if "array" in types:
        yield schema.get("items", True)
        yield from schema.get("prefixItems", ())
