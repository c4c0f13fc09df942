"""Compare schemas of variables, parts of URIs and arguments of prompts, which are texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.loading.schema_nodes import Schema, SchemaNode
from toolaccord_codegen.schema_sets.containment import covers

TEXTS = {
    "integer": "^-?(0|[1-9][0-9]{0,17})$",
    "number": "^-?(0|[1-9][0-9]{0,17})([.][0-9]{1,17})?$",
    "boolean": "^(true|false)$",
}
"""Patterns of the texts of a type, as `toolaccord.schema.string_values` reads them."""
MOST_TEXTS = 1000
"""Numbers of an interval that are written out as texts."""


def text_schema_changes(topic: Topic, old: SchemaNode, new: SchemaNode) -> Iterator[Change]:
    """Yield the changes of a value, or of an object of values, that become texts or cease to be.

    A type that another one replaces is compared by the texts of both.
    """
    if old.properties or new.properties:
        names = [name for name in old.properties if name in new.properties]
        members = {name: [node.child("properties", name) for node in (old, new)] for name in names}
        turned = {name: nodes for name, nodes in members.items() if _turns_into_text(*nodes)}
        yield from schema_changes(topic, *(_leave_out(node, turned) for node in (old, new)))
        for name, nodes in turned.items():
            yield from _type_change(replace(topic, noun=f"{topic.noun} {name}"), nodes[0], nodes[1], f"/{name}")
    elif _turns_into_text(old, new):
        yield from _type_change(topic, old, new, "")
    else:
        yield from schema_changes(topic, old, new)


def read_text(value: Any) -> Any:
    """Return the text of a number or of a truth value, and any other value itself."""
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def _turns_into_text(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if one schema is of texts, and the other of another type."""
    kinds = [node.value("type") for node in (old, new)]
    return kinds.count("string") == 1 and any(kind in TEXTS for kind in kinds)


def _leave_out(node: SchemaNode, names: Any) -> SchemaNode:
    """Return a schema in which some members admit any value, so that nothing differs there."""
    place, schema = node.layers[0]
    members = {name: {} if name in names else part for name, part in node.keywords.get("properties", {}).items()}
    return SchemaNode.of(node.library, place, {**schema, "properties": members})


def _type_change(topic: Topic, old: SchemaNode, new: SchemaNode, pointer: str) -> Iterator[Change]:
    """Yield the change of a type, with its effect on the texts of both schemas."""
    before, after = (_text_schema(node.constraints) for node in (old, new))
    narrows, widens = not covers(after, before), not covers(before, after)
    text = f"the type changed from {old.value('type')} to {new.value('type')}"
    yield Change(
        rule="TYPE_CHANGED",
        old=old.keyword_place("type"),
        new=new.keyword_place("type"),
        message=f"{topic.noun}: {text}",
        tool=topic.tool,
        direction=topic.direction,
        circumstance="" if narrows or not widens else "wider",
        pointer=pointer,
        subject=f"{topic.subject}{pointer}:type",
    )


def _text_schema(schema: Schema) -> Schema:
    """Return the schema of the texts that stand for the values of a schema."""
    kind = schema.get("type")
    if kind not in TEXTS:
        return schema
    low, high = schema.get("minimum"), schema.get("maximum")
    if "enum" in schema:
        return {"type": "string", "enum": [read_text(value) for value in schema["enum"]]}
    if kind == "integer" and isinstance(low, int) and isinstance(high, int) and high - low < MOST_TEXTS:
        return {"type": "string", "enum": [str(number) for number in range(low, high + 1)]}
    return {"type": "string", "pattern": TEXTS[kind]}
