"""Dialects: the shapes in which a family of servers wraps success and failure, and its standard codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from toolpact.json_values import JsonObject, encoded, tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardCode:
    """A code that every server of a dialect may answer."""

    http: int
    """The HTTP status that says the same."""
    description: str
    """What it means, for the reader of a catalogue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasions:
    """The code for each thing that can go wrong outside a handler."""

    access: str
    """A request may not be made; the transport says so, before any tool is reached."""
    unknown_tool: str
    """The server has no such tool; the transport's to say as well."""
    version: str
    """The tool has no such version."""
    sunset: str
    """The version of the tool is past its sunset."""
    arguments: str
    """The arguments break the contract."""
    source: str
    """A source did not answer."""
    deadline: str
    """The handler did not finish in time."""
    internal: str
    """The server is at fault."""
    conflict: str | None = None
    """An idempotency key came again with other arguments; None in a family without idempotent tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The envelope templates of a family of servers, and its codes.

    A template is JSON in which `{"$": name}` stands for a value of the call.
    """

    name: str
    """How contracts call it."""
    success: Any
    """The template of an answer."""
    failure: Any
    """The template of an error."""
    errors_in_output_schema: bool
    """Whether a tool's published output schema admits the error envelope."""
    occasions: Occasions
    """The code of each occasion."""
    codes: Mapping[str, StandardCode]
    """What each standard code means."""

    def http(self, code: str) -> int:
        """Return the HTTP status of a standard code; 500 for one the dialect does not know."""
        standard = self.codes.get(code)
        return standard.http if standard else 500


class Filling(NamedTuple):
    """What the placeholders of a template stand for in one call."""

    values: JsonObject
    """The value of each plain placeholder: result, code, message, details, latency_ms, cached, corr_id, ..."""
    returns: JsonObject
    """The schema of the tool's result."""
    arguments: Callable[[], JsonObject] = dict
    """Gives the arguments, as far as they could be read; few templates ask for them."""


def render(template: Any, filling: Filling) -> Any:
    """Return *template* with each placeholder replaced. Raises KeyError for one that *filling* does not know."""
    if isinstance(template, list):
        return [render(item, filling) for item in template]
    if not isinstance(template, dict):
        return template
    name = template.get("$")
    if name is None:
        return {name: render(value, filling) for name, value in template.items()}
    if name == "arguments_in":
        return _arguments_in(_schema_at(filling.returns, template["at"]), filling.arguments())
    if name == "empty_of":
        return [] if "array" in _types(_schema_at(filling.returns, template["at"])) else None
    return filling.values[name]


class Stencil:
    """A template as text, cut at its placeholders: what is the same in every answer is encoded once."""

    def __init__(self, template: Any, known: Mapping[str, Any] | None = None) -> None:
        """Take a template, and the values of placeholders that are *known* already. Raises TypeError for one that is no JSON."""
        self._parts = [b""]
        """Text, with a gap at each odd place."""
        self._names: list[str] = []
        """What each gap stands for, by its name, or by the text of a placeholder that says more than a name."""
        self._worked_out: JsonObject = {}
        """Such placeholders, by their text."""
        for part in _cut(template, known or {}):
            if isinstance(part, bytes):
                self._parts[-1] += part
            else:
                self._parts += [b"", b""]
                self._names.append(self._name(part))

    def _name(self, placeholder: JsonObject) -> str:
        """Return what a gap is called."""
        if "at" not in placeholder:
            name: str = placeholder["$"]
            return name
        text = encoded(placeholder).decode()
        self._worked_out[text] = placeholder
        return text

    def filled(self, said: Mapping[str, bytes], filling: Callable[[], Filling]) -> bytes:
        """Return the template as JSON, with *said*, which is JSON, in the place of each plain placeholder, and the others replaced from *filling*.

        Raises KeyError for a placeholder that is not known.
        """
        if self._worked_out:
            filled = filling()
            said = {**said, **{text: encoded(render(each, filled)) for text, each in self._worked_out.items()}}
        parts = self._parts.copy()
        parts[1::2] = [said[name] for name in self._names]
        return b"".join(parts)


def _cut(template: Any, known: Mapping[str, Any]) -> Iterator[bytes | JsonObject]:
    """Yield *template* as JSON, in parts, and its placeholders; those that are *known* are JSON, too."""
    if isinstance(template, dict) and "$" in template:
        yield encoded(known[template["$"]]) if template["$"] in known else template
    elif isinstance(template, dict):
        for index, (name, value) in enumerate(template.items()):
            yield b"%b%b:" % (b"," if index else b"{", orjson.dumps(name))
            yield from _cut(value, known)
        yield b"}" if template else b"{}"
    elif isinstance(template, list):
        for index, item in enumerate(template):
            yield b"," if index else b"["
            yield from _cut(item, known)
        yield b"]" if template else b"[]"
    else:
        yield encoded(template)


def read(template: Any, said: Any) -> JsonObject:
    """Return what the plain placeholders of *template* stand for in *said*: `render` undone.

    A placeholder without a place in *said* is left out, and what *said* has beside the template is passed over: a server of
    another version may say less, or more.
    """
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(template, list) and isinstance(said, list):
        parts = zip(template, said, strict=False)
    elif isinstance(template, dict) and "$" in template:
        return {} if "at" in template else {template["$"]: said}
    elif isinstance(template, dict) and isinstance(said, dict):
        parts = ((part, said[name]) for name, part in template.items() if name in said)
    return {name: value for part, there in parts for name, value in read(part, there).items()}


def _schema_at(schema: JsonObject, pointer: str) -> JsonObject:
    """Return the schema of the property that *pointer* names; an empty schema where there is none."""
    for name in tokens(pointer):
        schema = schema.get("properties", {}).get(name, {})
    return schema


def _types(schema: JsonObject) -> list[str]:
    stated = schema.get("type", [])
    return stated if isinstance(stated, list) else [stated]


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
