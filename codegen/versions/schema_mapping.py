"""Schemas under steps: what every value of a schema becomes, as a schema again.

The result may admit more than the values that really come out (alternatives lose what ties their members together),
never less: what is proved of it is true of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.ir.version_steps import EACH, Step, Tokens
from codegen.loading.references import as_array, as_object
from codegen.loading.schema_nodes import UNIONS, Schema
from codegen.schema_sets.containment import NOTHING
from codegen.schema_sets.samples import branches

Draft = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a place that was cut out."""

    schema: Draft | None
    """None where nothing ever stands there."""
    required: bool
    """Whether something always does: in every item of the innermost array around it, where there is one, else in every value."""


ABSENT = Found(None, required=False)


def image(schema: Schema, steps: Sequence[Step], answers: Mapping[Tokens, Schema]) -> Draft:
    """What the values of a schema become; *answers* are the schemas of what lookups say, by the places they say it for."""
    rest: Draft = dict(schema)
    found: dict[int, Found] = {}
    for index in sorted(range(len(steps)), key=lambda index: -len(steps[index].source_tokens)):
        if steps[index].source_tokens:
            rest, found[index] = cut(rest, steps[index].source_tokens)
    for index in sorted(range(len(steps)), key=lambda index: len(steps[index].target_tokens)):
        step = steps[index]
        if step.target_tokens and step.source_tokens:
            alone = not any(shares_parent(step, other) for other in steps if other is not step)
            rest = pasted(rest, step.target_tokens, said(found[index], step, answers), alone=alone)
        elif step.target_tokens:
            rest = added(rest, step.target_tokens, step.constant)
    return rest


def shares_parent(step: Step, other: Step) -> bool:
    """Whether what a step makes on its way may be made by another one, too."""
    return bool(other.source_tokens) and other.target_tokens[:1] == step.target_tokens[:1]


def said(found: Found, step: Step, answers: Mapping[Tokens, Schema]) -> Found:
    """What a step makes of what it found."""
    if found.schema is None:
        return found
    if step.lookup:
        return Found(dict(answers[step.target_tokens]), required=found.required)
    return Found(renamed(found.schema, step.values), required=found.required)


def renamed(schema: Draft, values: Mapping[str, str]) -> Draft:
    """A schema whose values are called otherwise."""
    if not values:
        return schema
    if "enum" in schema:
        return {
            **schema,
            "enum": [values.get(value, value) if isinstance(value, str) else value for value in schema["enum"]],
        }
    if "const" in schema:
        return {**schema, "const": values.get(schema["const"], schema["const"])}
    return {"anyOf": [schema, {"enum": list(values.values())}]}


def schemas_at(schema: Schema, path: Tokens) -> list[Draft]:
    """The schemas of a place, in whichever alternative; none where nothing has that name."""
    found = branches(schema)
    for token in path:
        inner = [part.get("items") if token == EACH else as_object(part.get("properties")).get(token) for part in found]
        found = [branch for part in inner if isinstance(part, dict) for branch in branches(part)]
    return [dict(part) for part in found]


def complete(schema: Schema) -> Draft:
    """A schema of values in which defaults are filled in."""
    properties = as_object(schema.get("properties"))
    filled = [name for name, part in properties.items() if "default" in as_object(part)]
    result: Draft = dict(schema)
    if properties:
        result["properties"] = {name: complete(as_object(part)) for name, part in properties.items()}
        result["required"] = list(dict.fromkeys([*as_array(schema.get("required")), *filled]))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            result[key] = complete(schema[key])
    return result


# --- taking out ----------------------------------------------------------------------------------------------------


def cut(schema: Schema, path: Tokens) -> tuple[Draft, Found]:
    """A schema without what is at a place, and what is there."""
    if any(key in schema for key in UNIONS):
        pairs = [cut(branch, path) for branch in branches(schema)]
        known = [found.schema for _, found in pairs if found.schema is not None]
        required = all(found.required for _, found in pairs)
        return either(rest for rest, _ in pairs), Found(either(known), required=required) if known else ABSENT
    name, inner = path[0], path[1:]
    if name == EACH:
        return cut_items(schema, inner)
    properties = as_object(schema.get("properties"))
    always = name in as_array(schema.get("required")) and schema.get("type") == "object"
    if not inner:
        others = schema.get("additionalProperties", True)
        open_to: Draft | None = None if others is False else {} if others is True else as_object(others)
        there = properties.get(name, open_to)
        return without(schema, name), Found(there, required=always) if there is not None else ABSENT
    if name not in properties:
        return dict(schema), ABSENT
    rest, found = cut(properties[name], inner)
    whole = {**schema, "properties": {**properties, name: rest}}
    return whole, Found(found.schema, required=found.required and (always or EACH in inner))


def cut_items(schema: Schema, inner: Tokens) -> tuple[Draft, Found]:
    """An array without what is at a place in each of its items; without the items where they are the place."""
    items = as_object(schema.get("items"))
    if not inner:
        return {**schema, "items": {}}, Found(items, required=True)
    rest, found = cut(items, inner)
    return {**schema, "items": rest}, found


def without(schema: Schema, name: str) -> Draft:
    """An object that has no member of a name."""
    properties = {each: part for each, part in as_object(schema.get("properties")).items() if each != name}
    if schema.get("additionalProperties", True) is not False:
        properties[name] = dict(NOTHING)
    required = [each for each in as_array(schema.get("required")) if each != name]
    return {**schema, "properties": properties, "required": required}


def either(alternatives: Iterable[Draft]) -> Draft:
    """A schema that admits what one of several does."""
    known = list(alternatives)
    return known[0] if len(known) == 1 else {"anyOf": known}


# --- putting in ----------------------------------------------------------------------------------------------------


def pasted(schema: Schema, path: Tokens, found: Found, *, alone: bool) -> Draft:
    """A schema with something at a place; objects on the way are made. *alone*: no other step makes the same objects."""
    if any(key in schema for key in UNIONS):
        return either(pasted(branch, path, found, alone=alone) for branch in branches(schema))
    name, inner = path[0], path[1:]
    if name == EACH:
        items = as_object(schema.get("items"))
        return {**schema, "items": pasted(items, inner, found, alone=alone) if inner else found.schema or {}}
    if not inner:
        return with_member(schema, name, found.schema, required=found.required)
    way = through if EACH in inner else made
    return way(schema, path, found, alone=alone)


def through(schema: Schema, path: Tokens, found: Found, *, alone: bool) -> Draft:
    """The same, on the way to an array: it is the one that the thing was found in, so that nothing on the way is made."""
    name, inner = path[0], path[1:]
    there = as_object(schema.get("properties")).get(name)
    if there is None:
        return dict(schema)
    within = pasted(there, inner, found, alone=alone)
    return with_member(schema, name, within, required=name in as_array(schema.get("required")))


def made(schema: Schema, path: Tokens, found: Found, *, alone: bool) -> Draft:
    """The same, on the way through objects, which are made where they are absent."""
    name, inner = path[0], path[1:]
    properties, required = as_object(schema.get("properties")), as_array(schema.get("required"))
    if found.schema is None and name not in properties:
        return dict(schema)
    there = properties.get(name)
    if there is None and schema.get("additionalProperties", True) is not False:
        return with_member(schema, name, {}, required=found.required)  # a member that nobody named may have the name
    if there is None or there == NOTHING:
        new = pasted(NEW, inner, Found(found.schema, required=found.required or alone), alone=alone)
        return with_member(schema, name, new, required=found.required)
    if name not in required:  # where it is absent it is made, and has nothing else
        there = {**there, "required": []}
    within = pasted(there, inner, found, alone=alone)
    return with_member(schema, name, within, required=name in required or found.required)


NEW: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
"""An object that is made on the way to a place."""


def with_member(schema: Schema, name: str, part: Draft | None, *, required: bool) -> Draft:
    """An object that has a member, or never has it."""
    rest = without(schema, name)
    if part is None:
        return rest
    names = [*rest["required"], *([name] if required else [])]
    return {**rest, "properties": {**rest["properties"], name: part}, "required": names}


def added(schema: Schema, path: Tokens, constant: Sequence[Any]) -> Draft:
    """A schema with a constant at a place, where the object around it is there."""
    if any(key in schema for key in UNIONS):
        return either(added(branch, path, constant) for branch in branches(schema))
    name, inner = path[0], path[1:]
    if name == EACH:
        return {**schema, "items": added(as_object(schema.get("items")), inner, constant)}
    properties = as_object(schema.get("properties"))
    if not inner:
        return with_member(schema, name, {"const": constant[0]} if constant else None, required=bool(constant))
    if name not in properties:
        return dict(schema)
    return {**schema, "properties": {**properties, name: added(properties[name], inner, constant)}}
