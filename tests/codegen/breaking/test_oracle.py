"""The judge of schemas against values: what it calls a break breaks some value, and what it lets pass breaks none.

Small schemas are drawn, a few things in them are changed, and the verdict is held against validators: jsonschema, which is not the one
that the judge asks, for each witness; and values made without the judge's help where it found nothing.
"""

import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import islice
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from codegen.breaking.changes import Change
from codegen.breaking.findings import ONLY_WITH_WITNESS
from codegen.breaking.instances import near
from codegen.breaking.pairs import Topic
from codegen.breaking.rules import Direction, Level, Profile
from codegen.breaking.schemas import schema_changes
from codegen.breaking.sets import admits
from codegen.breaking.table import RULES
from codegen.breaking.witnesses import Witness, witness
from codegen.documents import parsed
from codegen.places import Node, Place
from codegen.references import Library

Schema = dict[str, Any]
COUNTS: Counter[str] = Counter()
NAMES = ["a", "b", "c"]
SCALARS: list[Any] = [None, True, False, 0, 1, 2, 5, -1, 2.5, 0.5, 1e3, "", "a", "ab", "AB", "x1", "2026-01-31", "2026-01-31T12:00:00Z"]  # fmt: skip
PATTERNS = ["^a", "^[a-z]+$", "^[a-z]{1,3}$", "^(a|b)$", "b$", "^[A-Z]{2}/[A-Z]{3}$"]
LEAVES: list[Schema] = [
    {}, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]},
    {"type": ["integer", "string"]}, {"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "ab", "AB"]}, {"const": "a"}, {"enum": [1, 2.0, "a", None]},
    {"type": "integer", "minimum": 0, "maximum": 5}, {"type": "number", "exclusiveMinimum": 0, "maximum": 2.5}, {"type": "integer", "multipleOf": 2},
    {"type": "string", "minLength": 1, "maxLength": 3}, {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"},
    *({"type": "string", "pattern": pattern} for pattern in PATTERNS),
]  # fmt: skip
KEYWORDS: list[tuple[str, list[Any]]] = [
    ("type", ["string", "integer", "number", "null", "array", "object", ["string", "null"], ["integer", "null"]]),
    ("minimum", [-1, 0, 1, 2.5]), ("maximum", [1, 2, 5]), ("exclusiveMinimum", [0, 1]), ("exclusiveMaximum", [2, 5]), ("multipleOf", [1, 2, 4, 0.5]),
    ("minLength", [0, 1, 2]), ("maxLength", [1, 2, 3]), ("pattern", PATTERNS), ("format", ["date", "date-time"]), ("minItems", [0, 1, 2]),
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


def changes(direction: Direction, old: Schema, new: Schema) -> list[tuple[Change, Level, Witness | None]]:
    """What the judge says of two schemas, in the default profile."""
    topic = Topic(direction=direction, noun="argument", whole="arguments")
    found = []
    for change in schema_changes(topic, node(old), node(new)):
        level = RULES[change.rule].verdict(Profile.DEFAULT, direction, change.circumstance).level
        value = witness(change.difference) if change.difference else None
        if value or change.rule not in ONLY_WITH_WITNESS:
            found.append((change, level, value))
    return found


def node(schema: Schema) -> Node:
    """A schema as the judge sees it."""
    document = parsed("{}", "shop/stock.json", "shop/stock.json", [])
    assert document
    return Node.of(Library({}), Place(document, ""), schema)


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

    return [*SCALARS, *(value(3) for _ in range(1500))]


def telling(old: Schema, new: Schema) -> Iterator[tuple[Any, bool]]:
    """Values that tell two schemas apart, and whether it is the old one that admits them."""
    for value in [*sampled(), *islice(near(old, [new]), 500), *islice(near(new, [old]), 500)]:
        verdicts = admits(old, value), admits(new, value)
        if verdicts[0] != verdicts[1]:
            yield value, verdicts[0]


@settings(
    max_examples=150, suppress_health_check=list(HealthCheck), deadline=None, phases=[Phase.generate, Phase.shrink]
)
@given(pairs(), st.sampled_from(Direction))
def test_a_break_is_one_and_what_passes_is_none(pair: tuple[Schema, Schema], direction: Direction) -> None:
    old, new = pair
    found = changes(direction, old, new)
    COUNTS["pairs of schemas"] += 1
    for change, level, value in found:
        COUNTS[f"{level.value} findings"] += 1
        if value:
            assert [verdict(old, value.value), verdict(new, value.value)] == [value.lost, not value.lost], change.rule
            COUNTS["witnesses that jsonschema confirmed"] += 1
        elif level is Level.BREAKING:
            COUNTS[f"breaking without a witness: {change.rule}"] += 1
    harm_is_loss = direction is Direction.INPUT
    grave = [change.rule for change, level, _ in found if level is not Level.INFO]
    told = [] if grave else list(telling(old, new))
    if not grave:
        COUNTS["pairs let pass"] += 1
        COUNTS["values that could not tell them apart to somebody's harm"] += len(sampled())
    assert [value for value, lost in told if lost is harm_is_loss] == []
    if not found:
        COUNTS["pairs called equal"] += 1
        assert told == []


def test_the_counts_of_the_oracle(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print("\n" + "\n".join(f"  {number:>8} {name}" for name, number in sorted(COUNTS.items())))  # noqa: T201 - the counts are its point
