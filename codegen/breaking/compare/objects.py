"""Objects, old and new: members that came, went, must be there or need not, and whether others may be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.breaking.changes import Change
from codegen.breaking.compare.members import Members
from codegen.breaking.compare.schema_pair import Pair
from codegen.breaking.rule import Direction
from codegen.loading.schema_nodes import SchemaNode
from codegen.schema_sets.containment import NOTHING


def object_changes(pair: Pair, found: Members) -> Iterator[Change]:
    """What differs in an object, its members' schemas aside."""
    for before, after in found.renamed.items():
        yield renamed(pair, before, after)
    for name in found.removed:
        yield removed(pair, name)
    for name in found.added:
        yield added(pair, name)
    yield from presence(pair, found)
    yield from openness(pair)


def renamed(pair: Pair, before: str, after: str) -> Change:
    """A member with another name."""
    if pair.topic.direction is Direction.INPUT:
        difference = pair.lost(pair.old.child("properties", before).inlined, NOTHING, "properties", before)
    else:
        difference = pair.gained(pair.new.child("properties", after).inlined, NOTHING, "properties", after)
    return pair.change(
        "FIELD_RENAMED",
        f'"{before}" is called "{after}" now',
        old=pair.old.child("properties", before).place.key_place(),
        new=pair.new.child("properties", after).place.key_place(),
        detail=f"/{before}>{after}",
        difference=difference,
    )


def removed(pair: Pair, name: str) -> Change:
    """A member that is gone."""
    child = pair.old.child("properties", name)
    if pair.new.is_closed:
        difference = pair.lost(child.inlined, NOTHING, "properties", name)
    elif name in pair.old.required and name not in pair.new.required:
        difference = pair.gained(pair.new.inlined, {"required": [name]})
    else:
        difference = pair.gained({}, child.inlined, "properties", name)
    return pair.change(
        "FIELD_REMOVED",
        f'"{name}" is gone',
        old=child.place.key_place(),
        new=pair.new.keyword_place("properties"),
        circumstance="" if pair.new.is_closed else "open",
        detail=f"/{name}",
        difference=difference,
    )


def added(pair: Pair, name: str) -> Change:
    """A member that is new."""
    child = pair.new.child("properties", name)
    required, closed = name in pair.new.required and name not in pair.old.required, pair.old.is_closed
    if required:
        difference = pair.lost(pair.old.inlined, {"required": [name]})
    elif not closed:
        difference = pair.lost({}, child.inlined, "properties", name)
    else:
        difference = pair.gained(child.inlined, NOTHING, "properties", name)
    if pair.topic.direction is Direction.OUTPUT and closed:
        difference = pair.gained(child.inlined, NOTHING, "properties", name)
    return pair.change(
        "FIELD_ADDED_REQUIRED" if required else "FIELD_ADDED_OPTIONAL",
        f'"{name}" is new{" and required" if required else ""}',
        old=pair.old.keyword_place("properties"),
        new=child.place.key_place(),
        circumstance="" if closed else "open",
        detail=f"/{name}",
        difference=difference,
    )


def presence(pair: Pair, found: Members) -> Iterator[Change]:
    """Members that must be there now, or need not any more."""
    for name in found.must:
        place = pair.new.keyword_place("required").at(pair.new.required.index(name))
        difference = pair.lost(pair.old.inlined, {"required": [name]})
        said = f'"{name}" could be absent and must be there'
        if not pair.kept:
            yield pair.change(
                "REQUIRED_ADDED",
                said,
                old=pair.old.keyword_place("required"),
                new=place,
                detail=f"/{name}",
                difference=difference,
            )
    for name in found.may:
        place = pair.old.keyword_place("required").at(pair.old.required.index(name))
        difference = pair.gained(pair.new.inlined, {"required": [name]})
        said = f'"{name}" was always there and may be absent'
        if not pair.held:
            yield pair.change(
                "REQUIRED_REMOVED",
                said,
                old=place,
                new=pair.new.keyword_place("required"),
                detail=f"/{name}",
                difference=difference,
            )


def openness(pair: Pair) -> Iterator[Change]:
    """Whether an object may have members that are not named."""
    old, new = pair.old, pair.new
    places = {"old": old.keyword_place("additionalProperties"), "new": new.keyword_place("additionalProperties")}
    if new.is_closed and not old.is_closed and not pair.kept:
        difference = pair.lost(old.inlined, closed_part(new))
        yield pair.change("OBJECT_CLOSED", "members that are not named were admitted", **places, difference=difference)
    elif old.is_closed and not new.is_closed and not pair.held:
        difference = pair.gained(new.inlined, closed_part(old))
        yield pair.change("OBJECT_OPENED", "members that are not named were refused", **places, difference=difference)


def closed_part(node: SchemaNode) -> dict[str, Any]:
    """The keywords that close an object."""
    return {key: node.inlined[key] for key in ("properties", "additionalProperties") if key in node.inlined}
