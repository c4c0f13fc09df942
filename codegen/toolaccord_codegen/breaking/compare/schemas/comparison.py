"""Compare two schemas by keyword and member at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.schemas.alternatives import Alternatives, find_tagged, match_alternatives
from toolaccord_codegen.breaking.compare.schemas.keyword_change import (
    KeywordChange,
    describe_text_change,
    format_optional,
    format_value,
)
from toolaccord_codegen.breaking.compare.schemas.keywords import enumerated_values, keyword_changes, type_names
from toolaccord_codegen.breaking.compare.schemas.objects import COVERED, object_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import SchemaPair, Topic
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import canonical_json, equal_json
from toolaccord_codegen.loading.references import DEEPEST, UNIONS, as_object
from toolaccord_codegen.loading.schema_nodes import Schema, SchemaNode, select_keywords
from toolaccord_codegen.schema_sets.containment import covers
from toolaccord_codegen.schema_sets.samples import SchemaPath
from toolaccord_codegen.schema_sets.tagged_unions import list_tags
from toolaccord_codegen.schema_sets.validators import admits

UNIT = "x-unit"
"""The keyword with the unit of a number."""
STEPS_OF_LEVEL = 2
"""The most steps of a path to one level of a schema: `properties` and a name."""
TOLERATED = {("FIELD_ADDED_OPTIONAL", "open"), ("ENUM_VALUE_ADDED", "extensible")}
"""Rules and circumstances of changes that do not break callers, although values show them."""
PAGE_RULES = {"BOUND_TIGHTENED": "PAGE_MAX_LOWERED", "DEFAULT_CHANGED": "PAGE_DEFAULT_CHANGED"}
"""Rules that replace others for the argument `limit` of a paginated tool."""


def schema_changes(topic: Topic, old: SchemaNode, new: SchemaNode) -> Iterator[Change]:
    """Yield the changes between two schemas, except those that nobody can observe.

    A difference that no keyword explains is SCHEMA_NARROWED or SCHEMA_WIDENED.
    """
    pair = SchemaPair(topic=topic, roots=(old, new), old=old, new=new).with_containment()
    found = [change for change in _walk(pair) if not _is_unobservable(change)]
    yield from found
    for is_loss, rule, text in (
        (True, "SCHEMA_NARROWED", "some values are no longer allowed"),
        (False, "SCHEMA_WIDENED", "more values are now allowed"),
    ):
        causes = [change for change in found if change.difference]
        if is_harm := is_loss is (topic.direction is Direction.INPUT):
            causes = [each for each in causes if each.difference and each.difference.is_loss is is_loss]
            causes = [each for each in causes if each.circumstance != COVERED]
        is_explained = any(not is_harm or (each.rule, each.circumstance) not in TOLERATED for each in causes)
        if not pair.is_impossible(is_loss=is_loss) and not is_explained:
            yield from _unexplained_change(pair, rule, text, causes, is_loss=is_loss)


def _unexplained_change(
    pair: SchemaPair, rule: str, text: str, tolerated: Sequence[Change], *, is_loss: bool
) -> Iterator[Change]:
    """Yield a change of whole schemas, unless tolerated changes are provably its only causes."""
    accepting, rejecting = (node.inlined for node in pair.sides(is_loss=is_loss))
    for difference in filter(None, (change.difference for change in tolerated)):
        accepting = _impose(accepting, difference.path, difference.rejecting)
    inner, outer = select_keywords(accepting), select_keywords(rejecting)
    if not tolerated or not (equal_json(inner, outer) or covers(outer, inner)):
        yield pair.change(rule, text, difference=pair.difference(accepting, rejecting, is_loss=is_loss))


def _impose(part: Any, path: SchemaPath, keywords: Schema) -> Any:
    """Return a part of a schema with further keywords at a path."""
    if not path:
        return {**as_object(part), **keywords}
    step, *rest = path
    if isinstance(part, list):
        return [_impose(each, (*rest,), keywords) if at == step else each for at, each in enumerate(part)]
    known: dict[Any, Any] = as_object(part)
    return {**known, step: _impose(known.get(step), (*rest,), keywords)}


def _is_unobservable(change: Change) -> bool:
    """Return True if no value can provably show a change."""
    difference = change.difference
    if difference is None or change.rule.startswith("FIELD_"):
        return False
    return covers(select_keywords(difference.rejecting), select_keywords(difference.accepting))


def _walk(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of a schema and of everything inside it."""
    if equal_json(pair.old.inlined, pair.new.inlined) or len(pair.old_path) > STEPS_OF_LEVEL * DEEPEST:
        return
    pair = pair.with_containment()
    yield from _annotation_changes(pair)
    yield from _unchecked_format_changes(pair)
    branches = pair.old.branches, pair.new.branches
    if any(len(found) > 1 or found[0][0] for found in branches):
        yield from _union_changes(pair)
    if bool(branches[0][0][0]) == bool(branches[1][0][0]):
        yield from _keyword_changes(pair)
        shared_types = type_names(pair.old) & type_names(pair.new)
        yield from _member_changes(pair) if "object" in shared_types else ()
        if "array" in shared_types and ("items" in pair.old.keywords or "items" in pair.new.keywords):
            yield from _walk(pair.child("*", "items"))


def _annotation_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield changes of descriptions, titles, defaults and units."""
    for key in ("description", "title", "default"):
        before, after = ([node.keywords[key]] if key in node.keywords else [] for node in (pair.old, pair.new))
        if not equal_json(before, after):
            was, now = (format_value(each[0]) if each else "none" for each in (before, after))
            text = f"the default changed from {was} to {now}"
            if key != "default":
                text = describe_text_change(key, pair.old.value(key), pair.new.value(key))
            old, new = pair.old.keyword_place(key), pair.new.keyword_place(key)
            yield pair.change(_page_rule(pair, f"{key.upper()}_CHANGED"), text, old=old, new=new)
    for key, rule in (("x-extensible-enum", "ENUM_GROWTH_CHANGED"), ("x-unknown", "ENUM_UNKNOWN_CHANGED")):
        was, now = pair.old.value(key), pair.new.value(key)
        if was != now and enumerated_values(pair.new):
            text = f"{key} changed from {format_optional(was)} to {format_optional(now)}"
            places = {"old": pair.old.keyword_place(key), "new": pair.new.keyword_place(key)}
            yield pair.change(rule, text, detail=f":{key}", circumstance="" if was and now else "unsaid", **places)
    was, now = pair.old.value(UNIT), pair.new.value(UNIT)
    if was != now:
        text = f"the unit changed from {was or 'none'} to {now or 'none'}"
        places = {"old": pair.old.keyword_place(UNIT), "new": pair.new.keyword_place(UNIT)}
        circumstance = "" if was and now else "unsaid"
        yield pair.change("UNIT_CHANGED", text, circumstance=circumstance, detail=":unit", **places)


def _unchecked_format_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the change of a format that is an annotation."""
    was, now = (node.format(checked=False) for node in (pair.old, pair.new))
    if was != now:
        text = f"the format, which is not checked, changed from {was or 'none'} to {now or 'none'}"
        places = {"old": pair.old.keyword_place("format"), "new": pair.new.keyword_place("format")}
        yield pair.change("FORMAT_CHANGED", text, circumstance="unchecked", detail=":format", **places)


def _page_rule(pair: SchemaPair, rule: str) -> str:
    """Return the rule for page sizes if a change is about one, else the rule itself."""
    return PAGE_RULES.get(rule, rule) if pair.topic.paginated and pair.at == "/limit" else rule


def _keyword_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of keywords that a value may show."""
    for keyword in keyword_changes(pair.old, pair.new):
        narrows, widens = keyword.narrows and not pair.loses_nothing, keyword.widens and not pair.gains_nothing
        is_loss = pair.topic.direction is Direction.INPUT if narrows and widens else narrows
        side = pair.sides(is_loss=is_loss)[0]
        if (narrows or widens) and (not keyword.enum_value or admits(side.constraints, keyword.enum_value[1])):
            circumstance = "" if narrows and widens else "narrower" if narrows else "wider"
            if keyword.enum_value and is_loss and pair.has_elsewhere(keyword.enum_value[1]):
                circumstance = "elsewhere"
            yield _keyword_change(pair, keyword, circumstance, is_loss=is_loss)


def _keyword_change(pair: SchemaPair, keyword: KeywordChange, circumstance: str, *, is_loss: bool) -> Change:
    """Return the change of one keyword, with the difference for its witness."""
    side, other = pair.sides(is_loss=is_loss)
    accepting, detail = side.inlined, f":{keyword.keys[0]}"
    places = [node.keyword_place(*keyword.keys) for node in (side, other)]
    if keyword.enum_value:
        index, value = keyword.enum_value
        accepting, detail = {"const": value}, f"={format_value(value)}"
        places[0] = places[0] if "const" in side.keywords else places[0].at(index)
    rejecting = {key: other.keywords[key] for key in keyword.keys if key in other.keywords}
    about_limit = "maximum" in keyword.keys or keyword.rule != "BOUND_TIGHTENED"
    old, new = places if is_loss else places[::-1]
    return pair.change(
        _page_rule(pair, keyword.rule) if about_limit else keyword.rule,
        keyword.message,
        old=old,
        new=new,
        circumstance=keyword.circumstance or circumstance,
        detail=detail,
        difference=pair.difference(accepting, rejecting, is_loss=is_loss),
    )


def _union_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of union alternatives. Another schema counts as one alternative."""
    before, after = dict(pair.old.branches), dict(pair.new.branches)
    tagged, is_tagged = find_tagged(before), bool(find_tagged(before) and find_tagged(after))
    for old_path, new_path in match_alternatives(before, after).items():
        old, new = before.pop(old_path), after.pop(new_path)
        if (old is not pair.old or new is not pair.new) and not equal_json(old.inlined, new.inlined):
            yield from _walk(pair.alternative(old, old_path, new, new_path, is_tagged=is_tagged))
    for is_loss, verb, branches in ((True, "REMOVED", before), (False, "ADDED", after)):
        other = pair.sides(is_loss=is_loss)[1]
        for path, node in {} if pair.is_impossible(is_loss=is_loss) else branches.items():
            places = node.place, other.keyword_place(*UNIONS)
            old_place, new_place = places if is_loss else places[::-1]
            yield pair.change(
                f"{'NULL' if type_names(node) == {'null'} else 'UNION_MEMBER'}_{verb}",
                f"an alternative was {verb.lower()}: {format_value(node.constraints)}",
                old=old_place,
                new=new_place,
                detail=f"={canonical_json(node.constraints)}",
                circumstance="tagged" if is_loss and _is_tag_lost(tagged.get(path), dict(pair.new.branches)) else "",
                difference=pair.difference(node.inlined, other.inlined, *path, is_loss=is_loss),
            )


def _is_tag_lost(values: frozenset[str] | None, after: Alternatives) -> bool:
    """Return True if no alternative of the new state has a value of a lost tag."""
    left = {value for node in after.values() for each in list_tags(node.constraints).values() for value in each}
    return values is not None and not values <= left


def _member_changes(pair: SchemaPair) -> Iterator[Change]:
    """Yield the changes of object members."""
    for name in dict.fromkeys([*pair.old.properties, *pair.new.properties]):
        member = pair.member(name)
        if member:
            yield from _walk(member)
    yield from object_changes(pair)
    others = "additionalProperties"
    if any("propertyNames" in node.keywords for node in (pair.old, pair.new)):
        yield from _walk(pair.names())
    is_described = any(isinstance(node.value(others), dict) for node in (pair.old, pair.new))
    if is_described and pair.old.is_closed is pair.new.is_closed:
        yield from _walk(pair.child("*", others))
