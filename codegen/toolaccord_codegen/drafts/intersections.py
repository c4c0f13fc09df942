"""One schema in the place of two that must both match."""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.loading.json_equality import contains_json, equal_json

Schema = dict[str, Any]
Expand = Callable[[Schema], Schema]
LARGER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems"})
SMALLER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems"})
SUBSCHEMAS = frozenset({"items", "propertyNames"})
CONSTRAINTS = frozenset({"type", "enum", "const", "format", "pattern", "multipleOf", "anyOf", "oneOf"})


def intersect(one: Schema, other: Schema, at: str, losses: Losses, expand: Expand) -> Schema:
    """Return a schema for the values that both admit, as far as the language can express it.

    Where it cannot, the keyword of the first one stays, which is noted. Texts are those of the first one too.
    """
    merged = {**other, **one}
    members = _intersect_members(one, other, at, losses, expand)
    for keyword in one.keys() & other.keys() - {"properties", "additionalProperties"}:
        place = join_pointer(at, keyword)
        if keyword in LARGER | SMALLER:
            merged[keyword] = (max if keyword in LARGER else min)(one[keyword], other[keyword])
        elif keyword == "required":
            merged[keyword] = list(dict.fromkeys([*one[keyword], *other[keyword]]))
        elif keyword in SUBSCHEMAS:
            merged[keyword] = intersect(expand(one[keyword]), expand(other[keyword]), place, losses, expand)
        elif keyword in CONSTRAINTS and not equal_json(one[keyword], other[keyword]):
            merged[keyword] = _intersect_keyword(keyword, one[keyword], other[keyword], place, losses)
    return {**merged, **members}


def _intersect_keyword(keyword: str, one: Any, other: Any, at: str, losses: Losses) -> Any:
    """Return the value of a keyword that both schemas have with different values."""
    found = None
    if keyword == "type":
        found = _intersect_types(one, other)
    elif keyword == "enum":
        found = [value for value in one if contains_json(other, value)] or None
    elif keyword == "multipleOf" and isinstance(one, int) and isinstance(other, int):
        found = lcm(one, other)
    if found is not None:
        return found
    losses.drop(at, keyword, Effect.WIDER, "two schemas that must both match differ here; the first one's stays")
    return one


def _intersect_types(one: Any, other: Any) -> Any:
    """Return the types that both admit; None without one."""
    ours, theirs = ([kinds] if isinstance(kinds, str) else kinds for kinds in (one, other))
    found = [kind for kind in ours if kind in theirs or (kind == "integer" and "number" in theirs)]
    found += [kind for kind in theirs if kind == "integer" and "number" in ours and kind not in found]
    return found[0] if len(found) == 1 else found or None


def _intersect_members(one: Schema, other: Schema, at: str, losses: Losses, expand: Expand) -> Schema:
    """Return the members of objects that both admit."""
    merged: Schema = {}
    ours, theirs = one.get("properties", {}), other.get("properties", {})
    if ours or theirs:
        merged["properties"] = {
            name: _intersect_member(name, ours, theirs, at, losses, expand) for name in dict.fromkeys([*ours, *theirs])
        }
    rests = [schema["additionalProperties"] for schema in (one, other) if "additionalProperties" in schema]
    if False in rests:
        merged["additionalProperties"] = False
        closed, opened = (one, other) if one.get("additionalProperties") is False else (other, one)
        if (
            opened.get("additionalProperties") is not False
            and opened.get("properties", {}).keys() - closed.get("properties", {}).keys()
        ):
            reason = "a closed schema rejected members of the other one, so that no value fitted; it admits them"
            losses.change(join_pointer(at, "additionalProperties"), "additionalProperties", Effect.WIDER, reason)
    elif rests:
        merged["additionalProperties"] = next((rest for rest in rests if rest is not True), True)
    return merged


def _intersect_member(name: str, ours: Schema, theirs: Schema, at: str, losses: Losses, expand: Expand) -> Schema:
    """Return the schema of a member that one or both objects name."""
    found: Schema = ours[name] if name in ours else theirs[name]
    if name not in ours or name not in theirs or equal_json(ours[name], theirs[name]):
        return found
    return intersect(expand(ours[name]), expand(theirs[name]), join_pointer(at, "properties", name), losses, expand)
