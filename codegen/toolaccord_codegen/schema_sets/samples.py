"""Generate values that a schema admits, near its differences from another schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, permutations, product
from typing import Any

from toolaccord_codegen.loading.json_equality import SameValue
from toolaccord_codegen.loading.references import UNIONS, as_array, as_object, list_branches
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.schema_sets.validators import ALL_TYPES, compile_validator

SchemaPath = tuple[str | int, ...]
"""Keywords and names that lead from a schema to a schema inside it."""

MAX_VALUES = 2000
"""Values tried for one schema."""
NESTED_VALUES, PART_VALUES = 40, 5
"""Values tried for a nested schema: many for an array's elements, few for pairs of members."""
MAX_LENGTH = 20000
"""Characters of a text, or elements of an array."""
UNNAMED_MEMBER = "another_member"
"""The name of a generated member that a schema does not define."""
ANY_VALUES: tuple[Any, ...] = ("x", 0, 0.5, True, None, [], {})
"""Values for a schema without restrictions."""
FORMATS: Mapping[str, tuple[str, ...]] = {
    "": ("x", "", "text"),
    "date": ("2026-01-31", "2024-02-29", "1999-12-31"),
    "date-time": ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00+03:00", "1999-12-31T23:59:59Z"),
    "uuid": ("0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01",),
}
TYPICAL: Mapping[str, tuple[Any, ...]] = {
    "null": (None,),
    "boolean": (True, False),
    "integer": (0, 1, -1),
    "number": (0.5, 0, -0.5),
}


def distinguishing_values(accepting: Schema, rejecting: Schema) -> Iterator[Any]:
    """Yield values that *accepting* admits and *rejecting* does not."""
    wanted, unwanted = compile_validator(accepting), compile_validator(rejecting)
    for value in islice(boundary_values(accepting, [rejecting]), MAX_VALUES):
        if wanted.is_valid(value) and not unwanted.is_valid(value):
            yield value


def boundary_values(schema: Schema, rivals: Sequence[Schema]) -> Iterator[Any]:
    """Yield values that a schema may admit, near its own limits and those of rival schemas."""
    sides = [*branches(schema), *chain.from_iterable(map(branches, rivals))]
    if not any(sides):
        yield from ANY_VALUES
        return
    for side in sides:
        yield from as_array(side.get("enum"))
        yield from (side[key] for key in ("const", "default") if key in side)
        yield from as_array(side.get("examples"))
    for branch in branches(schema):
        types = branch.get("type", sorted(ALL_TYPES))
        for name in [types] if isinstance(types, str) else as_array(types):
            yield from _values_of_type(name, branch, sides)


def branches(schema: Schema) -> list[Schema]:
    """Return the alternatives of a schema, each merged with the keywords beside them."""
    common = {key: value for key, value in schema.items() if key not in UNIONS}
    return [_merge(common, branch) for part in list_branches(schema) for branch in branches(as_object(part))] or [
        schema
    ]


def _merge(common: Schema, branch: Schema) -> dict[str, Any]:
    """Combine the keywords of a union's schema with those of one branch."""
    properties = {**as_object(common.get("properties")), **as_object(branch.get("properties"))}
    required = [*as_array(common.get("required")), *as_array(branch.get("required"))]
    return {**common, **branch, **({"properties": properties} if properties else {}), "required": required}


def _values_of_type(name: str, schema: Schema, sides: Sequence[Schema]) -> Iterator[Any]:
    """Yield values of one JSON type."""
    yield from TYPICAL.get(name, ())
    if name in {"integer", "number"}:
        yield from _boundary_numbers(sides, whole=name == "integer")
    elif name == "string":
        yield from _boundary_texts(schema, sides)
    elif name == "array":
        yield from _boundary_arrays(schema, sides)
    elif name == "object":
        yield from _boundary_objects(schema, sides)


def _boundary_numbers(sides: Sequence[Schema], *, whole: bool) -> Iterator[float]:
    """Yield numbers at, just above and just below every bound and step."""
    keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    marks = [side[key] for side in sides for key in keys if isinstance(side.get(key), int | float)]
    for mark in marks:
        steps = (0, 1, -1) if whole else (0, 1, -1, 0.5, -0.5, 0.001, -0.001)
        for step in steps:
            yield int(mark + step) if whole else mark + step
        yield from (mark * 2, mark * 3, -mark)


def _boundary_texts(schema: Schema, sides: Sequence[Schema]) -> Iterator[str]:
    """Yield texts of every format, pattern and length that the schemas name."""
    patterns = list(dict.fromkeys(side["pattern"] for side in [schema, *sides] if isinstance(side.get("pattern"), str)))
    if patterns:
        from toolaccord_codegen.schema_sets.regex_samples import distinguishing_texts  # noqa: PLC0415 - rarely needed and slow to import

        yield from distinguishing_texts(patterns, _boundary_counts(sides, "minLength", "maxLength"))
    formats = dict.fromkeys(side["format"] for side in [schema, *sides] if "format" in side)
    for name in formats:
        yield from FORMATS.get(name, ())
    for length in _boundary_counts(sides, "minLength", "maxLength"):
        yield "x" * length
    for name in FORMATS:
        yield from FORMATS[name]


def _boundary_counts(sides: Sequence[Schema], *keys: str) -> list[int]:
    """Return counts of characters or elements at and around every limit."""
    limits = [int(side[key]) for side in sides for key in keys if isinstance(side.get(key), int | float)]
    found = sorted({limit + step for limit in limits for step in (-1, 0, 1)})
    return [count for count in found if 0 <= count <= MAX_LENGTH]


def _boundary_arrays(schema: Schema, sides: Sequence[Schema]) -> Iterator[list[Any]]:
    """Yield arrays of every length that the schemas name, and of one element of every kind."""
    inner, rivals = as_object(schema.get("items")), [as_object(side.get("items")) for side in sides]
    minimal = int(schema.get("minItems", 0))
    element = minimal_value(inner)
    for count in dict.fromkeys([minimal, *_boundary_counts(sides, "minItems", "maxItems")]):
        yield [element] * count
    for value in boundary_values(inner, rivals):
        yield [value] + [element] * max(0, minimal - 1)
    for count in _boundary_counts(sides, "minItems", "maxItems")[:PART_VALUES]:
        for value in islice(boundary_values(inner, rivals), NESTED_VALUES):
            yield from ([value] * count, [value] + [element] * (count - 1))


def _boundary_objects(schema: Schema, sides: Sequence[Schema]) -> Iterator[dict[str, Any]]:
    """Yield the minimal object, and objects with one or two members added or changed."""
    own = as_object(schema.get("properties"))
    minimal = _minimal_object(schema, None)
    yield minimal
    named = (name for side in sides for name in as_object(side.get("properties")))
    names = dict.fromkeys([*own, *named, *_unnamed_members(schema, sides)])
    rest = {} if schema.get("additionalProperties") is True else schema.get("additionalProperties", {})
    choices: dict[str, list[Any]] = {}
    for name in names:
        inner = own.get(name, rest)
        rivals = [_member_schema(side, name) for side in sides]
        if isinstance(inner, dict):
            yield from ({**minimal, name: value} for value in boundary_values(inner, rivals))
            choices[name] = list(islice(boundary_values(inner, rivals), PART_VALUES))
    for one, other in permutations(choices, 2):
        yield from ({**minimal, one: value, other: second} for value, second in product(choices[one], choices[other]))


def _unnamed_members(schema: Schema, sides: Sequence[Schema]) -> Iterator[str]:
    """Yield names of members that a schema does not define, near the limits of `propertyNames`."""
    rivals = [as_object(side.get("propertyNames")) for side in sides]
    if any(rivals):
        texts = boundary_values({"type": "string", **as_object(schema.get("propertyNames"))}, rivals)
        yield from (text for text in islice(texts, NESTED_VALUES) if isinstance(text, str))
    yield UNNAMED_MEMBER


def _unnamed_member(schema: Schema) -> str:
    """Return the name of a member that a schema admits and does not define."""
    names = as_object(schema.get("propertyNames"))
    return str(minimal_value({"type": "string", **names}, UNNAMED_MEMBER))


def _member_schema(schema: Schema, name: str) -> Schema:
    """Return the schema of a member, or one that admits everything."""
    return as_object(as_object(schema.get("properties")).get(name, schema.get("additionalProperties")))


def minimal_value(schema: Schema, hint: Any = None) -> Any:
    """Return a simple value that a schema admits, the hint if it fits. None where none is found.

    Equal calls return the same value, so neither it nor the schema may change.
    """
    return _minimal_value(SameValue(schema)) if hint is None else _find_minimal(schema, hint)


@lru_cache(maxsize=4096)
def _minimal_value(same: SameValue) -> Any:
    """Return the value of a schema without a hint; each candidate of a comparison needs it."""
    return _find_minimal(same.value, None)


def _find_minimal(schema: Schema, hint: Any) -> Any:
    """Return the first candidate that a schema admits."""
    return next(filter(compile_validator(schema).is_valid, _minimal_candidates(schema, hint)), None)


def _minimal_candidates(schema: Schema, hint: Any) -> Iterator[Any]:
    """Yield simple values that a schema may admit."""
    if hint is not None and not isinstance(hint, dict | list):
        yield hint
    for branch in branches(schema):
        if branch.get("type") == "object":
            yield _minimal_object(branch, hint)
        else:
            yield from islice(boundary_values(branch, []), MAX_VALUES)


def _minimal_object(schema: Schema, hint: Any) -> dict[str, Any]:
    """Return an object with only its required members."""
    known = as_object(hint)
    return {
        name: minimal_value(_member_schema(schema, name), known.get(name)) for name in as_array(schema.get("required"))
    }


def embed(schema: Schema, path: SchemaPath, value: Any, hint: Any = None) -> Any:
    """Return a minimal value of a schema with another value at a path inside it."""
    if not path:
        return value
    match path:
        case ("properties", str(name), *rest):
            minimal = _minimal_object(schema, hint)
            inner = embed(_member_schema(schema, name), tuple(rest), value, as_object(hint).get(name))
            return {**minimal, name: inner}
        case ("additionalProperties", *rest):
            inner = embed(as_object(schema.get("additionalProperties")), tuple(rest), value)
            return {**_minimal_object(schema, hint), _unnamed_member(schema): inner}
        case ("propertyNames", *rest):
            name = embed(as_object(schema.get("propertyNames")), tuple(rest), value)
            return {**_minimal_object(schema, hint), name: minimal_value(_member_schema(schema, name))}
        case ("items", *rest):
            inner = as_object(schema.get("items"))
            hints = as_array(hint)
            first = embed(inner, tuple(rest), value, hints[0] if hints else None)
            return [first] + [minimal_value(inner)] * (int(schema.get("minItems", 1)) - 1)
        case (str(key), int(index), *rest):
            common = {name: part for name, part in schema.items() if name not in UNIONS}
            return embed(_merge(common, as_array(schema.get(key))[index]), tuple(rest), value, hint)
        case _:
            raise ValueError(f"{path} does not lead to a place in the schema")
