"""Compare the compiler's verdict on steps with the conversion of real values.

Random schemas and steps are drawn. The newer version is what the steps make of the older one, sometimes changed.
The runtime converts the values, and a validator checks the results.
"""

import random
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from toolaccord.contract.operations import Effects
from toolaccord.contract.server_contracts import Server, ServerContract
from toolaccord.contract.tools import DeclaredStep, Tool
from toolaccord.schema.validator import SchemaValidator
from toolaccord.semantics.version_steps import StepMapping, invert
from toolaccord_codegen.ir.shared_records import build_step
from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.schema_nodes import select_keywords
from toolaccord_codegen.rules.tool_view import OwnerView, VersionView
from toolaccord_codegen.schema_sets.containment import covers
from toolaccord_codegen.schema_sets.samples import boundary_values
from toolaccord_codegen.schema_sets.validators import admits
from toolaccord_codegen.versions.proof import check_proof, find_counterexamples
from toolaccord_codegen.versions.schema_mapping import map_schema
from toolaccord_codegen.versions.step_rules import check_steps
from toolaccord_codegen.versions.transition import Key, Transition

Schema = dict[str, Any]
SCALAR_SCHEMAS: list[Schema] = [
    {"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 5}, {"type": "number", "exclusiveMinimum": 0}, {"type": "boolean"},
    {"type": ["string", "null"]}, {"type": "string", "enum": ["a", "b"]}, {"type": "string", "pattern": "^[a-z]+$"}, {"const": "a"},
    {"type": "string", "enum": ["a", "b", "c"], "default": "b"}, {"type": "integer", "default": 3}, {"type": "string", "maxLength": 3},
    {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer"}]},
]  # fmt: skip
KEYWORD_CHANGES: list[tuple[str, Any]] = [
    ("minimum", 1), ("maximum", 4), ("pattern", "^a"), ("maxLength", 2), ("enum", ["a"]), ("type", "integer"), ("type", "string"),
    ("required", []), ("required", ["a", "b"]), ("additionalProperties", True), ("default", "a"), ("minItems", 1),
]  # fmt: skip


@st.composite
def object_schemas(draw: st.DrawFn, inner: st.SearchStrategy[Schema], names: str) -> Schema:
    """Draw object schemas with members of some names."""
    members = draw(st.dictionaries(st.sampled_from(names), inner, min_size=1, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(members)), unique=True))
    others = draw(st.sampled_from([False, False, False, True]))
    return {"type": "object", "properties": members, "required": required, "additionalProperties": others}


SCALAR = st.sampled_from(SCALAR_SCHEMAS).map(deepcopy)
OBJECT = object_schemas(SCALAR, "xyz")
ARRAY = st.builds(
    lambda items, minimum: {"type": "array", "items": items, "minItems": minimum}, OBJECT, st.integers(0, 1)
)
UNION = st.builds(lambda branches: {"anyOf": branches}, st.lists(OBJECT, min_size=2, max_size=2))
OLDER_VERSIONS = object_schemas(SCALAR | SCALAR | OBJECT | ARRAY | UNION, "abcd")


@st.composite
def random_steps(draw: st.DrawFn, older: Schema) -> list[dict[str, Any]]:
    """Draw steps from a version, valid or not."""
    steps: list[dict[str, Any]] = []
    free = draw(st.permutations("abefgh"))
    for name, part in older["properties"].items():
        change = draw(st.sampled_from(["keep", "move", "move", "drop", "into", "within", "values"]))
        new_name = free.pop()
        if change == "move":
            steps.append({"move": f"/{name}", "to": f"/{new_name}"})
        elif change == "drop":
            steps.append({"drop": f"/{name}", **draw(st.sampled_from([{}, {"default": "a"}, {"default": 3}]))})
        elif change == "into":
            steps.append({"move": f"/{name}", "to": f"/{draw(st.sampled_from('nm'))}/{new_name}"})
        elif change == "values" and "enum" in part:
            renamed = {value: f"{value}{value}" for value in part["enum"]}
            steps.append({"move": f"/{name}", "to": f"/{new_name}", "values": renamed})
        elif change == "within":
            steps += draw(steps_within_member(name, new_name, part))
    if draw(st.booleans()):
        steps.append({"add": f"/{free.pop()}", "value": draw(st.sampled_from(["a", 3, {}]))})
    return steps


@st.composite
def steps_within_member(draw: st.DrawFn, name: str, new_name: str, part: Schema) -> list[dict[str, Any]]:
    """Draw steps for the members of a member that may move as well."""
    each = "/*" if "items" in part else ""
    inner = part.get("items", part).get("properties", {})
    is_moved = draw(st.booleans())
    target = f"/{new_name if is_moved else name}{each}"
    steps: list[dict[str, Any]] = [{"move": f"/{name}", "to": f"/{new_name}"}] if is_moved else []
    for member in inner:
        change = draw(st.sampled_from(["keep", "move", "drop", "add"]))
        if change == "move":
            steps.append({"move": f"/{name}{each}/{member}", "to": f"{target}/{member * 2}"})
        elif change == "drop":
            steps.append({"drop": f"/{name}{each}/{member}", "default": "a"})
        elif change == "add":
            steps.append({"add": f"{target}/w", "value": "a"})
    return steps


@st.composite
def version_pairs(draw: st.DrawFn) -> tuple[Schema, Schema, list[dict[str, Any]]]:
    """Draw an older version, the newer one, and the steps between them."""
    older = draw(OLDER_VERSIONS)
    steps = draw(random_steps(older))
    newer = deepcopy(map_schema(older, [build_step(read_record(DeclaredStep, step)) for step in steps], {}))
    newer = {"type": "object", "additionalProperties": False, **newer}
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.sampled_from(list(subschemas(newer))))
        key, value = draw(st.sampled_from(KEYWORD_CHANGES))
        if key != "type" or place is not newer:
            place[key] = deepcopy(value)
    return older, newer, steps


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and the schemas inside it."""
    yield schema
    for part in [*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", ())]:
        if isinstance(part, dict):
            yield from subschemas(part)


def declare(version: str, schema: Schema) -> Tool:
    """Return a tool with one schema for its arguments and its result."""
    return Tool(
        name="count", version=version, description="Counts.", effects=Effects(), parameters=schema, returns=schema
    )


def transition_between(older: Schema, newer: Schema, steps: list[dict[str, Any]], key: Key) -> Transition:
    """Return the transition that the rules check."""
    document = parse_document("{}", "shop/stock.json", "shop/stock.json", [])
    assert document
    sides = [
        VersionView("", declare(version, schema), schema, schema, frozenset(["parameters", "returns"]))
        for version, schema in (("1.0.0", older), ("2.0.0", newer))
    ]
    tool = declare("2.0.0", newer)
    server = Server(name="stock", title="Stock", version="1.0.0", description="Counts.")
    contract = ServerContract(contract=1, server=server, dialect="plain", tools=(tool,))
    view = OwnerView(document, "", tool, contract, None, sides[1], (sides[0],))
    return Transition(
        view, sides[0], sides[1], key, tuple(build_step(read_record(DeclaredStep, step)) for step in steps)
    )


def convert_by_library(transition: Transition, value: Any) -> Any:
    """Convert a value as the library does for a call."""
    validator = SchemaValidator(dict(transition.source_schema))
    mapping = StepMapping(transition.conversion)
    return mapping.insert(*mapping.extract(validator.normalise(value) if transition.is_upgrade else value))


def sample_values(schema: Schema, rival: Schema) -> Iterator[Any]:
    """Yield values of an object schema: near limits, and random combinations."""
    yield from islice(boundary_values(schema, [rival]), 60)
    chooser = random.Random(7)
    known = {name: list(islice(boundary_values(part, []), 12)) for name, part in schema.get("properties", {}).items()}
    for _ in range(20):
        names = [name for name in known if name in schema["required"] or chooser.random() < 0.6]
        more = {"extra": 1, "e": "a", "n": {"a": 1}} if chooser.random() < 0.2 else {}
        yield {name: chooser.choice(known[name]) for name in names if known[name]} | more


@settings(
    max_examples=50, suppress_health_check=list(HealthCheck), deadline=None, phases=[Phase.generate, Phase.shrink]
)
@given(version_pairs(), st.sampled_from(["parameters", "returns"]))
def test_accepted_steps_convert_every_value_and_rejected_ones_have_a_counterexample(
    drawn: tuple[Schema, Schema, list[dict[str, Any]]], key: Key
) -> None:
    older, newer, steps = drawn
    transition = transition_between(older, newer, steps, key)
    if list(check_steps(transition)):
        event("steps rejected")
        return
    is_proved = covers(transition.target_schema, transition.output_schema())
    counterexamples = {} if is_proved else find_counterexamples(transition)
    event("proved" if is_proved else "rejected with a witness" if counterexamples else "unproved")
    for example in counterexamples.values():
        assert admits(select_keywords(transition.source_schema), example.witness)
        assert not admits(transition.target_schema, convert_by_library(transition, example.witness))
    for value in sample_values(
        dict(transition.source_schema), map_schema(transition.target_schema, invert(transition.conversion), {})
    ):
        if admits(select_keywords(transition.source_schema), value):
            converted = convert_by_library(transition, value)
            assert transition.convert(value) == converted
            assert admits(transition.target_schema, converted) or not is_proved, (value, converted)


def test_a_default_of_the_older_version_fills_what_the_next_requires() -> None:
    limit = {"type": "integer", "minimum": 1}
    newer = {"type": "object", "properties": {"limit": limit}, "required": ["limit"], "additionalProperties": False}
    older = {**newer, "properties": {"limit": {**limit, "default": 5}}, "required": []}
    assert list(check_proof(transition_between(older, newer, [], "parameters"))) == []
    assert [fault.rule for fault in check_proof(transition_between(newer, older, [], "returns"))] == ["RESULT_LOST"]


@pytest.mark.parametrize("key", ["parameters", "returns"])
def test_a_member_of_an_optional_array_converts(key: Key) -> None:
    def listing(name: str) -> Schema:
        item = {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}
        rows = {"type": "array", "items": item | {"additionalProperties": False}}
        page = {"type": "object", "properties": {"rows": rows}, "required": [], "additionalProperties": False}
        return {**page, "properties": {"page": page}}

    step = {"move": "/page/rows/*/qty", "to": "/page/rows/*/quantity"}
    assert list(check_proof(transition_between(listing("qty"), listing("quantity"), [step], key))) == []


def test_an_unnamed_member_may_occupy_the_path_of_a_created_object() -> None:
    older = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": [], "additionalProperties": True}
    created = {"type": "object", "properties": {"h": {"type": "integer"}}, "required": ["h"]}
    newer = {**older, "properties": {"n": created}}
    step = {"move": "/b", "to": "/n/h"}
    assert [*check_proof(transition_between(older, newer, [step], "parameters"))]
    closed = {**older, "additionalProperties": False}
    assert [*check_proof(transition_between(closed, newer, [step], "parameters"))] == []


@pytest.mark.parametrize("key", ["parameters", "returns"])
def test_a_member_of_a_moved_array_that_no_step_names_is_a_difference_to_handle(key: Key) -> None:
    def listing(rows: str, *names: str) -> Schema:
        item = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
        part = {"type": "array", "items": item | {"additionalProperties": False}, "minItems": 1}
        return {"type": "object", "properties": {rows: part}, "required": [rows], "additionalProperties": False}

    more, fewer = ("id", "note"), ("id",)
    older, newer = (more, fewer) if key == "parameters" else (fewer, more)
    move = {"move": "/rows", "to": "/lines"}
    found = check_proof(transition_between(listing("rows", *older), listing("lines", *newer), [move], key))
    assert [fault.sentence.rpartition("; ")[2] for fault in found] == ['"move", "add" or "drop" the difference']
