"""Keywords of older JSON Schema drafts and of OpenAPI 3.0, written as 2020-12 has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.loading.json_equality import contains_json
from toolaccord_codegen.loading.references import as_array

Schema = dict[str, Any]
Step = Callable[[Schema, str, Losses], None]


def modernize(schema: Mapping[str, Any], at: str, losses: Losses) -> Schema:
    """Return the keywords of one schema as 2020-12 has them, and note each that changed."""
    modern = dict(schema)
    for step in (_exclusive_bounds, _tuple_items, _example, _single_const, _nullable):
        step(modern, at, losses)
    return modern


def _exclusive_bounds(schema: Schema, at: str, losses: Losses) -> None:
    """Replace the booleans of draft 4 and OpenAPI 3.0 by bounds."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if not isinstance(schema.get(exclusive), bool):
            continue
        if schema.pop(exclusive) and bound in schema:
            schema[exclusive] = schema.pop(bound)
        losses.change(join_pointer(at, exclusive), exclusive, Effect.SAME, "a boolean became the bound itself")


def _tuple_items(schema: Schema, at: str, losses: Losses) -> None:
    """Call the schemas of a tuple `prefixItems`."""
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        if "additionalItems" in schema:
            schema["items"] = schema.pop("additionalItems")
        losses.change(join_pointer(at, "items"), "items", Effect.SAME, "the array of schemas is a tuple in 2020-12")


def _example(schema: Schema, at: str, losses: Losses) -> None:
    """Call one example `examples`."""
    if "example" in schema:
        example = schema.pop("example")
        schema.setdefault("examples", [example])
        losses.change(join_pointer(at, "example"), "example", Effect.SAME, "it became the only one of the examples")


def _single_const(schema: Schema, at: str, losses: Losses) -> None:
    """Drop an enum beside a constant that it lists."""
    if "const" in schema and contains_json(as_array(schema.get("enum")), schema["const"]):
        schema.pop("enum")
        losses.drop(join_pointer(at, "enum"), "enum", Effect.SAME, "the constant beside it says more")


def _nullable(schema: Schema, at: str, losses: Losses) -> None:
    """Write `nullable` of OpenAPI 3.0 as the type null; without a type it has no effect there."""
    if "nullable" not in schema:
        return
    kinds, place = schema.get("type"), join_pointer(at, "nullable")
    if schema.pop("nullable") is not True or not isinstance(kinds, str) or kinds == "null":
        losses.drop(place, "nullable", Effect.SAME, "it has no effect here")
        return
    schema["type"] = [kinds, "null"]
    if isinstance(schema.get("enum"), list) and not contains_json(schema["enum"], None):
        schema["enum"] = [*schema["enum"], None]
    losses.change(place, "nullable", Effect.SAME, 'it became the type "null"')
