"""Validators of values against a contract's schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from toolpact.json_values import JsonObject, encode_json
from toolpact.schema.json_safety import MAX_DEPTH, is_fully_typed, is_representable, unrepresentable_places
from toolpact.schema.violations import Path, Violation, json_pointer, violations_of
from toolpact.semantics.normalization import Normaliser, compile_normaliser, is_integer

Model = TypeVar("Model", bound=BaseModel)

_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}


class SchemaValidator:
    """A compiled JSON Schema 2020-12; formats are asserted, and integers are limited to 64 bits."""

    def __init__(self, schema: JsonObject) -> None:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - tools/list does without it

        self._schema = schema
        self._validator = Draft202012Validator(_with_integer_bounds(schema), validate_formats=True, offline=True)
        self._is_fully_typed = is_fully_typed(schema)

    def violations(self, value: Any) -> list[Violation]:
        """Return every place where *value* breaks the schema or is not representable in JSON."""
        return [] if self._encode_valid(value) else self._all_violations(value)

    def encode(self, value: Any) -> bytes | list[Violation]:
        """Return *value* as JSON text, or its violations. Raises what `encode_json` raises."""
        return self._encode_valid(value) or self._all_violations(value) or encode_json(value)

    def admits(self, text: bytes) -> bool:
        """Return whether the schema admits the JSON *text*, which orjson wrote."""
        value = orjson.loads(text)
        return (self._is_fully_typed or is_representable(value)) and self._validator.is_valid(value)

    def normalise(self, value: Any) -> Any:
        """Return a valid *value* with defaults filled in and integers as integers.

        `5.0` becomes `5` where the schema wants an integer. *value* itself is not changed.
        """
        return self._normaliser(value) if self._normaliser else value

    def valid_members(self, value: Any) -> JsonObject:
        """Return the members of *value* without a violation, normalised.

        None if *value* is no object.
        """
        if not isinstance(value, dict):
            return {}
        invalid = {path[0] for path, _ in self._violations_by_path(value) if path}
        valid = {name: member for name, member in value.items() if name not in invalid}
        normalised = self.normalise(valid).items()
        return {name: member for name, member in normalised if name not in invalid}

    @cached_property
    def _normaliser(self) -> Normaliser | None:
        return compile_normaliser(self._schema)

    def _encode_valid(self, value: Any) -> bytes:
        """Return a valid *value* as JSON text.

        Return nothing if it is invalid or needs a closer look.
        """
        try:
            text = orjson.dumps(value)
        except TypeError:  # text that is not Unicode, or an integer beyond 64 bits
            return b""
        return text if (self._is_fully_typed or is_representable(value)) and self._validator.is_valid(value) else b""

    def _all_violations(self, value: Any) -> list[Violation]:
        return [violation for _, violation in self._violations_by_path(value)]

    def _violations_by_path(self, value: Any) -> list[tuple[Path, Violation]]:
        """Return every violation with its path.

        Two places may share a pointer, because long ones are cut.
        """
        unrepresentable = dict(unrepresentable_places(value))
        checked = _without(value, unrepresentable.keys()) if unrepresentable else value
        found = [each for error in self._validator.iter_errors(checked) for each in violations_of(error)]
        return [*unrepresentable.items(), *(each for each in found if each[0] not in unrepresentable)]


def load_record(model: type[Model], value: JsonObject) -> Model | list[Violation]:
    """Return a valid *value* as a record of *model*, or its violations.

    Violations are values that the record cannot hold: leap seconds, years beyond 1 to 9999, and times with an offset of a day or more.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        pointers = dict.fromkeys(json_pointer(_existing_steps(value, fault["loc"])) for fault in faults)
        return [Violation(at, "format", "must be a value that can be represented") for at in pointers]


_ONE_SCHEMA = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_MANY_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED_SCHEMAS = ("dependentSchemas", "patternProperties", "properties")


def _with_integer_bounds(schema: Any) -> Any:
    """Return *schema* with every integer limited to 64 bits, as records and sources are."""
    if not isinstance(schema, dict):
        return schema
    bounded: JsonObject = {**(_INT64 if is_integer(schema.get("type")) else {}), **schema}
    for keyword in _ONE_SCHEMA:
        if keyword in schema:
            bounded[keyword] = _with_integer_bounds(schema[keyword])
    for keyword in _MANY_SCHEMAS:
        if keyword in schema:
            bounded[keyword] = [_with_integer_bounds(part) for part in schema[keyword]]
    for keyword in _NAMED_SCHEMAS:
        if keyword in schema:
            bounded[keyword] = {name: _with_integer_bounds(part) for name, part in schema[keyword].items()}
    return bounded


def _existing_steps(value: Any, path: Iterable[str | int]) -> Iterator[str | int]:
    """Yield the steps of *path* that exist in *value*.

    Pydantic's path also names branches of unions.
    """
    for step in path:
        if isinstance(value, dict | list) and step in (value if isinstance(value, dict) else range(len(value))):
            value = cast("Any", value)[step]
            yield step


def _without(value: Any, paths: AbstractSet[Path], path: Path = ()) -> Any:
    """Return *value* with null at *paths*, so that the rest can be validated."""
    if path in paths or len(path) > MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {name: _without(member, paths, (*path, name)) for name, member in value.items()}
    if isinstance(value, list):
        return [_without(item, paths, (*path, index)) for index, item in enumerate(value)]
    return value
