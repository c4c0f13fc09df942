"""Null for optional members: absent where the schema does not admit it."""

from copy import deepcopy
from typing import Any

import pytest

from toolaccord.schema.null_members import compile_null_filter
from toolaccord.schema.validator import SchemaValidator

TEXT = {"type": "string"}
PERSON = {
    "type": "object",
    "properties": {"name": TEXT, "nick": TEXT, "age": {"type": ["integer", "null"]}},
    "required": ["name"],
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "note": TEXT,
        "kind": {"enum": ["a", None]},
        "any": {},
        "owner": PERSON,
        "people": {"type": "array", "items": PERSON},
        "by_key": {"type": "object", "additionalProperties": PERSON},
        "choice": {"oneOf": [PERSON, {"type": "integer"}]},
    },
    "required": ["id"],
}  # fmt: skip


def drop_nulls(value: Any) -> Any:
    found = compile_null_filter(SCHEMA)
    assert found
    return found(value)


@pytest.mark.parametrize(
    "value, kept",
    [
        ({"id": 1, "note": None}, {"id": 1}),
        ({"id": 1, "owner": None}, {"id": 1}),
        ({"id": 1, "owner": {"name": "A", "nick": None}}, {"id": 1, "owner": {"name": "A"}}),
        ({"people": [{"name": "A"}, {"nick": None}]}, {"people": [{"name": "A"}, {}]}),
        ({"by_key": {"x": {"nick": None}, "y": 1}}, {"by_key": {"x": {}, "y": 1}}),
    ],
)
def test_null_for_an_optional_member_is_dropped(value: Any, kept: Any) -> None:
    before = deepcopy(value)
    assert drop_nulls(value) == kept
    assert value == before, "the caller's value is not changed"


@pytest.mark.parametrize(
    "value",
    [
        {"id": None},
        {"unknown": None},
        {"kind": None, "any": None},
        {"owner": {"name": None, "age": None}},
        {"people": [None]},
        {"by_key": {"x": None}},
        {"choice": {"name": "A", "nick": None}},
        {"note": "", "people": [], "owner": {}},
        None,
        [None],
        7,
    ],
    ids=str,
)
def test_every_other_null_and_every_other_value_stays(value: Any) -> None:
    assert drop_nulls(value) is value


@pytest.mark.parametrize("schema", [True, {}, {"type": "string"}, {"type": "object"}])
def test_a_schema_without_optional_members_drops_nothing(schema: Any) -> None:
    assert compile_null_filter(schema) is None


def test_a_valid_value_is_returned_as_it_is_and_one_with_nulls_without_them() -> None:
    validator = SchemaValidator(SCHEMA)
    valid = {"id": 1, "kind": None}
    assert validator.check_arguments(valid) == (valid, [])
    assert validator.check_arguments(valid)[0] is valid
    assert validator.check_arguments(valid | {"note": None}) == (valid, [])


def test_a_violation_beside_a_null_is_the_only_one_that_is_reported() -> None:
    kept, violations = SchemaValidator(SCHEMA).check_arguments({"id": "1", "note": None})
    assert kept == {"id": "1"}
    assert [each.at for each in violations] == ["/id"]


def test_a_value_that_is_too_large_is_not_searched_for_nulls() -> None:
    value = {"id": 1, "note": None, "people": [{"name": "A"}] * 20_000}
    kept, violations = SchemaValidator(SCHEMA).check_arguments(value)
    assert kept is value
    assert violations[0].keyword == "maxValues"


def test_the_valid_members_of_a_value_with_nulls_have_defaults_in_their_place() -> None:
    members = {"limit": {"type": "integer", "default": 3}, "id": {"type": "integer"}}
    validator = SchemaValidator({"type": "object", "properties": members, "required": ["id"]})
    assert validator.valid_members({"limit": None, "id": "x"}) == {"limit": 3}
