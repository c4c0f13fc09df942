"""Envelope templates of dialects, filled with the values of a call.

A template is JSON in which `{"$": name}` stands for a value of the call. Two placeholders also have a JSON pointer
`at` into the result's schema: `arguments_in` stands for the arguments that the object there repeats, and `empty_of` for
an empty list, or null where the place is no array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from toolaccord.semantics.json_pointers import split_pointer

JsonObject: TypeAlias = Mapping[str, Any]


class EnvelopeValues(NamedTuple):
    """The values of a template's placeholders in one call."""

    values: JsonObject
    """The values of plain placeholders by name: result, code, message, latency_ms, ..."""
    returns: JsonObject
    """The schema of the tool's result."""
    arguments: Callable[[], JsonObject] = dict
    """Returns the valid arguments; called only for a placeholder that needs them."""


def render(template: Any, envelope: EnvelopeValues) -> Any:
    """Return *template* with its placeholders replaced.

    Raises KeyError for an unknown placeholder.
    """
    if isinstance(template, list):
        return [render(item, envelope) for item in template]
    if not isinstance(template, dict):
        return template
    name = template.get("$")
    if name is None:
        return {name: render(value, envelope) for name, value in template.items()}
    if name == "arguments_in":
        return _arguments_in(_schema_at(envelope.returns, template["at"]), envelope.arguments())
    if name == "empty_of":
        return [] if "array" in _schema_at(envelope.returns, template["at"]).get("type", ()) else None
    return envelope.values[name]


def _schema_at(schema: JsonObject, pointer: str) -> JsonObject:
    """Return the schema of the property at *pointer*; an empty schema if there is none."""
    for name in split_pointer(pointer):
        schema = schema.get("properties", {}).get(name, {})
    return schema


def _arguments_in(schema: JsonObject, arguments: JsonObject) -> dict[str, Any]:
    """Return the properties of *schema* whose values are known without a result."""
    known: dict[str, Any] = {}
    for name, declared in schema.get("properties", {}).items():
        if "const" in declared:
            known[name] = declared["const"]
        elif len(declared.get("enum", ())) == 1:
            known[name] = declared["enum"][0]
        elif name in arguments:
            known[name] = arguments[name]
    return known
