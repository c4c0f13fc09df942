"""Rewrite constraints of texts, and steps of numbers, as enumerations for a proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, floor
from typing import Any, TypeAlias

import jsonschema_rs

from toolaccord_codegen.loading.references import UNIONS, as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.schema_sets.regex_parser import UnsupportedPattern
from toolaccord_codegen.schema_sets.text_classes import TEXT_KEYWORDS, Feature, TextClass, text_classes

Place: TypeAlias = tuple[str | int, ...]
"""The names that lead to a value inside another one, with ITEM and MEMBER."""
ITEM, MEMBER = 0, -1
"""Steps to any item of an array, and to any member of an object."""
OTHER_TYPES = ["array", "boolean", "null", "number", "object"]
"""Every type but that of texts."""
MAX_MULTIPLES = 1000
"""Multiples between two bounds that are enumerated."""
Names: TypeAlias = Mapping[str, TextClass]
"""Classes of texts by a name. A text of an enumeration is its own name."""


def enumerate_texts(*schemas: Schema) -> list[Schema]:
    """Return schemas that enumerate classes of texts instead of constraining texts.

    Replace each text in a value by the name of its class: a schema admits the value exactly where the returned schema
    admits the replaced one. A containment of the returned schemas therefore proves that of the given ones. Texts keep
    their constraints at places whose classes are unknown.
    """
    parts: list[tuple[Place, Schema]] = []

    def record(part: Schema, place: Place) -> Schema:
        parts.append((place, part))
        return part

    for schema in schemas:
        _convert(schema, (), record)
    maps = _find_maps(parts)
    features: defaultdict[Place, set[Feature]] = defaultdict(set)
    literals: defaultdict[Place, set[str]] = defaultdict(set)
    for place, part in parts:
        features[_generalise(place, maps)].update(_features(part))
        for inner, text in _enumerated_texts(part, place):
            literals[_generalise(inner, maps)].add(text)
    names = {place: _name_classes(frozenset(each), frozenset(literals[place])) for place, each in features.items()}
    return [_convert(schema, (), lambda part, at: _enumerate(part, names[_generalise(at, maps)])) for schema in schemas]


def _convert(schema: Any, place: Place, visit: Callable[[Schema, Place], Schema]) -> Schema:
    """Return what a visit makes of a schema whose parts are converted already."""
    converted = dict(as_object(schema))
    if "properties" in converted:
        members = as_object(converted["properties"])
        converted["properties"] = {name: _convert(part, (*place, name), visit) for name, part in members.items()}
    for key, inner in (("items", (*place, ITEM)), ("additionalProperties", (*place, MEMBER)), ("not", place)):
        if isinstance(converted.get(key), dict):
            converted[key] = _convert(converted[key], inner, visit)
    for key in UNIONS:
        if key in converted:
            converted[key] = [_convert(part, place, visit) for part in as_array(converted[key])]
    return visit(converted, place)


def _find_maps(parts: Collection[tuple[Place, Schema]]) -> set[Place]:
    """Return the places of objects whose unnamed members have a schema."""
    maps: set[Place] = set()
    for place, part in sorted(parts, key=lambda each: len(each[0])):
        if isinstance(part.get("additionalProperties"), dict):
            maps.add(_generalise(place, maps))
    return maps


def _generalise(place: Place, maps: Collection[Place]) -> Place:
    """Return a place with MEMBER for every name below a map."""
    found: Place = ()
    for step in place:
        found = (*found, MEMBER if found in maps and step != ITEM else step)
    return found


def _features(schema: Schema) -> frozenset[Feature]:
    """Return the constraints of texts in a schema."""
    return frozenset((key, schema[key]) for key in TEXT_KEYWORDS if key in schema)


def _enumerated_texts(schema: Schema, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield the texts of `enum` and `const` with their places."""
    todo = [(place, value) for value in (*as_array(schema.get("enum")), schema.get("const"))]
    while todo:
        at, value = todo.pop()
        if isinstance(value, str):
            yield at, value
        todo += [((*at, name), part) for name, part in as_object(value).items()]
        todo += [((*at, ITEM), part) for part in as_array(value)]


@lru_cache(maxsize=1024)
def _name_classes(features: frozenset[Feature], literals: frozenset[str]) -> Names | None:
    """Return the classes of the texts at a place; None where they are unknown or not needed."""
    try:
        classes = text_classes(features, literals) if features else None
    except UnsupportedPattern:
        return None
    if classes is None:
        return None
    unused = (name for name in map(str, count()) if name not in literals)
    validator = {
        feature: jsonschema_rs.Draft202012Validator(dict([feature]), validate_formats=True) for feature in features
    }
    known = {text: frozenset(each for each in features if validator[each].is_valid(text)) for text in literals}
    return known | dict(zip(unused, sorted(classes, key=sorted), strict=False))


def _enumerate(schema: Schema, names: Names | None) -> Schema:
    """Return a schema with an enumeration in place of its constraints of texts."""
    rest = _count_multiples(schema)
    if names is None:
        return rest
    wanted, rest = _features(schema), {key: value for key, value in rest.items() if key not in TEXT_KEYWORDS}
    admitted = [name for name, features in names.items() if wanted <= features]
    if len(admitted) < len(names) and rest.get("type") == "string" and not rest.keys() & {"enum", "const"}:
        rest["enum"] = admitted
    elif len(admitted) < len(names):
        rest["allOf"] = [{"anyOf": [{"enum": admitted}, {"type": OTHER_TYPES}]}]
    return rest


def _count_multiples(schema: Schema) -> dict[str, Any]:
    """Return a schema of numbers with few multiples enumerated, or with a whole step."""
    if schema.get("type") not in ("integer", "number") or "multipleOf" not in schema:
        return dict(schema)
    step = _exact(schema["multipleOf"])
    step = Fraction(step.numerator) if schema["type"] == "integer" else step
    if "enum" in schema or "minimum" not in schema or "maximum" not in schema:
        return {**schema, "multipleOf": _number(step)}
    first, last = ceil(_exact(schema["minimum"]) / step), floor(_exact(schema["maximum"]) / step)
    if last - first >= MAX_MULTIPLES:
        return {**schema, "multipleOf": _number(step)}
    known = {"enum": [_number(count * step) for count in range(first, last + 1)]}
    return {key: value for key, value in schema.items() if key != "multipleOf"} | known


def _exact(number: float) -> Fraction:
    """Return a number as it is written."""
    return Fraction(repr(number))


def _number(value: Fraction) -> float:
    """Return a number for JSON."""
    return value.numerator if value.denominator == 1 else float(value)
