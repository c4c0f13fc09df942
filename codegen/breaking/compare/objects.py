"""Compare object schemas: members, required members and openness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.members import Members
from codegen.breaking.compare.schema_pair import SchemaPair
from codegen.breaking.rule import Direction
from codegen.loading.schema_nodes import SchemaNode
from codegen.schema_sets.containment import NOTHING


def object_changes(pair: SchemaPair, found: Members) -> Iterator[Change]:
    """Yield the changes of an object, except for its members' schemas."""
    for before, after in found.renamed.items():
        yield _renamed_change(pair, before, after)
    for name in found.removed:
        yield _removed_change(pair, name)
    for name in found.added:
        yield _added_change(pair, name)
    yield from _required_changes(pair, found)
    yield from _openness_changes(pair)


def _renamed_change(pair: SchemaPair, before: str, after: str) -> Change:
    """Return the change of a renamed member."""
    if pair.topic.direction is Direction.INPUT:
        difference = pair.loss(pair.old.child("properties", before).inlined, NOTHING, "properties", before)
    else:
        difference = pair.gain(pair.new.child("properties", after).inlined, NOTHING, "properties", after)
    return pair.change(
        "FIELD_RENAMED",
        f'"{before}" was renamed to "{after}"',
        old=pair.old.child("properties", before).place.key_place(),
        new=pair.new.child("properties", after).place.key_place(),
        detail=f"/{before}>{after}",
        difference=difference,
    )


def _removed_change(pair: SchemaPair, name: str) -> Change:
    """Return the change of a removed member."""
    child = pair.old.child("properties", name)
    if pair.new.is_closed:
        difference = pair.loss(child.inlined, NOTHING, "properties", name)
    elif name in pair.old.required and name not in pair.new.required:
        difference = pair.gain(pair.new.inlined, {"required": [name]})
    else:
        difference = pair.gain({}, child.inlined, "properties", name)
    return pair.change(
        "FIELD_REMOVED",
        f'"{name}" was removed',
        old=child.place.key_place(),
        new=pair.new.keyword_place("properties"),
        circumstance="" if pair.new.is_closed else "open",
        detail=f"/{name}",
        difference=difference,
    )


def _added_change(pair: SchemaPair, name: str) -> Change:
    """Return the change of an added member."""
    child = pair.new.child("properties", name)
    required, closed = name in pair.new.required and name not in pair.old.required, pair.old.is_closed
    if required:
        difference = pair.loss(pair.old.inlined, {"required": [name]})
    elif not closed:
        difference = pair.loss({}, child.inlined, "properties", name)
    else:
        difference = pair.gain(child.inlined, NOTHING, "properties", name)
    if pair.topic.direction is Direction.OUTPUT and closed:
        difference = pair.gain(child.inlined, NOTHING, "properties", name)
    return pair.change(
        "FIELD_ADDED_REQUIRED" if required else "FIELD_ADDED_OPTIONAL",
        f'"{name}" was added{" and is required" if required else ""}',
        old=pair.old.keyword_place("properties"),
        new=child.place.key_place(),
        circumstance="" if closed else "open",
        detail=f"/{name}",
        difference=difference,
    )


def _required_changes(pair: SchemaPair, found: Members) -> Iterator[Change]:
    """Yield members that became required or optional."""
    for name in found.newly_required:
        place = pair.new.keyword_place("required").at(pair.new.required.index(name))
        difference = pair.loss(pair.old.inlined, {"required": [name]})
        text = f'"{name}" is now required'
        if not pair.loses_nothing:
            yield pair.change(
                "REQUIRED_ADDED",
                text,
                old=pair.old.keyword_place("required"),
                new=place,
                detail=f"/{name}",
                difference=difference,
            )
    for name in found.newly_optional:
        place = pair.old.keyword_place("required").at(pair.old.required.index(name))
        difference = pair.gain(pair.new.inlined, {"required": [name]})
        text = f'"{name}" is now optional'
        if not pair.gains_nothing:
            yield pair.change(
                "REQUIRED_REMOVED",
                text,
                old=place,
                new=pair.new.keyword_place("required"),
                detail=f"/{name}",
                difference=difference,
            )


def _openness_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the change of an object that was opened or closed for unnamed members."""
    old, new = pair.old, pair.new
    places = {"old": old.keyword_place("additionalProperties"), "new": new.keyword_place("additionalProperties")}
    if new.is_closed and not old.is_closed and not pair.loses_nothing:
        difference = pair.loss(old.inlined, _closing_keywords(new))
        yield pair.change("OBJECT_CLOSED", "unnamed members are no longer allowed", **places, difference=difference)
    elif old.is_closed and not new.is_closed and not pair.gains_nothing:
        difference = pair.gain(new.inlined, _closing_keywords(old))
        yield pair.change("OBJECT_OPENED", "unnamed members are now allowed", **places, difference=difference)


def _closing_keywords(node: SchemaNode) -> dict[str, Any]:
    """Return the keywords that close an object."""
    return {key: node.inlined[key] for key in ("properties", "additionalProperties") if key in node.inlined}
