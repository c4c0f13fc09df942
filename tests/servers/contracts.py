"""Check the promises of contracts: valid values, errors, caches and pages.

Values are validated by a package that no server uses. A mark on a test claims that the test shows a promise.
`conftest.py` fails a test whose claims did not come true.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from jsonpointer import escape
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import validator_for
from pydantic import AwareDatetime, TypeAdapter

MARKS = ("answers", "cached", "paginated")
answers = pytest.mark.answers
"""Takes a tool and a code: the test makes the tool answer that error."""
cached = pytest.mark.cached
"""Takes a tool: the test receives a result while the source receives no request."""
paginated = pytest.mark.paginated
"""Takes a tool: the test reads a page after the first."""


@dataclass(slots=True)
class Observations:
    """The answers of servers during a test, each through the pipeline and from the real source."""

    answers: set[tuple[str, ...]] = field(default_factory=set)
    """Tool and code of each error."""
    cached: set[tuple[str, ...]] = field(default_factory=set)
    """Tools that answered without a request to their source."""
    paginated: set[tuple[str, ...]] = field(default_factory=set)
    """Tools that returned a page after the first, with items on it."""

    def unproven(self, marks: Iterable[pytest.Mark]) -> list[str]:
        """Return the *marks* whose claims were not observed."""
        return [f"{mark.name}{mark.args}" for mark in marks if mark.name in MARKS and not self._prove(mark)]

    def _prove(self, mark: pytest.Mark) -> bool:
        observed: set[tuple[str, ...]] = getattr(self, mark.name)
        return mark.args in observed


def parametrize_tools(tools: Iterable[str], code: str) -> pytest.MarkDecorator:
    """Run a test for each of *tools*, and claim that each answers *code*."""
    return pytest.mark.parametrize("tool", [pytest.param(tool, marks=answers(tool, code)) for tool in tools])


def read_claims(module: Any) -> set[tuple[str, ...]]:
    """Return the claims of all tests and parameters in *module*: name and arguments of marks.

    A test, a parameter or a module that may be skipped or fail claims nothing.
    """
    if _is_off(_list_marks(getattr(module, "pytestmark", ()))):
        return set()
    tests = [_list_marks(member.pytestmark) for name, member in vars(module).items() if _is_marked_test(name, member)]
    running = [marks for marks in tests if not _is_off(marks)]
    parameters = [each for marks in running for mark in marks if mark.name == "parametrize" for each in mark.args[1]]
    inner = [marks for each in parameters if not _is_off(marks := _list_marks(getattr(each, "marks", ())))]
    return {(mark.name, *mark.args) for marks in (*running, *inner) for mark in marks if mark.name in MARKS}


def _is_marked_test(name: str, member: Any) -> bool:
    return name.startswith("test_") and hasattr(member, "pytestmark")


def _is_off(marks: list[pytest.Mark]) -> bool:
    return any(mark.name in {"skip", "skipif", "xfail"} for mark in marks)


def _list_marks(given: Any) -> list[pytest.Mark]:
    marks: list[pytest.Mark | pytest.MarkDecorator] = list(given) if isinstance(given, list | tuple) else [given]
    return [mark.mark if isinstance(mark, pytest.MarkDecorator) else mark for mark in marks]


_MOMENT = TypeAdapter(AwareDatetime)


class Oracle:
    """Validate values by the `jsonschema` package, and by a contract's date conditions.

    Formats are asserted, in the draft that the schema names.
    """

    def __init__(self, schema: dict[str, Any], conditions: Iterable[dict[str, Any]] = ()) -> None:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        self._validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
        self._conditions = list(conditions)

    def is_valid(self, value: Any) -> bool:
        """Return True if *value* is valid."""
        return not self.violations(value)

    def violations(self, value: Any) -> set[tuple[str, str]]:
        """Return JSON pointer and keyword of each violation.

        A missing or unknown property has a pointer of its own. Conditions are evaluated once the schema is fulfilled.
        """
        errors = self._validator.iter_errors(value)
        found = {(pointer, str(error.validator)) for error in errors for pointer in _error_pointers(error)}
        return found or {broken for each in self._conditions if (broken := _evaluate(each, value)) is not None}


def _evaluate(condition: dict[str, Any], value: dict[str, Any]) -> tuple[str, str] | None:
    """Return pointer and keyword of a broken condition on two values; None if it holds."""
    first, second = pointers = condition["ordered" if "ordered" in condition else "span"]
    names = [pointer.removeprefix("/") for pointer in pointers]
    if not value.keys() >= set(names):
        return None
    earlier, later = (_to_number(value[name]) for name in names)
    difference = later - earlier
    if "span" in condition:
        most = int(condition["at_most"].removeprefix("P").removesuffix("D"))
        return (second, "span") if difference > most else None
    return (first, "ordered") if difference < condition.get("strict", False) else None


def _to_number(value: Any) -> Any:
    """Return a date as a number of days; a number stays as it is."""
    return date.fromisoformat(value).toordinal() if isinstance(value, str) else value


def _error_pointers(error: ValidationError) -> Iterator[str]:
    path = list(error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        yield from (_format_pointer([*path, name]) for name in schema["required"] if name not in instance)
    elif error.validator == "additionalProperties":
        yield from (_format_pointer([*path, name]) for name in instance if name not in schema["properties"])
    else:
        yield _format_pointer(path)


def _format_pointer(path: list[str | int]) -> str:
    return "".join("/" + escape(str(step)) for step in path)


def drop_nulls(schema: dict[str, Any], value: Any) -> Any:
    """Return *value* without null for optional members of *schema* that do not admit it."""
    if isinstance(value, list) and "items" in schema:
        return [drop_nulls(schema["items"], item) for item in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    declared = schema["properties"]
    optional = declared.keys() - set(schema.get("required", ()))
    nulls = {name for name in optional & value.keys() if value[name] is None}
    absent = {name for name in nulls if not Draft202012Validator(declared[name]).is_valid(None)}
    return {name: drop_nulls(declared.get(name, {}), each) for name, each in value.items() if name not in absent}


def fill_defaults(schema: dict[str, Any], value: Any) -> Any:
    """Return a valid *value* as handlers receive it: defaults filled in, and values in one form."""
    if schema.get("format") == "date-time":
        return _MOMENT.dump_python(_MOMENT.validate_python(value), mode="json")
    if isinstance(value, dict):
        objects = [branch for branch in schema.get("anyOf", ()) if branch.get("type") == "object"]
        return _fill_object(objects[0] if objects else schema, value)
    if isinstance(value, list):
        return [fill_defaults(schema.get("items", {}), item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return int(value) if schema.get("type") == "integer" else value


def _fill_object(schema: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    defaults = {name: of["default"] for name, of in properties.items() if "default" in of}
    return {name: fill_defaults(properties.get(name, {}), member) for name, member in (defaults | value).items()}


@dataclass(frozen=True, slots=True)
class ValidatorDifference:
    """A kind of value on which the server and `jsonschema` may differ."""

    reason: str
    """The reason why the server is right."""
    matches_part: Callable[[Any], bool]
    """Recognises a part of a value that is of this kind."""
    example: tuple[dict[str, Any], Any]
    """A schema and a value on which the two differ."""
    is_rejected: bool = True
    """True if the server rejects the value, False if `jsonschema` does."""

    def matches(self, value: Any) -> bool:
        """Return True if *value* has a part of this kind."""
        return any(map(self.matches_part, walk(value)))


def walk(value: Any) -> list[Any]:
    """Return *value*, its property names and every value in it."""
    found = [value]
    for each in found:  # which grows
        if isinstance(each, dict):
            found += each
            found += each.values()
        elif isinstance(each, list | tuple):
            found += each
    return found


def nest_lists(depth: int) -> list[Any]:
    """Return *depth* lists, each in the one before."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def _measure_depth(value: Any) -> int:
    levels = 0
    while isinstance(value, list):
        levels += 1
        value = value[0] if value else None
    return levels


_LINE_FEED = ValidatorDifference(
    "In Python $ also matches before a final line feed; in ECMAScript, which JSON Schema refers to, it does not.",
    lambda part: isinstance(part, str) and part.endswith("\n"),
    example=({"type": "string", "pattern": "^[A-Z]$"}, "A\n"),
)
_SURROGATE = ValidatorDifference(
    "A lone surrogate is not Unicode text, though Python's str holds it.",
    lambda part: isinstance(part, str) and re.search("[\ud800-\udfff]", part) is not None,
    example=({"type": "string"}, "A\ud800"),
)
_NOT_FINITE = ValidatorDifference(
    "NaN and Infinity are numbers in Python, but not in JSON.",
    lambda part: isinstance(part, float) and not math.isfinite(part),
    example=({"type": "number"}, math.nan),
)
_TOO_BIG = ValidatorDifference(
    "Integers have 64 bits: no record, source or client in another language holds more.",
    lambda part: isinstance(part, int | float) and math.isfinite(part) and not -(2**63) <= part < 2**63,
    example=({"type": "integer"}, 2**63),
)
_TOO_DEEP = ValidatorDifference(
    "A value nested more than 64 levels deep serves only an attacker.",
    lambda part: isinstance(part, list) and _measure_depth(part) > 64,
    example=({"type": "array"}, nest_lists(65)),
)
_LEAP_SECOND = ValidatorDifference(
    "RFC 3339 has leap seconds, Python's datetime has none. Handlers return datetimes; as an argument one is rejected.",
    lambda part: isinstance(part, str) and part.endswith("23:59:60Z"),
    example=({"type": "string", "format": "date-time"}, "2016-12-31T23:59:60Z"),
    is_rejected=False,
)
REQUEST_DIFFERENCES = (_LINE_FEED, _SURROGATE, _NOT_FINITE, _TOO_DEEP)
RESULT_DIFFERENCES = (_LINE_FEED, _SURROGATE, _NOT_FINITE, _TOO_BIG, _TOO_DEEP, _LEAP_SECOND)


def is_incomparable(value: Any) -> bool:
    """Return True if the server and `jsonschema` may differ on a part of *value*."""
    parts = walk(value)
    return any(accepted.matches_part(part) for accepted in RESULT_DIFFERENCES for part in parts)


def find_reason(accepted: tuple[ValidatorDifference, ...], value: Any, *, is_rejected: bool) -> str | None:
    """Return the accepted reason for a difference on *value*; None if there is none."""
    return next((each.reason for each in accepted if each.is_rejected == is_rejected and each.matches(value)), None)
