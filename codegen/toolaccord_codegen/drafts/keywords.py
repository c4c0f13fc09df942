"""Keywords without schemas inside them, as far as a contract can have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.json_values import is_storable
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.loading.json_equality import distinct_json
from toolaccord_codegen.rules.metaschema import UNSUPPORTED_KEYWORDS, load_metaschema
from toolaccord_codegen.rules.schema import RANGES, find_pattern_fault, violations

Schema = dict[str, Any]
CONSTRAINTS = (
    "type", "enum", "const", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "required", "minItems", "maxItems",
)  # fmt: skip
"""Keywords without schemas that values may break."""
ANNOTATIONS = ("title", "description", "default", "examples")
NESTING = frozenset({"$ref", "$defs", "definitions", "properties", "items", "additionalProperties", "propertyNames"})
"""Keywords with schemas, which others convert."""
CONVERTED = frozenset({"allOf", "anyOf", "oneOf", "patternProperties", "prefixItems", "unevaluatedProperties"})
"""Keywords that others replace by keywords of the language."""
WITHOUT_EFFECT: Mapping[str, Any] = {"uniqueItems": False, "minProperties": 0, "minContains": 0, "not": False}
"""Values with which a keyword rejects nothing."""
VALIDATING = frozenset(
    [
        "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "uniqueItems",
        "minProperties", "maxProperties", "contains", "minContains", "maxContains", "additionalItems",
        "unevaluatedItems", "$dynamicRef", "$recursiveRef",
    ]
)  # fmt: skip
"""Keywords that reject values and have no counterpart in the language."""
CHECKERS_OWN = frozenset({"x-unit", "x-renamed-from", "x-extensible-enum", "x-unknown"})
"""Keys that mean something to lint and to the checker of changes."""
COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
LARGEST_COUNT = 10**9
"""Largest number of characters or items that a draft names; larger ones limit nothing."""
NO_COUNTERPART = "the language has no such keyword; models or hosts would drop it silently"
REWRITES: Mapping[str, str] = {r"\A": "^", r"\Z": "$", r"\z": "$", "(?P<": "(?<"}
"""Syntax of other languages with its equal in ECMAScript."""


@cache
def _shape(keyword: str) -> jsonschema_rs.Validator:
    """Return the validator of a keyword's value."""
    metaschema = load_metaschema()
    shape = metaschema["$defs"]["Schema"]["properties"][keyword]
    return jsonschema_rs.validator_for({"$schema": metaschema["$schema"], **shape, "$defs": metaschema["$defs"]})


def take_keywords(schema: Mapping[str, Any], at: str, losses: Losses) -> Schema:
    """Return the keywords without schemas that a contract can have; note every other one."""
    taken: Schema = {}
    for keyword, value in schema.items():
        place = join_pointer(at, keyword)
        if keyword in CONSTRAINTS or keyword in ANNOTATIONS or keyword == "$schema":
            _take(taken, keyword, value, place, losses)
        elif keyword.startswith("x-") and keyword not in CHECKERS_OWN and is_storable(value):
            taken[keyword] = value
        elif keyword not in NESTING and keyword not in CONVERTED:
            _drop(keyword, value, place, losses)
    return taken


def drop_unfit(drafted: Schema, at: str, losses: Losses) -> None:
    """Drop bounds that no value meets, and listed values that the schema's own type rejects."""
    _drop_empty_ranges(drafted, at, losses)
    _drop_unfit_values(drafted, at, losses)


def _drop(keyword: str, value: Any, place: str, losses: Losses) -> None:
    """Note a keyword that no contract can have."""
    if keyword in VALIDATING:
        is_idle = keyword in WITHOUT_EFFECT and value == WITHOUT_EFFECT[keyword]
        losses.drop(place, keyword, Effect.SAME if is_idle else Effect.WIDER, NO_COUNTERPART)
    elif keyword in UNSUPPORTED_KEYWORDS or keyword.startswith("$"):
        losses.drop(place, keyword, Effect.SAME, "it names a schema or describes a text, and rejects no value")
    else:
        losses.drop(place, keyword, Effect.SAME, "the language has no such annotation")


def _take(taken: Schema, keyword: str, value: Any, place: str, losses: Losses) -> None:
    """Add a keyword whose value has the right form, perhaps with a part left out."""
    if keyword == "pattern" and isinstance(value, str):
        value = _take_pattern(value, place, losses)
    elif keyword in {"enum", "required", "type"} and isinstance(value, list):
        value = _take_list(keyword, value, place, losses)
    if value is None and keyword not in {"const", "default"}:
        return
    is_held = is_storable(value) and not (
        keyword in COUNTS and isinstance(value, int | float) and value > LARGEST_COUNT
    )
    if is_held and _shape(keyword).is_valid(value):
        taken[keyword] = value
        return
    effect = Effect.WIDER if keyword in CONSTRAINTS and keyword != "format" else Effect.SAME
    reason = _unfit(keyword) if is_held else "the number is too large for a contract"
    losses.drop(place, keyword, effect, reason)


def _unfit(keyword: str) -> str:
    """Return the reason why a keyword's value is not taken."""
    reasons = {
        "format": "the language does not know this format; it checks date, date-time and uuid",
        "$schema": "contracts name draft 2020-12 or draft 7, whose keywords mean the same here",
    }
    return reasons.get(keyword, f"this is no value for {keyword}")


def _take_list(keyword: str, values: list[Any], place: str, losses: Losses) -> list[Any] | None:
    """Return the elements that are fit and differ; None for an empty list."""
    known = [value for value in values if keyword == "enum" or isinstance(value, str)]
    fit = distinct_json(value for value in known if is_storable(value))
    if len(fit) < len(values):
        is_repeated = len(distinct_json(values)) == len(fit)
        effect = Effect.SAME if is_repeated else Effect.WIDER if keyword == "required" else Effect.NARROWER
        losses.change(place, keyword, effect, "elements that repeat others, or that no contract holds, were left out")
    return fit or (None if values and keyword != "enum" else fit if keyword == "required" else values)


def _take_pattern(pattern: str, place: str, losses: Losses) -> str | None:
    """Return a regular expression that every engine reads alike; None if there is none."""
    rewritten = re.sub(r"(?s)\\.|\(\?P<", lambda found: REWRITES.get(found.group(), found.group()), pattern)
    if fault := find_pattern_fault(rewritten):
        losses.drop(place, "pattern", Effect.WIDER, fault[1])
        return None
    if rewritten != pattern:
        losses.change(place, "pattern", Effect.SAME, "it became a regular expression of ECMAScript")
    return rewritten


def _drop_empty_ranges(taken: Schema, at: str, losses: Losses) -> None:
    """Drop bounds that no value meets."""
    for low, high in RANGES:
        if low in taken and high in taken and taken[low] > taken[high]:
            for keyword in (low, high):
                del taken[keyword]
                losses.drop(join_pointer(at, keyword), keyword, Effect.WIDER, f"{low} is above {high}; no value fits")


def _drop_unfit_values(taken: Schema, at: str, losses: Losses) -> None:
    """Drop listed values that the schema's own type rejects."""
    if "type" not in taken:
        return
    typed = {"type": taken["type"]}
    if "const" in taken and any(violations(typed, taken["const"])):
        del taken["const"]
        losses.drop(join_pointer(at, "const"), "const", Effect.WIDER, "it is not of the schema's type; no value fits")
    fit = [value for value in taken.get("enum", ()) if not any(violations(typed, value))]
    if len(fit) < len(taken.get("enum", ())):
        effect, reason = Effect.SAME, "values that are not of the schema's type were left out"
        if fit:
            taken["enum"] = fit
            losses.change(join_pointer(at, "enum"), "enum", effect, reason)
        else:
            del taken["enum"]
            losses.drop(join_pointer(at, "enum"), "enum", Effect.WIDER, "no value is of the schema's type")
