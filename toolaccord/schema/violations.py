"""Violations of a schema, as sentences that never repeat the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import orjson

from toolaccord.json_values import JsonObject
from toolaccord.semantics.json_pointers import join_pointer

Path: TypeAlias = tuple[str | int, ...]
"""Member names and array indices that lead from a value to a place inside it."""

MAX_VIOLATIONS = 100
"""Number of violations after which a search for them ends."""
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
    text = join_pointer("", *(str(step)[:_MAX_POINTER_CHARACTERS] for step in path))
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MAX_POINTER_CHARACTERS else text[: _MAX_POINTER_CHARACTERS - 1] + "…"


def describe_keyword(keyword: str, requirement: Any) -> str:
    """Return the message for a broken *keyword*; *requirement* is its value in the schema."""
    message = _MESSAGES.get(keyword)
    return message(requirement) if message else f"breaks the rule {keyword!r}"


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


_MESSAGES: dict[str, Callable[[Any], str]] = {
    "type": lambda kinds: (
        "must be " + " or ".join(_KINDS[kind] for kind in sorted([kinds] if isinstance(kinds, str) else kinds))
    ),
    "enum": lambda options: "must be one of " + ", ".join(map(_shown, options)),
    "const": lambda value: "must be " + _shown(value),
    "minimum": lambda limit: f"must be at least {_shown(limit)}",
    "maximum": lambda limit: f"must be at most {_shown(limit)}",
    "exclusiveMinimum": lambda limit: f"must be greater than {_shown(limit)}",
    "exclusiveMaximum": lambda limit: f"must be less than {_shown(limit)}",
    "multipleOf": lambda divisor: f"must be a multiple of {_shown(divisor)}",
    "minLength": lambda limit: f"must have at least {_counted(limit, 'character')}",
    "maxLength": lambda limit: f"must have at most {_counted(limit, 'character')}",
    "pattern": lambda pattern: f"must match the pattern {pattern}",
    "format": lambda name: f"must be a valid {name}",
    "minItems": lambda limit: f"must have at least {_counted(limit, 'item')}",
    "maxItems": lambda limit: f"must have at most {_counted(limit, 'item')}",
    "uniqueItems": lambda _: "must not hold the same item twice",
    "minProperties": lambda limit: f"must have at least {_counted(limit, 'property')}",
    "maxProperties": lambda limit: f"must have at most {_counted(limit, 'property')}",
    "contains": lambda _: "must hold an item of the required form",
    "anyOf": lambda _: "must have one of the allowed forms",
    "oneOf": lambda _: "must have exactly one of the allowed forms",
    "not": lambda _: "has a form that is not allowed",
    "falseSchema": lambda _: "is not allowed",
}
