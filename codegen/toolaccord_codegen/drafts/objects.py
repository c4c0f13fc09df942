"""Keywords of objects that a draft has in another form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.keywords import take_keywords
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.loading.references import as_object, list_branches

Schema = dict[str, Any]
ANY_NAME = frozenset({"", ".*", "^.*$", "^.+$", ".+"})
"""Patterns of names that every name matches."""


def admit_patterns(
    nested: Schema, schema: Mapping[str, Any], at: str, losses: Losses, draft: Callable[[Any, str], Schema]
) -> None:
    """Replace `patternProperties` by `additionalProperties`; exactly so where one is alone."""
    patterns = as_object(schema.get("patternProperties"))
    place = join_pointer(at, "patternProperties")
    if "patternProperties" not in schema:
        return
    is_alone = len(patterns) == 1 and not schema.get("properties") and "propertyNames" not in schema
    for pattern, part in patterns.items() if is_alone else ():
        is_any = pattern in ANY_NAME
        name = take_keywords({"pattern": pattern}, place, losses)
        if is_any or (schema.get("additionalProperties") is False and name):
            nested["additionalProperties"] = draft(part, join_pointer(place, pattern))
            nested |= {} if is_any else {"propertyNames": {"type": "string", **name}}
            losses.change(place, "patternProperties", Effect.SAME, "it became the schema of all other members")
            return
    if nested.get("additionalProperties") is False:
        nested["additionalProperties"] = True
    losses.drop(place, "patternProperties", Effect.WIDER, "the language has no such keyword; other members may be any")


def close_evaluated(drafted: Schema, schema: Mapping[str, Any], at: str, losses: Losses) -> None:
    """Replace `unevaluatedProperties` by `additionalProperties` where no union has members."""
    if "unevaluatedProperties" not in schema:
        return
    place = join_pointer(at, "unevaluatedProperties")
    has_branches = any(as_object(part).keys() & {"properties", "$ref"} for part in list_branches(drafted))
    if schema["unevaluatedProperties"] is False and not has_branches and "additionalProperties" not in drafted:
        drafted["additionalProperties"] = False
        reason = "every schema was merged, so additionalProperties means the same"
        losses.change(place, "unevaluatedProperties", Effect.SAME, reason)
    else:
        reason = "the language has no such keyword; other members may be any"
        losses.drop(place, "unevaluatedProperties", Effect.WIDER, reason)


def require_known(drafted: Schema, at: str, losses: Losses) -> None:
    """Drop required members that a closed object does not have."""
    required, properties = drafted.get("required", []), drafted.get("properties", {})
    known = [name for name in required if name in properties]
    if drafted.get("additionalProperties") is False and len(known) < len(required):
        drafted["required"] = known
        reason = "a closed object does not have every required member, so that no value fitted"
        losses.change(join_pointer(at, "required"), "required", Effect.WIDER, reason)
