"""Compare the checker's findings with the values that random schemas admit.

Small schemas are drawn and changed in a few places. The checker must have a witness for a break, and jsonschema, which
the checker does not use, confirms each witness. Where the checker finds nothing, no generated value may distinguish the
schemas. The same holds for conditions between arguments.

The suite tries 100 pairs; `./run tests tests/codegen/breaking/test_oracle.py --oracle-examples 5000` tries more.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.breaking.catalog import RULES
from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import ContractPair
from codegen.breaking.compare.errors import condition_changes
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.rule import Direction, Level, Profile
from codegen.breaking.witnesses import Witness, find_witness
from codegen.ir.shared_records import build_condition
from codegen.loading.documents import parse_document
from codegen.loading.references import SchemaLibrary
from codegen.loading.schema_nodes import ContractValue, Place, SchemaNode
from codegen.schema_sets.containment import admits
from codegen.schema_sets.samples import boundary_values
from tests.conftest import Say
from toolpact.call.conditions import broken_conditions

Schema = dict[str, Any]
EXAMPLES = 100
"""Pairs that the suite tries."""
NAMES = ["a", "b", "c"]
NAME = "shop/stock.json"
SCALARS: list[Any] = [None, True, False, 0, 1, 2, 5, -1, 2.5, 0.5, 1e3, "", "a", "ab", "AB", "x1", "2026-01-31", "2026-01-31T12:00:00Z", "0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01"]  # fmt: skip
FORMATS = ["date", "date-time", "uuid"]
PATTERNS = ["^a", "^[a-z]+$", "^[a-z]{1,3}$", "^(a|b)$", "b$", "^[A-Z]{2}/[A-Z]{3}$"]
SIMPLE_SCHEMAS: list[Schema] = [
    {}, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]},
    {"type": ["integer", "string"]}, {"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "ab", "AB"]}, {"const": "a"}, {"enum": [1, 2.0, "a", None]},
    {"type": "integer", "minimum": 0, "maximum": 5}, {"type": "number", "exclusiveMinimum": 0, "maximum": 2.5}, {"type": "integer", "multipleOf": 2},
    {"type": "string", "minLength": 1, "maxLength": 3}, *({"type": "string", "format": name} for name in FORMATS),
    *({"type": "string", "pattern": pattern} for pattern in PATTERNS),
]  # fmt: skip
KEYWORDS: list[tuple[str, list[Any]]] = [
    ("type", ["string", "integer", "number", "null", "array", "object", ["string", "null"], ["integer", "null"]]),
    ("minimum", [-1, 0, 1, 2.5]), ("maximum", [1, 2, 5]), ("exclusiveMinimum", [0, 1]), ("exclusiveMaximum", [2, 5]), ("multipleOf", [1, 2, 4, 0.5]),
    ("minLength", [0, 1, 2]), ("maxLength", [1, 2, 3]), ("pattern", PATTERNS), ("format", FORMATS), ("minItems", [0, 1, 2]),
    ("maxItems", [1, 2, 3]), ("enum", [["a"], ["a", "b", None], [1, 2]]), ("const", ["a", 1]), ("required", [[], ["a"], ["a", "b"], ["d"]]),
    ("additionalProperties", [True, False, {"type": "integer"}]), ("default", ["a", 1]), ("description", ["one", "two"]),
]  # fmt: skip


def schemas() -> st.SearchStrategy[Schema]:
    """Draw small schemas of every kind in the contract language."""
    return st.recursive(st.sampled_from(SIMPLE_SCHEMAS).map(deepcopy), holders, max_leaves=5)


def holders(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Draw objects, arrays and unions of schemas."""
    return (
        st.builds(
            lambda members, required, others: {
                "type": "object",
                "properties": members,
                "required": required,
                "additionalProperties": others,
            },
            st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
            st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            st.sampled_from([True, False]) | inner,
        )
        | st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 2))
        | st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["anyOf", "oneOf"]),
            st.lists(inner, min_size=1, max_size=3),
        )
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """Draw a schema, and the same schema with one to three changes."""
    old = draw(schemas())
    new = deepcopy(old)
    for _ in range(draw(st.integers(1, 3))):
        change(draw, draw(st.sampled_from(list(parts(new)))))
    return old, new


@dataclass(frozen=True, slots=True)
class Written:
    """A schema as an author may write it, with references, and its inlined form."""

    schema: Schema
    defs: dict[str, Schema]
    inlined: Schema

    @property
    def node(self) -> SchemaNode:
        """The schema as the checker reads it."""
        document = parse_document(json.dumps({"$defs": self.defs}), NAME, NAME, [])
        assert document
        return SchemaNode.of(SchemaLibrary({NAME: document}), Place(document, ""), self.schema)


@st.composite
def written(draw: st.DrawFn, pair: tuple[Schema, Schema]) -> tuple[Written, Written]:
    """Draw two schemas with different parts moved into references."""
    chooser = random.Random(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.0, 0.3]))

    def move(schema: Schema, defs: dict[str, Schema]) -> Schema:
        rewritten = {key: inside(key, value, defs) for key, value in schema.items()}
        if chooser.random() >= share:
            return rewritten
        name = f"S{len(defs)}"
        defs[name] = rewritten
        return {"$ref": f"#/$defs/{name}"}

    def inside(key: str, value: Any, defs: dict[str, Schema]) -> Any:
        if key == "properties":
            return {name: move(part, defs) for name, part in value.items()}
        if key in {"anyOf", "oneOf"}:
            return [move(part, defs) for part in value]
        return move(value, defs) if key in {"items", "additionalProperties"} and isinstance(value, dict) else value

    def write(schema: Schema) -> Written:
        defs: dict[str, Schema] = {}
        return Written(move(schema, defs), defs, schema)

    return write(pair[0]), write(pair[1])


def parts(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and every schema inside it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    for part in [*inner, *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if isinstance(part, dict):
            yield from parts(part)


def change(draw: st.DrawFn, schema: Schema) -> None:
    """Change one thing in a schema."""
    kind = draw(st.sampled_from(["set", "drop", "member", "branch", "value", "other"]))
    if kind == "drop" and schema:
        del schema[draw(st.sampled_from(sorted(schema)))]
    elif kind == "member" and "properties" in schema:
        name = draw(st.sampled_from([*NAMES, "d"]))
        if schema["properties"].pop(name, None) is None:
            schema["properties"][name] = draw(schemas())
    elif kind == "branch" and ("anyOf" in schema or "oneOf" in schema):
        branches = schema["anyOf" if "anyOf" in schema else "oneOf"]
        if len(branches) > 1 and draw(st.booleans()):
            branches.pop()
        else:
            branches.append(draw(schemas()))
    elif kind == "value" and "enum" in schema:
        schema["enum"] = [*schema["enum"][1:], draw(st.sampled_from(["c", 7]))]
    elif kind == "other":
        other = draw(schemas())
        schema.clear()
        schema.update(other)
    else:
        key, values = draw(st.sampled_from(KEYWORDS))
        schema[key] = deepcopy(draw(st.sampled_from(values)))


def changes(direction: Direction, old: Written, new: Written) -> list[tuple[Change, Level, Witness | None]]:
    """Return the checker's changes of two schemas in the default profile."""
    topic = Topic(direction=direction, noun="argument", whole="arguments")
    found = []
    for change in schema_changes(topic, old.node, new.node):
        level = RULES[change.rule].impact(Profile.DEFAULT, direction, change.circumstance).level
        value = find_witness(change.difference) if change.difference else None
        found.append((change, level, value))
    return found


def is_admitted(schema: Schema, value: Any) -> bool:
    """Return True if jsonschema admits a value, with formats asserted."""
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    return bool(validator.is_valid(value))


@cache
def sampled() -> list[Any]:
    """Return values of all kinds, generated without any schema."""
    chooser = random.Random(7)

    def value(depth: int) -> Any:
        kind = chooser.random()
        if depth == 0 or kind < 0.5:
            return chooser.choice(SCALARS)
        if kind < 0.7:
            return [value(depth - 1) for _ in range(chooser.randrange(4))]
        return {name: value(depth - 1) for name in chooser.sample([*NAMES, "d", "e"], chooser.randrange(4))}

    return [*SCALARS, *(value(3) for _ in range(700))]


def distinguishing_values(old: Schema, new: Schema) -> Iterator[tuple[Any, bool]]:
    """Yield values that distinguish two schemas, with True if the old one admits the value."""
    for value in [*sampled(), *islice(boundary_values(old, [new]), 500), *islice(boundary_values(new, [old]), 500)]:
        verdicts = admits(old, value), admits(new, value)
        if verdicts[0] != verdicts[1]:
            yield value, verdicts[0]


def test_every_break_has_a_broken_value_and_every_pass_has_none(pytestconfig: pytest.Config, say: Say) -> None:
    counts: Counter[str] = Counter()
    examples = pytestconfig.getoption("--oracle-examples", default=None)

    @settings(
        max_examples=examples or EXAMPLES,
        derandomize=examples is None,  # the suite always tries the same pairs
        database=None,
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(pairs().flatmap(written), st.sampled_from(Direction))
    def check_pair(pair: tuple[Written, Written], direction: Direction) -> None:
        counts["pairs of schemas"] += 1
        counts["of them with references"] += any(each.defs for each in pair)
        found = changes(direction, *pair)
        assert_witnesses_distinguish(counts, pair, found)
        assert_no_break_passed(counts, pair, direction, {level for _, level, _ in found})

    check_pair()
    assert counts["pairs of schemas"]
    print_counts(say, "Changes of schemas", counts)


def assert_witnesses_distinguish(
    counts: Counter[str], pair: tuple[Written, Written], found: list[tuple[Change, Level, Witness | None]]
) -> None:
    """Check every witness against both schemas."""
    for change, level, value in found:
        counts["breaks"] += level is Level.BREAKING
        if value:
            verdicts = [is_admitted(each.inlined, value.value) for each in pair]
            assert verdicts == [value.is_loss, not value.is_loss], change.rule
            counts["witnesses confirmed"] += 1
        elif level is Level.BREAKING:
            counts[f"breaks without a witness: {change.rule}"] += 1


def assert_no_break_passed(
    counts: Counter[str], pair: tuple[Written, Written], direction: Direction, levels: set[Level]
) -> None:
    """Check that no value shows a break, or any change, that the checker missed."""
    if levels - {Level.INFO}:
        return
    old, new = (each.inlined for each in pair)
    distinguishing = list(distinguishing_values(old, new))
    assert [value for value, is_loss in distinguishing if is_loss is (direction is Direction.INPUT)] == []
    assert levels or not distinguishing
    counts["passed"] += 1
    counts["values that distinguish none of those"] += len(sampled())


def print_counts(say: Say, title: str, counts: Counter[str]) -> None:
    """Print the counts at the end of the run."""
    say(f"{title}: {', '.join(f'{number} {name}' for name, number in counts.items())}")


CONDITIONS: list[dict[str, Any]] = [
    *({"ordered": operands, "strict": strict, "code": code} for operands in (["/low", "/high"], ["/from", "/to"]) for strict in (False, True) for code in "AB"),
    *({"span": ["/from", "/to"], "at_most": at_most, "code": "A"} for at_most in ("P1D", "P2D", "P30D")),
]  # fmt: skip
PARAMETERS: Schema = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer"} for name in ("low", "high")},
        **{name: {"type": "string", "format": "date"} for name in ("from", "to")},
    },
    "additionalProperties": False,
}
CONDITION_LISTS = st.lists(
    st.sampled_from(CONDITIONS), max_size=3, unique_by=lambda rule: str(rule.get("ordered", "span"))
)


def test_a_stricter_condition_rejects_arguments_and_a_looser_one_none(say: Say) -> None:
    counts: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
    @given(CONDITION_LISTS, CONDITION_LISTS)
    def check_pair(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
        rules = [[build_condition(rule) for rule in each] for each in (before, after)]
        counts["pairs of rules"] += 1
        found = list(condition_changes(ContractPair(old=side(before), new=side(after))))
        breaks = [
            each
            for each in found
            if RULES[each.rule].impact(Profile.DEFAULT, each.direction, "").level is Level.BREAKING
        ]
        for change in breaks:
            assert [bool(broken_conditions(each, change.lost_value)) for each in rules] == [False, True]
        counts["witnesses confirmed"] += len(breaks)
        counts["passed"] += not breaks
        assert breaks or not [
            each
            for each in argument_grid()
            if not broken_conditions(rules[0], each) and broken_conditions(rules[1], each)
        ]

    check_pair()
    print_counts(say, "Changes of rules between arguments", counts)


def side(rules: list[dict[str, Any]]) -> ContractValue:
    """Return a tool with parameters and conditions only."""
    value = {"parameters": PARAMETERS, "conditions": rules}
    document = parse_document(json.dumps(value), NAME, NAME, [])
    assert document
    return ContractValue(SchemaLibrary({}), Place(document, ""), value)


@cache
def argument_grid() -> list[dict[str, Any]]:
    """Return arguments of every kind: absent, equal, in order and not, near and far."""
    numbers, days = [None, 0, 1], [None, "2026-01-01", "2026-01-02", "2026-01-03", "2026-03-01"]
    grid = product(numbers, numbers, days, days)
    names = ("low", "high", "from", "to")
    return [{name: part for name, part in zip(names, parts, strict=True) if part is not None} for parts in grid]
