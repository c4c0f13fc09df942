"""Map schemas by steps, so that the result admits every mapped value.

The result may admit more than that: branches of a union lose the dependencies between their members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolaccord.semantics.version_steps import ABSENT, EACH, Step, StepMapping, Tokens
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.schema_sets.samples import branches
from toolaccord_codegen.versions.schema_edits import Draft, Part, any_of, extract, insert


def map_schema(schema: Schema, steps: Sequence[Step], target_schema: Schema) -> Draft:
    """Map a schema by steps. Lookups are assumed to answer what *target_schema* admits."""
    rest: Draft = dict(schema)
    extracted: dict[Tokens, Part] = {}
    mapping = StepMapping(steps)
    for step in mapping.extractions:
        rest, extracted[step.source] = extract(rest, step.source)
    for step in mapping.insertions:
        if not step.source:
            constant = None if step.constant is ABSENT else {"const": step.constant}
            part = Part(constant, required=constant is not None, is_constant=True)
        else:
            part = extracted[step.source]
            if part.schema is not None:
                has_lookup, values = step.lookup is not None, dict(step.values)
                known = lookup_schema(step, target_schema) if has_lookup else _rename_values(part.schema, values)
                part = replace(part, schema=known)
            part = replace(part, is_exclusive=not any(_shares_parent(step, other) for other in steps))
        rest = insert(rest, step.target, part)
    return rest


def lookup_schema(step: Step, target_schema: Schema) -> Draft:
    """Return the schema of a lookup's answers. The library checks that each answer fits."""
    return any_of(schemas_at(target_schema, step.target))


def _shares_parent(step: Step, other: Step) -> bool:
    """Return True if two steps may create the same object."""
    return other is not step and bool(other.source) and other.target[:1] == step.target[:1]


def _rename_values(schema: Draft, values: Mapping[str, str]) -> Draft:
    """Return a schema whose enum values are renamed."""
    if not values:
        return schema

    def renamed(value: Any) -> Any:
        return values.get(value, value) if isinstance(value, str) else value

    if "enum" in schema:
        return {**schema, "enum": list(map(renamed, schema["enum"]))}
    if "const" in schema:
        return {**schema, "const": renamed(schema["const"])}
    return {"anyOf": [schema, {"enum": list(values.values())}]}


def schemas_at(schema: Schema, path: Tokens) -> list[Draft]:
    """Return the schemas at a path, one for each branch of a union. Empty if there is none.

    An index in the path stands for any item, as EACH does.
    """
    found = branches(schema)
    for token in path:
        inner = [_part_at(part, token) for part in found]
        found = [branch for part in inner if isinstance(part, dict) for branch in branches(part)]
    return [dict(part) for part in found]


def _part_at(schema: Schema, token: str) -> Any:
    """Return the schema of a member or of an array's items; None if there is none."""
    if token == EACH or (token.isdecimal() and schema.get("type") == "array"):
        return schema.get("items")
    return as_object(schema.get("properties")).get(token)


def require_defaults(schema: Schema) -> Draft:
    """Return the schema of values whose defaults are filled in."""
    properties = as_object(schema.get("properties"))
    filled = [name for name, part in properties.items() if "default" in as_object(part)]
    result: Draft = dict(schema)
    if properties:
        result["properties"] = {name: require_defaults(as_object(part)) for name, part in properties.items()}
        result["required"] = list(dict.fromkeys([*as_array(schema.get("required")), *filled]))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            result[key] = require_defaults(schema[key])
    return result
