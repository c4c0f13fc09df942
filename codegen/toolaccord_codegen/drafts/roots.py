"""Schemas of arguments and of results: objects, whose unknown members are decided upon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.schemas import SchemaDrafter
from toolaccord_codegen.loading.json_equality import distinct_json
from toolaccord_codegen.loading.references import UNIONS, as_array, as_object, subschemas
from toolaccord_codegen.schema_sets.samples import minimal_value

Schema = dict[str, Any]
MOST_ITEMS = 100
"""Items of an array beyond which a draft has no example of it."""


def draft_parameters(schema: Any, at: str, definitions: Definitions, losses: Losses) -> Schema:
    """Return the schema of a tool's arguments; only one that is open on purpose stays open."""
    drafted = _draft_object(schema, at, definitions, losses)
    _hoist_unions(drafted, at, definitions, losses)
    drafted.setdefault("properties", {})
    if "additionalProperties" not in drafted:
        drafted["additionalProperties"] = "patternProperties" in as_object(schema)
        if not drafted["additionalProperties"]:
            reason = "contracts decide on unknown arguments; the draft rejects them"
            losses.change(join_pointer(at, "additionalProperties"), "additionalProperties", Effect.NARROWER, reason)
            for name in drafted.get("required", ()):
                drafted["properties"].setdefault(name, {})
    return _finish(drafted, at, definitions, losses)


def draft_returns(schema: Any, at: str, definitions: Definitions, losses: Losses) -> Schema:
    """Return the schema of a tool's result, an object."""
    return _finish(_draft_object(schema, at, definitions, losses), at, definitions, losses)


def find_example(schema: Schema, definitions: Definitions) -> Any:
    """Return a small value that a drafted schema admits; None if none is found."""
    whole = definitions.inline(schema)
    if any(part.get("minItems", 0) > MOST_ITEMS for _, part in subschemas(whole, "")):
        return None
    return minimal_value(whole)


def _draft_object(schema: Any, at: str, definitions: Definitions, losses: Losses) -> Schema:
    """Return a drafted schema whose type is object."""
    drafted = definitions.expand(SchemaDrafter(definitions, losses).draft(schema, at))
    kinds = drafted.get("type", "object")
    if "object" not in ([kinds] if isinstance(kinds, str) else kinds):
        losses.drop(at, "type", Effect.WIDER, f"arguments and results are objects in MCP, not {kinds}")
        return {"type": "object"}
    if kinds != "object":
        losses.change(join_pointer(at, "type"), "type", Effect.SAME, "arguments and results are objects in MCP")
    unfit = {key for key in ("const", "enum", "default") if key in drafted}
    for key in unfit:
        losses.drop(join_pointer(at, key), key, Effect.WIDER, "the schema of arguments or results lists no values")
    return {"type": "object", **{key: value for key, value in drafted.items() if key not in unfit | {"type"}}}


def _hoist_unions(drafted: Schema, at: str, definitions: Definitions, losses: Losses) -> None:
    """Let arguments have the members of every alternative; hosts know no union at the root."""
    for keyword in UNIONS:
        branches = [definitions.expand(branch) for branch in as_array(drafted.get(keyword))]
        if not any("properties" in branch for branch in branches):
            continue
        del drafted[keyword]
        losses.drop(join_pointer(at, keyword), keyword, Effect.WIDER, "its alternatives were merged into one object")
        drafted["properties"] = _join_members(as_object(drafted.get("properties")), branches)
        common = [name for name in branches[0].get("required", ()) if all(_requires(each, name) for each in branches)]
        drafted["required"] = list(dict.fromkeys([*drafted.get("required", ()), *common]))


def _requires(schema: Mapping[str, Any], name: str) -> bool:
    """Return True for an object that requires a member."""
    return name in schema.get("required", ())


def _join_members(own: Schema, branches: list[Schema]) -> Schema:
    """Return the members of an object and of all its alternatives."""
    joined = dict(own)
    for name in dict.fromkeys(name for branch in branches for name in branch.get("properties", {})):
        forms = distinct_json(branch["properties"][name] for branch in branches if name in branch.get("properties", {}))
        joined.setdefault(name, forms[0] if len(forms) == 1 else {"anyOf": forms})
    return joined


def _finish(drafted: Schema, at: str, definitions: Definitions, losses: Losses) -> Schema:
    """Return a root that is small enough, with its own definitions unless tools share them."""
    limited = definitions.limit(drafted, at, losses)
    limited.setdefault("type", "object")
    if definitions.is_shared or not definitions.schemas:
        return limited
    return {**limited, "$defs": definitions.schemas}
