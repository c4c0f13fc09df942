"""Violations of a schema, as sentences that never repeat the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from toolpact.json_values import JsonObject
from toolpact.semantics.json_pointers import join_pointer

if TYPE_CHECKING:
    import jsonschema_rs

Path: TypeAlias = tuple[str | int, ...]
"""Member names and array indices that lead from a value to a place inside it."""

_MAX_POINTER_CHARACTERS = 200
_MAX_VALUE_CHARACTERS = 120
_MAX_SENTENCES_IN_LOG = 20


@dataclass(frozen=True, slots=True)
class Violation:
    """A place where a value breaks its schema."""

    at: str
    """The JSON pointer of the value; a missing or unknown property counts at its own pointer."""
    keyword: str
    """The keyword of the schema that the value breaks."""
    message: str
    """The requirement, starting with a verb; it never repeats the value."""

    @property
    def sentence(self) -> str:
        """The pointer and the requirement as one sentence."""
        return f"{self.at or 'the value'} {self.message}"

    def as_json(self) -> JsonObject:
        """Return the violation as the error details have it."""
        return {"at": self.at, "keyword": self.keyword, "message": self.sentence}


def describe(violations: Sequence[Violation]) -> str:
    """Return the first *violations* as text for a log."""
    return "; ".join(violation.sentence for violation in violations[:_MAX_SENTENCES_IN_LOG])


def with_pointers(violations: Iterable[Violation], rename: Callable[[str], str | None]) -> list[Violation]:
    """Return *violations* with each pointer translated by *rename*.

    A violation whose pointer becomes None counts at the whole value.
    """
    return [replace(violation, at=rename(violation.at) or "") for violation in violations]


def json_pointer(path: Iterable[str | int]) -> str:
    """Return *path* as a JSON pointer; a long one is cut."""
    text = join_pointer("", *path).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MAX_POINTER_CHARACTERS else text[: _MAX_POINTER_CHARACTERS - 1] + "…"


def violations_of(error: jsonschema_rs.ValidationError) -> Iterator[tuple[Path, Violation]]:
    """Yield the violations behind one error of the validator, each with its path."""
    kind, facts, path = error.kind.name, error.kind.as_dict(), tuple(error.instance_path)
    if kind == "required":
        yield _at((*path, facts["property"]), kind, "is required")
    elif kind in {"additionalProperties", "unevaluatedProperties"}:
        for name in facts["unexpected"]:
            yield _at((*path, name), kind, "is not known")
    else:
        message = _MESSAGES.get(kind)
        yield _at(path, kind, message(facts) if message else f"breaks the rule {kind!r}")


def _at(path: Path, keyword: str, message: str) -> tuple[Path, Violation]:
    return path, Violation(json_pointer(path), keyword, message)


_KINDS = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def _shown(value: Any) -> str:
    """Return a value of the schema as JSON; a long one is cut."""
    text = orjson.dumps(value, default=str).decode()
    return text if len(text) <= _MAX_VALUE_CHARACTERS else text[:_MAX_VALUE_CHARACTERS] + "…"


def _counted(count: int, noun: str) -> str:
    plural = "properties" if noun == "property" else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


_MESSAGES: dict[str, Callable[[dict[str, Any]], str]] = {
    "type": lambda facts: "must be " + " or ".join(_KINDS.get(kind, kind) for kind in facts["types"]),
    "enum": lambda facts: "must be one of " + ", ".join(map(_shown, facts["options"])),
    "const": lambda facts: "must be " + _shown(facts["expected_value"]),
    "minimum": lambda facts: f"must be at least {_shown(facts['limit'])}",
    "maximum": lambda facts: f"must be at most {_shown(facts['limit'])}",
    "exclusiveMinimum": lambda facts: f"must be greater than {_shown(facts['limit'])}",
    "exclusiveMaximum": lambda facts: f"must be less than {_shown(facts['limit'])}",
    "multipleOf": lambda facts: f"must be a multiple of {_shown(facts['multiple_of'])}",
    "minLength": lambda facts: f"must have at least {_counted(facts['limit'], 'character')}",
    "maxLength": lambda facts: f"must have at most {_counted(facts['limit'], 'character')}",
    "pattern": lambda facts: f"must match the pattern {facts['pattern']}",
    "format": lambda facts: f"must be a valid {facts['format']}",
    "minItems": lambda facts: f"must have at least {_counted(facts['limit'], 'item')}",
    "maxItems": lambda facts: f"must have at most {_counted(facts['limit'], 'item')}",
    "uniqueItems": lambda _: "must not hold the same item twice",
    "minProperties": lambda facts: f"must have at least {_counted(facts['limit'], 'property')}",
    "maxProperties": lambda facts: f"must have at most {_counted(facts['limit'], 'property')}",
    "propertyNames": lambda _: "has a property whose name is not allowed",
    "contains": lambda _: "must hold an item of the required form",
    "anyOf": lambda _: "must have one of the allowed forms",
    "oneOf": lambda _: "must have exactly one of the allowed forms",
    "not": lambda _: "has a form that is not allowed",
    "falseSchema": lambda _: "is not allowed",
}
