"""Validators of values against a contract's schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from toolaccord.json_values import JsonObject, encode_json
from toolaccord.schema.json_safety import MAX_DEPTH, is_fully_typed, is_representable, unrepresentable_places
from toolaccord.schema.null_members import NullFilter, compile_null_filter
from toolaccord.schema.value_count import has_more_values, max_values
from toolaccord.schema.violation_search import MAX_VISITED, Found, SchemaNode, find_shallow_violations, find_violations
from toolaccord.schema.violations import MAX_VIOLATIONS, Path, Violation, json_pointer
from toolaccord.semantics.formats import is_annotation
from toolaccord.semantics.normalization import Normaliser, compile_normaliser, is_integer

Model = TypeVar("Model", bound=BaseModel)

_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
_EXACT = {"minimum": -(2**53), "maximum": 2**53}


class SchemaValidator:
    """A compiled JSON Schema 2020-12 with `CHECKED_FORMATS`; integers have 64 bits."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._root = SchemaNode(_as_checked(schema))
        self._validator = self._root.validator
        self._is_fully_typed = is_fully_typed(schema)
        self._max_values = max_values(schema)
        self._small_sizes = range(1, 2 * self._max_values)
        """Sizes of JSON text that cannot hold too many values: each takes two characters at least."""

    def violations(self, value: Any) -> list[Violation]:
        """Return the first places where *value* breaks the schema or is not representable in JSON.

        There are at most `MAX_VIOLATIONS`, and the time is bounded. A value with more members and items in all than
        `max_values` admits is invalid.
        """
        if self._is_valid(value):
            return []
        is_too_large = has_more_values(value, self._max_values)
        return [violation for _, violation in self._violations_by_path(value, is_too_large=is_too_large)]

    def check_arguments(self, value: Any) -> tuple[Any, list[Violation]]:
        """Return *value* without null for optional members, and its violations as `violations` does.

        Such a null counts as absent unless the schema admits it. A value without one is returned as it is.
        """
        if self._is_valid(value):
            return value, []
        kept = value if has_more_values(value, self._max_values) else self._drop_nulls(value)
        return kept, self.violations(kept)

    def encode(self, value: Any) -> bytes | list[Violation]:
        """Return *value* as JSON text, or its violations. Raises what `encode_json` raises."""
        text = _encode(value)
        if text and self._admits_value(value):
            return text
        return [violation for _, violation in self._violations_by_path(value)] or encode_json(value)

    def admits(self, text: bytes) -> bool:
        """Return whether the schema admits the JSON *text*, which orjson wrote."""
        return self._admits_value(orjson.loads(text))

    def normalise(self, value: Any) -> Any:
        """Return a valid *value* with defaults filled in and integers as integers.

        `5.0` becomes `5` where the schema wants an integer. *value* itself is not changed.
        """
        return self._normaliser(value) if self._normaliser else value

    def valid_members(self, value: Any) -> JsonObject:
        """Return the members of *value* without a violation, normalised; optional nulls are absent.

        Return none if *value* is no object, or too large or too wrong to find all of them.
        """
        if not isinstance(value, dict) or has_more_values(value, self._max_values):
            return {}
        value = self._drop_nulls(value)
        found = [] if _encode(value) and self._admits_value(value) else self._violations_by_path(value)
        if len(found) >= MAX_VIOLATIONS:
            return {}
        invalid = {path[0] for path, _ in found if path}
        valid = {name: member for name, member in value.items() if name not in invalid}
        normalised = self.normalise(valid).items()
        return {name: member for name, member in normalised if name not in invalid}

    @cached_property
    def _normaliser(self) -> Normaliser | None:
        return compile_normaliser(self._schema)

    @cached_property
    def _null_filter(self) -> NullFilter | None:
        return compile_null_filter(self._schema)

    def _drop_nulls(self, value: Any) -> Any:
        return self._null_filter(value) if self._null_filter else value

    def _is_valid(self, value: Any) -> bool:
        """Return whether *value* is representable in JSON, not too large, and valid."""
        text = _encode(value)
        is_small = len(text) in self._small_sizes or not has_more_values(value, self._max_values)
        return bool(text) and is_small and self._admits_value(value)

    def _admits_value(self, value: Any) -> bool:
        return (self._is_fully_typed or is_representable(value)) and self._validator.is_valid(value)

    def _violations_by_path(self, value: Any, *, is_too_large: bool = False) -> list[Found]:
        """Return the first violations of *value*, which is not known to be valid."""
        unrepresentable: dict[Path, Violation] = {}
        if is_too_large or not is_representable(value):
            places = unrepresentable_places(value, MAX_VISITED if is_too_large else None)
            unrepresentable = dict(islice(places, MAX_VIOLATIONS))
        if is_too_large:
            message = f"must hold at most {self._max_values} members and items in all"
            found = [((), Violation("", "maxValues", message)), *find_shallow_violations(self._root, value)]
        elif len(unrepresentable) == MAX_VIOLATIONS:
            found = []
        else:
            checked = _without(value, unrepresentable.keys()) if unrepresentable else value
            found = [] if self._validator.is_valid(checked) else find_violations(self._root, checked)
        further = (each for each in found if each[0] not in unrepresentable)
        return [*unrepresentable.items(), *further][:MAX_VIOLATIONS]


def _encode(value: Any) -> bytes:
    """Return *value* as JSON text.

    Return nothing if it holds text that is not Unicode, or an integer beyond 64 bits.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return b""


def load_record(model: type[Model], value: JsonObject) -> Model | list[Violation]:
    """Return a valid *value* as a record of *model*, or its violations.

    Violations are values that the record cannot hold: leap seconds, years beyond 1 to 9999, and times with an offset of
    a day or more.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)[:MAX_VIOLATIONS]
        pointers = dict.fromkeys(json_pointer(_existing_steps(value, fault["loc"])) for fault in faults)
        return [Violation(at, "format", "must be a value that can be represented") for at in pointers]


_ONE_SCHEMA = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_MANY_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED_SCHEMAS = ("dependentSchemas", "patternProperties", "properties")


def _as_checked(schema: Any) -> Any:
    """Return *schema* without unchecked formats, and with integers limited to 64 bits.

    A number with `multipleOf` is limited to those that floats hold exactly; the test of a huge one is slow.
    """
    if not isinstance(schema, dict):
        return schema
    bounds = _INT64 if is_integer(schema.get("type")) else _EXACT if "multipleOf" in schema else {}
    bounded: JsonObject = {**bounds, **{key: part for key, part in schema.items() if not is_annotation(key, part)}}
    for keyword in _ONE_SCHEMA:
        if keyword in schema:
            bounded[keyword] = _as_checked(schema[keyword])
    for keyword in _MANY_SCHEMAS:
        if keyword in schema:
            bounded[keyword] = [_as_checked(part) for part in schema[keyword]]
    for keyword in _NAMED_SCHEMAS:
        if keyword in schema:
            bounded[keyword] = {name: _as_checked(part) for name, part in schema[keyword].items()}
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
