import math
from typing import Any

import pytest

from toolaccord.schema.json_safety import MAX_DEPTH, is_fully_typed
from toolaccord.schema.validator import SchemaValidator

NUMBER = {"type": "number"}
OBJECT = {"type": "object", "properties": {"a": NUMBER}, "additionalProperties": False}


def nested(levels: int) -> dict[str, Any]:
    return NUMBER if not levels else {"type": "array", "items": nested(levels - 1)}


@pytest.mark.parametrize(
    "schema",
    [
        NUMBER,
        {"enum": [1, None]},
        {"type": ["array", "null"], "items": OBJECT},
        {"type": "object", "additionalProperties": NUMBER},
        {"oneOf": [NUMBER, OBJECT]},
        nested(MAX_DEPTH - 1),
    ],
)
def test_a_schema_with_a_type_at_every_place_is_fully_typed(schema: dict[str, Any]) -> None:
    assert is_fully_typed(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"type": "object"},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False},
        {"type": "array", "prefixItems": [{}], "items": False},
        {"oneOf": [NUMBER, {}]},
        nested(MAX_DEPTH),
    ],
)
def test_a_schema_with_a_place_of_any_type_is_not_fully_typed(schema: dict[str, Any]) -> None:
    assert not is_fully_typed(schema)


@pytest.mark.parametrize("unrepresentable", [math.nan, math.inf, "\ud800"])
@pytest.mark.parametrize("member", [NUMBER, {"type": ["number", "string", "null"]}, {}])
def test_a_value_that_json_cannot_represent_is_never_encoded(member: dict[str, Any], unrepresentable: object) -> None:
    validator = SchemaValidator({"type": "object", "properties": {"a": member}, "additionalProperties": False})
    faults = validator.encode({"a": unrepresentable})
    assert isinstance(faults, list)
    assert {fault.at for fault in faults} == {"/a"}


def test_integers_of_any_size_are_encoded_unchanged() -> None:
    assert SchemaValidator(OBJECT).encode({"a": 2**70}) == b'{"a":1180591620717411303424}'
