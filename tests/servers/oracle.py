"""A second opinion on what a schema admits, by a validator that no server uses."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from jsonpointer import escape
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import validator_for


class Oracle:
    """The `jsonschema` package, formats asserted, in the draft that the schema names; and a contract's conditions on dates."""

    def __init__(self, schema: dict[str, Any], conditions: Iterable[dict[str, Any]] = ()) -> None:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        self._validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
        self._conditions = list(conditions)

    def admits(self, value: Any) -> bool:
        """Whether *value* fits."""
        return not self.violations(value)

    def violations(self, value: Any) -> set[tuple[str, str]]:
        """Return where *value* is wrong and by which keyword; a missing or unknown property counts at its own pointer."""
        errors = self._validator.iter_errors(value)
        found = {(place, str(error.validator)) for error in errors for place in _places(error)}
        return found or {broken for each in self._conditions if (broken := _broken(each, value)) is not None}

    def complaints(self, value: Any) -> list[str]:
        """What is wrong with *value*."""
        return [error.message for error in self._validator.iter_errors(value)]


def _broken(condition: dict[str, Any], value: dict[str, Any]) -> tuple[str, str] | None:
    """Return where a fitting *value* breaks a condition on two dates, and the condition's name; None where it does not."""
    first, second = places = condition["ordered" if "ordered" in condition else "span"]
    names = [place.removeprefix("/") for place in places]
    if not value.keys() >= set(names):
        return None
    earlier, later = (date.fromisoformat(value[name]) for name in names)
    days = (later - earlier).days
    if "span" in condition:
        most = int(condition["at_most"].removeprefix("P").removesuffix("D"))
        return (second, "span") if days > most else None
    return (first, "ordered") if days < condition.get("strict", False) else None


def pointer(path: list[str | int]) -> str:
    """Return *path* as a JSON pointer."""
    return "".join("/" + escape(str(step)) for step in path)


def _places(error: ValidationError) -> Iterator[str]:
    path = list(error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        yield from (pointer([*path, name]) for name in schema["required"] if name not in instance)
    elif error.validator == "additionalProperties":
        yield from (pointer([*path, name]) for name in instance if name not in schema["properties"])
    else:
        yield pointer(path)


def complete(schema: dict[str, Any], value: Any) -> Any:
    """Return a valid *value* as a handler should see it: defaults filled in, integers as int and numbers as they were said."""
    if isinstance(value, dict):
        return _complete_object(schema, value)
    if isinstance(value, list):
        return [complete(schema.get("items", {}), item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return int(value) if schema.get("type") == "integer" else value


def _complete_object(schema: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    defaults = {name: of["default"] for name, of in properties.items() if "default" in of}
    return {name: complete(properties.get(name, {}), member) for name, member in (defaults | value).items()}
