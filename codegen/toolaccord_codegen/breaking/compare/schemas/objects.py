"""Compare object schemas: members, required members and openness."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.breaking.changes import Change, Difference
from toolaccord_codegen.breaking.compare.schemas.schema_pair import SchemaPair
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.schema_nodes import SchemaNode
from toolaccord_codegen.schema_sets.containment import NOTHING

COVERED = "covered"
"""The circumstance of a change that affects no value."""
RENAMED_FROM = "x-renamed-from"
"""The keyword for the old name of a member."""


def object_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of an object, except for its members' schemas."""
    before, after, renamed = pair.old.properties, pair.new.properties, _renamed_members(pair.old, pair.new)
    for name, new_name in renamed.items():
        yield _renamed_change(pair, name, new_name)
    for name in before:
        if name not in after and name not in renamed:
            yield _removed_change(pair, name)
    for name in after:
        if name not in before and name not in renamed.values():
            yield _added_change(pair, name)
    yield from _required_changes(pair)
    yield from _openness_changes(pair)


def _renamed_members(old: SchemaNode, new: SchemaNode) -> dict[str, str]:
    """Return new names by old names.

    A rename is declared, or the two members are the only similar ones.
    """
    removed = [name for name in old.properties if name not in new.properties]
    added = [name for name in new.properties if name not in old.properties]
    found: dict[str, str] = {}
    for name in added:
        old_name = new.child("properties", name).value(RENAMED_FROM)
        if old_name in removed:
            found[old_name] = name
    likely = {
        before: [after for after in added if after not in found.values() and _are_alike(old, before, new, after)]
        for before in removed
        if before not in found
    }
    for before, names in likely.items():
        others = [other for other, candidates in likely.items() if other != before and set(candidates) & set(names)]
        if len(names) == 1 and not others:
            found[before] = names[0]
    return found


def _are_alike(old: SchemaNode, before: str, new: SchemaNode, after: str) -> bool:
    """Return True if two members have the same specific schema and are equally required."""
    schema = old.child("properties", before).constraints
    same_schema = bool(schema) and equal_json(schema, new.child("properties", after).constraints)
    return same_schema and (before in old.required) == (after in new.required)


def _renamed_change(pair: SchemaPair, before: str, after: str) -> Change:
    """Return the change of a renamed member."""
    old, new = pair.old.child("properties", before), pair.new.child("properties", after)
    is_loss = pair.topic.direction is Direction.INPUT
    member, name = (old, before) if is_loss else (new, after)
    return pair.change(
        "FIELD_RENAMED",
        f'"{before}" was renamed to "{after}"',
        old=old.place.key_place(),
        new=new.place.key_place(),
        pointer=join_pointer(pair.at, before),
        detail=f"/{before}>{after}",
        difference=pair.difference(member.inlined, NOTHING, "properties", name, is_loss=is_loss),
    )


def _removed_change(pair: SchemaPair, name: str) -> Change:
    """Return the change of a removed member."""
    difference: Difference | None
    child = pair.old.child("properties", name)
    is_missed = name in pair.old.required and name not in pair.new.required
    if pair.new.is_closed and not (is_missed and pair.topic.direction is Direction.OUTPUT):
        difference = pair.difference(child.inlined, NOTHING, "properties", name, is_loss=True)
    elif is_missed:
        difference = pair.difference(pair.new.inlined, {"required": [name]}, is_loss=False)
    elif pair.new.is_map:
        difference = None  # the member's schema is compared with that of the map
    else:
        difference = pair.difference({}, child.inlined, "properties", name, is_loss=False)
    return pair.change(
        "FIELD_REMOVED",
        f'"{name}" was removed',
        old=child.place.key_place(),
        new=pair.new.keyword_place("properties"),
        circumstance=_circumstance(pair, pair.new),
        pointer=join_pointer(pair.at, name),
        detail=f"/{name}",
        difference=difference,
    )


def _added_change(pair: SchemaPair, name: str) -> Change:
    """Return the change of an added member."""
    difference: Difference | None
    child = pair.new.child("properties", name)
    required, closed = name in pair.new.required and name not in pair.old.required, pair.old.is_closed
    if closed and (not required or pair.topic.direction is Direction.OUTPUT):
        difference = pair.difference(child.inlined, NOTHING, "properties", name, is_loss=False)
    elif required:
        difference = pair.difference(pair.old.inlined, {"required": [name]}, is_loss=True)
    elif pair.old.is_map:
        difference = None
    else:
        difference = pair.difference({}, child.inlined, "properties", name, is_loss=True)
    return pair.change(
        "FIELD_ADDED_REQUIRED" if required else "FIELD_ADDED_OPTIONAL",
        f'"{name}" was added{" and is required" if required else ""}',
        old=pair.old.keyword_place("properties"),
        new=child.place.key_place(),
        circumstance=_circumstance(pair, pair.old, is_required=required),
        pointer=join_pointer(pair.at, name),
        detail=f"/{name}",
        difference=difference,
    )


def _circumstance(pair: SchemaPair, node: SchemaNode, *, is_required: bool = False) -> str:
    """Return the treatment of unnamed members, or COVERED if the change affects no value."""
    treatment = "" if node.is_closed else "map" if node.is_map else "open"
    return COVERED if pair.is_harmless and (is_required or not treatment) else treatment


def _required_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield members that became required or optional."""
    for is_loss, rule, word in ((True, "REQUIRED_ADDED", "required"), (False, "REQUIRED_REMOVED", "optional")):
        lax, strict = pair.sides(is_loss=is_loss)
        only_strict = {*strict.properties} - {*lax.properties}
        for index, name in enumerate(strict.required):
            if pair.is_impossible(is_loss=is_loss) or name in lax.required or name in only_strict:
                continue
            places = lax.keyword_place("required"), strict.keyword_place("required").at(index)
            old, new = places if is_loss else places[::-1]
            difference = pair.difference(lax.inlined, {"required": [name]}, is_loss=is_loss)
            facts = {"old": old, "new": new, "pointer": join_pointer(pair.at, name), "detail": f"/{name}"}
            yield pair.change(rule, f'"{name}" is now {word}', difference=difference, **facts)


def _openness_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the change of an object that was opened or closed for unnamed members."""
    old, new = (node.keyword_place("additionalProperties") for node in (pair.old, pair.new))
    for is_loss, rule, text in (
        (True, "OBJECT_CLOSED", "unnamed members are no longer allowed"),
        (False, "OBJECT_OPENED", "unnamed members are now allowed"),
    ):
        lax, strict = pair.sides(is_loss=is_loss)
        if strict.is_closed and not lax.is_closed and not pair.is_impossible(is_loss=is_loss):
            closing = {
                key: part for key, part in strict.inlined.items() if key in {"properties", "additionalProperties"}
            }
            difference = pair.difference(lax.inlined, closing, is_loss=is_loss)
            yield pair.change(rule, text, old=old, new=new, difference=difference)
