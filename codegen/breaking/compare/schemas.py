"""Compare two schemas by keyword and member at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from codegen.breaking.changes import Change
from codegen.breaking.compare.keyword_change import KeywordChange, canonical_json, describe_text_change, format_value
from codegen.breaking.compare.keywords import keyword_changes, type_names
from codegen.breaking.compare.members import Members
from codegen.breaking.compare.objects import object_changes
from codegen.breaking.compare.schema_pair import SchemaPair, Topic
from codegen.breaking.rule import Direction
from codegen.loading.references import DEEPEST
from codegen.loading.schema_nodes import UNIONS, SchemaNode, select_keywords
from codegen.schema_sets.containment import admits, covers
from codegen.schema_sets.samples import SchemaPath
from toolpact.semantics.json_pointers import join_pointer

PAGE_RULES = {"BOUND_TIGHTENED": "PAGE_MAX_LOWERED", "DEFAULT_CHANGED": "PAGE_DEFAULT_CHANGED"}
"""Rules that replace others for the argument `limit` of a paginated tool."""


def schema_changes(topic: Topic, old: SchemaNode, new: SchemaNode) -> Iterator[Change]:
    """Yield the changes between two schemas, except those that nobody can observe.

    A difference that no keyword explains is SCHEMA_NARROWED or SCHEMA_WIDENED.
    """
    pair = SchemaPair(topic=topic, roots=(old, new), old=old, new=new).with_containment()
    found = [change for change in _walk(pair) if not _is_unobservable(change)]
    yield from found
    directions = [change.difference.is_loss for change in found if change.difference]
    harm_is_loss = topic.direction is Direction.INPUT
    for is_loss, is_proved_absent in ((True, pair.loses_nothing), (False, pair.gains_nothing)):
        explained = is_loss in directions if is_loss is harm_is_loss else directions
        if not is_proved_absent and not explained:
            yield _whole_schema_change(pair, is_loss=is_loss)


def _is_unobservable(change: Change) -> bool:
    """Return True if no value can provably show a change."""
    difference = change.difference
    if difference is None or change.rule.startswith("FIELD_"):
        return False
    return covers(select_keywords(difference.rejecting), select_keywords(difference.accepting))


def _whole_schema_change(pair: SchemaPair, *, is_loss: bool) -> Change:
    """Return a change of a schema as a whole."""
    if is_loss:
        difference = pair.loss(pair.old.inlined, pair.new.inlined)
        return pair.change("SCHEMA_NARROWED", "some values are no longer allowed", difference=difference)
    difference = pair.gain(pair.new.inlined, pair.old.inlined)
    return pair.change("SCHEMA_WIDENED", "more values are now allowed", difference=difference)


def _walk(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of a schema and of everything inside it."""
    if pair.old.inlined == pair.new.inlined or len(pair.old_path) > DEEPEST:
        return
    pair = pair.with_containment()
    yield from _annotation_changes(pair)
    branches = pair.old.branches, pair.new.branches
    if any(len(found) > 1 or found[0][0] for found in branches):
        yield from _union_changes(pair)
    if bool(branches[0][0][0]) == bool(branches[1][0][0]):
        yield from (
            _keyword_change(pair, found) for found in keyword_changes(pair.old, pair.new) if _is_observable(pair, found)
        )
        shared_types = type_names(pair.old) & type_names(pair.new)
        yield from _member_changes(pair) if "object" in shared_types else ()
        yield from _item_changes(pair) if "array" in shared_types else ()


def _annotation_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield changes of descriptions, titles and defaults."""
    for key, rule in (
        ("description", "DESCRIPTION_CHANGED"),
        ("title", "TITLE_CHANGED"),
        ("default", "DEFAULT_CHANGED"),
    ):
        before, after = ([node.keywords[key]] if key in node.keywords else [] for node in (pair.old, pair.new))
        if canonical_json(before) != canonical_json(after):
            was, now = (format_value(each[0]) if each else "none" for each in (before, after))
            text = (
                f"the {key} changed from {was} to {now}"
                if key == "default"
                else describe_text_change(key, pair.old.value(key), pair.new.value(key))
            )
            yield pair.change(
                _page_rule(pair, rule), text, old=pair.old.keyword_place(key), new=pair.new.keyword_place(key)
            )


def _page_rule(pair: SchemaPair, rule: str) -> str:
    """Return the rule for page sizes if a change is about one, else the rule itself."""
    return PAGE_RULES.get(rule, rule) if pair.topic.paginated and pair.at == "/limit" else rule


def _is_observable(pair: SchemaPair, keyword: KeywordChange) -> bool:
    """Return True if a value may show the change of a keyword."""
    if keyword.rule.startswith("ENUM_VALUE") and not admits(
        (pair.old if keyword.narrows else pair.new).constraints, keyword.value
    ):
        return False
    return (keyword.narrows and not pair.loses_nothing) or (keyword.widens and not pair.gains_nothing)


def _keyword_change(pair: SchemaPair, keyword: KeywordChange) -> Change:
    """Return the change of one keyword, with the difference for its witness."""
    narrows = keyword.narrows and not pair.loses_nothing
    if narrows and keyword.widens and not pair.gains_nothing:
        narrows = pair.topic.direction is Direction.INPUT
    accepting_node, rejecting_node = (pair.old, pair.new) if narrows else (pair.new, pair.old)
    accepting = {"const": keyword.value} if keyword.rule.startswith("ENUM_VALUE") else accepting_node.inlined
    rejecting = {key: rejecting_node.keywords[key] for key in keyword.keys if key in rejecting_node.keywords}
    about_limit = "maximum" in keyword.keys or keyword.rule != "BOUND_TIGHTENED"
    return pair.change(
        _page_rule(pair, keyword.rule) if about_limit else keyword.rule,
        keyword.message,
        old=keyword.old,
        new=keyword.new,
        circumstance=keyword.circumstance,
        detail=f"={format_value(keyword.value)}" if keyword.rule.startswith("ENUM_VALUE") else f":{keyword.keys[0]}",
        difference=(pair.loss if narrows else pair.gain)(accepting, rejecting),
    )


def _union_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of union alternatives. Another schema counts as one alternative."""
    before, after = dict(pair.old.branches), dict(pair.new.branches)
    for old_path, new_path in _match_branches(before, after).items():
        old, new = before.pop(old_path), after.pop(new_path)
        if old is not pair.old or new is not pair.new:
            paths = (*pair.old_path, *old_path), (*pair.new_path, *new_path)
            yield from _walk(replace(pair, old=old, new=new, old_path=paths[0], new_path=paths[1]))
    for path, node in before.items():
        rule = "NULL_REMOVED" if _is_null(node) else "UNION_MEMBER_REMOVED"
        if not pair.loses_nothing:
            details = {
                "old": node.place,
                "new": pair.new.keyword_place(*UNIONS),
                "difference": pair.loss(node.inlined, pair.new.inlined, *path),
            }
            yield pair.change(
                rule,
                f"an alternative was removed: {_brief(node)}",
                detail=f"={canonical_json(node.constraints)}",
                **details,
            )
    for path, node in after.items():
        rule = "NULL_ADDED" if _is_null(node) else "UNION_MEMBER_ADDED"
        if not pair.gains_nothing:
            details = {
                "old": pair.old.keyword_place(*UNIONS),
                "new": node.place,
                "difference": pair.gain(node.inlined, pair.old.inlined, *path),
            }
            yield pair.change(
                rule,
                f"an alternative was added: {_brief(node)}",
                detail=f"={canonical_json(node.constraints)}",
                **details,
            )


def _match_branches(
    before: Mapping[SchemaPath, SchemaNode], after: Mapping[SchemaPath, SchemaNode]
) -> dict[SchemaPath, SchemaPath]:
    """Match alternatives of both sides: equal ones first, then those of the same type."""
    pairs: dict[SchemaPath, SchemaPath] = {}
    for alike in (_is_equal, _has_same_type):
        for old_path, old in before.items():
            free = [path for path, new in after.items() if path not in pairs.values() and alike(old, new)]
            if free and old_path not in pairs:
                pairs[old_path] = free[0]
    return pairs


def _is_equal(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if two schemas admit the same by the same keywords."""
    return old.constraints == new.constraints


def _has_same_type(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if two schemas have the same types."""
    return type_names(old) == type_names(new)


def _is_null(node: SchemaNode) -> bool:
    """Return True if a schema admits only null."""
    return type_names(node) == {"null"}


def _brief(node: SchemaNode) -> str:
    """Return a short form of a schema for a message."""
    return format_value(node.constraints)


def _item_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of array items."""
    if "items" in pair.old.keywords or "items" in pair.new.keywords:
        old, new = pair.old.child("items"), pair.new.child("items")
        yield from _walk(pair.child_pair(old, new, ("items",), join_pointer(pair.at, "*")))


def _member_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of object members."""
    found = Members.compare(pair.old, pair.new)
    for name in found.shared:
        path = ("properties", name)
        yield from _walk(
            pair.child_pair(pair.old.child(*path), pair.new.child(*path), path, join_pointer(pair.at, name))
        )
    yield from object_changes(pair, found)
    others = "additionalProperties"
    if any(isinstance(node.value(others), dict) for node in (pair.old, pair.new)) and not pair.changes_openness:
        old, new = pair.old.child(others), pair.new.child(others)
        yield from _walk(pair.child_pair(old, new, (others,), join_pointer(pair.at, "*")))
