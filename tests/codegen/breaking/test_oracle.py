"""The judge of schemas against values: what it calls a break breaks some value, and what it lets pass breaks none.

Small schemas are drawn, a few things in them are changed, and the verdict is held against validators: jsonschema, which is not the one
that the judge asks, for each witness; and values made without the judge's help where it found nothing. The same for rules between arguments.

The suite tries a few hundred pairs; `./run tests tests/codegen/breaking/test_oracle.py --oracle-examples 5000` is for an afternoon.
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
from codegen.breaking.compare.contract_pair import Both
from codegen.breaking.compare.errors import condition_changes
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.findings import ONLY_WITH_WITNESS
from codegen.breaking.rule import Direction, Level, Profile
from codegen.breaking.witnesses import Witness, witness
from codegen.loading.documents import parse_document
from codegen.loading.references import SchemaLibrary
from codegen.loading.schema_nodes import ContractValue, Place, SchemaNode
from codegen.schema_sets.containment import admits
from codegen.schema_sets.samples import boundary_values
from tests.codegen.breaking.test_cases import rule_of_server
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
LEAVES: list[Schema] = [
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
    """Small schemas of every kind the contract language has."""
    return st.recursive(st.sampled_from(LEAVES).map(deepcopy), holders, max_leaves=5)


def holders(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Objects, arrays and unions of schemas."""
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
    """A schema, and the same with one to three things changed."""
    old = draw(schemas())
    new = deepcopy(old)
    for _ in range(draw(st.integers(1, 3))):
        change(draw, draw(st.sampled_from(list(parts(new)))))
    return old, new


@dataclass(frozen=True, slots=True)
class Written:
    """A schema as an author may have written it, with references to others, and what it comes to."""

    schema: Schema
    defs: dict[str, Schema]
    inlined: Schema

    @property
    def node(self) -> SchemaNode:
        """The schema as the judge sees it."""
        document = parse_document(json.dumps({"$defs": self.defs}), NAME, NAME, [])
        assert document
        return SchemaNode.of(SchemaLibrary({NAME: document}), Place(document, ""), self.schema)


@st.composite
def written(draw: st.DrawFn, pair: tuple[Schema, Schema]) -> tuple[Written, Written]:
    """Two schemas, some parts of each moved away and referred to; not the same parts in both."""
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.0, 0.3]))

    def moved(schema: Schema, defs: dict[str, Schema]) -> Schema:
        kept = {key: inside(key, value, defs) for key, value in schema.items()}
        if chance.random() >= share:
            return kept
        name = f"S{len(defs)}"
        defs[name] = kept
        return {"$ref": f"#/$defs/{name}"}

    def inside(key: str, value: Any, defs: dict[str, Schema]) -> Any:
        if key == "properties":
            return {name: moved(part, defs) for name, part in value.items()}
        if key in {"anyOf", "oneOf"}:
            return [moved(part, defs) for part in value]
        return moved(value, defs) if key in {"items", "additionalProperties"} and isinstance(value, dict) else value

    def wrote(schema: Schema) -> Written:
        defs: dict[str, Schema] = {}
        return Written(moved(schema, defs), defs, schema)

    return wrote(pair[0]), wrote(pair[1])


def parts(schema: Schema) -> Iterator[Schema]:
    """A schema and every schema in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    for part in [*inner, *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if isinstance(part, dict):
            yield from parts(part)


def change(draw: st.DrawFn, schema: Schema) -> None:
    """Change one thing in a schema."""
    how = draw(st.sampled_from(["set", "drop", "member", "branch", "value", "other"]))
    if how == "drop" and schema:
        del schema[draw(st.sampled_from(sorted(schema)))]
    elif how == "member" and "properties" in schema:
        name = draw(st.sampled_from([*NAMES, "d"]))
        if schema["properties"].pop(name, None) is None:
            schema["properties"][name] = draw(schemas())
    elif how == "branch" and ("anyOf" in schema or "oneOf" in schema):
        branches = schema["anyOf" if "anyOf" in schema else "oneOf"]
        if len(branches) > 1 and draw(st.booleans()):
            branches.pop()
        else:
            branches.append(draw(schemas()))
    elif how == "value" and "enum" in schema:
        schema["enum"] = [*schema["enum"][1:], draw(st.sampled_from(["c", 7]))]
    elif how == "other":
        other = draw(schemas())
        schema.clear()
        schema.update(other)
    else:
        key, values = draw(st.sampled_from(KEYWORDS))
        schema[key] = deepcopy(draw(st.sampled_from(values)))


def changes(direction: Direction, old: Written, new: Written) -> list[tuple[Change, Level, Witness | None]]:
    """What the judge says of two schemas, in the default profile."""
    topic = Topic(direction=direction, noun="argument", inlined="arguments")
    found = []
    for change in schema_changes(topic, old.node, new.node):
        level = RULES[change.rule].verdict(Profile.DEFAULT, direction, change.circumstance).level
        value = witness(change.difference) if change.difference else None
        if value or change.rule not in ONLY_WITH_WITNESS:
            found.append((change, level, value))
    return found


def verdict(schema: Schema, value: Any) -> bool:
    """What jsonschema says of a value, formats asserted."""
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    return bool(validator.is_valid(value))


@cache
def sampled() -> list[Any]:
    """Values of all kinds, made without a look at any schema."""
    chance = random.Random(7)

    def value(depth: int) -> Any:
        kind = chance.random()
        if depth == 0 or kind < 0.5:
            return chance.choice(SCALARS)
        if kind < 0.7:
            return [value(depth - 1) for _ in range(chance.randrange(4))]
        return {name: value(depth - 1) for name in chance.sample([*NAMES, "d", "e"], chance.randrange(4))}

    return [*SCALARS, *(value(3) for _ in range(700))]


def distinguishing_values(old: Schema, new: Schema) -> Iterator[tuple[Any, bool]]:
    """Values that tell two schemas apart, and whether it is the old one that admits them."""
    for value in [*sampled(), *islice(boundary_values(old, [new]), 500), *islice(boundary_values(new, [old]), 500)]:
        verdicts = admits(old, value), admits(new, value)
        if verdicts[0] != verdicts[1]:
            yield value, verdicts[0]


def test_a_break_is_one_and_what_passes_is_none(pytestconfig: pytest.Config, say: Say) -> None:
    counts: Counter[str] = Counter()
    asked = pytestconfig.getoption("--oracle-examples", default=None)

    @settings(
        max_examples=asked or EXAMPLES,
        derandomize=asked is None,  # the suite tries the same pairs every time
        database=None,
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(pairs().flatmap(written), st.sampled_from(Direction))
    def holds(pair: tuple[Written, Written], direction: Direction) -> None:
        counts["pairs of schemas"] += 1
        counts["of them with references"] += any(each.defs for each in pair)
        found = changes(direction, *pair)
        assert_witnesses_tell(counts, pair, found)
        assert_no_break_passed(counts, pair, direction, {level for _, level, _ in found})

    holds()
    assert counts["pairs of schemas"]
    say_counts(say, "Changes of schemas", counts)


def assert_witnesses_tell(
    counts: Counter[str], pair: tuple[Written, Written], found: list[tuple[Change, Level, Witness | None]]
) -> None:
    """Hold every witness against both schemas."""
    for change, level, value in found:
        counts["called breaks"] += level is Level.BREAKING
        if value:
            verdicts = [verdict(each.inlined, value.value) for each in pair]
            assert verdicts == [value.lost, not value.lost], change.rule
            counts["witnesses confirmed"] += 1
        elif level is Level.BREAKING:
            counts[f"breaks without a witness: {change.rule}"] += 1


def assert_no_break_passed(
    counts: Counter[str], pair: tuple[Written, Written], direction: Direction, levels: set[Level]
) -> None:
    """Where nothing grave was found, no value may tell the schemas apart to somebody's harm; where nothing was, none at all."""
    if levels - {Level.INFO}:
        return
    old, new = (each.inlined for each in pair)
    told = list(distinguishing_values(old, new))
    assert [value for value, lost in told if lost is (direction is Direction.INPUT)] == []
    assert levels or not told
    counts["let pass"] += 1
    counts["values that told none of those apart"] += len(sampled())


def say_counts(say: Say, title: str, counts: Counter[str]) -> None:
    """Print what was counted at the end of the run."""
    say(f"{title}: {', '.join(f'{number} {name}' for name, number in counts.items())}")


RULES_BETWEEN: list[dict[str, Any]] = [
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
RULE_LISTS = st.lists(
    st.sampled_from(RULES_BETWEEN), max_size=3, unique_by=lambda rule: str(rule.get("ordered", "span"))
)


def test_a_stricter_rule_between_arguments_refuses_some_and_a_laxer_one_none(say: Say) -> None:
    counts: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None)
    @given(RULE_LISTS, RULE_LISTS)
    def holds(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
        rules = [[rule_of_server(rule) for rule in each] for each in (before, after)]
        counts["pairs of rules"] += 1
        found = list(condition_changes(Both(old=side(before), new=side(after))))
        breaks = [
            each
            for each in found
            if RULES[each.rule].verdict(Profile.DEFAULT, each.direction, "").level is Level.BREAKING
        ]
        for change in breaks:
            assert [bool(broken_conditions(each, change.shown_by)) for each in rules] == [False, True]
        counts["witnesses confirmed"] += len(breaks)
        counts["let pass"] += not breaks
        assert breaks or not [
            each
            for each in argument_grid()
            if not broken_conditions(rules[0], each) and broken_conditions(rules[1], each)
        ]

    holds()
    say_counts(say, "Changes of rules between arguments", counts)


def side(rules: list[dict[str, Any]]) -> ContractValue:
    """A tool of which only its parameters and its rules between them matter."""
    value = {"parameters": PARAMETERS, "conditions": rules}
    document = parse_document(json.dumps(value), NAME, NAME, [])
    assert document
    return ContractValue(SchemaLibrary({}), Place(document, ""), value)


@cache
def argument_grid() -> list[dict[str, Any]]:
    """Arguments of every kind: some absent, equal, in order and not, boundary_values and far."""
    numbers, days = [None, 0, 1], [None, "2026-01-01", "2026-01-02", "2026-01-03", "2026-03-01"]
    grid = product(numbers, numbers, days, days)
    names = ("low", "high", "from", "to")
    return [{name: part for name, part in zip(names, parts, strict=True) if part is not None} for parts in grid]
