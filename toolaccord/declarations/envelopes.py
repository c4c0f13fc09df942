"""Envelope templates of dialects: fills in the values of a call, and reads them back.

A template is JSON in which `{"$": name}` stands for a value of the call. Two placeholders also have a JSON pointer
`at` into the result's schema: `arguments_in` stands for the arguments that the object there repeats, and `empty_of` for
an empty list, or null where the place is no array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from toolaccord.json_values import JsonObject, encode_json
from toolaccord.semantics.json_pointers import split_pointer


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
        return [] if "array" in _types(_schema_at(envelope.returns, template["at"])) else None
    return envelope.values[name]


class CompiledTemplate:
    """A template as JSON text with gaps, so that its constant parts are encoded once."""

    def __init__(self, template: Any, constants: Mapping[str, Any] | None = None) -> None:
        """Compile *template*.

        *constants* are the values of placeholders that are the same in every call.

        Raises TypeError for a template that is not JSON.
        """
        self._parts = [b""]
        """Constant text at even indices, gaps at odd ones."""
        self._gaps: list[str] = []
        """The placeholder of each gap: its name, or its JSON text if it has a pointer."""
        self._with_pointer: JsonObject = {}
        """The placeholders with a pointer, by their JSON text."""
        for part in _split(template, constants or {}):
            if isinstance(part, bytes):
                self._parts[-1] += part
            else:
                self._parts += [b"", b""]
                self._gaps.append(self._gap(part))

    def _gap(self, placeholder: JsonObject) -> str:
        if "at" not in placeholder:
            name: str = placeholder["$"]
            return name
        text = encode_json(placeholder).decode()
        self._with_pointer[text] = placeholder
        return text

    def fill(self, values: Mapping[str, bytes], envelope: Callable[[], EnvelopeValues]) -> bytes:
        """Return the template as JSON text.

        *values* are the plain placeholders' values as JSON text; *envelope* is called if others have to be rendered.
        Raises KeyError for an unknown placeholder.
        """
        if self._with_pointer:
            known = envelope()
            rendered = {text: encode_json(render(each, known)) for text, each in self._with_pointer.items()}
            values = {**values, **rendered}
        parts = self._parts.copy()
        parts[1::2] = [values[name] for name in self._gaps]
        return b"".join(parts)


def _split(template: Any, constants: Mapping[str, Any]) -> Iterator[bytes | JsonObject]:
    """Yield *template* as pieces of JSON text, with its placeholders between them.

    Placeholders among the *constants* become text.
    """
    if isinstance(template, dict) and "$" in template:
        yield encode_json(constants[template["$"]]) if template["$"] in constants else template
    elif isinstance(template, dict):
        for index, (name, value) in enumerate(template.items()):
            yield b"%b%b:" % (b"," if index else b"{", orjson.dumps(name))
            yield from _split(value, constants)
        yield b"}" if template else b"{}"
    elif isinstance(template, list):
        for index, item in enumerate(template):
            yield b"," if index else b"["
            yield from _split(item, constants)
        yield b"]" if template else b"[]"
    else:
        yield encode_json(template)


def extract_values(template: Any, body: Any) -> JsonObject:
    """Return the values of *template*'s plain placeholders in *body*: the inverse of `render`.

    A placeholder without a place in *body* is left out, and other members of *body* are ignored: a server of another
    version may send less, or more.
    """
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(template, list) and isinstance(body, list):
        parts = zip(template, body, strict=False)
    elif isinstance(template, dict) and "$" in template:
        return {} if "at" in template else {template["$"]: body}
    elif isinstance(template, dict) and isinstance(body, dict):
        parts = ((part, body[name]) for name, part in template.items() if name in body)
    return {name: value for part, inner in parts for name, value in extract_values(part, inner).items()}


def _schema_at(schema: JsonObject, pointer: str) -> JsonObject:
    """Return the schema of the property at *pointer*; an empty schema if there is none."""
    for name in split_pointer(pointer):
        schema = schema.get("properties", {}).get(name, {})
    return schema


def _types(schema: JsonObject) -> list[str]:
    declared = schema.get("type", [])
    return declared if isinstance(declared, list) else [declared]


def _arguments_in(schema: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return the properties of *schema* whose values are known without a result."""
    known: JsonObject = {}
    for name, declared in schema.get("properties", {}).items():
        if "const" in declared:
            known[name] = declared["const"]
        elif len(declared.get("enum", ())) == 1:
            known[name] = declared["enum"][0]
        elif name in arguments:
            known[name] = arguments[name]
    return known
