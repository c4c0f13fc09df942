"""The compiler's verdict on steps against values: what it lets pass carries everything, and what it refuses is shown by a value.

Small schemas and steps are drawn, the next version is what they make of the first, and perhaps a little else; the runtime carries
the values, and a validator judges what arrives.
"""

import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from codegen.ir.version_steps import Step, build_step, reverse_steps
from codegen.loading.documents import parse_document
from codegen.loading.schema_nodes import select_keywords
from codegen.rules.tool_view import ToolView, VersionView
from codegen.schema_sets.containment import admits, covers
from codegen.schema_sets.samples import boundary_values
from codegen.versions import schema_mapping, value_mapping
from codegen.versions.proof import Way, carrying_faults, lost
from codegen.versions.step_rules import step_faults
from codegen.versions.transition import Hop, Key
from toolpact.declarations import version_steps
from toolpact.schema.validator import Contract
from toolpact.versioning.step_mapping import Mapping

Schema = dict[str, Any]
COUNTS: Counter[str] = Counter()
LEAVES: list[Schema] = [
    {"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 5}, {"type": "number", "exclusiveMinimum": 0}, {"type": "boolean"},
    {"type": ["string", "null"]}, {"type": "string", "enum": ["a", "b"]}, {"type": "string", "pattern": "^[a-z]+$"}, {"const": "a"},
    {"type": "string", "enum": ["a", "b", "c"], "default": "b"}, {"type": "integer", "default": 3}, {"type": "string", "maxLength": 3},
    {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer"}]},
]  # fmt: skip
OTHERS: list[tuple[str, Any]] = [
    ("minimum", 1), ("maximum", 4), ("pattern", "^a"), ("maxLength", 2), ("enum", ["a"]), ("type", "integer"), ("type", "string"),
    ("required", []), ("required", ["a", "b"]), ("additionalProperties", True), ("default", "a"), ("minItems", 1),
]  # fmt: skip


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema], names: str) -> Schema:
    """Objects with some members of some names."""
    members = draw(st.dictionaries(st.sampled_from(names), inner, min_size=1, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(members)), unique=True))
    others = draw(st.sampled_from([False, False, False, True]))
    return {"type": "object", "properties": members, "required": required, "additionalProperties": others}


LEAF = st.sampled_from(LEAVES).map(deepcopy)
INNER = objects(LEAF, "xyz")
ARRAY = st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, INNER, st.integers(0, 1))
UNION = st.builds(lambda parts: {"anyOf": parts}, st.lists(INNER, min_size=2, max_size=2))
OLDER = objects(LEAF | LEAF | INNER | ARRAY | UNION, "abcd")


@st.composite
def steps_of(draw: st.DrawFn, older: Schema) -> list[dict[str, Any]]:
    """Steps from a version on, which may or may not be ones that the compiler takes."""
    steps: list[dict[str, Any]] = []
    free = draw(st.permutations("abefgh"))
    for name, part in older["properties"].items():
        how = draw(st.sampled_from(["carry", "move", "move", "drop", "into", "within", "values"]))
        new = free.pop()
        if how == "move":
            steps.append({"move": f"/{name}", "to": f"/{new}"})
        elif how == "drop":
            steps.append({"drop": f"/{name}", **draw(st.sampled_from([{}, {"default": "a"}, {"default": 3}]))})
        elif how == "into":
            steps.append({"move": f"/{name}", "to": f"/{draw(st.sampled_from('nm'))}/{new}"})
        elif how == "values" and "enum" in part:
            renamed = {value: f"{value}{value}" for value in part["enum"]}
            steps.append({"move": f"/{name}", "to": f"/{new}", "values": renamed})
        elif how == "within":
            steps += draw(within(name, new, part))
    if draw(st.booleans()):
        steps.append({"add": f"/{free.pop()}", "value": draw(st.sampled_from(["a", 3, {}]))})
    return steps


@st.composite
def within(draw: st.DrawFn, name: str, new: str, part: Schema) -> list[dict[str, Any]]:
    """Steps for a member of a member, which may move, too."""
    each = "/*" if "items" in part else ""
    inner = part.get("items", part).get("properties", {})
    moved = draw(st.booleans())
    home = f"/{new if moved else name}{each}"
    steps: list[dict[str, Any]] = [{"move": f"/{name}", "to": f"/{new}"}] if moved else []
    for member in inner:
        how = draw(st.sampled_from(["carry", "move", "drop", "add"]))
        if how == "move":
            steps.append({"move": f"/{name}{each}/{member}", "to": f"{home}/{member * 2}"})
        elif how == "drop":
            steps.append({"drop": f"/{name}{each}/{member}", "default": "a"})
        elif how == "add":
            steps.append({"add": f"{home}/w", "value": "a"})
    return steps


@st.composite
def versions(draw: st.DrawFn) -> tuple[Schema, Schema, list[dict[str, Any]]]:
    """A version, the next, and steps between them."""
    older = draw(OLDER)
    said = draw(steps_of(older))
    newer = deepcopy(schema_mapping.image(older, [build_step(step) for step in said], {}))
    newer = {"type": "object", "additionalProperties": False, **newer}
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.sampled_from(list(parts(newer))))
        key, value = draw(st.sampled_from(OTHERS))
        if key != "type" or place is not newer:
            place[key] = deepcopy(value)
    return older, newer, said


def parts(schema: Schema) -> Iterator[Schema]:
    """A schema and the schemas in it."""
    yield schema
    for part in [*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", ())]:
        if isinstance(part, dict):
            yield from parts(part)


def hop(older: Schema, newer: Schema, steps: list[dict[str, Any]], key: Key) -> Hop:
    """What the rules judge."""
    document = parse_document("{}", "shop/stock.json", "shop/stock.json", [])
    assert document
    sides = [
        VersionView("", {"version": version}, schema, schema, frozenset(["parameters", "returns"]))
        for version, schema in (("1.0.0", older), ("2.0.0", newer))
    ]
    view = ToolView(document, "", {}, {}, None, sides[1], (sides[0],))
    return Hop(view, sides[0], sides[1], key, tuple(map(build_step, steps)))


def by_the_runtime(way: Way, value: Any) -> Any:
    """What the runtime makes of a value."""
    steps = [runtime_step(step) for step in way.steps]
    return Mapping(steps).carried(Contract(dict(way.start)).normalised(value) if way.up else value)


def runtime_step(step: Step) -> version_steps.Step:
    """A step as the runtime has it."""
    constant = step.constant[0] if step.constant else version_steps.ABSENT
    if step.source is None:
        return version_steps.Add(step.target or "", constant)
    if step.target is None:
        return version_steps.Drop(step.source, constant)
    return version_steps.Move(step.source, step.target, tuple(step.values.items()))


def sampled(schema: Schema, rival: Schema) -> Iterator[Any]:
    """Values of an object's schema: boundary_values its limits, and with members thrown together."""
    yield from islice(boundary_values(schema, [rival]), 60)
    chance = random.Random(7)
    known = {name: list(islice(boundary_values(part, []), 12)) for name, part in schema.get("properties", {}).items()}
    for _ in range(20):
        names = [name for name in known if name in schema["required"] or chance.random() < 0.6]
        more = {"extra": 1, "e": "a", "n": {"a": 1}} if chance.random() < 0.2 else {}
        yield {name: chance.choice(known[name]) for name in names if known[name]} | more


@settings(
    max_examples=50, suppress_health_check=list(HealthCheck), deadline=None, phases=[Phase.generate, Phase.shrink]
)
@given(versions(), st.sampled_from(["parameters", "returns"]))
def test_what_passes_carries_every_value_and_what_is_refused_is_shown_by_one(
    drawn: tuple[Schema, Schema, list[dict[str, Any]]], key: Key
) -> None:
    older, newer, said = drawn
    judged = hop(older, newer, said, key)
    if list(step_faults(judged)):
        COUNTS["steps refused"] += 1
        return
    way = Way(judged)
    proved = covers(way.goal, way.arriving())
    losses = {} if proved else lost(way)
    COUNTS["proved" if proved else "refused with a witness" if losses else "unproved"] += 1
    for loss in losses.values():
        assert admits(select_keywords(way.start), loss.witness)
        assert not admits(way.goal, by_the_runtime(way, loss.witness))
    for value in sampled(dict(way.start), schema_mapping.image(way.goal, reverse_steps(way.steps), {})):
        if admits(select_keywords(way.start), value):
            COUNTS["values"] += 1
            arrived = by_the_runtime(way, value)
            whole = value_mapping.complete(value, way.start) if way.up else value
            assert value_mapping.carried(whole, way.steps, {}) == arrived
            assert admits(way.goal, arrived) or not proved, (value, arrived)


def test_a_default_of_the_older_version_fills_what_the_next_requires() -> None:
    limit = {"type": "integer", "minimum": 1}
    newer = {"type": "object", "properties": {"limit": limit}, "required": ["limit"], "additionalProperties": False}
    older = {**newer, "properties": {"limit": {**limit, "default": 5}}, "required": []}
    assert list(carrying_faults(hop(older, newer, [], "parameters"))) == []
    assert [fault.rule for fault in carrying_faults(hop(newer, older, [], "returns"))] == ["RESULT_LOST"]


@pytest.mark.parametrize("key", ["parameters", "returns"])
def test_a_member_of_the_items_of_an_array_that_may_be_absent_is_carried(key: Key) -> None:
    def listing(name: str) -> Schema:
        item = {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}
        rows = {"type": "array", "items": item | {"additionalProperties": False}}
        page = {"type": "object", "properties": {"rows": rows}, "required": [], "additionalProperties": False}
        return {**page, "properties": {"page": page}}

    step = {"move": "/page/rows/*/qty", "to": "/page/rows/*/quantity"}
    assert list(carrying_faults(hop(listing("qty"), listing("quantity"), [step], key))) == []


def test_a_member_that_nobody_named_may_stand_where_an_object_is_made() -> None:
    older = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": [], "additionalProperties": True}
    made = {"type": "object", "properties": {"h": {"type": "integer"}}, "required": ["h"]}
    newer = {**older, "properties": {"n": made}}
    step = {"move": "/b", "to": "/n/h"}
    assert [*carrying_faults(hop(older, newer, [step], "parameters"))]
    closed = {**older, "additionalProperties": False}
    assert [*carrying_faults(hop(closed, newer, [step], "parameters"))] == []
