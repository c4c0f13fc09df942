"""The gate: what breaks a contract's schema, and how what does not is spelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from toolpact.json_values import JsonObject, encoded
from toolpact.schema.json_safety import DEEPEST, is_closed, is_sayable, unsayable
from toolpact.schema.normalization import Spelling, is_integer, spelling
from toolpact.schema.violations import Path, Violation, meant, pointer

Model = TypeVar("Model", bound=BaseModel)

_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}


class Contract:
    """A schema that values are held against: JSON Schema 2020-12, formats asserted, integers of 64 bits."""

    def __init__(self, schema: JsonObject) -> None:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - a list of tools need not wait for it

        self._schema = schema
        self._validator = Draft202012Validator(_with_integer_bounds(schema), validate_formats=True, offline=True)
        self._is_closed = is_closed(schema)

    def violations(self, value: Any) -> list[Violation]:
        """Return everything in *value* that breaks the schema or that JSON cannot say."""
        return [] if self._said(value) else self._broken(value)

    def encoded(self, value: Any) -> bytes | list[Violation]:
        """Return *value* as JSON, or everything in it that breaks the schema or that JSON cannot say. Raises what `encoded` does."""
        return self._said(value) or self._broken(value) or encoded(value)

    def admits(self, text: bytes) -> bool:
        """Return whether the schema admits what *text* says, which orjson wrote."""
        value = orjson.loads(text)
        return (self._is_closed or is_sayable(value)) and self._validator.is_valid(value)

    def _said(self, value: Any) -> bytes:
        """Return a valid *value* as JSON; nothing where it has to be looked at closely."""
        try:
            said = orjson.dumps(value)
        except TypeError:  # some text is not Unicode, or some integer needs more than 64 bits
            return b""
        return said if (self._is_closed or is_sayable(value)) and self._validator.is_valid(value) else b""

    def _broken(self, value: Any) -> list[Violation]:
        return [violation for _, violation in self._found(value)]

    def _found(self, value: Any) -> list[tuple[Path, Violation]]:
        """Return every violation with its path: pointers are cut, and two places may have the same one."""
        unsaid = dict(unsayable(value))
        readable = _without(value, unsaid.keys()) if unsaid else value
        found = [each for error in self._validator.iter_errors(readable) for each in meant(error)]
        return [*unsaid.items(), *(each for each in found if each[0] not in unsaid)]

    def normalised(self, value: Any) -> Any:
        """Return a valid *value* with defaults filled in and integers as integers; *value* itself is not touched."""
        return self._spelling(value) if self._spelling else value

    @cached_property
    def _spelling(self) -> Spelling | None:
        return spelling(self._schema)

    def readable(self, value: Any) -> JsonObject:
        """Return the members of *value* that break nothing, defaults filled in; nothing if it is no object."""
        if not isinstance(value, dict):
            return {}
        faulty = {path[0] for path, _ in self._found(value) if path}
        sound = {name: member for name, member in value.items() if name not in faulty}
        known = self.normalised(sound).items()
        return {name: member for name, member in known if name not in faulty}


def load(model: type[Model], value: JsonObject) -> Model | list[Violation]:
    """Return *value* as a record of *model*, or what the schema admits but the record cannot hold.

    Such are: leap seconds, years beyond 1 to 9999, and times with an offset of a day or more.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        places = dict.fromkeys(pointer(_places(value, fault["loc"])) for fault in faults)
        return [Violation(at, "format", "must be a value that can be represented") for at in places]


_ONE_SCHEMA = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_MANY_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED_SCHEMAS = ("dependentSchemas", "patternProperties", "properties")


def _with_integer_bounds(schema: Any) -> Any:
    """Return *schema* with every integer bounded to 64 bits: the most that records and sources can hold."""
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


def _places(value: Any, path: Iterable[str | int]) -> Iterator[str | int]:
    """Yield the steps of *path* that exist in *value*: a model's path also names branches of unions."""
    for step in path:
        if isinstance(value, dict | list) and step in (value if isinstance(value, dict) else range(len(value))):
            value = cast("Any", value)[step]
            yield step


def _without(value: Any, places: AbstractSet[Path], path: Path = ()) -> Any:
    """Return *value* with null at *places*, so that the rest can be held against the schema."""
    if path in places or len(path) > DEEPEST:
        return None
    if isinstance(value, dict):
        return {name: _without(member, places, (*path, name)) for name, member in value.items()}
    if isinstance(value, list):
        return [_without(item, places, (*path, index)) for index, item in enumerate(value)]
    return value
