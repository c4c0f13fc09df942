"""Values that a schema admits, near the places where it differs from another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, permutations, product
from typing import Any

from codegen.loading.references import as_array, as_object
from codegen.loading.schema_nodes import UNIONS, Schema
from codegen.schema_sets.containment import ALL_TYPES, admits

SchemaPath = tuple[str | int, ...]
"""Keywords and names that lead from a schema to a schema inside it."""

MOST = 2000
"""Values tried for one schema."""
MANY, FEW = 40, 5
"""Values tried for a part of one, where several parts are tried together."""
LONGEST = 20000
"""Characters of a text, or elements of an array."""
OTHER = "another_member"
"""What a member is called that a schema does not name."""
ANYTHING: tuple[Any, ...] = ("x", 0, 0.5, True, None, [], {})
"""What is tried where nothing is asked for."""
FORMATS: Mapping[str, tuple[str, ...]] = {
    "": ("x", "", "text"),
    "date": ("2026-01-31", "2024-02-29"),
    "date-time": ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00+03:00"),
    "uuid": ("0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01",),
}
TYPICAL: Mapping[str, tuple[Any, ...]] = {
    "null": (None,),
    "boolean": (True, False),
    "integer": (0, 1, -1),
    "number": (0.5, 0, -0.5),
}


def telling(admitting: Schema, refusing: Schema) -> Iterator[Any]:
    """Values that one schema admits and another refuses."""
    for value in islice(near(admitting, [refusing]), MOST):
        if admits(admitting, value) and not admits(refusing, value):
            yield value


def near(schema: Schema, rivals: Sequence[Schema]) -> Iterator[Any]:
    """Values that a schema may admit, beginning with those that are near its own limits and those of its rivals."""
    sides = [*branches(schema), *chain.from_iterable(map(branches, rivals))]
    if not any(sides):
        yield from ANYTHING
        return
    for side in sides:
        yield from listed(side)
    for branch in branches(schema):
        said = branch.get("type", sorted(ALL_TYPES))
        for name in [said] if isinstance(said, str) else as_array(said):
            yield from of_type(name, branch, sides)


def branches(schema: Schema) -> list[Schema]:
    """The alternatives of a schema, each with what is said beside them."""
    found = [part for key in UNIONS for part in as_array(schema.get(key))]
    beside = {key: value for key, value in schema.items() if key not in UNIONS}
    return [merged(beside, branch) for part in found for branch in branches(as_object(part))] or [schema]


def merged(beside: Schema, branch: Schema) -> dict[str, Any]:
    """A schema that says what two say."""
    properties = {**as_object(beside.get("properties")), **as_object(branch.get("properties"))}
    required = [*as_array(beside.get("required")), *as_array(branch.get("required"))]
    return {**beside, **branch, **({"properties": properties} if properties else {}), "required": required}


def listed(schema: Schema) -> Iterator[Any]:
    """The values that a schema itself names."""
    yield from as_array(schema.get("enum"))
    yield from (schema[key] for key in ("const", "default") if key in schema)
    yield from as_array(schema.get("examples"))


def of_type(name: str, schema: Schema, sides: Sequence[Schema]) -> Iterator[Any]:
    """Values of a type."""
    yield from TYPICAL.get(name, ())
    if name in {"integer", "number"}:
        yield from numbers(sides, whole=name == "integer")
    elif name == "string":
        yield from texts(schema, sides)
    elif name == "array":
        yield from arrays(schema, sides)
    elif name == "object":
        yield from objects(schema, sides)


def numbers(sides: Sequence[Schema], *, whole: bool) -> Iterator[float]:
    """Numbers at, just above and just below every bound and step."""
    keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    marks = [side[key] for side in sides for key in keys if isinstance(side.get(key), int | float)]
    for mark in marks:
        steps = (0, 1, -1) if whole else (0, 1, -1, 0.5, -0.5, 0.001, -0.001)
        for step in steps:
            yield int(mark + step) if whole else mark + step
        yield from (mark * 2, mark * 3, -mark)


def texts(schema: Schema, sides: Sequence[Schema]) -> Iterator[str]:
    """Texts of every format, pattern and length that is spoken of."""
    patterns = list(dict.fromkeys(side["pattern"] for side in [schema, *sides] if isinstance(side.get("pattern"), str)))
    if patterns:
        from codegen.schema_sets.regex_samples import of_patterns  # noqa: PLC0415 - most changes touch no pattern, and it loads slowly

        yield from of_patterns(patterns, counts(sides, "minLength", "maxLength"))
    spoken_of = dict.fromkeys(side["format"] for side in [schema, *sides] if "format" in side)
    for name in spoken_of:
        yield from FORMATS.get(name, ())
    for length in counts(sides, "minLength", "maxLength"):
        yield "x" * length
    for name in FORMATS:
        yield from FORMATS[name]


def counts(sides: Sequence[Schema], *keys: str) -> list[int]:
    """Numbers of characters or elements, at and around every limit."""
    limits = [int(side[key]) for side in sides for key in keys if isinstance(side.get(key), int | float)]
    found = sorted({limit + step for limit in limits for step in (-1, 0, 1)})
    return [count for count in found if 0 <= count <= LONGEST]


def arrays(schema: Schema, sides: Sequence[Schema]) -> Iterator[list[Any]]:
    """Arrays of every length that is spoken of, and arrays of one element of every kind."""
    inner, rivals = as_object(schema.get("items")), [as_object(side.get("items")) for side in sides]
    least = int(schema.get("minItems", 0))
    element = smallest(inner)
    for count in dict.fromkeys([least, *counts(sides, "minItems", "maxItems")]):
        yield [element] * count
    for value in near(inner, rivals):
        yield [value] + [element] * max(0, least - 1)
    for count in counts(sides, "minItems", "maxItems")[:FEW]:
        for value in islice(near(inner, rivals), MANY):
            yield from ([value] * count, [value] + [element] * (count - 1))


def objects(schema: Schema, sides: Sequence[Schema]) -> Iterator[dict[str, Any]]:
    """The least object, and such with one member more, less, or other."""
    own = as_object(schema.get("properties"))
    least = smallest_object(schema, None)
    yield least
    names = dict.fromkeys([*own, *(name for side in sides for name in as_object(side.get("properties"))), OTHER])
    rest = {} if schema.get("additionalProperties") is True else schema.get("additionalProperties", {})
    choices: dict[str, list[Any]] = {}
    for name in names:
        inner = own.get(name, rest)
        rivals = [member_schema(side, name) for side in sides]
        if isinstance(inner, dict):
            yield from ({**least, name: value} for value in near(inner, rivals))
            choices[name] = list(islice(near(inner, rivals), FEW))
    for one, other in permutations(choices, 2):
        yield from ({**least, one: value, other: beside} for value, beside in product(choices[one], choices[other]))


def member_schema(schema: Schema, name: str) -> Schema:
    """The schema of a member; one that admits everything where there is none."""
    return as_object(as_object(schema.get("properties")).get(name, schema.get("additionalProperties")))


def smallest(schema: Schema, hint: Any = None) -> Any:
    """A plain value that a schema admits: a hint's, where that is one; None where none is found."""
    return next((value for value in plain(schema, hint) if admits(schema, value)), None)


def plain(schema: Schema, hint: Any) -> Iterator[Any]:
    """Plain values that a schema may admit."""
    if hint is not None and not isinstance(hint, dict | list):
        yield hint
    for branch in branches(schema):
        if branch.get("type") == "object":
            yield smallest_object(branch, hint)
        else:
            yield from islice(near(branch, []), MOST)


def smallest_object(schema: Schema, hint: Any) -> dict[str, Any]:
    """An object of the members that must be there."""
    known = as_object(hint)
    return {name: smallest(member_schema(schema, name), known.get(name)) for name in as_array(schema.get("required"))}


def around(schema: Schema, way: SchemaPath, value: Any, hint: Any = None) -> Any:
    """A value that has another one at the end of a way through its schema, and else only what must be there."""
    if not way:
        return value
    match way:
        case ("properties", str(name), *rest):
            least = smallest_object(schema, hint)
            inner = around(member_schema(schema, name), tuple(rest), value, as_object(hint).get(name))
            return {**least, name: inner}
        case ("additionalProperties", *rest):
            inner = around(as_object(schema.get("additionalProperties")), tuple(rest), value)
            return {**smallest_object(schema, hint), OTHER: inner}
        case ("items", *rest):
            inner = as_object(schema.get("items"))
            hints = as_array(hint)
            first = around(inner, tuple(rest), value, hints[0] if hints else None)
            return [first] + [smallest(inner)] * (int(schema.get("minItems", 1)) - 1)
        case (str(key), int(index), *rest):
            beside = {name: part for name, part in schema.items() if name not in UNIONS}
            return around(merged(beside, as_array(schema.get(key))[index]), tuple(rest), value, hint)
        case _:
            raise ValueError(f"{way} leads nowhere in a schema")
