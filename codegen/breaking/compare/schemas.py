"""Two schemas compared, keyword by keyword and member by member, to any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from codegen.breaking.changes import Change
from codegen.breaking.compare.keyword_change import Step, same, shown, worded
from codegen.breaking.compare.keywords import steps, type_names
from codegen.breaking.compare.members import Members
from codegen.breaking.compare.objects import object_changes
from codegen.breaking.compare.schema_pair import Pair, Topic
from codegen.breaking.rule import Direction
from codegen.loading.documents import join_pointer
from codegen.loading.references import DEEPEST
from codegen.loading.schema_nodes import UNIONS, SchemaNode, select_keywords
from codegen.schema_sets.containment import admits, covers
from codegen.schema_sets.samples import SchemaPath

PAGES = {"BOUND_TIGHTENED": "PAGE_MAX_LOWERED", "DEFAULT_CHANGED": "PAGE_DEFAULT_CHANGED"}
"""What a change of the argument `limit` is in a tool with pages."""


def schema_changes(topic: Topic, old: SchemaNode, new: SchemaNode) -> Iterator[Change]:
    """Everything that differs between two schemas; nothing that no value and no reader can tell.

    A difference that no keyword explains comes out as SCHEMA_NARROWED or SCHEMA_WIDENED, if there is a value to show it.
    """
    pair = Pair(topic=topic, roots=(old, new), old=old, new=new).judged()
    found = [change for change in walked(pair) if not is_idle(change)]
    yield from found
    shown_by = [change.difference.lost for change in found if change.difference]
    harm_is_loss = topic.direction is Direction.INPUT
    for lost, proved in ((True, pair.kept), (False, pair.held)):
        explained = lost in shown_by if lost is harm_is_loss else shown_by
        if not proved and not explained:
            yield unexplained(pair, lost=lost)


def is_idle(change: Change) -> bool:
    """Whether it is proved that no value can tell a change: what admits here is covered by what should refuse."""
    difference = change.difference
    if difference is None or change.rule.startswith("FIELD_"):
        return False
    return covers(select_keywords(difference.refuses), select_keywords(difference.admits))


def unexplained(pair: Pair, *, lost: bool) -> Change:
    """A change of a schema as a whole."""
    if lost:
        difference = pair.lost(pair.old.inlined, pair.new.inlined)
        return pair.change("SCHEMA_NARROWED", "values that were admitted are refused", difference=difference)
    difference = pair.gained(pair.new.inlined, pair.old.inlined)
    return pair.change("SCHEMA_WIDENED", "values that were refused are admitted", difference=difference)


def walked(pair: Pair) -> Iterator[Change]:
    """The changes of a schema and of everything inside it."""
    if pair.old.inlined == pair.new.inlined or len(pair.old_way) > DEEPEST:
        return
    pair = pair.judged()
    yield from remarks(pair)
    branches = pair.old.branches, pair.new.branches
    if any(len(found) > 1 or found[0][0] for found in branches):
        yield from alternatives(pair)
    if bool(branches[0][0][0]) == bool(branches[1][0][0]):
        yield from (keyword_change(pair, found) for found in steps(pair.old, pair.new) if tells(pair, found))
        shared = type_names(pair.old) & type_names(pair.new)
        yield from members(pair) if "object" in shared else ()
        yield from elements(pair) if "array" in shared else ()


def remarks(pair: Pair) -> Iterator[Change]:
    """What is said about a value, and what is taken where there is none."""
    for key, rule in (
        ("description", "DESCRIPTION_CHANGED"),
        ("title", "TITLE_CHANGED"),
        ("default", "DEFAULT_CHANGED"),
    ):
        before, after = ([node.keywords[key]] if key in node.keywords else [] for node in (pair.old, pair.new))
        if same(before) != same(after):
            was, now = (shown(each[0]) if each else "none" for each in (before, after))
            said = (
                f"the {key} was {was} and is {now}"
                if key == "default"
                else worded(key, pair.old.value(key), pair.new.value(key))
            )
            yield pair.change(paged(pair, rule), said, old=pair.old.keyword_place(key), new=pair.new.keyword_place(key))


def paged(pair: Pair, rule: str) -> str:
    """A rule, or its name where it is about the size of pages."""
    return PAGES.get(rule, rule) if pair.topic.paginated and pair.at == "/limit" else rule


def tells(pair: Pair, step: Step) -> bool:
    """Whether a keyword's change can be told by some value, as far as nothing else is proved."""
    if step.rule.startswith("ENUM_VALUE") and not admits(
        (pair.old if step.narrows else pair.new).constraints, step.value
    ):
        return False
    return (step.narrows and not pair.kept) or (step.widens and not pair.held)


def keyword_change(pair: Pair, step: Step) -> Change:
    """The change of one keyword, with what a witness has to show."""
    narrows = step.narrows and not pair.kept
    if narrows and step.widens and not pair.held:
        narrows = pair.topic.direction is Direction.INPUT
    admitting, refusing = (pair.old, pair.new) if narrows else (pair.new, pair.old)
    admits = {"const": step.value} if step.rule.startswith("ENUM_VALUE") else admitting.inlined
    refuses = {key: refusing.keywords[key] for key in step.keys if key in refusing.keywords}
    about_limit = "maximum" in step.keys or step.rule != "BOUND_TIGHTENED"
    return pair.change(
        paged(pair, step.rule) if about_limit else step.rule,
        step.message,
        old=step.old,
        new=step.new,
        circumstance=step.circumstance,
        detail=f"={shown(step.value)}" if step.rule.startswith("ENUM_VALUE") else f":{step.keys[0]}",
        difference=(pair.lost if narrows else pair.gained)(admits, refuses),
    )


def alternatives(pair: Pair) -> Iterator[Change]:
    """The alternatives of unions; a schema that is no union is one of one."""
    before, after = dict(pair.old.branches), dict(pair.new.branches)
    for old_way, new_way in matched(before, after).items():
        old, new = before.pop(old_way), after.pop(new_way)
        if old is not pair.old or new is not pair.new:
            ways = (*pair.old_way, *old_way), (*pair.new_way, *new_way)
            yield from walked(replace(pair, old=old, new=new, old_way=ways[0], new_way=ways[1]))
    for way, node in before.items():
        rule = "NULL_REMOVED" if is_null(node) else "UNION_MEMBER_REMOVED"
        if not pair.kept:
            facts = {
                "old": node.place,
                "new": pair.new.keyword_place(*UNIONS),
                "difference": pair.lost(node.inlined, pair.new.inlined, *way),
            }
            yield pair.change(
                rule, f"an alternative is gone: {brief(node)}", detail=f"={same(node.constraints)}", **facts
            )
    for way, node in after.items():
        rule = "NULL_ADDED" if is_null(node) else "UNION_MEMBER_ADDED"
        if not pair.held:
            facts = {
                "old": pair.old.keyword_place(*UNIONS),
                "new": node.place,
                "difference": pair.gained(node.inlined, pair.old.inlined, *way),
            }
            yield pair.change(
                rule, f"there is another alternative: {brief(node)}", detail=f"={same(node.constraints)}", **facts
            )


def matched(
    before: Mapping[SchemaPath, SchemaNode], after: Mapping[SchemaPath, SchemaNode]
) -> dict[SchemaPath, SchemaPath]:
    """Which alternatives are the same one: those that are equal, then those of the same type."""
    pairs: dict[SchemaPath, SchemaPath] = {}
    for alike in (equal, of_one_type):
        for old_way, old in before.items():
            free = [way for way, new in after.items() if way not in pairs.values() and alike(old, new)]
            if free and old_way not in pairs:
                pairs[old_way] = free[0]
    return pairs


def equal(old: SchemaNode, new: SchemaNode) -> bool:
    """Whether two schemas say the same."""
    return old.constraints == new.constraints


def of_one_type(old: SchemaNode, new: SchemaNode) -> bool:
    """Whether two schemas are of the same type."""
    return type_names(old) == type_names(new)


def is_null(node: SchemaNode) -> bool:
    """Whether a schema admits null alone."""
    return type_names(node) == {"null"}


def brief(node: SchemaNode) -> str:
    """A schema in a few words."""
    return shown(node.constraints)


def elements(pair: Pair) -> Iterator[Change]:
    """The elements of arrays."""
    if "items" in pair.old.keywords or "items" in pair.new.keywords:
        old, new = pair.old.child("items"), pair.new.child("items")
        yield from walked(pair.inside(old, new, ("items",), join_pointer(pair.at, "*")))


def members(pair: Pair) -> Iterator[Change]:
    """The members of objects."""
    found = Members.of(pair.old, pair.new)
    for name in found.shared:
        way = ("properties", name)
        yield from walked(pair.inside(pair.old.child(*way), pair.new.child(*way), way, join_pointer(pair.at, name)))
    yield from object_changes(pair, found)
    others = "additionalProperties"
    if any(isinstance(node.value(others), dict) for node in (pair.old, pair.new)) and not pair.is_opened_or_closed:
        old, new = pair.old.child(others), pair.new.child(others)
        yield from walked(pair.inside(old, new, (others,), join_pointer(pair.at, "*")))
